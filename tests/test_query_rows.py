"""Every query of the library gives the rows that it promises, on a small graph that is written out here."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
import pytest

from kb.config import packaged
from kb.graph.library import list_queries
from kb.graph.parameter_values import Terms
from kb.graph.prefixes import query_prefixes, shortened
from kb.graph.results import Term
from kb.graph.worker import QueryWorker
from kb.iris import Iris
from kb.model import Entity
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://kb.example/")
LIBRARY = list_queries([packaged("queries")])

GRAPH = """
@prefix : <https://w3id.org/wiki-kb/ontology#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix e: <https://kb.example/entity/> .
@prefix g: <https://kb.example/graph/> .
@prefix page: <https://kb.example/page/> .
@prefix r: <https://kb.example/result/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix s: <https://kb.example/statement/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix source: <https://kb.example/source/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .

# shop -> cart -> db, cart <-> stock, idle stands alone
e:shop a :Service ; rdfs:label "Shop" ; dcterms:identifier "shop" ; :public true ; :dependsOn e:cart ; :ownedBy e:web .
e:cart a :Service ; rdfs:label "Cart" ; dcterms:identifier "cart" ; :public false ; :dependsOn e:db , e:stock .
e:stock a :Service ; rdfs:label "Stock" ; dcterms:identifier "stock" ; :public true ; :dependsOn e:cart ;
  :ownedBy e:ops .
e:idle a :Service ; rdfs:label "Idle" ; dcterms:identifier "idle" ; :ownedBy e:web .
e:db a :Datastore ; rdfs:label "DB" ; dcterms:identifier "db" ; :ownedBy e:ops , e:web .
e:web a :Team ; rdfs:label "Web" ; dcterms:identifier "web" ; :ledBy e:ada .
e:ops a :Team ; rdfs:label "Ops" ; dcterms:identifier "ops" .
e:ada a :Person ; rdfs:label "Ada" ; dcterms:identifier "ada" .
e:bo a :Person ; rdfs:label "Bo" ; skos:altLabel "DB" ; dcterms:identifier "bo" .

