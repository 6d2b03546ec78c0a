"""Token estimates: near what byte-pair encodings make of a text, whose counts are given here as numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.llm import Message, Prompt
from kb.llm.tokens import count, count_prompt


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), (" ", 1), ("a", 1), ("Checkout calls the ledger.", 5), ("1234567", 3), ("\n\n\n", 1), ("-" * 60, 8)],
)
def test_short_texts_are_counted_by_the_rules(text: str, tokens: int) -> None:
    assert count(text) == tokens


@given(st.text())
def test_a_text_has_at_most_four_tokens_a_character_and_some_where_it_is_not_empty(text: str) -> None:
    assert (count(text) > 0) == bool(text)
    assert count(text) <= 4 * len(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_texts_one_after_the_other_have_about_the_tokens_of_both(one: str, two: str) -> None:
    assert abs(count(f"{one}\n{two}") - count(one) - count(two)) <= 2 + (len(one) + len(two)) / 4


def test_a_page_of_a_megabyte_is_counted_in_one_pass() -> None:
    assert count("ab" * 500_000) > 100_000
    assert count("a1" * 500_000) >= 1_000_000 * 0.9
    assert count(" " * 1_000_000) == 1


def test_other_scripts_take_more_tokens_for_a_character_than_english() -> None:
    english, chinese = "The ledger is owned by the team for payments. " * 9, "账本服务由支付团队负责。" * 9
    assert count(chinese) / len(chinese) > 3 * count(english) / len(english)


def test_a_prompt_is_its_messages_and_what_stands_around_them_without_the_schema() -> None:
    messages = (Message("system", "Be brief."), Message("user", "Who owns Cart?"))
    expected = count("Be brief.") + count("Who owns Cart?") + 2 * 4 + 3
    assert count_prompt(Prompt(messages)) == expected
    assert count_prompt(Prompt(messages, {"type": "object"})) == expected
