"""A question as words: segments, clauses, and which of them ask rather than tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kb.language import STOPWORDS, words

__all__ = [
    "ADVERBS",
    "AUXILIARIES",
    "BE",
    "DETERMINERS",
    "PREPOSITIONS",
    "PRONOUNS",
    "RELATIVES",
    "SPEAKER",
    "WH",
    "WILDCARDS",
    "Question",
    "Token",
    "read_question",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())


WH = word_set("who whom whose which what where when whichever whatever whoever")
RELATIVES = word_set("that which who whom what whatever whose where")
BE = word_set("be am is are was were been being 's isn't aren't wasn't weren't")
AUXILIARIES = BE | word_set(
    "do does did doesn't don't didn't has have had hasn't haven't hadn't will would shall should can could may might "
    "must can't cannot won't wouldn't shouldn't couldn't 'd 'll 've"
)
DETERMINERS = word_set("the a an its their our my your his her whose")
PRONOUNS = word_set("it its itself this that them they their those these he she his her him there one")
SPEAKER = word_set("i we you one us me")
ADVERBS = word_set(
    "directly indirectly transitively recursively also still ever actually really just only currently today now then "
    "both either all usually normally immediately itself themselves ultimately eventually exactly else again "
    "not never so far even already possibly together somehow right"
)
PREPOSITIONS = word_set(
    "of in on at by for with from to into onto over under about between through during after before against within "
    "inside behind upon beneath below above underneath"
)
WILDCARDS = word_set(
    "thing things anything something everything stuff those ones one all whatever what everyone anyone someone"
)
"""Nouns that stand for anything, whatever its type."""

_TAKES_TO = word_set(
    "need have want get go like love ask tell try be up down belong report connect talk speak write listen"
)
_REQUESTS = word_set("can could would will 's")
_IMPERATIVE = word_set(
    "list show name tell give find get count enumerate print display identify describe say report fetch please can "
    "could"
)
_BOUNDARY = re.compile(r"[?!;()\[\]\n→]|\.(?=\s|$|[\"')])|:(?=\s|$)|[-=]>|\s[-–—]+\s|—")
_JOINED = re.compile(r"^[-_./&+:]$")
_ABBREVIATED = re.compile(r"\b(?:i\.e|e\.g)\.?", re.IGNORECASE)
_NOISE = frozenset({("i", "e"), ("e", "g")})
_RESPELL = {"whats": "what", "whos": "who", "wheres": "where", "dont": "don't", "doesnt": "doesn't", "isnt": "isn't"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the question. `before` is the text between it and the word before it; `segment` counts from 0."""

    index: int
    text: str
    lower: str
    lemmas: frozenset[str]
    start: int
    end: int
    before: str
    segment: int
    context: bool

    @property
    def joined(self) -> bool:
        """Whether it is written together with the word before it, as in "ledger-db"."""
        return bool(_JOINED.match(self.before))

    @property
    def content(self) -> bool:
        """Whether it carries meaning of its own."""
        return self.lower not in STOPWORDS and self.lower not in ADVERBS


