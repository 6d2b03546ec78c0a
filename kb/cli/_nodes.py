"""Nodes as text: what `kb search`, `kb get` and `kb related` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kb.cli._output import counted, echo, width, wrapped

__all__ = ["clipped", "show_caveats", "show_facts", "show_left", "show_stated", "yes_or_no"]

_QUOTE_LINES = 3
Found = Mapping[str, Any]


def clipped(text: str, lines: int, indent: int = 4) -> str:
    """As much of a text as fits into so many lines of the terminal, cut between words."""
    text = " ".join(text.split())
    most = lines * (max(width(), 40) - indent) - 2
    return text if len(text) <= most else (text[:most].rsplit(" ", 1)[0] or text[:most]) + " …"


def yes_or_no(value: object) -> str:
    """A value of an attribute as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(yes_or_no, value)) if isinstance(value, list) else str(value)


def show_caveats(caveats: Sequence[Found], limit: int, *, about: bool = True) -> None:
    """Caveats with their severity, each with its node id and what it applies to."""
    for one in caveats[: limit or None]:
        severity = f"{one['severity']}: " if one["severity"] else ""
        echo(wrapped(f"{severity}{one['summary']}", indent="  ", hanging="    "))
        fields = [node_id.rpartition(":")[2] for node_id in one["applies_to"]] if about else []
        echo(wrapped(one["node_id"] + (f" (applies to {', '.join(fields)})" if fields else ""), indent="    "))
    show_left(len(caveats), limit)


def show_facts(facts: Sequence[Found], limit: int) -> None:
    """What is stated between a node and others, each with the first of its sources."""
    for fact in facts[: limit or None]:
        other = fact["label"] if fact["label"] == fact["id"] else f"{fact['label']} ({fact['id']})"
        echo(wrapped(f"{fact['words']} {other}", indent="  ", hanging="    "))
        if fact["sources"]:
            first = fact["sources"][0]
            pages = len({source["page"] for source in fact["sources"]}) - 1
            more = f" (also on {counted(pages, 'other page')})" if pages else ""
            _source(first["page"], first["quote"], more)
    show_left(len(facts), limit)


def show_stated(facts: Sequence[Found], limit: int) -> None:
    """What a page states, each with its quote."""
    for fact in facts[: limit or None]:
        said = f"{fact['subject']['label']} {fact['words']} {fact['object']['label']}"
        echo(wrapped(said, indent="  ", hanging="    "))
        if fact["quote"]:
            echo(wrapped(f"“{clipped(fact['quote'], _QUOTE_LINES, 6)}”", indent="      "))
    show_left(len(facts), limit)


def show_left(number: int, limit: int) -> None:
    """How many were not printed."""
    if limit and number > limit:
        echo(f"  … and {number - limit:,} more; --limit 0 prints all")


def _source(page: str, quote: str | None, more: str) -> None:
    said = f": “{clipped(quote, _QUOTE_LINES, 8 + len(page))}”" if quote else ""
    echo(wrapped(f"{page}{said}{more}", indent="      "))
