"""English morphology."""

from __future__ import annotations

import doctest
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb.language
from kb.language import NUMBER_WORDS, STOPWORDS, lemmas, plural, verb_forms, words


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(kb.language).failed == 0


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("reads", "read"), ("uses", "use"), ("used", "use"), ("calls", "call"), ("queries", "query"),
        ("copied", "copy"),
        ("writes", "write"), ("written", "write"), ("wrote", "write"), ("kept", "keep"), ("sent", "send"),
        ("led", "lead"),
        ("publishes", "publish"), ("fetches", "fetch"), ("running", "run"), ("mapped", "map"), ("owning", "own"),
        ("dependencies", "dependency"), ("services", "service"), ("people", "person"), ("databases", "database"),
        ("has", "have"), ("is", "be"), ("goes", "go"), ("built", "build"), ("hung", "hang"), ("indices", "index"),
        ("fed", "feed"), ("stored", "store"), ("caching", "cache"), ("buses", "bus"), ("relies", "rely"),
    ],
)  # fmt: skip
def test_a_form_has_its_base_among_its_lemmas(form: str, base: str) -> None:
    assert base in lemmas(form)


@pytest.mark.parametrize(
    ("word", "never"),
    [("used", "us"), ("status", "statu"), ("bus", "bu"), ("this", "thi"), ("process", "proces")],
)
def test_words_that_only_look_inflected_are_left_alone(word: str, never: str) -> None:
    assert never not in lemmas(word)


def test_negated_verbs_hold_not() -> None:
    assert {"not", "do"} <= lemmas("don't")
    assert {"not", "will"} <= lemmas("won't")


def test_curly_apostrophes_are_apostrophes() -> None:
    assert [w.lower for w in words("doesn’t Auth’s")] == ["doesn't", "auth", "'s"]


@given(st.text(max_size=80))
def test_words_are_slices_of_the_text_in_order(text: str) -> None:
    found = words(text)
    assert all(text[w.start : w.end] == w.text for w in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=15))
def test_a_word_is_among_its_own_lemmas(word: str) -> None:
    assert word in lemmas(word)


@pytest.mark.parametrize(
    "base",
    [
        "read", "call", "use", "write", "copy", "map", "open", "store", "publish", "fetch", "poll", "query", "rely",
        "own",
        "keep", "feed", "lead", "back", "catalogue", "refer", "see", "free",
    ],
)  # fmt: skip
def test_every_form_of_a_verb_leads_back_to_it(base: str) -> None:
    forms = verb_forms(base)
    for form in (forms.base, forms.third, *forms.pasts, *forms.participles, *forms.ing):
        assert base in lemmas(form)


@pytest.mark.parametrize("noun", ["service", "dependency", "person", "box", "reader", "day", "branch"])
def test_a_plural_leads_back_to_its_noun(noun: str) -> None:
    assert noun in lemmas(plural(noun))


def test_stopwords_and_numbers_are_lower_case() -> None:
    assert all(w == w.lower() for w in STOPWORDS)
    assert NUMBER_WORDS["three"] == 3
