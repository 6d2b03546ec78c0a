"""A generation against a gold folder."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import KbError
from kb.evaluate.answers import judge_answers
from kb.evaluate.facts import judge_facts
from kb.evaluate.gold import GoldRow, check_questions, check_triples, read_gold
from kb.evaluate.result import Evaluation
from kb.records import SourceRecord, load_records

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["evaluate"]


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
        judge_facts(result, records, [row.data for row in triples], [row.data for row in traps])
    if "questions.jsonl" in rows:
        result.warnings += check_questions(kb, rows["questions.jsonl"])
        judge_answers(result, kb, [row.data for row in rows["questions.jsonl"]], plans=plans)
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
