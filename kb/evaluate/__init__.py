"""How good a build is, against facts and questions with known answers.

A gold folder holds any of `triples.jsonl` (page, subject, relation, object), `traps.jsonl` (the same with `why`:
statements that must not become facts) and `questions.jsonl` (question, type, answer, plan). Ids are those of the
catalogue. Only relations that occur in the gold triples are judged: a gold set that lists owners says nothing about a
membership that was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import Fault, KbError, PlanError, RefusedQuestionError
from kb.evaluate.gold import Edge, GoldRow, check_questions, check_triples, gold_edge, gold_plan, read_gold
from kb.records import SourceRecord, load_records

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["Evaluation", "Scores", "answer_f1", "evaluate", "score_edges"]

Line = tuple[str, str, str, str]
"""(page id, subject id, relation name, object id)"""


def answer_f1(answer: Collection[str] | None, gold: Collection[str]) -> float:
    """F1 of two sets of ids: 1.0 where both are empty, 0.0 where only one is. None (a refusal) counts as empty.

    >>> answer_f1({"a", "b"}, {"b", "c"})
    0.5
    >>> answer_f1(None, [])
    1.0
    """
    found, wanted = set(answer or ()), set(gold)
    if not found and not wanted:
        return 1.0
    return 2 * len(found & wanted) / (len(found) + len(wanted))


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F1 of `found` extracted items against `gold` ones; None where the divisor is zero."""

    found: int
    gold: int
    correct: int

    @property
    def precision(self) -> float | None:
        """Share of the extracted items that are right."""
        return self.correct / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Share of the gold items that were extracted."""
        return self.correct / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two; None where neither side has an item."""
        return 2 * self.correct / (self.found + self.gold) if self.found + self.gold else None

    def to_json(self) -> dict[str, Any]:
        """Rounded to four digits."""
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        rounded = {name: None if rate is None else round(rate, 4) for name, rate in rates.items()}
        return {**rounded, "found": self.found, "gold": self.gold, "correct": self.correct}


def score_edges(found: Collection[Any], gold: Collection[Any]) -> Scores:
    """Scores of two sets."""
    return Scores(len(set(found)), len(set(gold)), len(set(found) & set(gold)))


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

    def tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """(title, headings, rows) to print."""
        found: list[tuple[str, list[str], list[list[str]]]] = []
        if self.triples is not None:
            found.append(("Facts", ["", "precision", "recall", "F1", "found", "gold"], self._triple_rows()))
            traps = self.triples["traps"]
            if traps["of"]:
                rows = [[kind, str(n["taken"]), str(n["of"])] for kind, n in sorted(traps["by_kind"].items())]
                rows.append(["all", str(traps["taken"]), str(traps["of"])])
                found.append(("Traps taken", ["kind", "taken", "of"], rows))
        if self.answers:
            methods = list(self.answers)
            rows = [
                [kind, str(self.counts.get(kind, sum(self.counts.values()))), *self._answer_cells(kind)]
                for kind in [*self.counts, "all"]
            ]
            found.append(("Answers (mean F1)", ["type", "questions", *methods], rows))
        return found

    def _answer_cells(self, kind: str) -> list[str]:
        return [f"{scores[kind]:.3f}" if kind in scores else "-" for scores in self.answers.values()]

    def _triple_rows(self) -> list[list[str]]:
        assert self.triples is not None
        named = [("distinct edges", self.triples)]
        if self.triples["lines"] is not None:
            named.append(("page lines", self.triples["lines"]))
        if self.triples.get("stated") is not None:
            named.append(("edges stated in a sentence", self.triples["stated"]))
        named += [(name, scores) for name, scores in self.triples["by_relation"].items()]
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


