"""Reasoning over the default graph of a store: what is stated, what follows, why, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import pyoxigraph as ox

from kb.iris import Iris
from kb.reason.axioms import Axioms
from kb.reason.checks import Inconsistency, check
from kb.reason.explain import Explainer
from kb.reason.inference import infer, shown
from kb.reason.model import Fact, Facts, facts_of
from kb.reason.settings import Settings
from kb.vocabulary import Vocabulary

__all__ = ["Reasoned", "reason", "stated_in"]


@dataclass(frozen=True)
class Reasoned:
    """What was found.

    `stated` are the asserted facts, with what the ontology says of individuals. `found` is all that follows from them;
    `inferred` the part of it that is published: about entities of the knowledge base, in terms that have a name.
    """

    iris: Iris
    axioms: Axioms
    stated: Facts
    found: Facts

    @cached_property
    def inferred(self) -> frozenset[Fact]:
        """What the inferences graph holds."""
        return frozenset(shown(self.found, self._entity))

    @cached_property
    def inconsistencies(self) -> list[Inconsistency]:
        """What cannot all be true, sorted."""
        return check(self.axioms, self.stated, self.found, self._entity)

    @cached_property
    def explainer(self) -> Explainer:
        """Says why facts hold."""
        return Explainer(self.stated, self.found, self.axioms)

    def _entity(self, iri: str) -> bool:
        return self.iris.entity_id(iri) is not None


def stated_in(store: ox.Store) -> list[Fact]:
    """The facts of a store's default graph."""
    return list(facts_of(store.quads_for_pattern(None, None, None, ox.DefaultGraph())))


def reason(facts: Iterable[Fact], vocabulary: Vocabulary, iris: Iris, settings: Settings) -> Reasoned:
    """Infers by the ontology's axioms. Raises ConfigError for an engine that is not installed."""
    axioms = Axioms(vocabulary.ontology, settings.skip)
    stated = Facts([*facts, *axioms.individuals])
    return Reasoned(iris, axioms, stated, Facts(infer(settings.engine, axioms, stated)))
