"""JSON in the replies of language models."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.llm.json_text import json_items, json_object

KEYS = ("subject", "object")
ONE = {"subject": "Heron", "relation": "calls", "object": "Auth", "quote": 'He said "hi".\n'}
TWO = {"subject": "Auth", "relation": "calls", "object": "Ledger", "quote": "x"}
SAID = json.dumps({"statements": [ONE, TWO]})


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        json.dumps([ONE, TWO]),
        json.dumps({"result": {"facts": [ONE, TWO]}}),
        f"```json\n{SAID}\n```",
        f"Here are the statements [as JSON]:\n\n{SAID}\n\nLet me know {{if}} you need more!",
        f"<think>maybe [1]</think>{SAID}",
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        f"{json.dumps(ONE)},\n{json.dumps(TWO)}",
        SAID.replace("}]", "},]").replace("]}", "],}"),
        SAID.replace(r"\n", "\n"),
        f'{{"statements": []}}\n\nCorrected:\n{SAID}',
        SAID.replace('"statements"', "statements"),
        f"{SAID[:-2]} // that is all\n]}}",
        "\ufeff" + SAID,
    ],
)
def test_a_list_of_objects_is_found_wherever_it_stands(text: str) -> None:
    found = json_items(text, KEYS)
    assert (found.items, found.found, found.complete) == ([ONE, TWO], True, True)


@pytest.mark.parametrize("end", range(len(json.dumps(ONE)) + 17, len(SAID) - 1))
def test_of_a_text_that_is_cut_off_the_whole_items_are_kept(end: int) -> None:
    found = json_items(SAID[:end], KEYS)
    assert not found.complete
    whole = [item for item in found.items if item in (ONE, TWO)]
    assert whole[:1] == [ONE]
    assert len(found.items) <= 2


def test_a_single_object_is_an_item() -> None:
    assert json_items(json.dumps(ONE), KEYS).items == [ONE]


@pytest.mark.parametrize("text", ["", "I found nothing.", "{", "[1, 2", '"text"', "12", "null", "{'a': }"])
def test_a_text_without_items_has_none(text: str) -> None:
    assert json_items(text, KEYS).items in ([], [1], [1, 2])
    if text in ("", "I found nothing.", "12", "null"):
        assert not json_items(text, KEYS).found


@pytest.mark.parametrize("text", ['{"statements": []}', "[]", "```\n[]\n```"])
def test_an_empty_list_is_an_answer(text: str) -> None:
    found = json_items(text, KEYS)
    assert (found.items, found.found, found.complete) == ([], True, True)


def test_the_object_with_the_key_is_preferred() -> None:
    text = 'Given {"example": 1}, the plan is {"start": "a", "hops": ["b"]}.'
    assert json_object(text, ("start",)) == ({"start": "a", "hops": ["b"]}, True)
    assert json_object('{"start": "a", "hops": ["b"', ("start",)) == ({"start": "a", "hops": ["b"]}, False)
    assert json_object("no plan", ("start",)) == (None, False)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
item = st.fixed_dictionaries({"subject": st.text(), "object": st.text()}, optional={"more": values})
prose = st.text(alphabet=st.characters(exclude_characters="[{"))


@given(st.lists(item, min_size=1, max_size=4), prose, prose, st.booleans())
def test_any_list_comes_back_from_any_prose_around_it(items: list[Any], before: str, after: str, bare: bool) -> None:
    said = json.dumps(items if bare else {"list": items}, ensure_ascii=False)
    assert json_items(before + said + after, KEYS).items == items


@given(st.text(alphabet='[]{}",:\\ntrue1-u0 a\n/*', max_size=200))
def test_nothing_raises(text: str) -> None:
    json_items(text, KEYS)
    json_object(text, KEYS)


@pytest.mark.parametrize(
    "part", ["[", "{", '{"a":', '"', "\\", '{"a": x', "[1,", '{"subject": 1}, ', "//", "/*", '[{"a":[', "-", "\n", "a"]
)
def test_hostile_text_costs_no_more_than_its_length(part: str) -> None:
    started = time.process_time()
    json_items(part * (400_000 // len(part)), KEYS)
    assert time.process_time() - started < 4
