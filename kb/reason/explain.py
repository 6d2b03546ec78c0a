"""Why an inferred fact holds: the stated facts that it follows from, and the axioms by which it does.

Searches backwards, from the fact to what is stated, by the rules of OWL 2 RL (W3C, OWL 2 Profiles, section 4.3), so
that the fewest axioms come first. The engine says that a fact follows; this finds out how.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import pyoxigraph as ox

from kb.namespaces import OWL
from kb.reason.axioms import Axioms, Rule
from kb.reason.model import TYPE, Fact, Facts, Value

__all__ = ["Derivation", "Explainer"]

STATED = "stated"
_TRIES = 10_000
"""Facts that one explanation may look for: rules that feed each other could go on for ever."""
_DEEPEST = 60
"""Facts that may wait for each other."""
_Wanted: TypeAlias = "tuple[str | None, str, Value | None]"
"""A fact to be found, None for whatever may stand there."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A fact, the rule that gives it ("stated" for one that needs none), the axiom, and what it follows from."""

    fact: Fact
    rule: str = STATED
    axiom: Fact | None = None
    premises: tuple[Derivation, ...] = ()

    @property
    def stated(self) -> tuple[Fact, ...]:
        """The stated facts at its bottom, in order, each once."""
        if self.rule == STATED:
            return (self.fact,)
        return tuple(dict.fromkeys(fact for one in self.premises for fact in one.stated))

    def steps(self) -> Iterator[Derivation]:
        """Every step that is not stated, premises before what follows from them, each once."""
        seen: set[Fact] = set()
        todo: list[tuple[Derivation, bool]] = [(self, False)]
        while todo:
            one, done = todo.pop()
            if one.rule == STATED or one.fact in seen:
                continue
            if done:
                seen.add(one.fact)
                yield one
            else:
                todo.append((one, True))
                todo += [(premise, False) for premise in reversed(one.premises)]


