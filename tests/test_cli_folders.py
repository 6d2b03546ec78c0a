"""Where commands look for the knowledge base, and what they say about builds that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_help import Kb, write_wiki


@pytest.fixture
def kb(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture
def wiki(tmp_path: Path, kb: Kb) -> Path:
    folder = write_wiki(tmp_path / "wiki")
    assert kb("build", "--kb", folder).code == 0
    return folder


def test_commands_find_the_knowledge_base_in_a_folder_above(
    kb: Kb, wiki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = wiki / "pages" / "a" / "b"
    deep.mkdir(parents=True)
    (wiki / "queries").mkdir()
    (wiki / "queries" / "mine.rq").write_text("SELECT ?x { ?x a :Team }", encoding="utf-8")
    monkeypatch.chdir(deep)
    assert kb("status").code == 0
    assert "web" in kb("query", "mine").out
    assert kb("generations").out == kb("generations", "list").out == kb("generations", "--kb", wiki).out


def test_the_nearest_folder_counts_and_a_named_one_counts_most(
    kb: Kb, wiki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = write_wiki(wiki / "inner")
    monkeypatch.chdir(inner)
    ran = kb("status")
    assert ran.code == 3
    assert "nothing has been built here" in ran.err
    assert kb("status", "--kb", wiki).code == 0
    assert kb("status", "--kb", inner / "pages").code == 3


def test_without_any_kb_toml_the_error_says_what_to_do(kb: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = kb("status")
    assert ran.code == 3
    assert "run `kb init`" in ran.err


def test_generations_lists_with_and_without_its_subcommand_whichever_side_the_folder_is_named(
    kb: Kb, wiki: Path
) -> None:
    plain = kb("generations", "--kb", wiki, "--json")
    assert kb("generations", "list", "--kb", wiki, "--json").out == plain.out
    assert kb("generations", "--kb", wiki, "list", "--json").out == plain.out
    assert [row["current"] for row in json.loads(plain.out)] == [True]


def test_a_wrong_name_of_a_generation_lists_those_there_are_and_advises_no_rebuild(kb: Kb, wiki: Path) -> None:
    (name,) = [row["name"] for row in json.loads(kb("generations", "--kb", wiki, "--json").out)]
    for command in ("rollback", "verify"):
        ran = kb("generations", command, "gen-000009-abcdef", "--kb", wiki)
        assert ran.code == 3
        assert f"no such generation; there are: {name}" in ran.err
        assert "--force" not in ran.err


def test_a_current_generation_whose_folder_is_gone_is_to_be_made_anew(kb: Kb, wiki: Path) -> None:
    (folder,) = (wiki / "kg" / "generations").glob("gen-*")
    folder.rename(wiki / "elsewhere")
    assert "kb build --force" in kb("status", "--kb", wiki).err


@pytest.mark.parametrize("hidden", [(), (".gitkeep",)])
def test_init_writes_the_starter_page_into_an_empty_pages_folder(
    kb: Kb, tmp_path: Path, hidden: tuple[str, ...]
) -> None:
    (tmp_path / "w" / "pages").mkdir(parents=True)
    for name in hidden:
        (tmp_path / "w" / "pages" / name).touch()
    ran = kb("init", tmp_path / "w")
    assert (tmp_path / "w" / "pages" / "start.md").is_file()
    assert "kb ask" in ran.out


def test_init_leaves_pages_that_are_there_alone(kb: Kb, tmp_path: Path) -> None:
    (tmp_path / "w" / "pages").mkdir(parents=True)
    (tmp_path / "w" / "pages" / "mine.md").touch()
    kb("init", tmp_path / "w")
    assert [path.name for path in (tmp_path / "w" / "pages").iterdir()] == ["mine.md"]
