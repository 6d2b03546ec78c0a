"""Compiled plans give what the set-based oracle gives, on Oxigraph and on rdflib."""

from __future__ import annotations

from typing import Any

import plan_oracle as oracle
import pyoxigraph as ox
from hypothesis import given, settings
from plan_world import IRIS, store, triples, vocabulary

from kb.ask.compile import compile_plan
from kb.ask.plan import parse_plan


def query_of(world: oracle.World, plan: dict[str, Any]) -> str:
    return compile_plan(parse_plan(plan, vocabulary(), set(world.types), check_types=False), vocabulary(), IRIS)


def run(world: oracle.World, query: str) -> list[tuple[str, ...]]:
    found = store(world).query(query)
    assert isinstance(found, ox.QuerySolutions)
    return [tuple(IRIS.entity_id(t.value) or t.value for t in row) for row in found]  # type: ignore[union-attr]


def run_rdflib(world: oracle.World, query: str) -> list[tuple[str, ...]]:
    import rdflib

    graph = rdflib.Graph()
    graph.parse(data=ox.serialize(triples(world), format=ox.RdfFormat.N_TRIPLES), format="nt")
    return [tuple(IRIS.entity_id(str(t)) or str(t) for t in row) for row in graph.query(query)]  # type: ignore[union-attr]


Case = tuple[oracle.World, dict[str, Any]]


@settings(max_examples=2000)
@given(oracle.cases(oracle.random_start_plan))
def test_any_four_hops_with_any_stars_equal_the_oracle(case: Case) -> None:
    rows = run(case[0], query_of(*case))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(*case))


@settings(max_examples=120)
@given(oracle.cases(oracle.random_start_plan, 8))
def test_any_four_hops_with_any_stars_equal_the_oracle_on_rdflib(case: Case) -> None:
    rows = run_rdflib(case[0], query_of(*case))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(*case))


@settings(max_examples=800)
@given(oracle.cases(oracle.random_set_plan))
def test_combined_plans_equal_the_oracle(case: Case) -> None:
    rows = run(case[0], query_of(*case))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(*case))


@settings(max_examples=60)
@given(oracle.cases(oracle.random_set_plan, 8))
def test_combined_plans_equal_the_oracle_on_rdflib(case: Case) -> None:
    rows = run_rdflib(case[0], query_of(*case))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(*case))


@settings(max_examples=500)
@given(oracle.cases(oracle.random_count))
def test_counts_equal_the_oracle(case: Case) -> None:
    world, plan = case
    total = {"count": plan["count"]}
    assert run(world, query_of(world, total)) == [(str(len(oracle.answers(world, plan["count"]))),)]
    rows = run(world, query_of(world, plan))
    assert {row[0]: int(row[1]) for row in rows} == oracle.counts(world, plan)
    assert [int(row[1]) for row in rows] == sorted((int(row[1]) for row in rows), reverse=True)


@settings(max_examples=30)
@given(oracle.cases(oracle.random_count, 7))
def test_counts_equal_the_oracle_on_rdflib(case: Case) -> None:
    world, plan = case
    total = {"count": plan["count"]}
    assert run_rdflib(world, query_of(world, total)) == [(str(len(oracle.answers(world, plan["count"]))),)]
    rows = run_rdflib(world, query_of(world, plan))
    assert {row[0]: int(row[1]) for row in rows} == oracle.counts(world, plan)


def test_the_random_plans_do_have_answers() -> None:
    """Equality on empty sets would show nothing."""
    for make, least in ((oracle.random_start_plan, 0.5), (oracle.random_set_plan, 0.6)):
        found = [oracle.answers(*case) for case in map(oracle.case_of(make), range(300))]
        assert sum(map(bool, found)) >= least * len(found)
