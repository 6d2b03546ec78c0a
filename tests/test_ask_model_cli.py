"""`kb ask` with a model behind real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_help import Kb, write_wiki
from fake_endpoint import FakeEndpoint, status

import kb
from kb.errors import ConfigError, GenerationError

PLANS = {
    "Who owns Shop?": {"start": "shop", "hops": ["owned_by"], "where": []},
    "What is unheard of?": {"start": "cart-db", "hops": ["~consumes_api"], "where": []},
    "Shop's crew?": {"start": "Shop", "hops": ["owned_by"]},
}


def model(request: dict[str, Any]) -> dict[str, Any]:
    """Plans the questions that it knows, and picks Web Crew off any section that names it."""
    asked = request["messages"][1]["content"]
    if "<section " in asked:
        quote = "Shop is owned by Web Crew."
        number = 1 if quote in asked.split("</section 1")[0] else 2
        return {"answers": [{"id": "web", "source": number, "quote": quote}]}
    if "claims" in json.dumps(request.get("response_format", {})):
        return {"claims": [{"text": "Web Crew owns Shop.", "cites": [1]}]}
    plan = next((plan for question, plan in PLANS.items() if question in asked), None)
    return {"plan": plan, "refuse": None if plan else "no relation says that"}


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(model) as endpoint:
        yield endpoint


@pytest.fixture
def base(fake: FakeEndpoint, tmp_path: Path) -> Path:
    folder = write_wiki(tmp_path / "base")
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'[llm]\nmodel = "small"\nbase_url = "{fake.base_url}"\nretries = 0\n'
            "prices = { input = 1.0, output = 2.0 }\n"
        )
    kb.build(folder)
    return folder


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def test_a_model_plans_and_the_graph_answers(command: Kb, base: Path, fake: FakeEndpoint) -> None:
    ran = command("ask", "--kb", base, "--planner", "llm", "--explain", "Who owns Shop?")
    assert (ran.code, ran.err) == (0, "")
    assert "Web Crew (web)" in ran.out
    assert "Understood as: Shop → owned by" in ran.out
    assert "Planned by a model; " in ran.out
    assert "Model: small, 1 request, " in ran.out
    assert "cost " in ran.out
    assert fake.requests[0]["response_format"]["json_schema"]["strict"] is True
    again = command("ask", "--kb", base, "--planner", "llm", "--explain", "Who owns Shop?")
    assert len(fake.requests) == 1
    assert "1 reply kept from before" in again.out


def test_json_has_what_the_model_took(command: Kb, base: Path) -> None:
    data = json.loads(command("ask", "--kb", base, "--planner", "llm", "--json", "Who owns Shop?").out)
    assert [one["id"] for one in data["answers"]] == ["web"]
    assert data["method"] == "graph"
    assert data["usage"]["requests"] == 1
    assert data["usage"]["prompt_tokens"] > 500
    assert data["usage"]["cost"] > 0
    offline = json.loads(command("ask", "--kb", base, "--json", "Who owns Shop?").out)
    assert "usage" not in offline


def test_methods_that_read_pages_show_page_and_quote(command: Kb, base: Path, fake: FakeEndpoint) -> None:
    offline = command("ask", "--kb", base, "--method", "vector", "Which team owns Shop?")
    assert "read off pages" in offline.out
    assert "shop: “Shop is owned by Web Crew.”" in offline.out
    assert fake.requests == []
    asked = command("ask", "--kb", base, "--method", "vector", "--planner", "llm", "Which team owns Shop?")
    assert "1 answer, read off pages" in asked.out
    assert "shop: “Shop is owned by Web Crew.”" in asked.out


def test_routed_falls_back_on_a_refusal_and_says_so(command: Kb, base: Path) -> None:
    ran = command("ask", "--kb", base, "--method", "routed", "--planner", "llm", "Is Shop well looked after?")
    assert ran.code == 0
    assert "Read off pages: no plan: the model refuses the question: no relation says that" in ran.out
    refused = command("ask", "--kb", base, "--planner", "llm", "Is Shop well looked after?")
    assert (refused.code, refused.out) == (1, "")
    assert "the model refuses the question: no relation says that" in refused.err


def test_replies_are_recorded_and_replayed_without_a_model(
    command: Kb, base: Path, fake: FakeEndpoint, tmp_path: Path
) -> None:
    file = tmp_path / "replies.jsonl"
    first = command("ask", "--kb", base, "--planner", "llm", "--record", file, "Who owns Shop?")
    asked = len(fake.requests)
    second = command("ask", "--kb", base, "--planner", "llm", "--replay", file, "Who owns Shop?")
    assert (first.out, second.code) == (second.out, 0)
    assert len(fake.requests) == asked
    lacking = command("ask", "--kb", base, "--planner", "llm", "--replay", file, "Shop's crew?")
    assert lacking.code == 3
    assert "Shop's crew?" in lacking.err


def test_a_refusal_is_recorded_and_replayed_too(command: Kb, base: Path, fake: FakeEndpoint, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    first = command("ask", "--kb", base, "--planner", "llm", "--record", file, "Why is Shop slow?")
    asked = len(fake.requests)
    second = command("ask", "--kb", base, "--planner", "llm", "--replay", file, "Why is Shop slow?")
    assert (first.code, first.err) == (1, second.err)
    assert (second.code, len(fake.requests)) == (1, asked)


def test_kb_toml_chooses_planner_and_method(command: Kb, base: Path, fake: FakeEndpoint) -> None:
    with (base / "kb.toml").open("a", encoding="utf-8") as file:
        file.write('[ask]\nplanner = "llm"\nmethod = "hybrid"\n')
    ran = command("ask", "--kb", base, "--json", "Shop's crew?")
    assert json.loads(ran.out)["answers"][0]["id"] == "web"
    assert json.loads(ran.out)["asked"] == "hybrid"
    assert len(fake.requests) == 1
    assert "usage" not in json.loads(
        command("ask", "--kb", base, "--planner", "search", "--json", "Who owns Shop?").out
    )


def test_an_endpoint_that_is_down_is_no_refusal(command: Kb, base: Path, fake: FakeEndpoint) -> None:
    fake.misbehave(*[status(401, "no such key")] * 3)
    ran = command("ask", "--kb", base, "--planner", "llm", "--method", "routed", "Who owns Shop?")
    assert ran.code == 3
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--record", "x.jsonl", "Who owns Shop?"),
        ("--plan", "{}", "--planner", "llm"),
        ("--plan", "{}", "--method", "vector"),
    ],
)
def test_options_that_exclude_each_other(command: Kb, base: Path, arguments: tuple[str, ...]) -> None:
    assert command("ask", "--kb", base, *arguments).code == 2


def test_a_model_that_is_not_set_up_names_the_lines_to_add(command: Kb, tmp_path: Path) -> None:
    folder = write_wiki(tmp_path / "plain")
    kb.build(folder)
    ran = command("ask", "--kb", folder, "--planner", "llm", "Who owns Shop?")
    assert ran.code == 3
    assert "[llm]" in ran.err
    assert 'model = "…"' in ran.err


def test_from_python(base: Path, fake: FakeEndpoint) -> None:
    with kb.open(base) as opened:
        answer = opened.ask("Who owns Shop?", planner="llm", method="routed")
        assert answer.planned is not None
        assert (answer.method, answer.asked, answer.planned.reading) == ("graph", "routed", "Shop → owned by")
        with pytest.raises(ConfigError, match="no method 'guess'"):
            opened.ask("Who owns Shop?", method="guess")
    with pytest.raises(GenerationError, match="closed"):
        _ = opened.chat
    assert len(fake.requests) == 1
