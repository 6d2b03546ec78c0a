"""The words of a stretch of Markdown without its markup, each with its place in the page.

Evidence must be verbatim, so every character of the plain text remembers where it stands in the source.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Inline", "flatten"]


@dataclass(frozen=True, slots=True)
class Inline:
    """Plain text; `offsets[i]` is where `text[i]` stands in the page.

    `start` and `end` are the page offsets of the whole stretch. `code`, `strong`, `emphasis` and `links` are spans of
    `text`; struck-out text, comments, images and tags are left out.
    """

    text: str
    offsets: array[int]
    start: int
    end: int
    code: tuple[tuple[int, int], ...] = ()
    strong: tuple[tuple[int, int], ...] = ()
    emphasis: tuple[tuple[int, int], ...] = ()
    links: tuple[tuple[int, int, str], ...] = ()

    def span(self, page: str, start: int, end: int) -> tuple[int, int]:
        """Page offsets of `text[start:end]`, with the markup that hugs it; without the white space around it."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        if start >= end:
            return self.start, self.start
        left, right = self.offsets[start], self.offsets[end - 1] + 1
        while left > self.start and page[left - 1] in _OPENERS:
            left -= 1
        closing = _CLOSERS.match(page, right, self.end)
        if closing is not None:
            right = closing.end()
        return left, right


_OPENERS = "*_`~[<"
_CLOSERS = re.compile(r"(?:\]\([^()\n]{0,500}\)|\]\[[^\]\n]{0,200}\]|[*_`~\]>])*")

# Every repetition is bounded: a megabyte of unmatched brackets must not cost the square of its length.
_MARKUP = re.compile(
    r"""
    (?P<escape>\\[!-/:-@\[-`{-~])
  | (?P<code>(?<!`)(?P<ticks>`{1,3})(?!`)(?P<inside>.{1,400}?)(?<!`)(?P=ticks)(?!`))
  | (?P<image>!\[[^\]\n]{0,300}\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,200}\])?)
  | (?P<strike>~~(?=\S).{1,1500}?(?<=\S)~~)
  | (?P<footnote>\[\^[^\]\n]{1,60}\])
  | (?P<wiki>\[\[(?:[^\[\]|\n]{1,200}\|)?(?P<wikitext>[^\[\]|\n]{1,200})\]\])
  | (?P<target>\]\((?P<url>[^()\n]{0,400}(?:\([^()\n]{0,100}\))?[^()\n]{0,100})\)|\]\[[^\]\n]{0,200}\])
  | (?P<auto><(?:https?|mailto|ftp):[^<>\s]{1,500}>|(?:https?|ftp)://[^\s<>)\]]{1,500})
  | (?P<br><br\s*/?>)
  | (?P<tag></?[A-Za-z][\w.-]{0,40}(?:\s[^<>]{0,500})?/?>)
  | (?P<shortcode>\{\{[^{}\n]{0,200}\}\}|\{\#[\w-]{1,80}\})
  | (?P<entity>&(?:[A-Za-z]{2,10}|\#\d{1,6}|\#[xX][0-9A-Fa-f]{1,5});)
  | (?P<stars>\*{1,3})
  | (?P<under>_{1,3})
  | (?P<open>\[)
  | (?P<close>\])
    """,
    re.VERBOSE | re.DOTALL,
)


class _Flat:
    def __init__(self) -> None:
        self.chars: list[str] = []
        self.offsets = array("q")
        self.length = 0
        self.code: list[tuple[int, int]] = []
        self.links: list[tuple[int, int, str]] = []
        self.open_links: list[int] = []
        self.marks: dict[str, int] = {}
        self.strong: list[tuple[int, int]] = []
        self.emphasis: list[tuple[int, int]] = []

    def copy(self, text: str, start: int) -> None:
        self.chars.append(text)
        self.offsets.extend(range(start, start + len(text)))
        self.length += len(text)

    def put(self, text: str, at: int) -> None:
        """Text that stands for a construct at page offset `at`."""
        self.chars.append(text)
        self.offsets.extend([at] * len(text))
        self.length += len(text)

    def toggle(self, mark: str) -> None:
        kind = self.strong if len(mark) >= 2 else self.emphasis
        key = mark[0] * min(len(mark), 2)
        if key in self.marks:
            kind.append((self.marks.pop(key), self.length))
        else:
            self.marks[key] = self.length