def evaluate(kb: KnowledgeBase, gold: Path, *, plans: bool = False) -> Evaluation:
    """Judges the published generation of `kb` against a gold folder.

    With `plans`, answers come from the gold's own plans, which tests graph and compiler apart from the understanding
    of questions; questions without a plan are then left out.

    Raises SourceError with file and line for malformed gold files, KbError where the folder has none.
    """
    names = ("triples.jsonl", "traps.jsonl", "questions.jsonl")
    files = {name: gold / name for name in names if (gold / name).is_file()}
    if not files:
        raise KbError(f"{gold}: none of {', '.join(names)} here; --gold must name a folder that holds them")
    result = Evaluation()
    rows = {name: read_gold(path) for name, path in files.items()}
    if "triples.jsonl" in rows:
        triples, traps = rows["triples.jsonl"], rows.get("traps.jsonl", [])
        records = load_records(kb.generation).values()
        _compare_pages(result, kb, triples, traps, records)
        _judge_triples(result, records, [row.data for row in triples], [row.data for row in traps])
    if "questions.jsonl" in rows:
        result.warnings += check_questions(kb, rows["questions.jsonl"])
        _judge_answers(result, kb, [row.data for row in rows["questions.jsonl"]], plans=plans)
    return result


def _compare_pages(
    result: Evaluation,
    kb: KnowledgeBase,
    triples: list[GoldRow],
    traps: list[GoldRow],
    records: Collection[SourceRecord],
) -> None:
    """Which gold lines fit this knowledge base at all, and how many of its pages they name."""
    sources = {record.source for record in records}
    result.warnings += check_triples(kb, triples, sources) + check_triples(kb, traps, sources, traps=True)
    there = {record.source for record in records if record.kind == "page"}
    named = {str(row.data["page"]) for row in [*triples, *traps] if row.data.get("page") is not None}
    if named:
        result.pages = {"named": len(named & there), "of": len(there)}


# -- triples -----------------------------------------------------------------


def _judge_triples(
    result: Evaluation,
    records: Iterable[SourceRecord],
    triples: Sequence[Mapping[str, Any]],
    traps: Sequence[Mapping[str, Any]],
) -> None:
    relations = {gold_edge(row)[1] for row in triples}
    gold_lines = {
        (str(row["page"]), *gold_edge(row)): row.get("quote") for row in triples if row.get("page") is not None
    }
    gold = {gold_edge(row) for row in triples}
    stated: dict[Line, str | None] = {}
    for record in records:
        # A catalogue's own statements are given, not extracted; they count where the gold is about the whole graph.
        if record.kind == "catalogue" and gold_lines:
            continue
        for reading in record.accepted():
            assert reading.edge is not None
            evidence = reading.statement.evidence
            stated.setdefault((record.source, *reading.edge), evidence.quote if evidence else None)
    lines = {line: quote for line, quote in stated.items() if line[2] in relations}
    found = {line[1:] for line in lines}
    scores: dict[str, Any] = score_edges(found, gold).to_json()
    scores["reversed"] = sum((o, r, s) in gold and (s, r, o) not in gold for s, r, o in found)
    scores["unjudged"] = len(stated) - len(lines)
    scores["by_relation"] = {
        name: score_edges({e for e in found if e[1] == name}, {e for e in gold if e[1] == name}).to_json()
        for name in sorted(relations)
    }
    scores["lines"] = score_edges(lines, gold_lines).to_json() if gold_lines else None
    if any("n_sentence" in row for row in triples):
        written = {gold_edge(row) for row in triples if row.get("n_sentence")}
        hit = len(found & written)
        scores["stated"] = {**Scores(len(found), len(written), hit).to_json(), "precision": None, "f1": None}
    scores["traps"] = _judge_traps(stated, gold_lines, traps)
    result.triples = scores
    found_on, gold_on = _pages_by_edge(lines), _pages_by_edge(gold_lines)
    result.wrong_edges = [_edge_json(edge, *found_on[edge]) for edge in sorted(found - gold)]
    result.missed_edges = [_edge_json(edge, *gold_on.get(edge, (None, None))) for edge in sorted(gold - found)]
    if gold_lines:
        wrong, missed = sorted(lines.keys() - gold_lines.keys()), sorted(gold_lines.keys() - lines.keys())
        result.wrong_lines = [_edge_json((s, r, o), page, lines[page, s, r, o]) for page, s, r, o in wrong]
        result.missed_lines = [_edge_json((s, r, o), page, gold_lines[page, s, r, o]) for page, s, r, o in missed]


