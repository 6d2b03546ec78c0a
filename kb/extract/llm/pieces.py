"""Pages that are too long for one request, in parts that can be read by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kb.llm.tokens import count
from kb.model import Page
from kb.sources.markdown import Block, parse_markdown

__all__ = ["Piece", "halves", "pieces"]

_LINE_END = re.compile("\n")
_CHARACTERS = 2.5  # a text with fewer characters than tokens x this needs no counting


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is a part of a page, verbatim; `trail` are the headings above it. `number` counts from 1, of `of`.

    `columns` is the head row of the table that the part begins inside of, where it does.
    """

    page: str
    title: str
    text: str
    trail: tuple[str, ...] = ()
    number: int = 1
    of: int = 1
    columns: str = ""

    @property
    def label(self) -> str:
        """What to call it in messages."""
        return self.page if self.of == 1 else f"{self.page} (part {self.number} of {self.of})"


def pieces(page: Page, title: str, tokens: int) -> list[Piece]:
    """A page in parts of at most `tokens` tokens each, which joined are the page.

    It is parted at headings, else between blocks, else inside lists and tables, else between lines, and a line only
    where it alone is longer.
    """
    text = page.text
    if len(text) <= tokens * _CHARACTERS or count(text) <= tokens:
        return [Piece(page.id, title, text)]
    blocks = parse_markdown(text).blocks
    bounds = [0, *sorted(_parted(text, 0, len(text), _levels(text, blocks), tokens)), len(text)]
    spans: list[tuple[int, int]] = []
    for a, b in pairwise(bounds):
        if spans and not text[a:b].strip():
            spans[-1] = spans[-1][0], b
        elif a < b:
            spans.append((a, b))
    return [
        Piece(page.id, title, text[a:b], _trail(text, blocks, a), number, len(spans), _columns(text, blocks, a))
        for number, (a, b) in enumerate(spans, 1)
    ]


def halves(piece: Piece) -> tuple[Piece, Piece] | None:
    """A piece in two, for a reply that was cut by its limit; None where there is nothing to part."""
    page = Page(piece.page, piece.text, "")
    parts = pieces(page, piece.title, max(1, count(piece.text) * 3 // 5))
    if len(parts) < 2:
        return None
    middle = len(parts[0].text)
    trail = piece.trail + (parts[1].trail if parts[1].trail not in ((), piece.trail) else ())
    first = replace(piece, text=piece.text[:middle])
    return first, replace(piece, text=piece.text[middle:], trail=trail, columns=parts[1].columns)


def _levels(text: str, blocks: Sequence[Block]) -> list[list[int]]:
    """Where to part, coarse places first. A heading stays with what follows, a row and a sublist with what is above."""
    headings: set[int] = set()
    between: set[int] = set()
    inside: set[int] = set()
    bound: set[int] = set()
    table, after_heading, heading_at = 0, False, 0
    for block in blocks:
        start = _line_start(text, block.start)
        nested = len(block.items) > 1 or (len(block.items) == 1 and not block.first) or bool(block.quote)
        if block.kind == "heading" and not block.items and not block.quote:
            if not after_heading:
                headings.add(start)
                heading_at = start
            after_heading = True
            continue
        if after_heading:
            bound.update(match.end() for match in _LINE_END.finditer(text, heading_at, start))
        else:
            (inside if nested or (block.table and block.table == table) else between).add(start)
        table, after_heading = block.table, False
    lines = {match.end() for match in _LINE_END.finditer(text)} - bound
    return [sorted(headings), sorted(headings | between), sorted(headings | between | inside), sorted(lines)]


def _parted(text: str, start: int, end: int, levels: list[list[int]], tokens: int) -> Iterator[int]:
    """Cuts of one kind, coarse ones first; parts that are then still too long are cut more finely."""
    if not levels:
        size = max(1, int(tokens * 1.2))
        yield from range(start + size, end, size)
        return
    bounds = [start, *(at for at in levels[0] if start < at < end), end]
    begin, held = start, 0
    for a, b in pairwise(bounds):
        size = count(text[a:b])
        if held and held + size > tokens:
            yield a
            begin, held = a, 0
        if size > tokens:
            if begin < a:
                yield a
            yield from _parted(text, a, b, levels[1:], tokens)
            if b < end:
                yield b
            begin, held = b, 0
        else:
            held += size


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _trail(text: str, blocks: Sequence[Block], at: int) -> tuple[str, ...]:
    """The headings that a place stands below, outermost first; its own heading is in the text."""
    trail: list[tuple[int, str]] = []
    for block in blocks:
        if block.start >= at:
            break
        if block.kind == "heading":
            trail = [one for one in trail if one[0] < block.level]
            trail.append((block.level, " ".join(text[block.start : block.end].lstrip("# \t").split())))
    following = next((block for block in blocks if block.start >= at), None)
    if following is not None and following.kind == "heading":
        trail = [one for one in trail if one[0] < following.level]
    return tuple(words for _, words in trail)


def _columns(text: str, blocks: Sequence[Block], at: int) -> str:
    """The head row of the table that a place is inside of; nothing for one that is not, or stands at its head."""
    following = next((block for block in blocks if block.start >= at), None)
    if following is None or not following.table:
        return ""
    head = next(block for block in blocks if block.table == following.table)
    return text[head.start : head.end] if head.header and head.start < at else ""