class Explainer:
    """Derivations over one graph: what is stated, and what was inferred from it."""

    def __init__(self, stated: Facts, inferred: Facts, axioms: Axioms) -> None:
        self.stated, self.inferred, self.axioms = stated, inferred, axioms
        self._left = 0

    def explain(self, fact: Fact) -> Derivation | None:
        """A derivation with few axioms; None for a fact that does not follow, or where the search grows too long."""
        self._left = _TRIES
        return self._explain(fact, frozenset())

    def _explain(self, fact: Fact, busy: frozenset[Fact]) -> Derivation | None:
        if fact in self.stated:
            return Derivation(fact)
        self._left -= 1
        if fact in busy or self._left < 0 or len(busy) > _DEEPEST:
            return None
        busy |= {fact}
        start: _Wanted = fact
        before: dict[_Wanted, tuple[Rule, _Wanted] | None] = {start: None}
        todo = deque([start])
        while todo:
            wanted = todo.popleft()
            found = self._match(wanted)
            if found is not None:
                return _proved(Derivation(found), wanted, before)
            for rule in self._rules(wanted):
                needed = _needed(rule, wanted)
                if needed is not None and needed not in before:
                    before[needed] = (rule, wanted)
                    todo.append(needed)
        # One stated fact is not enough for any of these.
        for wanted in before:
            proof = self._joined(wanted, busy)
            if proof is not None:
                return _proved(proof, wanted, before)
        return None

    def _match(self, wanted: _Wanted) -> Fact | None:
        """The first stated fact that is wanted."""
        subject, predicate, value = wanted
        if subject is not None and value is not None:
            fact = (subject, predicate, value)
            return fact if fact in self.stated else None
        if subject is not None:
            values = self.stated.objects(subject, predicate)
            return (subject, predicate, min(values, key=str)) if values else None
        if value is not None:
            subjects = self.stated.subjects(predicate, value)
            return (min(subjects), predicate, value) if subjects else None
        return None

    def _rules(self, wanted: _Wanted) -> tuple[Rule, ...]:
        _, predicate, value = wanted
        if predicate != TYPE:
            return self.axioms.rules.get(predicate, ())
        return self.axioms.rules.get(value, ()) if isinstance(value, str) else ()

    # -- what needs two facts ---------------------------------------------------

    def _joined(self, wanted: _Wanted, busy: frozenset[Fact]) -> Derivation | None:
        subject, predicate, value = wanted
        if subject is None or value is None:
            return self._any(wanted, busy)
        fact = (subject, predicate, value)
        if predicate == TYPE and isinstance(value, str):
            return self._intersection(fact, value, busy) or self._some(fact, value, busy) or self._all(fact, busy)
        if predicate in self.axioms.transitive:
            return self._chain(fact, busy) or self._path(fact, busy)
        return self._chain(fact, busy)

    def _any(self, wanted: _Wanted, busy: frozenset[Fact]) -> Derivation | None:
        """An inferred fact that is wanted with one end open, where two facts at once give it."""
        subject, predicate, value = wanted
        if predicate not in self.axioms.chains:
            return None
        if subject is not None:
            ends = sorted(self.inferred.objects(subject, predicate), key=str)
            facts: list[Fact] = [(subject, predicate, end) for end in ends]
        elif value is not None:
            facts = [(end, predicate, value) for end in sorted(self.inferred.subjects(predicate, value))]
        else:
            return None
        return next((proof for one in facts if one not in busy and (proof := self._chain(one, busy | {one}))), None)

    def _path(self, fact: Fact, busy: frozenset[Fact]) -> Derivation | None:
        """A shortest chain of facts of a transitive property, each of which holds without that it is transitive."""
        subject, name, goal = fact
        before: dict[str, str] = {}
        todo = deque([subject])
        while todo and goal not in before:
            node = todo.popleft()
            for far in sorted(self._steps(node, name)):
                # The fact itself is what is to be shown.
                if far not in before and (node, far) != (subject, goal):
                    before[far] = node
                    todo.append(far)
        if not isinstance(goal, str) or goal not in before:
            return None
        nodes = [goal, before[goal]]
        while nodes[-1] != subject:
            nodes.append(before[nodes[-1]])
        return self._transitive(nodes[::-1], name, busy)

    def _transitive(self, nodes: list[str], name: str, busy: frozenset[Fact]) -> Derivation | None:
        axiom = (name, TYPE, OWL + "TransitiveProperty")
        edges = [self._explain((a, name, b), busy) for a, b in pairwise(nodes)]
        known = [edge for edge in edges if edge is not None]
        if len(known) < len(edges):
            return None
        return Derivation((nodes[0], name, nodes[-1]), "prp-trp", axiom, tuple(known))

    def _steps(self, node: str, name: str) -> set[str]:
        """What a property leads to from a node by one stated fact, of itself or of one that it follows from."""
        found: set[str] = set()
        for other, flipped in self._below(name):
            ends = self.stated.subjects(other, node) if flipped else self.stated.objects(node, other)
            found.update(end for end in ends if isinstance(end, str))
        found.update(
            end
            for other, flipped in self._below(name)
            if other in self.axioms.chains
            for end in (self.inferred.subjects(other, node) if flipped else self.inferred.objects(node, other))
            if isinstance(end, str)
        )
        return found

    def _below(self, name: str) -> set[tuple[str, bool]]:
        """Properties that a property follows from by itself, and whether the other way round."""
        found = {(name, False)}
        todo = [(name, False)]
        while todo:
            here, flipped = todo.pop()
            for rule in self.axioms.rules.get(here, ()):
                if rule.kind in ("edge", "flip"):
                    one = (rule.source, flipped != (rule.kind == "flip"))
                    if one not in found:
                        found.add(one)
                        todo.append(one)
        return found

    def _chain(self, fact: Fact, busy: frozenset[Fact]) -> Derivation | None:
        for axiom, chain in self.axioms.chains.get(fact[1], ()):
            proofs = self._links(fact[0], chain, fact[2], busy) if chain else None
            if proofs is not None:
                return Derivation(fact, "prp-spo2", axiom, proofs)
        return None

    def _links(
        self, node: str, chain: tuple[str, ...], goal: Value, busy: frozenset[Fact]
    ) -> tuple[Derivation, ...] | None:
        for route in self._routes(node, chain, goal):
            proofs: list[Derivation] = []
            for name, near, far in zip(chain, (node, *route), route, strict=False):
                proof = self._explain((str(near), name, far), busy)
                if proof is None:
                    break
                proofs.append(proof)
            if len(proofs) == len(chain):
                return tuple(proofs)
        return None

    def _routes(self, node: str, chain: tuple[str, ...], goal: Value) -> Iterator[tuple[Value, ...]]:
        """What lies on the ways along a chain to a goal, by all that is known."""
        ends = self._ends(node, chain[0])
        if len(chain) == 1:
            if goal in ends:
                yield (goal,)
            return
        for end in sorted(ends, key=str):
            if isinstance(end, str):
                yield from ((end, *further) for further in self._routes(end, chain[1:], goal))

    def _ends(self, node: str, name: str) -> set[Value]:
        known = {*self.stated.objects(node, name), *self.inferred.objects(node, name)}
        return known or set(self._steps(node, name))

    def _intersection(self, fact: Fact, name: str, busy: frozenset[Fact]) -> Derivation | None:
        if name not in self.axioms.intersections:
            return None
        axiom, members = self.axioms.intersections[name]
        proofs = [self._explain((fact[0], TYPE, member), busy) for member in members]
        known = tuple(one for one in proofs if one is not None)
        return Derivation(fact, "cls-int1", axiom, known) if known and len(known) == len(proofs) else None

    def _some(self, fact: Fact, name: str, busy: frozenset[Fact]) -> Derivation | None:
        on, filler = self.axioms.restrictions.get(name), self.axioms.filler(name, "someValuesFrom")
        if on is None or not isinstance(filler, str):
            return None
        axiom = (name, OWL + "someValuesFrom", filler)
        for end in sorted(self._ends(fact[0], on), key=str):
            edge = self._explain((fact[0], on, end), busy)
            if edge is not None and filler == OWL + "Thing":
                return Derivation(fact, "cls-svf2", axiom, (edge,))
            kind = self._explain((end, TYPE, filler), busy) if isinstance(end, str) else None
            if edge is not None and kind is not None:
                return Derivation(fact, "cls-svf1", axiom, (edge, kind))
        return None

    def _all(self, fact: Fact, busy: frozenset[Fact]) -> Derivation | None:
        for name, on in sorted(self.axioms.restrictions.items()):
            if self.axioms.filler(name, "allValuesFrom") != fact[2]:
                continue
            known = {*self.stated.subjects(on, fact[0]), *self.inferred.subjects(on, fact[0])}
            for start in sorted(known):
                kind = self._explain((start, TYPE, name), busy)
                edge = self._explain((start, on, fact[0]), busy)
                if kind is not None and edge is not None:
                    axiom = (name, OWL + "allValuesFrom", fact[2])
                    return Derivation(fact, "cls-avf", axiom, (kind, edge))
        return None


