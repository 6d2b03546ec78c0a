"""No query of a user reaches the network or writes, and a wrong one is told where it is wrong."""

from __future__ import annotations

import re

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import QueryError
from kb.graph import guard
from kb.graph._tokens import tokens
from kb.graph.guard import MAX_NESTING, QueryKind, check_query


def refusal(text: str) -> str:
    with pytest.raises(QueryError) as caught:
        check_query(text)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT ?x { ?x a :Service }", QueryKind.SELECT),
        ("PREFIX s: <urn:s#>\nbase <http://b.example/>\nask { ?x s:a <c> }", QueryKind.ASK),
        ("CONSTRUCT WHERE { ?s ?p ?o }", QueryKind.CONSTRUCT),
        ("# SELECT\nDESCRIBE ?x { ?x kb:quote 'from a service' }", QueryKind.DESCRIBE),
    ],
)
def test_the_four_kinds_of_query_pass_with_the_usual_prefixes_undeclared(text: str, kind: QueryKind) -> None:
    assert check_query(text) is kind


SERVICES = [
    "SELECT * { SERVICE <http://x.example/> { ?s ?p ?o } }",
    "SELECT * { { { OPTIONAL { SErVICe SILENT ?where { ?s ?p ?o } } } } }",
    "SELECT * { { SELECT * { SERVICE :x { ?s ?p ?o } } } }",
    "ASK { FILTER NOT EXISTS { SERVICE <http://x.example/> { ?s ?p ?o } } }",
    "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o SERVICE <http://x.example/> { } }",
    "DESCRIBE ?s { SERVICE <http://x.example/> { ?s ?p 'service' } }",
    "SELECT * { ?s ?p 1SERVICE<http://x.example/>{} }",
    # A lexer sees the IRI <?b).SERVICE?s#>; the engine sees less-than, a bracket, SERVICE and a comment.
    "SELECT * { ?s ?p ?o FILTER(?a<?b).SERVICE?s#>\n{} }",
    "PREFIX service: <urn:s> SELECT * { ?service a service:service . # service\nSERVICE service:x {} }",
    "SELECT * { ?service a 'service' . SERVICE ?service { ?service ?Service ?SERVICE } }",
]


@pytest.mark.parametrize("text", SERVICES)
def test_service_is_refused_wherever_it_hides(text: str) -> None:
    ox.Store().query(text, prefixes=guard.QUERY_PREFIXES)  # the engine would take it
    message = refusal(text)
    assert "SERVICE would send parts of the query to another server" in message
    assert re.search(r"line \d+, column \d+", message)


def test_a_refusal_names_the_place_of_the_keyword_and_not_of_a_name_spelt_like_it() -> None:
    assert "line 2, column 3:" in refusal("SELECT * { ?service a kb:Service .\n  SERVICE ?service {} }")


@pytest.mark.parametrize("word", ["\\u0053ERVICE", "S\\u0045RV\\u0049CE", "\\U00000053ervice"])
def test_service_spelt_with_escapes_is_refused_as_service(word: str) -> None:
    assert "spells SERVICE with \\u escapes" in refusal(f"SELECT * {{ {word} <http://x.example/> {{ }} }}")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM <http://x.example/d> { ?s ?p ?o }",
        "ASK from named <http://x.example/d> { ?s ?p ?o }",
        "SELECT *\nFROM :g { ?s ?p 'from' }",
        "DESCRIBE <urn:x> FROM <file:///etc/passwd>",
        "CONSTRUCT FROM <http://x.example/d> WHERE { ?s ?p ?o }",
    ],
)
def test_choosing_a_dataset_is_refused(text: str) -> None:
    message = refusal(text)
    assert "FROM would choose" in message
    assert "GRAPH" in message


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "PREFIX x: <urn:x>\ndelete where { ?s ?p ?o }",
        "# a comment\nLOAD <http://x.example/d>",
        "clear all",
        "DROP GRAPH <urn:g>",
        "CREATE GRAPH <urn:g>",
        "COPY <urn:a> TO <urn:b>",
        "MOVE <urn:a> TO <urn:b>",
        "ADD <urn:a> TO <urn:b>",
        "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
    ],
)
def test_every_update_is_refused_as_an_update(text: str) -> None:
    assert "is an update, and queries only read" in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?x a kb:Service ; rdfs:label 'the payment service' }",
        "SELECT ?service ?Service ?from { ?service ?from ?Service }",
        "PREFIX service: <urn:service#> SELECT * { ?x service:from service:SERVICE }",
        'SELECT * { <https://x.example/service/from> ?p """SERVICE <http://x> { """ } # FROM SERVICE { }',
        "SELECT (1 AS ?service) (2 AS ?Service) {}",
        "SELECT * { _:service a _:from }",
        "SELECT * { ?x ?y 'x'@service }",
    ],
)
def test_the_words_are_fine_where_they_are_names_strings_or_comments(text: str) -> None:
    assert check_query(text) is QueryKind.SELECT


