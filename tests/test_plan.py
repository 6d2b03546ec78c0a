"""Plans are read with every name checked, and refused in words that say what is wrong."""

from __future__ import annotations

from random import Random
from typing import Any

import plan_oracle as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_world import ONTOLOGY, load, vocabulary

from kb.ask.plan import MAX_HOPS, CountPlan, Hop, StartPlan, WherePlan, parse_hop, parse_plan
from kb.ask.plan_model import Plan
from kb.errors import PlanError
from kb.model import Entity
from kb.vocabulary import Vocabulary

ENTITIES = {
    "anvil": Entity("anvil", "tool", "Big Anvil", ("the anvil",)),
    "bow-saw": Entity("bow-saw", "saw", "Bow Saw"),
    "yard": Entity("yard", "place", "Yard"),
}
START = {"start": "anvil", "hops": ["links_to"]}


def parse(data: object) -> Plan:
    return parse_plan(data, vocabulary(), ENTITIES)


def refused(data: object) -> str:
    with pytest.raises(PlanError) as caught:
        parse(data)
    return str(caught.value)


# -- what is accepted --------------------------------------------------------------------------------------------------


def test_a_plan_of_start_hops_and_where_is_written_as_it_was_read() -> None:
    data = {"start": "anvil", "hops": ["~made_of*", "links_to"], "where": {"type": "tool", "sharp": True}}
    assert parse(data).to_json() == data
    assert parse({**data, "where": {}}).to_json() == {**data, "where": {}}


def test_where_may_be_left_out() -> None:
    assert parse(START).to_json() == {**START, "where": {}}


def test_the_name_of_an_inverse_is_the_stored_relation_backwards() -> None:
    assert parse_hop("linked_from*", vocabulary()) == Hop("links_to", backwards=True, repeated=True)
    assert parse_hop("~linked_from", vocabulary()) == Hop("links_to")
    plan = parse({**START, "where": {"linked_from": "yard", "~part_in": ["anvil", "yard"]}})
    assert plan.to_json()["where"] == {"~links_to": "yard", "made_of": ["anvil", "yard"]}


@settings(max_examples=200)
@given(oracle.cases(oracle.random_count))
def test_any_plan_survives_being_written_and_read_again(case: tuple[oracle.World, dict[str, Any]]) -> None:
    data = case[1]
    for one in (data, data["count"], {"count": data["count"]}):
        plan = parse_plan(one, vocabulary(), check_types=False)
        assert parse_plan(plan.to_json(), vocabulary(), check_types=False) == plan


def test_plans_are_values() -> None:
    assert parse(START) == parse({"where": {}, **START})
    assert len({parse(START), parse(START)}) == 1
    assert isinstance(parse(START), StartPlan)
    assert isinstance(parse({"where": {"type": "saw"}}), WherePlan)
    assert isinstance(parse({"count": START}), CountPlan)


def test_without_entities_any_id_may_be_named() -> None:
    assert parse_plan({"start": "whatever", "hops": ["near"]}, vocabulary()).to_json()["start"] == "whatever"


