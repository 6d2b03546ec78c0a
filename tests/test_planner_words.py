"""What single words and constructions of English do to a plan, whatever the ontology."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planner_worlds import LARKSPUR, MUSEUM, as_json, but_not, every, knowledge, planned, planner, start

from kb.ask.planner.cues import Cues
from kb.ask.planner.sequences import Steps
from kb.ask.planner.text import read_question
from kb.errors import RefusedQuestionError

FORWARDS, BACKWARDS = start("auth", "depends_on"), start("auth", "~depends_on")
UP, DOWN = start("auth", "~depends_on*"), start("auth", "depends_on*")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("what does Auth call", FORWARDS),
        ("what calls Auth", BACKWARDS),
        ("who calls Auth", BACKWARDS),
        ("Auth's dependencies", FORWARDS),
        ("dependencies of Auth", FORWARDS),
        ("what is Auth a dependency of", BACKWARDS),
        ("what has Auth as a dependency", BACKWARDS),
        ("what is Auth called by", BACKWARDS),
        ("what is called by Auth", FORWARDS),
        ("by what is Auth called", BACKWARDS),
        ("on what does Auth depend", FORWARDS),
        ("what does Auth depend on", FORWARDS),
        ("the things Auth calls", FORWARDS),
        ("the things that call Auth", BACKWARDS),
        ("Auth is down. What calls it?", BACKWARDS),
        ("Auth is slow. What does it call?", FORWARDS),
        ("a list of what Auth calls, please", FORWARDS),
    ],
)
def test_syntax_gives_the_direction(question: str, plan: dict[str, Any]) -> None:
    assert plan == as_json(LARKSPUR, question)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("what depends on Auth", BACKWARDS),
        ("what depends directly on Auth", BACKWARDS),
        ("what depends on Auth, directly or indirectly", UP),
        ("what depends on Auth at any depth", UP),
        ("what depends on Auth, all the way up", UP),
        ("what transitively depends on Auth", UP),
        ("not just the direct callers of Auth", UP),
        ("only the direct callers of Auth, not the indirect ones", BACKWARDS),
        ("the full closure of the dependencies of Auth", DOWN),
        ("what does Auth ultimately need", DOWN),
        ("the dependency tree of Auth", DOWN),
        ("what is above Auth", UP),
        ("what lies underneath Auth", DOWN),
        ("two levels up from Auth", start("auth", "~depends_on", "~depends_on")),
        ("three levels down from Auth", start("auth", "depends_on", "depends_on", "depends_on")),
        ("callers of the callers of Auth", start("auth", "~depends_on", "~depends_on")),
        ("things used by the things Auth uses", start("auth", "depends_on", "depends_on")),
        ("blast radius of Auth", UP),
        ("what breaks if Auth is offline", UP),
        ("Auth dies. Who is affected?", UP),
        ("which things are directly affected by an outage of Auth", BACKWARDS),
    ],
)
def test_cues_give_the_depth(question: str, plan: dict[str, Any]) -> None:
    assert plan == as_json(LARKSPUR, question)


def test_a_relation_that_the_ontology_calls_transitive_goes_all_the_way() -> None:
    assert start("room-1", "part_of*") == as_json(MUSEUM, "What is Room 1 part of?")
    assert start("room-1", "part_of") == as_json(MUSEUM, "What is Room 1 directly part of?")


def test_a_wing_stands_for_its_rooms() -> None:
    assert start("north-wing", "~part_of*", "~located_in") == as_json(MUSEUM, "What hangs in the North Wing?")


@pytest.mark.parametrize(
    ("words", "value"),
    [("public", True), ("customer-facing", True), ("internal", False), ("private", False)],
)
def test_adjectives_are_attributes(words: str, value: bool) -> None:
    assert start("auth", "~depends_on", public=value) == as_json(LARKSPUR, f"{words} callers of Auth")


def test_not_flips_an_attribute() -> None:
    assert start("auth", "~depends_on", public=False) == as_json(LARKSPUR, "callers of Auth that are not public")
    assert start("auth", "~depends_on", public=False) == as_json(
        LARKSPUR, "callers of Auth that aren't reachable from outside"
    )


def test_conditions_on_the_way_stay_on_the_way() -> None:
    plan = every(start("auth", "~depends_on", public=True), hops=["owned_by", "led_by"])
    assert plan == as_json(LARKSPUR, "who leads the teams that own public callers of Auth?")


def test_a_denied_hop_means_everything_else() -> None:
    rest = {"where": {"type": "service"}}
    assert but_not(rest, BACKWARDS) == as_json(LARKSPUR, "Which services do not call Auth?")


def test_other_leaves_out_what_is_asked_about() -> None:
    plan = as_json(LARKSPUR, "What else does the team that owns Auth own?")
    assert but_not(start("auth", "owned_by", "~owned_by"), start("auth")) == plan


@pytest.mark.parametrize("question", ["Does Auth depend on Event Bus?", "Is Event Bus used by Auth?"])
def test_yes_or_no_asks_whether_one_is_among_the_others(question: str) -> None:
    plan = as_json(LARKSPUR, question)
    assert {"start", "hops", "where"} == set(plan["all"][0])
    assert {part["start"] for part in plan["all"]} == {"auth", "event-bus"}


def test_is_it_public() -> None:
    assert {"all": [start("auth")], "where": {"public": True}} == as_json(LARKSPUR, "Is Auth public?")


def test_what_those_who_ask_do_is_no_relation() -> None:
    assert start("auth", "owned_by", "led_by") == as_json(LARKSPUR, "Auth is odd. Which lead of the owner do I call?")


def test_the_reading_and_the_explanation_say_how_it_was_understood() -> None:
    plan = planned(LARKSPUR, "ledger-db is down: which public services break, and who leads the teams that own them?")
    assert plan.reading == "(Ledger DB ← depends on (any depth); keep: public, service) → owned by → led by"
    assert plan.explanation == ("'break': ~depends_on", "'own': owned_by", "'leads': led_by")
    assert 0.8 < plan.score <= 1.0


def test_alternatives_are_other_plans() -> None:
    plan = planned(LARKSPUR, "what uses Auth and what it uses")
    assert plan.alternatives
    assert plan.plan not in [other.plan for other in plan.alternatives]


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "no words"),
        ("?!", "no words"),
        ("Which program settles accounts with the tax office?", "no entity of the catalogue is named"),
        ("Tell me about the Ledger.", "names Ledger, but nothing in it says which relation"),
        ("ledger", "it can ask for: .*depends on"),
        ("word " * 500, "500 words"),
    ],
)
def test_a_refusal_says_what_is_missing(question: str, words: str) -> None:
    with pytest.raises(RefusedQuestionError, match=words):
        planned(LARKSPUR, question)


WORDS = (
    "who what which does do is are the a of by that uses calls owns team teams leads lead owner public not directly "
    "all how many most and or if when down up it its them whose Checkout Ledger DB Edge Pigeon Marit Quell 's , ? . ( )"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=25))
def test_any_words_get_a_valid_plan_or_a_refusal(words: list[str]) -> None:
    question = " ".join(words)
    try:
        first = planned(LARKSPUR, question)
    except RefusedQuestionError:
        return
    assert first == planned(LARKSPUR, question)


@given(st.text(max_size=80))
def test_any_text_gets_a_valid_plan_or_a_refusal(text: str) -> None:
    try:
        planned(MUSEUM, text)
    except RefusedQuestionError:
        return


# -- the pieces --------------------------------------------------------------------------------------------------------


def test_sentences_that_only_tell_are_context() -> None:
    question = read_question("An auditor asks about batchdb. Who owns what is left of it?")
    assert [token.lower for token in question.tokens if token.context] == ["an", "auditor", "asks", "about", "batchdb"]


def test_abbreviations_do_not_end_a_sentence() -> None:
    question = read_question("Who teaches T. Arkwell, i.e. the painter?")
    assert {token.segment for token in question.tokens} == {0}


def test_directly_or_indirectly_is_not_direct() -> None:
    cues = Cues(read_question("what needs it, directly or indirectly"), frozenset())
    assert cues.closure
    assert not cues.direct


def test_hops_follow_the_signatures() -> None:
    vocabulary, catalogue = knowledge(LARKSPUR)
    steps = Steps(vocabulary, catalogue.entities)
    owned, led = steps.code("owned_by", backwards=False), steps.code("led_by", backwards=False)
    assert steps.walk(steps.of("service"), (owned, led))[-1] == steps.of("person")
    assert steps.walk(steps.of("service"), (led,)) == []
    assert steps.code("depends_on", backwards=True) in steps.repeatable
    assert owned not in steps.repeatable


@pytest.mark.parametrize("folder", [LARKSPUR, MUSEUM], ids=["larkspur", "museum"])
def test_planning_considers_a_bounded_number_of_sequences(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most one beam a hop, whatever the question says."""
    from kb.ask.planner.chains import Reader

    sizes = []
    grow = Reader.grow
    monkeypatch.setattr(Reader, "grow", lambda self, seed: sizes.append(len(found := grow(self, seed))) or found)
    entity = next(iter(planner(folder).entities.values()))
    planner(folder).plan(f"who owns what uses what calls what needs what leads who made what hangs in {entity.name}?")
    assert sizes
    assert max(sizes) <= 1 + 5 * 48
