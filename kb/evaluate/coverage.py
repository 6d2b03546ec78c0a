"""What reached the graph at all: statements by their fate, and entities that have a fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kb.evaluate.gold import gold_answer, gold_edge
from kb.records import SourceRecord

__all__ = ["coverage", "statement_counts"]

_COUNTS = "counts"
"""Where a record keeps what its reader counted, see `kb.pipeline.readers`."""


def statement_counts(records: Iterable[SourceRecord]) -> dict[str, Any]:
    """How many statements were read, accepted, turned round, and rejected for what reason.

    `dropped` are items of a model's replies that are no statement at all. What catalogue files state was given, not
    read, and does not count.
    """
    read = [record for record in records if record.kind != "catalogue"]
    readings = [reading for record in read for reading in record.readings]
    codes = Counter(reading.code for reading in readings if reading.code is not None)
    accepted = sum(reading.accepted for reading in readings)
    return {
        "read": len(readings),
        "accepted": accepted,
        "rejected": len(readings) - accepted,
        "rejected_by": dict(sorted(codes.items(), key=lambda item: (-item[1], item[0]))),
        "dropped": sum(record.extra.get(_COUNTS, {}).get("dropped", 0) for record in read),
        "turned_round": sum(reading.repaired and reading.accepted for reading in readings),
    }


def coverage(
    records: Iterable[SourceRecord],
    triples: Collection[Mapping[str, Any]] = (),
    questions: Collection[Mapping[str, Any]] = (),
) -> dict[str, dict[str, Any]]:
    """The share of the gold's entities that are an end of at least one fact, each entity once.

    `answers` are those of the gold answers to all questions, `triples` those of the gold triples; a kind of gold that
    names none is left out. What has no fact can be in no answer that follows facts, however well a question is
    understood.
    """
    facts = (reading.edge for record in records for reading in record.accepted() if reading.edge is not None)
    nodes = {end for subject, _, object_ in facts for end in (subject, object_)}
    wanted = {
        "answers": {entity for row in questions for entity in gold_answer(row)},
        "triples": {end for subject, _, object_ in map(gold_edge, triples) for end in (subject, object_)},
    }
    return {
        kind: {
            "covered": len(entities & nodes),
            "of": len(entities),
            "share": round(len(entities & nodes) / len(entities), 4),
        }
        for kind, entities in wanted.items()
        if entities
    }
