"""What `kb eval` prints about gold that does not fit, and about what went wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


def gold(folder: Path, **files: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def triple(page: str, subject: str, relation: str, object_: str, quote: str = "") -> dict[str, Any]:
    return {"page": page, "subject": subject, "relation": relation, "object": object_, "quote": quote}


def test_gold_that_names_what_is_not_there_is_warned_of_on_standard_error_and_scored(
    kb: Kb, wiki: Path, tmp_path: Path
) -> None:
    rows = [triple("shop", "shop", "owned_by", "web"), triple("shop", "shopp", "owned_by", "web")]
    ran = kb("eval", "--kb", wiki, "--gold", gold(tmp_path / "gold", triples=rows))
    assert ran.code == 0
    assert "triples.jsonl:2: no entity 'shopp' in the catalogue; did you mean 'shop'?" in ran.err
    assert "distinct edges" in ran.out
    ran = kb("eval", "--kb", wiki, "--gold", tmp_path / "gold", "--json")
    assert len(json.loads(ran.out)["warnings"]) == 1


def test_many_warnings_are_cut_with_their_number(kb: Kb, wiki: Path, tmp_path: Path) -> None:
    rows = [triple("shop", f"zz{number}", "owned_by", "web") for number in range(30)]
    ran = kb("eval", "--kb", wiki, "--gold", gold(tmp_path / "gold", triples=rows))
    assert ran.err.count("no entity") == 20
    assert "and 10 more" in ran.err


def test_gold_of_some_pages_is_told_and_gold_of_all_is_not(kb: Kb, wiki: Path, tmp_path: Path) -> None:
    rows = [triple("shop", "shop", "owned_by", "web")]
    ran = kb("eval", "--kb", wiki, "--gold", gold(tmp_path / "some", triples=rows))
    assert "The gold names 1 of 3 pages." in ran.out
    rows += [triple("cart", "cart", "owned_by", "web"), triple("teams", "cart", "owned_by", "ops")]
    assert "The gold names" not in kb("eval", "--kb", wiki, "--gold", gold(tmp_path / "all", triples=rows)).out


def test_details_show_pages_quotes_and_what_each_question_was_answered(kb: Kb, wiki: Path, tmp_path: Path) -> None:
    triples = [
        triple("shop", "shop", "owned_by", "web"),
        triple("teams", "cart", "owned_by", "web", "said of the cart"),
        triple("teams", "shop", "owned_by", "ops", "said of the shop"),
    ]
    questions = [
        {"id": "q1", "question": "who owns Shop", "answer": ["ops"]},
        {"id": "q2", "question": "zibble the frobs of wug", "answer": ["ops"]},
    ]
    folder = gold(tmp_path / "gold", triples=triples, questions=questions)
    out = kb("eval", "--kb", wiki, "--gold", folder, "--details").out
    assert "Missed facts: 1" in out
    assert "said of the shop" in out
    assert "Found on a page that does not state it, though it is a fact: 1" in out
    assert "Missed on a page that states it, though found on another: 1" in out
    assert "said of the cart" in out
    first, second = out[out.index("q1, F1 0: who owns Shop") :].split("q2, F1 0: ")
    assert "expected: ops\n    given: web\n" in first
    assert 'plan: {"start": "shop", "hops": ["owned_by"]' in first
    assert "given: refused\n    refusal: " in second
