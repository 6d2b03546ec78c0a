"""A difference of two generations as text for people: in a terminal, and as a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kb.cli._output import counted, echo, table, wrapped

if TYPE_CHECKING:
    from kb.diff import Difference, Finding, Restated, Support, Thing

__all__ = ["echo_difference", "markdown"]

_MOST_ROWS = 200
"""Rows of a list in a comment; whoever changes more wants another tool than a comment."""
_LONGEST_QUOTE = 160
_Row = tuple[str, str, str, str]


def _sections(found: Difference) -> Iterator[tuple[str, str, list[_Row]]]:
    """(heading, what the second column is, rows of sign, what, where and a text)."""
    facts = [
        (sign, f"{one.subject} {one.relation} {one.object}", _where(one.support), _quotes(one.support))
        for sign, group in (("+", found.facts_added), ("-", found.facts_removed))
        for one in group
    ]
    yield "Facts", "quote", facts
    yield "Facts with other sources", "quote", [row for one in found.restated for row in _restated(one)]
    for heading, groups in (
        ("Entities", (found.entities_added, found.entities_removed, found.entities_changed)),
        ("Schema notes", (found.notes_added, found.notes_removed, found.notes_changed)),
    ):
        yield (
            heading,
            "values",
            [row for sign, group in zip("+-~", groups, strict=True) for row in _things(sign, group)],
        )
    for heading, added, removed in (
        ("Contradictions", found.contradictions_added, found.contradictions_removed),
        ("Refused statements", found.rejections_added, found.rejections_removed),
    ):
        yield heading, "why", [*_findings("+", added), *_findings("-", removed)]
    pages = [
        (sign, page, "", "")
        for sign, group in (("+", found.pages_added), ("-", found.pages_removed), ("~", found.pages_changed))
        for page in group
    ]
    yield "Pages", "", pages


def echo_difference(found: Difference) -> None:
    """Prints lists with signs: + came, - went, ~ changed."""
    echo(f"{found.old} -> {found.new}")
    if not found:
        echo("No difference.")
        return
    for heading, last, rows in _sections(found):
        if rows:
            echo()
            echo(f"{heading}: {_tally(rows)}")
            headings = ("", "", "stated in" if any(row[2] for row in rows) else "", last)
            used = [i for i in range(4) if i < 2 or any(row[i] for row in rows)]
            table([headings[i] for i in used], [[row[i] for i in used] for row in rows], indent=2)
    if found.ontology:
        echo()
        echo(wrapped("Ontology or shapes differ."))


def markdown(found: Difference) -> str:
    """A comment in GitHub's Markdown. No text of a page can end a cell, or become a link, an image or HTML."""
    if not found:
        return "**Knowledge base:** no difference.\n"
    count = f"{counted(len(found.facts_added), 'fact')} added, {len(found.facts_removed):,} removed"
    lines = [f"**Knowledge base:** {count}", ""]
    news = len(found.contradictions_added)
    if news:
        lines += [f"> **{counted(news, 'new contradiction')}**", ""]
    for heading, last, rows in _sections(found):
        if not rows:
            continue
        used = [i for i in range(4) if i < 2 or any(row[i] for row in rows)]
        titles = ("", heading.lower(), "stated in", last)
        fold = len(rows) > 15
        lines += (
            [f"<details><summary>{heading}: {_tally(rows)}</summary>"] if fold else [f"#### {heading}: {_tally(rows)}"]
        )
        lines += ["", "| " + " | ".join(titles[i] for i in used) + " |", "|" + "---|" * len(used)]
        lines += ["| " + " | ".join(_cell(row[i], code=i == 1) for i in used) + " |" for row in rows[:_MOST_ROWS]]
        if len(rows) > _MOST_ROWS:
            lines += ["", f"… and {len(rows) - _MOST_ROWS:,} more"]
        lines += ["", "</details>", ""] if fold else [""]
    if found.ontology:
        lines += ["Ontology or shapes differ.", ""]
    return "\n".join(lines)


def _tally(rows: Sequence[_Row]) -> str:
    signs = [row[0] for row in rows]
    return " ".join(f"{'−' if one == '-' else one}{signs.count(one):,}" for one in "+-~" if one in signs)


def _restated(one: Restated) -> Iterator[_Row]:
    said = f"{one.subject} {one.relation} {one.object}"
    if one.gained:
        yield "+", said, _where(one.gained), _quotes(one.gained)
    if one.lost:
        yield "-", said, _where(one.lost), _quotes(one.lost)


def _things(sign: str, group: Sequence[Thing]) -> Iterator[_Row]:
    for one in group:
        values = [f"+ {text}" for text in one.added] + [f"- {text}" for text in one.removed]
        yield sign, one.id, "", "; ".join(values) or f"{one.type}: {one.label}"


def _findings(sign: str, group: Sequence[Finding]) -> Iterator[_Row]:
    return ((sign, one.about, ", ".join(one.sources), one.message) for one in group)


def _where(support: Sequence[Support]) -> str:
    return ", ".join(dict.fromkeys(one.source for one in support))


def _quotes(support: Sequence[Support]) -> str:
    quotes = (" ".join(one.quote.split()) for one in support if one.quote)
    return " … ".join(dict.fromkeys(f'"{_cut(quote)}"' for quote in quotes))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def _cell(text: str, *, code: bool) -> str:
    folded = " ".join(text.split())
    if not folded:
        return ""
    if code and "`" not in folded:
        # Only the bar has a meaning in code within a table.
        return "`" + folded.replace("|", "\\|") + "`"
    # A mention or an address would notify people or become a link.
    spaced = re.sub(r"([@#])(?=\w)", "\\1\u200b", folded).replace("://", ":\u200b//").replace("www.", "www\u200b.")
    return re.sub(r"([\\`*_{}\[\]()#+!|~<>&-])", r"\\\1", spaced)
