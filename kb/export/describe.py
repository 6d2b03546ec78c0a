"""What the data set is and how much is in it, for catalogues of data sets.

VoID (https://www.w3.org/TR/void/) counts, DCAT 3 (https://www.w3.org/TR/vocab-dcat-3/) describes, and the service
description vocabulary (https://www.w3.org/TR/sparql11-service-description/) lists the named graphs. Title, licence and
the like come from `[dataset]` in kb.toml, the date from the generation. Every node has an IRI.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pyoxigraph as ox

from kb.graph.export import serialise
from kb.graph.prefixes import base_prefixes, vocabulary_prefixes
from kb.graph.selection import graph_iris
from kb.iris import Iris
from kb.names import namespace
from kb.namespaces import DCAT, DCTERMS, FOAF, OWL, PREFIXES, RDF, SD, VOID, XSD
from kb.vocabulary import Vocabulary

__all__ = ["dataset_quads", "describe"]

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


def describe(
    store: ox.Store,
    vocabulary: Vocabulary,
    iris: Iris,
    syntax: str,
    *,
    generation: str = "",
    created: str = "",
    about: Mapping[str, str] | None = None,
) -> bytes:
    """The description in the format named `syntax`. Arguments as of `dataset_quads`; raises ExportError."""
    triples = dataset_quads(store, vocabulary, iris, generation=generation, created=created, about=about)
    prefixes = {**PREFIXES, **base_prefixes(iris), **vocabulary_prefixes(vocabulary)}
    return serialise(triples, syntax, prefixes)


def dataset_quads(
    store: ox.Store,
    vocabulary: Vocabulary,
    iris: Iris,
    *,
    generation: str = "",
    created: str = "",
    about: Mapping[str, str] | None = None,
) -> list[ox.Triple]:
    """The description of the data set `<base>dataset` as triples.

    The counts are those of the default graph: each fact once. `about` has `title`, `description`, `licence` and
    `publisher`, of which a licence and a publisher are IRIs, or else words. `created` is an ISO 8601 time.
    """
    said = _Description(iris.base + "dataset")
    said.link(RDF + "type", VOID + "Dataset", DCAT + "Dataset", SD + "Dataset")
    _describe_words(said, about or {})
    if created:
        said.text(DCTERMS + "modified", created, XSD + "dateTime")
    if generation:
        said.text(DCAT + "version", generation)
    for triple in vocabulary.ontology:
        if triple.predicate.value == RDF + "type" and triple.object == ox.NamedNode(OWL + "Ontology"):
            said.standard(triple.subject.value if isinstance(triple.subject, ox.NamedNode) else "")
    said.text(VOID + "uriSpace", iris.base + "entity/")
    _describe_content(said, store, iris)
    return said.triples


class _Description:
    def __init__(self, iri: str) -> None:
        self.node, self.iri = ox.NamedNode(iri), iri
        self.triples: list[ox.Triple] = []

    def link(self, predicate: str, *values: str) -> None:
        self.triples += [ox.Triple(self.node, ox.NamedNode(predicate), ox.NamedNode(one)) for one in values if one]

    def text(self, predicate: str, value: str, datatype: str = XSD + "string") -> None:
        literal = ox.Literal(value, datatype=ox.NamedNode(datatype))
        self.triples.append(ox.Triple(self.node, ox.NamedNode(predicate), literal))

    def count(self, predicate: str, number: int) -> None:
        self.text(predicate, str(number), XSD + "integer")

    def standard(self, iri: str) -> None:
        """What the data follow, called a standard, as DCAT-AP demands it."""
        if iri:
            self.link(DCTERMS + "conformsTo", iri)
            self.triples.append(
                ox.Triple(ox.NamedNode(iri), ox.NamedNode(RDF + "type"), ox.NamedNode(DCTERMS + "Standard"))
            )

    def part(self, predicate: str, name: str) -> _Description:
        """A node that this one links to, named below it."""
        other = _Description(f"{self.iri}/{name}")
        other.triples = self.triples
        self.link(predicate, other.iri)
        return other


def _describe_words(said: _Description, about: Mapping[str, str]) -> None:
    for key in ("title", "description"):
        if about.get(key):
            said.text(DCTERMS + key, about[key])
    licence, publisher = about.get("licence", ""), about.get("publisher", "")
    if _ABSOLUTE.fullmatch(licence):
        said.link(DCTERMS + "license", licence)
    elif licence:
        # dcterms:license takes a document; words about rights stand in dcterms:rights.
        said.text(DCTERMS + "rights", licence)
    if _ABSOLUTE.fullmatch(publisher):
        said.link(DCTERMS + "publisher", publisher)
    elif publisher:
        agent = said.part(DCTERMS + "publisher", "publisher")
        agent.link(RDF + "type", FOAF + "Agent")
        agent.text(FOAF + "name", publisher)


def _describe_content(said: _Description, store: ox.Store, iris: Iris) -> None:
    subjects: set[object] = set()
    objects: set[object] = set()
    properties: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for quad in store.quads_for_pattern(None, None, None, ox.DefaultGraph()):
        subjects.add(quad.subject)
        objects.add(quad.object)
        properties[quad.predicate.value] += 1
        if quad.predicate.value == RDF + "type" and isinstance(quad.object, ox.NamedNode):
            classes[quad.object.value] += 1
    entity = iris.base + "entity/"
    entities = [one.value for one in subjects if isinstance(one, ox.NamedNode) and one.value.startswith(entity)]
    said.count(VOID + "triples", properties.total())
    said.count(VOID + "entities", len(entities))
    said.count(VOID + "classes", len(classes))
    said.count(VOID + "properties", len(properties))
    said.count(VOID + "distinctSubjects", len(subjects))
    said.count(VOID + "distinctObjects", len(objects))
    said.link(VOID + "exampleResource", min(entities, default=""))
    said.link(VOID + "vocabulary", *sorted({namespace(iri) for iri in (*properties, *classes)} - {""}))
    for kind, counted in (("class", classes), ("property", properties)):
        for number, (iri, count) in enumerate(sorted(counted.items()), 1):
            part = said.part(f"{VOID}{kind}Partition", f"{kind}/{number}")
            part.link(RDF + "type", VOID + "Dataset")
            part.link(VOID + kind, iri)
            part.count(VOID + ("entities" if kind == "class" else "triples"), count)
    default = said.part(SD + "defaultGraph", "graph/default")
    default.link(RDF + "type", SD + "Graph")
    default.count(VOID + "triples", properties.total())
    for number, iri in enumerate(sorted(graph_iris(store, iris).values()), 1):
        named = said.part(SD + "namedGraph", f"graph/{number}")
        named.link(RDF + "type", SD + "NamedGraph")
        named.link(SD + "name", iri)
        graph = named.part(SD + "graph", "content")
        graph.link(RDF + "type", SD + "Graph")
        graph.count(VOID + "triples", sum(1 for _ in store.quads_for_pattern(None, None, None, ox.NamedNode(iri))))
