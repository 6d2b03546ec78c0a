from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_oracle import World, cases, random_count, random_set_plan
from plan_world import IRIS, entities, store, vocabulary
from planner_worlds import LARKSPUR, MUSEUM, UNIVERSITY, count, having, knowledge, start
from prose_worlds import run

from kb.ask.answer import Answer, Edge, Found, Source, run_plan
from kb.ask.plan_model import StartPlan
from kb.ask.prose import Prose, predicates, wording, write_prose
from kb.ask.prose.predicates import predicate, predicate_of
from kb.extract.mentions import Mentions
from kb.model import Entity
from kb.sources.catalogue import Catalogue


def write(folder: Path, plan: dict[str, Any], **options: Any) -> Prose:
    return write_prose("?", run(folder, plan, **options), *knowledge(folder))


# -- predicates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "one", "many"),
    [
        ("depends on", "depends on", "depend on"),
        ("owned by", "is owned by", "are owned by"),
        ("part of", "is part of", "are part of"),
        ("member of", "is a member of", "are members of"),
        ("on loan from", "is on loan from", "are on loan from"),
        ("adjacent to", "is adjacent to", "are adjacent to"),
        ("successor to", "is a successor to", "are successors to"),
        ("capable of", "is capable of", "are capable of"),
        ("has part", "has the part", "have the parts"),
        ("has tags", "has the tag", "have the tags"),
        ("leader", "has the leader", "have the leaders"),
        ("members", "has the member", "have the members"),
        ("release year", "has the release year", "have the release years"),
        ("in language", "is in the language", "are in the languages"),
        ("wrote", "wrote", "wrote"),
        ("flew on", "flew on", "flew on"),
        ("starred in", "starred in", "starred in"),
        ("born in", "is born in", "are born in"),
        ("used vehicle", "used the vehicle", "used the vehicles"),
        ("preferred supplier", "has the preferred supplier", "have the preferred suppliers"),
        ("takes place in", "takes place in", "take place in"),
        ("is a member of", "is a member of", "are members of"),
        ("can be found in", "can be found in", "can be found in"),
        ("teaches", "teaches", "teach"),
        ("houses", "houses", "house"),
        ("supplies", "supplies", "supply"),
        ("near", "is near", "are near"),
        ("ties in", "ties in", "tie in"),
    ],
)
def test_a_label_of_any_form_becomes_a_predicate(label: str, one: str, many: str) -> None:
    said = predicate_of(label, ())
    assert (said.said(1, 1), said.said(2, 2)) == (one, many)


def test_other_phrases_of_a_relation_say_what_its_label_is() -> None:
    assert predicate_of("restored by", ("was restored by",)).one == "was restored by"
    assert predicate_of("language of", ("is the language of",)).many == "are the languages of"
    assert predicate_of("fermented in", ("ferments in",)).one == "fermented in"
    assert predicate_of("fermented in", ("ferments in", "is fermented in")).one == "is fermented in"
    assert predicate_of("fought in", (), ("fought by",)).one == "fought in"
    assert predicate_of("brews", (), ("brewed by",), ("brew",)).one == "brews"
    assert predicate_of("brews", (), (), ("brew",)).one == "has"
    assert predicate_of("api provided by", (), (), ("api",)).one == "is provided by"


def test_every_relation_of_the_shipped_ontologies_has_words_both_ways() -> None:
    for folder in (LARKSPUR, MUSEUM, UNIVERSITY):
        words, _ = knowledge(folder)
        for name, relation in words.relations.items():
            for backwards in (False, True):
                said = predicate(name, backwards, words)
                assert (said is not None) == (not backwards or relation.inverse is not None or relation.symmetric)


def test_examples_in_docstrings_are_true() -> None:
    for module in (predicates, wording):
        results = doctest.testmod(module)
        assert results.attempted
        assert not results.failed


# -- texts -------------------------------------------------------------------------------------------------------------


def test_answers_that_share_a_chain_share_a_sentence() -> None:
    prose = write(LARKSPUR, start("priyanka-rowe", "~led_by", "~owned_by", type="service"))
    assert prose.text == (
        "There are three services: FX Rates, Payouts and Settlement are owned by Money Movement [1][2][3], "
        "which is led by Priyanka Rowe [4]."
    )
    assert [one.number for one in prose.sources] == [1, 2, 3, 4]
    assert prose.sources[3].fact == "Money Movement is led by Priyanka Rowe"
    assert all(one.page and one.quote for one in prose.sources)
    assert (prose.by, prose.note) == ("template", "")


def test_people_are_who_and_other_things_which() -> None:
    prose = write(MUSEUM, start("johan-brekke", "~studied_under", "~created_by", type="artwork"))
    assert ", who studied under Johan Brekke [" in prose.text


def test_what_two_plans_ask_for_stands_in_one_sentence() -> None:
    plan = {"all": [start("ledger", "~depends_on"), start("fraud-risk", "~owned_by")]}
    assert write(LARKSPUR, plan).text == (
        "There is one service: Disputes depends on Ledger [1] and is owned by Fraud & Risk [2]."
    )


def test_facts_of_the_catalogue_cite_its_file() -> None:
    prose = write(LARKSPUR, having({"type": "service", "public": True}))
    assert prose.text.startswith("There are five services: API Gateway [1], Auth [2], ")
    first = prose.sources[0]
    assert (first.page, first.quote) == ("catalogue.yaml", None)
    assert first.fact == "API Gateway is a service; public: yes"


