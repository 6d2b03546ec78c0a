"""Queries and one knowledge base: terms that it lacks, examples that it has, named queries from Python."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from cli_help import Kb, write_wiki
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.errors import QueryError
from kb.graph.fitting import named_iris
from kb.graph.library import looks_like_name

MUSEUM = Path(__file__).parent / "domains" / "museum"


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_wiki(tmp_path_factory.mktemp("fitting") / "wiki")
    kb.build(folder)
    return folder


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fitting") / "museum"
    shutil.copytree(MUSEUM, folder, ignore=shutil.ignore_patterns("kg"))
    kb.build(folder)
    return folder


@pytest.fixture
def opened(wiki: Path) -> Iterator[kb.KnowledgeBase]:
    with kb.open(wiki) as base:
        yield base


def query_file(folder: Path, text: str) -> Path:
    path = folder / "q.rq"
    path.write_text(text, encoding="utf-8")
    return path


# -- terms -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT ?x { ?x a kb:Servce }", "kb:Servce is not a term of the ontology; did you mean kb:Service?"),
        ("SELECT ?x { ?x :ownedBi ?y }", "kb:ownedBi is not a term of the ontology; did you mean kb:ownedBy?"),
        ("PREFIX w: <https://w3id.org/wiki-kb/ontology#> ASK { ?x w:onPge ?y }", "did you mean kb:onPage?"),
        ("ASK { ?x <https://w3id.org/wiki-kb/ontology#zzzzzz> ?y }", "kb:zzzzzz is not a term of the ontology"),
    ],
)
def test_a_term_that_nothing_knows_is_told_on_standard_error_and_the_query_runs(
    cmd: Kb, wiki: Path, tmp_path: Path, text: str, says: str
) -> None:
    ran = cmd("query", query_file(tmp_path, text), "--kb", wiki)
    assert ran.code == 0
    assert says in ran.err


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { ?x a kb:Service ; :dependsOn ?y ; rdfs:label ?z ; schema:nothing ?u }",
        "SELECT ?x { GRAPH ?g { ?x a :Rejection ; :reasonCode ?code } }",
        "SELECT ?x { ?x <https://elsewhere.example/ns#p> entity:nobody }",
        'SELECT ?x { ?x rdfs:label "kb:Servce" } # kb:Servce',
        "SELECT ?x { GRAPH graph:provenance { ?x a :Statement } }",
    ],
)
def test_terms_of_ontology_records_and_other_vocabularies_give_no_hint(
    cmd: Kb, wiki: Path, tmp_path: Path, text: str
) -> None:
    ran = cmd("query", query_file(tmp_path, text), "--kb", wiki, "--format", "csv")
    assert (ran.code, ran.err) == (0, "")


def test_the_packaged_queries_all_fit_the_ontology_that_is_shipped(cmd: Kb, wiki: Path) -> None:
    rows = json.loads(cmd("query", "--list", "--json", "--kb", wiki).out)
    assert len(rows) >= 12
    assert all(row["fits"] for row in rows)


def test_queries_for_another_ontology_are_listed_apart_and_running_one_warns(cmd: Kb, museum: Path) -> None:
    own, foreign = cmd("query", "--list", "--kb", museum).out.split("Not for this ontology")
    assert "show_evidence" in own
    assert "find_impact" not in own
    assert "find_impact" in foreign
    with kb.open(museum) as base:
        entity = next(iter(base.catalogue.entities))
    ran = cmd("query", "find_impact", "-p", f"entity={entity}", "--kb", museum)
    assert "Warning: kb:dependsOn is not a term of the ontology" in ran.err


@given(st.text(alphabet="PREFIXprefix :<>ab?{}.;'\"#\n", max_size=60))
def test_any_text_has_a_list_of_iris(text: str) -> None:
    assert all(isinstance(iri, str) for iri in named_iris(text, {"": "urn:x:", "a": "urn:a:"}))


# -- examples --------------------------------------------------------------------------


def test_examples_are_entities_and_types_that_there_are(cmd: Kb, museum: Path) -> None:
    with kb.open(museum) as base:
        for row in json.loads(cmd("query", "--list", "--json", "--kb", museum).out):
            for parameter in row["parameters"] if row["fits"] else ():
                if parameter["type"] == "id":
                    assert parameter["example"] in base.catalogue.entities
                if parameter["type"] == "type":
                    assert parameter["example"] in base.vocabulary.classes


def test_the_example_is_one_that_the_query_has_something_to_tell_of(cmd: Kb, wiki: Path) -> None:
    ran = cmd("query", "find_impact", "--kb", wiki)
    assert "needs entity; add: -p entity=cart" in ran.err
    assert "shop" in cmd("query", "find_impact", "-p", "entity=cart", "--kb", wiki).out


# -- from Python -----------------------------------------------------------------------


def test_a_named_query_runs_from_python_with_typed_parameters(opened: kb.KnowledgeBase) -> None:
    by_id = opened.query("find_impact", parameters={"entity": "cart-db"})
    by_name = opened.query("find_impact", parameters={"entity": "Cart DB"})
    by_term = opened.query("find_impact", parameters={"entity": ox.NamedNode(opened.iris.entity("cart-db"))})
    assert by_id.rows == by_name.rows == by_term.rows
    assert {opened.iris.entity_id(row[0].value) for row in by_id.rows if isinstance(row[0], ox.NamedNode)} == {
        "cart",
        "shop",
    }


def test_a_querys_own_header_types_its_parameters(opened: kb.KnowledgeBase) -> None:
    text = "#+ question: Q?\n#+ parameters: {team: id, n: integer}\nSELECT ?x { ?x :ownedBy ?team } LIMIT ?n"
    assert len(opened.query(text, parameters={"team": "web", "n": 1}).rows) == 1
    assert len(opened.query(text, parameters={"team": "web", "n": "2"}).rows) == 2
    with pytest.raises(QueryError, match="did you mean 'web'"):
        opened.query(text, parameters={"team": "webb"})


def test_terms_are_parameters_of_any_query_as_before(opened: kb.KnowledgeBase) -> None:
    text = "SELECT ?x { ?x rdfs:label ?label }"
    assert len(opened.query(text, parameters={"label": ox.Literal("Shop")}).rows) == 1
    assert len(opened.query(text, parameters={"label": '"Shop"'}).rows) == 1
    with pytest.raises(QueryError, match="no value for a query"):
        opened.query(text, parameters={"label": object()})


@pytest.mark.parametrize(
    ("name", "says"),
    [("find_impct", "did you mean 'find_impact'"), ("zzz", "there are: count_coverage"), ("no.rq", "cannot be read")],
)
def test_a_name_that_is_not_there_names_close_ones(opened: kb.KnowledgeBase, name: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        opened.query(name)


def test_queries_of_the_folder_run_by_name(opened: kb.KnowledgeBase) -> None:
    folder = opened.config.root / "queries"
    folder.mkdir(exist_ok=True)
    (folder / "mine.rq").write_text("ASK { ?x a :Team }", encoding="utf-8")
    assert opened.query("mine").boolean is True


def test_sparql_is_never_taken_for_a_name() -> None:
    for text in ("ASK {}", "SELECT * { ?x ?y ?z } # mine.rq", "DESCRIBE <urn:x>", "DESCRIBE ?x"):
        assert not looks_like_name(text)


def test_dir_shows_what_the_package_offers() -> None:
    assert {"open", "build", "KnowledgeBase", "__version__"} <= set(dir(kb))
