"""Witnesses are chains that the plan allows, as short as any, of facts that exist."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import plan_oracle as oracle
from kb.ask.answer import Answer, Edge, run_plan
from kb.ask.plan import parse_plan
from plan_world import IRIS, store, vocabulary


def ask(world: oracle.World, plan: dict[str, Any]) -> Answer:
    parsed = parse_plan(plan, vocabulary(), set(world.types), check_types=False)
    return run_plan(store(world), parsed, vocabulary(), IRIS)


def facts(edges: tuple[Edge, ...]) -> tuple[tuple[str, str, str], ...]:
    return tuple((edge.subject, edge.relation, edge.object) for edge in edges)


def worlds_and(plans: Any, most: int) -> Any:
    return oracle.worlds(most).flatmap(lambda world: st.tuples(st.just(world), plans(world)))


@settings(max_examples=400)
@given(worlds_and(oracle.start_plans, 6))
def test_each_witness_is_a_shortest_chain_that_the_hops_allow(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    answer = ask(world, plan)
    assert {one.id for one in answer.answers} == oracle.answers(world, plan)
    for one in answer.answers:
        chain = facts(one.witness)
        chains = oracle.allowed(world, plan, min(len(chain), 5))
        if len(chain) <= 5:
            assert chains.get(chain) == one.id
        assert not any(end == one.id and len(other) < len(chain) for other, end in chains.items())


@settings(max_examples=300)
@given(worlds_and(oracle.set_plans, 9))
def test_witnesses_of_combined_plans_are_chains_of_facts_to_the_answer(
    case: tuple[oracle.World, dict[str, Any]],
) -> None:
    world, plan = case
    answer = ask(world, plan)
    assert [one.id for one in answer.answers] == sorted(oracle.answers(world, plan))
    for one in answer.answers:
        assert {*facts(one.witness), *facts(one.because)} <= world.edges
        end = {one.id}
        for subject, _, object_ in reversed(facts(one.witness)):
            end = {other for here, other in ((subject, object_), (object_, subject)) if here in end}
            assert end


@settings(max_examples=200)
@given(worlds_and(oracle.set_plans, 9), oracle.hops(1, 3))
def test_groups_name_the_members_that_were_counted(case: tuple[oracle.World, dict[str, Any]], by: list[str]) -> None:
    world, plan = case
    answer = ask(world, {"count": plan, "by": by})
    reached = {member: oracle.walk(world, {member}, by) for member in oracle.answers(world, plan)}
    assert answer.groups is not None
    assert {group.id: list(group.members) for group in answer.groups} == {
        node: sorted(member for member, nodes in reached.items() if node in nodes)
        for node in set().union(*reached.values())
    }
    assert all(group.count == len(group.members) for group in answer.groups)
    assert [one.id for one in answer.answers] == [group.id for group in answer.groups]
    assert list(answer.groups) == sorted(answer.groups, key=lambda group: (-group.count, group.id))
    assert all(facts(one.witness) for one in answer.answers)


@settings(max_examples=100)
@given(worlds_and(oracle.set_plans, 9))
def test_a_count_comes_with_what_was_counted(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    answer = ask(world, {"count": plan})
    assert answer.count == len(answer.answers)
    assert answer.answers == ask(world, plan).answers
