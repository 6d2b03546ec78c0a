"""What an evaluation found, for programs; `kb.evaluate.tables` lays it out for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kb.errors import Fault

__all__ = ["Comparison", "Evaluation"]


@dataclass
class Evaluation:
    """How one generation does. `triples` is None without gold triples, `answers` is empty without gold questions.

    `reader` is the identity of what read the pages, `label` its name in tables. `answers` are means by method and type
    of question, `counts` how many questions there are of a type, `refused` how many of them no plan fitted. `failed`
    are questions that a model gave no usable reply to. `statements` says what became of those that were read;
    `coverage` what share of the gold's entities has a fact at all; `usage` what reading and asking took of a model.

    `warnings` are gold lines that nothing can meet, since they name what the knowledge base does not have. `pages` says
    how many of its pages the gold names; None where gold lines name no pages. Edges that are wrong or missed are in
    `wrong_edges` and `missed_edges`; the lines (page and edge) that are, in `wrong_lines` and `missed_lines`.
    """

    generation: str = ""
    reader: str = ""
    label: str = ""
    triples: dict[str, Any] | None = None
    answers: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] | None = None
    failed: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    without_plan: int = 0
    statements: dict[str, Any] = field(default_factory=dict)
    coverage: dict[str, dict[str, Any]] = field(default_factory=dict)
    usage: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    wrong_edges: list[dict[str, Any]] = field(default_factory=list)
    missed_edges: list[dict[str, Any]] = field(default_factory=list)
    wrong_lines: list[dict[str, Any]] = field(default_factory=list)
    missed_lines: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    pages: dict[str, int] | None = None

    def to_json(self, *, details: bool = False) -> dict[str, Any]:
        """All of it but single facts and questions, which `details` adds."""
        data: dict[str, Any] = {
            "generation": self.generation,
            "reader": self.reader,
            "triples": self.triples,
            "answers": self.answers,
            "questions": {
                "by_type": self.counts,
                "without_plan": self.without_plan,
                "refused": self.refused,
                "failed": self.failed,
            },
            "statements": self.statements,
            "coverage": self.coverage,
            "usage": self.usage,
            "pages": self.pages,
            "warnings": [str(fault) for fault in self.warnings],
        }
        if details:
            data["details"] = {
                "wrong": self.wrong_edges,
                "missed": self.missed_edges,
                "wrong_lines": self.wrong_lines,
                "missed_lines": self.missed_lines,
                "questions": self.questions,
            }
        return data


@dataclass
class Comparison:
    """Evaluations of several generations against the same gold; the first is the one that was asked about.

    `notes` are sentences on how far they can be compared. `plans` says that the gold's own plans were run.
    """

    readers: list[Evaluation]
    notes: list[str] = field(default_factory=list)
    plans: bool = False

    @property
    def first(self) -> Evaluation:
        """The evaluation of the generation that was asked about."""
        return self.readers[0]

    @property
    def warnings(self) -> list[Fault]:
        """The gold lines that nothing can meet, of all generations, each once."""
        return list(dict.fromkeys(fault for one in self.readers for fault in one.warnings))

    def to_json(self, *, details: bool = False) -> dict[str, Any]:
        """The first evaluation; `readers` are all of them in the same form, and `notes`."""
        data = self.first.to_json(details=details)
        return {**data, "notes": self.notes, "readers": [one.to_json(details=details) for one in self.readers]}
