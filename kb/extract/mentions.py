"""Names of the catalogue in a text.

One trie of words holds every id, name and alias of every entity, so a text is searched in one pass whatever the size of
the catalogue. Case, hyphens, underscores, dots and spaces do not matter; camelCase and run-together spellings of long
names are found; a long name may have one mistyped letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from kb.extract.common_words import COMMON_WORDS
from kb.language import STOPWORDS, lemmas, plural
from kb.model import Entity
from kb.vocabulary import Vocabulary

__all__ = ["Catalogued", "Mention", "Mentions"]

# Shorter words are too close to too many others to be taken for a typing mistake.
_TYPO_WORD = 6
_TYPO_NAME = 8
_JOINED = 6
_LONGEST_WORD = 64
_REMEMBERED = 100_000


class Catalogued(Protocol):
    """What holds entities by id."""

    @property
    def entities(self) -> Mapping[str, Entity]: ...


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at `text[start:end]`.

    `entity_ids` are all entities that are called this, in the catalogue's order. `kind` is "exact" for an id, name or
    alias; "short" for one without its leading article or the noun of its type ("Stock" for "Stock Service"); "joined"
    for one written together; "typo" for one with a mistyped letter. `weak` says that only the context can tell whether
    this is the name or an everyday word ("the search", "Payouts are late").
    """

    start: int
    end: int
    entity_ids: tuple[str, ...]
    kind: str = "exact"
    weak: bool = False


class _Node:
    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.ends: dict[str, list[str]] | None = None


_TOKEN = re.compile(r"[^\W_]+|&")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What may stand between two words of one name. Not a full stop with a space: that ends a sentence.
_JOINER = re.compile(r"[ \t\u00a0]{0,3}\n?[ \t\u00a0]{0,3}|[-_.'’\u2010\u2011]|[ \t\u00a0][-\u2010\u2011][ \t\u00a0]")
# "Solveig Marne", "Odd-Even Halvard", "Mary O'Neil", "Tam J. Archibald"
_PERSONAL = re.compile(
    r"[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z]\.?)?(?: (?:de|van|von|der|da|la|el|al|bin))*(?: [^\W\d_a-z][\w'’-]+){1,2}"
)
_KINDS = ("exact", "short", "joined")


def _tokens(text: str) -> list[str]:
    return ["and" if t == "&" else t.lower() for t in _TOKEN.findall(text)]


