"""What is exported is read by tools of others, each to the same quads; and another validator finds the same faults."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox
import pytest

from kb.export.describe import describe
from kb.export.lists import edges_csv, graphml, nodes_csv
from kb.export.network import network
from kb.graph.export import FORMATS, export
from kb.knowledge_base import KnowledgeBase
from kb.namespaces import SH
from kb.validate.files import Rules, validate_files

pytestmark = pytest.mark.interop

N = ox.NamedNode
RAPPER = {"turtle": "turtle", "trig": "trig", "ntriples": "ntriples", "nquads": "nquads", "rdfxml": "rdfxml"}
N3JS = {
    "turtle": "text/turtle",
    "trig": "application/trig",
    "ntriples": "application/n-triples",
    "nquads": "application/n-quads",
}
RDFLIB = {
    "turtle": "turtle",
    "trig": "trig",
    "ntriples": "nt",
    "nquads": "nquads",
    "rdfxml": "xml",
    "jsonld": "json-ld",
}
WHAT = ("everything", "with provenance", "one entity", "description")


def exported(base: KnowledgeBase, name: str, what: str) -> bytes:
    if what == "description":
        return describe(base.store, base.vocabulary, base.iris, name, generation="g", created="2026-01-01T00:00:00Z")
    entities = [min(base.catalogue.entities)] if what == "one entity" and base.catalogue.entities else []
    provenance = what == "with provenance"
    return export(base.store, name, base.iris, base.vocabulary, entities=entities, provenance=provenance)


def quads(data: bytes) -> set[str]:
    return {str(quad) for quad in ox.parse(data, format=ox.RdfFormat.N_QUADS)}


def by_oxigraph(data: bytes, name: str) -> set[str]:
    found = {str(quad) for quad in ox.parse(data, format=FORMATS[name].rdf)}
    assert found
    return found


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("name", RAPPER)
def test_rapper_reads_the_same_quads(
    base: KnowledgeBase, rapper: Callable[..., bytes], tmp_path: Path, name: str, what: str
) -> None:
    data = exported(base, name, what)
    path = tmp_path / "data"
    path.write_bytes(data)
    assert quads(rapper("-q", "-i", RAPPER[name], "-o", "nquads", path)) == by_oxigraph(data, name)


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("name", N3JS)
def test_n3_reads_the_same_quads(
    base: KnowledgeBase, node: Callable[..., bytes], tmp_path: Path, name: str, what: str
) -> None:
    data = exported(base, name, what)
    path = tmp_path / "data"
    path.write_bytes(data)
    assert quads(node("quads.mjs", path, N3JS[name])) == by_oxigraph(data, name)


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("name", RDFLIB)
def test_rdflib_reads_the_same_quads(base: KnowledgeBase, name: str, what: str) -> None:
    import rdflib

    data = exported(base, name, what)
    graph = rdflib.Dataset() if FORMATS[name].graphs else rdflib.Graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its parsers use classes that it deprecates itself
        graph.parse(data=data, format=RDFLIB[name])
        text = graph.serialize(format="nquads" if FORMATS[name].graphs else "nt")
    text = text.replace(" <urn:x-rdflib:default> .", " .").replace('+00:00"^^', 'Z"^^')
    expected = {one.replace('+00:00"^^', 'Z"^^') for one in by_oxigraph(data, name)}
    assert quads(text.encode()) == expected


@pytest.mark.parametrize("what", WHAT)
def test_all_formats_of_one_graph_say_the_same(base: KnowledgeBase, what: str) -> None:
    found = [by_oxigraph(exported(base, name, what), name) for name, form in FORMATS.items() if not form.graphs]
    assert all(one == found[0] for one in found)


def test_networkx_reads_the_nodes_and_edges_that_csv_lists(base: KnowledgeBase, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is missing; `make test-interop` installs it")
    found = network(base.store, base.vocabulary, base.iris)
    path = tmp_path / "kb.graphml"
    path.write_bytes(graphml(found, base.vocabulary))
    graph = networkx.read_graphml(path, force_multigraph=True)
    nodes = {row["id"]: row for row in csv.DictReader(io.StringIO(nodes_csv(found).decode(), newline=""))}
    edges = list(csv.DictReader(io.StringIO(edges_csv(found, base.vocabulary).decode(), newline="")))
    assert graph.is_directed()
    assert {one: data["label"] for one, data in graph.nodes(data=True)} == {
        one: row["label"] for one, row in nodes.items()
    }
    assert sorted((s, data["relation"], o) for s, o, data in graph.edges(data=True)) == sorted(
        (row["source"], row["relation"], row["target"]) for row in edges
    )


# -- SHACL -------------------------------------------------------------------------------

_PARTS = ("focusNode", "resultPath", "value", "sourceConstraintComponent", "resultSeverity")


def results(report: bytes) -> list[tuple[str, ...]]:
    store = ox.Store()
    store.load(report, format=ox.RdfFormat.N_QUADS)
    found = []
    for quad in store.quads_for_pattern(None, N(SH + "result"), None, None):
        row = []
        for part in _PARTS:
            values = sorted(str(one.object) for one in store.quads_for_pattern(quad.object, N(SH + part), None, None))
            row.append(" ".join("_:path" if value.startswith("_:") else value for value in values))
        found.append(tuple(row))
    return sorted(found)


def facts(base: KnowledgeBase, faults: int) -> list[ox.Triple]:
    """The facts and the classes above their types, with so many of the facts turned round."""
    relations = {relation.iri for relation in base.vocabulary.relations.values()}
    triples = sorted((q.triple for q in base.store.quads_for_pattern(None, None, None, ox.DefaultGraph())), key=str)
    edges = [one for one in triples if one.predicate.value in relations]
    turned = {one: ox.Triple(one.object, one.predicate, one.subject) for one in edges[: 3 * faults : 3]}  # type: ignore[arg-type]
    assert len(turned) == faults
    return [turned.get(one, one) for one in triples] + list(base.vocabulary.ontology)


@pytest.mark.parametrize("faults", [0, 30])
def test_rdf_validate_shacl_reports_the_same_results(
    larkspur: KnowledgeBase, node: Callable[..., bytes], tmp_path: Path, faults: int
) -> None:
    data, shapes = tmp_path / "data.nt", tmp_path / "shapes.nt"
    data.write_bytes(ox.serialize(facts(larkspur, faults), format=ox.RdfFormat.N_TRIPLES) or b"")
    shapes.write_bytes(ox.serialize(larkspur.vocabulary.shapes, format=ox.RdfFormat.N_TRIPLES) or b"")
    theirs = results(node("shacl.mjs", data, shapes))
    report = validate_files([data], Rules.read([shapes]))
    mine = ox.serialize(
        [ox.Triple(N("urn:report"), N(SH + "result"), row.node) for row in report.rows]
        + [triple for row in report.rows for triple in row.triples],
        format=ox.RdfFormat.N_TRIPLES,
    )
    assert results(mine or b"") == theirs
    assert len(theirs) >= faults
