"""The offline planner: a question in English becomes a plan, from the ontology's words alone."""

from __future__ import annotations

from kb.ask.planner.planner import Planned, Planner

__all__ = ["Planned", "Planner"]
