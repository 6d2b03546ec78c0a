"""Pages that are too long for one request, in parts that can be read by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.llm.tokens import count
from kb.model import Page
from kb.sources.markdown import Block, parse_markdown

__all__ = ["Piece", "halves", "pieces"]

_CHARACTERS = 2.5  # a text with fewer characters than tokens x this needs no counting


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is a part of a page, verbatim; `trail` are the headings above it. `number` counts from 1, of `of`."""

    page: str
    title: str
    text: str
    trail: tuple[str, ...] = ()
    number: int = 1
    of: int = 1

    @property
    def label(self) -> str:
        """What to call it in messages."""
        return self.page if self.of == 1 else f"{self.page} (part {self.number} of {self.of})"


def pieces(page: Page, title: str, tokens: int) -> list[Piece]:
    """A page in parts of at most `tokens` tokens each, which joined are the page.

    It is parted at headings, else between blocks, else between lines, and a line only where it alone is longer.
    """
    text = page.text
    if len(text) <= tokens * _CHARACTERS or count(text) <= tokens:
        return [Piece(page.id, title, text)]
    blocks = parse_markdown(text).blocks
    cuts = _cuts(text, blocks, tokens)
    bounds = [0, *cuts, len(text)]
    spans = [(a, b) for a, b in pairwise(bounds) if a < b]
    return [
        Piece(page.id, title, text[a:b], _trail(text, blocks, a), number, len(spans))
        for number, (a, b) in enumerate(spans, 1)
    ]


def halves(piece: Piece) -> tuple[Piece, Piece] | None:
    """A piece in two, for a reply that was cut by its limit; None where there is nothing to part."""
    page = Page(piece.page, piece.text, "")
    parts = pieces(page, piece.title, max(1, count(piece.text) // 2 + 1))
    if len(parts) < 2:
        return None
    middle = len(parts[0].text)
    trail = piece.trail + (parts[1].trail if parts[1].trail not in ((), piece.trail) else ())
    first = Piece(piece.page, piece.title, piece.text[:middle], piece.trail, piece.number, piece.of)
    return first, Piece(piece.page, piece.title, piece.text[middle:], trail, piece.number, piece.of)


def _cuts(text: str, blocks: Sequence[Block], tokens: int) -> list[int]:
    """Where to part, so that no part has more tokens."""
    headings = [_line_start(text, block.start) for block in blocks if block.kind == "heading"]
    between = [_line_start(text, block.start) for block in blocks]
    lines = [match.end() for match in re.finditer(r"\n", text)]
    return sorted(_parted(text, 0, len(text), [sorted(set(headings)), sorted(set(between)), lines], tokens))


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