g:provenance {
  page:cart a :Page ; dcterms:identifier "guides/cart" ; rdfs:label "The cart" .
  page:empty a :Page ; dcterms:identifier "empty" ; rdfs:label "Shop" .
  page:teams a :Page ; dcterms:identifier "teams" ; rdfs:label "Teams" .
  source:more a :Source ; dcterms:identifier "more" .
  s:1 a :Statement ; rdf:subject e:cart ; rdf:predicate :dependsOn ; rdf:object e:db ;
    :onPage page:cart ; :quote "Cart uses DB." ; :start 3 ; :end 16 ;
    prov:wasGeneratedBy <https://kb.example/reading/1> .
  <https://kb.example/reading/1> a :Reading ; :reader "phrases/1" .
  s:2 a :Statement ; rdf:subject e:shop ; rdf:predicate :dependsOn ; rdf:object e:cart ;
    :onPage page:cart ; :quote "Shop calls it." .
  s:3 a :Statement ; rdf:subject e:db ; rdf:predicate :ownedBy ; rdf:object e:ops ; :onPage page:teams .
  s:4 a :Statement ; rdf:subject e:db ; rdf:predicate :ownedBy ; rdf:object e:web ; :onPage source:more .
  s:5 a :Statement ; rdf:subject e:cart ; rdf:predicate :dependsOn ; rdf:object e:db ; :onPage source:more .
  s:6 a :Statement ; rdf:subject e:shop ; rdf:predicate :public ; rdf:object true ; :onPage page:cart .
}
g:rejections {
  <https://kb.example/rejection/1> a :Rejection ; :onPage page:teams ; :subjectName "Web" ; :relationName "depends_on" ;
    :objectName "DB" ; :reasonCode "shape" ; :reason "Only a system can depend." ; :result r:1 .
  <https://kb.example/rejection/2> a :Rejection ; :onPage page:cart ; :subjectName "Cart" ; :relationName "depends_on" ;
    :objectName "Larder" ; :reasonCode "unknown_entity" ; :reason "'Larder' is not in the catalogue." .
  r:1 a sh:ValidationResult ; sh:resultSeverity sh:Violation ; sh:focusNode e:web ; sh:resultMessage "refused" .
}
g:report {
  g:report a sh:ValidationReport ; sh:result r:2 , r:3 .
  r:2 a sh:ValidationResult ; sh:resultSeverity sh:Warning ; sh:focusNode e:db ; sh:resultPath :ownedBy ;
    sh:resultMessage "More than one owner." ; :onPage page:teams , page:cart .
  r:3 a sh:ValidationResult ; sh:resultSeverity sh:Info ; sh:focusNode e:ops ; sh:resultMessage "No lead is stated." .
}
"""


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryWorker]:
    path = tmp_path_factory.mktemp("kb") / "graph"
    store = ox.Store(str(path))
    store.load(GRAPH, format=ox.RdfFormat.TRIG)
    store.flush()
    del store
    with QueryWorker(path) as running:
        yield running


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


# query, parameters, rows
EXPECTED: list[tuple[str, dict[str, str], list[str]]] = [
    ("find_impact", {"entity": "db"}, ["cart Cart false", "shop Shop true", "stock Stock true"]),
    ("find_impact", {"entity": "cart"}, ["shop Shop true", "stock Stock true"]),
    ("find_people_to_call", {"entity": "db"}, ["shop web ada", "stock ops -"]),
    ("find_people_to_call", {"entity": "shop"}, ["shop web ada"]),
    ("list_dependencies", {"entity": "shop"}, ["cart Cart true", "db DB false", "stock Stock false"]),
    ("list_ownerless_systems", {}, ["cart Cart 2"]),
    ("rank_most_needed", {}, ["cart Cart 2", "db DB 1", "stock Stock 1"]),
    ("find_cycles", {}, ["cart stock", "stock cart"]),
    ("list_entities", {"type": "datastore"}, ["kb:Datastore db DB"]),
    (
        "list_entities",
        {},
        [
            "kb:Datastore db DB",
            "kb:Person ada Ada",
            "kb:Person bo Bo",
            "kb:Service cart Cart",
            "kb:Service idle Idle",
            "kb:Service shop Shop",
            "kb:Service stock Stock",
            "kb:Team ops Ops",
            "kb:Team web Web",
        ],
    ),
    ("count_facts", {}, ["kb:ownedBy 5", "kb:dependsOn 4", "kb:ledBy 1"]),
    (
        "show_evidence",
        {"entity": "cart"},
        [
            "cart kb:dependsOn db page:cart Cart uses DB.",
            "cart kb:dependsOn db source:more -",
            "shop kb:dependsOn cart page:cart Shop calls it.",
        ],
    ),
    ("show_evidence", {"entity": "ops"}, ["db kb:ownedBy ops page:teams -"]),
    (
        "list_rejections",
        {},
        [
            "page:cart Cart depends_on Larder unknown_entity 'Larder' is not in the catalogue.",
            "page:teams Web depends_on DB shape Only a system can depend.",
        ],
    ),
    ("list_rejections", {"code": "shape"}, ["page:teams Web depends_on DB shape Only a system can depend."]),
    (
        "list_contradictions",
        {},
        ["db kb:ownedBy More than one owner. page:cart", "db kb:ownedBy More than one owner. page:teams"],
    ),
    ("list_pages", {}, ["page:cart 3 1", "source:more 2 0", "page:teams 1 1", "page:empty 0 0"]),
    ("list_orphans", {}, ["kb:Person bo Bo"]),
    (
        "list_single_source_facts",
        {},
        ["db kb:ownedBy ops page:teams", "db kb:ownedBy web source:more", "shop kb:dependsOn cart page:cart"],
    ),
    ("list_single_source_facts", {"relation": "depends_on"}, ["shop kb:dependsOn cart page:cart"]),
    ("list_differences", {"relation": "owned_by"}, ["db ops page:teams web source:more"]),
    ("list_differences", {"relation": "depends_on"}, []),
    ("count_coverage", {}, ["kb:Datastore 1 1 0", "kb:Person 2 0 2", "kb:Service 4 2 2", "kb:Team 2 1 1"]),
    ("list_unwritten_entities", {"type": "service"}, ["kb:Service idle Idle", "kb:Service stock Stock"]),
    ("list_unwritten_entities", {"type": "team"}, ["kb:Team web Web"]),
    ("list_pageless_entities", {"type": "service"}, ["kb:Service idle Idle", "kb:Service stock Stock"]),
    (
        "show_provenance",
        {"subject": "cart", "relation": "depends_on", "object": "db"},
        ["kb:dependsOn db page:cart 3 16 Cart uses DB. phrases/1 -", "kb:dependsOn db source:more - - - - -"],
    ),
    ("count_rejections", {}, ["shape 1 1", "unknown_entity 1 1"]),
    ("rank_cited_pages", {}, ["page:cart 2 1", "page:teams 1 1"]),
    ("list_factless_pages", {}, ["page:empty Shop 0"]),
    ("list_shared_names", {}, ["db 2 https://kb.example/entity/bo https://kb.example/entity/db"]),
    ("list_hints", {}, ["ops - No lead is stated."]),
    ("list_owners", {"team": "ops"}, ["db ops -", "stock ops -"]),
    ("list_owners", {}, ["db ops -", "stock ops -", "db web ada", "idle web ada", "shop web ada"]),
    ("count_types", {}, ["kb:Service 4 4", "kb:Person 2 1", "kb:Team 2 2", "kb:Datastore 1 1"]),
    (
        "find_common_needs",
        {"one": "shop", "other": "stock"},
        ["cart Cart -", "db DB ops", "db DB web", "stock Stock ops"],
    ),
    (
        "count_graphs",
        {},
        ["graph:provenance 48", "graph:rejections 19", "graph:report 14"],
    ),
    ("list_uncatalogued_facts", {"relation": "owned_by"}, ["db kb:ownedBy ops page:teams"]),
    ("list_unwritten_facts", {}, ["db kb:ownedBy web source:more"]),
    ("list_neighbours", {"entity": "cart"}, ["cart kb:dependsOn db 2", "shop kb:dependsOn cart 1"]),
    ("find_circles", {"relation": "depends_on"}, ["kb:dependsOn cart stock -"]),
    ("find_circles", {"relation": "owned_by"}, []),
    (
        "show_facts",
        {"entity": "ada"},
        ["ada rdf:type kb:Person", "ada rdfs:label Ada", "ada dcterms:identifier ada", "web kb:ledBy ada"],
    ),
]


# Run on schema notes by test_queries_other_domains.py.
NOTES = {"list_caveats", "list_unreviewed_concepts"}


def shown(term: Term | None) -> str:
    if term is None:
        return "-"
    return shortened(term.value, IRIS) if isinstance(term, ox.NamedNode) else term.value  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "given", "rows"), EXPECTED)
def test_every_query_gives_the_expected_rows(
    worker: QueryWorker, vocabulary: Vocabulary, name: str, given: dict[str, str], rows: list[str]
) -> None:
    query = LIBRARY[name]
    ids = ["shop", "cart", "stock", "idle", "db", "web", "ops", "ada"]
    entities = {one: Entity(one, "service", one) for one in ids}
    values = Terms(IRIS, lambda: vocabulary, lambda: entities, query_prefixes(IRIS)).of(query, given)
    result = worker.run(query.text, parameters=values, prefixes={})
    if result.kind == "graph":
        assert sorted(" ".join(map(shown, triple)) for triple in result.triples) == sorted(rows)
    else:
        assert [" ".join(map(shown, row)) for row in result.rows] == rows


def test_every_query_of_the_library_is_run_by_these_tests() -> None:
    assert {name for name, _, _ in EXPECTED} | NOTES == set(LIBRARY)
    assert len(LIBRARY) >= 30
