"""What an ontology states that something follows from, without its words, as OWL 2 RL reads it.

Left out are axioms that would make two things one (functional properties, keys, cardinalities, owl:sameAs):
`kb.reason.checks` reports what they would merge. Blank nodes become IRIs of our own, so that any engine gives back the
same names.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pyoxigraph as ox

from kb.namespaces import OWL, RDF, RDFS, SH, XSD
from kb.reason.model import TYPE, Fact, Facts, Value

__all__ = ["BUILTIN", "FAMILIES", "HIDDEN", "Axioms", "Rule"]

HIDDEN = "urn:kb:reason:"
"""Below it stand blank nodes, literals and examples while an engine runs."""
BUILTIN = (RDF, RDFS, OWL, XSD, SH)
_CLASS_AXIOMS = frozenset({RDFS + "subClassOf", OWL + "equivalentClass"})
_RESTRICTIONS = frozenset(
    OWL + name for name in ("onProperty", "someValuesFrom", "allValuesFrom", "hasValue", "intersectionOf", "unionOf")
)
FAMILIES: dict[str, frozenset[str]] = {
    "subclass": _CLASS_AXIOMS,
    "subproperty": frozenset({RDFS + "subPropertyOf", OWL + "equivalentProperty"}),
    "inverse": frozenset({OWL + "inverseOf"}),
    "symmetric": frozenset({OWL + "SymmetricProperty"}),
    "transitive": frozenset({OWL + "TransitiveProperty"}),
    "domain": frozenset({RDFS + "domain"}),
    "range": frozenset({RDFS + "range"}),
    "chain": frozenset({OWL + "propertyChainAxiom"}),
    "restriction": _RESTRICTIONS,
}
"""Families of axioms that `[reason] skip` may name, and the predicates or types that make them."""
_INFERRING = frozenset().union(*FAMILIES.values()) | {RDF + "first", RDF + "rest"}
_OF_THINGS = frozenset({OWL + "NamedIndividual", OWL + "Thing"})
_CHARACTER = frozenset({OWL + "SymmetricProperty", OWL + "TransitiveProperty"})


@dataclass(frozen=True, slots=True)
class Rule:
    """How one fact gives another: a rule of OWL 2 RL (W3C, OWL 2 Profiles, section 4.3) with the axiom it rests on.

    `kind` says what becomes of a fact (s, `source`, o): `edge` gives (s, p, o), `flip` (o, p, s), `domain` the type of
    s, `range` that of o, `type` another type where `source` is a class, `has` a type where o is `value`, and `value`
    gives `value` as object where `source` is a class.
    """

    name: str
    kind: str
    source: str
    axiom: Fact
    value: Value | None = None


class Axioms:
    """The axioms of an ontology but for the families in `skip`.

    `triples` is what an engine is given, `individuals` what the ontology says of things that are no terms.
    """

    def __init__(self, ontology: Iterable[ox.Triple], skip: Collection[str] = ()) -> None:
        stated = [_hidden(triple) for triple in ontology]
        left_out = frozenset().union(*(FAMILIES[name] for name in skip))
        self.all = Facts(stated)
        wanted = (one for one in stated if (one[2] if one[1] == TYPE else one[1]) in _INFERRING - left_out)
        self.triples: frozenset[Fact] = frozenset(wanted)
        self._facts = Facts(self.triples)
        self.digest = hashlib.sha256("\n".join(sorted(map(repr, self.all))).encode()).hexdigest()
        self.individuals = frozenset(self._individuals())

    def __bool__(self) -> bool:
        return bool(self.triples)

    def _individuals(self) -> Iterator[Fact]:
        terms = {
            s
            for s, p, o in self.all
            if p == TYPE and isinstance(o, str) and o.startswith(BUILTIN) and o not in _OF_THINGS
        }
        terms |= {end for s, p, o in self.triples if p != TYPE for end in (s, o) if isinstance(end, str)}
        properties = {p for p in terms if any(t.endswith("Property") for t in map(str, self.all.objects(p, TYPE)))}
        values = {o for _, p, o in self.all if p == OWL + "hasValue"}
        for fact in self.all:
            subject, predicate, value = fact
            if subject in terms - values or subject.startswith(HIDDEN):
                continue
            if predicate in properties or (predicate == TYPE and isinstance(value, str) and value in terms):
                yield fact

    # -- one by one ---------------------------------------------------------

    def list(self, head: Value) -> tuple[str, ...]:
        """The members of an RDF list that are IRIs."""
        found: list[str] = []
        seen: set[Value] = set()
        while isinstance(head, str) and head != RDF + "nil" and head not in seen:
            seen.add(head)
            found += [one for one in self.all.objects(head, RDF + "first") if isinstance(one, str)]
            head = next(iter(self.all.objects(head, RDF + "rest")), RDF + "nil")
        return tuple(found)

    def typed(self, kind: str) -> frozenset[str]:
        """Everything of a type of OWL's that counts."""
        facts = self._facts if OWL + kind in _CHARACTER else self.all
        return frozenset(facts.subjects(TYPE, OWL + kind))

    @cached_property
    def transitive(self) -> frozenset[str]:
        """Transitive properties."""
        return self.typed("TransitiveProperty")

    @cached_property
    def chains(self) -> dict[str, tuple[tuple[Fact, tuple[str, ...]], ...]]:
        """Property -> the chains that it follows from, each with its axiom."""
        found: dict[str, list[tuple[Fact, tuple[str, ...]]]] = defaultdict(list)
        for fact in sorted(self.triples, key=repr):
            if fact[1] == OWL + "propertyChainAxiom":
                found[fact[0]].append((fact, self.list(fact[2])))
        return {name: tuple(rows) for name, rows in found.items()}

    @cached_property
    def restrictions(self) -> dict[str, str]:
        """Class expression -> the property that it is on."""
        return {s: o for s, p, o in self.triples if p == OWL + "onProperty" and isinstance(o, str)}

    def filler(self, restriction: str, name: str) -> Value | None:
        """The class or value of a restriction, None where it is of another kind."""
        return next(iter(self._facts.objects(restriction, OWL + name)), None)

    @cached_property
    def intersections(self) -> dict[str, tuple[Fact, tuple[str, ...]]]:
        """Class expression -> the classes that it is the intersection of, with the axiom."""
        return {f[0]: (f, self.list(f[2])) for f in self.triples if f[1] == OWL + "intersectionOf"}

    @cached_property
    def joined(self) -> tuple[frozenset[str], frozenset[str]]:
        """Properties and classes of which a rule needs two facts at once, or one about a certain thing."""
        properties = set(self.transitive) | set(self.restrictions.values())
        properties.update(part for rows in self.chains.values() for _, chain in rows for part in chain)
        classes = {*self.restrictions, *self.intersections}
        classes.update(part for _, members in self.intersections.values() for part in members)
        for restriction in self.restrictions:
            fillers = (self.filler(restriction, name) for name in ("someValuesFrom", "allValuesFrom"))
            classes.update(one for one in fillers if isinstance(one, str))
        return frozenset(properties), frozenset(classes)

    @cached_property
    def names_values(self) -> bool:
        """Whether an axiom that counts names a certain thing."""
        return any(fact[1] == OWL + "hasValue" for fact in self.triples)

    @property
    def only_transitive(self) -> bool:
        """Whether transitive properties are all that needs two facts at once."""
        return not (self.chains or self.restrictions or self.intersections)

    # -- backwards ------------------------------------------------------------

    @cached_property
    def rules(self) -> dict[str, tuple[Rule, ...]]:
        """Property or class -> the rules that give it from a single fact."""
        found: dict[str, list[Rule]] = defaultdict(list)
        for axiom in sorted(self.triples, key=repr):
            subject, predicate, value = axiom
            if not isinstance(value, str):
                continue
            for target, rule in self._rules(subject, predicate, value, axiom):
                found[target].append(rule)
        return {name: tuple(rows) for name, rows in found.items()}

    def _rules(self, subject: str, predicate: str, value: str, axiom: Fact) -> Iterator[tuple[str, Rule]]:
        if predicate == RDFS + "subPropertyOf":
            yield value, Rule("prp-spo1", "edge", subject, axiom)
        elif predicate == OWL + "equivalentProperty":
            yield value, Rule("prp-eqp1", "edge", subject, axiom)
            yield subject, Rule("prp-eqp2", "edge", value, axiom)
        elif predicate == OWL + "inverseOf":
            yield value, Rule("prp-inv1", "flip", subject, axiom)
            yield subject, Rule("prp-inv2", "flip", value, axiom)
        elif predicate == TYPE and value == OWL + "SymmetricProperty":
            yield subject, Rule("prp-symp", "flip", subject, axiom)
        elif predicate == RDFS + "domain":
            yield value, Rule("prp-dom", "domain", subject, axiom)
        elif predicate == RDFS + "range":
            yield value, Rule("prp-rng", "range", subject, axiom)
        elif predicate == RDFS + "subClassOf":
            yield value, Rule("cax-sco", "type", subject, axiom)
        elif predicate == OWL + "equivalentClass":
            yield value, Rule("cax-eqc1", "type", subject, axiom)
            yield subject, Rule("cax-eqc2", "type", value, axiom)
        elif predicate == OWL + "intersectionOf":
            for member in self.list(value):
                yield member, Rule("cls-int2", "type", subject, axiom)
        elif predicate == OWL + "unionOf":
            for member in self.list(value):
                yield subject, Rule("cls-uni", "type", member, axiom)
        elif predicate == OWL + "hasValue" and subject in self.restrictions:
            yield self.restrictions[subject], Rule("cls-hv1", "value", subject, axiom, value)
            yield subject, Rule("cls-hv2", "has", self.restrictions[subject], axiom, value)


def _hidden(triple: ox.Triple) -> Fact:
    return _name(triple.subject), triple.predicate.value, _value(triple.object)


def _name(term: object) -> str:
    if isinstance(term, ox.NamedNode):
        return term.value
    return HIDDEN + "node:" + (term.value if isinstance(term, ox.BlankNode) else "other")


def _value(term: object) -> Value:
    return term if isinstance(term, ox.Literal) else _name(term)
