"""Evaluations as tables."""

from __future__ import annotations

from typing import Any

from kb.evaluate.result import Evaluation

__all__ = ["tables"]


def tables(result: Evaluation) -> list[tuple[str, list[str], list[list[str]]]]:
    """(title, headings, rows) to print."""
    found: list[tuple[str, list[str], list[list[str]]]] = []
    if result.triples is not None:
        found.append(("Facts", ["", "precision", "recall", "F1", "found", "gold"], _triple_rows(result.triples)))
        traps = result.triples["traps"]
        if traps["of"]:
            rows = [[kind, str(n["taken"]), str(n["of"])] for kind, n in sorted(traps["by_kind"].items())]
            rows.append(["all", str(traps["taken"]), str(traps["of"])])
            found.append(("Traps taken", ["kind", "taken", "of"], rows))
    if result.answers:
        methods = list(result.answers)
        rows = [
            [kind, str(result.counts.get(kind, sum(result.counts.values()))), *_answer_cells(result, kind)]
            for kind in [*result.counts, "all"]
        ]
        found.append(("Answers (mean F1)", ["type", "questions", *methods], rows))
    return found


def _answer_cells(result: Evaluation, kind: str) -> list[str]:
    return [f"{scores[kind]:.3f}" if kind in scores else "-" for scores in result.answers.values()]


def _triple_rows(triples: dict[str, Any]) -> list[list[str]]:
    named = [("distinct edges", triples)]
    if triples["lines"] is not None:
        named.append(("page lines", triples["lines"]))
    if triples.get("stated") is not None:
        named.append(("edges stated in a sentence", triples["stated"]))
    named += [(name, scores) for name, scores in triples["by_relation"].items()]
    return [
        [
            name,
            *(_rate(scores[key]) for key in ("precision", "recall", "f1")),
            str(scores["found"]),
            str(scores["gold"]),
        ]
        for name, scores in named
    ]


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
