"""Names -> entities, and statements -> candidates."""

from __future__ import annotations

import random
import string
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.config import packaged
from kb.graph._closest import CUTOFF, ClosestNames, _alike_by_word
from kb.graph.candidates import candidates
from kb.graph.evidence import PageEvidence
from kb.graph.resolve import Resolver, normalised
from kb.model import Entity, Evidence, Page, Statement
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"


@pytest.fixture(scope="module")
def systems() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


@pytest.fixture(scope="module")
def museum() -> Vocabulary:
    return load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])


def catalogue(*entities: Entity) -> Catalogue:
    return Catalogue({one.id: one for one in entities})


LEDGER = Entity("ledger", "service", "Ledger", ("General Ledger", "ledger-api"))
CHECKOUT = Entity("checkout", "service", "Checkout", ("Checkout Service",))
PAYMENTS = Entity("payments", "service", "Payments")
PAYMENTS_TEAM = Entity("team-payments", "team", "Payments")
DOCUMENTS = Entity("document-store", "datastore", "Document Store")
BILLING_2 = Entity("billing-v2", "service", "Billing v2")
ANA = Entity("ana-ruiz", "person", "Ana Ruiz")


@pytest.fixture(scope="module")
def resolver(systems: Vocabulary) -> Resolver:
    return Resolver(catalogue(LEDGER, CHECKOUT, PAYMENTS, PAYMENTS_TEAM, DOCUMENTS, BILLING_2, ANA), systems)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ledger", "ledger"),
        ("Ledger", "ledger"),
        ("LEDGER", "ledger"),
        ("the Ledger", "ledger"),
        ("the ledger service", "ledger"),
        ("Ledger app", "ledger"),
        ("general_ledger", "ledger"),
        ("ledger.api", "ledger"),
        ("  General   Ledger ", "ledger"),
        ("Ｌｅｄｇｅｒ", "ledger"),
        ("checkout-service", "checkout"),
        ("Document", "document-store"),
        ("documents store", "document-store"),
        ("Checkuot", "checkout"),
        ("Checkuot service", "checkout"),
        ("Genral Ledger", "ledger"),
        ("ana ruiz", "ana-ruiz"),
        ("Anna Ruiz", "ana-ruiz"),
        ("team-payments", "team-payments"),
        ("Payments team", "team-payments"),
        ("Payments squad", "team-payments"),
        ("the Payments service", "payments"),
        ("billing v2", "billing-v2"),
    ],
)
def test_a_name_means_the_entity_that_people_would_take_it_for(resolver: Resolver, name: str, expected: str) -> None:
    assert resolver.resolve(name).id == expected


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Larder", "'Larder' is not in the catalogue (closest: 'Ledger', too far)"),
        ("larder service", "'larder service' is not in the catalogue (closest: 'Ledger', too far)"),
        ("billing-v1", "'billing-v1' is not in the catalogue (closest: 'Billing v2', but the numbers differ)"),
        ("Zwq", "'Zwq' is not in the catalogue"),
        ("the Ledger team", "'the Ledger team' is not in the catalogue (the name is that of 'ledger' (service))"),
        ("Checkuot team", "'Checkuot team' is not in the catalogue (closest: 'checkout' (service), of another type)"),
        ("service", "'service' is not in the catalogue (closest: 'Checkout Service', too far)"),
        (" - ", "' - ' is not a name"),
        ("", "'' is not a name"),
    ],
)
def test_an_unknown_name_says_what_is_closest(resolver: Resolver, name: str, reason: str) -> None:
    found = resolver.resolve(name)
    assert (found.id, found.code, found.reason) == (None, "unknown_entity", reason)


def test_a_similar_name_says_what_it_was_read_as(resolver: Resolver) -> None:
    assert resolver.resolve("Checkuot").reason == "'Checkuot' was read as 'checkout' (service)"
    assert resolver.resolve("Checkout").reason == ""


def test_a_shared_name_is_settled_by_the_type_that_the_relation_asks_for(resolver: Resolver) -> None:
    assert resolver.resolve("Payments", {"team"}).id == "team-payments"
    assert resolver.resolve("Payments", {"system"}).id == "payments"  # a superclass of its type


@pytest.mark.parametrize("types", [None, {"asset", "team"}, {"person"}])
def test_a_shared_name_that_types_do_not_settle_is_ambiguous_and_names_both(
    systems: Vocabulary, types: set[str] | None
) -> None:
    team = Entity("t1", "team", "Payments")
    found = Resolver(catalogue(PAYMENTS, team), systems)
    # An id is exact, whatever else has it for a name.
    assert found.resolve("payments", types).id == "payments"
    ambiguous = found.resolve("Payments", types)
    assert (ambiguous.id, ambiguous.code) == (None, "ambiguous")
    assert ambiguous.reason == "'Payments' could be 'payments' (service) or 't1' (team); write the id of the one meant"


