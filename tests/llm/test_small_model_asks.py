"""Prompts and questions before the real server: what is printed is what is asked, and a bad plan is told in words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import httpx
import openai
import pytest
from small_model import MODEL, Built, kb, move

from kb.extract.llm.schema import ITEM_KEYS
from kb.llm import Message, Prompt
from kb.llm.chat import request_digest

pytestmark = [pytest.mark.llm, pytest.mark.timeout(900)]

QUESTIONS = {"systems": "What does Cart depend on?", "ferries": "Which ferries call at Selby Quay?"}
PAGES = {"systems": "stock", "ferries": "heron"}


def name_of(base: Built) -> str:
    return base.folder.parent.name.rstrip("0123456789")


def test_the_prompt_that_is_printed_is_the_one_that_was_asked_and_its_schema_holds(base: Built, address: str) -> None:
    page = PAGES[name_of(base)]
    printed = kb(base.folder, "prompt", page, "--json")
    assert printed.returncode == 0, printed.stderr
    (shown,) = json.loads(printed.stdout)
    prompt = Prompt(tuple(Message(one["role"], one["content"]) for one in shown["messages"]), shown["schema"])
    asked = [json.loads(line) for line in base.recording.read_text().splitlines()[1:]]
    assert request_digest(prompt, MODEL) in {one["request"] for one in asked if one["label"] == page}
    for_people = kb(base.folder, "prompt", page)
    assert for_people.returncode == 0
    assert (base.folder / "pages" / f"{page}.md").read_text() in for_people.stdout

    # The same by the plain client: what holds the form is the server, whatever is made of replies afterwards.
    with (
        httpx.Client(trust_env=False) as http,
        openai.OpenAI(base_url=address, api_key="none", max_retries=0, timeout=120, http_client=http) as client,
    ):
        reply = client.chat.completions.create(
            model=MODEL,
            messages=shown["messages"],
            temperature=0,
            max_tokens=512,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": shown["schema"], "strict": True},
            },
        )
    assert reply.usage is not None
    assert shown["tokens"] == pytest.approx(reply.usage.prompt_tokens, rel=0.15)
    if reply.choices[0].finish_reason == "stop":
        relations = shown["schema"]["properties"]["statements"]["items"]["properties"]["relation"]["enum"]
        statements = json.loads(reply.choices[0].message.content or "")["statements"]
        assert all(tuple(one) == ITEM_KEYS and one["relation"] in relations for one in statements)


def test_a_question_is_answered_or_refused_in_words_and_again_without_the_server(
    base: Built, address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "base"
    shutil.copytree(base.folder, folder)
    # A model that repeats itself takes a minute to fill a longer reply.
    move(folder, "max_tokens = 512", "max_tokens = 96")
    question, recording = QUESTIONS[name_of(base)], tmp_path / "plans.jsonl"
    asked = kb(folder, "ask", question, "--planner", "llm", "--record", recording)
    assert "Traceback" not in asked.stdout + asked.stderr
    if asked.returncode == 0:
        assert "Understood as: " in asked.stdout
    else:
        assert asked.returncode == 1, asked.stderr
        assert asked.stdout == ""
        told = "Error: the model gave no plan that can be used. First: ", "Error: the model refuses the question: "
        assert asked.stderr.startswith(told)

    move(folder, address, "http://127.0.0.1:9/v1")
    again = kb(folder, "ask", question, "--planner", "llm", "--replay", recording)
    assert (again.returncode, again.stdout, again.stderr) == (asked.returncode, asked.stdout, asked.stderr)
