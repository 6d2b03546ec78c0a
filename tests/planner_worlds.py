"""Planners for the knowledge bases under tests, plans written shortly, and what plans answer as plain sets."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kb.ask.plan import parse_plan
from kb.ask.planner import Planned, Planner
from kb.config import Config, load_config
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

TESTS = Path(__file__).parent
LARKSPUR = TESTS.parent / "examples" / "larkspur"
MUSEUM = TESTS / "domains" / "museum"
UNIVERSITY = TESTS / "domains" / "university"
HOUSES = TESTS / "domains" / "houses"
SPACEFLIGHT = TESTS / "domains" / "spaceflight"

JsonPlan = dict[str, Any]


# -- planners ----------------------------------------------------------------------------------------------------------


@cache
def knowledge(folder: Path) -> tuple[Vocabulary, Catalogue]:
    """What a folder's `kb.toml` points at."""
    config: Config = load_config(folder)
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    return vocabulary, load_catalogue(config.catalogue, vocabulary, config)


@cache
def planner(folder: Path) -> Planner:
    return Planner(*knowledge(folder))


def planned(folder: Path, question: str) -> Planned:
    return planner(folder).plan(question)


def as_json(folder: Path, question: str) -> JsonPlan:
    return planned(folder, question).plan.to_json()


def same(folder: Path, plan: JsonPlan) -> JsonPlan:
    """A plan as the parser writes it, so that two spellings of one plan are equal."""
    vocabulary, catalogue = knowledge(folder)
    return parse_plan(plan, vocabulary, catalogue.entities).to_json()


# -- plans, shortly ----------------------------------------------------------------------------------------------------


def start(entity: str, *hops: str, **where: Any) -> JsonPlan:
    return {"start": entity, "hops": list(hops), "where": where}


def having(where: Mapping[str, Any], *hops: str) -> JsonPlan:
    return {"where": dict(where), "hops": list(hops)}


def _combined(kind: str, plans: Iterable[JsonPlan], more: Mapping[str, Any]) -> JsonPlan:
    return {kind: list(plans), **more}


def every(*plans: JsonPlan, **more: Any) -> JsonPlan:
    return _combined("all", plans, more)


def either(*plans: JsonPlan, **more: Any) -> JsonPlan:
    return _combined("any", plans, more)


def but_not(*plans: JsonPlan, **more: Any) -> JsonPlan:
    return _combined("except", plans, more)


def count(plan: JsonPlan, by: Iterable[str] = ()) -> JsonPlan:
    return {"count": plan, **({"by": list(by)} if by else {})}


# -- answers -----------------------------------------------------------------------------------------------------------


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Sets:
    """The gold facts of a folder, and plans run over them by plain set operations."""

    def __init__(self, folder: Path) -> None:
        self.vocabulary, catalogue = knowledge(folder)
        self.entities = catalogue.entities
        self.edges: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in lines(folder / "gold" / "triples.jsonl"):
            self.edges[row["subject"], row["relation"]].add(row["object"])
            self.edges[row["object"], "~" + row["relation"]].add(row["subject"])

    def step(self, nodes: Iterable[str], hop: str) -> set[str]:
        return {other for node in nodes for other in self.edges.get((node, hop.rstrip("*")), ())}

    def walk(self, nodes: set[str], hops: Iterable[str]) -> set[str]:
        for hop in hops:
            found = self.step(nodes, hop)
            while hop.endswith("*") and not (more := self.step(found, hop)) <= found:
                found |= more
            nodes = found - nodes if hop.endswith("*") else found
        return nodes

    def holds(self, node: str, key: str, value: Any) -> bool:
        wanted = value if isinstance(value, list) else [value]
        entity = self.entities[node]
        if key == "type":
            return not self.vocabulary.ancestors(entity.type).isdisjoint(wanted)
        if key in self.vocabulary.attributes:
            return entity.attributes.get(key, False) in wanted
        found = self.step({node}, key)
        return not found if value is None else not found.isdisjoint(wanted)

    def answers(self, plan: JsonPlan) -> set[str]:
        where = plan.get("where", {})
        kind = next((kind for kind in ("all", "any", "except") if kind in plan), None)
        if kind is not None:
            first, *rest = (self.answers(part) for part in plan[kind])
            found = first.intersection(*rest) if kind == "all" else first.union(*rest)
            found = first.difference(*rest) if kind == "except" else found
        elif "start" in plan:
            found = {plan["start"]}
        else:
            found = {node for node in self.entities if all(self.holds(node, *one) for one in where.items())}
            return self.walk(found, plan.get("hops", ()))
        found = self.walk(found, plan.get("hops", ()))
        return {node for node in found if all(self.holds(node, *one) for one in where.items())}


def f1(got: set[str], want: set[str]) -> float:
    if not want or not got:
        return float(got == want)
    return 2 * len(got & want) / (len(got) + len(want))
