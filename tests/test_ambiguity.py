"""Names in questions that several entities share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_help import Kb
from hypothesis import given
from hypothesis import strategies as st
from pipeline_help import run_build, small_base

from kb.ask.ambiguity import shared_names
from kb.model import Entity

ENTITIES = {
    one.id: one
    for one in (
        Entity("login", "service", "Sign in"),
        Entity("single-sign-on", "service", "Single sign-on", ("Login",)),
        Entity("login-page", "service", "Login page"),
        Entity("crew", "team", "Crew"),
    )
}


@pytest.mark.parametrize("word", ["login", "Login", "the LOGIN", "Login's", "login?", "login."])
def test_a_shared_name_is_told_with_what_it_was_taken_for(word: str) -> None:
    (found,) = shared_names(f"who owns {word}", ENTITIES, {"start": "login", "hops": ["owned_by"]})
    assert (found.entities, found.taken) == (("login", "single-sign-on"), ("login",))
    assert "may mean login or single-sign-on; here it is taken for login. Write the id" in str(found)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("who owns the login page", {"start": "login-page"}),
        ("who owns single-sign-on", {"start": "single-sign-on"}),
        ("what does crew login to", {"start": "crew"}),
        ("login", {"any": [{"start": "login"}, {"start": "single-sign-on"}]}),
    ],
)
def test_longer_names_other_names_and_plans_about_all_of_them_are_no_ambiguity(
    question: str, plan: dict[str, object]
) -> None:
    assert shared_names(question, ENTITIES, plan) == []


def test_without_a_plan_the_choice_is_told_all_the_same() -> None:
    (found,) = shared_names("how is Login doing", ENTITIES, None)
    assert (found.name, found.taken) == ("Login", ())


@given(st.text(max_size=60))
def test_any_question_gets_an_answer(question: str) -> None:
    for found in shared_names(question, ENTITIES, None):
        assert found.name in question


def test_kb_ask_tells_what_a_shared_name_was_taken_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = small_base(tmp_path / "base")
    with (base / "catalogue.yaml").open("a", encoding="utf-8") as file:
        file.write("  - {id: shop2, type: service, name: Second, aliases: [Shop], owned_by: sales}\n")
    run_build(base)
    kb = Kb(capsys)
    ran = kb("ask", "who owns Shop?", "--kb", base)
    assert ran.code == 0
    assert "Note: 'Shop' may mean shop or shop2; here it is taken for " in ran.err
    assert json.loads(kb("ask", "who owns Shop?", "--json", "--kb", base).out)["ambiguous"][0]["name"] == "Shop"
    assert kb("ask", "who owns Second?", "--kb", base).err == ""
    ran = kb("ask", "zibble the frobs of Shop and wug", "--kb", base)
    assert ran.code == 1
    assert ran.err.startswith("Note: 'Shop' may mean shop or shop2. Write the id of the one that is meant.")
