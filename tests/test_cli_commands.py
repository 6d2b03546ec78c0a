"""Each command end to end on a small wiki: what it prints, in words and in JSON, and its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from cli_help import Kb, kb_process, write_wiki

from kb.graph.export import FORMATS


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small wiki, built. Not to be changed."""
    folder = write_wiki(tmp_path_factory.mktemp("wiki"))
    assert kb_process("build", "--kb", folder).code == 0
    return folder


@pytest.fixture
def own(wiki: Path, tmp_path: Path) -> Path:
    """A copy of the built wiki for tests that change it."""
    return shutil.copytree(wiki, tmp_path / "wiki")


# -- build -------------------------------------------------------------------------


def test_build_reports_counts_rejections_and_contradictions(cmd: Kb, tmp_path: Path) -> None:
    ran = cmd("build", "--kb", write_wiki(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    assert "published" in ran.out
    assert "pages       3  3 read\n" in ran.out
    assert "statements  7  6 accepted, 1 rejected\n" in ran.out
    assert "Rejected statements: 1 shape\n  cart: Ops Crew depends_on Cart DB\n    Only a system" in ran.out
    assert "  cart: More than one owner is stated.\n    owned_by ops: teams\n    owned_by web: cart\n" in ran.out
    assert "3 hints about what is missing" not in ran.out  # two: no owner of the database, no lead of the other team
    assert "2 hints about what is missing: kb validate --severity info" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_building_again_says_that_nothing_has_changed(cmd: Kb, own: Path) -> None:
    ran = cmd("build", "--kb", own)
    assert ran.code == 0
    assert "is still right: nothing has changed" in ran.out
    assert "pages       3  3 kept\n" in ran.out
    assert cmd("build", "--force", "--json", "--kb", own).code == 0


def test_a_file_that_cannot_be_read_is_not_called_unchanged(cmd: Kb, own: Path) -> None:
    (own / "schemas").mkdir(exist_ok=True)
    (own / "schemas" / "a.schema.yaml").write_text("concept: a\nfeilds: []\n", encoding="utf-8")
    cmd("build", "--kb", own)
    ran = cmd("build", "--kb", own)
    assert ran.code == 1
    assert "stays in use: nothing that could be read has changed" in ran.out


def test_status_counts_facts_as_the_build_did_and_shows_no_zeros_of_a_wiki_that_is_not_there(
    cmd: Kb, own: Path, tmp_path: Path
) -> None:
    note = "concept: a\nfields: [{id: f}, {id: g}]\n"
    (own / "schemas").mkdir(exist_ok=True)
    (own / "schemas" / "a.schema.yaml").write_text(note, encoding="utf-8")
    built, status = cmd("build", "--kb", own).out, cmd("status", "--kb", own).out
    (facts,) = [line.split()[1] for line in built.splitlines() if line.startswith("facts")]
    assert [line.split()[1] for line in status.splitlines() if line.startswith("facts")] == [facts]
    assert "2 facts" in built
    assert "2 facts" in status
    alone = tmp_path / "alone"
    (alone / "schemas").mkdir(parents=True)
    (alone / "schemas" / "a.schema.yaml").write_text(note, encoding="utf-8")
    (alone / "kb.toml").write_text('[kb]\nbase = "https://alone.example/"\n', encoding="utf-8")
    cmd("build", "--kb", alone)
    shown = cmd("status", "--kb", alone).out
    assert "2 facts" in shown
    assert "pages" not in shown


def test_what_begins_with_a_dash_is_told_where_to_go(cmd: Kb, own: Path) -> None:
    ran = cmd("search", "->", "--kb", own)
    assert ran.code == 2
    assert "goes at the end, behind -- and in quotes" in ran.err
    assert cmd("search", "--kb", own, "--", "->").code == 0


def test_rejections_are_cut_and_the_cut_is_told(cmd: Kb, own: Path) -> None:
    assert "Ops Crew depends_on" in cmd("build", "--rejections", "all", "--kb", own).out
    ran = cmd("build", "--rejections", "0", "--kb", own)
    assert "… and 1 more: --rejections all, or kb query list_rejections" in ran.out
    assert cmd("build", "--rejections", "few", "--kb", own).code == 2


def test_a_page_that_cannot_be_read_is_an_error_and_the_others_are_published(cmd: Kb, own: Path) -> None:
    (own / "pages" / "bad.md").write_bytes(b"# Bad \xff\xfe\x00")
    (own / "pages" / "good.md").write_text("Cart DB is owned by Ops Crew.\n", encoding="utf-8")
    ran = cmd("build", "--kb", own)
    assert ran.code == 1
    assert "published" in ran.out
    assert "pages/bad.md" in ran.err
    assert json.loads(cmd("build", "--json", "--kb", own).out)["exit_code"] == 1
    assert "Ops Crew" in cmd("ask", "who owns Cart DB", "--kb", own).out


def test_statements_as_given_take_the_place_of_reading(cmd: Kb, own: Path) -> None:
    lines = [{"page": "cart", "subject": "cart", "relation": "owned_by", "object": "ops", "quote": None}]
    given = own / "given.jsonl"
    given.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report = json.loads(cmd("build", "--statements", given, "--json", "--kb", own).out)
    assert (report["statements"]["read"], report["facts"]) == (1, 1)
    given.write_text("not json\n{}\n", encoding="utf-8")
    ran = cmd("build", "--statements", given, "--kb", own)
    assert (ran.code, ran.out) == (1, "")
    assert "given.jsonl:1" in ran.err
    assert "given.jsonl:2" in ran.err
    assert cmd("build", "--statements", own / "none.jsonl", "--kb", own).code == 2


def test_a_catalogue_with_faults_lists_them_all_and_leaves_the_graph(cmd: Kb, own: Path) -> None:
    (own / "catalogue.yaml").write_text(
        "entities:\n  - {id: a, type: servise, name: A}\n  - {id: b}\n", encoding="utf-8"
    )
    ran = cmd("build", "--kb", own)
    assert (ran.code, ran.out) == (1, "")
    assert "catalogue.yaml:2" in ran.err
    assert "catalogue.yaml:3" in ran.err
    assert cmd("ask", "who owns Shop", "--kb", own).code == 0


# -- status -------------------------------------------------------------------------


def test_status_counts_and_tells_what_has_changed(cmd: Kb, own: Path) -> None:
    ran = cmd("status", "--kb", own)
    assert ran.code == 0
    assert "Nothing has changed since." in ran.out
    assert "rejected: 1 shape" in ran.out
    (own / "pages" / "new.md").write_text("# New\n", encoding="utf-8")
    (own / "pages" / "shop.md").write_text("# Shop\n", encoding="utf-8")
    (own / "pages" / "cart.md").unlink()
    ran = cmd("status", "--kb", own)
    for line in ("1 page new: new", "1 page changed: shop", "1 page removed: cart"):
        assert f"  {line}\n" in ran.out
    assert json.loads(cmd("status", "--json", "--kb", own).out)["stale"] is True


# -- ask ---------------------------------------------------------------------------


def test_an_answer_comes_with_the_facts_pages_and_quotes_that_it_rests_on(cmd: Kb, wiki: Path) -> None:
    ran = cmd("ask", "Who leads the team that owns Shop?", "--kb", wiki)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "1 answer\n\n"
        "Ada Ek (ada)\n"
        "  Shop owned by Web Crew\n"
        "      shop: “Shop is owned by Web Crew.”\n"
        "  Web Crew led by Ada Ek\n"
        "      teams: “Web Crew is led by Ada Ek.”\n\n"
        "Understood as: Shop → owned by → led by\n"
    )


def test_the_words_of_a_question_need_no_quotes(cmd: Kb, wiki: Path) -> None:
    assert "Cart DB (cart-db)" in cmd("ask", "what", "does", "Basket", "depend", "on", "--kb", wiki).out


def test_json_has_answers_witnesses_plan_and_sparql(cmd: Kb, wiki: Path) -> None:
    data = json.loads(cmd("ask", "who owns Shop", "--json", "--explain", "--kb", wiki).out)
    assert data["method"] == "graph"
    assert data["plan"] == {"start": "shop", "hops": ["owned_by"], "where": {}}
    assert "ownedBy" in data["sparql"]
    (answer,) = data["answers"]
    (hop,) = answer["witness"]
    assert (answer["id"], answer["label"]) == ("web", "Web Crew")
    assert (hop["subject"], hop["relation"], hop["object"]) == ("shop", "owned_by", "web")
    assert (hop["page"], hop["quote"]) == ("shop", "Shop is owned by Web Crew.")


def test_a_question_that_nothing_fits_is_refused(cmd: Kb, wiki: Path) -> None:
    ran = cmd("ask", "how is the weather", "--json", "--kb", wiki)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: ")


def test_a_plan_is_run_as_given_from_text_file_or_stdin(cmd: Kb, own: Path) -> None:
    plan = '{"start": "cart-db", "hops": ["~depends_on*"]}'
    (own / "plan.json").write_text(plan, encoding="utf-8")
    texts = [
        cmd("ask", "--plan", plan, "--no-witness", "--kb", own).out,
        cmd("ask", "--plan", own / "plan.json", "--no-witness", "--kb", own).out,
        kb_process("ask", "--plan", "-", "--no-witness", "--kb", own, stdin=plan.encode()).out,
    ]
    assert texts == ["2 answers\n\nid    name  type\ncart  Cart  service\nshop  Shop  service\n"] * 3


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("{", "The plan is no JSON: line 1, column 2"),
        ('{"start": "cart", "hops": ["owned-by"]}', "did you mean"),
        ('{"start": "carts"}', "did you mean"),
        ('{"any": [' * 2000 + "]}" * 2000, "nested deeper"),
        ("none.json", "none.json: No such file"),
    ],
)
def test_a_plan_that_is_wrong_is_refused_with_what_is_wrong(cmd: Kb, wiki: Path, plan: str, says: str) -> None:
    ran = cmd("ask", "--plan", plan, "--kb", wiki)
    assert ran.code in (2, 3)
    assert ran.out == ""
    assert says in ran.err


