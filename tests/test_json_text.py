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


# -- what is no JSON ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        str({"statements": [ONE, TWO]}),
        repr([ONE, TWO]),
        SAID.replace('"subject"', "“subject”").replace('"Heron"', "“Heron”"),
        SAID.replace(r"\"hi\"", '"hi"'),
        SAID.replace("}]}", "]}"),
        SAID.replace("}]}", "}}"),
        SAID.replace('", "', '" "'),
        f"## Callers\n```json\n[{json.dumps(ONE)}]\n```\n## Stores\n```json\n[{json.dumps(TWO)}]\n```\n",
        "[ref 1] " * 100 + SAID,
    ],
    ids=["python", "python list", "smart quotes", "inner quotes", "no brace", "no bracket", "no commas", "two", "refs"],
)
def test_what_is_nearly_json_is_read_as_it_is_meant(text: str) -> None:
    found = json_items(text, KEYS)
    assert (found.items, found.found, found.complete) == ([ONE, TWO], True, True)


def test_an_apostrophe_in_single_quotes_is_part_of_the_text() -> None:
    assert json_items("[{'subject': 'Ada's team', 'object': 'x'}]", KEYS).items == [
        {"subject": "Ada's team", "object": "x"}
    ]


@pytest.mark.parametrize("wrong", ['{"subject": oops here, "object": "x"}', '{"subject": "a", "object"; "b"}'])
def test_an_item_that_is_no_json_costs_that_item_alone(wrong: str) -> None:
    text = f'Well: {{"statements": [{json.dumps(ONE)}, {wrong}, {json.dumps(TWO)}]}}'
    found = json_items(text, KEYS)
    assert (found.items, found.complete) == ([ONE, None, TWO], True)


def test_lines_of_json_whose_last_is_cut_off_are_incomplete() -> None:
    found = json_items(f'{json.dumps(ONE)}\n{json.dumps(TWO)}\n{{"subject": "Sta', KEYS)
    assert (found.items, found.complete) == ([ONE, TWO], False)


def test_a_bracket_in_the_sentence_after_it_does_not_make_a_list_incomplete() -> None:
    found = json_items(f"{SAID}\nSee also [the page", KEYS)
    assert (found.items, found.complete) == ([ONE, TWO], True)


@pytest.mark.parametrize("before", ["", "So: "])
def test_escaped_characters_beyond_the_first_plane_are_one_and_halves_of_them_none(before: str) -> None:
    text = before + r'[{"subject": "\ud83d\ude80 Rocket", "object": "\ud800 x \ude80"}]'
    assert json_items(text, KEYS).items == [{"subject": "🚀 Rocket", "object": "\ufffd x \ufffd"}]


def test_what_comes_back_can_always_be_written() -> None:
    found = json_items('{"subject": "\ud800", "object": "x"}', KEYS)
    assert json.dumps(found.items, ensure_ascii=False).encode()


def test_the_last_of_two_values_under_a_key_is_taken() -> None:
    said = '[{"subject": "a", "subject": "b", "object": "c"}]'
    for text in (said, f"see: {said}"):
        assert json_items(text, KEYS).items == [{"subject": "b", "object": "c"}]


def test_numbers_without_end_are_no_fault() -> None:
    assert json_items('[{"subject": "a", "object": "b", "n": ' + "9" * 9_000 + "}]", KEYS).items


@given(st.lists(item, min_size=1, max_size=3), st.sampled_from(["python", "json"]), prose)
def test_any_list_comes_back_from_python_or_json_after_prose(items: list[Any], form: str, before: str) -> None:
    said = json.dumps({"list": items})
    assert json_items(f"{before}\n{said}\n```", KEYS).items == json.loads(said)["list"]
    if form == "python":
        kept = [{"subject": f"a {i}", "object": 'b\'c "d"'} for i in range(len(items))]
        assert json_items(before + repr(kept), KEYS).items == kept


@given(st.text(alphabet="[]{}\"'“”,:\\ntrue1-u0 d8a\n/*.=", max_size=300))
def test_nothing_raises_on_any_quotes(text: str) -> None:
    json_items(text, KEYS)
    json_object(text, KEYS)


@pytest.mark.parametrize(
    "part", ["'", "“a", '{"a":"b" c', '{"subject":"x","object":y},', "} \n ", '[{"a":[', '", ', "x ", '{"a"=']
)
def test_hostile_quotes_and_ends_cost_no_more_than_their_length(part: str) -> None:
    started = time.process_time()
    json_items('[{"a": "' + part * (400_000 // len(part)), KEYS)
    json_items(part * (400_000 // len(part)), KEYS)
    assert time.process_time() - started < 6
