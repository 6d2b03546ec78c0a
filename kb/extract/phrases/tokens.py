"""A block's text as sentences of tokens, in which every accepted name is one token.

Whether a common word is a name is decided here, from what stands around it: a code span, a capital inside a sentence,
the noun of its type, an article, or a place where only a name can stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kb.extract.common_words import COMMON_WORDS
from kb.extract.mentions import Mention, Mentions
from kb.extract.phrases.cues import GROUP_WORDS, OTHER_PARTY, PART_NOUNS, PREPOSITIONS
from kb.language import STOPWORDS, Word, words
from kb.sources.inline import Inline

__all__ = ["Sentence", "Text", "Tok", "Tokens", "sentence_spans"]


@dataclass(slots=True)
class Tok:
    """One word (`w`), name (`m`) or mark (`p`) at `start`..`end` of the block's text.

    Of a name, `ids` are the entities it may be; `weak` that it may be an everyday word after all, `definite` that "the"
    stands before it, `direct` that the resolver will know its words; `first` that it opens the sentence; `noun` that a
    noun of its own follows ("Kafka topics").
    """

    kind: str
    text: str
    start: int
    end: int
    lemmas: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()
    weak: bool = False
    definite: bool = False
    direct: bool = True
    first: bool = False
    noun: bool = False
    lower: str = ""

    def __post_init__(self) -> None:
        self.lower = self.text.lower().replace("’", "'")

    def is_word(self, *candidates: str) -> bool:
        """Whether it is one of these lower-case words."""
        return self.kind == "w" and self.lower in candidates


@dataclass(slots=True)
class Sentence:
    """Tokens of one sentence at `start`..`end` of its block; `quoted` are the indexes inside quotation marks."""

    toks: list[Tok]
    start: int
    end: int
    text: str
    quoted: set[int] = field(default_factory=set)

    @property
    def question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip(" \n*_\"'”’)").endswith("?")


_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|resp|cf|dr|mr|mrs|ms|st|no|nr|fig|incl|excl|ca|inc|ltd|dept|est|ext|max|min|sec|ver)|(?:^|[\s.(])[A-Z]|\b[a-z]\.[a-z])$",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]{1,20}[\"'”’)\]]{0,20})(?=\s)"
    r"|(?P<bar>\s[·•|]\s|\n\s*\n)"
    r"|(?P<line>\n)(?=[ \t]*[\w(][\w /&()'-]{0,40}:[ \t]+\S)"
)
_KEY_LINE = re.compile(r"\s*[A-Z][\w '/]{0,30}(?: [-–—=]|:) \S")
_MARK = re.compile(r"[^\w\s]")
_HANDLES = ("@", "#")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{0,400})[\"”]")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match.lastgroup == "stop":
            stop = match.group("stop")
            if stop.startswith(".") and not stop.startswith("..") and _ABBREVIATION.search(text, start, match.start()):
                continue
            end = match.end()
        else:
            end = match.start()
        spans.append((start, end))
        start = match.end()
    spans.append((start, len(text)))
    return [(a, b) for a, b in spans if text[a:b].strip()]


def _key_lines(text: str) -> list[tuple[int, int]]:
    """Give the lines of a block of which each is a key, a dash and a value ("Owner — Edge"); none for other blocks."""
    lines = text.split("\n")
    if len(lines) < 2 or not all(_KEY_LINE.match(line) for line in lines):
        return []
    starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
    return [(start, start + len(line)) for start, line in zip(starts, lines, strict=True)]


@dataclass(frozen=True, slots=True)
class _Row:
    """One sentence before it is decided which words are names."""

    start: int
    end: int
    words: Sequence[Word]
    found: Sequence[Mention]


class Text:
    """A block, split into sentences once for both ways of reading it."""

    def __init__(self, tokens: Tokens, inline: Inline) -> None:
        self.tokens = tokens
        self.inline = inline
        text = inline.text
        found = tokens.mentions.find(text)
        self.marked = _marked_spans(inline) if found else {}
        self.quoted = [(m.start(1), m.end(1)) for m in _QUOTED.finditer(text) if m.group(1).strip().count(" ") >= 2]
        all_words = words(text)
        self.rows: list[_Row] = []
        at = word_at = 0
        for start, end in _key_lines(text) or sentence_spans(text):
            inside: list[Mention] = []
            while at < len(found) and found[at].start < end:
                if found[at].end <= end and found[at].start >= start:
                    inside.append(found[at])
                at += 1
            begin = word_at
            while word_at < len(all_words) and all_words[word_at].start < end:
                word_at += 1
            self.rows.append(_Row(start, end, all_words[begin:word_at], inside))

    @cached_property
    def plain(self) -> list[Sentence]:
        """Its sentences as running text."""
        return [self.tokens.sentence(self, row, value=False) for row in self.rows]

    @cached_property
    def valued(self) -> list[Sentence]:
        """Its sentences as values, where everyday words are names too."""
        return [self.tokens.sentence(self, row, value=True) for row in self.rows]

    @property
    def named(self) -> bool:
        """Whether it holds any name at all."""
        return any(row.found for row in self.rows)


class Tokens:
    """Turns blocks into sentences, with the names of one catalogue."""

    def __init__(self, mentions: Mentions, types: dict[str, str], nouns: dict[str, frozenset[str]]) -> None:
        """`types`: entity id -> type; `nouns`: type noun ("service") -> the types of things that may be called that."""
        self.mentions = mentions
        self.types = types
        self.nouns = nouns

    def text(self, inline: Inline) -> Text:
        """Prepare a block for reading."""
        return Text(self, inline)

    def sentences(self, inline: Inline, *, value: bool = False) -> list[Sentence]:
        """Give the sentences of a block; with `value`, of a cell or the like where everyday words are names too."""
        text = Text(self, inline)
        return text.valued if value else text.plain

    def sentence(self, prepared: Text, row: _Row, value: bool) -> Sentence:
        """Put the names and the other words of one sentence together."""
        text = prepared.inline.text
        accepted = self._accepted(prepared.inline, row.found, row.words, prepared.marked, value)
        toks: list[Tok] = []
        position = row.start
        queue = iter(accepted)
        name = next(queue, None)
        for word in row.words:
            if word.start < position:
                continue
            while name is not None and name.end <= word.start:
                name = next(queue, None)
            if word.start - position > 1 or not text[position : word.start].isspace():
                _marks(text, position, word.start, toks)
            if name is not None and name.start == word.start:
                if toks and toks[-1].text in _HANDLES and toks[-1].end == name.start:
                    toks.pop()
                toks.append(name)
                position = name.end
                name = next(queue, None)
            else:
                toks.append(Tok("w", word.text, word.start, word.end, word.lemmas))
                position = word.end
        _marks(text, position, row.end, toks)
        inside: set[int] = set()
        if prepared.quoted:
            inside = {i for i, t in enumerate(toks) for a, b in prepared.quoted if a <= t.start and t.end <= b}
        return Sentence(toks, row.start, row.end, text[row.start : row.end], inside)

    def _accepted(
        self, inline: Inline, found: Sequence[Mention], plain: Sequence[Word], marked: dict[int, int], value: bool
    ) -> list[Tok]:
        by_start = {word.start: index for index, word in enumerate(plain)}
        ends = {word.end: index for index, word in enumerate(plain)}
        result: list[Tok] = []
        for mention in found:
            first, last = by_start.get(mention.start), ends.get(mention.end)
            if first is None or last is None:
                continue
            tok = self._judge(inline, mention, plain, first, last, marked, value)
            if tok is not None and not (result and tok.start < result[-1].end):
                result.append(tok)
        return result

    def _judge(
        self,
        inline: Inline,
        mention: Mention,
        plain: Sequence[Word],
        first: int,
        last: int,
        marked: dict[int, int],
        value: bool,
    ) -> Tok | None:
        text = inline.text
        whole = marked.get(mention.start) == mention.end
        before = plain[first - 1] if first and _near(text, plain[first - 1].end, mention.start) else None
        end, typed, noun, ids = self._following(text, mention, plain, last)
        if ids == ():
            return None
        handle = _handle(text, mention.start, value)
        if not typed and _inside_longer(inline, mention, whole, handle):
            return None
        code = next(((a, b) for a, b in inline.code if a <= mention.start and mention.end <= b), None)
        if code is not None and text[code[0] : code[1]].strip().lstrip("@#") not in (
            text[mention.start : end],
            text[mention.start : mention.end],
        ):
            return None
        single = last == first
        if single and not whole and not typed and self._part_of_name(text, mention, plain, first, last, before):
            return None
        definite = before is not None and before.lower in ("the", "our", "this")
        opens = first == 0
        weak = mention.weak and not whole and not typed and not handle
        if weak and mention.kind == "typo":
            return None
        if weak and not value and not definite and not _capital(text, mention) and mention.kind != "exact":
            return None
        if single and opens and not typed and not whole and text[mention.start : mention.end].lower() in COMMON_WORDS:
            weak = True
        direct = mention.kind == "exact" and "\n" not in text[mention.start : mention.end]
        written = text[mention.start : mention.end]
        return Tok(
            "m",
            written,
            mention.start,
            end,
            ids=ids,
            weak=weak,
            definite=definite,
            direct=direct,
            first=opens,
            noun=noun,
        )

    def _following(
        self, text: str, mention: Mention, plain: Sequence[Word], last: int
    ) -> tuple[int, bool, bool, tuple[str, ...]]:
        """(end with the noun of its type, whether there is one, whether another noun follows, ids that remain)."""
        ids = mention.entity_ids
        after = plain[last + 1] if last + 1 < len(plain) else None
        if after is None or not re.fullmatch(r"[ \n]|-|_", text[mention.end : after.start]):
            return mention.end, False, False, ids
        types = next((self.nouns[one] for one in after.lemmas if one in self.nouns), None)
        glued = text[mention.end : after.start] in "-_"
        if after.lower in ("svc", "service", "srv"):
            types = types or frozenset(self.types.values())
        if types is not None:
            fitting = tuple(one for one in ids if self.types[one] in types)
            if fitting:
                return after.end, True, False, fitting
            if after.lower not in PART_NOUNS or glued:
                return mention.end, False, False, ()
            return mention.end, False, True, ids
        if glued:
            return mention.end, False, False, ids
        if after.lower in OTHER_PARTY:
            return mention.end, False, False, ()
        return mention.end, False, after.lower in PART_NOUNS, ids

    def _part_of_name(
        self, text: str, mention: Mention, plain: Sequence[Word], first: int, last: int, before: Word | None
    ) -> bool:
        """Whether capitals around a one-word name show that it is part of a longer name that we do not know."""
        after = plain[last + 1] if last + 1 < len(plain) else None
        if after is not None and text[mention.end : after.start] == " " and after.text[:1].isupper():
            known = after.lower in STOPWORDS or after.lower in PART_NOUNS or after.lower in PREPOSITIONS
            if not known and not self._starts_name(text, after):
                return True
        if before is not None and before.text[:1].isupper() and first > 1 and text[before.end : mention.start] == " ":
            known = before.lower in STOPWORDS or before.lower in PREPOSITIONS or before.lower in GROUP_WORDS
            opens = re.search(r"[.:;!?(\"“]\s*$", text[max(0, before.start - 4) : before.start]) is not None
            if (
                not known
                and not opens
                and not self._ends_name(text, before)
                and not any(one in self.nouns for one in before.lemmas)
            ):
                return True
        return False

    def _starts_name(self, text: str, word: Word) -> bool:
        return any(m.start == 0 for m in self.mentions.find(text[word.start : word.start + 60])[:1])

    def _ends_name(self, text: str, word: Word) -> bool:
        begin = max(0, word.end - 60)
        return any(m.end == word.end - begin for m in self.mentions.find(text[begin : word.end])[-1:])


def _marks(text: str, start: int, end: int, toks: list[Tok]) -> None:
    toks.extend(Tok("p", m.group(), m.start() + start, m.end() + start) for m in _MARK.finditer(text[start:end]))


def _marked_spans(inline: Inline) -> dict[int, int]:
    """Map start to end of what stands alone in a code span, a link, bold or italics."""
    spans: Iterable[tuple[int, int]] = (
        *inline.code, *inline.strong, *inline.emphasis, *((a, b) for a, b, _ in inline.links),
    )  # fmt: skip
    found: dict[int, int] = {}
    for a, b in spans:
        text = inline.text[a:b]
        left = a + len(text) - len(text.lstrip())
        right = a + len(text.rstrip(" .,:;"))
        if text[left - a :].lower().startswith("the "):
            left += 4
        elif text[left - a :].startswith(_HANDLES):
            left += 1
        found[left] = right
    return found


def _near(text: str, end: int, start: int) -> bool:
    return text[end:start].strip("*_`\"'“[( \n") == ""


def _capital(text: str, mention: Mention) -> bool:
    written = text[mention.start : mention.end]
    return written != written.lower()


_BEFORE = re.compile(r"[\w][-_./@#:\\]$|[/@#\\$-]$|[=]$")
_AFTER = re.compile(r"[-_/@\\=][\w*{<]|\.\w|[(\[]\w*[)\]]?\w|:\w")


def _handle(text: str, start: int, value: bool) -> bool:
    """Whether a name is written as "@name", or as "#name" where only names stand."""
    return text[start - 1 : start] in (_HANDLES if value else "@") and not text[max(0, start - 2) : start - 1].strip(
        " \n([`*_,;:|>"
    )


def _inside_longer(inline: Inline, mention: Mention, whole: bool, handle: bool) -> bool:
    """Whether the name is a piece of a path, an address, an identifier or a hyphenated word."""
    text = inline.text
    if handle:
        return _AFTER.match(text, mention.end) is not None
    before, after = text[max(0, mention.start - 2) : mention.start], text[mention.end : mention.end + 3]
    if whole:
        return False
    slash = re.match(r"/(?=[A-Z])", after) or (
        before.endswith("/") and before[:1].isalnum() and _capital(text, mention)
    )
    if slash:
        return False
    return _BEFORE.search(before) is not None or _AFTER.match(after) is not None