def test_an_id_that_is_also_another_s_name_gives_way_where_the_relation_can_only_mean_that_one(
    systems: Vocabulary,
) -> None:
    found = Resolver(catalogue(Entity("gitaly", "datastore", "gitaly"), Entity("team-g", "team", "gitaly")), systems)
    assert found.resolve("gitaly").id == "gitaly"
    assert found.resolve("gitaly", {"system"}).id == "gitaly"
    assert found.resolve("gitaly", {"team"}).id == "team-g"
    assert found.resolve("gitaly", {"person"}).id == "gitaly"
    page, file = (said("gitaly", "owned_by", "gitaly", from_page=from_page) for from_page in (True, False))
    assert [one(candidates([row], found, systems, {})).object for row in (page, file)] == ["team-g", "gitaly"]


def test_a_bare_name_of_two_namespaces_is_ambiguous_and_the_ids_are_exact(systems: Vocabulary) -> None:
    twins = [Entity(f"component:{space}/app", "service", "app") for space in ("default", "other", "third", "a", "b")]
    found = Resolver(catalogue(*twins), systems)
    assert found.resolve("component:other/app", {"system"}).id == "component:other/app"
    ambiguous = found.resolve("app", {"system"})
    assert ambiguous.code == "ambiguous"
    assert ambiguous.reason.endswith("'component:other/app' (service) or 1 more; write the id of the one meant")


def test_equally_similar_names_of_different_entities_are_ambiguous(systems: Vocabulary) -> None:
    found = Resolver(catalogue(Entity("a", "service", "Mailer-A-X"), Entity("b", "service", "mailers")), systems)
    assert found.resolve("mailerz").id == "b"
    tied = Resolver(catalogue(Entity("a", "service", "notifierx"), Entity("b", "team", "notifiery")), systems)
    assert tied.resolve("notifierz").code == "ambiguous"
    assert tied.resolve("notifierz", {"team"}).id == "b"


@pytest.mark.parametrize(
    ("known", "name"),
    [("merchant-db-west", "merchant-db-east"), ("cluster-a", "cluster-b"), ("oauth", "oauth2"), ("node-12", "node-21")],
)
def test_names_that_differ_in_a_word_or_a_number_are_never_taken_for_each_other(
    systems: Vocabulary, known: str, name: str
) -> None:
    assert Resolver(catalogue(Entity(known, "service", known)), systems).resolve(name).code == "unknown_entity"


def test_type_nouns_come_from_the_ontology(museum: Vocabulary) -> None:
    long_gallery, octant = Entity("lg", "room", "Long Gallery"), Entity("oct", "instrument", "Brass Octant")
    found = Resolver(catalogue(long_gallery, octant), museum)
    assert found.resolve("the Brass Octant instrument").id == "oct"
    assert found.resolve("the Brass Octant piece").id == "oct"
    assert found.resolve("Long").id == "lg"
    # In a museum "service" is no noun for anything.
    assert found.resolve("Brass Octant service").id is None


def test_a_name_that_is_nothing_but_a_type_noun_keeps_it(systems: Vocabulary) -> None:
    found = Resolver(catalogue(Entity("x", "datastore", "Data Store"), Entity("y", "service", "data")), systems)
    assert found.resolve("the data store").id == "x"
    assert found.resolve("data").id == "y"


@given(st.text(alphabet=string.ascii_letters + " -_.é9", max_size=20))
def test_normalising_twice_changes_nothing(name: str) -> None:
    assert normalised(normalised(name)) == normalised(name)


names = st.text(alphabet="abcd 1", min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(names, max_size=12), names)
def test_the_index_finds_what_comparing_with_every_name_finds(known: list[str], key: str) -> None:
    def digits(text: str) -> list[str]:
        return "".join(c if c.isdigit() else " " for c in text).split()

    ratios = {
        other: SequenceMatcher(None, other, key, autojunk=False).ratio()
        for other in known
        if digits(other) == digits(key) and _alike_by_word(key, other)
    }
    best = max((ratio for ratio in ratios.values() if ratio >= CUTOFF), default=0.0)
    expected = sorted(other for other, ratio in ratios.items() if best and ratio == best)
    ratio, found = ClosestNames(known).best(key)
    assert (ratio, sorted(found)) == (best, expected)


def test_few_of_thousands_of_names_are_compared_in_full() -> None:
    rnd = random.Random(1)
    known = {"".join(rnd.choices(string.ascii_lowercase, k=rnd.randint(6, 16))) for _ in range(15_000)}
    index = ClosestNames(known)
    for key in sorted(known)[:200]:
        changed = key[:3] + key[4:]
        assert key in index.best(changed)[1]
    assert index.compared < 200 * 20


# -- statements -> candidates -----------------------------------------------------

