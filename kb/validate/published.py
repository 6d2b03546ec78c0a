"""The published graph against its shapes, from the ground up: what a build keeps up to date, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import pyoxigraph as ox

from kb.graph.assemble import report_quads
from kb.graph.prefixes import base_prefixes, vocabulary_prefixes
from kb.graph.terms import content_name
from kb.graph.validation import WARNING, Result, result_order
from kb.namespaces import KB, PREFIXES, SH
from kb.records import Reading, SourceRecord, load_records
from kb.validate._evidence import Evidences
from kb.validate.report import Place, Report, Row

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["new_rows", "newest_first", "rejections_report", "validate", "validate_published"]

_NO_SHAPE = "urn:kb:no-shape"
_REJECTION = KB + "Rejection"


def validate(kb: KnowledgeBase) -> list[Result]:
    """All validation results of the accepted facts, the catalogue and the schema notes, violations first.

    Ontology and shapes are those of the generation. Raises GenerationError for a damaged one.
    """
    from kb.graph.gate import Gate
    from kb.graph.schema_graphs import schema_graphs
    from kb.pipeline.state import candidate_of
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


def validate_published(kb: KnowledgeBase) -> Report:
    """`validate` as a report, with the lines of pages that are behind each result.

    Lines are those of the files as they are now; a quote that is no longer there has none.
    """
    evidences = Evidences(kb)
    rows = [_row(kb, result, evidences.of_result(result)) for result in validate(kb)]
    return _report(kb, "The graph", rows)


def rejections_report(kb: KnowledgeBase) -> Report:
    """The statements that the build rejected, each as a result.

    One that broke a shape has the result that it broke it with. One that came to no shape (its quote is not on the
    page, a name is unknown) is a warning about its own record in the rejections graph.
    """
    from kb.graph.assemble import rejection_iri

    evidences = Evidences(kb)
    rows = []
    for record in load_records(kb.generation).values():
        for reading in record.readings:
            if reading.accepted:
                continue
            places = evidences.of_reading(record, reading)
            result = reading.result or _as_result(record, reading, rejection_iri(reading.statement, kb.iris))
            rows.append(_rejected_row(kb, record, reading, result, places))
    return _report(kb, "What was read", rows)


def new_rows(report: Report, before: Report) -> Report:
    """The rows of a report that an earlier one does not have.

    The same focus node, path, value, component and shape are the same result; of two alike, one is new where there was
    one before.
    """
    known = Counter(row.key for row in before.rows)
    found = []
    for row in report.rows:
        if known[row.key]:
            known[row.key] -= 1
        else:
            found.append(row)
    return report.of(found)


def newest_first(report: Report, before: KnowledgeBase) -> Report:
    """The same rows, and of each the sentences first that an earlier generation did not have.

    What shows one place only, such as a comment in a pull request, then shows the one that was written last. Lines of a
    catalogue have no words to tell by: they stand between what is new and what is not.
    """
    known = {
        (record.path or record.source, reading.statement.evidence.quote)
        for record in load_records(before.generation).values()
        for reading in record.readings
        if reading.statement.evidence is not None
    }

    def age(place: Place) -> int:
        return 1 if not place.quote else 2 if (place.file, place.quote) in known else 0

    return report.of(replace(row, places=tuple(sorted(row.places, key=age))) for row in report.rows)


# -- rows -----------------------------------------------------------------------


def _report(kb: KnowledgeBase, what: str, rows: Iterable[Row]) -> Report:
    prefixes = {**PREFIXES, **base_prefixes(kb.iris), **vocabulary_prefixes(kb.vocabulary)}
    order = {"Violation": 0, "Warning": 1, "Info": 2}
    ordered = sorted(rows, key=lambda row: (order[row.level], row.focus, row.path or "", row.value or "", row.text))
    return Report(tuple(ordered), what, str(kb.config.root), prefixes)


def _row(kb: KnowledgeBase, result: Result, places: tuple[Place, ...]) -> Row:
    node, triples = _triples(kb, result, places)
    entity = kb.entity(result.focus)
    return Row(
        severity=result.severity,
        focus=result.focus,
        label=result.focus if entity is None else entity.name,
        path=None if result.path is None else kb.vocabulary.name_of(result.path) or result.path,
        value=result.value,
        message=result.message,
        text=result.text,
        component=result.component,
        shape=result.shape,
        sources=result.sources,
        places=places,
        node=node,
        triples=triples,
    )


def _rejected_row(
    kb: KnowledgeBase, record: SourceRecord, reading: Reading, result: Result, places: tuple[Place, ...]
) -> Row:
    said = reading.statement
    words = f"{said.subject} {said.relation} {said.object}"
    row = _row(kb, replace(result, sources=(record.source,), rejects=False), places)
    label = words if reading.result is None else row.label
    text = reading.reason or row.text
    # Two rejected statements may have caused the same result; each is a result of its own here.
    node = ox.NamedNode(kb.iris.result(content_name(row.node.value, record.source, words)))
    about = [ox.Triple(node, t.predicate, t.object) for t in row.triples]
    about.append(ox.Triple(node, ox.NamedNode(KB + "reasonCode"), ox.Literal(reading.code or "")))
    shape = "" if result.shape == _NO_SHAPE else result.shape
    return replace(
        row, label=label, message=text, text=text, shape=shape, code=reading.code, statement=words,
        node=node, triples=tuple(about),
    )  # fmt: skip


def _as_result(record: SourceRecord, reading: Reading, iri: str) -> Result:
    said = reading.statement
    return Result(
        focus=f"{said.subject} {said.relation} {said.object}",
        path=None,
        value=None,
        component=_REJECTION,
        severity=WARNING,
        shape=_NO_SHAPE,
        message=reading.reason or "",
        sources=(record.source,),
        files=() if record.kind == "page" else (record.source,),
        focus_iri=iri,
    )


def _triples(
    kb: KnowledgeBase, result: Result, places: tuple[Place, ...]
) -> tuple[ox.NamedNode | ox.BlankNode, tuple[ox.Triple, ...]]:
    """The result as the graph of reports holds it, and the quotes behind it."""
    found = [quad.triple for quad in report_quads([replace(result, rejects=False)], kb.iris)]
    node = next(t.object for t in found if t.predicate.value == SH + "result")
    assert isinstance(node, ox.NamedNode)
    own = [t for t in found if t.subject == node and t.object != ox.NamedNode(_NO_SHAPE)]
    quotes = dict.fromkeys(place.quote for place in places if place.quote)
    own += [ox.Triple(node, ox.NamedNode(KB + "quote"), ox.Literal(quote)) for quote in quotes]
    return node, tuple(own)
