"""`kb prompt`: what a model would be asked, without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pipeline_help import small_base, write_page

from kb.cli.main import run
from kb.config import load_config
from kb.extract.llm.prompt import PagePrompts
from kb.vocabulary import load_vocabulary


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = small_base(tmp_path / "base")
    write_page(folder, "shop", "# Shop\n\nShop calls Cart.\n")
    return folder


@pytest.mark.parametrize("page", ["shop", "pages/shop.md"])
def test_a_page_is_named_by_id_or_path_and_stands_in_the_prompt_with_the_relations(
    base: Path, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prompt", page, "--kb", str(base)]) == 0
    said = capsys.readouterr()
    assert "- depends_on: system -> system." in said.out
    assert "Shop calls Cart." in said.out
    assert "tokens" in said.err


def test_json_is_what_is_sent(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompt", "shop", "--json", "--kb", str(base)]) == 0
    (prompt,) = json.loads(capsys.readouterr().out)
    assert [one["role"] for one in prompt["messages"]] == ["system", "user"]
    names = prompt["schema"]["properties"]["statements"]["items"]["properties"]["relation"]["enum"]
    assert {"depends_on", "dependency_of"} <= set(names)
    assert prompt["tokens"] > 500
    config = load_config(base)
    assert prompt["digest"] == PagePrompts(load_vocabulary(config.ontology, config.shapes)).digest


def test_a_question_names_what_is_near_it(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompt", "--question", "Who owns the Shop?", "--kb", str(base)]) == 0
    said = capsys.readouterr().out
    assert "Who owns the Shop?" in said
    assert "shop" in said.rpartition("user")[2]


def test_a_page_that_is_not_there_is_told_with_the_nearest(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompt", "shopp", "--kb", str(base)]) == 1
    assert "did you mean 'shop'?" in capsys.readouterr().err
    assert run(["prompt", "--kb", str(base)]) == 2


def test_long_pages_are_several_prompts_and_empty_ones_none(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_page(base, "long", "# Shop\n\n" + "## Part\n\nShop calls Cart, and says so at length.\n\n" * 800)
    write_page(base, "empty", "\n")
    assert run(["prompt", "long", "--json", "--kb", str(base)]) == 0
    prompts = json.loads(capsys.readouterr().out)
    assert len(prompts) > 2
    assert run(["prompt", "empty", "--json", "--kb", str(base)]) == 0
    assert json.loads(capsys.readouterr().out) == []
