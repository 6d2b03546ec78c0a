"""The published graph against its shapes, from the ground up: what a build keeps up to date, checked as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.graph.validation import Result
    from kb.knowledge_base import KnowledgeBase

__all__ = ["validate"]


def validate(kb: KnowledgeBase) -> list[Result]:
    """All validation results of the accepted facts and the catalogue, violations first.

    Ontology and shapes are those of the generation. Raises GenerationError for a damaged one.
    """
    from kb.graph.gate import Gate
    from kb.pipeline.state import candidate_of
    from kb.records import load_records

    with kb.generation.reading():
        records = load_records(kb.generation)
        accepted = [candidate_of(reading) for record in records.values() for reading in record.accepted()]
        # What would be rejected now is a violation in the graph as it stands.
        return list(Gate(kb.vocabulary, kb.catalogue, kb.iris).check(accepted).results)
