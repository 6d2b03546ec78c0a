"""The entities near a question: those that it names, in whatever spelling, and those whose names resemble its words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kb.ask.planner.background import Background
from kb.ask.planner.mentions import Mention
from kb.ask.planner.nouns import find_nouns
from kb.ask.planner.planner import HasEntities
from kb.ask.planner.spelling import key_of
from kb.ask.planner.text import Question, read_question
from kb.language import STOPWORDS, words
from kb.model import Entity
from kb.vocabulary import Vocabulary

__all__ = ["Named", "Near", "Neighbourhood"]

MOST = 30
"""Entities that are given with a question."""
_ALIKE = 0.4
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Named:
    """Words of a question that can only be a name: as they are written, and the ids of all that are called so."""

    words: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """`entities` are near the question, nearest first; `named` are the names that it says outright, in order."""

    entities: tuple[Entity, ...]
    named: tuple[Named, ...] = ()


class Neighbourhood:
    """Finds what is near. Construction takes time in proportion to the number of names; safe from several threads."""

    def __init__(self, vocabulary: Vocabulary, catalogue: HasEntities) -> None:
        self.entities = catalogue.entities
        self._background = Background(vocabulary, self.entities)

    def near(self, question: str, most: int = MOST) -> Near:
        """At most so many entities. A catalogue that has no more than that is near as a whole."""
        asked, background = read_question(question), self._background
        mentions = background.names.find(asked, background.known, background.lexicon.verbs)
        by_confidence = sorted(mentions, key=lambda one: -one.confidence)
        found = dict.fromkeys(one for mention in by_confidence for one in mention.ids)
        sure = {at for mention in mentions if mention.confidence >= 1 for at in range(mention.start, mention.end)}
        found.update(dict.fromkeys(self._alike(asked, sure)))
        if len(self.entities) <= most:
            found.update(dict.fromkeys(self.entities))
        named = tuple(self._named(mention, asked) for mention in mentions if _outright(mention, asked))
        return Near(tuple(self.entities[one] for one in list(found)[:most]), named)

    def named_ids(self, question: str) -> frozenset[str]:
        """All that a question may name."""
        asked, background = read_question(question), self._background
        mentions = background.names.find(asked, background.known, background.lexicon.verbs)
        return frozenset(one for mention in mentions for one in mention.ids)

    def asked_types(self, question: str) -> frozenset[str]:
        """The types that a question asks for by a noun after "which", "what" or "how many"; empty where none does."""
        asked, background = read_question(question), self._background
        mentions = background.names.find(asked, background.known, background.lexicon.verbs)
        masked = frozenset(at for one in mentions for at in range(one.start, one.end))
        nouns = find_nouns(asked, background.lexicon, background.steps, background.numbers, masked)
        names = [noun.name for noun in nouns if noun.asked and not noun.attribute]
        below = background.vocabulary.descendants
        return frozenset(one for name in names for one in below(name))

    def _named(self, mention: Mention, asked: Question) -> Named:
        first, last = asked.tokens[mention.start], asked.tokens[mention.end - 1]
        return Named(asked.text[first.start : last.end], mention.ids)

    def _alike(self, asked: Question, sure: set[int]) -> list[str]:
        """Entities with a name or a part of one that is spelt like words of the question, most alike first."""
        known = self._background.known
        strange = [
            token
            for token in asked.tokens
            if token.index not in sure and token.lower not in STOPWORDS and token.lemmas.isdisjoint(known)
        ]
        queries = [key_of([token.text]) for token in strange]
        queries += [key_of([a.text, b.text]) for a, b in pairwise(strange) if b.index - a.index == 1]
        scores: dict[str, float] = {}
        for query in dict.fromkeys(one for one in queries if len(one) >= _SHORTEST):
            for term, score in self._spelling.like(query):
                for one in self._spelling.owners[term]:
                    scores[one] = max(scores.get(one, 0.0), score)
        return sorted(scores, key=lambda one: (-scores[one], one))

    @cached_property
    def _spelling(self) -> _Spelling:
        return _Spelling(self.entities.values())


class _Spelling:
    """Names, and the words of names, by the groups of three letters that they hold."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.owners: dict[str, dict[str, None]] = defaultdict(dict)
        for entity in entities:
            for name in dict.fromkeys((entity.name, *entity.aliases, entity.id)):
                parts = [key_of([word.text]) for word in words(name)]
                for term in ("".join(parts), *parts):
                    if len(term) >= _SHORTEST and term not in STOPWORDS:
                        self.owners[term][entity.id] = None
        self.holding: dict[str, list[str]] = defaultdict(list)
        for term in self.owners:
            for group in _groups(term):
                self.holding[group].append(term)

    def like(self, query: str) -> list[tuple[str, float]]:
        """Terms with how alike they are, 0 to 1 (Dice's coefficient of their groups)."""
        groups = _groups(query)
        shared: dict[str, int] = defaultdict(int)
        for group in groups:
            for term in self.holding.get(group, ()):
                shared[term] += 1
        scored = ((term, 2 * count / (len(groups) + len(_groups(term)))) for term, count in shared.items())
        return [(term, score) for term, score in scored if score >= _ALIKE]


def _groups(term: str) -> set[str]:
    padded = f"^{term}$"
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _outright(mention: Mention, asked: Question) -> bool:
    tokens = asked.tokens[mention.start : mention.end]
    written = len(tokens) > 1 or tokens[0].text[:1].isupper()
    return mention.confidence >= 1 and written and not any(token.context for token in tokens)
