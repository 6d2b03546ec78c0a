"""Answers in natural language, every claim with the pages and quotes that it rests on."""

from __future__ import annotations

from kb.ask.prose.text import Citation, Claim, Prose
from kb.ask.prose.writer import write_prose

__all__ = ["Citation", "Claim", "Prose", "write_prose"]
