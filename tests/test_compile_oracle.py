"""Compiled plans give what the set-based oracle gives, on Oxigraph and on rdflib."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plan_oracle as oracle
from kb.ask.compile import compile_plan
from kb.ask.plan import parse_plan
from plan_world import IRIS, store, triples, vocabulary


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


ENGINES = pytest.mark.parametrize("engine", [run, run_rdflib])


def worlds_and(plans: Any, most: int = 12) -> Any:
    return oracle.worlds(most).flatmap(lambda world: st.tuples(st.just(world), plans(world)))


@settings(max_examples=1500)
@given(worlds_and(oracle.start_plans))
def test_any_four_hops_with_any_stars_equal_the_oracle(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    rows = run(world, query_of(world, plan))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(world, plan))


@settings(max_examples=150)
@given(worlds_and(oracle.start_plans, 7))
def test_any_four_hops_equal_the_oracle_on_rdflib(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    rows = run_rdflib(world, query_of(world, plan))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(world, plan))


@settings(max_examples=600)
@given(worlds_and(oracle.set_plans))
def test_combined_plans_equal_the_oracle(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    rows = run(world, query_of(world, plan))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(world, plan))


@settings(max_examples=100)
@given(worlds_and(oracle.set_plans, 7))
def test_combined_plans_equal_the_oracle_on_rdflib(case: tuple[oracle.World, dict[str, Any]]) -> None:
    world, plan = case
    rows = run_rdflib(world, query_of(world, plan))
    assert sorted(row[0] for row in rows) == sorted(oracle.answers(world, plan))


@settings(max_examples=400)
@given(worlds_and(oracle.set_plans), oracle.hops(1, 4))
def test_counts_equal_the_oracle(case: tuple[oracle.World, dict[str, Any]], by: list[str]) -> None:
    world, plan = case
    assert run(world, query_of(world, {"count": plan})) == [(str(len(oracle.answers(world, plan))),)]
    grouped = {"count": plan, "by": by}
    rows = run(world, query_of(world, grouped))
    assert {row[0]: int(row[1]) for row in rows} == oracle.counts(world, grouped)
    assert [int(row[1]) for row in rows] == sorted((int(row[1]) for row in rows), reverse=True)


@settings(max_examples=60)
@given(worlds_and(oracle.set_plans, 6), oracle.hops(1, 3))
def test_counts_equal_the_oracle_on_rdflib(case: tuple[oracle.World, dict[str, Any]], by: list[str]) -> None:
    world, plan = case
    assert run_rdflib(world, query_of(world, {"count": plan})) == [(str(len(oracle.answers(world, plan))),)]
    grouped = {"count": plan, "by": by}
    rows = run_rdflib(world, query_of(world, grouped))
    assert {row[0]: int(row[1]) for row in rows} == oracle.counts(world, grouped)
