"""Entities are found in questions by any name, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planner_worlds import LARKSPUR, MUSEUM, as_json, knowledge, planned, start

from kb.ask.planner import Planner
from kb.ask.planner.mentions import NameIndex
from kb.ask.planner.spelling import distance
from kb.ask.planner.text import read_question
from kb.errors import RefusedQuestionError
from kb.model import Entity
from kb.sources.catalogue import Catalogue


def names(*entities: Entity) -> NameIndex:
    return NameIndex({one.id: one for one in entities})


def found(index: NameIndex, question: str, known: Iterable[str] = ()) -> list[tuple[str, ...]]:
    return [mention.ids for mention in index.find(read_question(question), frozenset(known))]


def planner_for(*entities: Entity) -> Planner:
    return Planner(knowledge(LARKSPUR)[0], Catalogue({one.id: one for one in entities}))


@pytest.mark.parametrize(
    "name",
    [
        "ledger-db", "Ledger DB", "LEDGER DB", "ledger_db", "ledger.db", "ledgerdb", "the Ledger DB", "`ledger-db`",
        "Daybook", "ledger postgres", "Ledger-Postgres", "Ledger DB's", "ledger db datastore",
        "the datastore Ledger DB",
    ],
)  # fmt: skip
def test_a_name_is_found_however_it_is_written(name: str) -> None:
    question = f"what is {name} used by?" if not name.endswith("'s") else f"{name} users?"
    assert start("ledger-db", "~depends_on") == as_json(LARKSPUR, question)


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("Setlement Engine", "settlement"), ("fee-calculater", "fee-calculator"), ("Report Buidler", "report-builder"),
        ("Merchnat Registry", "merchant-registry"), ("the notifeir", "notifier"),
        ("Sanctoins Screener", "sanctions-screener"), ("KYC servcie", "kyc"),
    ],
)  # fmt: skip
def test_a_small_typing_mistake_is_forgiven(name: str, entity: str) -> None:
    assert start(entity, "owned_by") == as_json(LARKSPUR, f"who owns {name}?")


def test_names_with_digits_are_never_fuzzy() -> None:
    index = names(Entity("billing-v1", "service", "billing-v1"), Entity("web-01", "service", "web-01"))
    assert found(index, "who owns billing-v1?") == [("billing-v1",)]
    assert found(index, "who owns billing-v2?") == []
    assert found(index, "who owns web-02?") == []


def test_the_longest_name_wins() -> None:
    index = names(*(Entity(one, "service", one) for one in ("ledger", "ledger-db", "ledger-db-backup")))
    assert found(index, "what needs ledger db backup and ledger-db?") == [("ledger-db-backup",), ("ledger-db",)]


def test_a_name_inside_a_longer_unknown_name_is_doubted() -> None:
    index = names(Entity("registry", "service", "registry"))
    (mention,) = index.find(read_question("who owns patroni-registry?"), frozenset())
    assert mention.confidence < 0.5


def test_a_plural_and_a_first_name_are_understood() -> None:
    index = names(Entity("vault", "datastore", "Card Vault"), Entity("ada", "person", "Ada Brandt"))
    assert found(index, "who looks after the card vaults?") == [("vault",)]
    assert found(index, "what does Ada lead?") == [("ada",)]


def test_a_lower_case_word_is_no_first_name() -> None:
    assert found(names(Entity("p1", "person", "Grace Hopper")), "is there a grace period?") == []


def test_accents_and_ampersands_do_not_matter() -> None:
    assert start("hana-sykora", "~restored_by") == as_json(MUSEUM, "What did Hana Sykora repair?")
    assert as_json(MUSEUM, "Who curates Salt & Silver?") == as_json(MUSEUM, "Who curates Salt and Silver?")


def test_a_shared_name_means_the_entity_whose_type_fits() -> None:
    planner = planner_for(
        Entity("search-service", "service", "Search"),
        Entity("search-team", "team", "Search"),
        Entity("ada", "person", "Ada Brandt"),
    )
    assert planner.plan("who leads Search?").plan.to_json() == start("search-team", "led_by")
    assert planner.plan("who owns Search?").plan.to_json() == start("search-service", "owned_by")
    assert planner.plan("what does the Search team own?").plan.to_json() == start("search-team", "~owned_by")


def test_a_name_beats_an_alias_that_is_spelt_the_same() -> None:
    planner = planner_for(
        Entity("search", "service", "search", ("Elasticsearch",)), Entity("elasticsearch", "service", "elasticsearch")
    )
    assert planner.plan("What depends on Elasticsearch?").plan.to_json() == start("elasticsearch", "~depends_on")


@pytest.mark.parametrize("name", ["service", "owner", "about"])
def test_a_common_word_is_an_entity_only_where_a_name_stands(name: str) -> None:
    planner = planner_for(Entity(name, "service", name), Entity("ledger", "service", "ledger"))
    assert planner.plan(f"what does {name} depend on?").plan.to_json() == start(name, "depends_on")
    asked = planner.plan("which service owner should I ask about the ledger?").plan.to_json()
    assert asked["start"] == "ledger"


def test_words_that_mean_something_else_are_no_misspelt_names() -> None:
    index = names(Entity("shame", "service", "Shame"), Entity("merchant-db", "datastore", "Merchant DB"))
    assert found(index, "which films share a director?") == []
    assert found(index, "to 5 percent of merchants") == []


def test_an_unknown_name_where_an_entity_is_expected_is_refused() -> None:
    with pytest.raises(RefusedQuestionError, match="'Frobnicator' is not in the catalogue"):
        planned(LARKSPUR, "Which things owned by Frobnicator depend on the Ledger?")


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(RefusedQuestionError, match="did you mean Reconciler"):
        planned(LARKSPUR, "who is behind the Reconcilatory thing")


# -- distances ---------------------------------------------------------------------------------------------------------


def plain_distance(a: str, b: str) -> int:
    """Optimal string alignment by its recurrence."""
    if not a or not b:
        return len(a) + len(b)
    options = [
        plain_distance(a[:-1], b) + 1,
        plain_distance(a, b[:-1]) + 1,
        plain_distance(a[:-1], b[:-1]) + (a[-1] != b[-1]),
    ]
    if len(a) > 1 and len(b) > 1 and a[-1] == b[-2] and a[-2] == b[-1]:
        options.append(plain_distance(a[:-2], b[:-2]) + 1)
    return min(options)


SHORT = st.text("abc", max_size=5)


@given(SHORT, SHORT, st.integers(0, 3))
def test_distance_is_exact_up_to_its_limit(a: str, b: str, most: int) -> None:
    assert distance(a, b, most) == min(plain_distance(a, b), most + 1)
