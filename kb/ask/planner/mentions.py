"""Entities that a question names: by any alias, in any case, with any separators, with small typing mistakes."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kb.ask.planner.spelling import NearKeys, folded, key_of, like_word_by_word
from kb.ask.planner.text import DETERMINERS, PREPOSITIONS, WH, Question
from kb.language import STOPWORDS, lemmas, words
from kb.model import Entity

__all__ = ["Mention", "NameIndex", "with_noun"]

_LONGEST = 12
"""Words that a name found in a question may have."""
_LONGEST_FUZZY = 5
_SHORT_WORD = 6
_QUOTES = "\"'`“”‘’«»"
_LEAST = 0.15
_PLURAL, _GLUED, _PARTIAL = 0.8, 0.3, 0.6


@dataclass(frozen=True, slots=True)
class Mention:
    """The words `start` to `end` (exclusive) of a question may name any of `ids`.

    `confidence` is 1 where only the entity can be meant, lower for common words, typing mistakes and partial names.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    confidence: float


class NameIndex:
    """All names of a catalogue's entities, without separators, so that "feature flags" finds "FeatureFlags"."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self.entities = entities
        self.keys: dict[str, dict[str, None]] = defaultdict(dict)
        self._spelt: dict[str, set[str]] = defaultdict(set)
        self._part: dict[str, set[str]] = defaultdict(set)
        self._head: dict[str, set[str]] = defaultdict(set)
        for entity in entities.values():
            short = _short(entity.id)
            ids = (entity.id, short) if key_of([short]) else ()
            for name in dict.fromkeys((entity.name, *entity.aliases, *ids)):
                self._add(name, entity.id)
            if len(entity.name.split()) > 1:
                for word in words(entity.name):
                    self._part[key_of([word.text])].add(entity.id)
                self._head[key_of([entity.name.split()[-1]])].add(entity.id)
        self._near: NearKeys | None = None

    def _add(self, name: str, entity_id: str) -> None:
        parts = [word.text for word in words(name.replace("&", " and "))]
        key = key_of(parts) or folded(name).strip()
        if not key:
            return
        self.keys[key][entity_id] = None
        self._spelt[key].add(name)
        if len(parts) > 1 and parts[0].lower() == "the":
            self.keys[key_of(parts[1:])].setdefault(entity_id, None)

    def find(self, question: Question, known: Collection[str], verbs: Collection[str] = ()) -> list[Mention]:
        """Mentions that do not overlap, in order; longest first, exact before fuzzy.

        `known` are the words that the ontology uses: a name spelt like one of them in lower case is doubtful, and none
        of them is taken for a misspelt name. After one of its `verbs`, a name is expected.
        """
        exact = self._exact(question, known, verbs)
        near = self._fuzzy(question, known, exact)
        found = [one for one in exact if not any(other.start <= one.start < other.end for other in near)] + near
        taken = {place for mention in found for place in range(mention.start, mention.end)}
        more = [one for one in self._heads(question, known, verbs) if one.start not in taken]
        partial = self._partial(question, known)
        if found:
            # Beside a name, a part of another one only where it stands alone with its capital: "did Tom write".
            beside = {place + step for place in taken for step in (-1, 1)}
            partial = [one for one in partial if one.start not in taken | beside and self._alone(question, one.start)]
        return sorted(_apart([*found, *more, *partial]), key=lambda mention: mention.start)

    @staticmethod
    def _alone(question: Question, place: int) -> bool:
        """Whether a word with a capital neither opens its segment nor stands beside another one with a capital."""
        near = (question.tokens[at].text for at in (place - 1, place + 1) if question.same_segment(at, place))
        return question.same_segment(place - 1, place) and not any(text[:1].isupper() for text in near)

    # -- as written -------------------------------------------------------

    def _exact(self, question: Question, known: Collection[str], verbs: Collection[str]) -> list[Mention]:
        tokens = question.tokens
        spans: list[Mention] = []
        for start in range(len(tokens)):
            key = ""
            for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
                last = tokens[end - 1]
                key += ("and" if end - 1 > start and "&" in last.before else "") + key_of([last.text])
                ids, confidence = self.keys.get(key), 1.0
                if ids is None:
                    ids, confidence = self._singular(key, last.lower), _PLURAL
                if ids:
                    surface = question.text[tokens[start].start : last.end]
                    confidence *= self._sure(question, start, end, known, verbs)
                    spans.append(Mention(start, end, self._ranked(ids, surface), confidence))
        spans.sort(key=lambda one: (one.start - one.end + self._article(question, one), -one.confidence, one.start))
        return _apart(mention for mention in spans if mention.confidence >= _LEAST)

    @staticmethod
    def _article(question: Question, mention: Mention) -> float:
        """What an article in a name counts less than a word: "the Slate Symphony" names no "the Slate"."""
        return 0.5 * (question.lower(mention.start) in DETERMINERS and mention.end - mention.start > 1)

    def _singular(self, key: str, last: str) -> dict[str, None] | None:
        """A name in the plural: "Card Vaults"."""
        for base in lemmas(last):
            if base != last and key.endswith(last) and len(base) > 3:
                found = self.keys.get(key[: -len(last)] + base)
                if found:
                    return found
        return None

    def _ranked(self, ids: Iterable[str], surface: str) -> tuple[str, ...]:
        """Those that the surface names best, and of other types the next best.

        By their id, by name in the same case, by name, by an alias in the same case, by an alias.
        """
        ids = tuple(ids)
        if len(ids) == 1:
            return ids
        key = key_of([surface])

        def rank(one: str) -> int:
            entity = self.entities[one]
            names = (entity.name, _short(entity.id))
            if surface == entity.id:
                return 0
            if surface in names:
                return 1
            if key in map(key_of, ([name] for name in names)):
                return 2
            return 3 if surface in entity.aliases else 4

        kept: list[str] = []
        for one in sorted(ids, key=rank):
            same = [other for other in kept if self.entities[other].type == self.entities[one].type]
            if all(rank(other) == rank(one) for other in same):
                kept.append(one)
        return tuple(kept)

    def _sure(self, question: Question, start: int, end: int, known: Collection[str], verbs: Collection[str]) -> float:
        """How surely words that spell a name are one."""
        tokens = question.tokens
        first, last = tokens[start], tokens[end - 1]
        after = tokens[end].before if end < len(tokens) else question.text[last.end :]
        if (first.joined and start > 0) or (end < len(tokens) and tokens[end].joined):
            return _GLUED
        if first.before[-1:] and first.before[-1:] in _QUOTES and after[:1] and after[:1] in _QUOTES:
            return 1.0
        if end - start > 1:
            plain = all(token.lower in known or token.lower in STOPWORDS for token in tokens[start:end])
            return 0.9 if plain and not any(token.joined for token in tokens[start + 1 : end]) else 1.0
        if any(char.isdigit() for char in first.text):
            return 1.0 if any(char.isalpha() for char in first.text) else 0.5
        named = first.text[:1].isupper() and question.same_segment(start - 1, start)
        argument = _is_argument(question, start, verbs)
        if first.lower in STOPWORDS:
            # "about" may be a service; "what" is no film called "What?".
            if first.lower in WH or first.text not in self._spelt.get(key_of([first.text]), ()):
                return 0.0
            return 0.6 if argument else 0.5 if named else 0.3
        common = first.lower in known or not first.lemmas.isdisjoint(known)
        if named:
            return 0.9 if common else 1.0
        return 0.9 if not common else 0.65 if argument else 0.45

    # -- nearly as written ------------------------------------------------

    def _fuzzy(self, question: Question, known: Collection[str], exact: Sequence[Mention]) -> list[Mention]:
        """Misspelt names; one may hold an exact mention of a part of it, as "Merchnat Registry" does."""
        tokens = question.tokens
        taken = {place for mention in exact for place in range(mention.start, mention.end)}
        strange = {at for at in range(len(tokens)) if at not in taken and _strange(question, at, known)}
        if strange and self._near is None:
            self._near = NearKeys(self.keys)
        spans: list[tuple[float, Mention]] = []
        for start in range(len(tokens)):
            for end in range(start + 1, min(start + _LONGEST_FUZZY, len(tokens)) + 1):
                places = range(start, end)
                cut = any((one.start < start < one.end) or (one.start < end < one.end) for one in exact)
                if cut or strange.isdisjoint(places) or not self._may_be_name(question, places, strange):
                    continue
                ids, edits, length = self._like(tuple(key_of([tokens[at].text]) for at in places))
                if ids:
                    confidence = 0.75 - 0.1 * edits if len(places) > 1 or length > 7 else 0.55
                    spans.append((edits - length / 100, Mention(start, end, ids, confidence)))
        spans.sort(key=lambda pair: (pair[0], pair[1].start))
        return _apart(mention for _, mention in spans)

    def _may_be_name(self, question: Question, places: range, strange: set[int]) -> bool:
        tokens, start, end = question.tokens, places.start, places.stop
        if not question.same_segment(start, end - 1):
            return False
        if tokens[start].lower in STOPWORDS or tokens[end - 1].lower in STOPWORDS:
            return False
        if (tokens[start].joined and start) or (end < len(tokens) and tokens[end].joined):
            return False
        return len(places) > 1 or not (_short_word(question, start) or self._part_of_name(question, start, strange))

    def _like(self, spelt: tuple[str, ...]) -> tuple[tuple[str, ...], int, int]:
        """The entities with a name like these words, how many edits away, and how many letters were compared."""
        assert self._near is not None
        text = "".join(spelt)
        edits, nearest = self._near.nearest(text)
        keys = [
            key
            for key in nearest
            if not _inflects(text, key)
            and (edits == 1 or any(like_word_by_word(spelt, name) for name in self._spelt[key]))
        ]
        return tuple(dict.fromkeys(one for key in keys for one in self.keys[key])), edits, len(text)

    @staticmethod
    def _part_of_name(question: Question, place: int, strange: set[int]) -> bool:
        """Whether a strange word with a capital stands beside another one: "James" in "James Cameron"."""
        tokens = question.tokens
        beside = [at for at in (place - 1, place + 1) if at in strange and question.same_segment(at, place)]
        return tokens[place].text[:1].isupper() and any(tokens[at].text[:1].isupper() for at in beside)

    def _partial(self, question: Question, known: Collection[str]) -> list[Mention]:
        """One word of a longer name, written with a capital, where only one entity has it: a first name, a surname."""
        found = []
        for token in question.tokens:
            ids = self._part.get(key_of([token.text]), set())
            if len(ids) == 1 and token.text[:1].isupper() and _strange(question, token.index, known):
                found.append(Mention(token.index, token.index + 1, tuple(ids), _PARTIAL))
        return found

    def _heads(self, question: Question, known: Collection[str], verbs: Collection[str]) -> list[Mention]:
        """The last word of a longer name after "the", where only one entity's name ends so: "the planner"."""
        found = []
        for token in question.tokens:
            ids = self._head.get(key_of([token.text]), set())
            alone = question.lower(token.index - 1) == "the" and question.lower(token.index + 1) != "of"
            after = token.index + 1
            followed = question.same_segment(token.index, after) and question.tokens[after].content
            done = question.lower(token.index - 2) in {"do", "does", "did"}
            followed = followed and not (done and not question.tokens[after].lemmas.isdisjoint(verbs))
            if len(ids) == 1 and alone and not followed and _strange(question, token.index, known):
                found.append(Mention(token.index, token.index + 1, tuple(ids), _PARTIAL))
        return found

    def suggestions(self, question: Question, known: Collection[str]) -> list[str]:
        """Names that resemble words of the question which mean nothing else."""
        strange = [t for t in question.tokens if len(t.lower) > 3 and _strange(question, t.index, known)]
        found: dict[str, None] = {}
        options = [key for key in self.keys if len(key) > 3]
        for token in sorted(strange, key=lambda one: not one.text[:1].isupper())[:3]:
            for key in difflib.get_close_matches(key_of([token.text]), options, n=2, cutoff=0.72):
                found[self.entities[next(iter(self.keys[key]))].name] = None
        return list(found)[:3]