class Mentions:
    """Finds names. Built once for a catalogue; `find` takes any text."""

    def __init__(self, catalogue: Catalogued, vocabulary: Vocabulary) -> None:
        self._root = _Node()
        self._spelled: set[str] = set()
        self._order = {entity_id: number for number, entity_id in enumerate(catalogue.entities)}
        nouns = {name: _type_nouns(vocabulary, name) for name in vocabulary.classes}
        words: set[str] = set()
        first_names = _first_names(catalogue)
        for entity in catalogue.entities.values():
            for name in dict.fromkeys((entity.id, entity.name, *entity.aliases)):
                # Of an alias such as "Data Team" the rest would be a word of every second page.
                shorten = nouns.get(entity.type, frozenset()) if name == entity.name else frozenset()
                words.update(self._add(name, entity.id, shorten))
            for short in first_names.get(entity.id, ()):
                self._insert([short], entity.id, "short")
                words.add(short)
            # The case in which people spell a name tells a name from a word; ids are lower case whatever people do.
            self._spelled.update(name for name in (entity.name, *entity.aliases) if name == name.lower())
        self._words = words
        self._near: dict[str, set[str]] = {}
        self._slips: dict[str, tuple[str, ...]] = {}
        for word in words:
            if len(word) >= _TYPO_WORD and word.isalpha():
                for shorter in _deletions(word):
                    self._near.setdefault(shorter, set()).add(word)

    def _add(self, name: str, entity_id: str, nouns: frozenset[str]) -> set[str]:
        tokens = _tokens(name)
        if not tokens:
            return set()
        self._insert(tokens, entity_id, "exact")
        found = set(tokens)
        camel = _tokens(_CAMEL.sub(" ", name))
        if camel != tokens:
            self._insert(camel, entity_id, "exact")
            found.update(camel)
        joined = "".join(tokens)
        if len(tokens) > 1 and len(joined) >= _JOINED and "and" not in tokens:
            self._insert([joined], entity_id, "joined")
            found.add(joined)
        for short in _shortened(tokens, nouns):
            self._insert(short, entity_id, "short")
        return found

    def _insert(self, tokens: Iterable[str], entity_id: str, kind: str) -> None:
        node = self._root
        for token in tokens:
            node = node.next.setdefault(token, _Node())
        if node.ends is None:
            node.ends = {}
        ids = node.ends.setdefault(kind, [])
        if entity_id not in ids:
            ids.append(entity_id)

    def find(self, text: str) -> list[Mention]:
        """Every name in the text, longest first where names overlap, in order of place."""
        places = [(m.start(), m.end()) for m in _TOKEN.finditer(text)]
        lowered = ["and" if text[a:b] == "&" else text[a:b].lower() for a, b in places]
        found: list[Mention] = []
        position = 0
        while position < len(places):
            step, mention = self._at(text, places, lowered, position)
            if mention is not None:
                found.append(mention)
            position += step
        return found

    def whole(self, text: str) -> Mention | None:
        """The mention that is all of `text`, if there is one."""
        stripped = text.strip()
        for mention in self.find(stripped):
            if mention.start == 0 and mention.end == len(stripped):
                return mention
        return None

    def _at(
        self, text: str, places: list[tuple[int, int]], lowered: list[str], position: int
    ) -> tuple[int, Mention | None]:
        """(words to go on by, the longest name that starts at this word)."""
        node: _Node | None = self._root.next.get(lowered[position])
        exact = self._walk(text, places, lowered, position, node) if node is not None else None
        typo = self._mistyped(text, places, lowered, position, 0 if exact is None else exact[0] - position)
        best = typo or exact
        if best is None:
            return 1, None
        stop, node, corrected = best
        assert node.ends is not None
        kind = next(k for k in _KINDS if k in node.ends)
        ids = tuple(sorted(node.ends[kind], key=self._order.__getitem__))
        start, end = places[position][0], places[stop - 1][1]
        label = "typo" if corrected else kind
        return stop - position, Mention(start, end, ids, label, self._weak(text, start, end, stop - position, kind))

    def _walk(
        self, text: str, places: list[tuple[int, int]], lowered: list[str], position: int, node: _Node
    ) -> tuple[int, _Node, bool] | None:
        best: tuple[int, _Node, bool] | None = None
        index = position
        while True:
            if node.ends is not None:
                best = (index + 1, node, False)
            index += 1
            if index >= len(places) or lowered[index] not in node.next:
                return best
            if _JOINER.fullmatch(text, places[index - 1][1], places[index][0]) is None:
                return best
            node = node.next[lowered[index]]

    def _mistyped(
        self, text: str, places: list[tuple[int, int]], lowered: list[str], position: int, longer_than: int
    ) -> tuple[int, _Node, bool] | None:
        """A name with exactly one mistyped word that reaches further than what was found without."""
        first = lowered[position]
        if first not in self._root.next and not self._candidates(first):
            return None
        best: tuple[int, _Node, bool] | None = None
        todo = [(self._root, position, False)]
        while todo:
            node, index, corrected = todo.pop()
            if corrected and node.ends is not None and index - position > longer_than:
                length = places[index - 1][1] - places[position][0]
                if length >= _TYPO_NAME and (best is None or index > best[0]):
                    best = (index, node, True)
            if index >= len(places):
                continue
            if index > position and _JOINER.fullmatch(text, places[index - 1][1], places[index][0]) is None:
                continue
            word = lowered[index]
            if word in node.next:
                todo.append((node.next[word], index + 1, corrected))
            elif not corrected:
                single = index == position
                todo.extend((node.next[c], index + 1, True) for c in self._corrections(word, node, single))
        return best

    def _corrections(self, word: str, node: _Node, first: bool) -> list[str]:
        """Give the words of names at this node that `word` may be a slip for."""
        return [c for c in self._candidates(word) if c in node.next and not (first and _inflected(word, c))]

    def _candidates(self, word: str) -> tuple[str, ...]:
        known = self._slips.get(word)
        if known is None:
            known = self._find_candidates(word)
            if len(self._slips) < _REMEMBERED:
                self._slips[word] = known
        return known

    def _find_candidates(self, word: str) -> tuple[str, ...]:
        if len(word) < _TYPO_WORD - 1 or not word.isalpha() or word in STOPWORDS:
            return ()
        near = {one for shorter in (word, *_deletions(word)) for one in self._near.get(shorter, ())}
        return tuple(c for c in sorted(near) if c != word and _one_slip(word, c))

    def _weak(self, text: str, start: int, end: int, count: int, kind: str) -> bool:
        written = text[start:end]
        if count > 1:
            return False
        if kind == "short":
            return True
        if written != written.lower() or any(c.isdigit() for c in written):
            return False
        return written not in self._spelled or written in COMMON_WORDS


