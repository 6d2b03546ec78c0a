"""What an export looks like, which graphs it takes, and what it says when a format cannot hold the graph."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyoxigraph as ox
import pytest

from kb.config import packaged
from kb.errors import ExportError
from kb.graph.export import FORMATS, export, format_of, graph_iris, serialise
from kb.graph.prefixes import query_prefixes, shortened, vocabulary_prefixes
from kb.iris import Iris
from kb.namespaces import KB, RDF, RDFS
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://kb.example/")
N = ox.NamedNode


def _vocabulary(tmp_path: Path, text: str) -> Vocabulary:
    path = tmp_path / "ontology.ttl"
    path.write_text(f"@prefix owl: <http://www.w3.org/2002/07/owl#> .\n{text}", encoding="utf-8")
    return load_vocabulary([path], [])


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


@pytest.fixture
def store() -> ox.Store:
    store = ox.Store()
    page = IRIS.page_graph("team/x")
    for graph in (None, page):
        where = [] if graph is None else [N(graph)]
        for name in ("checkout", "component:default/ledger"):
            entity = N(IRIS.entity(name))
            store.add(ox.Quad(entity, N(RDF + "type"), N(KB + "Service"), *where))
            store.add(ox.Quad(entity, N(RDFS + "label"), ox.Literal(name.title()), *where))
            store.add(ox.Quad(entity, N(KB + "public"), ox.Literal(name == "checkout"), *where))
            store.add(ox.Quad(entity, N(KB + "dependsOn"), N(IRIS.entity("auth")), *where))
            store.add(ox.Quad(entity, N(KB + "dependsOn"), N(IRIS.entity("auth.db")), *where))
    record = N(IRIS.statement("00"))
    store.add(ox.Quad(record, N(RDF + "subject"), N(IRIS.entity("checkout")), N(IRIS.provenance_graph)))
    store.add(ox.Quad(record, N(KB + "quote"), ox.Literal("it\n calls"), N(IRIS.provenance_graph)))
    store.add(ox.Quad(record, N(KB + "reason"), ox.Literal("why"), N(IRIS.rejections_graph)))
    return store


TURTLE = """\
@prefix entity: <https://kb.example/entity/> .
@prefix kb: <https://w3id.org/wiki-kb/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

entity:checkout a kb:Service ;
    rdfs:label "Checkout" ;
    kb:dependsOn entity:auth , entity:auth.db ;
    kb:public true .

entity:component:default\\/ledger a kb:Service ;
    rdfs:label "Component:Default/Ledger" ;
    kb:dependsOn entity:auth , entity:auth.db ;
    kb:public false .
