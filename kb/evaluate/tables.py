"""Evaluations as tables, the same for a terminal and for Markdown.

One reader has a table of scores by measure, several have a column each. Nothing that differs from run to run is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.evaluate.result import Comparison, Evaluation

__all__ = ["Table", "notes", "tables"]

_FAILED = 10
"""Failed questions that are named below the tables."""

_RATES = (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))


@dataclass(frozen=True, slots=True)
class Table:
    """A table to print. The first `names` columns say what a row is; the others are numbers, or stand for one."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    names: int = 1

    def parts(self, widest: int) -> Iterator[Table]:
        """The table, or several with some of its columns each where it takes more than so many characters."""
        widths = [max(len(row[i]) for row in (self.headings, *self.rows)) + 2 for i in range(len(self.headings))]
        room, part = widest + 2 - sum(widths[: self.names]), list[int]()
        for column in range(self.names, len(self.headings)):
            if part and sum(widths[i] for i in part) + widths[column] > room:
                yield self._only(part)
                part = []
            part.append(column)
        yield self._only(part)

    def _only(self, columns: Sequence[int]) -> Table:
        kept = [*range(self.names), *columns]
        rows = [[row[i] for i in kept] for row in self.rows]
        return Table(self.title, [self.headings[i] for i in kept], rows, self.names)


def tables(found: Comparison, *, side_by_side: bool = False) -> list[Table]:
    """All tables. `side_by_side` puts the answers of all readers into one, which is wider than a terminal."""
    readers = found.readers
    made = [] if len(readers) == 1 else [_readers(readers)]
    judged = [one for one in readers if one.triples is not None]
    if judged:
        made.append(_facts(judged[0]) if len(judged) == 1 else _facts_by_reader(judged))
        made += _traps(judged)
    made.append(_reading(readers))
    answered = [one for one in readers if one.answers]
    if side_by_side and len(answered) > 1:
        made.append(_answers(answered, "Answers (mean F1)"))
    else:
        for one in answered:
            made.append(_answers([one], "Answers (mean F1)" + (f": {one.label}" if len(readers) > 1 else "")))
    return [*made, *_usage(readers)]


def notes(found: Comparison) -> list[str]:
    """Sentences that belong below the tables."""
    first, said = found.first, list(found.notes)
    if first.without_plan:
        verb = "is" if first.without_plan == 1 else "are"
        left = "left out" if found.plans else "counted too"
        said.append(f"{_counted(first.without_plan, 'question')} without a gold plan {verb} {left}.")
    for one in found.readers:
        if one.pages is not None and one.pages["named"] < one.pages["of"]:
            said.append(
                f"The gold names {one.pages['named']:,} of {_counted(one.pages['of'], 'page')}. A page that it does "
                "not name counts as one that states nothing, so what was found only there counts as wrong."
            )
            break
    for one in found.readers:
        if one.failed:
            names = dict.fromkeys(str(row["id"] or row["question"]) for row in one.failed)
            whose = f" ({one.label})" if len(found.readers) > 1 else ""
            verb = "counts" if len(names) == 1 else "count"
            shown = ", ".join([*list(names)[:_FAILED], *(["…"] if len(names) > _FAILED else [])])
            methods = " and ".join(dict.fromkeys(str(row["method"]) for row in one.failed))
            why = str(one.failed[0]["error"]).rstrip(".")
            said.append(
                f"{_counted(len(names), 'question')} failed with {methods} and {verb} as 0{whose}: {shown}. "
                f"The first: {why}."
            )
    return said


def _readers(readers: Sequence[Evaluation]) -> Table:
    return Table("Readers", ["", "identity"], [[one.label, one.reader] for one in readers], names=2)


# -- facts -------------------------------------------------------------------


def _facts(one: Evaluation) -> Table:
    assert one.triples is not None
    rows = [
        [name, *(_rate(scores[key]) for key, _ in _RATES), str(scores["found"]), str(scores["gold"])]
        for name, scores in _scored(one.triples)
    ]
    return Table("Facts", ["", "precision", "recall", "F1", "found", "gold"], rows)


def _facts_by_reader(readers: Sequence[Evaluation]) -> Table:
    by_reader = [dict(_scored(one.triples or {})) for one in readers]
    rows = []
    for name, scores in by_reader[0].items():
        whole = name in _WHOLE.values()
        measures = _RATES if whole else _RATES[2:]
        for number, (key, heading) in enumerate(measures):
            cells = [_rate(found[name][key]) for found in by_reader]
            if any(cell != "-" for cell in cells):
                rows.append(["" if number else name, heading, *cells])
        if whole:
            rows.append(["", "found", *(str(found[name]["found"]) for found in by_reader)])
            rows.append(["", "gold", *([str(scores["gold"])] * len(readers))])
    return Table("Facts", ["", "", *(one.label for one in readers)], rows, names=2)