def test_many_answers_are_counted_and_ten_are_named() -> None:
    found = run(LARKSPUR, having({"type": "system"})).answers
    assert len(found) == 37
    lead = write(LARKSPUR, having({"type": "system"})).claims[0]
    assert lead.text.startswith("There are 26 services and 11 datastores: ")
    assert lead.text.endswith(f"{found[9].label} [10] and 27 more.")
    assert lead.citations == tuple(range(1, 11))
    assert [one.label in lead.text for one in found[:10]] == [True] * 10


def test_counts_by_hops_name_group_members_and_one_fact() -> None:
    prose = write(MUSEUM, count(having({"type": "exhibition"}), ["curated_by"]))
    assert prose.claims[0].text.startswith("There are three people with a count: Daniel Okoro (2) [1], ")
    assert prose.claims[1].text == "Two exhibitions are curated by Daniel Okoro: Salt and Silver [1] and Small Craft."


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (start("merchant-portal", "~depends_on"), "Nothing in the graph depends on Merchant Portal."),
        (
            start("tokeniser", "~depends_on*", type="datastore", public=True),
            "Nothing in the graph is a datastore that directly or indirectly depends on Tokeniser, with “public”: yes.",
        ),
        (
            count(start("merchant-portal", "~depends_on", "owned_by", type="team")),
            "Nothing in the graph is a team that owns something that depends on Merchant Portal.",
        ),
        (
            having({"type": "service", "owned_by": ["edge", "identity"], "depends_on": None}),
            "Nothing in the graph is a service that is owned by Edge or Identity and depends on nothing.",
        ),
    ],
)
def test_an_empty_answer_says_what_was_asked_and_cites_nothing(plan: dict[str, Any], text: str) -> None:
    prose = write(LARKSPUR, plan)
    assert (prose.text, prose.sources) == (text, ())
    assert [one.citations for one in prose.claims] == [()]


def test_what_was_read_off_pages_cites_them() -> None:
    words, catalogue = knowledge(LARKSPUR)
    found = [
        Found(one, catalogue.entities[one].name, "team", passages=(Source(f"p/{one}", one),))
        for one in ("edge", "identity")
    ]
    prose = write_prose("?", Answer(tuple(found), None, None, method="vector"), words, catalogue)
    assert prose.text == "On the pages there are two teams: Edge [1] and Identity [2]."
    assert [(one.page, one.quote) for one in prose.sources] == [("p/edge", "edge"), ("p/identity", "identity")]
    nothing = write_prose("?", Answer((), None, None, method="vector"), words, catalogue)
    assert nothing.text == "No page that was found names an answer."


def test_things_of_one_name_are_told_apart_and_odd_names_stay_on_one_line() -> None:
    words, _ = knowledge(LARKSPUR)
    catalogue = Catalogue(
        {one: Entity(one, "service", name) for one, name in [("a", "Stock"), ("b", "Stock"), ("c", "X\nY\u200b")]}
    )
    edges = [Edge(one, "depends_on", "c", (Source("p", "q"),)) for one in ("a", "b")]
    found = tuple(Found(edge.subject, "Stock", "service", (edge,)) for edge in edges)
    prose = write_prose("?", Answer(found, StartPlan("c", ()), ""), words, catalogue)
    assert prose.text == "There are two services: Stock (a) and Stock (b) depend on X Y [1][2]."


def test_prose_is_json() -> None:
    data = write(LARKSPUR, start("api-gateway", "owned_by")).to_json()
    assert data["text"] == "There is one team: Edge owns API Gateway [1]."
    assert data["by"] == "template"
    assert data["claims"] == [{"text": data["text"], "citations": [1]}]
    assert data["sources"][0].keys() == {"number", "page", "quote", "fact"}


# -- any graph ---------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.one_of(cases(random_set_plan), cases(random_count), cases(random_set_plan, 25)))
def test_every_answer_is_named_nothing_else_is_and_every_statement_is_cited(case: tuple[World, dict[str, Any]]) -> None:
    world, plan = case
    catalogue = Catalogue(entities(world))
    pages = {edge: [("page", f"{edge[0]} {edge[2]}")] for edge in world.edges}
    answer = run_plan(store(world, pages), plan, vocabulary(), IRIS, catalogue)
    prose = write_prose("", answer, vocabulary(), catalogue)
    found = {one for mention in Mentions(catalogue, vocabulary()).find(prose.text) for one in mention.entity_ids}
    allowed = {one.id for one in answer.answers} | set(_named(answer.plan.to_json() if answer.plan else {}))
    for one in answer.answers:
        allowed |= {end for edge in (*one.witness, *one.because) for end in (edge.subject, edge.object)}
    allowed |= {member for group in answer.groups or () for member in group.members}
    assert found <= allowed
    assert {one.id for one in answer.answers[:10]} <= found
    assert all(claim.citations for claim in prose.claims) or not answer.answers
    numbers = {number for claim in prose.claims for number in claim.citations}
    assert numbers == {one.number for one in prose.sources} == set(range(1, len(prose.sources) + 1))
    assert "  " not in prose.text


def _named(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for part in inner for one in _named(part)]
