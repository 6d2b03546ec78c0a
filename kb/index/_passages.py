"""A page as passages: readable text without Markdown, each with the headings above it and its place in the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kb.sources.inline import Inline
from kb.sources.markdown import Block, Document, FrontValue, parse_markdown

__all__ = ["LONG", "Passage", "passages"]

LONG = 1200
"""Characters that a passage holds at most, or nearly."""
_SHORT = 200
"""What a long section leaves over joins the passage before it, where it is shorter than this."""
_HEADING = 200
_FENCE = re.compile(r"```|~~~")


@dataclass(frozen=True, slots=True)
class Passage:
    """Text below the headings of `trail`, outermost first. `start` and `end` enclose its source in the page."""

    trail: tuple[str, ...]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Line:
    """What becomes one line of a passage; empty where the source says nothing that later lines do not say."""

    text: str
    start: int
    end: int


def passages(text: str, title: str) -> Iterator[Passage]:
    """The passages of a page, in order, none overlapping another. Front matter comes first, without headings above.

    A section is parted between its blocks where it is long, and inside of a block that is long itself.
    """
    document = parse_markdown(text)
    front = list(_front(document.front, title))
    yield from _parted((), front)
    for trail, blocks in _sections(document):
        yield from _parted(trail, list(_lines(text, blocks)))


def _front(values: Sequence[FrontValue], title: str) -> Iterator[_Line]:
    """`key: value` lines; the values of a list are one line."""
    lines: dict[tuple[str, ...], list[FrontValue]] = {}
    for value in values:
        if value.value.strip() and value.value != title:
            lines.setdefault(value.keys, []).append(value)
    for keys, found in lines.items():
        said = f"{' '.join(keys)}: {', '.join(one.value for one in found)}"
        yield _Line(_one_line(said)[:LONG], found[0].start, found[-1].end)


def _sections(document: Document) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    trail: list[tuple[int, str]] = []
    held: list[Block] = []
    for block in document.blocks:
        # A heading in a quote or a list says what the next lines of it are about, not what the page is.
        if block.kind != "heading" or block.quote or block.lists:
            held.append(block)
            continue
        if held:
            yield tuple(words for _, words in trail), held
            held = []
        trail = [one for one in trail if one[0] < block.level]
        words = _one_line(block.inline.text if block.inline is not None else "")
        trail.append((block.level, words[:_HEADING]))
    if held:
        yield tuple(words for _, words in trail), held


def _parted(trail: tuple[str, ...], lines: Iterable[_Line]) -> Iterator[Passage]:
    parts: list[list[_Line]] = []
    size = 0
    for line in lines:
        if not parts or (size and size + len(line.text) > LONG):
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line.text)
    if len(parts) > 1 and size < _SHORT:
        parts[-2].extend(parts.pop())
    for part in parts:
        text = "\n".join(line.text for line in part if line.text)
        if text:
            yield Passage(trail, text, part[0].start, max(line.end for line in part))


def _lines(page: str, blocks: Sequence[Block]) -> Iterator[_Line]:
    heads: list[str] = []
    for block, after in zip(blocks, (*blocks[1:], None), strict=True):
        if block.kind == "row":
            cells = [_one_line(cell.text) for cell in block.cells]
            if block.header:
                heads = cells
                followed = after is not None and after.table == block.table
                yield _Line("" if followed else "; ".join(filter(None, cells)), block.start, block.end)
            else:
                yield _Line(_row(heads, cells), block.start, block.end)
        elif block.kind == "code":
            yield from _code(page, block)
        elif block.inline is not None:
            yield from _prose(block, block.inline)


def _row(heads: Sequence[str], cells: Sequence[str]) -> str:
    heads = [*heads, *[""] * (len(cells) - len(heads))]
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(heads, cells, strict=False) if cell)


def _prose(block: Block, inline: Inline) -> Iterator[_Line]:
    cuts = _cuts(inline.text)
    for number, (first, last) in enumerate(cuts):
        start = block.start if number == 0 else inline.offsets[first]
        end = block.end if number == len(cuts) - 1 else inline.offsets[last - 1] + 1
        yield _Line(_one_line(inline.text[first:last]), start, end)


def _code(page: str, block: Block) -> Iterator[_Line]:
    """The lines of code, put together as far as they go."""
    source = page[block.start : block.end].split("\n")
    first = 1 if _FENCE.search(source[0]) else 0
    starts = [block.start]
    for line in source:
        starts.append(starts[-1] + len(line) + 1)
    written = block.literal.rstrip("\n").split("\n")
    begin = number = 0
    while begin < len(written):
        size, end = len(written[begin]), begin + 1
        while end < len(written) and size + len(written[end]) < LONG:
            size += len(written[end]) + 1
            end += 1
        # A line without an end is data, not text.
        text = "\n".join(line.rstrip()[:LONG] for line in written[begin:end] if line.strip())
        start = starts[min(first + begin, len(source) - 1)] if number else block.start
        stop = block.end if end == len(written) else min(starts[min(first + end, len(source))] - 1, block.end)
        yield _Line(text, start, max(start, stop))
        begin, number = end, number + 1


def _cuts(text: str) -> list[tuple[int, int]]:
    """Where to part a long text: at the end of a line, of a sentence, of a word, or wherever it must be."""
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > LONG:
        window = text[start : start + LONG]
        half = LONG // 2
        at = max(window.rfind(sign, half) for sign in ("\n", ". ", "? ", "! "))
        at = at if at >= 0 else window.rfind(" ", half)
        stop = start + (at + 1 if at >= 0 else LONG)
        found.append((start, stop))
        start = stop
        while start < len(text) and text[start].isspace():
            start += 1
    if start < len(text) or not found:
        found.append((start, len(text)))
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())
