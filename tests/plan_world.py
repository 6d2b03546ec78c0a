"""The worlds of `plan_oracle` as vocabulary, catalogue and stores that plans can run on."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pyoxigraph as ox
from plan_oracle import World

from kb.iris import Iris
from kb.model import Entity
from kb.namespaces import DCTERMS, KB, RDF, RDFS, XSD
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://world.example/")
TERMS = "https://terms.example/t#"

ONTOLOGY = """
@prefix : <https://terms.example/t#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://terms.example/t> a owl:Ontology .
:Thing a owl:Class ; rdfs:label "thing" .
:Tool a owl:Class ; rdfs:label "tool" ; rdfs:subClassOf :Thing .
:Saw a owl:Class ; rdfs:label "saw" ; rdfs:subClassOf :Tool .
:Place a owl:Class ; rdfs:label "place" .
:linksTo a owl:ObjectProperty ; rdfs:label "links to" .
:linkedFrom a owl:ObjectProperty ; rdfs:label "linked from" ; owl:inverseOf :linksTo .
:madeOf a owl:ObjectProperty ; rdfs:label "made of" .
:partIn a owl:ObjectProperty ; rdfs:label "part in" ; owl:inverseOf :madeOf .
:near a owl:SymmetricProperty ; rdfs:label "near" .
:sharp a owl:DatatypeProperty ; rdfs:label "sharp" ; schema:domainIncludes :Thing ; schema:rangeIncludes xsd:boolean .
:weight a owl:DatatypeProperty ; rdfs:label "weight" ; schema:rangeIncludes xsd:integer .
:colour a owl:DatatypeProperty ; rdfs:label "colour" ; schema:rangeIncludes xsd:string .
"""

SHAPES = """
@prefix : <https://terms.example/t#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
:LinksShape a sh:NodeShape ; sh:targetSubjectsOf :linksTo ; sh:nodeKind sh:IRI .
:MadeShape a sh:NodeShape ; sh:targetSubjectsOf :madeOf ; sh:nodeKind sh:IRI .
:NearShape a sh:NodeShape ; sh:targetSubjectsOf :near ; sh:nodeKind sh:IRI .
"""

_IRI = {
    "links_to": "linksTo", "made_of": "madeOf", "near": "near",
    "thing": "Thing", "tool": "Tool", "saw": "Saw", "place": "Place",
}  # fmt: skip


def load(ontology: str, shapes: str) -> Vocabulary:
    """A vocabulary from Turtle texts."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "ontology.ttl"), Path(folder, "shapes.ttl")]
        for file, text in zip(files, (ontology, shapes), strict=True):
            file.write_text(text, encoding="utf-8")
        return load_vocabulary(files[:1], files[1:])


@cache
def vocabulary() -> Vocabulary:
    return load(ONTOLOGY, SHAPES)


def entities(world: World) -> dict[str, Entity]:
    return {name: Entity(name, kind, name.upper()) for name, kind in world.types.items()}


def triples(world: World) -> list[ox.Triple]:
    """Types, values and edges of a world."""
    rows: list[ox.Triple] = []
    for name, kind in world.types.items():
        node = ox.NamedNode(IRIS.entity(name))
        rows.append(ox.Triple(node, ox.NamedNode(RDF + "type"), ox.NamedNode(TERMS + _IRI[kind])))
        rows.append(ox.Triple(node, ox.NamedNode(RDFS + "label"), ox.Literal(name.upper())))
        rows.append(ox.Triple(node, ox.NamedNode(DCTERMS + "identifier"), ox.Literal(name)))
        for key, value in world.values.get(name, {}).items():
            literal = ox.Literal(value, language="en") if key == "colour" and name == "n0" else ox.Literal(value)
            rows.append(ox.Triple(node, ox.NamedNode(TERMS + key), literal))
    for s, r, o in sorted(world.edges):
        ends = ox.NamedNode(IRIS.entity(s)), ox.NamedNode(IRIS.entity(o))
        rows.append(ox.Triple(ends[0], ox.NamedNode(TERMS + _IRI[r]), ends[1]))
    return rows


def store(world: World, pages: dict[tuple[str, str, str], list[tuple[str, str | None]]] | None = None) -> ox.Store:
    """A store with a world in its default graph, and provenance for edges: pages are (id, quote), or a file's path
    with no quote where the id ends in `.yaml`."""
    found = ox.Store()
    found.extend(ox.Quad(*triple) for triple in triples(world))
    graph = ox.NamedNode(IRIS.provenance_graph)
    number = 0
    for (s, r, o), sources in sorted((pages or {}).items()):
        for page, quote in sources:
            number += 1
            record = ox.NamedNode(IRIS.statement(str(number)))
            is_file = page.endswith(".yaml")
            where = ox.NamedNode(IRIS.source(page) if is_file else IRIS.page(page))
            rows = {
                RDF + "type": ox.NamedNode(KB + "Statement"),
                RDF + "subject": ox.NamedNode(IRIS.entity(s)),
                RDF + "predicate": ox.NamedNode(TERMS + _IRI[r]),
                RDF + "object": ox.NamedNode(IRIS.entity(o)),
                KB + "onPage": where,
            }
            if quote is not None:
                rows[KB + "quote"] = ox.Literal(quote)
                rows[KB + "start"] = ox.Literal(str(number), datatype=ox.NamedNode(XSD + "integer"))
            found.extend(ox.Quad(record, ox.NamedNode(p), value, graph) for p, value in rows.items())
            found.add(ox.Quad(where, ox.NamedNode(DCTERMS + "identifier"), ox.Literal(page), graph))
    return found
