"""Answers without the graph: sections of pages that are like the question, and the entities that they name.

With a chat, a model reads the answers off the sections. Without one they are the entities that the most fitting lines
name: a rough measure of what retrieval alone can do, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kb.ask.answer import Answer, Found, Source
from kb.ask.near import Neighbourhood
from kb.ask.pick_prompt import Section, pick, pick_prompt
from kb.ask.planner.planner import HasEntities
from kb.extract.mentions import Mentions
from kb.index.chunks import ENTITY, SECTION
from kb.language import STOPWORDS, lemmas, words
from kb.llm import Chat
from kb.vocabulary import Vocabulary

__all__ = ["Retrieval", "Searchable"]

_SECTIONS, _DESCRIPTIONS, _THINGS = 8, 10, 60
_MOST = 10
_QUOTE = 300
_SHARE = 0.5
"""Offline answers score at least this share of what the best one does."""
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+(?=[^\Wa-z])")


class Retrieved(Protocol):
    """A section of a page, or an entity's description (`page` None)."""

    @property
    def text(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def page(self) -> str | None: ...
    @property
    def entity(self) -> str | None: ...


class Scored(Protocol):
    """What a search found, with how like the query it is."""

    @property
    def chunk(self) -> Retrieved: ...
    @property
    def score(self) -> float: ...


class Searchable(Protocol):
    """An index of page sections and entities."""

    def search(self, query: str, top_k: int, *, kinds: Collection[str] | None = None) -> Sequence[Scored]:
        """The most similar ones of some kinds, most similar first."""
        ...


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a section that names an entity."""

    entity: str
    section: int
    text: str
    score: float


class Retrieval:
    """Answers from an index. Construction takes time in proportion to the number of names; thread-safe."""

    def __init__(self, vocabulary: Vocabulary, catalogue: HasEntities, index: Searchable) -> None:
        self.entities, self.index = catalogue.entities, index
        self._mentions = Mentions(catalogue, vocabulary)
        self._neighbourhood = Neighbourhood(vocabulary, catalogue)

    def answer(self, question: str, chat: Chat | None = None) -> Answer:
        """The answers, likeliest first, each with page and quote.

        With a chat, raises ReplyError where its replies cannot be read, EndpointError, BudgetError and ReplayError.
        """
        sections = [
            Section(hit.chunk.page, hit.chunk.label, hit.chunk.text, hit.score)
            for hit in self.index.search(question, _SECTIONS, kinds=[SECTION])
            if hit.chunk.page is not None
        ]
        if chat is None:
            return _answer(self._offline(question, sections))
        described = (hit.chunk.entity for hit in self.index.search(question, _DESCRIPTIONS, kinds=[ENTITY]))
        return self._asked(question, sections, [one for one in described if one in self.entities], chat)

    def _asked(self, question: str, sections: list[Section], also: Sequence[str | None], chat: Chat) -> Answer:
        named = [one.entity for one in self._lines(sections, frozenset())]
        ids = list(dict.fromkeys((*named, *(one for one in also if one is not None))))[:_THINGS]
        if not sections or not ids:
            return _answer([])
        prompt = pick_prompt(question, sections, [self.entities[one] for one in ids])
        picked, dropped = pick(chat, prompt, sections, ids)
        found = [self._found(one.id, sections[one.section].page, one.quote) for one in picked]
        note = f"{dropped} of the model's answers dropped: no such thing, or no such quote" if dropped else ""
        return _answer(found, note)

    def _offline(self, question: str, sections: list[Section]) -> list[Found]:
        named = self._neighbourhood.named_ids(question)
        types = self._neighbourhood.asked_types(question)
        wanted = frozenset(form for word in words(question) for form in _forms(word.text))
        best: dict[str, _Line] = {}
        for line in self._lines(sections, wanted, named, types):
            fits = not types or self.entities[line.entity].type in types
            if fits and line.entity not in named:
                known = best.get(line.entity)
                if known is None or line.score > known.score:
                    best[line.entity] = line
        ranked = sorted(best.values(), key=lambda one: -one.score)
        kept = [one for one in ranked if one.score >= ranked[0].score * _SHARE][:_MOST]
        return [self._found(one.entity, sections[one.section].page, one.text) for one in kept]

    def _lines(
        self,
        sections: Iterable[Section],
        wanted: frozenset[str],
        named: frozenset[str] = frozenset(),
        types: frozenset[str] = frozenset(),
    ) -> Iterable[_Line]:
        """Each line with each entity that it names. A name that several share counts where a type settles it.

        A line is worth the more, the more words it shares with the question, and when it or its heading names what the
        question does.
        """
        for number, section in enumerate(sections):
            about = self._ids(section.label, types)
            for line in _SENTENCE.split(section.text):
                ids = self._ids(line, types)
                if not ids:
                    continue
                shared = len(wanted & {form for word in words(line) for form in _forms(word.text)})
                worth = 1 + shared + 2 * (not named.isdisjoint(ids)) + (not named.isdisjoint(about))
                for one in ids:
                    yield _Line(one, number, _short(line), section.score * worth)

    def _ids(self, text: str, types: frozenset[str]) -> list[str]:
        found: dict[str, None] = {}
        for mention in self._mentions.find(text):
            ids = mention.entity_ids
            if len(ids) > 1:
                ids = tuple(one for one in ids if self.entities[one].type in types)
            if len(ids) == 1 and not mention.weak:
                found[ids[0]] = None
        return list(found)

    def _found(self, entity_id: str, page: str, quote: str) -> Found:
        entity = self.entities[entity_id]
        return Found(entity_id, entity.name, entity.type, passages=(Source(page, quote),))


def _answer(found: Sequence[Found], note: str = "") -> Answer:
    return Answer(tuple(found), None, None, method="vector", asked="vector", note=note)


def _forms(word: str) -> frozenset[str]:
    return frozenset() if word.lower() in STOPWORDS else lemmas(word.lower())


def _short(line: str) -> str:
    text = line.strip()
    return text if len(text) <= _QUOTE else text[:_QUOTE].rsplit(" ", 1)[0]
