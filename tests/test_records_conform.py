"""What a build writes about its own statements and rejections keeps to the core ontology and its shapes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph as ox
import pyshacl
import pytest
from rdflib import Graph

import kb
from kb.namespaces import KB, RDFS

ROOT = Path(__file__).resolve().parent.parent
MUSEUM = Path(__file__).parent / "domains" / "museum"
BAD = [
    {"page": None, "subject": "Room 1", "relation": "created_by", "object": "Josef Lang"},
    {
        "page": "works/low-tide",
        "subject": "Low Tide",
        "relation": "located_in",
        "object": "Larder",
        "quote": "Low Tide",
    },
    {"page": "works/low-tide", "subject": "Low Tide", "relation": "loathed_by", "object": "Conti", "quote": "Low Tide"},
    {
        "page": "works/low-tide",
        "subject": "Low Tide",
        "relation": "created_by",
        "object": "Conti",
        "quote": "not there",
    },
]


@pytest.fixture(scope="module")
def quads(tmp_path_factory: pytest.TempPathFactory) -> list[ox.Quad]:
    folder = tmp_path_factory.mktemp("museum") / "museum"
    shutil.copytree(MUSEUM, folder)
    gold = (folder / "gold" / "triples.jsonl").read_text(encoding="utf-8")
    given = folder / "statements.jsonl"
    given.write_text(gold + "".join(json.dumps(row) + "\n" for row in BAD), encoding="utf-8")
    kb.build(folder, statements=given)
    with kb.open(folder) as opened:
        return list(opened.store)


def graph(quads: list[ox.Quad], *kinds: str) -> Graph:
    chosen = [q.triple for q in quads if isinstance(q.graph_name, ox.NamedNode) and q.graph_name.value.endswith(kinds)]
    return Graph().parse(data=ox.serialize(chosen, format=ox.RdfFormat.N_TRIPLES), format="nt")


def test_every_way_of_being_rejected_is_in_the_graph(quads: list[ox.Quad]) -> None:
    codes = sorted(q.object.value for q in quads if q.predicate.value == KB + "reasonCode")
    assert codes == ["evidence", "shape", "unknown_entity", "unknown_relation"]


@pytest.mark.parametrize("kind", ["graph/provenance", "graph/rejections"])
def test_records_conform_to_the_core_shapes(quads: list[ox.Quad], kind: str) -> None:
    records = graph(quads, kind)
    conforms, _, text = pyshacl.validate(
        records,
        shacl_graph=Graph().parse(ROOT / "shapes" / "core.ttl"),
        ont_graph=Graph().parse(ROOT / "ontology" / "core.ttl"),
        inference="none",
    )
    assert len(records) > 20
    assert conforms, text


def test_records_use_no_term_that_the_core_ontology_lacks(quads: list[ox.Quad]) -> None:
    core = ox.parse(path=str(ROOT / "ontology" / "core.ttl"), format=ox.RdfFormat.TURTLE)
    declared = {q.subject.value for q in core if q.predicate.value == RDFS + "isDefinedBy"}
    used = {
        term.value
        for quad in quads
        for term in (quad.predicate, quad.object)
        if isinstance(term, ox.NamedNode) and term.value.startswith(KB)
    }
    assert used - declared == set()
    assert len(used) > 12


def test_nothing_in_the_graph_would_differ_at_the_next_build(quads: list[ox.Quad]) -> None:
    ends = [end for quad in quads for end in (quad.subject, quad.object)]
    assert not any(isinstance(end, ox.BlankNode) for end in ends)
    assert not any(isinstance(end, ox.Literal) and "date" in end.datatype.value.lower() for end in ends)


def test_facts_are_in_the_default_graph_once_and_nothing_else_is(quads: list[ox.Quad]) -> None:
    base = "https://kb.harbourmuseum.example/graph/"
    asserted = {
        quad.triple
        for quad in quads
        if isinstance(quad.graph_name, ox.NamedNode)
        and quad.graph_name.value.startswith((base + "page/", base + "catalogue", base + "statements"))
    }
    default = [quad.triple for quad in quads if isinstance(quad.graph_name, ox.DefaultGraph)]
    assert len(default) == len(set(default))
    assert set(default) == asserted
