"""Catalogue, facts, provenance, rejections and report as quads.

Pure functions: no clock, no counter, no blank nodes. Records are named by a digest of what they say, so the same input
in any order gives the same set of quads; every list comes sorted and without repetition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pyoxigraph as ox

from kb.graph.candidates import Candidate, Rejected
from kb.graph.terms import content_name, entity_triples, text_literal
from kb.graph.validation import Result, result_order
from kb.iris import Iris
from kb.model import Entity, Statement
from kb.namespaces import DCTERMS, KB, PROV, RDF, RDFS, SH, XSD
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = [
    "Edge",
    "ReadingInfo",
    "catalogue_quads",
    "fact_quads",
    "page_fact_quads",
    "page_quads",
    "rejection_iri",
    "rejection_quads",
    "rejections_rows",
    "report_quads",
    "results_table",
    "schema_graph_quads",
    "schema_quads",
    "source_quads",
    "statement_iri",
    "statement_quads",
]

Edge = tuple[str, str, str]
"""(subject id, relation name, object id)"""

_TYPE = ox.NamedNode(RDF + "type")
_TRUE = ox.Literal(True)
_FALSE = ox.Literal(False)


@dataclass(frozen=True, slots=True)
class ReadingInfo:
    """A way in which statements were read: what `kb:Reading` describes. Digests are SHA-256 in hexadecimal."""

    reader: str
    model: str | None = None
    prompt_digest: str | None = None
    ontology_digest: str | None = None


# -- facts ----------------------------------------------------------------------


def catalogue_quads(
    catalogue: Catalogue, vocabulary: Vocabulary, iris: Iris, facts: Iterable[Edge] = ()
) -> list[ox.Quad]:
    """The catalogue's graph: every entity, and the accepted facts that catalogue files state."""
    graph = ox.NamedNode(iris.catalogue_graph)
    entities = [
        ox.Quad(triple.subject, triple.predicate, triple.object, graph)
        for entity in catalogue.entities.values()
        for triple in entity_triples(entity, vocabulary, iris)
    ]
    return _sorted([*entities, *fact_quads(iris.catalogue_graph, facts, vocabulary, iris)])


def fact_quads(graph_iri: str, facts: Iterable[Edge], vocabulary: Vocabulary, iris: Iris) -> list[ox.Quad]:
    """Facts in one named graph."""
    graph = ox.NamedNode(graph_iri)
    return _sorted(
        ox.Quad(
            ox.NamedNode(iris.entity(subject)),
            ox.NamedNode(vocabulary.relations[relation].iri),
            ox.NamedNode(iris.entity(object_)),
            graph,
        )
        for subject, relation, object_ in facts
    )


def page_fact_quads(page_id: str, facts: Iterable[Edge], vocabulary: Vocabulary, iris: Iris) -> list[ox.Quad]:
    """The facts that one page states, in the page's graph."""
    return fact_quads(iris.page_graph(page_id), facts, vocabulary, iris)


def schema_quads(
    concept: str, entities: Iterable[Entity], facts: Iterable[Edge], vocabulary: Vocabulary, iris: Iris
) -> list[ox.Quad]:
    """The graph of one schema note: the concept, its fields and its caveats, and the accepted facts about them."""
    graph = ox.NamedNode(iris.schema_graph(concept))
    said = [
        ox.Quad(triple.subject, triple.predicate, triple.object, graph)
        for entity in entities
        for triple in entity_triples(entity, vocabulary, iris)
    ]
    return _sorted([*said, *fact_quads(graph.value, facts, vocabulary, iris)])


# -- sources --------------------------------------------------------------------


def page_quads(page_id: str, title: str, digest: str, iris: Iris) -> list[ox.Quad]:
    """A page as a resource of the provenance graph."""
    return _source(iris.page(page_id), "Page", page_id, title, digest, iris)


def source_quads(path: str, digest: str, iris: Iris) -> list[ox.Quad]:
    """A file that is not a page, such as a catalogue, as a resource of the provenance graph."""
    return _source(iris.source(path), "Source", path, path, digest, iris)


