"""Names of the catalogue in texts."""

from __future__ import annotations

import itertools

import pytest
from extract_help import CATALOGUE, ENTITIES, vocabulary
from hypothesis import given
from hypothesis import strategies as st

from kb.extract.mentions import Mention, Mentions
from kb.model import Entity
from kb.sources.catalogue import Catalogue

MENTIONS = Mentions(CATALOGUE, vocabulary())


def found(text: str) -> list[tuple[str, str, str]]:
    return [(text[m.start : m.end], m.entity_ids[0], m.kind) for m in MENTIONS.find(text)]


@pytest.mark.parametrize(
    ("text", "name", "entity", "kind"),
    [
        ("ask FX Rates for a quote", "FX Rates", "rates", "exact"),
        ("ask fx-rates for a quote", "fx-rates", "rates", "exact"),
        ("ask fx_rates for a quote", "fx_rates", "rates", "exact"),
        ("ask fx.rates for a quote", "fx.rates", "rates", "exact"),
        ("ask FX\nRates for a quote", "FX\nRates", "rates", "exact"),
        ("ask FXRATES for a quote", "FXRATES", "rates", "joined"),
        ("ask ApiGateway first", "ApiGateway", "gate", "joined"),
        ("the Ledger DB is full", "Ledger DB", "db", "exact"),
        ("Ledger's balance", "Ledger", "ledger", "exact"),
        ("MX's board", "MX", "mx", "exact"),
        ("the Stock Service", "Stock Service", "stock", "exact"),
        ("the Merchant Portl", "Merchant Portl", "portal", "typo"),
        ("the Sesion Cache", "Sesion Cache", "cache", "typo"),
        ("the Documnet Store", "Documnet Store", "docs", "typo"),
        ("Bookeeping owns it", "Bookeeping", "books", "typo"),
    ],
)
def test_a_spelling_is_found(text: str, name: str, entity: str, kind: str) -> None:
    assert (name, entity, kind) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Refund is a word of its own",  # a form of another word is no slip
        "an edgy cache of sessions",
        "Led ger",
        "Auth. Rates are high",
        "bookkeepings",
    ],
)
def test_what_is_no_name_is_not_found(text: str) -> None:
    assert [m for m in MENTIONS.find(text) if m.kind == "typo" or (not m.weak and "Auth" not in text)] == []


def test_the_longest_name_wins() -> None:
    assert found("Ledger DB") == [("Ledger DB", "db", "exact")]


def test_a_full_stop_and_a_space_end_a_name() -> None:
    catalogue = Catalogue({"x": Entity("x", "service", "Alpha Beta")})
    assert Mentions(catalogue, vocabulary()).find("We use Alpha. Beta is another thing.") == []


def test_a_shared_name_gives_every_entity_that_has_it() -> None:
    catalogue = Catalogue({"a": Entity("a", "service", "Edge"), "b": Entity("b", "team", "Edge")})
    (mention,) = Mentions(catalogue, vocabulary()).find("Edge")
    assert mention.entity_ids == ("a", "b")


def test_names_whose_numbers_differ_never_match() -> None:
    catalogue = Catalogue({"v1": Entity("v1", "service", "billing-v1"), "v2": Entity("v2", "service", "billing-v2")})
    mentions = Mentions(catalogue, vocabulary())
    assert [m.entity_ids for m in mentions.find("billing-v2")] == [("v2",)]
    assert mentions.find("billing-v3") == []


def test_everyday_words_are_weak_until_something_says_otherwise() -> None:
    assert [m.weak for m in MENTIONS.find("the ledger is full")] == [True]
    assert [m.weak for m in MENTIONS.find("the Ledger is full")] == [False]
    assert [m.weak for m in MENTIONS.find("the session cache is full")] == [False]
    assert [m.weak for m in MENTIONS.find("riskd is full")] == [False]


def test_the_noun_of_a_type_may_be_left_out() -> None:
    mentions = Mentions(Catalogue({"s-1": Entity("s-1", "service", "Stock Service")}), vocabulary())
    assert mentions.find("the Stock is low") == [Mention(4, 9, ("s-1",), "short", True)]


def test_whole_is_the_mention_that_is_the_whole_text() -> None:
    assert MENTIONS.whole(" FX Rates ") is not None
    assert MENTIONS.whole("FX Rates!") is None


@given(st.text(max_size=120))
def test_mentions_are_slices_in_order_of_known_entities(text: str) -> None:
    mentions = MENTIONS.find(text)
    assert all(0 <= m.start < m.end <= len(text) and set(m.entity_ids) <= set(ENTITIES) for m in mentions)
    assert all(a.end <= b.start for a, b in itertools.pairwise(mentions))


@given(st.sampled_from([n for e in ENTITIES.values() for n in (e.id, e.name, *e.aliases)]), st.sampled_from("-_ ."))
def test_every_name_is_found_in_any_case_with_any_separator(name: str, separator: str) -> None:
    written = separator.join(name.split()).upper()
    mention = MENTIONS.whole(written)
    assert mention is not None
    assert mention.kind == "exact"


def test_work_grows_with_the_text_and_not_with_the_catalogue() -> None:
    """Looking at a text touches each word a bounded number of times, however many names there are."""
    many = {str(i): Entity(str(i), "service", f"Alpha{i} Beta{i} Gamma{i}") for i in range(3000)}
    mentions = Mentions(Catalogue(many), vocabulary())
    assert len(mentions.find(" ".join(f"Alpha{i} Beta{i} Gamma{i}," for i in range(300)))) == 300
