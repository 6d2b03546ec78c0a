"""What pronouns, "the service" and missing subjects stand for at one place of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kb.extract.phrases.tokens import Tok

__all__ = ["Context", "Ref"]


@dataclass(frozen=True, slots=True)
class Ref:
    """Something that a phrase stands for: one of `ids`, whichever fits the relation.

    `text` is the name as written, None where the page used a pronoun, "the service" or nothing at all. `start` and
    `end` are token indexes of the phrase. `fallback` is what a pronoun may mean if none of `ids` fits.
    """

    ids: tuple[str, ...]
    text: str | None = None
    start: int = -1
    end: int = -1
    weak: bool = False
    fallback: tuple[str, ...] = ()

    @classmethod
    def of(cls, tok: Tok, index: int) -> Ref:
        """Refer to a name."""
        return cls(tok.ids, tok.text if tok.direct else None, index, index + 1, tok.weak)


@dataclass(slots=True)
class Context:
    """Referents while a page is read.

    `page` are the things that the page may be about (usually one), `section` and `item` those that a heading or a list
    item made the subject. `previous` is the subject of the sentence before: a tuple of ids, () for something unknown,
    None at the start of a block. `recent` are the names read lately, the last one last.
    `outer` is what the list item around the current one is about.
    """

    types: dict[str, str]
    heads: Mapping[str, frozenset[str]]
    page: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    previous: tuple[str, ...] | None = None
    recent: list[tuple[str, ...]] = field(default_factory=list)
    pair: tuple[Ref, ...] = ()
    outer: tuple[str, ...] = ()

    @property
    def subject(self) -> tuple[str, ...]:
        """What an unfinished sentence is about."""
        return self.item or self.section or self.page

    @property
    def settled(self) -> tuple[str, ...]:
        """As `subject`, but () where the sentence before was about another thing of the catalogue."""
        if not self.previous or not self.subject or set(self.previous) & set(self.subject):
            return self.subject
        return ()

    def it(self) -> tuple[str, ...]:
        """What "it" at the start of a sentence means: the subject of the one before, else what the page is about."""
        return self.previous or self.subject

    def called(self, noun: str, nouns: dict[str, frozenset[str]], lemmas: frozenset[str]) -> tuple[str, ...]:
        """What "the <noun>" means: the page's subject if it may be called so, else the last thing of that type."""
        subject = self.subject
        if any(noun in self.heads.get(one, ()) for one in subject):
            return subject
        for ids in reversed(self.recent[-6:]):
            if len(ids) == 1 and noun in self.heads.get(ids[0], ()):
                return ids
        types = next((nouns[one] for one in (noun, *sorted(lemmas)) if one in nouns), None)
        if types is None:
            return ()
        fitting = tuple(one for one in subject if self.types[one] in types)
        if fitting:
            return fitting
        # Only what was named right before, and only if it is the one thing of that type there.
        near = dict.fromkeys(ids for ids in self.recent[-3:] if any(self.types[one] in types for one in ids))
        if len(near) != 1:
            return ()
        return tuple(one for one in next(iter(near)) if self.types[one] in types)

    def remember(self, refs: Sequence[tuple[str, ...]]) -> None:
        """Note the names of a sentence, for the sentences after it."""
        self.recent.extend(refs)
        del self.recent[:-40]
