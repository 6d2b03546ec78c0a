"""Which keys a record may have, and which one a key that is none of them was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cached_property

from kb.names import snake_case
from kb.sources._text import clipped
from kb.vocabulary import Vocabulary

__all__ = ["KnownKeys"]


class KnownKeys:
    """The keys of records of each type. `own` are those that every record may have."""

    def __init__(self, vocabulary: Vocabulary, own: Iterable[str]) -> None:
        self.vocabulary, self.own = vocabulary, tuple(own)
        self.asked: set[str | None] = set()

    def hint(self, key: str, type_name: str | None) -> str:
        """What a key of a record of this type was probably meant to be, for the end of a message.

        Keys that the type can have come before others, the ontology's own words for a term count as its name does.
        """
        self.asked.add(type_name)
        word = snake_case(key)
        for fitting in (True, False):
            spelt: dict[str, str] = dict.fromkeys(self.own, "") if fitting else {}
            for name, phrases, fits in self._terms(type_name):
                if fits or not fitting:
                    for phrase in (name, *phrases):
                        spelt.setdefault(snake_case(phrase), name)
            close = difflib.get_close_matches(word, spelt, n=1, cutoff=0.6 if fitting else 0.8)
            if close:
                return f"did you mean {clipped(spelt[close[0]] or close[0])}?"
        return "remove it"

    def known(self) -> str:
        """All keys of the types for which a hint was asked, in words; empty where none was."""
        if not self.asked:
            return ""
        found = {name for one in self.asked for name, _, fits in self._terms(one) if fits}
        attributes = sorted(found & self.vocabulary.attributes.keys())
        relations = sorted(found - set(attributes))
        parts = [", ".join(self.own)]
        parts += [
            f"{what} {', '.join(names)}"
            for what, names in (("attributes", attributes), ("relations", relations))
            if names
        ]
        return f"keys that these records may have: {'; '.join(parts)}"

    def _terms(self, type_name: str | None) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        """Every term as (name, phrases, whether a record of this type may have it)."""
        above = self.vocabulary.ancestors(type_name) if type_name else frozenset[str]()
        for name, phrases, types in self._all:
            yield name, phrases, not above or not types or None in types or bool(above & types)

    @cached_property
    def _all(self) -> list[tuple[str, tuple[str, ...], frozenset[str | None]]]:
        found: list[tuple[str, tuple[str, ...], frozenset[str | None]]] = []
        for relation in self.vocabulary.relations.values():
            subjects = frozenset(subject for subject, _ in relation.signatures)
            found.append((relation.name, relation.phrases, subjects))
            if relation.inverse is not None:
                objects = frozenset(object_ for _, object_ in relation.signatures)
                found.append((relation.inverse.name, relation.inverse.phrases, objects))
        found.extend((one.name, one.phrases, frozenset(one.domains)) for one in self.vocabulary.attributes.values())
        return found