def test_a_question_and_a_plan_together_or_neither_is_wrong_usage(cmd: Kb, wiki: Path) -> None:
    assert cmd("ask", "--kb", wiki).code == 2
    assert cmd("ask", "who", "--plan", "{}", "--kb", wiki).code == 2


def test_counts_and_groups_are_tables_and_long_lists_are_cut(cmd: Kb, wiki: Path) -> None:
    by_team = '{"count": {"where": {"type": "service"}}, "by": ["owned_by"]}'
    assert cmd("ask", "--plan", by_team, "--kb", wiki).out == (
        "2 groups\n\ncount  id   name\n    2  web  Web Crew\n    1  ops  Ops Crew\n"
    )
    count = '{"count": {"where": {"type": "team"}}}'
    assert cmd("ask", "--plan", count, "--kb", wiki).out.startswith("2\n\nid   name      type\n")
    none = '{"count": {"start": "shop", "hops": ["~depends_on"]}}'
    assert cmd("ask", "--plan", none, "--kb", wiki).out == "0\n"
    empty = '{"start": "shop", "hops": ["~depends_on"]}'
    assert cmd("ask", "--plan", empty, "--kb", wiki).out == "No answer: nothing in the graph fits.\n"
    cut = cmd("ask", "--plan", '{"where": {"type": "service"}}', "--limit", "1", "--kb", wiki).out
    assert cut.endswith("… and 1 more; --limit 0 prints all\n")


