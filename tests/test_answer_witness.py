"""Witnesses are chains that the plan allows, as short as any, of facts that exist."""

from __future__ import annotations

from typing import Any

import plan_oracle as oracle
from hypothesis import given, settings
from plan_world import IRIS, store, vocabulary

from kb.ask.answer import Answer, Edge, run_plan
from kb.ask.plan import parse_plan


def ask(world: oracle.World, plan: dict[str, Any]) -> Answer:
    parsed = parse_plan(plan, vocabulary(), set(world.types), check_types=False)
    return run_plan(store(world), parsed, vocabulary(), IRIS)


def facts(edges: tuple[Edge, ...]) -> tuple[tuple[str, str, str], ...]:
    return tuple((edge.subject, edge.relation, edge.object) for edge in edges)


Case = tuple[oracle.World, dict[str, Any]]


@settings(max_examples=500)
@given(oracle.cases(oracle.random_start_plan, 7))
def test_each_witness_is_a_shortest_chain_that_the_hops_allow(case: Case) -> None:
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
@given(oracle.cases(oracle.random_set_plan))
def test_witnesses_of_combined_plans_are_chains_of_facts_to_the_answer(case: Case) -> None:
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
@given(oracle.cases(oracle.random_count))
def test_groups_name_the_members_that_were_counted(case: Case) -> None:
    world, plan = case
    answer = ask(world, plan)
    reached = {member: oracle.walk(world, {member}, plan["by"]) for member in oracle.answers(world, plan["count"])}
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
@given(oracle.cases(oracle.random_set_plan))
def test_a_count_comes_with_what_was_counted(case: Case) -> None:
    world, plan = case
    answer = ask(world, {"count": plan})
    assert answer.count == len(answer.answers)
    assert answer.answers == ask(world, plan).answers