def test_a_year_may_be_written_as_a_number() -> None:
    terms = ':made a owl:DatatypeProperty ; rdfs:label "made" ; schema:rangeIncludes xsd:gYear .'
    years = load(ONTOLOGY + terms, "")
    assert parse_plan({"where": {"made": 1987}}, years).to_json() == {"where": {"made": "1987"}}


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], ["plan: a plan is a JSON object", "not an empty list"]),
        ("anvil", ["plan: a plan is a JSON object", "'anvil'"]),
        (None, ["not null"]),
        ({}, ['neither a "start" nor conditions in "where"']),
        ({"where": {}}, ["would mean everything"]),
        ({"hops": ["near"]}, ["would mean everything"]),
        ({"strat": "anvil", "hops": ["near"]}, ["unknown key 'strat'", "did you mean 'start'?"]),
        ({**START, "by": ["near"]}, ["unknown key 'by'", '"start", "hops", "where"']),
        ({**START, 3: 4}, ["unknown key 3"]),
        ({"start": "anvil"}, ["plan.hops: has no hops", "links_to (backwards: linked_from)"]),
        ({"start": "anvil", "hops": []}, ["has no hops"]),
        ({"start": "anvil", "hops": "near"}, ["plan.hops: must be a list of hops, not 'near'"]),
        ({"start": "anvil", "hops": [["near"]]}, ["plan.hops[0]: a hop is the name of a relation as text, not a list"]),
        ({"start": "anvil", "hops": [None]}, ["not null"]),
        (
            {"start": "anvil", "hops": ["near", "linksto"]},
            ["plan.hops[1]", "no relation 'linksto'", "did you mean 'links_to'?", "Relations: links_to (backwards: "],
        ),
        ({"start": "anvil", "hops": ["^near"]}, ["'^near' is not a hop", "'~', not '^'"]),
        ({"start": "anvil", "hops": ["near**"]}, ["'near**' is not a hop"]),
        ({"start": "anvil", "hops": ["~~near"]}, ["'~~near' is not a hop"]),
        ({"start": "anvil", "hops": ["near+"]}, ["'near+' is not a hop"]),
        ({"start": "anvil", "hops": [" near"]}, ["' near' is not a hop"]),
        ({"start": "anvil", "hops": [""]}, ["'' is not a hop"]),
        ({"start": "anvil", "hops": ["sharp"]}, ["no relation 'sharp'"]),
        ({"start": "anvl", "hops": ["near"]}, ["plan.start: there is no entity with the id 'anvl'", "mean 'anvil'?"]),
        ({"start": "Big anvil", "hops": ["near"]}, ["'Big Anvil' has the id 'anvil'"]),
        ({"start": "The Anvil", "hops": ["near"]}, ["'Big Anvil' has the id 'anvil'"]),
        ({"start": 3, "hops": ["near"]}, ["plan.start: must be the id of an entity, not 3"]),
        ({"start": None, "hops": ["near"]}, ["not null"]),
        ({"start": 10**5000, "hops": ["near"]}, ["not a very large number"]),
        ({**START, "where": []}, ["plan.where: must be an object of conditions, not an empty list"]),
        ({**START, "where": None}, ["plan.where: must be an object", "not null"]),
        ({**START, "where": {"type": "tol"}}, ["plan.where.type: there is no type 'tol'", "did you mean 'tool'?"]),
        ({**START, "where": {"type": None}}, ["there is no type null"]),
        ({**START, "where": {"type": []}}, ["plan.where.type: an empty list keeps nothing"]),
        ({**START, "where": {"sharpp": True}}, ["no attribute or relation 'sharpp'", "did you mean 'sharp'?"]),
        ({**START, "where": {"sharp": "yes"}}, ["plan.where.sharp: must be true or false, not 'yes'"]),
        ({**START, "where": {"sharp": 1}}, ["must be true or false, not 1"]),
        ({**START, "where": {"weight": True}}, ["plan.where.weight: must be a number, not true"]),
        ({**START, "where": {"weight": "3"}}, ["must be a number, not '3'"]),
        ({**START, "where": {"weight": 1.5}}, ["must be a whole number, not 1.5"]),
        ({**START, "where": {"weight": float("nan")}}, ["out of the range"]),
        ({**START, "where": {"weight": 10**400}}, ["out of the range"]),
        ({**START, "where": {"colour": 3}}, ["plan.where.colour: must be text, not 3"]),
        ({**START, "where": {"colour": "\ud800"}}, ["half of a character"]),
        ({**START, "where": {"near": "nowhere"}}, ["plan.where.near: there is no entity with the id 'nowhere'"]),
        ({**START, "where": {"near*": "yard"}}, ["takes no '*'"]),
        ({**START, "where": {"links_to": "yard", "~linked_from": "anvil"}}, ["the same relation twice"]),
        ({"all": START}, ["plan.all: must be a list of 1 or more plans, not an object"]),
        ({"any": []}, ["plan.any: must be a list of 1 or more plans, not an empty list"]),
        ({"except": [START]}, ["plan.except: must be a list of 2 or more plans"]),
        ({"all": [START], "any": [START]}, ["both 'all' and 'any'", "one plan inside the other"]),
        ({"all": [START], "start": "anvil"}, ["unknown key 'start'"]),
        ({"all": [START, {"start": "anvil", "hops": ["nea"]}]}, ["plan.all[1].hops[0]", "did you mean 'near'?"]),
        ({"all": [{"count": START}]}, ["plan.all[0]", '"count" can stand at the top of a plan only']),
        ({"count": {"count": START}}, ["plan.count", "at the top of a plan only"]),
        ({"count": START, "by": []}, ["plan.by: has no hops"]),
        ({"count": START, "where": {}}, ["unknown key 'where'"]),
        ({"count": {"start": "anvil"}}, ["plan.count.hops: has no hops"]),
    ],
)
def test_a_wrong_plan_is_refused_in_words(data: object, words: list[str]) -> None:
    message = refused(data)
    for word in words:
        assert word in message


