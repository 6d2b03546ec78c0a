"""Evaluation of a museum: other relations, other types, two readers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_help import Kb
from pipeline_help import run_build

MUSEUM = Path(__file__).parent / "domains" / "museum"


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what the gold says, then from the pages."""
    folder = tmp_path_factory.mktemp("eval") / "museum"
    shutil.copytree(MUSEUM, folder, ignore=shutil.ignore_patterns("kg"))
    run_build(folder, folder / "gold" / "triples.jsonl")
    run_build(folder)
    return folder


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def test_two_readers_of_another_domain_fit_a_terminal(
    command: Kb, museum: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = command("eval", "--kb", museum, "--gold", museum / "gold", "--readers", "--methods", "graph").out
    assert max(map(len, out.splitlines())) <= 80
    assert "                             phrases  given\n  distinct edges  precision" in out
    rows = (museum / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines()
    for relation in {json.loads(row)["relation"] for row in rows}:
        assert f"  {relation} " in out


def test_statements_that_are_the_gold_score_one_and_cover_every_entity(command: Kb, museum: Path) -> None:
    ran = command("eval", "--kb", museum, "--gold", museum / "gold", "--readers", "--plans", "--json")
    reading, given = json.loads(ran.out)["readers"]
    assert (given["triples"]["f1"], given["triples"]["lines"]["f1"], given["answers"]["graph"]["all"]) == (1, 1, 1)
    assert {kind: one["share"] for kind, one in given["coverage"].items()} == {"answers": 1.0, "triples": 1.0}
    rows = [json.loads(line) for line in (museum / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines()]
    ends = {end for row in rows for end in (row["subject"], row["object"])}
    assert given["coverage"]["triples"]["of"] == len(ends)
    assert reading["coverage"]["triples"]["of"] == len(ends)
    assert reading["coverage"]["triples"]["covered"] <= len(ends)


def test_markdown_names_every_type_of_question_once(command: Kb, museum: Path) -> None:
    ran = command("eval", "--kb", museum, "--gold", museum / "gold", "--readers", "--format", "markdown")
    answers = ran.out[ran.out.index("### Answers") :]
    rows = [json.loads(line) for line in (museum / "gold" / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(answers.count(f"\n| {kind} |") == 1 for kind in {row["type"] for row in rows})
    assert f"\n| all | {len(rows)} |" in answers
