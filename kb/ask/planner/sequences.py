"""Which hops can follow one another: the types of the ontology as bit sets, and a step table for each hop.

Relations that could not touch any entity of the catalogue are left out, so that a large ontology costs nothing where a
knowledge base uses a corner of it. One that could touch entities at one end stays: "who leads it" is understood,
and has no answer, where the catalogue holds no people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from kb.model import Entity
from kb.vocabulary import Relation, Vocabulary

__all__ = ["MAX_HOPS", "Steps"]

MAX_HOPS = 5
"""The longest sequence of hops that a question is read as."""


class Steps:
    """Type algebra over hops. A *code* is a hop without its star: `2 * relation`, plus one where it goes backwards.

    A *mask* is a set of types, one bit for each type of the ontology.
    """

    def __init__(self, vocabulary: Vocabulary, entities: Mapping[str, Entity]) -> None:
        self.vocabulary = vocabulary
        counts: dict[str, int] = {}
        for entity in entities.values():
            counts[entity.type] = counts.get(entity.type, 0) + 1
        self.counts = counts
        self.types = sorted(vocabulary.classes)
        self._bit = {name: 1 << number for number, name in enumerate(self.types)}
        self.everything = (1 << len(self.types)) - 1
        self.populated = sum(self._bit.get(name, 0) for name in counts)
        """The types that the catalogue has entities of."""
        self.relations: list[Relation] = [vocabulary.relations[name] for name in sorted(vocabulary.relations)]
        self._number = {relation.name: number for number, relation in enumerate(self.relations)}
        self._below = {
            name: sum(self._bit.get(one, 0) for one in vocabulary.descendants(name)) for name in vocabulary.classes
        }
        self._pairs: list[tuple[tuple[int, int], ...]] = []
        for relation in self.relations:
            pairs = [(self.below(s), self.below(o)) for s, o in relation.signatures]
            if relation.symmetric:
                pairs += [(o, s) for s, o in pairs]
            self._pairs.append(tuple((s, o) for s, o in pairs if (s | o) & self.populated))
        self._cache: dict[tuple[int, int], int] = {}

    def below(self, name: str | None) -> int:
        """The mask of a type and its subtypes; of everything for None."""
        return self.everything if name is None else self._below.get(name, 0)

    def of(self, type_name: str) -> int:
        """The mask of one declared type."""
        return self._bit.get(type_name, 0)

    def names(self, mask: int) -> list[str]:
        """The declared types in a mask."""
        return [name for name, bit in self._bit.items() if mask & bit]

    def code(self, relation: str, *, backwards: bool) -> int:
        """The code of a hop."""
        return 2 * self._number[relation] + int(backwards)

    def relation(self, code: int) -> Relation:
        """The relation that a hop follows."""
        return self.relations[code >> 1]

    def written(self, code: int, *, repeated: bool = False) -> str:
        """A hop as plans write it."""
        relation = self.relation(code)
        backwards = code & 1 and not relation.symmetric
        return f"{'~' if backwards else ''}{relation.name}{'*' if repeated else ''}"

    def after(self, mask: int, code: int) -> int:
        """The types that a hop can reach from these; 0 where it cannot be taken."""
        key = (mask, code)
        found = self._cache.get(key)
        if found is None:
            found = 0
            for subject, object_ in self._pairs[code >> 1]:
                near, far = (object_, subject) if code & 1 else (subject, object_)
                if near & mask:
                    found |= far
            self._cache[key] = found
        return found

    def before(self, code: int) -> int:
        """The types that a hop can start from."""
        mask = 0
        for subject, object_ in self._pairs[code >> 1]:
            mask |= object_ if code & 1 else subject
        return mask

    def breadth(self, mask: int, code: int) -> int:
        """How many types the relation could start this hop from: a relation made for few types is likelier meant."""
        sizes = [
            (object_ if code & 1 else subject).bit_count()
            for subject, object_ in self._pairs[code >> 1]
            if (object_ if code & 1 else subject) & mask
        ]
        return min(sizes, default=0)

    def usable(self, code: int) -> bool:
        """Whether the catalogue has entities that this hop's relation could touch."""
        return bool(self._pairs[code >> 1])

    @cached_property
    def repeatable(self) -> frozenset[int]:
        """Codes of hops that can follow themselves, because what they reach can be where they start."""
        return frozenset(
            code
            for code in range(2 * len(self.relations))
            if (reached := self.after(self.everything, code)) and self.after(reached, code)
        )

    def between(self, mask: int, goal: int, longest: int = 2) -> Iterator[tuple[int, ...]]:
        """Every shortest sequence of different relations from types in `mask` to types in `goal`."""
        frontier: list[tuple[tuple[int, ...], int]] = [((), mask)]
        for _ in range(longest):
            following = []
            for path, here in frontier:
                for code in range(2 * len(self.relations)):
                    if any(code >> 1 == one >> 1 for one in path):
                        continue
                    reached = self.after(here, code)
                    if reached:
                        following.append(((*path, code), reached))
            done = [path for path, reached in following if reached & goal]
            if done:
                yield from done
                return
            frontier = following

    def walk(self, mask: int, codes: Iterable[int]) -> list[int]:
        """The mask before the first hop and after each; empty where one of them cannot be taken."""
        masks = [mask]
        for code in codes:
            mask = self.after(mask, code)
            if not mask:
                return []
            masks.append(mask)
        return masks
