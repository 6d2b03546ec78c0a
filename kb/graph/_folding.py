"""Text without what quotes leave out or write otherwise, with the way back to where it stands."""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import chain

__all__ = ["Folded", "Words", "bare", "plain", "spaced"]

# What a quote may leave out or write in another way without being other words. Every repetition is bounded or cannot
# be begun twice: a megabyte of unmatched brackets must not cost the square of its length.
_MARKS = re.compile(
    r"""
    (?P<lines>[^\S\n]*\n\s*(?:>[^\S\n]*)+)
  | (?P<space>\s+|<br\s{0,3}/?>)
  | (?P<escape>\\[!-/:-@\[-`{-~])
  | (?P<gone>
        [*`\u00ad\u200b-\u200d\u2060\ufeff]+
      | (?<!\w)_{1,3}(?=\S) | (?<=\S)_{1,3}(?!\w)
      | \[\^[^\]\n]{1,60}\]
      | \[\[[^\[\]|\n]{1,200}\|
      | \]\([^()\n]{0,400}(?:\([^()\n]{0,100}\))?[^()\n]{0,100}\)
      | \]\[[^\]\n]{0,200}\]
      | !?\[ | \]
      | </?[A-Za-z][\w.-]{0,40}(?:\s[^<>]{0,500})?/?>
    )
  | (?P<entity>&(?:[A-Za-z]{2,10}|\#\d{1,6}|\#[xX][0-9A-Fa-f]{1,5});)
  | (?P<dash>[-‐‑‒–—―−]+)
  | (?P<sign>[‘’‚‛′“”„‟″«»…])
    """,
    re.VERBOSE,
)
_SIGNS = {**dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„‟″«»", '"'), "…": "..."}
_SPACE = re.compile(r"\s+")
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+•>]|\d{1,9}[.)]|#{1,6})\s+)+")
_WORD = re.compile(r"[^\W_]+")


class Folded:
    """A text with parts of it replaced. `text` is the result; `span` leads from it to the original."""

    def __init__(self, original: str, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]) -> None:
        parts: list[str] = []
        # Of every part: where it starts in the result, and where in the original it starts and stops.
        self._at, self._starts, self._stops = array("q"), array("q"), array("q")
        self._length = 0
        last = ""
        position = 0
        for match in chain(pattern.finditer(original), (None,)):
            stop = len(original) if match is None else match.start()
            if stop > position:
                parts.append(original[position:stop])
                self._add(position, stop, stop - position)
                last = original[stop - 1]
            if match is None:
                break
            said = replacement(match)
            # Two blanks with a mark between them are one.
            if said and not (said == " " == last):
                parts.append(said)
                self._add(match.start(), match.end(), len(said))
                last = said[-1]
            position = match.end()
        self._at.append(self._length)
        self.text = "".join(parts)

    def _add(self, start: int, stop: int, length: int) -> None:
        self._at.append(self._length)
        self._starts.append(start)
        self._stops.append(stop)
        self._length += length

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]`, which is not empty, stands in the original."""
        first = bisect_right(self._at, start) - 1
        last = bisect_right(self._at, end - 1) - 1
        left = min(self._starts[first] + start - self._at[first], self._stops[first] - 1)
        if end == self._at[last + 1]:
            return left, self._stops[last]
        return left, min(self._starts[last] + end - self._at[last], self._stops[last])


def spaced(text: str) -> Folded:
    """A text with every stretch of white space as one blank."""
    return Folded(text, _SPACE, lambda _: " ")


def plain(text: str) -> Folded:
    """A text without Markdown, with plain blanks, quotation marks, dashes and dots; its words stay as they are."""
    return Folded(text, _MARKS, _plain)


def _plain(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "gone":
        return ""
    if kind == "escape":
        # Quotes write the character alone, where it looks like a mark.
        return match.group()[1].strip("*`[]")
    if kind == "dash":
        return "-"
    if kind == "sign":
        return _SIGNS[match.group()]
    if kind == "entity":
        meant = html.unescape(match.group())
        return match.group() if meant == match.group() else _MARKS.sub(_plain, meant)
    return " "


def bare(quote: str) -> list[str]:
    """The quote without the mark of a list item before it, and without dots after it that say it was cut."""
    mark = _LIST_MARK.match(quote)
    unmarked = (quote[mark.end() :] if mark else quote).rstrip()
    return [unmarked, unmarked.rstrip(".…")] if unmarked.endswith(("...", "…")) else [unmarked]


class Words:
    """A text as its words, without regard to case and punctuation: tells whether a name stands in a stretch of it."""

    def __init__(self, text: str) -> None:
        words: list[str] = []
        self._at, self._starts, self._stops = array("q"), array("q"), array("q")
        length = 0
        for match in _WORD.finditer(text):
            word = match.group().casefold()
            words.append(word)
            self._at.append(length)
            self._starts.append(match.start())
            self._stops.append(match.end())
            length += len(word) + 1
        self._at.append(length)
        self._text = f" {' '.join(words)} " if words else ""

    def say(self, name: str, start: int = 0, end: int | None = None) -> bool:
        """Whether the words of `name` stand in `text[start:end]` one after the other, whole."""
        wanted = " ".join(_WORD.findall(name)).casefold()
        first = bisect_right(self._starts, start - 1)
        after = len(self._stops) if end is None else bisect_right(self._stops, end)
        if not wanted or first >= after:
            return False
        # The blank before a word stands where the word is said to begin, as the text begins with one.
        return self._text.find(f" {wanted} ", self._at[first], self._at[after] + 1) >= 0
