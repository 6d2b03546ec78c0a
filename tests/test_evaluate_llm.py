"""A language model's reading beside the built-in reader's, from the wire to the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_help import Kb
from evaluate_help import edge, gold_folder, question
from fake_endpoint import FakeEndpoint, content, status
from model_base import model, model_base, read


def clumsy(request: dict[str, Any]) -> dict[str, Any]:
    """Says who owns Shop the wrong way round, and puts an item into each reply that is no statement."""
    said = model(request)["statements"]
    for one in said:
        if one["subject"] == "Shop" and one["relation"] == "owned_by":
            one["subject"], one["object"] = one["object"], one["subject"]
    return {"statements": [*said, "nothing else"]}


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(clumsy) as endpoint:
        yield endpoint


@pytest.fixture
def base(fake: FakeEndpoint, tmp_path: Path) -> Path:
    """Read by both readers, last by the model."""
    folder = model_base(tmp_path / "base", fake.base_url, prices={"input": 10.0, "output": 100.0})
    assert read(folder, reader="phrases").exit_code == 0
    assert read(folder).exit_code == 0
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return gold_folder(
        tmp_path / "gold",
        triples=[
            edge("shop", "depends_on", "cart", page="shop"),
            edge("shop", "owned_by", "sales", page="shop"),
            edge("cart", "depends_on", "stock", page="cart"),
            edge("cart", "depends_on", "stock-db", page="cart"),
            edge("stock", "owned_by", "supply", page="stock"),
        ],
        questions=[question("who owns Shop?", ["sales"]), question("who owns Stock?", ["supply"])],
    )


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def test_both_readers_side_by_side_with_what_the_model_took(
    command: Kb, base: Path, gold: Path, fake: FakeEndpoint
) -> None:
    data = json.loads(command("eval", "--kb", base, "--gold", gold, "--readers", "--methods", "graph", "--json").out)
    by_model, phrases = data["readers"]
    assert (by_model["reader"].split(":")[:2], phrases["reader"].partition("/")[0]) == (["llm/1", "small"], "phrases")
    assert data["notes"] == []
    assert (by_model["triples"]["f1"], by_model["answers"]["graph"]["all"]) == (1.0, 1.0)
    assert phrases["triples"]["f1"] == 1.0
    assert by_model["triples"]["reversed"] == 0
    assert by_model["statements"] == {
        "read": 5,
        "accepted": 5,
        "rejected": 0,
        "rejected_by": {},
        "dropped": 3,
        "turned_round": 1,
    }
    # The endpoint counts four letters a token; a million cost 10 in and 100 out.
    tokens = sum(sum(len(one["content"]) for one in request["messages"]) // 4 for request in fake.requests)
    used = by_model["usage"]["reading"]
    assert (used["model"], used["requests"], used["estimated"]) == ("small", len(fake.requests), False)
    assert used["prompt_tokens"] == pytest.approx(tokens, abs=2 * len(fake.requests))
    cost = (used["prompt_tokens"] * 10 + used["completion_tokens"] * 100) / 1_000_000
    assert used["cost"] == pytest.approx(cost)
    assert phrases["usage"] == {"reading": None, "asking": None}


def test_the_table_is_the_same_when_the_journal_gave_the_replies(
    command: Kb, base: Path, gold: Path, fake: FakeEndpoint
) -> None:
    args = ("eval", "--kb", base, "--gold", gold, "--readers", "--methods", "graph", "--format", "markdown")
    before, asked = command(*args).out, len(fake.requests)
    assert read(base, force=True).changed
    assert len(fake.requests) == asked
    assert command(*args).out == before
    assert "| llm small: reading | 3 |" in before
    assert "| phrases: reading | - | - | - | - |" in before
    assert "| malformed items of replies | 3 | 0 |" in before


# -- asking ------------------------------------------------------------------

OWNER_OF = re.compile(r"who owns (\w+)\?")


def planner(request: dict[str, Any]) -> Any:
    """Plans who owns what; picks Supply from any section; says nothing of use about Cart."""
    title = request["response_format"]["json_schema"]["schema"]["title"]
    asked = OWNER_OF.findall(request["messages"][1]["content"])[-1]
    if title != "plan":
        return {"answers": [{"id": "supply", "source": 1, "quote": "Stock is owned by Supply."}]}
    if asked == "Cart":
        return content("I would rather not say.")
    return {"plan": {"start": asked.lower(), "hops": ["owned_by"], "where": []}, "refuse": None}


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    rows = [question("who owns Shop?", ["sales"], id="q1"), question("who owns Stock?", ["supply"], id="q2")]
    return gold_folder(tmp_path / "asking", questions=[*rows, question("who owns Cart?", [], "none", id="q3")])


def test_a_model_that_plans_is_metered_by_question_and_paid_once(
    command: Kb, base: Path, asking: Path, fake: FakeEndpoint
) -> None:
    fake.answer = planner
    before = len(fake.requests)
    args = ("eval", "--kb", base, "--gold", asking, "--planner", "llm", "--methods", "graph")
    first = json.loads(command(*args, "--json").out)
    asked = len(fake.requests) - before
    used = first["usage"]["asking"]
    # One request a question, and another where the reply is no plan.
    assert (asked, used["requests"], used["from_journal"]) == (4, 4, 0)
    assert used["cost"] == pytest.approx((used["prompt_tokens"] * 10 + used["completion_tokens"] * 100) / 1_000_000)
    assert first["answers"]["graph"]["one_hop"] == 1.0
    again = json.loads(command(*args, "--json").out)
    # What was no plan is not kept, and asked again; the table counts all of it, whoever pays.
    assert len(fake.requests) - before - asked == 2
    assert again["usage"]["asking"] == {**used, "from_journal": 2}


def test_replies_to_questions_are_recorded_and_replayed_without_the_endpoint(
    command: Kb, base: Path, asking: Path, fake: FakeEndpoint, tmp_path: Path
) -> None:
    fake.answer = planner
    args = ("eval", "--kb", base, "--gold", asking, "--planner", "llm", "--methods", "all", "--format", "markdown")
    recorded = command(*args, "--record", tmp_path / "asked.jsonl")
    assert recorded.code == 0
    asked = len(fake.requests)
    replayed = command(*args, "--replay", tmp_path / "asked.jsonl")
    assert (replayed.code, len(fake.requests)) == (0, asked)
    assert replayed.out.splitlines() == recorded.out.splitlines()
    assert "| asking |" in recorded.out


def test_a_budget_that_is_used_up_and_an_endpoint_that_is_down_end_the_evaluation(
    command: Kb, base: Path, asking: Path, fake: FakeEndpoint
) -> None:
    fake.answer = planner
    args = ("eval", "--kb", base, "--gold", asking, "--planner", "llm", "--methods", "graph")
    ran = command(*args, "--max-cost", "0.000001")
    assert (ran.code, ran.out) == (3, "")
    assert "stopped before spending more" in ran.err
    fake.answer = lambda _request: status(401, "no such key")
    ran = command(*args)
    assert (ran.code, ran.out) == (3, "")
    assert "Traceback" not in ran.err
