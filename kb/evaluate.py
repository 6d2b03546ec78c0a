"""How good a build is, against facts and questions with known answers.

A gold folder holds any of `triples.jsonl` (page, subject, relation, object), `traps.jsonl` (the same with `why`:
statements that must not become facts) and `questions.jsonl` (question, type, answer, plan). Ids are those of the
catalogue. Only relations that occur in the gold triples are judged: a gold set that lists owners says nothing about a
membership that was found.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import Fault, KbError, PlanError, RefusedQuestionError, SourceError
from kb.records import load_records

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["Evaluation", "Scores", "answer_f1", "evaluate", "score_edges"]

Edge = tuple[str, str, str]
"""(subject id, relation name, object id)"""
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
    """The result of `evaluate`. `triples` is None without gold triples, `answers` is empty without gold questions."""

    triples: dict[str, Any] | None = None
    answers: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    without_plan: int = 0
    wrong_edges: list[dict[str, Any]] = field(default_factory=list)
    missed_edges: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self, *, details: bool = False) -> dict[str, Any]:
        """`triples` and `answers`; with `details` also every wrong and missed edge and every question."""
        data: dict[str, Any] = {"triples": self.triples, "answers": self.answers}
        data["questions"] = {"by_type": self.counts, "without_plan": self.without_plan}
        if details:
            data["details"] = {
                "wrong": self.wrong_edges,
                "missed": self.missed_edges,
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
    if "triples.jsonl" in files:
        traps = _read(files["traps.jsonl"]) if "traps.jsonl" in files else []
        _judge_triples(result, kb, _read(files["triples.jsonl"]), traps)
    if "questions.jsonl" in files:
        _judge_answers(result, kb, _read(files["questions.jsonl"]), plans=plans)
    return result


def _read(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as err:
            faults.append(Fault(str(path), number, f"not JSON: {err.msg}"))
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            faults.append(Fault(str(path), number, "not a JSON object"))
    if faults:
        raise SourceError(f"{path}: malformed lines; each must be one JSON object", faults)
    return rows


# -- triples -----------------------------------------------------------------


def _gold_edge(row: Mapping[str, Any]) -> Edge:
    # Catalogue data sets write s, p, o.
    return (
        str(row.get("subject", row.get("s"))),
        str(row.get("relation", row.get("p"))),
        str(row.get("object", row.get("o"))),
    )


def _judge_triples(
    result: Evaluation, kb: KnowledgeBase, triples: list[dict[str, Any]], traps: list[dict[str, Any]]
) -> None:
    relations = {_gold_edge(row)[1] for row in triples}
    gold_lines = {(str(row["page"]), *_gold_edge(row)) for row in triples if row.get("page") is not None}
    gold = {_gold_edge(row) for row in triples}
    stated: dict[Line, str | None] = {}
    for record in load_records(kb.generation).values():
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
        written = {_gold_edge(row) for row in triples if row.get("n_sentence")}
        hit = len(found & written)
        scores["stated"] = {**Scores(len(found), len(written), hit).to_json(), "precision": None, "f1": None}
    scores["traps"] = _judge_traps(stated, gold_lines, traps)
    result.triples = scores
    pages_of = _pages_by_edge(lines)
    for edge in sorted(found - gold):
        page, quote = pages_of[edge]
        result.wrong_edges.append({**_edge_json(edge), "page": page, "quote": quote})
    result.missed_edges = [_edge_json(edge) for edge in sorted(gold - found)]


def _edge_json(edge: Edge) -> dict[str, Any]:
    return dict(zip(("subject", "relation", "object"), edge, strict=True))


def _pages_by_edge(lines: Mapping[Line, str | None]) -> dict[Edge, tuple[str, str | None]]:
    pages: dict[Edge, tuple[str, str | None]] = {}
    for (page, *edge), quote in sorted(lines.items(), key=lambda item: item[0]):
        pages.setdefault((edge[0], edge[1], edge[2]), (page, quote))
    return pages


def _judge_traps(
    lines: Collection[Line], gold_lines: Collection[Line], traps: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    kinds: dict[str, dict[str, int]] = defaultdict(lambda: {"taken": 0, "of": 0})
    for row in traps:
        line = (str(row.get("page")), *_gold_edge(row))
        kind = kinds[str(row.get("why", row.get("kind", "unknown")))]
        kind["of"] += 1
        # A page may state in one place what it denies in another; then the fact is gold and no trap was taken.
        kind["taken"] += line in lines and line not in gold_lines
    totals = {key: sum(kind[key] for kind in kinds.values()) for key in ("taken", "of")}
    return {**totals, "by_kind": dict(sorted(kinds.items()))}


# -- answers -----------------------------------------------------------------


def _judge_answers(result: Evaluation, kb: KnowledgeBase, questions: list[dict[str, Any]], *, plans: bool) -> None:
    by_type: dict[str, list[float]] = defaultdict(list)
    run = _run_plan(kb) if plans else _ask(kb)
    for row in questions:
        gold_plan = _gold_plan(row)
        if gold_plan is None:
            result.without_plan += 1
            if plans:
                continue
        kind = str(row.get("type") or f"{len(row.get('path', ()))}_hop")
        wanted = row.get("answer", row.get("answers", []))
        answer, plan, refusal = run(row, gold_plan)
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
                "gold_plan": gold_plan,
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


def _gold_plan(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The plan of a question; property-path notation (`^owned_by`, `depends_on+`) is read as hops."""
    if row.get("plan") is not None:
        return dict(row["plan"])
    if "path" in row and "start" in row:
        hops = [
            ("~" if h.startswith("^") else "") + h.strip("^+*") + ("*" if h[-1:] in "+*" else "") for h in row["path"]
        ]
        return {"start": row["start"], "hops": hops, "where": {}}
    return None


def _hop(step: str) -> str:
    backwards, repeated = step.startswith("^"), step.endswith(("+", "*"))
    return ("~" if backwards else "") + step.strip("^+*") + ("*" if repeated else "")


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
