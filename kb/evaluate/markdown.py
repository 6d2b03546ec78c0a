"""Tables in GitHub's Markdown, to paste into a paper, a pull request or a wiki."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.evaluate.result import Comparison
from kb.evaluate.tables import Table, notes, tables

__all__ = ["markdown"]


def markdown(found: Comparison) -> str:
    """The tables of an evaluation, a heading above each, and the notes below; ends with a line break.

    The same evaluation gives the same bytes, whenever and wherever it ran.
    """
    parts = [f"### {table.title}\n\n{_table(table)}" for table in tables(found, side_by_side=True)]
    return "\n\n".join([*parts, *map(_text, notes(found))]) + "\n"


def _table(table: Table) -> str:
    rules = ["---" if column < table.names else "---:" for column in range(len(table.headings))]
    return "\n".join([_row(table.headings), f"| {' | '.join(rules)} |", *map(_row, table.rows)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(text: str) -> str:
    """Text that Markdown shows as it is. An underscore inside a word is none of its signs."""
    return re.sub(r"([\\`*|<>\[\]~#]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))