def test_plans_have_bounds() -> None:
    assert f"more than {MAX_HOPS} hops" in refused({"start": "anvil", "hops": ["near"] * (MAX_HOPS + 1)})
    assert "more than 20 repeated hops" in refused({"start": "anvil", "hops": ["near*"] * 21})
    assert "combines 65 plans" in refused({"any": [START] * 65})
    half = {"start": "anvil", "hops": ["near"] * (MAX_HOPS // 2)}
    assert "plan.all[2].hops" in refused({"all": [half, half, START]})
    deep: dict[str, Any] = dict(START)
    for _ in range(400):
        deep = {"all": [deep]}
    assert "more than 16 deep" in refused(deep)


@settings(max_examples=300)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=4)
        | st.sampled_from(["anvil", "near"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["start", "hops", "where", "all", "any", "except", "count", "by", "type", "near", "x"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_is_too_strange_to_be_refused(data: object) -> None:
    try:
        plan = parse(data)
    except PlanError:
        return
    assert parse(plan.to_json()) == plan


# -- what no entity of the types reached could ever meet ---------------------------------------------------------------

TYPED = """
@prefix : <https://terms.example/t#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
:Links a sh:NodeShape ; sh:targetSubjectsOf :linksTo ; sh:class :Thing .
:Linked a sh:PropertyShape ; sh:targetSubjectsOf :linksTo ; sh:path :linksTo ; sh:class :Tool .
:Made a sh:NodeShape ; sh:targetSubjectsOf :madeOf ; sh:class :Saw .
:MadeOf a sh:PropertyShape ; sh:targetSubjectsOf :madeOf ; sh:path :madeOf ; sh:class :Place .
:Near a sh:NodeShape ; sh:targetSubjectsOf :near ; sh:class :Place .
:NearTo a sh:PropertyShape ; sh:targetSubjectsOf :near ; sh:path :near ; sh:class :Place .
"""


@pytest.fixture(scope="module")
def typed() -> Vocabulary:
    return load(ONTOLOGY, TYPED)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"start": "yard", "hops": ["near", "links_to"]},
            "plan: hop 'links_to' cannot follow 'near': it leads from thing, and there is only place at that point",
        ),
        (
            {"start": "anvil", "hops": ["made_of"]},
            "cannot be the first hop here: it leads from saw, and there is only tool",
        ),
        ({"start": "bow-saw", "hops": ["~made_of"]}, "leads from place, and there is only saw at that point"),
        (
            {"start": "bow-saw", "hops": ["made_of"], "where": {"type": "tool"}},
            "nothing that is reached can be a tool: there is only place at that point",
        ),
        ({"start": "bow-saw", "hops": ["links_to"], "where": {"near": "yard"}}, "cannot be asked of saw or tool"),
        ({"start": "bow-saw", "hops": ["made_of"], "where": {"near": "anvil"}}, "it leads to place"),
        ({"where": {"type": "place"}, "hops": ["~links_to"]}, "leads from tool, and there is only place"),
        (
            {"all": [{"start": "anvil", "hops": ["links_to"]}, {"start": "yard", "hops": ["near"]}]},
            "plan: the plans of 'all' have no type in common: saw or tool and place",
        ),
        (
            {"any": [{"start": "anvil", "hops": ["links_to"]}, {"start": "anvil", "hops": ["near"]}]},
            "plan.any[1]: hop 'near'",
        ),
        ({"count": {"start": "yard", "hops": ["near"]}, "by": ["links_to"]}, "plan.by: hop 'links_to'"),
    ],
)
def test_a_plan_that_could_never_have_an_answer_names_the_hop(typed: Vocabulary, data: Any, words: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_plan(data, typed, ENTITIES)
    assert words in str(caught.value)
    assert parse_plan(data, typed, ENTITIES, check_types=False)


@settings(max_examples=500)
@given(st.integers(0, 2**40))
def test_what_is_refused_for_its_types_has_no_answers(typed: Vocabulary, seed: int) -> None:
    draw = Random(seed)
    world = oracle.random_world(draw, 10)
    entities = {name: Entity(name, kind, name) for name, kind in world.types.items()}
    world.edges = {
        (s, r, o) for s, r, o in world.edges if typed.fits(typed.relations[r], world.types[s], world.types[o])
    }
    plan = oracle.random_set_plan(draw, world)
    try:
        parse_plan(plan, typed, entities)
    except PlanError:
        # A combination is refused for one part that can have no answers, however deep inside.
        hopeless = [part for part in parts_of(plan) if not oracle.answers(world, part)]
    else:
        hopeless = [plan]
    assert hopeless


def parts_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [part for kind in ("all", "any", "except") for part in plan.get(kind, [])]
    return [plan, *(deeper for part in inner for deeper in parts_of(part))]
