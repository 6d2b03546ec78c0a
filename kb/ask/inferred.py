"""Inferred facts in answers: which they are, and the stated facts, pages and axioms that each rests on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import pyoxigraph as ox

from kb.ask.lookup import Lookup, Source
from kb.reason.explain import Derivation
from kb.reason.model import TYPE, Fact, triple_of
from kb.reason.reasoner import Reasoned
from kb.reason.words import Words

__all__ = ["Stated", "Step", "Why", "Whys"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A stated fact with its sources: pages with their words, the catalogue, the ontology."""

    subject: str
    relation: str
    object: str
    words: str
    sources: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """`page` and `quote` are those of the first source."""
        first = self.sources[0] if self.sources else None
        return {
            "subject": self.subject,
            "relation": self.relation,
            "object": self.object,
            "page": None if first is None else first.page,
            "quote": None if first is None else first.quote,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """What one axiom gives: a fact in words, the axiom in words, and the rule's name in OWL 2 RL."""

    words: str
    axiom: str
    rule: str


@dataclass(frozen=True, slots=True)
class Why:
    """Why an inferred fact holds: what is stated, then the steps to it, each from what stands before it.

    Both are empty where it follows by rules that are not spelled out.
    """

    stated: tuple[Stated, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def axioms(self) -> str:
        """The axioms in words, each once."""
        return "; ".join(dict.fromkeys(step.axiom for step in self.steps)) or "by OWL 2 RL, from several facts"

    def to_json(self) -> dict[str, Any]:
        """`because`: the stated facts; `why`: the steps."""
        return {
            "because": [one.to_json() for one in self.stated],
            "why": [{"fact": step.words, "axiom": step.axiom, "rule": step.rule} for step in self.steps],
        }


class Whys:
    """Explains the inferred facts of one generation. `reasoned` is asked for when there is something to explain."""

    def __init__(self, lookup: Lookup, reasoned: Callable[[], Reasoned], label: Callable[[str], str]) -> None:
        self.lookup, self.reasoned, self.label = lookup, reasoned, label

    @property
    def graphs(self) -> list[ox.DefaultGraph | ox.NamedNode]:
        """What questions see: stated and inferred facts. No fact is in both."""
        return [ox.DefaultGraph(), ox.NamedNode(self.lookup.iris.inferences_graph)]

    def inferred(self, facts: Iterable[Fact]) -> set[Fact]:
        """Those of the facts that nobody states."""
        return {fact for fact in facts if ox.Quad(*triple_of(fact)) not in self.lookup.store}

    def of(self, facts: Collection[Fact]) -> dict[Fact, Why]:
        """Why each of some inferred facts holds."""
        if not facts:
            return {}
        explainer = self.reasoned().explainer
        proofs = {fact: explainer.explain(fact) for fact in facts}
        return self.proved(proofs)

    def proved(self, proofs: dict[Fact, Derivation | None]) -> dict[Fact, Why]:
        """Derivations with words and sources."""
        words = Words(self.label, self.reasoned().axioms)
        bottom = {fact for proof in proofs.values() if proof is not None for fact in proof.stated}
        stated = self.stated(bottom, words)
        return {
            fact: Why()
            if proof is None
            else Why(
                tuple(stated[one] for one in proof.stated),
                tuple(
                    Step(words.fact(step.fact), words.axiom(step.axiom), step.rule)
                    for step in proof.steps()
                    if step.axiom is not None
                ),
            )
            for fact, proof in proofs.items()
        }

    def stated(self, facts: Collection[Fact], words: Words) -> dict[Fact, Stated]:
        """Stated facts with their sources."""
        edges = {(s, p, o) for s, p, o in facts if isinstance(o, str)}
        sources = self.lookup.sources(edges) if edges else {}
        found: dict[Fact, Stated] = {}
        for fact in facts:
            subject, predicate, value = fact
            known = sources.get((subject, predicate, value), ()) if isinstance(value, str) else ()
            relation = "type" if predicate == TYPE else self.lookup.vocabulary.name_of(predicate) or predicate
            shown = self.id(value) if isinstance(value, str) else value.value
            found[fact] = Stated(self.id(subject), relation, shown, words.fact(fact), known or self._files(fact))
        return found

    def id(self, iri: str) -> str:
        """What an IRI is called in plans and JSON."""
        return self.lookup.iris.entity_id(iri) or self.lookup.vocabulary.name_of(iri) or iri

    def _files(self, fact: Fact) -> tuple[Source, ...]:
        triple = triple_of(fact)
        quads = self.lookup.store.quads_for_pattern(triple.subject, triple.predicate, triple.object, None)
        graphs = {quad.graph_name.value for quad in quads if isinstance(quad.graph_name, ox.NamedNode)}
        if self.lookup.iris.catalogue_graph in graphs:
            return (Source("catalogue", None),)
        return () if graphs else (Source("ontology", None),)
