"""Nouns for types and words for attributes in a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.ask.planner.lexicon import NOUN, AttributePhrase, ClassPhrase, Lexicon
from kb.ask.planner.sequences import Steps
from kb.ask.planner.slots import Slot
from kb.ask.planner.text import ADVERBS, Question, word_set

__all__ = ["Noun", "find_nouns", "without_covered", "without_modifiers"]

_NEGATIONS = word_set("not never isn't aren't wasn't weren't non")
_PLURALS = word_set("people men women children")
_MODIFIERS = 3
"""How many words may stand between "which" and its noun."""


@dataclass(frozen=True, slots=True)
class Noun:
    """Words `start` to `end` (exclusive) that name a type, or say that an attribute has a value.

    `mask` are the types it can speak of; `asked` says that a question word stands before it.
    """

    start: int
    end: int
    name: str
    mask: int
    attribute: bool = False
    value: Any = None
    asked: bool = False
    plural: bool = False

    @property
    def places(self) -> range:
        """The places of its words."""
        return range(self.start, self.end)


def find_nouns(
    question: Question,
    lexicon: Lexicon,
    steps: Steps,
    numbers: Mapping[str, frozenset[float]],
    masked: frozenset[int],
) -> list[Noun]:
    """All nouns, left to right; of overlapping ones the longest, attributes first.

    `numbers` are the values of numeric attributes, `masked` the words of entities.
    """
    finder = _Finder(question, lexicon, steps, masked)
    found = finder.phrases()
    found.sort(key=lambda noun: (noun.start - noun.end, not noun.attribute, noun.start, noun.name))
    chosen: list[Noun] = []
    for noun in (*found, *finder.numbers(numbers)):
        if all(noun.end <= one.start or one.end <= noun.start for one in chosen):
            chosen.append(noun)
    return sorted(chosen, key=lambda noun: noun.start)


class _Finder:
    def __init__(self, question: Question, lexicon: Lexicon, steps: Steps, masked: frozenset[int]) -> None:
        self.question, self.lexicon, self.steps, self.masked = question, lexicon, steps, masked

    def phrases(self) -> list[Noun]:
        found: dict[Noun, None] = {}
        for token in self.question.tokens:
            for form in sorted(token.lemmas):
                for phrase in (*self.lexicon.attributes.get(form, ()), *self.lexicon.classes.get(form, ())):
                    places = range(token.index, token.index + len(phrase.words))
                    if self.spells(phrase, places):
                        noun = (
                            self.type(phrase, places) if isinstance(phrase, ClassPhrase) else self.value(phrase, places)
                        )
                        if noun is not None:
                            found[noun] = None
        return list(found)

    def spells(self, phrase: ClassPhrase | AttributePhrase, places: range) -> bool:
        tokens = self.question.tokens
        return (
            self.question.same_segment(places.start, places.stop - 1)
            and self.masked.isdisjoint(places)
            and all(not tokens[at].lemmas.isdisjoint(forms) for at, forms in zip(places, phrase.words, strict=True))
        )

    def type(self, phrase: ClassPhrase, places: range) -> Noun:
        last = self.question.lower(places.stop - 1)
        plural = last.endswith("s") or last in _PLURALS
        mask = self.steps.below(phrase.name)
        return Noun(places.start, places.stop, phrase.name, mask, asked=self.asked(places.start), plural=plural)

    def asked(self, place: int) -> bool:
        """Whether "which", "what" or "how many" stands before a noun, with nothing but adjectives between."""
        question = self.question
        if question.lower(place - 1) == "many":
            return True
        back = place - 1
        while place - back <= _MODIFIERS and question.same_segment(back, place) and self.describes(back):
            back -= 1
        return question.same_segment(back, place) and question.lower(back) in {"which", "what"}

    def describes(self, place: int) -> bool:
        """Whether a word before a noun can belong to it, as an adjective or a noun does and a verb does not."""
        token = self.question.tokens[place]
        patterns = self.lexicon.patterns_of(token.lemmas)
        return token.content and not any(one.kind != NOUN and one.weight > 0.5 for one in patterns)

    def value(self, phrase: AttributePhrase, places: range) -> Noun | None:
        value, start = phrase.value, places.start
        if value is None:
            return None
        if isinstance(value, bool):
            before = self.question.previous_word(start, ADVERBS - _NEGATIONS)
            if self.question.lower(before) in _NEGATIONS:
                start, value = before, not value
        return Noun(start, places.stop, phrase.name, self.domain(phrase.name), attribute=True, value=value)

    def domain(self, attribute: str) -> int:
        mask = 0
        for name in self.steps.vocabulary.attributes[attribute].domains or (None,):
            mask |= self.steps.below(name)
        return mask

    def numbers(self, values: Mapping[str, frozenset[float]]) -> list[Noun]:
        """Numbers of the question that a numeric attribute has somewhere in the catalogue."""
        found = []
        for token in self.question.tokens:
            if token.index in self.masked or not (token.lower.isascii() and token.lower.isdigit()):
                continue
            name = next((name for name in sorted(values) if float(token.lower) in values[name]), None)
            if name is not None:
                at = token.index
                found.append(Noun(at, at + 1, name, self.domain(name), attribute=True, value=int(token.lower)))
        return found


def without_modifiers(nouns: Sequence[Noun], slots: Sequence[Slot]) -> list[Noun]:
    """Nouns that stand for themselves, unlike "film" in "film genre"."""
    heads = {noun.start for noun in nouns if not noun.attribute}
    heads |= {min(meaning.words) for slot in slots for meaning in slot.meanings if meaning.kind == NOUN}
    return [noun for noun in nouns if noun.attribute or noun.plural or noun.end not in heads]


def without_covered(slots: Sequence[Slot], nouns: Sequence[Noun]) -> list[Slot]:
    """Slots whose words are not part of a longer attribute phrase ("exposed to the internet")."""
    phrases = [noun for noun in nouns if noun.attribute]
    return [
        slot
        for slot in slots
        if not any(
            one.start <= slot.start and slot.end <= one.end and len(one.places) > slot.end - slot.start
            for one in phrases
        )
    ]
