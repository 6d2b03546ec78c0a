"""`kb search`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from kb.cli._nodes import clipped
from kb.cli._options import json_option, kb_option
from kb.cli._output import echo, echo_json, note, wrapped

__all__ = ["command"]

_LINES = 3
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "-k", "--top-k", type=click.IntRange(min=1), default=5, show_default=True, metavar="N", help="How many to print."
)
@click.option(
    "--concept",
    "concepts",
    multiple=True,
    metavar="NAME",
    help="Only texts of this concept; of a section that is its page, of an entity its type. Repeatable.",
)
@click.option(
    "--kind", "kinds", multiple=True, metavar="KIND", help="Only concept, field, caveat, entity or section. Repeatable."
)
@kb_option
@json_option
def command(
    query: tuple[str, ...], top_k: int, concepts: tuple[str, ...], kinds: tuple[str, ...], folder: Path, as_json: bool
) -> None:
    """Find the texts that fit a query best, by meaning and by words.

    \b
    kb search "make config immutable"
    kb search -k 3 --kind caveat --kind field "zero decimal currencies"

    Searched are the concepts, fields and caveats of schema notes, the entities and the sections of pages. The score is
    how near the meanings are, at most 1, and a bonus for words and signs of the query that a text has. Where the query
    cannot be embedded, only words count, and each result says so.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    words = " ".join(query).strip()
    if not words:
        raise click.UsageError('Say what to look for: kb search "make config immutable".')
    import kb

    with kb.open(folder) as base:
        found = base.search(words, top_k, concepts=concepts or None, kinds=kinds or None)
        rows, failure = base.index.files.rows, base.index.failure
    if failure is not None:
        note(f"Warning: only the words of the query were looked for, since it could not be embedded: {failure}")
    if as_json:
        echo_json(found)
    elif found:
        _show(found, words)
    else:
        echo("Nothing found." if rows else "Nothing found: the index is empty.")


def _show(found: list[dict[str, Any]], query: str) -> None:
    for rank, hit in enumerate(found, 1):
        if rank > 1:
            echo()
        echo(f"{rank}. {hit['score']:.2f}  {hit['node_id']}")
        echo(wrapped(_said(hit, query), indent="   "))


def _said(hit: dict[str, Any], query: str) -> str:
    """What a text says, in a few lines: its kind, and what it adds to the node id."""
    text, label, kind = hit["text"], hit["label"], hit["kind"]
    if kind == "section":
        body = text.removeprefix(label).lstrip("\n")
        start = f"section: {label}: "
        return f"{start}“{clipped(_passage(body, query), _LINES, 4 + len(start) // _LINES)}”"
    beginning, more = "", ""
    if kind == "field":
        more = f" ({hit['value_type']})" if hit["value_type"] else ""
        beginning = f"Field {label}{more}"
        name = label.removeprefix(f"{hit['concept']}.")
        more = more if name == hit["field"] else f" {name}{more}"
    elif kind == "caveat":
        more, text = f" ({hit['severity']})", label
    elif kind == "concept":
        beginning = f"Concept: {hit['concept']}."
    said = text.removeprefix(" ".join(beginning.split())).lstrip(": ") or label
    return clipped(f"{kind}{more}: {said}", _LINES)


def _passage(text: str, query: str) -> str:
    """The sentence that has most words of the query, and what follows it."""
    from kb.index.search import significant_terms

    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    terms = significant_terms(query)
    shares = [sum(term in part.lower() for term in terms) for part in parts]
    best = shares.index(max(shares)) if parts else 0
    return " ".join([*(["…"] if best else []), *parts[best:]])
