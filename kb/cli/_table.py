"""Tables that stay readable at any width.

A table that fits is printed as it is. Else its columns of prose are wrapped, and those of names and ids are left whole.
Where that leaves too little room for prose, each row becomes a block of lines, one for each column.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

__all__ = ["columns_of", "table_lines"]

_GAP = 2
_NARROWEST = 24
"""Columns that wrapped prose needs."""


def columns_of(text: str) -> int:
    """How many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def table_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = (), width: int | None = None
) -> list[str]:
    """The lines of a table; `width` None for as wide as it needs.

    `right` are the columns to align right. Line breaks in cells become spaces.
    """
    if not headings:
        return []  # a query may ask for no variable at all
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    shown = [list(headings), *cells] if any(headings) else cells
    widths = [max((columns_of(row[i]) for row in shown), default=0) for i in range(len(headings))]
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        fitted = _fitted(widths, cells, width)
        if fitted is None:
            return _blocks(headings, cells, width)
        widths = fitted
    return [line for row in shown for line in _row(row, widths, right)]


def _fitted(widths: list[int], cells: list[list[str]], width: int) -> list[int] | None:
    """Widths with columns of prose made narrower; None where that is not enough."""
    longest_word = [
        max((columns_of(word) for row in cells for word in row[i].split()), default=0) for i in range(len(widths))
    ]
    prose = [i for i in range(len(widths)) if widths[i] > _NARROWEST and longest_word[i] <= widths[i] // 2]
    room = width - _GAP * (len(widths) - 1) - sum(widths[i] for i in range(len(widths)) if i not in prose)
    if not prose or room < sum(max(_NARROWEST, longest_word[i]) for i in prose):
        return None
    fitted = list(widths)
    # Columns that need less than an even share leave the rest to the others.
    left = sorted(prose, key=lambda i: widths[i])
    while left:
        share = room // len(left)
        column = left.pop(0)
        fitted[column] = max(min(widths[column], share), min(longest_word[column], room))
        room -= fitted[column]
    return fitted


def _row(row: Sequence[str], widths: list[int], right: Collection[int]) -> list[str]:
    wrapped = [_wrapped(cell, size) for cell, size in zip(row, widths, strict=True)]
    lines = []
    for number in range(max(map(len, wrapped))):
        parts = []
        for column, (cell, size) in enumerate(zip(wrapped, widths, strict=True)):
            text = cell[number] if number < len(cell) else ""
            space = " " * (size - columns_of(text))
            parts.append(space + text if column in right else text + space)
        lines.append((" " * _GAP).join(parts).rstrip())
    return lines


def _wrapped(text: str, size: int) -> list[str]:
    """Lines of at most `size` columns. Only a word that is longer than a line is cut."""
    lines = [""]
    for word in text.split():
        if lines[-1] and columns_of(lines[-1]) + 1 + columns_of(word) <= size:
            lines[-1] += f" {word}"
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if lines[-1] and columns_of(lines[-1] + char) > size:
                lines.append("")
            lines[-1] += char
    return lines


def _blocks(headings: Sequence[str], cells: list[list[str]], width: int) -> list[str]:
    if not any(headings):
        return _paragraphs(cells, width)
    size = max(columns_of(heading) for heading in headings)
    lines: list[str] = []
    for row in cells:
        if lines:
            lines.append("")
        for heading, cell in zip(headings, row, strict=True):
            start = heading + " " * (size - columns_of(heading) + _GAP)
            filled = _wrapped(cell, max(width - size - _GAP, _NARROWEST))
            lines.append((start + filled[0]).rstrip())
            lines.extend(" " * len(start) + text for text in filled[1:])
    return lines


def _paragraphs(cells: list[list[str]], width: int) -> list[str]:
    """Rows of a table without headings: the first cell, and indented below it what else there is."""
    lines: list[str] = []
    for first, *others in cells:
        lines.extend(_wrapped(first, width) if first else [])
        size = max(width - 2 * _GAP, _NARROWEST)
        lines.extend(" " * 2 * _GAP + text for cell in others if cell for text in _wrapped(cell, size))
    return lines
