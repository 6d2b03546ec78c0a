"""`kb init` makes something that builds and answers, for any ontology, and never overwrites."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_help import Kb

from kb.cli._starter import starter
from kb.config import packaged
from kb.vocabulary import load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kb:
    monkeypatch.chdir(tmp_path)
    return Kb(capsys)


def test_what_init_makes_builds_and_answers_the_question_that_it_suggests(cmd: Kb, tmp_path: Path) -> None:
    ran = cmd("init", "wiki")
    assert (ran.code, ran.err) == (0, "")
    assert "made wiki/pages/start.md\nmade wiki/catalogue.yaml\nmade wiki/kb.toml\n" in ran.out
    assert "https://wiki.example/ is a placeholder" in ran.out
    built = cmd("build", "--kb", "wiki")
    assert built.code == 0
    assert "statements  2  2 accepted, 0 rejected" in built.out
    question = re.search(r'kb ask --kb wiki "(.+)"', ran.out)
    assert question is not None
    answer = cmd("ask", "--kb", "wiki", question[1])
    assert answer.code == 0
    assert answer.out.startswith("1 answer\n")


def test_it_works_for_an_ontology_of_ones_own(cmd: Kb, tmp_path: Path) -> None:
    ran = cmd(
        "init", "--ontology", MUSEUM / "ontology.ttl", "--shapes", MUSEUM / "shapes.ttl", "--base", "https://m.example/"
    )
    assert ran.code == 0
    assert "placeholder" not in ran.out
    built = cmd("build")
    assert built.code == 0
    assert "accepted, 0 rejected" in built.out
    question = re.search(r'kb ask "(.+)"', ran.out)
    assert question is not None
    assert cmd("ask", question[1]).out.startswith("1 answer\n")


def test_files_inside_the_folder_are_named_relative_to_it(cmd: Kb, tmp_path: Path) -> None:
    (tmp_path / "mine.ttl").write_bytes((MUSEUM / "ontology.ttl").read_bytes())
    assert cmd("init", "--ontology", "mine.ttl").code == 0
    text = (tmp_path / "kb.toml").read_text(encoding="utf-8")
    assert 'ontology = ["mine.ttl"]\n' in text
    assert "shapes" not in text
    assert cmd("status").code == 3  # not built yet, but configured


def test_nothing_is_overwritten(cmd: Kb, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "mine.md").touch()
    (tmp_path / "catalogue.yaml").write_text("entities: []\n", encoding="utf-8")
    assert cmd("init").out.startswith("made kb.toml\n")
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["mine.md"]
    assert (tmp_path / "catalogue.yaml").read_text(encoding="utf-8") == "entities: []\n"
    before = (tmp_path / "kb.toml").read_bytes()
    ran = cmd("init", "--base", "https://other.example/")
    assert (ran.code, ran.out) == (3, "")
    assert "kb.toml: this folder is a knowledge base already; nothing was changed" in ran.err
    assert (tmp_path / "kb.toml").read_bytes() == before


@pytest.mark.parametrize("mine", ["pages/mine.md", "schemas/mine.schema.yaml"])
def test_beside_what_is_ones_own_nothing_is_made_up(cmd: Kb, tmp_path: Path, mine: str) -> None:
    path = tmp_path / mine
    path.parent.mkdir()
    path.write_text("concept: a\nfields: [{id: f}]\n", encoding="utf-8")
    ran = cmd("init")
    assert ran.out.startswith("made catalogue.yaml\nmade kb.toml\n")
    assert "schema notes, if you have any, into schemas/" in ran.out
    assert "#  - {id: alpha-service" in (tmp_path / "catalogue.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "pages").exists() == mine.startswith("pages")
    built = cmd("build", "--json")
    assert (built.code, json.loads(built.out)["entities"]) == (0, 0)


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--base", "no iri"], 3, "is not an absolute IRI"),
        (["--ontology", "none.ttl"], 2, "none.ttl"),
        (["--ontology", "broken.ttl"], 3, "broken.ttl:1"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(
    cmd: Kb, tmp_path: Path, args: list[str], code: int, says: str
) -> None:
    (tmp_path / "broken.ttl").write_text("this is no turtle", encoding="utf-8")
    ran = cmd("init", "wiki", *args)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert not (tmp_path / "wiki").exists()


def test_an_ontology_without_relations_gives_a_start_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text("<https://x.example/#Thing> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8")
    made = starter(load_vocabulary([path], []))
    assert 'type: thing, name: "Alpha Thing"' in made.catalogue
    assert made.page == "# Alpha Thing\n"
    assert made.question is None


def test_json_tells_what_was_made_and_what_comes_next(cmd: Kb) -> None:
    data = json.loads(cmd("init", "wiki", "--json").out)
    assert data["base"] == "https://wiki.example/"
    assert data["made"] == ["wiki/pages/start.md", "wiki/catalogue.yaml", "wiki/kb.toml"]
    assert "kb build --kb wiki" in data["next"]


def test_the_names_of_a_start_do_not_clash() -> None:
    made = starter(load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"]))
    ids = re.findall(r"id: ([\w-]+)", made.catalogue)
    assert len(ids) == len(set(ids)) == 3
