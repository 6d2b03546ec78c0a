"""How commands print: results to standard output, everything else to standard error.

Nothing depends on colour. On a terminal text is wrapped and tables are fitted to its width; in a pipe tables are as
wide as what they hold, so that lines stay whole for other programs.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import click

from kb.cli._table import table_lines

__all__ = [
    "amount",
    "counted",
    "echo",
    "echo_bytes",
    "echo_json",
    "first_advice",
    "note",
    "progress",
    "table",
    "width",
    "wrapped",
]

_ADVICE = 10

_WIDEST = 100
"""Columns beyond which lines of prose are hard to read."""


def echo(text: str = "") -> None:
    """A line of results."""
    click.echo(text)


def note(text: str) -> None:
    """A line that is no result: a warning, a hint, what was done."""
    click.echo(text, err=True)


def echo_bytes(data: bytes) -> None:
    """Results that are a file's content."""
    click.echo(data, nl=False)


def echo_json(data: object) -> None:
    """Results as JSON."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def width() -> int:
    """Columns for prose."""
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> str:
    """Prose wrapped to the terminal; lines after the first begin with `hanging`, or else `indent`."""
    return textwrap.fill(
        " ".join(text.split()),
        width=max(width(), 40),
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "page"), counted(1200, "page"), counted(2, "entity", "entities")
    ('1 page', '1,200 pages', '2 entities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(cost: float) -> str:
    """Money in no currency: what small sums add up to shows, and large ones can be read.

    >>> amount(12.3456), amount(0.0421), amount(0.0000042), amount(0)
    ('12.35', '0.0421', '0.0000042', '0.00')
    """
    if cost == 0 or cost >= 1:
        return f"{cost:,.2f}"
    return f"{cost:.4f}" if cost >= 0.001 else f"{cost:.7f}"


def first_advice(lines: Sequence[str]) -> list[str]:
    """What is said of an ontology, up to ten lines: one that somebody else wrote may lack labels by the thousand."""
    more = len(lines) - _ADVICE
    return [*lines[:_ADVICE], *([f"and {more:,} more: kb ontology --check"] if more > 0 else [])]


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = (), indent: int = 0
) -> None:
    """Prints a table without rules; `right` are the columns to align right."""
    terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
    columns = shutil.get_terminal_size((80, 24)).columns - indent if terminal else None
    for line in table_lines(headings, rows, right=right, width=columns):
        click.echo(" " * indent + line if line else "")


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str, int, int, str], None] | None]:
    """A bar on standard error for what a build reports, where that is a terminal; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    spent = TextColumn("{task.fields[spent]}")
    columns = (TextColumn("{task.description:<8}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), spent)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def step(stage: str, done: int, total: int, spent: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total, spent=spent)
            bar.update(tasks[stage], completed=done, total=total, spent=spent)

        yield step