def test_checking_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check rests on the engine's refusing two arguments together after it has parsed and before it runs."""
    calls: list[dict[str, object]] = []

    class Spy:
        def query(self, text: str, **options: object) -> object:
            calls.append(options)
            return ox.Store().query(text, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(guard.ox, "Store", lambda real=ox.Store: Spy() if not calls else real())
    check_query("SELECT * { ?s ?p ?o }")
    assert calls[0]["use_default_graph_as_union"] is True
    assert calls[0]["default_graph"]
    with pytest.raises(SyntaxError):
        ox.Store().query("SELECT", use_default_graph_as_union=True, default_graph=[ox.DefaultGraph()])
    with pytest.raises(ValueError, match="should not be set at the same time"):
        ox.Store().query("ASK {}", use_default_graph_as_union=True, default_graph=[ox.DefaultGraph()])


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("SELECT ?x {\n  ?x a :A .\n  FILTR(?x)\n}", 3, 3, "FILTR cannot stand here"),
        ("SELEKT ?x {}", 1, 1, "SELEKT cannot stand here"),
        ("SELECT ?x { ?x x:p ?y }", 1, 16, "the prefix x: is not declared; add PREFIX x: <…>"),
        ("SELECT ?x { ?x ?p <http://a b> }", 1, 19, "<http://a b> is no IRI: it has a space"),
        ("SELECT ?x { ?x ?p ?y FILTER(?y < x:a && ?x > 1) }", 1, 34, "the prefix x: is not declared"),
        ("SELECT ?x { ?x <p> ?y }", 1, 16, "<p> is a relative IRI"),
        ("SELECT ?x { ?x ?y 'abc }", 1, 19, "this string has no end"),
        ("SELECT ?x {\n ?x ?y ?z", 1, 11, "this { is never closed"),
        ("SELECT ?x { ?x ?y ?z ) }", 1, 22, "this ) closes nothing that is open"),
        ("SELECT ?x { ?x :p ?y, }", 1, 23, "} cannot stand here"),
        ("SELECT ?x { ?x :p tru }", 1, 19, "tru cannot stand here"),
        ("SELECT ?x { ?x :p ?y } LIMIT x", 1, 30, "x cannot stand here"),
        ("SELECT ?x { ?x :p ?y } LIMIT", 1, 29, "the query ends too early"),
        ("SELECT ?x { ?x :p 'ü', é }", 1, 24, "é cannot stand here"),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y }", 1, 1, "names a variable that the pattern does not bind"),
        ("SELECT ?x { ?x :p ?y }; DROP ALL", 1, 23, "; cannot stand here"),
        ("SELECT ?x { ?x :p ?y } SELECT ?x { }", 1, 24, "SELECT cannot stand here"),
    ],
)
def test_a_syntax_error_is_shown_with_line_column_and_text(text: str, line: int, column: int, says: str) -> None:
    message = refusal(text)
    assert f"at line {line}, column {column}: " in message
    assert says in message
    assert message.split("\n")[1].strip() == text.split("\n")[line - 1].strip()


def test_the_caret_stands_below_the_error_even_in_a_long_line() -> None:
    message = refusal("SELECT ?x { " + "?x :p 'something long enough' . " * 9 + "OOPS }")
    _, excerpt, caret = message.split("\n")
    assert excerpt[caret.index("^") :].startswith("OOPS")
    assert len(excerpt) <= 80


@pytest.mark.parametrize("text", ["", "  \n", "# only a comment"])
def test_an_empty_query_is_called_empty(text: str) -> None:
    assert refusal(text) == "the query is empty; write one that starts with SELECT, ASK, CONSTRUCT or DESCRIBE"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * " + "{" * 5000 + "}" * 5000,
        "SELECT * { FILTER(" + "STR(" * 5000 + "1" + ")" * 5000 + ") }",
        "SELECT * { " + "FILTER EXISTS {#}\n" * 5000 + "}" * 5000 + " }",
        "SELECT * { FILTER(1" + "<((((((#))))))>\n" * 5000 + " }",
    ],
)
def test_nesting_that_would_overflow_the_parser_is_refused_before_it_is_parsed(text: str) -> None:
    assert f"nested more than {MAX_NESTING} deep" in refusal(text)


