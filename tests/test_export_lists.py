"""Lists of nodes and edges hold every thing and relation of the graph, in bytes that depend on nothing else."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import ExportError, UnknownNameError
from kb.export.lists import edges_csv, graphml, nodes_csv
from kb.export.mermaid import write_mermaid
from kb.export.network import around, network
from kb.export.picture import picture
from kb.export.svg import write_svg
from kb.graph.export import export
from kb.iris import Iris
from kb.namespaces import RDF, RDFS
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://kb.example/")
MUSEUM = Path(__file__).parent / "domains" / "museum"
VOCABULARY = load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])
RELATIONS = sorted(VOCABULARY.relations)
N = ox.NamedNode
_GML = "{http://graphml.graphdrawing.org/xmlns}"

_NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
_IDS = st.sampled_from(["a", "b", "c/d", "e f", "ä", "<x>", '"', "=1+1", "n,;|"])
_EDGES = st.lists(st.tuples(_IDS, st.sampled_from(RELATIONS), _IDS), max_size=12)
_LABELS = st.dictionaries(_IDS, _NAMES, max_size=6)


def world(edges: list[tuple[str, str, str]], labels: dict[str, str]) -> list[ox.Quad]:
    type_ = N(next(iter(VOCABULARY.classes.values())).iri)
    quads = [ox.Quad(N(IRIS.entity(s)), N(VOCABULARY.relations[r].iri), N(IRIS.entity(o))) for s, r, o in edges]
    for one, label in labels.items():
        quads.append(ox.Quad(N(IRIS.entity(one)), N(RDFS + "label"), ox.Literal(label)))
        quads.append(ox.Quad(N(IRIS.entity(one)), N(RDF + "type"), type_))
    quads += [ox.Quad(*quad.triple, N(IRIS.page_graph("p"))) for quad in quads[:3]]
    return quads


def stored(quads: list[ox.Quad]) -> ox.Store:
    store = ox.Store()
    for quad in quads:
        store.add(quad)
    return store


@given(edges=_EDGES, labels=_LABELS, seed=st.integers(0, 50))
@settings(max_examples=60)
def test_the_same_graph_gives_the_same_bytes_in_every_format(
    edges: list[tuple[str, str, str]], labels: dict[str, str], seed: int
) -> None:
    quads = world(edges, labels)
    shuffled = [*quads, *quads]
    random.Random(seed).shuffle(shuffled)
    results = []
    for one in (quads, shuffled):
        found = network(stored(one), VOCABULARY, IRIS)
        outputs = [nodes_csv(found), edges_csv(found, VOCABULARY), graphml(found, VOCABULARY)]
        if found.nodes:
            drawn = picture(found, VOCABULARY)
            outputs += [write_svg(drawn), write_mermaid(drawn)]
        outputs.append(export(stored(one), "trig", IRIS, VOCABULARY))
        results.append(outputs)
    assert results[0] == results[1]


@given(edges=_EDGES, labels=_LABELS)
@settings(max_examples=60)
def test_csv_and_graphml_read_back_to_the_same_edges_and_labels(
    edges: list[tuple[str, str, str]], labels: dict[str, str]
) -> None:
    found = network(stored(world(edges, labels)), VOCABULARY, IRIS)
    rows = list(csv.DictReader(io.StringIO(edges_csv(found, VOCABULARY).decode(), newline="")))
    assert {(row["source"], row["relation"], row["target"]) for row in rows} == set(edges)
    nodes = {row["id"]: row["label"] for row in csv.DictReader(io.StringIO(nodes_csv(found).decode(), newline=""))}
    assert {one: nodes[one] for one in labels} == labels
    assert nodes.keys() == {*labels, *(end for s, _, o in edges for end in (s, o))}
    root = ET.fromstring(graphml(found, VOCABULARY))
    assert {one.get("id") for one in root.iter(f"{_GML}node")} == nodes.keys()
    assert sorted((one.get("source") or "", one.get("target") or "") for one in root.iter(f"{_GML}edge")) == sorted(
        (s, o) for s, _, o in set(edges)
    )


def test_edges_name_the_pages_that_state_them(tmp_path: Path) -> None:
    fact = ox.Triple(N(IRIS.entity("a")), N(VOCABULARY.relations[RELATIONS[0]].iri), N(IRIS.entity("b")))
    graphs = [ox.DefaultGraph(), N(IRIS.page_graph("x y/z")), N(IRIS.page_graph("b")), N(IRIS.schema_graph("c d"))]
    found = network(stored([ox.Quad(*fact, graph) for graph in graphs]), VOCABULARY, IRIS)
    assert found.edges[0].sources == ("b", "schema:c d", "x y/z")
    assert "b | schema:c d | x y/z" in edges_csv(found, VOCABULARY).decode()


def chain(vocabulary: Vocabulary = VOCABULARY) -> ox.Store:
    return stored(world([("a", RELATIONS[0], "b"), ("b", RELATIONS[0], "c"), ("d", RELATIONS[1], "b")], {}))


@pytest.mark.parametrize(
    ("depth", "direction", "expected"),
    [
        (0, "both", "a"),
        (1, "both", "a b"),
        (2, "both", "a b c"),
        (2, "in", "a"),
    ],
)
def test_a_focus_reaches_as_far_as_its_depth_along_or_against_the_relations(
    depth: int, direction: str, expected: str
) -> None:
    found = around(network(chain(), VOCABULARY, IRIS), ["a"], depth, direction=direction)
    assert " ".join(found.nodes) == expected


def test_only_chosen_relations_are_taken_and_an_inverse_stands_for_its_relation() -> None:
    relation = next(r for r in VOCABULARY.relations.values() if r.inverse is not None)
    assert relation.inverse is not None
    store = stored(world([("a", relation.name, "b"), ("b", next(n for n in RELATIONS if n != relation.name), "c")], {}))
    for name in (relation.name, relation.inverse.name):
        assert [edge.relation for edge in network(store, VOCABULARY, IRIS, relations=[name]).edges] == [relation.name]
    with pytest.raises(UnknownNameError, match=r"no relation 'eats'; there are: "):
        network(store, VOCABULARY, IRIS, relations=["eats"])
    with pytest.raises(UnknownNameError, match="no thing in the graph has the id 'z'"):
        around(network(store, VOCABULARY, IRIS), ["z"], 1)


def test_graphml_types_attributes_and_refuses_what_xml_forbids() -> None:
    store = stored(world([], {"a": "x\x0by"}))
    with pytest.raises(ExportError, match=r"GraphML cannot hold the character U\+000B, which stands after 'x'"):
        graphml(network(store, VOCABULARY, IRIS), VOCABULARY)
    flag = next(one for one in VOCABULARY.attributes.values() if one.boolean)
    store = stored([*world([], {"a": "A"}), ox.Quad(N(IRIS.entity("a")), N(flag.iri), ox.Literal(True))])
    text = graphml(network(store, VOCABULARY, IRIS), VOCABULARY).decode()
    assert f'attr.name="{flag.name}" attr.type="boolean"' in text
