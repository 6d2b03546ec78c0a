"""Why an inferred fact holds, and where a stated one stands, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb.cli._output import counted, width, wrapped

if TYPE_CHECKING:
    from kb.ask.inferred import Stated, Why
    from kb.ask.lookup import Source

__all__ = ["source_line", "stated_lines", "why_lines"]

_QUOTE_LINES = 4


def source_line(sources: Sequence[Source], *, indent: int) -> str:
    """The first source of a fact, with its quote; and how many more sources there are."""
    first = sources[0]
    pages = list(dict.fromkeys(source.page for source in sources))
    more = f" (also on {counted(len(pages) - 1, 'other page')})" if len(pages) > 1 else ""
    if not first.quote:
        return wrapped(f"{first.page}{more}", indent=" " * indent)
    quote = " ".join(first.quote.split())
    most = _QUOTE_LINES * (width() - indent - 2) - len(first.page) - len(more)
    if len(quote) > most:
        quote = quote[:most].rsplit(" ", 1)[0] + " …"
    return wrapped(f"{first.page}: “{quote}”{more}", indent=" " * indent)


def stated_lines(one: Stated, *, indent: int) -> list[str]:
    """A stated fact and its source."""
    lines = [wrapped(one.words, indent=" " * indent, hanging=" " * (indent + 2))]
    return [*lines, source_line(one.sources, indent=indent + 2)] if one.sources else lines


def why_lines(why: Why, *, indent: int) -> list[str]:
    """The axioms that an inferred fact follows by, and the stated facts that it follows from."""
    lines = [wrapped(f"inferred: {why.axioms}", indent=" " * indent, hanging=" " * (indent + 2))]
    return [*lines, *(line for one in why.stated for line in stated_lines(one, indent=indent + 2))]
