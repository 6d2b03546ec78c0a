"""The embedded reader: no model, only the ontology's phrases and the catalogue's names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb.errors import KbError
from kb.extract import PageReading
from kb.extract.mentions import Catalogued, Mentions
from kb.extract.phrases.about import About
from kb.extract.phrases.diagrams import DiagramReader
from kb.extract.phrases.facts import Facts
from kb.extract.phrases.glossary import Glossary
from kb.extract.phrases.labels import Labels
from kb.extract.phrases.lexicon import Lexicon
from kb.extract.phrases.page_reader import PageReader
from kb.extract.phrases.prose import Prose
from kb.extract.phrases.tokens import Tokens
from kb.language import words
from kb.model import Entity, Page, Statement
from kb.vocabulary import Vocabulary

__all__ = ["PhraseReader"]

IDENTITY = "phrases/1"


class PhraseReader:
    """Reads statements off pages. Made once for a vocabulary and a catalogue; has no state between pages.

    `mentions` is the index of the catalogue's names, made here unless there is one already.
    """

    identity = IDENTITY

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogued, mentions: Mentions | None = None) -> None:
        entities = dict(catalogue.entities)
        types = {one.id: one.type for one in entities.values()}
        nouns = _type_nouns(vocabulary)
        lexicon = Lexicon(vocabulary)
        self.tokens = Tokens(mentions or Mentions(catalogue, vocabulary), types, nouns)
        self.facts = Facts(vocabulary, entities)
        self.labels = Labels(lexicon, nouns)
        self.prose = Prose(lexicon, self.facts, self.labels)
        self.about = About(self.tokens, nouns)
        self.diagrams = DiagramReader(self.tokens, self.labels, self.facts, lexicon)
        self.glossary = Glossary(self.tokens, lexicon)
        self.types = types
        self.words = _OfEntities(entities, _words)
        self.heads = _OfEntities(entities, _heads)

    def read(self, page: Page) -> list[Statement]:
        """Read a page. Each edge is stated once, by its first evidence."""
        return PageReader(self, page).read()

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        """Reads pages one by one, in their order."""
        for page in pages:
            try:
                yield PageReading(page, tuple(self.read(page)))
            except KbError as err:
                yield PageReading(page, error=err)


class _OfEntities(Mapping[str, frozenset[str]]):
    """Something about the names of each entity, found out when it is first asked for: few are on any one page."""

    def __init__(self, entities: Mapping[str, Entity], find: Callable[[Sequence[str]], frozenset[str]]) -> None:
        self._entities, self._find = entities, find
        self._found: dict[str, frozenset[str]] = {}

    def __getitem__(self, entity_id: str) -> frozenset[str]:
        if entity_id not in self._found:
            one = self._entities[entity_id]
            self._found[entity_id] = self._find((one.name, *one.aliases))
        return self._found[entity_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entities)

    def __len__(self) -> int:
        return len(self._entities)


def _type_nouns(vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Noun of a class ("service") -> the types of things that may be called that."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in vocabulary.classes.values():
        for phrase in one.phrases:
            noun = phrase.lower()
            if noun.isalpha():
                found[noun] |= vocabulary.descendants(one.name)
    return {noun: frozenset(types) for noun, types in found.items()}


def _words(names: Sequence[str]) -> frozenset[str]:
    """The base forms of the words of names."""
    return frozenset(lemma for name in names for word in words(name) if len(word.text) > 3 for lemma in word.lemmas)


def _heads(names: Sequence[str]) -> frozenset[str]:
    """The last words of names of several words: "the archive" may be the Audit Archive on its own page."""
    found = set()
    for name in names:
        words = re.findall(r"[^\W_]+", name)
        if len(words) > 1 and len(words[-1]) > 2 and not words[-1].isdigit():
            found.add(words[-1].lower())
    return frozenset(found)
