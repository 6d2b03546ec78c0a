"""Pages and blocks that are not read at all: dead pages, and text that addresses whoever reads it."""

from __future__ import annotations

import re

from kb.extract.phrases.addresses import addressed
from kb.extract.phrases.denials import DEAD_PAGE
from kb.sources.markdown import Document

__all__ = ["HIDING", "dead", "poisoned"]

HIDING = r"(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|\shidden[\s=>])"
"""What in a tag keeps its element from being seen."""

# What no reader of the page gets to see.
_UNSEEN = re.compile(rf"<\w+[^<>]*{HIDING}", re.IGNORECASE)


def dead(document: Document) -> bool:
    """Whether the page says of itself that it is rejected, superseded or only proposed."""
    for value in document.front:
        if value.keys[-1].lower() in ("status", "state") and DEAD_PAGE.search(value.value):
            return True
    for block in document.blocks[:8]:
        if block.inline is not None and block.kind == "paragraph":
            match = re.search(r"(?:^|\n|·\s*)\W*status\W*:\W*([^\n]{1,40})", block.inline.text, re.IGNORECASE)
            if match is not None and DEAD_PAGE.search(match.group(1)):
                return True
    return False


def poisoned(document: Document, page: str) -> set[int]:
    """Indexes of blocks that address whoever reads the page for facts, and of all that may go with them.

    That is the rest of the section, and the whole of a block quote, list or table.
    """
    found: set[int] = set()
    quotes: set[int] = set()
    lists: set[int] = set()
    tables: set[int] = set()
    rest = False
    for index, block in enumerate(document.blocks):
        texts = [cell.text for cell in block.cells] or ([block.inline.text] if block.inline is not None else [])
        # Tags are gone from the plain text, and may be what gives it away.
        hit = any(addressed(text) for text in texts) or (bool(texts) and addressed(page[block.start : block.end]))
        if texts and _UNSEEN.search(page, block.start, block.end):
            found.add(index)
        if block.kind == "heading":
            rest = hit
        elif hit:
            rest = True
            quotes.update((block.quote,) if block.quote else ())
            lists.update(block.lists[:1])
            tables.update((block.table,) if block.table else ())
        if rest:
            found.add(index)
    for index, block in enumerate(document.blocks):
        if block.quote in quotes or block.table in tables or (block.lists and block.lists[0] in lists):
            found.add(index)
    return found
