"""What plans mean, as plain set operations, and small random graphs to ask about. Knows nothing of SPARQL or of `kb`."""

from __future__ import annotations

from dataclasses import dataclass, field
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

_NAMES = [f"n{number}" for number in range(12)]


@st.composite
def worlds(draw: st.DrawFn, most: int = 12) -> World:
    names = _NAMES[: draw(st.integers(1, most))]
    types = {name: draw(st.sampled_from(sorted(ABOVE))) for name in names}
    node = st.sampled_from(names)
    edges = draw(st.sets(st.tuples(node, st.sampled_from(RELATIONS), node), max_size=3 * len(names)))
    one = st.fixed_dictionaries(
        {},
        optional={
            "sharp": st.booleans(),
            "weight": st.integers(0, 2),
            "colour": st.sampled_from(["red", 'a "b"\\', "ß"]),
        },
    )
    return World(types, edges, {name: draw(one) for name in names})


def hops(least: int = 1, most: int = 4) -> st.SearchStrategy[list[str]]:
    names = st.sampled_from([*RELATIONS, *INVERSES])
    # Half of all steps use one relation, so that hops meet what earlier ones have seen.
    hop = st.tuples(st.sampled_from(["", "~"]), st.just("links_to") | names, st.sampled_from(["", "*", "*"]))
    return st.lists(hop.map("".join), min_size=least, max_size=most)


def wheres(world: World, least: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    ids = st.sampled_from(sorted(world.types))
    other = ids | st.lists(ids, min_size=1, max_size=3, unique=True) | st.none()
    conditions = {
        "type": st.sampled_from(sorted(ABOVE)) | st.just(["saw", "place"]),
        "sharp": st.booleans() | st.none(),
        "weight": st.integers(0, 2) | st.just([0, 2]) | st.none(),
        "colour": st.sampled_from(["red", 'a "b"\\', "ß"]),
        "links_to": other,
        "linked_from": other,
        "near": other,
        "~made_of": other,
    }
    keys = st.lists(st.sampled_from(sorted(conditions)), min_size=least, max_size=2, unique=True)
    return keys.flatmap(lambda found: st.fixed_dictionaries({key: conditions[key] for key in found}))


def start_plans(world: World, most_hops: int = 4) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"start": st.sampled_from(sorted(world.types)), "hops": hops(most=most_hops), "where": wheres(world)}
    )


def set_plans(world: World) -> st.SearchStrategy[dict[str, Any]]:
    where = st.fixed_dictionaries({"where": wheres(world, least=1)}, optional={"hops": hops(0, 2)})
    simple = start_plans(world, 2) | where

    def combined(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        some = {"hops": hops(0, 2), "where": wheres(world)}
        part = inner | st.fixed_dictionaries({"start": st.sampled_from(sorted(world.types))})
        one = st.lists(part, min_size=1, max_size=3)
        two = st.lists(part, min_size=2, max_size=3)
        return st.one_of(
            st.fixed_dictionaries({"all": one}, optional=some),
            st.fixed_dictionaries({"any": one}, optional=some),
            st.fixed_dictionaries({"except": two}, optional=some),
        )

    return st.recursive(simple, combined, max_leaves=4)


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
