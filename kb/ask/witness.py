"""Witnesses: for each answer of a plan one shortest chain of facts that the plan's meaning allows.

The chains of all answers are found together, hop by hop, from what the plan starts at. Inside a repeated hop a chain
leaves the set that the hop started from at its first step and never touches it again, as the hop's meaning asks. Of
equally short chains the one through the first IRI in order is taken, so the same graph gives the same witness.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kb.ask.lookup import Fact, Lookup
from kb.ask.plan_model import CombinedPlan, Hop, SetPlan, StartPlan, Where, WherePlan

__all__ = ["Evidence", "Tracer", "Trail"]

Key = tuple[str, str]
"""(where the search began, node): '' where that does not matter, the member that a count by hops follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """The last step of a chain and the way there.

    `beside`: chains that the other plans of an `all` contribute. `met`: nodes with the conditions they were kept for.
    """

    length: int = 0
    before: Trail | None = None
    fact: Fact | None = None
    beside: tuple[Trail, ...] = ()
    met: tuple[tuple[Where, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The chain of one answer in order; then chains beside it in order, and facts that conditions asked for."""

    chain: tuple[Fact, ...]
    because: tuple[Fact, ...]


class Tracer:
    """Finds the chains of a plan's answers."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def trails(self, plan: SetPlan, answers: Collection[str]) -> dict[str, Trail]:
        """A trail for each of `answers`, IRIs that the plan is known to give."""
        if isinstance(plan, StartPlan):
            origin = {self.lookup.iris.entity(plan.start): Trail()}
            return _kept(self._along(origin, plan.hops), plan.where, answers)
        if isinstance(plan, WherePlan):
            base = self.lookup.members(replace(plan, hops=())) if plan.hops else answers
            kept = _kept(dict.fromkeys(base, Trail()), plan.where, base)
            return _kept(self._along(kept, plan.hops), Where(), answers)
        base = self.lookup.members(replace(plan, hops=(), where=Where())) if plan.hops else answers
        return _kept(self._along(self._combined(plan, base), plan.hops), plan.where, answers)

    def grouped(
        self, members: Mapping[str, Trail], hops: Sequence[Hop]
    ) -> tuple[dict[str, Trail], dict[str, list[str]]]:
        """What the hops lead to from each member on its own: the shortest trail to it, and which members lead there."""
        trails = self._follow({(member, member): trail for member, trail in members.items()}, hops)
        best: dict[str, Trail] = {}
        from_members: dict[str, list[str]] = defaultdict(list)
        for (member, node), trail in sorted(trails.items(), key=lambda item: item[0]):
            from_members[node].append(member)
            if node not in best or trail.length < best[node].length:
                best[node] = trail
        return best, dict(from_members)

    def evidence(self, trails: Mapping[str, Trail]) -> dict[str, Evidence]:
        """The facts of each trail, with those that conditions on relations rest on."""
        asked: dict[tuple[Where, str], list[Fact]] = {}
        steps = {node: _unrolled(trail) for node, trail in trails.items()}
        for _, _, met in steps.values():
            for where, node in met:
                asked.setdefault((where, node), self._conditions(where, node))
        existing = self.lookup.existing(fact for facts in asked.values() for fact in facts)
        found: dict[str, Evidence] = {}
        for node, (chain, beside, met) in steps.items():
            conditions = (fact for key in met for fact in asked[key] if fact in existing)
            because = [fact for fact in dict.fromkeys((*beside, *conditions)) if fact not in chain]
            found[node] = Evidence(tuple(chain), tuple(because))
        return found

    # -- steps ----------------------------------------------------------------

    def _along(self, trails: Mapping[str, Trail], hops: Sequence[Hop]) -> dict[str, Trail]:
        found = self._follow({("", node): trail for node, trail in trails.items()}, hops)
        return {node: trail for (_, node), trail in found.items()}

    def _follow(self, trails: dict[Key, Trail], hops: Sequence[Hop]) -> dict[Key, Trail]:
        for hop in hops:
            trails = self._repeat(trails, hop) if hop.repeated else self._step(trails, hop)
        return trails

    def _step(self, sources: Mapping[Key, Trail], hop: Hop) -> dict[Key, Trail]:
        found: dict[Key, Trail] = {}
        for before, key, fact in self._edges(sources, hop):
            length = sources[before].length + 1
            if key not in found or length < found[key].length:
                found[key] = Trail(length, sources[before], fact)
        return found

    def _repeat(self, sources: Mapping[Key, Trail], hop: Hop) -> dict[Key, Trail]:
        """Breadth first; a source joins in when the search is as long as its own trail."""
        waiting: dict[int, list[Key]] = defaultdict(list)
        for key, trail in sources.items():
            waiting[trail.length].append(key)
        found: dict[Key, Trail] = {}
        while waiting:
            length = min(waiting)
            for before, key, fact in self._edges(waiting.pop(length), hop):
                if key not in sources and key not in found:
                    trail = found[before] if before in found else sources[before]
                    found[key] = Trail(length + 1, trail, fact)
                    waiting[length + 1].append(key)
        return found

    def _edges(self, keys: Iterable[Key], hop: Hop) -> Iterable[tuple[Key, Key, Fact]]:
        origins: dict[str, list[str]] = defaultdict(list)
        for origin, node in keys:
            origins[node].append(origin)
        for near, far, fact in self.lookup.edges(origins, hop):
            for origin in origins[near]:
                yield (origin, near), (origin, far), fact

    # -- combinations and conditions --------------------------------------------

    def _combined(self, plan: CombinedPlan, base: Collection[str]) -> dict[str, Trail]:
        if plan.kind == "any" and len(plan.plans) > 1:
            found: dict[str, Trail] = {}
            for part in plan.plans:
                inside = set(base) & set(self.lookup.members(part))
                for node, trail in self.trails(part, inside).items():
                    if node not in found or trail.length < found[node].length:
                        found[node] = trail
            return found
        parts = plan.plans if plan.kind == "all" else plan.plans[:1]
        first, *others = [self.trails(part, base) for part in parts]
        return {
            node: replace(trail, beside=trail.beside + tuple(other[node] for other in others if node in other))
            for node, trail in first.items()
        }

    def _conditions(self, where: Where, node: str) -> list[Fact]:
        facts: list[Fact] = []
        for one in where.relations:
            relation = self.lookup.vocabulary.relations[one.hop.relation]
            for other in map(self.lookup.iris.entity, one.ids):
                if relation.symmetric or not one.hop.backwards:
                    facts.append((node, relation.iri, other))
                if relation.symmetric or one.hop.backwards:
                    facts.append((other, relation.iri, node))
        return facts


def _kept(trails: Mapping[str, Trail], where: Where, answers: Collection[str]) -> dict[str, Trail]:
    """The trails of `answers`, marked with the relations that they were kept for."""
    found = {node: trails[node] for node in answers if node in trails}
    if not where.relations:
        return found
    return {node: replace(trail, met=(*trail.met, (where, node))) for node, trail in found.items()}


def _unrolled(trail: Trail) -> tuple[list[Fact], list[Fact], list[tuple[Where, str]]]:
    """(chain from its start, facts of chains beside it, conditions met), the latter two from the end backwards."""
    chain: list[Fact] = []
    beside: list[Fact] = []
    met: list[tuple[Where, str]] = []
    at: Trail | None = trail
    while at is not None:
        if at.fact is not None:
            chain.append(at.fact)
        met.extend(at.met)
        for other in at.beside:
            facts, further, conditions = _unrolled(other)
            beside += [*facts, *further]
            met += conditions
        at = at.before
    return chain[::-1], beside, met