_WHOLE = {"edges": "distinct edges", "lines": "page lines", "stated": "edges stated in a sentence"}


def _scored(triples: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What was scored, by what it is called: all edges, all lines, each relation."""
    yield _WHOLE["edges"], triples
    for key in ("lines", "stated"):
        if triples.get(key) is not None:
            yield _WHOLE[key], triples[key]
    yield from triples["by_relation"].items()


def _traps(readers: Sequence[Evaluation]) -> Iterator[Table]:
    sets = [one.triples["traps"] for one in readers if one.triples is not None]
    if not sets[0]["of"]:
        return
    kinds = sorted(sets[0]["by_kind"])
    rows = [
        [kind, *(str(one["by_kind"][kind]["taken"]) for one in sets), str(sets[0]["by_kind"][kind]["of"])]
        for kind in kinds
    ]
    rows.append(["all", *(str(one["taken"]) for one in sets), str(sets[0]["of"])])
    taken = ["taken"] if len(readers) == 1 else [one.label for one in readers]
    yield Table("Traps taken", ["kind", *taken, "of"], rows)


# -- what was read, and what it took -------------------------------------------


def _reading(readers: Sequence[Evaluation]) -> Table:
    said = [one.statements for one in readers]
    rows = [[f"statements {key}", *(f"{one[key]:,}" for one in said)] for key in ("read", "accepted", "rejected")]
    codes = sorted(
        {code for one in said for code in one["rejected_by"]},
        key=lambda code: (-sum(one["rejected_by"].get(code, 0) for one in said), code),
    )
    rows += [
        [f"rejected: {code.replace('_', ' ')}", *(f"{one['rejected_by'].get(code, 0):,}" for one in said)]
        for code in codes
    ]
    if any(one["dropped"] for one in said):
        rows.append(["malformed items of replies", *(f"{one['dropped']:,}" for one in said)])
    rows.append(["statements turned round", *(f"{one['turned_round']:,}" for one in said)])
    if any(one.triples is not None for one in readers):
        cells = ["-" if one.triples is None else f"{one.triples['reversed']:,}" for one in readers]
        rows.append(["facts the wrong way round", *cells])
    for key, name in (
        ("triples", "entity coverage, gold facts"),
        ("answers", "entity coverage, gold answers"),
    ):
        if any(key in one.coverage for one in readers):
            rows.append([name, *(_share(one.coverage.get(key)) for one in readers)])
    headings = ["", ""] if len(readers) == 1 else ["", *(one.label for one in readers)]
    return Table("Reading", headings, rows)


def _usage(readers: Sequence[Evaluation]) -> Iterator[Table]:
    if not any(usage is not None for one in readers for usage in one.usage.values()):
        return
    rows = [
        [(f"{one.label}: " if len(readers) > 1 else "") + what, *_used(one.usage.get(what))]
        for one in readers
        for what in ("reading", "asking")
    ]
    yield Table("Tokens and cost", ["", "requests", "tokens in", "tokens out", "cost"], rows)


def _used(usage: Mapping[str, Any] | None) -> list[str]:
    if usage is None:
        return ["-"] * 4
    about = "~" if usage["estimated"] else ""
    requests = "-" if usage["requests"] is None else f"{usage['requests']:,}"
    cost = "-" if usage["cost"] is None else f"{about}{usage['cost']:,.4f}"
    return [requests, f"{about}{usage['prompt_tokens']:,}", f"{about}{usage['completion_tokens']:,}", cost]


# -- answers -----------------------------------------------------------------


def _answers(readers: Sequence[Evaluation], title: str) -> Table:
    """Types of questions by methods, those of the second reader beside those of the first."""
    first = readers[0]
    headings, columns = ["type", "questions"], []
    for one in readers:
        whose = f"{one.label}: " if len(readers) > 1 else ""
        if one.refused is not None:
            headings.append(f"{whose}refused")
            columns.append({**{kind: str(n) for kind, n in one.refused.items()}, "all": str(sum(one.refused.values()))})
        for method, means in one.answers.items():
            headings.append(whose + method)
            columns.append({kind: f"{mean:.3f}" for kind, mean in means.items()})
    counts = {**first.counts, "all": sum(first.counts.values())}
    rows = [[kind, str(counts[kind]), *(column.get(kind, "-") for column in columns)] for kind in counts]
    return Table(title, headings, rows)


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _share(covered: Mapping[str, Any] | None) -> str:
    return _rate(None if covered is None else covered["share"])


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
