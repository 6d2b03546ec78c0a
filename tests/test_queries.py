"""The library of queries: every header says what it should, every query gives the rows it promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from kb.config import packaged
from kb.errors import QueryError
from kb.graph.guard import QueryKind, check_query
from kb.graph.library import PARAMETER_TYPES, NamedQuery, Parameter, list_queries, load_query, parse_header
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
@prefix s: <https://kb.example/statement/> .
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

g:provenance {
  page:cart a :Page . page:empty a :Page . page:teams a :Page .
  s:1 a :Statement ; rdf:subject e:cart ; rdf:predicate :dependsOn ; rdf:object e:db ;
    :onPage page:cart ; :quote "Cart uses DB." .
  s:2 a :Statement ; rdf:subject e:shop ; rdf:predicate :dependsOn ; rdf:object e:cart ;
    :onPage page:cart ; :quote "Shop calls it." .
  s:3 a :Statement ; rdf:subject e:db ; rdf:predicate :ownedBy ; rdf:object e:ops ; :onPage page:teams .
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


@pytest.fixture
def terms(vocabulary: Vocabulary) -> Terms:
    names = {"shop": "Shop", "cart": "Cart", "db": "Ledger DB", "db-old": "Ledger DB", "v1": "Billing 1"}
    entities = {key: Entity(key, "service", name, aliases=(f"{key} service",)) for key, name in names.items()}
    return Terms(IRIS, lambda: vocabulary, lambda: entities, query_prefixes(IRIS))


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
        ["cart kb:dependsOn db page:cart Cart uses DB.", "shop kb:dependsOn cart page:cart Shop calls it."],
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
    ("list_pages", {}, ["page:cart 2 1", "page:teams 1 1", "page:empty 0 0"]),
]


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
    assert [" ".join(map(shown, row)) for row in result.rows] == rows


def test_every_query_of_the_library_is_run_by_the_test_above() -> None:
    assert {name for name, _, _ in EXPECTED} == set(LIBRARY)


# -- headers -------------------------------------------------------------------------


@pytest.mark.parametrize("query", LIBRARY.values(), ids=LIBRARY)
def test_a_header_asks_in_plain_words_and_explains_every_parameter(query: NamedQuery) -> None:
    assert query.headed
    assert re.fullmatch(r"[A-Z][^?:#]+\?", query.question), "one question, without terms of the ontology"
    assert query.tags
    assert query.tags == tuple(sorted(query.tags))
    for one in query.parameters:
        assert one.type in PARAMETER_TYPES
        assert one.about
        assert one.example, "an example shows how to write a value"


@pytest.mark.parametrize("query", LIBRARY.values(), ids=LIBRARY)
def test_a_name_is_verb_object_and_the_rows_come_in_a_stable_order(query: NamedQuery) -> None:
    assert re.fullmatch(r"(count|find|list|rank|show)(_[a-z]+)+", query.name)
    assert "ORDER BY" in query.text


@pytest.mark.parametrize("query", LIBRARY.values(), ids=LIBRARY)
def test_a_query_is_sparql_11_as_it_stands_for_any_other_tool(query: NamedQuery) -> None:
    from rdflib.plugins.sparql.parser import parseQuery

    assert check_query(query.text, prefixes={}) is QueryKind.SELECT
    parseQuery(query.text)


def header(text: str) -> str:
    with pytest.raises(QueryError) as caught:
        parse_header(f"{text}\nSELECT ?x {{ ?x ?y ?z }}", "q", Path("queries/q.rq"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#+ tags: [a]", "has no question"),
        ("#+ question: ''", "has no question"),
        ("#+ question: Why?\n#+ author: me", "unknown field 'author'; known: parameters, question, tags"),
        ("#+ question: Why?\n#+ tags: a", "tags must be a list"),
        ("#+ question: Why?\n#+ parameters: [x]", "parameters must map a name to its type"),
        ("#+ question: Why?\n#+ parameters: {x: {type: url}}", "has the type 'url'; known: id, iri, string"),
        ("#+ question: Why?\n#+ parameters: {x: {type: id, defalt: 1}}", "unknown field 'defalt'"),
        ("#+ question: Why?\n#+ parameters: {entity: id}", "the query has no variable ?entity"),
        ("#+ question: Why?\n#+ parameters: {x: 3}", "needs a type"),
        ("#+ just words", "must start with: #+ question:"),
        ("#+ question: Why?\n#+ tags: [a", "queries/q.rq:2: the header is no YAML"),
    ],
)
def test_a_wrong_header_is_refused_with_file_and_reason(text: str, says: str) -> None:
    message = header(text)
    assert message.startswith("queries/q.rq")
    assert says in message


# -- finding a query -------------------------------------------------------------------


def test_a_query_of_the_knowledge_base_replaces_a_packaged_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "find_impact.rq").write_text("#+ question: Mine?\nASK {}", encoding="utf-8")
    folders = [packaged("queries"), tmp_path, tmp_path / "missing"]
    assert list_queries(folders)["find_impact"].question == "Mine?"
    assert load_query("find_impact", folders).text.endswith("ASK {}")
    assert load_query("count_facts", folders).path == packaged("queries") / "count_facts.rq"


def test_a_broken_header_elsewhere_does_not_keep_another_query_from_running(tmp_path: Path) -> None:
    (tmp_path / "bad.rq").write_text("#+ [", encoding="utf-8")
    assert load_query("find_impact", [packaged("queries"), tmp_path]).name == "find_impact"


def test_a_file_is_taken_by_its_path_with_or_without_header(tmp_path: Path) -> None:
    path = tmp_path / "mine.rq"
    path.write_text("ASK {}", encoding="utf-8")
    query = load_query(str(path), [])
    assert (query.name, query.headed, query.text) == ("mine", False, "ASK {}")


def test_a_name_that_is_not_there_is_refused_with_a_similar_one(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"no query 'find-impct'; did you mean 'find_impact'\?"):
        load_query("find-impct", [packaged("queries")])
    with pytest.raises(QueryError, match="there are: count_facts, "):
        load_query("xyz", [packaged("queries")])
    with pytest.raises(QueryError, match=r"nothing\.rq: cannot be read: No such file"):
        load_query(str(tmp_path / "nothing.rq"), [])
    (tmp_path / "latin.rq").write_bytes(b"# \xe9")
    with pytest.raises(QueryError, match="not UTF-8"):
        load_query(str(tmp_path / "latin.rq"), [])


# -- values ------------------------------------------------------------------------------

ENTITY = "https://kb.example/entity/"


@pytest.mark.parametrize(
    ("kind", "text", "term"),
    [
        ("id", "cart", ox.NamedNode(ENTITY + "cart")),
        ("id", "Shop", ox.NamedNode(ENTITY + "shop")),
        ("id", "V1 Service", ox.NamedNode(ENTITY + "v1")),
        ("iri", "urn:x", ox.NamedNode("urn:x")),
        ("iri", "<urn:x>", ox.NamedNode("urn:x")),
        ("iri", "entity:a/b", ox.NamedNode(ENTITY + "a/b")),
        ("iri", "https://kb.example/x", ox.NamedNode("https://kb.example/x")),
        ("string", "", ox.Literal("")),
        ("string", '"} #', ox.Literal('"} #')),
        ("integer", "-12", ox.Literal(-12)),
        ("boolean", "Yes", ox.Literal(True)),
        ("relation", "depends_on", ox.NamedNode("https://w3id.org/wiki-kb/ontology#dependsOn")),
        ("relation", "public", ox.NamedNode("https://w3id.org/wiki-kb/ontology#public")),
        ("type", "service", ox.NamedNode("https://w3id.org/wiki-kb/ontology#Service")),
        ("term", "cart", ox.NamedNode(ENTITY + "cart")),
        ("term", "kb:Service", ox.NamedNode("https://w3id.org/wiki-kb/ontology#Service")),
        ("term", "https://x.example/", ox.NamedNode("https://x.example/")),
        ("term", '"a b"@en', ox.Literal("a b", language="en")),
        ("term", "07", ox.Literal("07", datatype=ox.NamedNode("http://www.w3.org/2001/XMLSchema#integer"))),
        ("term", "true", ox.Literal(True)),
    ],
)
def test_a_value_becomes_a_term_of_the_declared_type(terms: Terms, kind: str, text: str, term: Term) -> None:
    assert terms.term(Parameter("p", kind), text) == term


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("id", "kart", r"p='kart' is not in the catalogue; did you mean 'cart'\?"),
        ("id", "ledger db", "could be db, db-old; give the id"),
        ("iri", "not an iri", "is no IRI"),
        ("iri", "https://x.example/> ?y", "is no IRI"),
        ("integer", "1.5", "is not a whole number"),
        ("integer", "1 } UNION {", "is not a whole number"),
        ("boolean", "perhaps", "is not true or false"),
        ("relation", "depends-on", r"did you mean 'depends_on'\?"),
        ("relation", "dependency_of", "is the way back of 'depends_on'"),
        ("type", "servce", r"did you mean 'service'\?"),
        ("term", '"open', "is no literal"),
        ("term", '"a" . <urn:a> <urn:b> "c"', "is no literal"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_reason(terms: Terms, kind: str, text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        terms.term(Parameter("p", kind), text)


def test_defaults_count_where_nothing_is_given_and_required_ones_are_asked_for(terms: Terms) -> None:
    text = (
        "#+ question: Q?\n#+ parameters:\n#+   a: {type: boolean, default: yes}\n#+   b: {type: id, required: true}\n"
    )
    query = parse_header(text + "SELECT ?x { ?x ?a ?b }", "q")
    cart = ox.NamedNode(ENTITY + "cart")
    assert terms.of(query, {"b": "cart"}) == {"a": ox.Literal(True), "b": cart}
    assert terms.of(query, {"a": "no", "b": "cart"}) == {"a": ox.Literal(False), "b": cart}
    with pytest.raises(QueryError, match=r"needs b; add: -p b="):
        terms.of(query, {})
    with pytest.raises(QueryError, match="no parameter 'c'; it has: a, b"):
        terms.of(query, {"c": "1"})


def test_a_query_without_header_takes_any_variable(terms: Terms) -> None:
    query = parse_header("SELECT ?x { ?x ?y ?z }", "q")
    assert terms.of(query, {"z": "5"}) == {"z": ox.Literal(5)}
