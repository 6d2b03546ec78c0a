"""Generations against a gold folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import KbError
from kb.evaluate.answers import METHODS, judge_answers
from kb.evaluate.coverage import coverage, statement_counts
from kb.evaluate.facts import judge_facts
from kb.evaluate.gold import GoldRow, check_questions, check_triples, read_gold
from kb.evaluate.readers import Records, difference_notes, name_readers, reader_label, reader_of
from kb.evaluate.result import Comparison, Evaluation
from kb.evaluate.usage import Meter, reading_usage
from kb.records import SourceRecord, load_records

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["compare", "evaluate", "has_index"]

_FILES = ("triples.jsonl", "traps.jsonl", "questions.jsonl")
_INDEX = "index.json"
"""The file that an index always has; see `kb.index.vectors`."""


def has_index(kb: KnowledgeBase) -> bool:
    """Whether the generation has the index that `vector` and what follows from it search."""
    return _INDEX in kb.generation.meta["files"]


def evaluate(
    kb: KnowledgeBase,
    gold: Path,
    *,
    plans: bool = False,
    methods: Sequence[str] | None = None,
    planner: str | None = None,
    meter: Meter | None = None,
) -> Evaluation:
    """Judges the generation of `kb` against a gold folder.

    With `plans`, answers come from the gold's own plans, which tests graph and compiler apart from the understanding
    of questions; questions without a plan are then left out, and the only method is `graph`. Else questions are asked
    by `methods`, by default all four where the generation has an index and `graph` where it has none, and planned as
    `planner` says, by default as kb.toml does. `meter` is the chat that
    a model is asked through.

    With it, as many questions are asked at once as its settings have workers.

    Raises SourceError with file and line for malformed gold files, KbError where the folder has none, EndpointError,
    BudgetError or ReplayError where a model can be asked no more. A question that gets no usable reply counts as 0.
    """
    rows = _read(gold)
    return _evaluate(kb, rows, load_records(kb.generation), plans=plans, methods=methods, planner=planner, meter=meter)


def compare(
    bases: Sequence[KnowledgeBase],
    gold: Path,
    *,
    plans: bool = False,
    methods: Sequence[str] | None = None,
    planner: str | None = None,
    meter: Meter | None = None,
) -> Comparison:
    """Judges several generations, such as those of different readers, against the same gold.

    Options and errors are those of `evaluate`. The methods by default are those that all generations allow.
    """
    rows = _read(gold)
    if methods is None and not all(map(has_index, bases)):
        methods = METHODS[:1]
    records = [load_records(base.generation) for base in bases]
    found = [
        _evaluate(base, rows, record, plans=plans, methods=methods, planner=planner, meter=meter)
        for base, record in zip(bases, records, strict=True)
    ]
    generations = [base.generation for base in bases]
    name_readers(found, generations)
    return Comparison(found, difference_notes(found, records, generations), plans)


def _read(gold: Path) -> dict[str, list[GoldRow]]:
    files = {name: gold / name for name in _FILES if (gold / name).is_file()}
    if not files:
        raise KbError(f"{gold}: none of {', '.join(_FILES)} here; --gold must name a folder that holds them")
    return {name: read_gold(path) for name, path in files.items()}


def _evaluate(
    kb: KnowledgeBase,
    rows: Mapping[str, list[GoldRow]],
    records: Records,
    *,
    plans: bool,
    methods: Sequence[str] | None,
    planner: str | None,
    meter: Meter | None,
) -> Evaluation:
    identity = reader_of(kb.generation)
    result = Evaluation(kb.generation.name, identity, reader_label(identity))
    if plans:
        methods = METHODS[:1]
    elif methods is None:
        methods = METHODS if has_index(kb) else METHODS[:1]
    searching = [method for method in methods if method != METHODS[0]]
    if searching and not has_index(kb) and "questions.jsonl" in rows:
        raise KbError(
            f"{kb.generation.name}: this build has no index, which {', '.join(searching)} would search; run "
            "`kb build --force` to make one, or choose --methods graph"
        )
    result.statements = statement_counts(records.values())
    triples, traps = rows.get("triples.jsonl"), rows.get("traps.jsonl", [])
    questions = rows.get("questions.jsonl")
    if triples is not None:
        _compare_pages(result, kb, triples, traps, records.values())
        judge_facts(result, records.values(), _data(triples), _data(traps))
    if questions is not None:
        result.warnings += check_questions(kb, questions)
        workers = 1
        if meter is not None:
            kb.use_chat(meter)
            workers = meter.settings.workers
            # Made once, before several threads want them.
            _ = kb.vocabulary, kb.catalogue, kb.store
        judge_answers(result, kb, _data(questions), methods=methods, planner=planner, plans=plans, workers=workers)
    result.coverage = coverage(records.values(), _data(triples or ()), _data(questions or ()))
    result.usage = {"reading": reading_usage(kb.generation), "asking": None if meter is None else meter.take()}
    return result


def _data(rows: Collection[GoldRow]) -> list[Mapping[str, object]]:
    return [row.data for row in rows]


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
