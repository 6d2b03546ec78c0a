"""What cannot all be true: the conditions by which OWL 2 RL calls a graph inconsistent, looked for fact by fact.

W3C, OWL 2 Profiles, section 4.3, rules whose conclusion is `false`; and the rules that would make two things one
(prp-fp, prp-ifp, prp-key, cls-maxc2), which are reported instead: two ids of a catalogue are two things.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

import pyoxigraph as ox

from kb.namespaces import OWL, RDFS
from kb.reason.axioms import Axioms
from kb.reason.inference import NOTHING
from kb.reason.model import TYPE, Fact, Facts, Value

__all__ = ["Inconsistency", "check"]

_SHOWN = 20
"""Pairs that one thing is reported for, when a property leads from it to many."""


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """What is broken about `focus` by these facts, stated or inferred, and the axiom that forbids them.

    `rule` is the rule's name in OWL 2 RL; `terms` are the classes or properties of the axiom, in its order.
    """

    rule: str
    focus: str
    facts: tuple[Fact, ...]
    axiom: Fact
    terms: tuple[str, ...]


def check(axioms: Axioms, stated: Facts, inferred: Facts, about: Callable[[str], bool]) -> list[Inconsistency]:
    """Every inconsistency of the facts with what follows from them, sorted; `about` says which subjects count."""
    checks = _Checks(axioms, stated, inferred, about)
    found = {one for group in checks.groups() for one in group if about(one.focus)}
    return sorted(found, key=lambda one: (one.rule, one.focus, repr(one.facts)))


class _Checks:
    def __init__(self, axioms: Axioms, stated: Facts, inferred: Facts, about: Callable[[str], bool]) -> None:
        self.axioms, self.stated, self.inferred, self.about = axioms, stated, inferred, about
        self.said = axioms.all

    def groups(self) -> Iterator[Iterator[Inconsistency]]:
        yield self.disjoint_classes()
        yield self.nothing()
        yield self.disjoint_properties()
        yield self.irreflexive()
        yield self.asymmetric()
        yield self.functional()
        yield self.inverse_functional()
        yield self.cardinality()
        yield self.keys()
        yield self.denied()

    # -- look-ups -------------------------------------------------------------

    def subjects(self, predicate: str, value: Value) -> set[str]:
        return {*self.stated.subjects(predicate, value), *self.inferred.subjects(predicate, value)}

    def objects(self, subject: str, predicate: str) -> set[Value]:
        return {*self.stated.objects(subject, predicate), *self.inferred.objects(subject, predicate)}

    def edges(self, predicates: Collection[str]) -> dict[str, list[tuple[str, Value]]]:
        """Predicate -> (subject, object) of its facts."""
        found: dict[str, list[tuple[str, Value]]] = {one: [] for one in predicates}
        if found:
            for facts in (self.stated, self.inferred):
                for subject, predicate, value in facts:
                    if predicate in found:
                        found[predicate].append((subject, value))
        return found

    def axioms_of(self, predicate: str) -> list[Fact]:
        return sorted((fact for fact in self.said if fact[1] == predicate), key=repr)

    def pairs(self, predicate: str, kind: str) -> Iterator[tuple[str, str, Fact]]:
        """Two terms that exclude each other, with the axiom: stated as a pair, or as all of a list."""
        for fact in self.axioms_of(predicate):
            if isinstance(fact[2], str):
                yield fact[0], fact[2], fact
        for node in sorted(self.axioms.typed(kind)):
            for head in self.said.objects(node, OWL + "members"):
                for one, other in combinations(self.axioms.list(head), 2):
                    yield one, other, (one, predicate, other)

    # -- classes ----------------------------------------------------------------

    def disjoint_classes(self) -> Iterator[Inconsistency]:
        pairs = list(self.pairs(OWL + "disjointWith", "AllDisjointClasses"))
        for fact in self.axioms_of(OWL + "disjointUnionOf"):
            pairs += [(a, b, (a, OWL + "disjointWith", b)) for a, b in combinations(self.axioms.list(fact[2]), 2)]
        pairs += [(a, b, (a, p, b)) for a, p, b in self.axioms_of(OWL + "complementOf") if isinstance(b, str)]
        seen: set[frozenset[str]] = set()
        for one, other, axiom in pairs:
            if frozenset((one, other)) in seen:
                continue
            seen.add(frozenset((one, other)))
            rule = "cls-com" if axiom[1] == OWL + "complementOf" else "cax-dw"
            for subject in self.subjects(TYPE, one) & self.subjects(TYPE, other):
                facts: tuple[Fact, ...] = ((subject, TYPE, one), (subject, TYPE, other))
                yield Inconsistency(rule, subject, facts, axiom, (one, other))

    def nothing(self) -> Iterator[Inconsistency]:
        for subject in self.subjects(TYPE, NOTHING):
            axiom: Fact = (NOTHING, RDFS + "subClassOf", NOTHING)
            yield Inconsistency("cls-nothing2", subject, ((subject, TYPE, NOTHING),), axiom, (NOTHING,))

    # -- properties ---------------------------------------------------------------

    def disjoint_properties(self) -> Iterator[Inconsistency]:
        pairs = list(self.pairs(OWL + "propertyDisjointWith", "AllDisjointProperties"))
        edges = self.edges({end for one, other, _ in pairs for end in (one, other)})
        for one, other, axiom in pairs:
            for subject, value in set(edges[one]) & set(edges[other]):
                facts: tuple[Fact, ...] = ((subject, one, value), (subject, other, value))
                yield Inconsistency("prp-pdw", subject, facts, axiom, (one, other))

    def irreflexive(self) -> Iterator[Inconsistency]:
        for name, pairs in self.edges(self.axioms.typed("IrreflexiveProperty")).items():
            axiom = (name, TYPE, OWL + "IrreflexiveProperty")
            for subject, value in pairs:
                if subject == value:
                    yield Inconsistency("prp-irp", subject, ((subject, name, value),), axiom, (name,))

    def asymmetric(self) -> Iterator[Inconsistency]:
        for name, pairs in self.edges(self.axioms.typed("AsymmetricProperty")).items():
            axiom, known = (name, TYPE, OWL + "AsymmetricProperty"), set(pairs)
            for subject, value in pairs:
                if isinstance(value, str) and subject <= value and (value, subject) in known:
                    facts: tuple[Fact, ...] = ((subject, name, value), (value, name, subject))
                    yield Inconsistency("prp-asyp", subject, tuple(dict.fromkeys(facts)), axiom, (name,))

    def denied(self) -> Iterator[Inconsistency]:
        """Negative property assertions."""
        for node, _, subject in self.axioms_of(OWL + "sourceIndividual"):
            for name in self.said.objects(node, OWL + "assertionProperty"):
                targets = {p: self.said.objects(node, OWL + p) for p in ("targetIndividual", "targetValue")}
                for value in (one for group in targets.values() for one in group):
                    if isinstance(subject, str) and isinstance(name, str) and value in self.objects(subject, name):
                        axiom = (subject, OWL + "negativePropertyAssertion", value)
                        yield Inconsistency("prp-npa1", subject, ((subject, name, value),), axiom, (name,))

    # -- what would make two things one ---------------------------------------------

    def functional(self) -> Iterator[Inconsistency]:
        for name in sorted(self.axioms.typed("FunctionalProperty")):
            axiom = (name, TYPE, OWL + "FunctionalProperty")
            by_subject: dict[str, set[Value]] = {}
            for subject, value in self.edges([name])[name]:
                by_subject.setdefault(subject, set()).add(value)
            for subject, values in by_subject.items():
                for one, other in self.two(values):
                    yield Inconsistency(
                        "prp-fp", subject, ((subject, name, one), (subject, name, other)), axiom, (name,)
                    )

    def inverse_functional(self) -> Iterator[Inconsistency]:
        for name in sorted(self.axioms.typed("InverseFunctionalProperty")):
            axiom = (name, TYPE, OWL + "InverseFunctionalProperty")
            by_value: dict[Value, set[Value]] = {}
            for subject, value in self.edges([name])[name]:
                by_value.setdefault(value, set()).add(subject)
            for value, subjects in by_value.items():
                for one, other in self.two(subjects):
                    facts: tuple[Fact, ...] = ((str(one), name, value), (str(other), name, value))
                    yield Inconsistency("prp-ifp", str(one), facts, axiom, (name,))

    def cardinality(self) -> Iterator[Inconsistency]:
        for node, predicate, most in self.axioms_of(OWL + "maxCardinality") + self.axioms_of(OWL + "cardinality"):
            names = [one for one in self.said.objects(node, OWL + "onProperty") if isinstance(one, str)]
            if not isinstance(most, ox.Literal) or most.value not in ("0", "1"):
                continue
            for name in names:
                for subject in self.instances(node):
                    values = self.objects(subject, name)
                    groups = [(one,) for one in sorted(values, key=str)] if most.value == "0" else self.two(values)
                    for group in groups:
                        facts: tuple[Fact, ...] = tuple((subject, name, value) for value in group)
                        axiom = (node, predicate, most)
                        rule = "cls-maxc1" if most.value == "0" else "cls-maxc2"
                        yield Inconsistency(rule, subject, facts, axiom, (name,))

    def instances(self, expression: str) -> set[str]:
        """What is of a class expression, directly or by a class that is below it."""
        names = {expression, *self.said.subjects(RDFS + "subClassOf", expression)}
        names |= self.said.subjects(OWL + "equivalentClass", expression)
        return {subject for name in names for subject in self.subjects(TYPE, name)}

    def keys(self) -> Iterator[Inconsistency]:
        for kind, predicate, head in self.axioms_of(OWL + "hasKey"):
            parts = self.axioms.list(head)
            by_key: dict[tuple[Value, ...], set[Value]] = {}
            for subject in self.subjects(TYPE, kind) if parts else ():
                values = [sorted(self.objects(subject, part), key=str) for part in parts]
                if all(values):
                    by_key.setdefault(tuple(value[0] for value in values), set()).add(subject)
            for key, subjects in by_key.items():
                for one, other in self.two(subjects):
                    facts = tuple(
                        (str(end), part, value) for part, value in zip(parts, key, strict=True) for end in (one, other)
                    )
                    yield Inconsistency("prp-key", str(one), facts, (kind, predicate, head), (kind, *parts))

    def two(self, values: Collection[Value]) -> list[tuple[Value, Value]]:
        """Pairs of values that are not said to be the same, the first with each of the others."""
        if len(values) < 2:
            return []
        first, *others = sorted(values, key=str)
        same = OWL + "sameAs"
        return [
            (first, other)
            for other in others[:_SHOWN]
            if not (isinstance(first, str) and isinstance(other, str) and self.same(first, same, other))
        ]

    def same(self, first: str, same: str, other: str) -> bool:
        return (first, same, other) in self.said or (other, same, first) in self.said