def schema_graph_quads(concepts: Iterable[str], path: str, iris: Iris) -> list[ox.Quad]:
    """From which file the graphs of these concepts come: so all facts of a note have a source, and none a record."""
    quads = []
    for concept in concepts:
        record = _Record(iris.schema_graph(concept), iris.provenance_graph)
        record.iri(KB + "onPage", iris.source(path))
        quads += record.quads
    return _sorted(quads)


def _source(iri: str, kind: str, identifier: str, label: str, digest: str, iris: Iris) -> list[ox.Quad]:
    record = _Record(iri, iris.provenance_graph)
    record.iri(RDF + "type", KB + kind)
    record.text(RDFS + "label", label)
    record.text(DCTERMS + "identifier", identifier)
    record.text(KB + "digest", digest or None)
    return _sorted(record.quads)


# -- provenance -----------------------------------------------------------------


def statement_iri(said: Statement, iris: Iris) -> str:
    """The IRI of an accepted statement's record, a digest of (source, subject, relation, object, quote, start)."""
    return iris.statement(_statement_name(said, iris))


def rejection_iri(said: Statement, iris: Iris) -> str:
    """The IRI of a rejected statement's record, made as that of an accepted one is."""
    return iris.rejection(_statement_name(said, iris))


def statement_quads(
    accepted: Iterable[Candidate], reading: ReadingInfo, vocabulary: Vocabulary, iris: Iris
) -> list[ox.Quad]:
    """The provenance of accepted statements, and the reading that they come from."""
    quads = _reading_quads(reading, iris, iris.provenance_graph)
    for one in accepted:
        record = _Record(statement_iri(one.statement, iris), iris.provenance_graph)
        record.iri(RDF + "type", KB + "Statement")
        record.iri(RDF + "subject", iris.entity(one.subject))
        record.iri(RDF + "predicate", vocabulary.relations[one.relation].iri)
        record.iri(RDF + "object", iris.entity(one.object))
        _add_statement(record, one.statement, reading, iris)
        quads += record.quads
    return _sorted(quads)


def rejection_quads(rejected: Iterable[Rejected], reading: ReadingInfo, iris: Iris) -> list[ox.Quad]:
    """Rejected statements with reason and validation result, in the rejections graph."""
    quads = []
    for one in rejected:
        record = _Record(rejection_iri(one.statement, iris), iris.rejections_graph)
        record.iri(RDF + "type", KB + "Rejection")
        record.text(KB + "reason", one.reason)
        record.text(KB + "reasonCode", one.code)
        _add_statement(record, one.statement, reading, iris)
        if one.result is not None:
            result, result_quads = _result_quads(one.result, iris, iris.rejections_graph, on_pages=False)
            record.iri(KB + "result", result)
            quads += result_quads
        quads += record.quads
    if quads:
        quads += _reading_quads(reading, iris, iris.rejections_graph)
    return _sorted(quads)


def _statement_name(said: Statement, iris: Iris) -> str:
    quote, start = (said.evidence.quote, said.evidence.start) if said.evidence else (None, None)
    return content_name(_source_iri(said, iris), said.subject, said.relation, said.object, quote, start)


def _source_iri(said: Statement, iris: Iris) -> str:
    return iris.page(said.source) if said.from_page else iris.source(said.source)


def _add_statement(record: _Record, said: Statement, reading: ReadingInfo, iris: Iris) -> None:
    record.text(KB + "subjectName", said.subject)
    record.text(KB + "relationName", said.relation)
    record.text(KB + "objectName", said.object)
    record.iri(KB + "onPage", _source_iri(said, iris))
    if said.evidence is not None:
        record.text(KB + "quote", said.evidence.quote)
        if said.evidence.start >= 0:
            record.integer(KB + "start", said.evidence.start)
            record.integer(KB + "end", said.evidence.end)
    record.iri(PROV + "wasGeneratedBy", _reading_iri(reading, iris))


def _reading_iri(reading: ReadingInfo, iris: Iris) -> str:
    return iris.reading(content_name(*asdict(reading).values()))