@dataclass(frozen=True)
class Question:
    """A question's words. Sentences that only tell what the question is about are marked as context."""

    text: str
    tokens: tuple[Token, ...]

    def lower(self, index: int) -> str:
        """The word at a position in lower case; empty outside the question."""
        return self.tokens[index].lower if 0 <= index < len(self.tokens) else ""

    def same_segment(self, first: int, second: int) -> bool:
        """Whether two positions belong to one segment."""
        count = len(self.tokens)
        return 0 <= first < count and 0 <= second < count and self.tokens[first].segment == self.tokens[second].segment

    def in_brackets(self, index: int) -> bool:
        """Whether a word's segment opens with a bracket."""
        first = index
        while self.same_segment(first - 1, index):
            first -= 1
        return "(" in self.tokens[first].before

    def next_word(self, index: int, skip: frozenset[str] = ADVERBS) -> int:
        """The position after `index` that holds none of `skip`; the number of words where the segment ends first."""
        place = index + 1
        while place < len(self.tokens) and self.tokens[place].lower in skip and self.same_segment(index, place):
            place += 1
        return place if self.same_segment(index, place) else len(self.tokens)

    def previous_word(self, index: int, skip: frozenset[str] = ADVERBS) -> int:
        """The position before `index` that holds none of `skip`; -1 where the segment begins first."""
        place = index - 1
        while place >= 0 and self.tokens[place].lower in skip and self.same_segment(index, place):
            place -= 1
        return place if self.same_segment(index, place) else -1

    @cached_property
    def asks(self) -> tuple[int, ...]:
        """The places of words that ask, unlike "who" in "the man who …": they open a clause."""
        found = []
        for token in self.tokens:
            before = self.lower(token.index - 1) if self.same_segment(token.index - 1, token.index) else ""
            opens = not before or before in {"and", "or"} or before in PREPOSITIONS or "," in token.before
            if token.lower in WH - {"when", "where"} and opens and not token.context:
                found.append(token.index)
        return tuple(found)

    @cached_property
    def conditions(self) -> tuple[range, ...]:
        """Clauses that suppose something: from "if" or "when" to the comma or the question word that ends them."""
        found = []
        for token in self.tokens:
            if token.lower not in {"if", "when", "once", "whenever", "suppose", "supposing", "assuming", "should"}:
                continue
            after = self.lower(token.index + 1)
            if token.lower in {"when", "should"} and (after in AUXILIARIES or token.lower == "should"):
                continue
            end = token.index + 1
            while self.same_segment(token.index, end):
                here = self.tokens[end]
                if "," in here.before or (here.lower in WH and end > token.index + 1 and not self._relative(end)):
                    break
                end += 1
            found.append(range(token.index, end))
        return tuple(found)

    @cached_property
    def purposes(self) -> tuple[range, ...]:
        """What follows the verb of a purpose ("to answer a call"), up to a question word, a comma or the end."""
        found = []
        for token in self.tokens:
            verb = token.index + 1
            if token.lower != "to" or not self.same_segment(token.index, verb + 1) or not self.tokens[verb].content:
                continue
            if self.lower(token.index - 1) in _TAKES_TO or self.tokens[token.index - 1].lemmas & _TAKES_TO:
                continue
            end = verb + 1
            while self.same_segment(verb, end) and "," not in self.tokens[end].before and self.lower(end) not in WH:
                end += 1
            found.append(range(verb + 1, end))
        return tuple(found)

    @cached_property
    def yes_or_no(self) -> bool:
        """Whether it asks whether something is so, and nothing else."""
        first = next((token for token in self.tokens if not token.context), None)
        return first is not None and first.lower in AUXILIARIES - _REQUESTS and not self.asks

    def _relative(self, index: int) -> bool:
        return self.lower(index) in {"which", "who", "whose", "whom"} and "," not in self.tokens[index].before


def read_question(text: str) -> Question:
    """Split a question into words and segments, and tell the asking segments from the telling ones."""
    raw = words(text)
    drop = {
        i + k
        for i in range(len(raw) - 1)
        if (raw[i].lower, raw[i + 1].lower) in _NOISE and text[raw[i].end : raw[i + 1].start] == "."
        for k in (0, 1)
    }
    kept = [word for i, word in enumerate(raw) if i not in drop]
    segments, ends = [0] * len(kept), []
    segment = 0
    for i, word in enumerate(kept):
        before = _ABBREVIATED.sub("", text[kept[i - 1].end : word.start]) if i else ""
        if i and _BOUNDARY.search(before) and not (len(kept[i - 1].text) == 1 and before.startswith(".")):
            ends.append((segment, before))
            segment += 1
        segments[i] = segment
    ends.append((segment, text[kept[-1].end :] if kept else ""))
    asking = _first_asking(kept, segments, ends)
    tokens = []
    for i, word in enumerate(kept):
        lower = _RESPELL.get(word.lower, word.lower)
        before = text[kept[i - 1].end : word.start] if i else text[: word.start]
        tokens.append(
            Token(
                i,
                word.text,
                lower,
                word.lemmas | {lower},
                word.start,
                word.end,
                before,
                segments[i],
                segments[i] < asking,
            )
        )
    return Question(text, tuple(tokens))


def _first_asking(kept: Sequence[object], segments: Sequence[int], ends: Sequence[tuple[int, str]]) -> int:
    """The first segment that asks; 0 where none shows that it does."""
    for number, end in ends:
        here = [getattr(word, "lower", "") for word, at in zip(kept, segments, strict=True) if at == number]
        here = [_RESPELL.get(word, word) for word in here]
        if "?" in end or any(word in WH or word in _IMPERATIVE for word in here[:1]) or _asks(here):
            return number
    return 0


def _asks(here: Sequence[str]) -> bool:
    """Whether a segment asks inside: "on what …", "and who …", "how many …", "of the things X uses, who …"."""
    if here[:2] in (["how", "many"], ["how", "much"]):
        return True
    return any(word in {"who", "whom", "whose", "what", "which"} for word in here[:3]) and here[:1] != ["that"]