def test_explain_adds_plan_and_sparql_that_runs_as_it_stands(cmd: Kb, own: Path) -> None:
    out = cmd("ask", "who owns Shop", "--explain", "--kb", own).out
    assert '\nPlan\n  {"start": "shop", "hops": ["owned_by"], "where": {}}\n' in out
    sparql = out.split("\nSPARQL\n")[1]
    (own / "explained.rq").write_text(sparql, encoding="utf-8")
    assert cmd("query", own / "explained.rq", "--kb", own).out == "answer\nweb\n"


# -- validate, eval --------------------------------------------------------------------


def test_validate_prints_contradictions_with_their_pages(cmd: Kb, wiki: Path) -> None:
    ran = cmd("validate", "--kb", wiki)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("The graph conforms to its shapes.\n0 violations, 1 warning, 2 hints\n")
    assert "\nWarning: Cart (cart) · owned_by\n  More than one owner is stated." in ran.out
    assert "\n  pages: cart, teams\n" in ran.out
    assert "… and 2 milder: --severity info prints them" in ran.out
    assert "No lead is stated." in cmd("validate", "--severity", "info", "--kb", wiki).out
    data = json.loads(cmd("validate", "--severity", "info", "--json", "--kb", wiki).out)
    assert data["conforms"] is True
    assert [row["severity"] for row in data["results"]] == ["Warning", "Info", "Info"]
    assert data["results"][0]["sources"] == ["cart", "teams"]


