"""Queries of users run apart, within bounds, and come back as typed terms."""

from __future__ import annotations

import contextlib
import http.server
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import GenerationError, QueryError, QueryTimeoutError
from kb.graph import _worker_child, worker
from kb.graph.parameters import bind
from kb.graph.worker import QueryWorker, run_query

RUNAWAY = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o . ?p ?q ?r }"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph"
    written = ox.Store(str(path))
    named = ox.NamedNode
    for n in range(40):
        written.add(ox.Quad(named(f"urn:s{n}"), named("urn:next"), named(f"urn:s{n + 1}")))
        written.add(ox.Quad(named(f"urn:s{n}"), named("urn:label"), ox.Literal(f"thing {n}", language="en")))
    written.add(ox.Quad(named("urn:s1"), named("urn:next"), named("urn:s0"), named("urn:g")))
    written.flush()
    del written
    return path


@pytest.fixture(scope="module")
def shared(store: Path) -> Iterator[QueryWorker]:
    with QueryWorker(store) as running:
        yield running


def test_select_gives_typed_terms_in_the_order_of_the_projection(store: Path) -> None:
    result = run_query(store, "SELECT ?n ?s ?none { ?s <urn:label> ?l BIND(STRLEN(?l) AS ?n) } ORDER BY ?s LIMIT 1")
    assert result.kind == "select"
    assert result.variables == ("n", "s", "none")
    assert result.rows == ((ox.Literal(7), ox.NamedNode("urn:s0"), None),)
    assert not result.truncated


def test_select_star_gives_its_columns_in_the_order_of_the_text(shared: QueryWorker) -> None:
    assert shared.run("SELECT DISTINCT * { ?z <urn:next> ?a }").variables == ("z", "a")


def test_ask_gives_a_boolean(shared: QueryWorker) -> None:
    assert shared.run("ASK { <urn:s0> <urn:next>+ <urn:s9> }").boolean is True
    assert shared.run("ASK { <urn:s9> <urn:next>+ <urn:s0> }").boolean is False


def test_construct_and_describe_give_each_triple_once(shared: QueryWorker) -> None:
    result = shared.run("CONSTRUCT { <urn:x> a <urn:X> } WHERE { ?s <urn:next> ?o }")
    assert result.triples == (
        ox.Triple(
            ox.NamedNode("urn:x"),
            ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
            ox.NamedNode("urn:X"),
        ),
    )
    assert len(shared.run("DESCRIBE <urn:s3>").triples) == 2


def test_named_graphs_are_reached_by_name_and_are_not_part_of_the_default_graph(shared: QueryWorker) -> None:
    assert shared.run("ASK { <urn:s1> <urn:next> <urn:s0> }").boolean is False
    assert shared.run("SELECT ?g { GRAPH ?g { <urn:s1> <urn:next> <urn:s0> } }").rows == ((ox.NamedNode("urn:g"),),)


@pytest.mark.parametrize(("most", "rows", "truncated"), [(0, 0, True), (39, 39, True), (40, 40, False)])
def test_no_more_rows_come_back_than_wanted_and_the_result_says_so(
    shared: QueryWorker, most: int, rows: int, truncated: bool
) -> None:
    result = shared.run("SELECT ?s { ?s <urn:next> ?o }", max_rows=most)
    assert (len(result.rows), result.truncated) == (rows, truncated)
    graph = shared.run("CONSTRUCT WHERE { ?s <urn:next> ?o }", max_rows=most)
    assert (len(graph.triples), graph.truncated) == (rows, truncated)


def test_a_query_that_runs_forever_is_killed_and_the_message_says_what_to_do(store: Path) -> None:
    with QueryWorker(store) as running:
        running.run("ASK {}")
        child = running._process
        assert child is not None
        started = time.monotonic()
        with pytest.raises(QueryTimeoutError, match=r"stopped after 0\.5 seconds; .* allow it more time \(--timeout"):
            running.run(RUNAWAY, timeout=0.5)
        assert time.monotonic() - started < 10
        assert child.poll() is not None, "the child still runs"
        assert running.run("ASK {}").boolean is True, "the next query gets a new child"


def test_a_query_that_eats_memory_ends_alone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MEMORY_LIMIT", 1 << 30)
    with pytest.raises(QueryTimeoutError, match="needed more than 1 GiB of memory"):
        run_query(store, "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?c ?f ?i ?l", timeout=60)


