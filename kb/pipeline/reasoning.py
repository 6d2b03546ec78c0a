"""The inferences of a build: written where `[reason]` asks for them, and only when what they follow from changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyoxigraph as ox

from kb.config import Config
from kb.generations import Draft, Generation
from kb.graph.store import content_digest
from kb.vocabulary import Vocabulary

__all__ = ["META_KEY", "Reasoning"]

META_KEY = "reasoning"
_RULES = "1"
"""Bump when the same facts give other inferences."""
_SHOWN = 5


class Reasoning:
    """What `[reason]` asks of a build. Without it, nothing is read, written or imported. Raises ConfigError."""

    def __init__(self, config: Config, vocabulary: Vocabulary, parent: Generation | None) -> None:
        self.settings = None
        if config.reason:
            from kb.reason.settings import settings_of

            self.settings = settings_of(config.reason)
        self.vocabulary = vocabulary
        self.before: dict[str, Any] | None = None if parent is None else parent.meta.get(META_KEY)
        self.meta: dict[str, Any] | None = None
        self.warnings: tuple[str, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether the published inferences are other ones than kb.toml asks for."""
        before = None if self.before is None else self.before["key"]
        return before != self._key()

    def _key(self) -> dict[str, Any] | None:
        if self.settings is None:
            return None
        return {**self.settings.to_json(), "rules": _RULES, "vocabulary": self.vocabulary.digest}

    def write(self, draft: Draft) -> None:
        """Makes the inferences graph what follows from the draft's facts, once these are written."""
        if self.settings is None:
            if self.before is not None and draft.parent is not None:
                draft.writer.drop(draft.iris.inferences_graph)
            return
        quads = list(draft.store.quads_for_pattern(None, None, None, ox.DefaultGraph()))
        facts = _digest(quads)
        if not self.stale and draft.parent is not None and self.before is not None and self.before["facts"] == facts:
            self.meta = self.before
            self.warnings = tuple(self.before["warnings"])
            return
        from kb.reason.model import facts_of, triple_of
        from kb.reason.reasoner import reason
        from kb.reason.words import Words

        found = reason(facts_of(quads), self.vocabulary, draft.iris, self.settings)
        draft.writer.replace(draft.iris.inferences_graph, map(triple_of, found.inferred))
        if found.inconsistencies:
            words = Words(lambda iri: draft.iris.entity_id(iri) or self.vocabulary.name_of(iri) or iri, found.axioms)
            first = "; ".join(
                f"{' and '.join(map(words.fact, one.facts))}, but {words.broken(one)}"
                for one in found.inconsistencies[:_SHOWN]
            )
            number = len(found.inconsistencies)
            more = "" if number <= _SHOWN else f"; and {number - _SHOWN:,} more"
            self.warnings = (f"the facts contradict the ontology: {first}{more}; kb reason shows the pages",)
        self.meta = {
            "key": self._key(),
            "facts": facts,
            "inferred": len(found.inferred),
            "inconsistencies": len(found.inconsistencies),
            "warnings": list(self.warnings),
        }


def _digest(quads: Iterable[ox.Quad]) -> str:
    """The digest of facts in whatever order."""
    return f"{content_digest(quads)[1]:064x}"