def test_many_brackets_side_by_side_are_no_nesting() -> None:
    values = " ".join(f"<https://wiki.example/A_({n})>" for n in range(500))
    assert check_query(f"SELECT * {{ VALUES ?x {{ {values} }} {'{}' * 500} }} # {'(' * 500}") is QueryKind.SELECT


def test_a_query_too_long_to_read_is_refused() -> None:
    assert "at most 1,000,000 are read" in refusal("SELECT * { } #" + "x" * 1_000_000)


# -- against rdflib's parse tree ----------------------------------------------


def _tree_names(node: object) -> set[str]:
    """The names of all parts of a query in rdflib's parse tree: an independent reading of the same text."""
    found = {str(getattr(node, "name", ""))}
    children: list[object] = []
    if isinstance(node, dict):
        children.extend(node.values())
    if hasattr(node, "asList"):
        children.extend(list(node))  # type: ignore[call-overload]
    elif isinstance(node, (list, tuple)):
        children.extend(node)
    return found.union(*map(_tree_names, children))


def _patterns(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map(lambda p: f"{{ {p} }}"),
        inner.map(lambda p: f"OPTIONAL {{ {p} }}"),
        inner.map(lambda p: f"FILTER NOT EXISTS {{ {p} }}"),
        inner.map(lambda p: f"GRAPH ?service {{ {p} }}"),
        inner.map(lambda p: f"{{ SELECT ?from {{ {p} }} }}"),
        st.tuples(inner, inner).map(lambda two: f"{two[0]} {two[1]}"),
        st.tuples(inner, inner).map(lambda two: f"{{ {two[0]} }} UNION {{ {two[1]} }}"),
        inner.map(lambda p: f"sErViCe <http://x.example/service> {{ {p} }}"),
    )


_PATTERN = st.recursive(
    st.sampled_from(
        [
            "?service <urn:from> 'service <http://x/> { }' .",
            "?s service:from service:Service . # SERVICE <http://x/> { }\n",
            "FILTER(?a < 5 && ?b > 3)",
            'BIND("""FROM <x> "SERVICE" { """ AS ?x)',
        ]
    ),
    _patterns,
    max_leaves=6,
)


@given(
    pattern=_PATTERN,
    dataset=st.sampled_from(["", "", "FROM <http://x.example/from>", "FROM NAMED <urn:service>"]),
)
def test_a_query_passes_exactly_when_rdflibs_parse_tree_holds_neither_service_nor_dataset(
    pattern: str, dataset: str
) -> None:
    from rdflib.plugins.sparql.parser import parseQuery

    text = f"PREFIX service: <urn:service#>\nSELECT (1 AS ?one) {dataset} WHERE {{ {pattern} }}"
    try:
        names = _tree_names(parseQuery(text))
    except Exception:  # noqa: BLE001 - a form that rdflib does not know says nothing
        return
    try:
        check_query(text)
        passed = True
    except QueryError as err:
        if "syntax error" in str(err):
            return
        passed = False
    assert passed == (not names & {"ServiceGraphPattern", "DatasetClause"})


_WORDS = 'SELECT * { } ?x < > <urn:x> \' " """ # service FROM ( ) :p a:b \\u0053 \\ . ; 5 @en ^^ VALUES FILTER ü 😀'
_PIECES = st.sampled_from([*_WORDS.split(), "\n", "\r", "\ufeff", "\x00", " "])


@given(st.lists(st.one_of(_PIECES, st.text(max_size=3)), max_size=25).map("".join))
def test_any_text_at_all_is_taken_or_refused_in_words(text: str) -> None:
    assert "".join(token.text for token in tokens(text)) == text
    try:
        check_query(text)
    except QueryError as err:
        assert str(err)  # noqa: PT017 - not raising is fine as well


@given(st.lists(_PIECES, max_size=25).map("".join))
def test_what_is_taken_is_what_the_engine_takes(text: str) -> None:
    try:
        check_query(text)
    except QueryError:
        return
    ox.Store().query(text, prefixes=guard.QUERY_PREFIXES)