def _edge_json(edge: Edge, page: str | None, quote: str | None) -> dict[str, Any]:
    return {**dict(zip(("subject", "relation", "object"), edge, strict=True)), "page": page, "quote": quote}


def _pages_by_edge(lines: Mapping[Line, str | None]) -> dict[Edge, tuple[str, str | None]]:
    """The first page that states an edge, with its quote."""
    pages: dict[Edge, tuple[str, str | None]] = {}
    for (page, *edge), quote in sorted(lines.items(), key=lambda item: item[0]):
        pages.setdefault((edge[0], edge[1], edge[2]), (page, quote))
    return pages


def _judge_traps(
    lines: Collection[Line], gold_lines: Collection[Line], traps: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    kinds: dict[str, dict[str, int]] = defaultdict(lambda: {"taken": 0, "of": 0})
    for row in traps:
        line = (str(row.get("page")), *gold_edge(row))
        kind = kinds[str(row.get("why", row.get("kind", "unknown")))]
        kind["of"] += 1
        # A page may state in one place what it denies in another; then the fact is gold and no trap was taken.
        kind["taken"] += line in lines and line not in gold_lines
    totals = {key: sum(kind[key] for kind in kinds.values()) for key in ("taken", "of")}
    return {**totals, "by_kind": dict(sorted(kinds.items()))}


# -- answers -----------------------------------------------------------------


def _judge_answers(
    result: Evaluation, kb: KnowledgeBase, questions: Sequence[Mapping[str, Any]], *, plans: bool
) -> None:
    by_type: dict[str, list[float]] = defaultdict(list)
    run = _run_plan(kb) if plans else _ask(kb)
    for row in questions:
        wanted_plan = gold_plan(row)
        if wanted_plan is None:
            result.without_plan += 1
            if plans:
                continue
        kind = str(row.get("type") or f"{len(row.get('path', ()))}_hop")
        wanted = row.get("answer", row.get("answers", []))
        answer, plan, refusal = run(row, wanted_plan)
        score = answer_f1(answer, wanted)
        by_type[kind].append(score)
        result.questions.append(
            {
                "id": row.get("id"),
                "question": row.get("question"),
                "type": kind,
                "f1": round(score, 4),
                "answer": sorted(answer) if answer is not None else None,
                "gold": sorted(wanted),
                "plan": plan,
                "gold_plan": wanted_plan,
                "refusal": refusal,
            }
        )
    result.counts = {kind: len(scores) for kind, scores in by_type.items()}
    if by_type:
        everything = [score for scores in by_type.values() for score in scores]
        result.answers["graph"] = {
            **{kind: round(sum(scores) / len(scores), 4) for kind, scores in by_type.items()},
            "all": round(sum(everything) / len(everything), 4),
        }


_Run = Callable[
    [Mapping[str, Any], dict[str, Any] | None], tuple[Collection[str] | None, dict[str, Any] | None, str | None]
]


def _run_plan(kb: KnowledgeBase) -> _Run:
    def run(
        _row: Mapping[str, Any], plan: dict[str, Any] | None
    ) -> tuple[Collection[str] | None, dict[str, Any] | None, str | None]:
        assert plan is not None
        try:
            return [item.id for item in kb.run(plan, witnesses=False).answers], plan, None
        except PlanError as err:
            return None, plan, str(err)

    return run


def _ask(kb: KnowledgeBase) -> _Run:
    def run(
        row: Mapping[str, Any], _plan: dict[str, Any] | None
    ) -> tuple[Collection[str] | None, dict[str, Any] | None, str | None]:
        try:
            answer = kb.ask(str(row["question"]), witnesses=False)
        except (RefusedQuestionError, PlanError) as err:
            return None, None, str(err)
        return [item.id for item in answer.answers], answer.plan.to_json(), None

    return run
