"""Entities of a catalogue that may be the same thing: proposed with the reason, at any size."""

from __future__ import annotations

import random
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from dedup_help import publish

import kb
from kb.duplicates import _names, entity_duplicates
from kb.duplicates._names import alike_names
from kb.model import Entity


def entities(*names: str, type_name: str = "service") -> list[Entity]:
    return [Entity(f"e{number}", type_name, name) for number, name in enumerate(names)]


def reasons(*names: str) -> list[str]:
    return [why for _, _, why, _ in alike_names(entities(*names))]


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ("ledger", "ledger", "both are called 'ledger'"),
        ("Ledger DB", "ledger_db", "'Ledger DB' and 'ledger_db' are the same name but for case and signs"),
        ("The Ledger", "ledger", "'The Ledger' and 'ledger' are the same name but for case and signs"),
        ("Ledger DB", "ledgerdb", "'Ledger DB' and 'ledgerdb' are the same name but for spaces"),
        ("ledger report", "report ledger", "'ledger report' and 'report ledger' have the same words in another order"),
        ("payment gateway", "paymnet gateway", "'payment gateway' and 'paymnet gateway' are nearly the same name"),
        ("order-worker", "orders-worker", "'order-worker' and 'orders-worker' are nearly the same name"),
        ("authentication", "authentification", "'authentication' and 'authentification' are nearly the same name"),
        ("worker 2 eu", "worker 2  EU", "'worker 2 eu' and 'worker 2  EU' are the same name but for case and signs"),
    ],
)
def test_names_that_are_equal_or_nearly_so_are_proposed_with_the_reason(one: str, two: str, why: str) -> None:
    assert reasons(one, two) == [why]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("ledger-db-1", "ledger-db-2"),
        ("payments v2", "payments v3"),
        ("node 11 1", "node 1 11"),
        ("ledger2", "ledger"),
        ("merchant db east", "merchant db west"),
        ("inbound gateway", "outbound gateway"),
        ("orders", "orders eu"),
        ("team a", "team b"),
        ("mail", "nail"),
        ("ledger", "billing"),
        ("users-eu-api", "users-us-api"),
        ("", ""),
    ],
)
def test_names_that_differ_in_a_digit_or_a_word_are_not(one: str, two: str) -> None:
    assert reasons(one, two) == []


def test_a_shared_alias_is_a_reason_and_entities_of_other_types_are_not_compared() -> None:
    found = alike_names(
        [
            Entity("cart", "service", "Cart", ("Basket",)),
            Entity("basket", "service", "basket"),
            Entity("trolley", "service", "Trolley", ("basket", "cart")),
            Entity("cart-team", "team", "Cart"),
        ]
    )
    assert {(a, b): why for a, b, why, _ in found} == {
        ("basket", "cart"): "'basket' is the name of basket and an alias of cart",
        ("basket", "trolley"): "'basket' is the name of basket and an alias of trolley",
        ("cart", "trolley"): "'Cart' is the name of cart and an alias of trolley",
    }
    both = alike_names([Entity("a", "team", "Ops", ("SRE",)), Entity("b", "team", "Infra", ("sre",))])
    assert both == [("a", "b", "both are also called 'SRE'", 1.0)]


def test_a_name_in_two_namespaces_is_told_as_such_and_fields_of_schema_notes_are_no_entities(tmp_path: Path) -> None:
    folder = publish(
        tmp_path / "k",
        entities=[
            Entity("component:default/app-operator", "service", "app-operator"),
            Entity("component:acme/app-operator", "service", "app-operator"),
            Entity("field:one:id", "field", "id"),
            Entity("field:two:id", "field", "id"),
        ],
    )
    with kb.open(folder) as base:
        [pair] = entity_duplicates(base)
    assert pair.reason == "both are called 'app-operator', in the namespaces acme and default"
    assert (pair.a, pair.b) == ("component:acme/app-operator", "component:default/app-operator")


def test_many_entities_of_one_name_give_a_chain_and_not_all_pairs() -> None:
    found = alike_names(entities(*["same"] * 300))
    assert len(found) == 299
    assert len({one for a, b, *_ in found for one in (a, b)}) == 300


def test_twenty_thousand_names_are_compared_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class Counting(SequenceMatcher[str]):
        def ratio(self) -> float:
            nonlocal compared
            compared += 1
            return super().ratio()

    monkeypatch.setattr(_names, "SequenceMatcher", Counting)
    draw = random.Random(7)
    parts = ["pay", "ledger", "order", "cart", "mail", "report", "cache", "stock", "price", "user", "audit", "rate"]
    names = [f"{draw.choice(parts)}-{draw.choice(parts)}-{draw.choice(parts)}-{n % 977}" for n in range(20_000)]
    alike_names(entities(*names))
    assert compared < 20_000 * 20
    compared = 0
    alike_names(entities(*[f"service-{number:05}" for number in range(20_000)]))
    assert compared == 0


def test_a_misspelt_name_is_found_among_thousands() -> None:
    draw = random.Random(3)
    names = ["".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(10)) + " server" for _ in range(3000)]
    wrong = [name[:4] + name[5:] for name in names[:50]]
    swapped = [name[:6] + name[7] + name[6] + name[8:] for name in names[50:100]]
    found = {(a, b) for a, b, *_ in alike_names(entities(*names, *wrong, *swapped))}
    expected = {tuple(sorted((f"e{n}", f"e{3000 + n}"))) for n in range(100)}
    assert len(expected & found) >= 98