def _first_names(catalogue: Catalogued) -> dict[str, list[str]]:
    """The first and last words by which people are called ("Solveig", "Okonedo"), where they are theirs alone.

    Which types are people's shows in their names: all of two or three capitalised words, none of them an everyday one.
    """
    by_type: dict[str, list[Entity]] = {}
    owners: dict[str, set[str]] = {}
    for entity in catalogue.entities.values():
        by_type.setdefault(entity.type, []).append(entity)
        for name in (entity.id, entity.name, *entity.aliases):
            for token in _tokens(name):
                owners.setdefault(token, set()).add(entity.id)
    found: dict[str, list[str]] = {}
    for entities in by_type.values():
        personal = [entity for entity in entities if _PERSONAL.fullmatch(entity.name)]
        if (
            len(personal) < 2
            or len(personal) * 5 < len(entities) * 4
            or any(_everyday(entity.name) for entity in personal[:50])
        ):
            continue
        for entity in personal:
            tokens = _tokens(entity.name)
            ends = (tokens[0], tokens[-1])
            found[entity.id] = [one for one in ends if len(one) > 2 and owners[one] == {entity.id}]
    return found


def _everyday(name: str) -> bool:
    return any(token in COMMON_WORDS or token in STOPWORDS for token in _tokens(name))


def _type_nouns(vocabulary: Vocabulary, type_name: str) -> frozenset[str]:
    """The single words that label a type or one above it ("service", "team"), with their plurals."""
    labels = (vocabulary.classes[name].label.lower() for name in vocabulary.ancestors(type_name))
    return frozenset(form for label in labels if label.isalpha() for form in (label, plural(label)))


def _shortened(tokens: list[str], nouns: frozenset[str]) -> list[list[str]]:
    """A name without its leading article, and without the noun of its type at either end."""
    found = []
    bare = tokens[1:] if tokens[0] in ("the", "a", "an") and len(tokens) > 1 else tokens
    if bare != tokens:
        found.append(bare)
    if len(bare) > 1 and bare[-1] in nouns:
        found.append(bare[:-1])
    if len(bare) > 1 and bare[0] in nouns:
        found.append(bare[1:])
    return [one for one in found if not (len(one) == 1 and (len(one[0]) < 3 or one[0] in STOPWORDS))]


def _deletions(word: str) -> list[str]:
    # Longer words are data, not names with a slip in them; their shortened forms would fill the memory.
    return [word[:i] + word[i + 1 :] for i in range(len(word))] if len(word) <= _LONGEST_WORD else []


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter was left out, doubled, changed, or swapped with its neighbour."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    if rest_a[1:] == rest_b or rest_b[1:] == rest_a or rest_a[1:] == rest_b[1:]:
        return True
    return len(rest_a) > 1 and rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]


def _inflected(a: str, b: str) -> bool:
    """Whether two words are forms of one ("payout", "payouts"; "notifier", "notified") rather than one mistyped."""
    if lemmas(a) & lemmas(b):
        return True
    return a[:-2] == b[:-2] or a[:-1] == b[:-2] or a[:-2] == b[:-1]