def flatten(page: str, pieces: Sequence[tuple[int, int]]) -> Inline:
    """Strip the markup from the pieces `page[start:end]`, which become the lines of one text."""
    flat = _Flat()
    source, origin = _joined(page, pieces)
    position = 0
    for match in _MARKUP.finditer(source):
        if match.start() > position:
            _copy(flat, source, origin, position, match.start())
        position = match.end()
        _markup(flat, match, source, origin)
    if position < len(source):
        _copy(flat, source, origin, position, len(source))
    start = pieces[0][0] if pieces else 0
    end = pieces[-1][1] if pieces else 0
    return Inline(
        "".join(flat.chars),
        flat.offsets,
        start,
        end,
        tuple(flat.code),
        tuple(flat.strong),
        tuple(flat.emphasis),
        tuple(flat.links),
    )


_Origin = list[tuple[int, int]]


def _joined(page: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, _Origin]:
    """The pieces as lines, and for each (where it starts in the result, where it starts in the page)."""
    parts: list[str] = []
    origin: _Origin = []
    length = 0
    for start, end in pieces:
        origin.append((length, start))
        parts.append(page[start:end])
        length += end - start + 1
    return _without_comments("\n".join(parts)), origin


def _without_comments(source: str) -> str:
    """Blank out HTML and MDX comments; one that is never closed hides the rest."""
    for opener, closer in (("<!--", "-->"), ("{/*", "*/}")):
        at = source.find(opener)
        if at < 0:
            continue
        kept: list[str] = []
        position = 0
        while at >= 0:
            stop = source.find(closer, at + len(opener))
            stop = len(source) if stop < 0 else stop + len(closer)
            kept += [source[position:at], " " * (stop - at)]
            position = stop
            at = source.find(opener, stop)
        source = "".join([*kept, source[position:]])
    return source


def _copy(flat: _Flat, source: str, origin: _Origin, start: int, end: int) -> None:
    """Copy `source[start:end]`, which may cross lines, with its page offsets."""
    position = start
    while position < end:
        index = _line(origin, position)
        base, at = origin[index]
        stop = min(end, origin[index + 1][0] if index + 1 < len(origin) else end)
        flat.copy(source[position:stop], at + position - base)
        position = stop


def _line(origin: _Origin, position: int) -> int:
    low, high = 0, len(origin)
    while high - low > 1:
        middle = (low + high) // 2
        if origin[middle][0] <= position:
            low = middle
        else:
            high = middle
    return low


def _markup(flat: _Flat, match: re.Match[str], source: str, origin: _Origin) -> None:
    kind = match.lastgroup or ""
    base, line_at = origin[_line(origin, match.start())]
    at = line_at + match.start() - base
    if match.group("code") is not None:
        begun = flat.length
        _copy(flat, source, origin, match.start("inside"), match.end("inside"))
        flat.code.append((begun, flat.length))
    elif match.group("wiki") is not None:
        _copy(flat, source, origin, match.start("wikitext"), match.end("wikitext"))
    elif match.group("target") is not None:
        if flat.open_links:
            flat.links.append((flat.open_links.pop(), flat.length, match.group("url") or ""))
    elif kind == "escape":
        flat.put(match.group()[1], at + 1)
    elif kind == "br":
        flat.put("\n", at)
    elif kind == "entity":
        flat.put(html.unescape(match.group()).replace("\xa0", " ")[:1] or " ", at)
    elif kind == "open":
        flat.open_links.append(flat.length)
    elif kind == "close":
        if flat.open_links:
            flat.open_links.pop()
    elif kind in ("stars", "under"):
        _emphasis(flat, match, source, origin)


def _emphasis(flat: _Flat, match: re.Match[str], source: str, origin: _Origin) -> None:
    """Drop a delimiter run; keep what is only an asterisk or an underscore."""
    start, end = match.span()
    before = source[start - 1] if start else " "
    after = source[end] if end < len(source) else " "
    lone = before.isspace() and after.isspace()
    inside_word = match.lastgroup == "under" and before.isalnum() and after.isalnum()
    if lone or inside_word:
        _copy(flat, source, origin, start, end)
    else:
        flat.toggle(match.group())
