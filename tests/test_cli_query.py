"""`kb query`: where queries come from, what they take, how their answers are printed."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from cli_help import Kb, kb_process, write_wiki


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_wiki(tmp_path_factory.mktemp("wiki"))
    assert kb_process("build", "--kb", folder).code == 0
    return folder


@pytest.fixture
def asked(cmd: Kb, wiki: Path, tmp_path: Path) -> object:
    """Runs a query given as text."""

    def ask(text: str, *args: str) -> object:
        path = tmp_path / "asked.rq"
        path.write_text(text, encoding="utf-8")
        return cmd("query", path, *args, "--kb", wiki)

    return ask


def test_a_named_query_takes_ids_names_and_aliases(cmd: Kb, wiki: Path) -> None:
    for entity in ("cart", "Cart", "basket"):
        ran = cmd("query", "find_impact", "-p", f"entity={entity}", "--kb", wiki)
        assert (ran.code, ran.err) == (0, "1 row\n")
        assert ran.out == "affected  name  public\nshop      Shop  true\n"


def test_the_list_names_queries_with_what_they_answer_and_take(cmd: Kb, own_queries: Path) -> None:
    out = cmd("query", "--list", "--kb", own_queries).out
    assert "find_impact -p entity=cart\n    What stops working" in out
    assert "list_entities [-p type=service]\n" in out
    assert "mine\n    Is this mine?\n" in out
    assert max(map(len, out.splitlines())) <= 80
    listed = json.loads(cmd("query", "--list", "--json", "--kb", own_queries).out)
    assert {"name", "question", "parameters", "tags", "path", "fits"} == set(listed[0])


@pytest.fixture
def own_queries(wiki: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "wiki"
    shutil.copytree(wiki, folder)
    (folder / "queries").mkdir()
    (folder / "queries" / "mine.rq").write_text("#+ question: Is this mine?\nASK { ?x a :Team }", encoding="utf-8")
    return folder


def test_a_folder_of_the_knowledge_base_adds_queries(cmd: Kb, own_queries: Path) -> None:
    assert cmd("query", "mine", "--kb", own_queries).out == "true\n"


def test_the_list_needs_no_knowledge_base(cmd: Kb, tmp_path: Path) -> None:
    assert cmd("query", "--list", "--kb", tmp_path).code == 0


def test_standard_input_and_files_take_parameters_without_a_header(wiki: Path) -> None:
    text = b"SELECT ?x { ?x :ownedBy ?team ; rdfs:label ?label }"
    ran = kb_process("query", "-", "-p", "team=web", "-p", 'label="Shop"', "--kb", wiki, stdin=text)
    assert (ran.code, ran.out) == (0, "x\nshop\n")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["find_impact"], "needs entity; add: -p entity=cart"),
        (["find_impact", "-p", "entity=carts"], "did you mean 'cart'?"),
        (["find_impact", "-p", "entity"], "write -p NAME=VALUE"),
        (["find_impact", "-p", "entity=cart", "-p", "entity=shop"], "given twice"),
        (["find_impact", "-p", "entity=cart", "-p", "deep=1"], "no parameter 'deep'; it has: entity"),
        (["find_impct"], "did you mean 'find_impact'?"),
        ([], "Name a query"),
        (["none.rq"], "none.rq: cannot be read: No such file"),
        (["find_impact", "-p", "entity=cart", "--format", "turtle"], "The query gives no triples"),
        (["find_impact", "-p", "entity=cart", "--timeout", "0"], "'--timeout'"),
        (["find_impact", "-p", "entity=cart", "--timeout", "inf"], "'--timeout'"),
        (["find_impact", "-p", "entity=cart", "--max-rows", "-1"], "--max-rows"),
    ],
)
def test_wrong_usage_is_exit_code_2_with_what_to_do(cmd: Kb, wiki: Path, args: list[str], says: str) -> None:
    ran = cmd("query", *args, "--kb", wiki)
    assert (ran.code, ran.out) == (2, "")
    assert says in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT ?x { ?x a :Service ", "line 1, column 11: this { is never closed"),
        ("SELECT ?x { SERVICE <http://x.example/> { ?x ?y ?z } }", "never reach the network"),
        ("SELECT ?x FROM <http://x.example/> { ?x ?y ?z }", "GRAPH <…>"),
        ("LOAD <http://x.example/>", "is an update"),
        ("DELETE WHERE { ?x ?y ?z }", "is an update"),
        ("SELECT ?x { ?x nope:p ?y }", "the prefix nope: is not declared"),
    ],
)
def test_what_may_not_run_is_refused_in_words_with_exit_code_2(asked, text: str, says: str) -> None:
    ran = asked(text)
    assert (ran.code, ran.out) == (2, "")
    assert "asked.rq: the query " in ran.err
    assert says in ran.err


def test_a_table_shows_ids_prefixed_names_and_numbers_to_the_right(asked) -> None:
    text = """SELECT ?thing ?type ?n ?odd ?blank ?none {
      VALUES (?thing ?type ?n) { (entity:cart-db kb:Datastore 5) (page:shop rdf:type 1000) }
      BIND(<urn:x> AS ?odd) BIND("two words" AS ?blank)
    }"""
    assert asked(text).out == (
        "thing      type             n  odd      blank      none\n"
        "cart-db    kb:Datastore     5  <urn:x>  two words\n"
        "page:shop  rdf:type      1000  <urn:x>  two words\n"
    )


def test_machine_formats_hold_whole_terms(asked) -> None:
    text = 'SELECT ?x ?l { VALUES (?x ?l) { (<urn:x> "a,\\"b\\"\\n") (<urn:y> "z"@en) (UNDEF 5) } }'
    assert asked(text, "--format", "csv").out == 'x,l\nurn:x,"a,""b""\n"\nurn:y,z\n,5\n'.replace("\n", "\r\n").replace(
        '""\r\n"', '""\n"'
    )
    assert asked(text, "--format", "tsv").out == '?x\t?l\n<urn:x>\t"a,\\"b\\"\\n"\n<urn:y>\t"z"@en\n\t5\n'
    data = json.loads(asked(text, "--json").out)
    assert data["head"] == {"vars": ["x", "l"]}
    assert data["results"]["bindings"][1] == {
        "x": {"type": "uri", "value": "urn:y"},
        "l": {"type": "literal", "value": "z", "xml:lang": "en"},
    }
    for name, form in (("json", ox.QueryResultsFormat.JSON), ("tsv", ox.QueryResultsFormat.TSV)):
        solutions = ox.parse_query_results(asked(text, "--format", name).out, format=form)
        assert [tuple(row) for row in solutions] == [  # type: ignore[union-attr]
            (ox.NamedNode("urn:x"), ox.Literal('a,"b"\n')),
            (ox.NamedNode("urn:y"), ox.Literal("z", language="en")),
            (None, ox.Literal(5)),
        ]


def test_xml_results_are_read_back_as_they_were(asked) -> None:
    text = """SELECT ?x ?l ?b { VALUES (?x ?l) { (<urn:a&b> "<a> & \\r\\nb") (<urn:y> "z"@en) (UNDEF 5) } }"""
    out = asked(text, "--format", "xml").out
    solutions = ox.parse_query_results(out, format=ox.QueryResultsFormat.XML)
    assert [v.value for v in solutions.variables] == ["x", "l", "b"]  # type: ignore[union-attr]
    assert [tuple(row) for row in solutions] == [  # type: ignore[union-attr]
        (ox.NamedNode("urn:a&b"), ox.Literal("<a> & \r\nb"), None),
        (ox.NamedNode("urn:y"), ox.Literal("z", language="en"), None),
        (None, ox.Literal(5), None),
    ]
    from rdflib.query import Result

    assert len(Result.parse(io.BytesIO(out.encode()), format="xml")) == 3
    assert "<boolean>true</boolean>" in asked("ASK {}", "--format", "xml").out


def test_what_xml_cannot_hold_is_refused_with_another_format(asked) -> None:
    ran = asked(r'SELECT ?x { BIND("\u0001" AS ?x) }', "--format", "xml")
    assert (ran.code, ran.out) == (2, "")
    assert "U+0001, which XML cannot; use --format json" in ran.err


def test_a_pipe_or_folder_in_place_of_a_file_is_refused_and_not_waited_for(cmd: Kb, wiki: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.rq")
    (tmp_path / "folder.rq").mkdir()
    for name in ("pipe.rq", "folder.rq"):
        ran = cmd("query", tmp_path / name, "--kb", wiki)
        assert ran.code == 2
        assert "it is no file; give a query on standard input as -" in " ".join(ran.err.split())
    (tmp_path / "big.rq").write_bytes(b"#" * 4_000_001)
    assert "1,000,000 characters" in cmd("query", tmp_path / "big.rq", "--kb", wiki).err


def test_a_list_is_narrowed_by_a_word_and_by_tags(cmd: Kb, wiki: Path) -> None:
    def names(*args: str) -> set[str]:
        return {row["name"] for row in json.loads(cmd("query", "--list", *args, "--json", "--kb", wiki).out)}

    assert "find_impact" in names("impact")
    assert names("impact") < names()
    assert names("--tag", "incident", "--tag", "people") == {"find_people_to_call"}
    ran = cmd("query", "--list", "--tag", "incidents", "--kb", wiki)
    assert (ran.code, ran.out) == (2, "")
    assert "No query has the tag 'incidents'; there are: " in " ".join(ran.err.split())
    assert cmd("query", "find_impact", "--tag", "incident", "--kb", wiki).code == 2
    assert "No query has 'qqq'" in cmd("query", "--list", "qqq", "--kb", wiki).err


def test_wide_rows_are_cut_with_a_note(asked, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.graph import worker

    monkeypatch.setattr(worker, "MAX_BYTES", 1 << 10)
    ran = asked("SELECT * { ?a ?b ?c . ?d ?e ?f }", "--format", "csv")
    assert ran.code == 0
    assert "since more would be over 0 MiB; select fewer variables" in ran.err


def test_a_service_is_asked_only_with_the_option(asked) -> None:
    text = "SELECT ?x { SERVICE SILENT <http://127.0.0.1:9/> { ?x ?y ?z } }"
    assert asked(text).code == 2
    assert asked(text, "--allow-service", "--format", "csv").code == 0


def test_ask_prints_true_or_false(asked) -> None:
    assert asked("ASK { entity:shop :dependsOn+ entity:cart-db }").out == "true\n"
    assert asked("ASK { entity:cart-db :dependsOn+ entity:shop }", "--format", "csv").out == "false\r\n"
    assert json.loads(asked("ASK {}", "--json").out) == {"head": {}, "boolean": True}


def test_triples_are_printed_as_turtle_or_another_rdf_format(asked) -> None:
    text = "CONSTRUCT { ?x :needs ?y } WHERE { ?x :dependsOn ?y }"
    assert asked(text).out.endswith("entity:cart kb:needs entity:cart-db .\n\nentity:shop kb:needs entity:cart .\n")
    assert json.loads(asked(text, "--json").out)["@graph"][0] == {"@id": "entity:cart", "needs": "entity:cart-db"}
    ran = asked(text, "--format", "csv")
    assert (ran.code, ran.out) == (2, "")
    assert "The query gives triples" in ran.err


def test_rows_beyond_the_limit_are_told_on_stderr(asked) -> None:
    ran = asked("SELECT ?x { ?x ?y ?z }", "--max-rows", "3", "--format", "csv")
    assert len(ran.out.splitlines()) == 4
    assert ran.err == "Note: only the first 3 rows; --max-rows allows more.\n"


def test_named_graphs_hold_provenance(asked) -> None:
    text = """SELECT ?page ?quote {
      GRAPH ?g { ?s rdf:subject entity:shop ; kb:onPage ?page ; kb:quote ?quote }
    } ORDER BY ?quote"""
    ran = asked(text)
    assert ran.out == "page       quote\npage:shop  Shop calls Cart.\npage:shop  Shop is owned by Web Crew.\n"


def test_terms_of_an_ontology_of_ones_own_get_its_prefix(cmd: Kb, tmp_path: Path) -> None:
    museum = Path(__file__).parent / "domains" / "museum"
    folder = tmp_path / "museum"
    shutil.copytree(museum, folder, ignore=shutil.ignore_patterns("kg"))
    assert cmd("build", "--kb", folder).code == 0
    text = "SELECT DISTINCT ?type { ?x a ?type } ORDER BY ?type LIMIT 1"
    ran = kb_process("query", "-", "--kb", folder, stdin=text.encode())
    prefix, _, name = ran.out.splitlines()[1].partition(":")
    assert not prefix.startswith("<")
    again = f"ASK {{ ?x a {prefix}:{name} }}"
    assert kb_process("query", "-", "--kb", folder, stdin=again.encode()).out == "true\n"


def test_a_query_without_variables_prints_its_number_of_rows_alone(asked) -> None:
    ran = asked("SELECT * WHERE {}")
    assert (ran.code, ran.out) == (0, "")
