"""What plans mean, as plain set operations, and small random graphs to ask about. Knows nothing of SPARQL or `kb`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

RELATIONS = ("links_to", "made_of", "near")  # links_to has the inverse linked_from, made_of the inverse part_in
SYMMETRIC = {"near"}
INVERSES = {"linked_from": "links_to", "part_in": "made_of"}
ABOVE = {"thing": {"thing"}, "tool": {"thing", "tool"}, "saw": {"thing", "tool", "saw"}, "place": {"place"}}


@dataclass
class World:
    """Entities by id with their type and values, and edges (subject, relation, object)."""

    types: dict[str, str]
    edges: set[tuple[str, str, str]]
    values: dict[str, dict[str, Any]] = field(default_factory=dict)


# -- the oracle ------------------------------------------------------------------------------------------------------


def step(world: World, nodes: set[str], name: str) -> set[str]:
    back, name = name.startswith("~") != (name.strip("~*") in INVERSES), name.strip("~*")
    pairs = {(s, o) for s, r, o in world.edges if r == INVERSES.get(name, name)}
    pairs = {(o, s) for s, o in pairs} if back else pairs
    pairs |= {(o, s) for s, o in pairs} if name in SYMMETRIC else set()
    return {o for s, o in pairs if s in nodes}


def walk(world: World, nodes: set[str], hops: list[str]) -> set[str]:
    for hop in hops:
        found = step(world, nodes, hop)
        while hop.endswith("*") and not (more := step(world, found, hop)) <= found:
            found |= more
        nodes = found - nodes if hop.endswith("*") else found
    return nodes


def holds(world: World, node: str, key: str, value: Any) -> bool:
    wanted = value if isinstance(value, list) else [value]
    if key == "type":
        return bool(ABOVE[world.types[node]] & set(wanted))
    if key in ("sharp", "weight", "colour"):
        has = world.values.get(node, {}).get(key)
        return has in wanted or (has is None and key == "sharp" and False in wanted and world.types[node] != "place")
    return bool(step(world, {node}, key) & set(wanted)) if value is not None else not step(world, {node}, key)


def answers(world: World, plan: dict[str, Any]) -> set[str]:
    kind = next((kind for kind in ("all", "any", "except") if kind in plan), None)
    if "start" in plan:
        found = walk(world, {plan["start"]}, plan.get("hops", []))
    elif kind is None:
        kept = {n for n in world.types if all(holds(world, n, k, v) for k, v in plan["where"].items())}
        return walk(world, kept, plan.get("hops", []))
    else:
        sets = [answers(world, part) for part in plan[kind]]
        found = set.intersection(*sets) if kind == "all" else set.union(*sets)
        found = walk(world, sets[0].difference(*sets[1:]) if kind == "except" else found, plan.get("hops", []))
    return {n for n in found if all(holds(world, n, k, v) for k, v in plan.get("where", {}).items())}


def counts(world: World, plan: dict[str, Any]) -> dict[str, int]:
    reached = [node for member in answers(world, plan["count"]) for node in walk(world, {member}, plan["by"])]
    return {node: reached.count(node) for node in reached}


# -- random worlds and plans -----------------------------------------------------------------------------------------
#
# Seeds are Hypothesis's, the rest is drawn evenly and most steps so that they lead somewhere: from collections of its
# own nearly every graph is so sparse, and every plan so short, that all answers are empty.

VALUES: dict[str, list[Any]] = {"sharp": [True, False], "weight": [0, 1, 2], "colour": ["red", 'a "b"\\', "ß"]}

Check = Callable[[Any], object]


def tried(draw: Random, make: Callable[[], Any], good: Check) -> Any:
    """What `make` gives, in four of five cases something good if six tries find it."""
    for _ in range(6 if draw.random() < 0.8 else 0):
        if good(made := make()):
            return made
    return make()


def random_world(draw: Random, most: int) -> World:
    """Up to `most` entities; edges lead ahead by a few mostly, so that not everything reaches everything."""
    size = most - int(most * draw.random() ** 2)
    types = {f"n{number}": draw.choice(sorted(ABOVE)) for number in range(size)}
    edges: set[tuple[str, str, str]] = set()
    for relation in RELATIONS:
        for _ in range(draw.randint(0, size + size // 2)):
            subject = draw.randrange(size)
            other = draw.choice([subject + 1, subject + 1, subject + 2, subject + 3, draw.randrange(size), subject])
            edges.add((f"n{subject}", relation, f"n{min(other, size - 1)}"))
    values = {name: {key: draw.choice(some) for key, some in VALUES.items() if draw.random() < 0.6} for name in types}
    return World(types, edges, values)


def random_hops(draw: Random, world: World, nodes: set[str], least: int = 1, most: int = 4) -> list[str]:
    names = [*RELATIONS, *INVERSES, "links_to", "linked_from"]
    hops: list[str] = []
    for _ in range(draw.randint(least, most)):
        hops.append(
            tried(
                draw,
                lambda: draw.choice(["", "", "~"]) + draw.choice(names) + draw.choice(["", "*"]),
                lambda hop, nodes=nodes: walk(world, nodes, [hop]),
            )
        )
        nodes = walk(world, nodes, hops[-1:])
    return hops


def random_where(draw: Random, world: World, good: Check, least: int = 0) -> dict[str, Any]:
    def ids() -> Any:
        some = draw.sample(sorted(world.types), draw.randint(1, min(4, len(world.types))))
        return draw.choice([some, some, some[0], None])

    def conditions() -> dict[str, Any]:
        found: dict[str, Any] = {key: ids() for key in ("links_to", "linked_from", "near", "~made_of")}
        found["type"] = draw.choice([*sorted(ABOVE), "thing", "thing", ["saw", "place"]])
        found["sharp"] = draw.choice([True, False, False, None])
        found["weight"] = draw.choice([0, 1, [0, 2], [1, 2], None])
        found["colour"] = draw.choice([*VALUES["colour"], VALUES["colour"][:2]])
        return {key: found[key] for key in draw.sample(sorted(found), draw.choice([1, 1, 2]))}

    return tried(draw, conditions, good) if least or draw.random() < 0.4 else {}


def random_start_plan(draw: Random, world: World, most: int = 4) -> dict[str, Any]:
    start = draw.choice(sorted(world.types))
    plan = {"start": start, "hops": random_hops(draw, world, {start}, 1, most)}
    return {**plan, "where": random_where(draw, world, lambda where: answers(world, {**plan, "where": where}))}


def random_set_plan(draw: Random, world: World, depth: int = 2, *, part: bool = False) -> dict[str, Any]:
    """A plan of any form but counts; inside another one also an entity alone."""
    kind = draw.choice(["start", "where", "all", "any", "except"] if depth else ["start", "where"])
    if part and draw.random() < 0.15:
        return {"start": draw.choice(sorted(world.types))}
    if kind == "start":
        return random_start_plan(draw, world, 2)
    if kind == "where":
        plan: dict[str, Any] = {
            "where": random_where(draw, world, lambda where: answers(world, {"where": where}), least=1)
        }
    else:
        count = draw.choice([2, 2, 3] if kind == "except" else [1, 2, 2])
        plan = tried(
            draw,
            lambda: {kind: [random_set_plan(draw, world, depth - 1, part=True) for _ in range(count)]},
            lambda found: answers(world, found),
        )
    if draw.random() < 0.5:
        plan["hops"] = random_hops(draw, world, answers(world, plan), 0, 2)
    if kind == "where":
        return plan
    return {**plan, "where": random_where(draw, world, lambda where: answers(world, {**plan, "where": where}))}


def random_count(draw: Random, world: World) -> dict[str, Any]:
    """A count by up to four hops."""
    plan = random_set_plan(draw, world, 1)
    return {"count": plan, "by": random_hops(draw, world, answers(world, plan))}


def case_of(plan: Callable[[Random, World], Any], most: int = 12) -> Callable[[int], tuple[World, Any]]:
    def case(seed: int) -> tuple[World, Any]:
        draw = Random(seed)
        world = random_world(draw, most)
        return world, plan(draw, world)

    return case


def cases(plan: Callable[[Random, World], Any], most: int = 12) -> st.SearchStrategy[tuple[World, Any]]:
    """(world, plan for it)"""
    return st.integers(0, 2**40).map(case_of(plan, most))


# -- witnesses -------------------------------------------------------------------------------------------------------


def allowed(world: World, plan: dict[str, Any], length: int) -> dict[tuple[tuple[str, str, str], ...], str]:
    """Every chain of `length` facts or fewer that a plan of start and hops allows, with the node where it ends.

    A repeated hop leaves the set that it started from at its first fact and does not come back to it.
    """
    sets = [walk(world, {plan["start"]}, plan["hops"][:number]) for number in range(len(plan["hops"]) + 1)]
    done: dict[tuple[tuple[str, str, str], ...], str] = {}
    todo: list[tuple[tuple[tuple[str, str, str], ...], str, int, bool]] = [((), plan["start"], 0, False)]
    while todo:
        chain, node, number, inside = todo.pop()
        if number == len(plan["hops"]):
            done[chain] = node
        for at, hop in enumerate(plan["hops"]):
            if len(chain) == length or not (at == number or (inside and at == number - 1)):
                continue
            for fact, end in facts_from(world, node, hop):
                if not (hop.endswith("*") and end in sets[at]):
                    todo.append(((*chain, fact), end, at + 1, hop.endswith("*")))
    return done


def facts_from(world: World, node: str, hop: str) -> list[tuple[tuple[str, str, str], str]]:
    name = INVERSES.get(hop.strip("~*"), hop.strip("~*"))
    back = hop.startswith("~") != (hop.strip("~*") in INVERSES)
    both = name in SYMMETRIC
    facts = [fact for fact in sorted(world.edges) if fact[1] == name]
    ahead = [(fact, fact[2]) for fact in facts if fact[0] == node and (both or not back)]
    return ahead + [(fact, fact[0]) for fact in facts if fact[2] == node and (both or back)]