"""


def test_turtle_groups_by_thing_with_type_and_name_first(store: ox.Store, vocabulary: Vocabulary) -> None:
    assert export(store, "turtle", IRIS, vocabulary).decode() == TURTLE


def test_trig_has_the_facts_first_and_then_each_named_graph(store: ox.Store, vocabulary: Vocabulary) -> None:
    text = export(store, "trig", IRIS, vocabulary).decode()
    blocks = [line for line in text.splitlines() if line.endswith("{")]
    assert blocks == ["graph:page\\/team\\/x {", "graph:provenance {", "graph:rejections {"]
    assert text.index("entity:checkout a kb:Service") < text.index(blocks[0])
    assert 'graph:rejections {\n    statement:00 kb:reason "why" .\n}\n' in text


def test_jsonld_uses_the_names_of_the_vocabulary(store: ox.Store, vocabulary: Vocabulary) -> None:
    data = json.loads(export(store, "jsonld", IRIS, vocabulary))
    assert data == {
        "@context": {
            "entity": "https://kb.example/entity/",
            "kb": KB,
            "rdfs": RDFS,
            "depends_on": {"@id": "kb:dependsOn", "@type": "@id"},
            "label": "rdfs:label",
            "public": "kb:public",
            "service": "kb:Service",
        },
        "@graph": [
            {
                "@id": "entity:checkout",
                "@type": "service",
                "label": "Checkout",
                "depends_on": ["entity:auth", "entity:auth.db"],
                "public": True,
            },
            {
                "@id": "entity:component:default/ledger",
                "@type": "service",
                "label": "Component:Default/Ledger",
                "depends_on": ["entity:auth", "entity:auth.db"],
                "public": False,
            },
        ],
    }


def test_rdfxml_names_the_type_as_the_element(store: ox.Store, vocabulary: Vocabulary) -> None:
    text = export(store, "rdfxml", IRIS, vocabulary).decode()
    assert '<kb:Service rdf:about="https://kb.example/entity/checkout">\n    <rdfs:label>Checkout</rdfs:label>' in text


def test_a_name_that_two_terms_share_goes_to_the_vocabularys_and_else_to_none() -> None:
    triples = [
        ox.Triple(N("urn:s"), N("urn:a/label"), ox.Literal("1")),
        ox.Triple(N("urn:s"), N("urn:b/label"), ox.Literal("2")),
    ]
    context = json.loads(serialise(triples, "jsonld", {}))["@context"]
    assert context == {}
    assert json.loads(serialise(triples, "jsonld", {}, preferred=["urn:b/label"]))["@context"] == {
        "label": "urn:b/label"
    }


def test_a_prefix_that_is_the_scheme_of_some_iri_is_not_declared_in_jsonld() -> None:
    triples = [ox.Triple(N("kb:thing"), N(KB + "quote"), ox.Literal("x"))]
    data = json.loads(serialise(triples, "jsonld", {"kb": KB}))
    assert data == {"@context": {"quote": KB + "quote"}, "@graph": [{"@id": "kb:thing", "quote": "x"}]}


# -- which graphs ------------------------------------------------------------------


def lines(data: bytes) -> list[str]:
    return [line for line in data.decode().splitlines() if line]


def test_formats_of_one_graph_hold_the_facts(store: ox.Store) -> None:
    assert len(lines(export(store, "ntriples", IRIS))) == 10


def test_nquads_are_the_whole_store(store: ox.Store) -> None:
    copy = ox.Store()
    copy.load(export(store, "nquads", IRIS), format=ox.RdfFormat.N_QUADS)
    assert set(copy) == set(store)


def test_facts_only_and_provenance_narrow_and_widen(store: ox.Store) -> None:
    facts = export(store, "nquads", IRIS, facts_only=True)
    assert facts == export(store, "ntriples", IRIS)
    assert len(lines(export(store, "ntriples", IRIS, provenance=True))) == 12


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (["facts"], 10),
        (["provenance"], 2),
        (["provenance", "rejections", "provenance"], 3),
        (["page:team/x"], 10),
        (["page/team/x"], 10),
        (["https://kb.example/graph/rejections"], 1),
        (["<https://kb.example/graph/rejections>"], 1),
    ],
)
def test_graphs_are_chosen_by_name_page_or_iri(store: ox.Store, names: list[str], count: int) -> None:
    assert len(lines(export(store, "nquads", IRIS, graphs=names))) == count
    assert len(lines(export(store, "ntriples", IRIS, graphs=names))) == count


def test_a_graph_that_is_not_there_is_refused_with_those_that_are(store: ox.Store) -> None:
    message = r"no graph 'page:teams'; there are facts, provenance, rejections, page:ID"
    with pytest.raises(ExportError, match=message):
        export(store, "turtle", IRIS, graphs=["page:teams"])
    assert list(graph_iris(store, IRIS)) == ["page/team/x", "provenance", "rejections"]


def test_an_empty_graph_is_an_empty_document_that_parses() -> None:
    for name, form in FORMATS.items():
        assert list(ox.parse(export(ox.Store(), name, IRIS), format=form.rdf)) == []


# -- what a format cannot hold --------------------------------------------------------


@pytest.mark.parametrize(
    ("triple", "says"),
    [
        (
            ox.Triple(N("urn:s"), N("urn:p:1"), ox.Literal("x")),
            "predicate <urn:p:1> of <urn:s>: its end is no XML name",
        ),
        (ox.Triple(N("urn:s"), N(RDF + "li"), ox.Literal("x")), "no XML name"),
        (ox.Triple(N("urn:s"), N("urn:p"), ox.Literal("a\x0bb")), r"character U\+000B in the <urn:p> of <urn:s>"),
        (ox.Triple(N("urn:s"), N("urn:p"), ox.Literal("\uffff")), r"character U\+FFFF"),
        (
            ox.Triple(N("urn:s"), N("urn:p"), ox.Literal("x", language="ar", direction=ox.BaseDirection.RTL)),
            "use turtle",
        ),
    ],
)
def test_rdfxml_says_what_it_cannot_write_and_what_to_use(triple: ox.Triple, says: str) -> None:
    with pytest.raises(ExportError, match=says):
        serialise([triple], "rdfxml")


@pytest.mark.parametrize("name", ["rdfxml", "jsonld"])
def test_triple_terms_are_refused_by_formats_without_them(name: str) -> None:
    inner = ox.Triple(N("urn:s"), N("urn:p"), ox.Literal("x"))
    with pytest.raises(ExportError, match="use turtle"):
        serialise([ox.Triple(N("urn:s"), N("urn:says"), inner)], name)
    assert "<<( " in serialise([ox.Triple(N("urn:s"), N("urn:says"), inner)], "turtle").decode()


def test_a_type_that_is_no_xml_name_is_written_as_a_property() -> None:
    data = serialise([ox.Triple(N("urn:s"), N(RDF + "type"), N("urn:1"))], "rdfxml")
    assert [str(quad.triple) for quad in ox.parse(data, format=ox.RdfFormat.RDF_XML)] == [
        f"<urn:s> <{RDF}type> <urn:1>"
    ]


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ExportError, match="unknown format 'ttl'; known: turtle, trig, ntriples, nquads, rdfxml, jsonld"
    ):
        serialise([], "ttl")


@pytest.mark.parametrize(("path", "name"), [("kb.ttl", "turtle"), ("a.b.NQ", "nquads"), ("x.json", "jsonld")])
def test_a_format_follows_from_the_suffix_of_a_file(path: str, name: str) -> None:
    found = format_of(Path(path))
    assert found is not None
    assert found.name == name


def test_a_suffix_that_says_nothing_gives_no_format() -> None:
    assert format_of(Path("kb.txt")) is None


# -- the same bytes ---------------------------------------------------------------------

_SCRIPT = """
import sys, pyoxigraph as ox
from kb.graph.export import FORMATS, serialise
N = ox.NamedNode
quads = {ox.Quad(N(f"urn:s{i % 7}"), N(f"urn:p/n{i % 5}"), ox.BlankNode(), N(f"urn:g{i % 3}")) for i in range(60)}
sys.stdout.buffer.write(b"".join(serialise(quads, name) for name in FORMATS))
"""


def test_neither_hash_seeds_nor_drawn_blank_labels_reach_the_bytes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop()


# -- prefixes -------------------------------------------------------------------------


def test_another_ontology_gets_prefixes_named_after_its_namespaces(tmp_path: Path) -> None:
    vocabulary = _vocabulary(
        tmp_path,
        "<https://museum.example/ontology#Artist> a owl:Class . <https://museum.example/ontology#Work> a owl:Class .\n"
        "<https://w3id.org/loans/ns/2#Loan> a owl:Class . <http://xmlns.com/foaf/0.1/Agent> a owl:Class .",
    )
    assert vocabulary_prefixes(vocabulary) == {
        "museum": "https://museum.example/ontology#",
        "loans": "https://w3id.org/loans/ns/2#",
    }
    prefixes = query_prefixes(IRIS, vocabulary)
    assert prefixes["entity"] == "https://kb.example/entity/"
    assert shortened("https://museum.example/ontology#Work", IRIS, prefixes) == "museum:Work"


def test_a_prefix_never_takes_the_name_of_a_usual_one(tmp_path: Path) -> None:
    vocabulary = _vocabulary(
        tmp_path, "<https://kb.example/skos#A> a owl:Class . <https://x.example/entity#B> a owl:Class ."
    )
    assert not set(vocabulary_prefixes(vocabulary)) & {"skos", "entity"}