TEXT = "# Checkout\n\nCheckout calls\nthe   Ledger. Later, Checkout calls\nthe Ledger again.\n"
PAGE = Page("checkout", TEXT, "0" * 64)


def said(
    subject: str, relation: str, object_: str, quote: str | None = None, start: int = -1, **more: object
) -> Statement:
    evidence = None if quote is None else Evidence(quote, start, start + len(quote) if start >= 0 else -1)
    return Statement(subject, relation, object_, more.get("source", "checkout"), evidence, more.get("from_page", True))


def one(found: tuple[list, list]):
    return [*found[0], *found[1]][0]


def test_a_quote_is_found_with_white_space_folded_and_comes_out_verbatim(
    resolver: Resolver, systems: Vocabulary
) -> None:
    statement = said("Checkout", "depends_on", "the Ledger", "Checkout  calls the Ledger")
    found = one(candidates([statement], resolver, systems, {"checkout": PAGE}))
    assert (found.subject, found.relation, found.object) == ("checkout", "depends_on", "ledger")
    evidence = found.statement.evidence
    assert evidence == Evidence("Checkout calls\nthe   Ledger", 12, 39)
    assert TEXT[evidence.start : evidence.end] == evidence.quote


def test_of_several_occurrences_the_one_at_the_offset_is_meant() -> None:
    second = TEXT.index("Checkout calls", 20)

    def located(evidence: Evidence, text: str) -> Evidence:
        return PageEvidence(Page("checkout", text, "")).places(evidence)[0]

    assert located(Evidence("Checkout calls the Ledger", second, -1), TEXT) == Evidence(
        "Checkout calls\nthe Ledger", second, second + 25
    )
    assert located(Evidence("Checkout calls the Ledger", 3, 28), TEXT).start == 12
    assert located(Evidence("Checkout calls\nthe Ledger", second, second + 25), TEXT).start == second


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("Checkout needs the Ledger", "the quote does not occur on page 'checkout': \"Checkout needs the Ledger\""),
        (" \n ", "the statement has an empty quote"),
        ("", "the statement has an empty quote"),
    ],
)
def test_a_quote_that_is_not_on_the_page_is_no_evidence(
    resolver: Resolver, systems: Vocabulary, quote: str, reason: str
) -> None:
    found = one(candidates([said("Checkout", "depends_on", "Ledger", quote)], resolver, systems, {"checkout": PAGE}))
    assert (found.code, found.reason) == ("evidence", reason)


def test_statements_without_evidence_of_files_and_of_unknown_pages_are_taken_at_their_word(
    resolver: Resolver, systems: Vocabulary
) -> None:
    rows = [
        said("Checkout", "depends_on", "Ledger"),
        said("Checkout", "depends_on", "Ledger", "not here", source="elsewhere"),
        said("Checkout", "depends_on", "Ledger", "not here", from_page=False),
    ]
    assert len(candidates(rows, resolver, systems, {"checkout": PAGE})[0]) == 3


def test_an_inverse_is_turned_round_and_its_statement_kept(resolver: Resolver, systems: Vocabulary) -> None:
    statement = said("Ledger", "dependency_of", "Checkout")
    found = one(candidates([statement], resolver, systems, {}))
    assert (found.subject, found.relation, found.object) == ("checkout", "depends_on", "ledger")
    assert found.statement == statement


def test_an_unknown_relation_gets_a_suggestion(resolver: Resolver, systems: Vocabulary) -> None:
    found = one(candidates([said("Checkout", "depend_on", "Ledger")], resolver, systems, {}))
    assert found.code == "unknown_relation"
    assert found.reason == "'depend_on' is not a relation of the ontology; did you mean 'depends_on'?"


def test_an_ambiguous_end_is_settled_by_the_other_end(systems: Vocabulary) -> None:
    # `part_of` joins teams to teams and assets to assets, so its subject alone settles nothing.
    retail = Entity("retail", "team", "Retail")
    found = Resolver(catalogue(PAYMENTS, Entity("t1", "team", "Payments"), retail), systems)
    pair = one(candidates([said("Payments", "part_of", "Retail")], found, systems, {}))
    assert (pair.subject, pair.object) == ("t1", "retail")
    assert one(candidates([said("Retail", "has_part", "Payments")], found, systems, {})).subject == "t1"


def test_candidates_and_rejections_keep_the_order_of_the_statements(resolver: Resolver, systems: Vocabulary) -> None:
    rows = [said("Checkout", "depends_on", name) for name in ("Ledger", "Larder", "Document Store", "Nix")]
    accepted, rejected = candidates(rows, resolver, systems, {})
    assert [found.statement for found in accepted] == [rows[0], rows[2]]
    assert [(found.statement, found.code) for found in rejected] == [
        (rows[1], "unknown_entity"),
        (rows[3], "unknown_entity"),
    ]
