"""What an evaluation found, for programs; `kb.evaluate.tables` lays it out for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kb.errors import Fault

__all__ = ["Evaluation"]


@dataclass
class Evaluation:
    """The result of `evaluate`. `triples` is None without gold triples, `answers` is empty without gold questions.

    `warnings` are gold lines that nothing can meet, since they name what the knowledge base does not have. `pages` says
    how many of its pages the gold names; None where gold lines name no pages. Edges that are wrong or missed are in
    `wrong_edges` and `missed_edges`; the lines (page and edge) that are, in `wrong_lines` and `missed_lines`.
    """

    triples: dict[str, Any] | None = None
    answers: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    without_plan: int = 0
    wrong_edges: list[dict[str, Any]] = field(default_factory=list)
    missed_edges: list[dict[str, Any]] = field(default_factory=list)
    wrong_lines: list[dict[str, Any]] = field(default_factory=list)
    missed_lines: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    pages: dict[str, int] | None = None

    def to_json(self, *, details: bool = False) -> dict[str, Any]:
        """`triples`, `answers`, `questions`, `pages` and `warnings`; `details` adds edges, page lines and questions."""
        data: dict[str, Any] = {"triples": self.triples, "answers": self.answers}
        data["questions"] = {"by_type": self.counts, "without_plan": self.without_plan}
        data["pages"], data["warnings"] = self.pages, [str(fault) for fault in self.warnings]
        if details:
            data["details"] = {
                "wrong": self.wrong_edges,
                "missed": self.missed_edges,
                "wrong_lines": self.wrong_lines,
                "missed_lines": self.missed_lines,
                "questions": self.questions,
            }
        return data