def test_rows_that_are_large_rather_than_many_are_bounded_by_their_bytes(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MAX_BYTES", 10_000)
    wide = run_query(store, "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }")
    assert wide.truncated
    assert 10 < len(wide.rows) < 10_000 // (9 * 8)
    long = run_query(store, f'SELECT ?x {{ ?s <urn:next> ?o BIND("{"x" * 4000}" AS ?x) }}')
    assert (len(long.rows), long.truncated) == (2, True)
    assert run_query(store, f'SELECT ("{"x" * 20000}" AS ?x) {{}}') == worker.QueryResult(
        kind="select", variables=("x",), truncated=True
    )
    triples = run_query(store, f'CONSTRUCT {{ ?s <urn:x> "{"x" * 4000}" }} WHERE {{ ?s <urn:next> ?o }}')
    assert (len(triples.triples), triples.truncated) == (2, True)


def test_a_query_that_overflows_the_parser_is_a_refusal_and_not_a_crash(store: Path) -> None:
    with pytest.raises(QueryError, match="nested too deeply to be read"):
        run_query(store, "SELECT * { " + "{} UNION " * 100_000 + "{} }")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT ?x { ?x }", "line 1, column 16"),
        ("SELECT ?x { SERVICE <http://x.example/> { ?x ?y ?z } }", "never reach the network"),
        ("SELECT ?x { ?x <urn:p> ?y } LIMIT 3 OFFSET", "the query ends too early"),
    ],
)
def test_what_the_guard_refuses_does_not_run(shared: QueryWorker, text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        shared.run(text)


def test_no_request_leaves_the_process_for_any_refused_query(store: Path) -> None:
    asked: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(500)

        do_POST = do_GET  # noqa: N815 - the name is http.server's

        def log_message(self, *args: object) -> None:
            return

    with http.server.HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        with QueryWorker(store) as running:
            for text in (
                f"SELECT * {{ SERVICE <{address}sparql> {{ ?s ?p ?o }} }}",
                f"SELECT * {{ ?s ?p ?o FILTER(?a<?b).SERVICE<{address}sparql>#>\n{{}} }}",
                f"SELECT * FROM <{address}data.ttl> {{ ?s ?p ?o }}",
                f"LOAD <{address}data.ttl>",
            ):
                with pytest.raises(QueryError):
                    running.run(text)
        server.shutdown()
    assert asked == []


class _Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers any query with one row, or never."""

    slow = False

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.slow:
            time.sleep(3)
        body = b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"urn:far"}}]}}'
        self.send_response(200)
        self.send_header("Content-Type", "application/sparql-results+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        return


@pytest.mark.parametrize("slow", [False, True])
def test_an_allowed_service_is_asked_and_stopped_like_any_query(
    store: Path, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Endpoint, "slow", slow)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        text = f"SELECT ?x {{ SERVICE <http://127.0.0.1:{server.server_port}/sparql> {{ ?x ?y ?z }} }}"
        with pytest.raises(QueryError, match="or allow it with --allow-service"):
            run_query(store, text)
        if slow:
            with pytest.raises(QueryTimeoutError, match=r"stopped after 0\.5 seconds"):
                run_query(store, text, allow_service=True, timeout=0.5)
        else:
            assert run_query(store, text, allow_service=True).rows == ((ox.NamedNode("urn:far"),),)
            assert run_query(store, text, allow_service=True, max_rows=0).truncated
        server.shutdown()


def test_an_allowed_service_that_does_not_answer_is_an_error_in_words(store: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        with pytest.raises(QueryError, match="the query cannot be run: another server failed"):
            run_query(store, f"SELECT * {{ SERVICE <{address}> {{ ?x ?y ?z }} }}", allow_service=True)


@pytest.mark.parametrize("text", ["SELECT * FROM <http://127.0.0.1:9/> {}", "LOAD <http://127.0.0.1:9/>", "DROP ALL"])
def test_allowing_services_allows_nothing_else(store: Path, text: str) -> None:
    with pytest.raises(QueryError, match="the query is refused"):
        run_query(store, text, allow_service=True)


def test_a_store_that_is_not_there_is_an_error_of_the_index(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="kb build --force"):
        run_query(tmp_path / "none", "ASK {}")


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": -1}, {"max_rows": -1}])
def test_bounds_that_make_no_sense_are_refused(store: Path, options: dict[str, int]) -> None:
    with pytest.raises(QueryError):
        run_query(store, "ASK {}", **options)  # type: ignore[arg-type]


def test_the_child_imports_nothing_slow(store: Path) -> None:
    code = (
        "import sys, json; import kb.graph._worker_child as child; "
        "slow = {'rdflib', 'pyshacl', 'numpy', 'openai', 'rich', 'click', 'yaml'} & set(sys.modules); "
        "assert not slow, slow"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


def test_no_child_is_left_behind(store: Path) -> None:
    with QueryWorker(store) as running:
        running.run("ASK {}")
        child = running._process
    assert child is not None
    assert child.poll() is not None


def test_a_child_ends_when_its_parent_is_killed_in_the_middle_of_a_query(store: Path) -> None:
    code = (
        "import sys; from kb.graph.worker import QueryWorker; worker = QueryWorker(sys.argv[1]); worker.run('ASK {}'); "
        "print(worker._process.pid, flush=True); worker.run(sys.argv[2], timeout=600)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(store), RUNAWAY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# -- terms ---------------------------------------------------------------------

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_IRI = _TEXT.map(lambda text: ox.NamedNode("urn:x:" + "".join(c for c in text if c.isalnum())))
_LITERAL = st.one_of(
    _TEXT.map(ox.Literal),
    st.integers().map(ox.Literal),
    st.booleans().map(ox.Literal),
    st.tuples(_TEXT, st.sampled_from(["en", "de-ch"])).map(lambda two: ox.Literal(two[0], language=two[1])),
    _TEXT.map(lambda text: ox.Literal(text, language="ar", direction=ox.BaseDirection.RTL)),
    st.tuples(_TEXT, _IRI).map(lambda two: ox.Literal(two[0], datatype=two[1])),
)
_TERM = st.one_of(_IRI, _LITERAL)


@given(st.one_of(_TERM, st.builds(ox.Triple, _IRI, _IRI, _TERM), st.just(ox.BlankNode("b1"))))
def test_a_term_comes_through_the_pipe_as_it_was(value: ox.NamedNode | ox.Literal | ox.Triple) -> None:
    assert worker._term(_worker_child.term(value)) == value


# -- parameters ------------------------------------------------------------------


@given(value=_TERM)
def test_a_parameter_is_one_term_whatever_its_text(value: ox.NamedNode | ox.Literal) -> None:
    """The engine reads back exactly the term that went in: no text of it becomes syntax."""
    rows = list(ox.Store().query(bind("SELECT (?p AS ?back) { # ?p\n }", {"p": value})))  # type: ignore[arg-type]
    assert len(rows) == 1
    assert rows[0]["back"] == value


HOSTILE = ['" } SERVICE <http://x.example/> { ?a ?b ?c', "\\", "' . DROP ALL #", "?s", "\\u0022 }", "a\nb", '"""', "$x"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_parameter_stays_text(shared: QueryWorker, text: str) -> None:
    result = shared.run(
        "SELECT ?p { ?s <urn:next> <urn:s1> FILTER(STR(?s) != ?p) }", parameters={"p": ox.Literal(text)}
    )
    assert result.rows == ((ox.Literal(text),),)


def test_parameters_reach_sub_selects_paths_and_limits(shared: QueryWorker) -> None:
    text = "SELECT ?x { { SELECT ?x { ?start (?step)+ ?x } ORDER BY STR(?x) LIMIT ?most } } GROUP BY ?x ORDER BY ?x"
    given = {"start": ox.NamedNode("urn:s36"), "step": ox.NamedNode("urn:next"), "most": ox.Literal(3)}
    rows = shared.run(text, parameters=given).rows
    assert [row[0] for row in rows] == [ox.NamedNode(f"urn:s{n}") for n in (37, 38, 39)]


def test_a_selected_parameter_stays_a_column_even_when_grouped_and_sorted_by(shared: QueryWorker) -> None:
    text = "SELECT ?start (COUNT(?x) AS ?n) { ?start <urn:next>+ ?x } GROUP BY ?start ORDER BY ?start"
    result = shared.run(text, parameters={"start": ox.NamedNode("urn:s30")})
    assert result.variables == ("start", "n")
    assert result.rows == ((ox.NamedNode("urn:s30"), ox.Literal(10)),)


def test_strings_iris_and_comments_that_look_like_the_variable_are_left_alone() -> None:
    text = 'SELECT ?x { ?x <urn:?p> \'?p\' , """?p""" . # ?p\n ?x ?p ?pp , $p }'
    bound = bind(text, {"p": ox.NamedNode("urn:q")})
    assert bound == 'SELECT ?x { ?x <urn:?p> \'?p\' , """?p""" . # ?p\n ?x <urn:q> ?pp , <urn:q> }'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT ?x { ?x ?y ?z }", r"no variable \?p"),
        ("SELECT ?x { BIND(1 AS ?p) }", r"line 1, column 23 of the query binds it itself"),
        ("SELECT ?x { VALUES ?p { 1 } }", "binds it itself"),
        ("SELECT ?x { VALUES (?x ?p) { (1 2) } }", "binds it itself"),
    ],
)
def test_a_parameter_that_the_query_cannot_take_is_refused(text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        bind(text, {"p": ox.Literal("v")})


def test_a_blank_node_is_no_parameter() -> None:
    with pytest.raises(QueryError, match="give an IRI or a literal"):
        bind("ASK { ?p ?q ?r }", {"p": ox.BlankNode()})
