"""Which types a plan can reach, from what the vocabulary says each relation joins.

Used to refuse plans that could never have an answer, in words that name the hop. The vocabulary's signatures are what
the shapes allow, so a hop that they rule out has no facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb.ask.plan_model import CombinedPlan, Hop, SetPlan, StartPlan, Where, WherePlan
from kb.errors import PlanError
from kb.vocabulary import Vocabulary

__all__ = ["Types", "after_hop", "after_hops", "reached_types"]

Types = frozenset[str] | None
"""Names of the types that the members of a set may be declared with; None where anything is possible."""


def after_hop(types: Types, hop: Hop, vocabulary: Vocabulary) -> Types:
    """Types of what one hop leads to; empty where the hop cannot be taken from any of `types`."""
    reached = _one_step(types, hop, vocabulary)
    if not hop.repeated:
        return reached
    while reached is not None:
        further = _one_step(reached, hop, vocabulary)
        if further is None or further <= reached:
            return None if further is None else reached
        reached |= further
    return None


def _one_step(types: Types, hop: Hop, vocabulary: Vocabulary) -> Types:
    relation = vocabulary.relations[hop.relation]
    ends = [(o, s) if hop.backwards else (s, o) for s, o in relation.signatures]
    if relation.symmetric:
        ends += [(o, s) for s, o in ends]
    reached: set[str] = set()
    for near, far in ends:
        if types is None or near is None or types & vocabulary.descendants(near):
            if far is None:
                return None
            reached |= vocabulary.descendants(far)
    return frozenset(reached)


def after_hops(types: Types, hops: Iterable[Hop], vocabulary: Vocabulary, place: str = "plan") -> Types:
    """Types of what a sequence of hops leads to. Raises PlanError naming the first hop that cannot follow."""
    before: Hop | None = None
    for hop in hops:
        reached = after_hop(types, hop, vocabulary)
        if reached is not None and not reached:
            came = f"follow {str(before)!r}" if before else "be the first hop here"
            raise PlanError(
                f"{place}: hop {str(hop)!r} cannot {came}: it leads from {_names(_near(hop, vocabulary))}, "
                f"and there is only {_names(types)} at that point",
                str(hop),
            )
        types, before = reached, hop
    return types


def reached_types(plan: SetPlan, vocabulary: Vocabulary, type_of: Mapping[str, str], place: str = "plan") -> Types:
    """Types of a plan's answers; `type_of` maps entity ids to the type each is declared with.

    Raises PlanError naming the hop or condition that can never be met.
    """
    if isinstance(plan, StartPlan):
        start = type_of.get(plan.start)
        types: Types = None if start is None else frozenset((start,))
        types = after_hops(types, plan.hops, vocabulary, place)
        return _where(types, plan.where, vocabulary, type_of, place)
    if isinstance(plan, WherePlan):
        types = _where(None, plan.where, vocabulary, type_of, place)
        return after_hops(types, plan.hops, vocabulary, place)
    types = _combined(plan, vocabulary, type_of, place)
    types = after_hops(types, plan.hops, vocabulary, place)
    return _where(types, plan.where, vocabulary, type_of, place)


def _combined(plan: CombinedPlan, vocabulary: Vocabulary, type_of: Mapping[str, str], place: str) -> Types:
    each = [
        reached_types(part, vocabulary, type_of, f"{place}.{plan.kind}[{number}]")
        for number, part in enumerate(plan.plans)
    ]
    if plan.kind == "except":
        return each[0]
    if plan.kind == "any":
        return None if None in each else frozenset().union(*(types for types in each if types is not None))
    known = [types for types in each if types is not None]
    if not known:
        return None
    common = frozenset.intersection(*known)
    if not common:
        raise PlanError(f"{place}: the plans of 'all' have no type in common: {' and '.join(map(_names, known))}")
    return common


def _where(types: Types, where: Where, vocabulary: Vocabulary, type_of: Mapping[str, str], place: str) -> Types:
    if where.types:
        wanted = frozenset().union(*(vocabulary.descendants(name) for name in where.types))
        if types is not None and not types & wanted:
            raise PlanError(
                f"{place}: nothing that is reached can be a {_names(frozenset(where.types))}: "
                f"there is only {_names(types)} at that point",
                where.types[0],
            )
        types = wanted if types is None else types & wanted
    for one in where.relations:
        if not one.ids:
            continue
        values = [type_of.get(entity) for entity in one.ids]
        reached = after_hop(types, one.hop, vocabulary)
        if reached is not None and not any(value is None or value in reached for value in values):
            what = f"leads to {_names(reached)}" if reached else f"cannot be asked of {_names(types)}"
            raise PlanError(f"{place}: no answer can have {str(one.hop)!r}: {list(one.ids)!r}: it {what}", one.ids[0])
    return types


def _near(hop: Hop, vocabulary: Vocabulary) -> Types:
    found: set[str] = set()
    for subject, object_ in vocabulary.relations[hop.relation].signatures:
        near = object_ if hop.backwards else subject
        if near is None:
            return None
        found.add(near)
    return frozenset(found)


def _names(types: Types) -> str:
    if types is None:
        return "anything"
    return " or ".join(sorted(types)) or "nothing"