def _reading_quads(reading: ReadingInfo, iris: Iris, graph: str) -> list[ox.Quad]:
    record = _Record(_reading_iri(reading, iris), graph)
    record.iri(RDF + "type", KB + "Reading")
    record.text(KB + "reader", reading.reader)
    record.text(KB + "model", reading.model)
    record.text(KB + "promptDigest", reading.prompt_digest)
    record.text(KB + "ontologyDigest", reading.ontology_digest)
    return record.quads


# -- report ---------------------------------------------------------------------


def report_quads(results: Iterable[Result], iris: Iris) -> list[ox.Quad]:
    """The report graph: a `sh:ValidationReport` with the results that hold for what was accepted.

    Results that led to rejections are left out; they stand beside those. `kb:onPage` names every page and file whose
    statements a result is about.
    """
    report = _Record(iris.report_graph, iris.report_graph)
    report.iri(RDF + "type", SH + "ValidationReport")
    quads = []
    for result in results:
        if result.rejects:
            continue
        node, result_quads = _result_quads(result, iris, iris.report_graph, on_pages=True)
        report.iri(SH + "result", node)
        quads += result_quads
    report.add(SH + "conforms", _FALSE if quads else _TRUE)
    return _sorted([*quads, *report.quads])


def results_table(results: Iterable[Result]) -> list[tuple[str, str, str]]:
    """(severity, pages and files, text) of the results that hold for what was accepted, most severe first."""
    shown = [one for one in results if not one.rejects]
    return [(one.severity, ", ".join(one.sources), one.text) for one in sorted(set(shown), key=result_order)]


def rejections_rows(rejected: Iterable[Rejected]) -> list[tuple[str, str, str]]:
    """(page or file, statement as it was read, reason), sorted."""
    said = [(one.statement, one.reason) for one in rejected]
    return sorted({(s.source, f"{s.subject} {s.relation} {s.object}", reason) for s, reason in said})


def _result_quads(result: Result, iris: Iris, graph: str, *, on_pages: bool) -> tuple[str, list[ox.Quad]]:
    iri = iris.result(content_name(*asdict(result).values()))
    record = _Record(iri, graph)
    record.iri(RDF + "type", SH + "ValidationResult")
    record.iri(SH + "focusNode", result.focus_iri or iris.entity(result.focus))
    record.iri(SH + "resultPath", result.path)
    if result.value is not None and result.value_datatype is not None:
        record.add(SH + "value", ox.Literal(result.value, datatype=ox.NamedNode(result.value_datatype)))
    elif result.value is not None:
        record.iri(SH + "value", result.value_iri or iris.entity(result.value))
    record.iri(SH + "sourceConstraintComponent", result.component)
    record.iri(SH + "sourceShape", result.shape)
    record.iri(SH + "resultSeverity", SH + result.severity if "/" not in result.severity else result.severity)
    record.text(SH + "resultMessage", result.text)
    if on_pages:
        for source in result.sources:
            record.iri(KB + "onPage", iris.source(source) if source in result.files else iris.page(source))
    return iri, record.quads


class _Record:
    """Quads about one resource in one graph. A value of None is left out."""

    def __init__(self, iri: str, graph: str) -> None:
        self._node, self._graph = ox.NamedNode(iri), ox.NamedNode(graph)
        self.quads: list[ox.Quad] = []

    def add(self, predicate: str, value: ox.NamedNode | ox.Literal) -> None:
        self.quads.append(ox.Quad(self._node, ox.NamedNode(predicate), value, self._graph))

    def iri(self, predicate: str, value: str | None) -> None:
        if value is not None:
            self.add(predicate, ox.NamedNode(value))

    def text(self, predicate: str, value: str | None) -> None:
        if value is not None:
            self.add(predicate, text_literal(value))

    def integer(self, predicate: str, value: int) -> None:
        self.add(predicate, ox.Literal(str(value), datatype=ox.NamedNode(XSD + "integer")))


def _sorted(quads: Iterable[ox.Quad]) -> list[ox.Quad]:
    return sorted(set(quads), key=str)
