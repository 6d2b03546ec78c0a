"""Names as pages write them -> entities of the catalogue.

In this order: an exact id; the same name after normalising; the same name without a trailing word for its type; the
closest name. A name that means two entities is settled by what the name itself or the relation asks for, and is
ambiguous otherwise: a wrong fact costs more than a missing one. Where the id of one entity is also the name of another,
and the relation can only mean the other, that one is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from kb.graph._closest import ClosestNames
from kb.model import Entity
from kb.names import normalised
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["AMBIGUOUS", "UNKNOWN_ENTITY", "Resolution", "Resolver", "normalised"]

UNKNOWN_ENTITY = "unknown_entity"
AMBIGUOUS = "ambiguous"

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name means.

    `id` is None when it means nothing, or more than one thing, which are `among`; then `code` says which of the two and
    `reason` is a sentence for people. A name that was read as a similar one has a reason too.
    """

    id: str | None
    code: str | None = None
    reason: str = ""
    among: tuple[str, ...] = ()


class Resolver:
    """Resolves names against one catalogue. Which words name a type comes from the vocabulary's classes."""

    def __init__(self, catalogue: Catalogue, vocabulary: Vocabulary) -> None:
        self._entities = catalogue.entities
        self._vocabulary = vocabulary
        self._nouns: dict[str, set[str]] = {}
        for cls in vocabulary.classes.values():
            for phrase in (cls.name, *cls.phrases):
                self._nouns.setdefault(normalised(phrase), set()).add(cls.name)
        self._longest_noun = max((noun.count(" ") + 1 for noun in self._nouns), default=0)
        self._full: dict[str, set[str]] = {}
        self._bare: dict[str, set[str]] = {}
        self._spelt: dict[str, str] = {}
        for entity in self._entities.values():
            for name in (entity.name, *entity.aliases, entity.id):
                key = normalised(name)
                if not key:
                    continue
                self._full.setdefault(key, set()).add(entity.id)
                self._spelt.setdefault(key, name)
                for shorter, _ in self._shorter(key):
                    self._bare.setdefault(shorter, set()).add(entity.id)
                    self._spelt.setdefault(shorter, name)
        self._closest = ClosestNames([*self._full, *self._bare])
        self._cache: dict[tuple[str, frozenset[str] | None], Resolution] = {}

    def resolve(self, name: str, types: Collection[str] | None = None) -> Resolution:
        """The entity that `name` means.

        `types` are the types that the relation asks for at that end, subclasses not spelled out; None for any.
        """
        asked = None if types is None else frozenset(types)
        if name in self._entities and (asked is None or self._above(name) & asked):
            return Resolution(name)
        found = self._cache.get((name, asked))
        if found is None:
            found = self._cache[(name, asked)] = self._resolve(name, asked)
        return found

    def is_id(self, name: str) -> bool:
        """Whether a name is the id of an entity, letter by letter."""
        return name in self._entities

    def type_of(self, entity_id: str) -> str:
        """The type of an entity of the catalogue."""
        return self._entities[entity_id].type

    # -- by equality --------------------------------------------------------

    def _resolve(self, name: str, types: frozenset[str] | None) -> Resolution:
        key = normalised(name)
        if name in self._entities:
            sharing = {one for one in self._full.get(key, ()) if types is not None and self._above(one) & types}
            return self._one_of(name, sharing, types) if sharing else Resolution(name)
        if not key:
            return Resolution(None, UNKNOWN_ENTITY, f"{name!r} is not a name")
        shorter = self._shorter(key)
        if key in self._full:
            return self._one_of(name, self._full[key], types)
        contradicted: set[str] = set()
        for index in (self._full, self._bare):
            for variant, noun_types in ((key, frozenset[str]()), *shorter):
                meant = index.get(variant, set())
                fitting = {one for one in meant if self._may_be(one, noun_types)}
                if fitting:
                    closer = {one for one in fitting if noun_types & self._above(one)}
                    return self._one_of(name, closer or fitting, types)
                contradicted |= meant
        if contradicted:
            others = self._listed(contradicted)
            return Resolution(None, UNKNOWN_ENTITY, f"'{name}' is not in the catalogue (the name is that of {others})")
        return self._similar(name, key, shorter, types)

    def _shorter(self, key: str) -> list[tuple[str, frozenset[str]]]:
        """The key without its trailing type nouns, one, two... taken off, with the types that those name."""
        found: list[tuple[str, frozenset[str]]] = []
        words = key.split(" ")
        types: frozenset[str] | None = None
        while " ".join(words) not in self._nouns:
            for size in range(min(self._longest_noun, len(words) - 1), 0, -1):
                noun = " ".join(words[-size:])
                if noun in self._nouns:
                    words = words[:-size]
                    # The first noun taken off is the last one said, and that is the one which says what it is.
                    types = frozenset(self._nouns[noun]) if types is None else types
                    found.append((" ".join(words), types))
                    break
            else:
                break
        return found

    def _above(self, entity_id: str) -> frozenset[str]:
        return self._vocabulary.ancestors(self._entities[entity_id].type)

    def _may_be(self, entity_id: str, noun_types: frozenset[str]) -> bool:
        """Whether an entity can be called by a noun for these types.

        People are loose with nouns of one family (a queue is called a service), but "the Ledger team" is not Ledger.
        """
        if not noun_types:
            return True
        above = self._above(entity_id)
        return any(above & self._vocabulary.ancestors(one) for one in noun_types)

    def _one_of(self, name: str, ids: Iterable[str], types: frozenset[str] | None, read_as: str = "") -> Resolution:
        found = sorted(set(ids))
        if len(found) > 1 and types is not None:
            fitting = [one for one in found if self._above(one) & types]
            # Where none fits, none is meant, and the name stays what it is: the name of several.
            found = fitting or found
        if len(found) == 1:
            return Resolution(found[0], None, read_as)
        reason = f"'{name}' could be {self._listed(found)}; write the id of the one meant"
        return Resolution(None, AMBIGUOUS, reason, tuple(found))

    # -- by similarity ------------------------------------------------------

    def _similar(
        self, name: str, key: str, shorter: list[tuple[str, frozenset[str]]], types: frozenset[str] | None
    ) -> Resolution:
        bare, noun_types = shorter[-1][0] if shorter else key, shorter[0][1] if shorter else frozenset[str]()
        ids: set[str] = set()
        others: set[str] = set()
        best = 0.0
        # The whole name is compared with whole names, the bare one with bare ones too: a shared "service" at the end
        # would make any two names of that type look alike.
        for variant in dict.fromkeys((key, bare)):
            ratio, close = self._closest.best(variant)
            meant = {one for other in close for one in self._full.get(other, set()) | self._bare.get(other, set())}
            others |= meant
            meant = {one for one in meant if self._may_be(one, noun_types)}
            if meant and ratio > best:
                ids, best = meant, ratio
            elif ratio == best:
                ids |= meant
        if ids:
            shown = self._listed(ids)
            return self._one_of(name, ids, types, f"'{name}' was read as {shown}")
        if others:
            closest = f"closest: {self._listed(others)}, of another type"
            return Resolution(None, UNKNOWN_ENTITY, f"'{name}' is not in the catalogue ({closest})")
        hint, why = self._closest.hint(bare)
        if hint is None:
            return Resolution(None, UNKNOWN_ENTITY, f"'{name}' is not in the catalogue")
        closest = f"closest: '{self._spelt[hint]}', {why}"
        return Resolution(None, UNKNOWN_ENTITY, f"'{name}' is not in the catalogue ({closest})")

    # -- words for people ---------------------------------------------------

    def _listed(self, ids: Iterable[str]) -> str:
        found = [self._entities[one] for one in sorted(ids)]
        shown = [f"{_shown(entity)} ({entity.type.replace('_', ' ')})" for entity in found[:_SHOWN]]
        if len(found) > _SHOWN:
            shown.append(f"{len(found) - _SHOWN} more")
        return " or ".join(shown) if len(shown) < 3 else ", ".join(shown[:-1]) + " or " + shown[-1]


def _shown(entity: Entity) -> str:
    return f"'{entity.id}'"
