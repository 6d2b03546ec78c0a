"""Schema notes as the graph holds them: the way back from named graphs to things and statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyoxigraph as ox

from kb.graph.candidates import Candidate
from kb.iris import Iris
from kb.model import Entity, Statement
from kb.namespaces import DCTERMS, KB, RDF, RDFS, XSD
from kb.vocabulary import Vocabulary

__all__ = ["SchemaGraph", "schema_graphs"]

_TYPE, _LABEL = RDF + "type", RDFS + "label"
_WHOLE = {XSD + "integer", XSD + "int", XSD + "long"}


@dataclass(frozen=True, slots=True)
class SchemaGraph:
    """One concept's graph: its nodes, and the facts about them with the `file` that the note stands in."""

    file: str
    entities: tuple[Entity, ...]
    facts: tuple[Candidate, ...]


def schema_graphs(store: ox.Store, vocabulary: Vocabulary, iris: Iris) -> Iterator[SchemaGraph]:
    """The graphs of all concepts, in order of their IRIs."""
    provenance, on_page = ox.NamedNode(iris.provenance_graph), ox.NamedNode(KB + "onPage")
    names = {graph.value: graph for graph in store.named_graphs() if isinstance(graph, ox.NamedNode)}
    prefix = iris.schema_graph("")
    for _, graph in sorted(item for item in names.items() if item[0].startswith(prefix)):
        files = [quad.object for quad in store.quads_for_pattern(graph, on_page, None, provenance)]
        file = _identifier(store, files[0], provenance) if files else ""
        triples = [quad.triple for quad in store.quads_for_pattern(None, None, None, graph)]
        yield _read(triples, file, vocabulary, iris)


def _identifier(store: ox.Store, node: object, graph: ox.NamedNode) -> str:
    if not isinstance(node, ox.NamedNode):
        return ""
    found = store.quads_for_pattern(node, ox.NamedNode(DCTERMS + "identifier"), None, graph)
    return next((quad.object.value for quad in found if isinstance(quad.object, ox.Literal)), "")


def _read(triples: list[ox.Triple], file: str, vocabulary: Vocabulary, iris: Iris) -> SchemaGraph:
    types: dict[str, str] = {}
    labels: dict[str, str] = {}
    values: dict[str, dict[str, bool | int | float | str]] = {}
    facts = []
    for triple in triples:
        node = iris.entity_id(triple.subject.value) if isinstance(triple.subject, ox.NamedNode) else None
        if node is None:
            continue
        predicate, value = triple.predicate.value, triple.object
        name = vocabulary.name_of(predicate)
        if predicate == _TYPE and isinstance(value, ox.NamedNode):
            types[node] = vocabulary.name_of(value.value) or ""
        elif predicate == _LABEL and isinstance(value, ox.Literal):
            labels[node] = value.value
        elif name in vocabulary.attributes and isinstance(value, ox.Literal):
            values.setdefault(node, {})[name] = _plain(value)
        elif name in vocabulary.relations and isinstance(value, ox.NamedNode):
            other = iris.entity_id(value.value) or value.value
            facts.append(Candidate(Statement(node, name, other, file, None, False), node, name, other))
    entities = [
        Entity(node, name, labels.get(node, node), attributes=values.get(node, {}), source=file)
        for node, name in sorted(types.items())
        if name in vocabulary.classes
    ]
    facts.sort(key=lambda one: (one.subject, one.relation, one.object))
    return SchemaGraph(file, tuple(entities), tuple(facts))


def _plain(value: ox.Literal) -> bool | int | float | str:
    datatype = value.datatype.value
    if datatype == XSD + "boolean":
        return value.value in ("true", "1")
    try:
        return int(value.value) if datatype in _WHOLE else value.value
    except ValueError:
        return value.value
