"""The commands on the example that ships: what its README and help pages promise works on it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from cli_help import ROOT, Kb, kb_process

from kb.config import packaged
from kb.graph.export import FORMATS
from kb.graph.library import list_queries

GOLD = ROOT / "examples" / "larkspur" / "gold"


@pytest.fixture(scope="module")
def larkspur(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, built from its gold statements, so that nothing here hangs on how well pages are read."""
    folder = tmp_path_factory.mktemp("example") / "larkspur"
    shutil.copytree(ROOT / "examples" / "larkspur", folder, ignore=shutil.ignore_patterns("kg"))
    ran = kb_process("build", "--statements", GOLD / "triples.jsonl", "--json", "--kb", folder)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["facts"] == 128
    return folder


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.mark.parametrize("query", list_queries([packaged("queries")]).values(), ids=lambda query: query.name)
def test_every_named_query_runs_with_its_own_examples(cmd: Kb, larkspur: Path, query: object) -> None:
    given = [f"{one.name}={one.example}" for one in query.parameters]  # type: ignore[attr-defined]
    if query.name in ("list_rejections", "list_caveats"):  # type: ignore[attr-defined]
        given = []  # what their examples name is not here
    args = [part for text in given for part in ("-p", text)]
    ran = cmd("query", query.name, *args, "--kb", larkspur)  # type: ignore[attr-defined]
    assert ran.code == 0, ran.err
    # Turtle is for programs and has a statement a line.
    assert ran.out.startswith("@prefix") or max(map(len, ran.out.splitlines())) <= 80


def test_the_query_of_the_help_page_gives_the_answers_of_the_gold_set(cmd: Kb, larkspur: Path) -> None:
    plan = '{"start": "ledger-db", "hops": ["~depends_on*"], "where": {"public": true}}'
    asked = json.loads(cmd("ask", "--plan", plan, "--json", "--kb", larkspur).out)
    people = cmd("query", "find_people_to_call", "-p", "entity=ledger-db", "--format", "csv", "--kb", larkspur).out
    services = {line.split(",")[0].rpartition("/")[2] for line in people.splitlines()[1:]}
    assert {answer["id"] for answer in asked["answers"]} == services
    assert services


def test_every_answer_of_a_plan_shows_a_page_and_a_quote(cmd: Kb, larkspur: Path) -> None:
    plan = '{"start": "ledger-db", "hops": ["~depends_on*", "owned_by", "led_by"]}'
    out = cmd("ask", "--plan", plan, "--limit", "0", "--kb", larkspur).out
    answers = json.loads(cmd("ask", "--plan", plan, "--json", "--kb", larkspur).out)["answers"]
    assert out.startswith(f"{len(answers)} answers\n")
    assert out.count("“") >= len(answers) * 3
    assert max(map(len, out.splitlines())) <= 80
    for answer in answers:
        assert [hop["relation"] for hop in answer["witness"][-2:]] == ["owned_by", "led_by"]
        for hop in answer["witness"]:
            page = (larkspur / "pages" / f"{hop['page']}.md").read_text(encoding="utf-8")
            assert " ".join(hop["quote"].split()) in " ".join(page.split())


def test_gold_plans_give_the_gold_answers(cmd: Kb, larkspur: Path) -> None:
    data = json.loads(cmd("eval", "--gold", GOLD, "--plans", "--json", "--kb", larkspur).out)
    assert set(data["answers"]["graph"].values()) == {1.0}
    assert data["triples"]["f1"] == 1.0


def test_all_formats_hold_the_same_facts(larkspur: Path) -> None:
    facts = {}
    for name, form in FORMATS.items():
        ran = kb_process("export", "--format", name, "--facts-only", "--kb", larkspur)
        assert ran.code == 0
        facts[name] = frozenset(quad.triple for quad in ox.parse(ran.out, format=form.rdf))
    assert len(set(facts.values())) == 1
    assert len(facts["turtle"]) > 400


def test_the_whole_export_answers_like_the_store(cmd: Kb, larkspur: Path, tmp_path: Path) -> None:
    path = tmp_path / "kb.trig"
    assert cmd("export", "-o", path, "--kb", larkspur).code == 0
    copy = ox.Store()
    copy.load(path=str(path), format=ox.RdfFormat.TRIG)
    for name in ("count_facts", "list_contradictions", "list_pages"):
        text = (packaged("queries") / f"{name}.rq").read_text(encoding="utf-8")
        here = copy.query(text).serialize(format=ox.QueryResultsFormat.TSV)  # type: ignore[union-attr]
        there = cmd("query", name, "--format", "tsv", "--kb", larkspur).out
        assert here is not None
        assert sorted(here.decode().splitlines()) == sorted(there.splitlines())


def test_disputes_have_two_owners_and_validate_names_both_pages(cmd: Kb, larkspur: Path) -> None:
    ran = cmd("validate", "--kb", larkspur)
    assert ran.code == 0
    assert "Warning: Disputes (disputes) · owned_by" in ran.out
    assert "pages: disputes, service-tiers" in ran.out
