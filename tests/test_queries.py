"""The library of queries: every header says what it should, every query gives the rows it promises."""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph as ox
import pytest

from kb.config import packaged
from kb.errors import QueryError
from kb.graph.guard import QueryKind, check_query
from kb.graph.library import PARAMETER_TYPES, NamedQuery, Parameter, list_queries, load_query, parse_header
from kb.graph.parameter_values import Terms
from kb.graph.prefixes import query_prefixes
from kb.graph.results import Term
from kb.iris import Iris
from kb.model import Entity
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://kb.example/")
LIBRARY = list_queries([packaged("queries")])


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


@pytest.fixture
def terms(vocabulary: Vocabulary) -> Terms:
    names = {"shop": "Shop", "cart": "Cart", "db": "Ledger DB", "db-old": "Ledger DB", "v1": "Billing 1"}
    entities = {key: Entity(key, "service", name, aliases=(f"{key} service",)) for key, name in names.items()}
    return Terms(IRIS, lambda: vocabulary, lambda: entities, query_prefixes(IRIS))


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
    assert "ORDER BY" in query.text or "CONSTRUCT" in query.text


@pytest.mark.parametrize("query", LIBRARY.values(), ids=LIBRARY)
def test_a_query_is_sparql_11_as_it_stands_for_any_other_tool(query: NamedQuery) -> None:
    from rdflib.plugins.sparql.parser import parseQuery

    assert check_query(query.text, prefixes={}) in (QueryKind.SELECT, QueryKind.CONSTRUCT)
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
    with pytest.raises(QueryError, match="there are: count_coverage, "):
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
