"""Facts as the reasoner sees them, and sets of them that are indexed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import pyoxigraph as ox

from kb.namespaces import RDF

__all__ = ["TYPE", "Fact", "Facts", "Value", "facts_of", "triple_of"]

Value: TypeAlias = "str | ox.Literal"
"""An IRI, or a literal."""
Fact: TypeAlias = "tuple[str, str, Value]"
"""(subject IRI, predicate IRI, object)."""
TYPE = RDF + "type"
_NOTHING: frozenset[Value] = frozenset()
_NO_ONE: frozenset[str] = frozenset()


def facts_of(triples: Iterable[ox.Triple | ox.Quad]) -> Iterator[Fact]:
    """Triples as facts; those with blank nodes or triple terms are left out."""
    for one in triples:
        subject, value = one.subject, one.object
        if isinstance(subject, ox.NamedNode):
            if isinstance(value, ox.NamedNode):
                yield subject.value, one.predicate.value, value.value
            elif isinstance(value, ox.Literal):
                yield subject.value, one.predicate.value, value


def triple_of(fact: Fact) -> ox.Triple:
    """A fact as a triple."""
    value = fact[2]
    object_ = ox.NamedNode(value) if isinstance(value, str) else value
    return ox.Triple(ox.NamedNode(fact[0]), ox.NamedNode(fact[1]), object_)


class Facts:
    """A set of facts, found by predicate with either end."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all = set(facts)
        self._out: dict[tuple[str, str], set[Value]] = defaultdict(set)
        self._in: dict[tuple[str, Value], set[str]] = defaultdict(set)
        for subject, predicate, value in self.all:
            self._out[subject, predicate].add(value)
            self._in[predicate, value].add(subject)

    def __contains__(self, fact: Fact) -> bool:
        return fact in self.all

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def objects(self, subject: str, predicate: str) -> frozenset[Value] | set[Value]:
        """What a predicate leads to from a subject."""
        return self._out.get((subject, predicate), _NOTHING)

    def subjects(self, predicate: str, value: Value) -> frozenset[str] | set[str]:
        """What a predicate leads from to a value."""
        return self._in.get((predicate, value), _NO_ONE)

    def pairs(self) -> Iterator[tuple[tuple[str, str], set[Value]]]:
        """(subject, predicate) with all the objects."""
        return iter(self._out.items())
