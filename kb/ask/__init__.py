"""Questions and plans: from a question to a plan, from a plan to SPARQL, from its rows to answers with witnesses."""

from __future__ import annotations

__all__: list[str] = []
