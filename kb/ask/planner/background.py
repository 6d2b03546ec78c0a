"""What the ontology and the catalogue say once, for all questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.ask.planner.cues import WORDS
from kb.ask.planner.gaps import Gaps
from kb.ask.planner.lexicon import Lexicon
from kb.ask.planner.mentions import NameIndex
from kb.ask.planner.sequences import Steps
from kb.model import Entity
from kb.vocabulary import Vocabulary

__all__ = ["Background"]

_PERSON = frozenset({"person", "people", "human", "agent"})


class Background:
    """Names, words and types that questions are read by. Read-only once made."""

    def __init__(self, vocabulary: Vocabulary, entities: Mapping[str, Entity]) -> None:
        self.vocabulary, self.entities = vocabulary, entities
        self.steps = Steps(vocabulary, entities)
        self.lexicon = Lexicon(vocabulary, self.steps)
        self.gaps = Gaps(self.steps, self.lexicon.containment, self.lexicon.affiliation)
        self.names = NameIndex(entities)
        self.known = self.lexicon.known | WORDS
        """Words that mean something other than names."""
        self.numbers = self._values()
        """The values of numeric attributes."""
        self.people = 0
        """The types of people."""
        for class_ in vocabulary.classes.values():
            if _PERSON & {phrase.lower() for phrase in class_.phrases}:
                self.people |= self.steps.below(class_.name)
        self.impact, above = self._needs()
        """The hop to what fails with a thing; None where no relation says so."""
        self.above = self._above(above)
        """The hops to what stands above a thing, likeliest first."""
        self.majority = self._majority()
        """Types that most of the entities below one of their parents have."""
        inside = self.lexicon.containment
        self.parts = frozenset(code ^ 1 for code in inside if inside[code] and self.steps.relation(code).transitive)
        """Hops from wholes to parts, along relations that the ontology declares transitive."""

    def mask(self, ids: Sequence[str]) -> int:
        """The types of some entities."""
        mask = 0
        for one in ids:
            mask |= self.steps.of(self.entities[one].type)
        return mask

    def _values(self) -> dict[str, frozenset[float]]:
        texts: dict[str, set[str]] = {}
        numbers: dict[str, set[float]] = {}
        for entity in self.entities.values():
            for name, value in entity.attributes.items():
                if name not in self.vocabulary.attributes or isinstance(value, bool):
                    continue
                if isinstance(value, str):
                    texts.setdefault(name, set()).add(value)
                else:
                    numbers.setdefault(name, set()).add(float(value))
        for name in sorted(texts):
            self.lexicon.add_values(name, sorted(texts[name]))
        return {name: frozenset(found) for name, found in numbers.items()}

    def _needs(self) -> tuple[int | None, int | None]:
        repeatable = self.steps.repeatable
        needs = {code: count for code, count in self.lexicon.necessity.items() if code in repeatable and count}
        if needs:
            # What is needed lies below what needs it, and takes it along when it fails.
            code = max(needs, key=lambda one: (needs[one], -one))
            return code ^ 1, code ^ 1
        inside = {code: count for code, count in self.lexicon.containment.items() if code in repeatable and count}
        if inside:
            # The whole lies above its parts, and takes them along.
            code = max(inside, key=lambda one: (inside[one], -one))
            return code ^ 1, code
        forwards = [code for code in sorted(repeatable) if not code & 1]
        return (forwards[0] ^ 1, forwards[0]) if len(forwards) == 1 else (None, None)

    def _above(self, first: int | None) -> tuple[int, ...]:
        """Who ranks above whom, where people have ranks, and then what the ontology says of things."""
        ranks = {
            code: count
            for code, count in self.lexicon.ranks.items()
            if count and code in self.steps.repeatable and not self.steps.before(code) & ~self.people
        }
        people = [max(ranks, key=lambda one: (ranks[one], -one))] if ranks else []
        found = [*people, *([] if first is None else [first])]
        for code in sorted(self.lexicon.containment, key=lambda one: (-self.lexicon.containment[one], one)):
            # Wholes stand above their parts, where nothing else says what stands above these.
            repeatable = code in self.steps.repeatable and self.lexicon.containment[code]
            if repeatable and not any(self._between(code) & self._between(one) for one in found):
                found.append(code)
        return tuple(dict.fromkeys(found))

    def _between(self, code: int) -> int:
        """The types that a hop both starts from and reaches."""
        return self.steps.before(code) & self.steps.after(self.steps.everything, code)

    def _majority(self) -> frozenset[str]:
        found = set()
        for class_ in self.vocabulary.classes.values():
            mine = self._count(class_.name)
            if any(2 * mine > self._count(parent) for parent in class_.parents):
                found.add(class_.name)
        return frozenset(found)

    def _count(self, type_name: str) -> int:
        return sum(self.steps.counts.get(one, 0) for one in self.vocabulary.descendants(type_name))