def test_a_violation_in_given_data_is_exit_code_1(cmd: Kb, own: Path) -> None:
    (own / "shapes.ttl").write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <https://w3id.org/wiki-kb/ontology#> .\n"
        "@prefix shape: <https://kb.test.example/shape/> .\n"
        "shape:PublicServices a sh:PropertyShape ; sh:targetClass :Service ; sh:path :public ; sh:hasValue true ;\n"
        '  sh:severity sh:Violation ; sh:message "Every service must be public." .\n',
        encoding="utf-8",
    )
    toml = own / "kb.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + 'shapes = ["shapes.ttl"]\n', encoding="utf-8")
    note = "ontology or shapes have changed since this graph was built"
    ran = cmd("validate", "--kb", own)
    assert ran.code == 0
    assert note in ran.err
    ran = cmd("build", "--kb", own)
    assert ran.code == 1
    assert "Every service must be public." in ran.out
    ran = cmd("validate", "--kb", own)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("The graph does not conform to its shapes.\n1 violation, ")
    assert json.loads(cmd("validate", "--json", "--kb", own).out)["conforms"] is False


def test_eval_prints_tables_and_json(cmd: Kb, own: Path) -> None:
    gold = own / "gold"
    gold.mkdir()
    triples = [{"page": "shop", "subject": "shop", "relation": "owned_by", "object": "web", "quote": "x"}]
    questions = [{"id": "q1", "question": "who owns Shop", "type": "one_hop", "answer": ["web"], "plan": None}]
    for name, rows in (("triples.jsonl", triples), ("questions.jsonl", questions)):
        (gold / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran = cmd("eval", "--gold", gold, "--kb", own)
    assert (ran.code, ran.err) == (0, "")
    assert "distinct edges" in ran.out
    assert "one_hop" in ran.out
    assert "1 question without a gold plan is counted too." in ran.out
    data = json.loads(cmd("eval", "--gold", gold, "--json", "--details", "--kb", own).out)
    assert data["answers"]["graph"]["all"] == 1.0
    assert "Wrong facts: 2" in cmd("eval", "--gold", gold, "--details", "--kb", own).out
    assert cmd("eval", "--gold", own / "pages", "--kb", own).code == 3
    assert cmd("eval", "--gold", own / "nothing", "--kb", own).code == 2


# -- export ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_export_writes_every_format_the_same_way_twice(cmd: Kb, wiki: Path, name: str) -> None:
    first, second = cmd("export", "--format", name, "--kb", wiki), cmd("export", "--format", name, "--kb", wiki)
    assert (first.code, first.err) == (0, "")
    assert first.out == second.out
    assert len(list(ox.parse(first.out, format=FORMATS[name].rdf))) > 20


def test_export_to_a_file_takes_the_format_from_its_suffix(cmd: Kb, wiki: Path, tmp_path: Path) -> None:
    path = tmp_path / "kb.nq"
    ran = cmd("export", "-o", path, "--kb", wiki)
    assert (ran.code, ran.out) == (0, "")
    assert "bytes of nquads" in ran.err
    assert path.read_text(encoding="utf-8") == cmd("export", "--format", "nquads", "--kb", wiki).out
    assert [one.name for one in tmp_path.iterdir()] == ["kb.nq"]
    assert cmd("export", "-o", tmp_path / "kb.txt", "--kb", wiki).code == 2
    assert cmd("export", "-o", tmp_path / "no" / "kb.ttl", "--kb", wiki).code == 3


def test_export_of_chosen_graphs(cmd: Kb, wiki: Path) -> None:
    page = cmd("export", "--graph", "page:shop", "--kb", wiki)
    assert page.code == 0
    assert "entity:shop kb:dependsOn entity:cart ;\n    kb:ownedBy entity:web .\n" in page.out
    assert "kb:quote" in cmd("export", "--with-provenance", "--kb", wiki).out
    assert "kb:quote" not in cmd("export", "--format", "trig", "--facts-only", "--kb", wiki).out
    assert cmd("export", "--graph", "page:none", "--kb", wiki).code == 3
    assert cmd("export", "--graph", "facts", "--facts-only", "--kb", wiki).code == 2
    assert cmd("export", "--with-provenance", "--facts-only", "--kb", wiki).code == 2


def test_the_formats_in_the_help_are_those_of_the_library() -> None:
    from kb.cli import export

    assert tuple(FORMATS) == export._FORMATS


# -- generations ------------------------------------------------------------------------


def test_generations_are_listed_verified_pruned_and_restored(cmd: Kb, own: Path) -> None:
    (own / "pages" / "new.md").write_text("Cart DB is owned by Ops Crew.\n", encoding="utf-8")
    assert cmd("build", "--kb", own).code == 0
    rows = json.loads(cmd("generations", "--json", "--kb", own).out)
    first, second = (row["name"] for row in rows)
    assert [row["current"] for row in rows] == [False, True]
    listed = cmd("generations", "--kb", own).out
    assert first in listed
    assert listed.splitlines()[-1].endswith("current")
    assert cmd("generations", "rollback", first, "--kb", own).out == f"{first} is current\n"
    assert "No answer" in cmd("ask", "who owns Cart DB", "--kb", own).out
    assert cmd("generations", "--kb", own, "verify", "--quick").out == f"{first}: sound\n{second}: sound\n"
    assert cmd("generations", "rollback", second, "--json", "--kb", own).code == 0
    assert cmd("generations", "prune", "--keep", "1", "--kb", own).out == f"Removed 1 generation: {first}\n"
    assert json.loads(cmd("generations", "prune", "--json", "--kb", own).out) == {"removed": []}
    assert cmd("generations", "rollback", first, "--kb", own).code == 3


def test_a_damaged_generation_is_told_with_what_repairs_it(cmd: Kb, own: Path) -> None:
    name = json.loads(cmd("generations", "--json", "--kb", own).out)[0]["name"]
    (own / "kg" / "generations" / name / "catalogue.json").write_text("{}", encoding="utf-8")
    ran = cmd("generations", "verify", "--kb", own)
    assert (ran.code, ran.out) == (1, f"{name}: damaged\n")
    assert "catalogue.json" in ran.err
    assert "kb build --force" in ran.err
    assert "catalogue.json" in json.loads(cmd("generations", "verify", "--json", "--kb", own).out)[0]["problem"]
    ran = cmd("ask", "who owns Shop", "--kb", own)
    assert (ran.code, ran.out) == (3, "")
    assert cmd("build", "--force", "--kb", own).code == 0
    assert cmd("ask", "who owns Shop", "--kb", own).code == 0


def test_no_generations_yet(cmd: Kb, tmp_path: Path) -> None:
    assert cmd("generations", "--kb", write_wiki(tmp_path)).out == "None yet; run kb build.\n"