def _proved(proof: Derivation, wanted: _Wanted, before: Mapping[_Wanted, tuple[Rule, _Wanted] | None]) -> Derivation:
    """What follows by the rules that led from the fact to what was found."""
    step = before[wanted]
    while step is not None:
        rule, wanted = step
        proof = Derivation(_forwards(rule, proof.fact, wanted), rule.name, rule.axiom, (proof,))
        step = before[wanted]
    return proof


def _needed(rule: Rule, wanted: _Wanted) -> _Wanted | None:
    """What has to be found for a rule to give what is wanted; None where it cannot."""
    subject, _, value = wanted
    if rule.kind == "edge":
        return subject, rule.source, value
    if rule.kind == "flip":
        return None if isinstance(value, ox.Literal) else (value, rule.source, subject)
    if rule.kind == "domain":
        return subject, rule.source, None
    if rule.kind == "range":
        return None, rule.source, subject
    if rule.kind == "has":
        return subject, rule.source, rule.value
    if rule.kind == "value":
        return None if value not in (None, rule.value) else (subject, TYPE, rule.source)
    return subject, TYPE, rule.source


def _forwards(rule: Rule, fact: Fact, wanted: _Wanted) -> Fact:
    """What a rule makes of a fact."""
    subject, _, value = fact
    if rule.kind == "edge":
        return subject, wanted[1], value
    if rule.kind == "flip":
        return str(value), wanted[1], subject
    if rule.kind == "value":
        assert rule.value is not None
        return subject, wanted[1], rule.value
    assert wanted[2] is not None
    return str(value) if rule.kind == "range" else subject, TYPE, wanted[2]