def with_noun(mention: Mention, first: int, last: int, question: Question) -> Mention:
    """The mention with the noun at `first` to `last` (exclusive) beside it ("the Ledger team", "the film Amu")."""
    if first == mention.end and question.same_segment(mention.end - 1, first):
        return replace(mention, end=last)
    apposed = last == mention.start and question.lower(first - 1) in DETERMINERS | {"which", "what"}
    of = last == mention.start - 1 and question.lower(last) == "of" and question.same_segment(first, mention.start)
    return replace(mention, start=first) if apposed or of else mention


def _inflects(text: str, key: str) -> bool:
    """Whether a text differs from a key in its last letter as a form of another word does: "settles", "settler"."""
    return text[:-1] == key[:-1] and text[-1] in "sd"


def _short_word(question: Question, place: int) -> bool:
    """Whether a word is so short that, without a capital, it is likelier another word than a misspelt name."""
    text = question.tokens[place].text
    return len(text) < _SHORT_WORD and not text[:1].isupper()


def _strange(question: Question, place: int, known: Collection[str]) -> bool:
    """Whether a word means nothing that the ontology or grammar knows."""
    token = question.tokens[place]
    return token.content and not token.lower.isdigit() and token.lemmas.isdisjoint(known)


def _is_argument(question: Question, start: int, verbs: Collection[str]) -> bool:
    """Whether a bare word stands where a name does: right after a preposition, a verb of the ontology or "does"."""
    if not question.same_segment(start - 1, start):
        return False
    before = question.tokens[start - 1]
    if before.lower in PREPOSITIONS | {"do", "does", "did"}:
        return True
    return any(form in verbs and form not in STOPWORDS for form in before.lemmas)


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    """Those that do not overlap one before them."""
    chosen: list[Mention] = []
    for mention in mentions:
        if all(mention.end <= one.start or one.end <= mention.start for one in chosen):
            chosen.append(mention)
    return chosen


def _short(entity_id: str) -> str:
    """The last part of a reference such as "component:default/checkout"."""
    return re.split(r"[:/]", entity_id)[-1]
