"""The published graph against its shapes, from the ground up: what a build keeps up to date, checked as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.graph.validation import Result
    from kb.knowledge_base import KnowledgeBase

__all__ = ["validate"]


def validate(kb: KnowledgeBase) -> list[Result]:
    """All validation results of the accepted facts, the catalogue and the schema notes, violations first.

    Ontology and shapes are those of the generation. Raises GenerationError for a damaged one.
    """
    from kb.graph.gate import Gate
    from kb.graph.schema_graphs import schema_graphs
    from kb.graph.validation import result_order
    from kb.pipeline.state import candidate_of
    from kb.records import load_records
    from kb.sources.catalogue import Catalogue

    with kb.generation.reading():
        records = load_records(kb.generation)
        accepted = [candidate_of(reading) for record in records.values() for reading in record.accepted()]
        # What would be rejected now is a violation in the graph as it stands.
        results = list(Gate(kb.vocabulary, kb.catalogue, kb.iris).check(accepted).results)
        # Notes hang together by themselves, each for itself.
        notes = list(schema_graphs(kb.store, kb.vocabulary, kb.iris))
        home = {entity.id: note.file for note in notes for entity in note.entities}
        nodes = Catalogue({entity.id: entity for note in notes for entity in note.entities})
        facts = [fact for note in notes for fact in note.facts]
        for result in Gate(kb.vocabulary, nodes, kb.iris).check(facts).results if nodes.entities else ():
            file = home.get(result.focus, "")
            results.append(replace(result, sources=(file,), files=(file,)) if file else result)
        return sorted(results, key=result_order)
