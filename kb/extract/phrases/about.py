"""What a page or a section is about: only what its title names and nothing more.

"Payouts", "The Ledger", "Fee Calculator ("Abacus")", "Checkout – overview", "Team Identity" are titles of their thing;
"Runbook: payouts are stuck" is not.
"""

from __future__ import annotations

import re

from kb.extract.common_words import COMMON_WORDS
from kb.extract.phrases.cues import word_set
from kb.extract.phrases.tokens import Tok, Tokens
from kb.model import Page
from kb.sources.inline import Inline, flatten
from kb.sources.markdown import Document

__all__ = ["About"]

_TITLE_WORDS = word_set(
    "the a an our overview readme home page docs documentation doc about system app application design "
    "architecture wiki profile introduction intro summary at glance in brief and service team handbook "
    "general information info basics guide"
)
_GENERIC = word_set("readme index _index overview home about main default")
_TITLE_KEYS = ("title", "name", "sidebar_label", "linktitle")


class About:
    """Finds the subjects of pages and headings."""

    def __init__(self, tokens: Tokens, nouns: dict[str, frozenset[str]]) -> None:
        self.tokens = tokens
        self.nouns = nouns

    def page(self, page: Page, document: Document) -> tuple[str, ...]:
        """Find what a page is about: by its first heading, its title in the front matter, or its own name."""
        heading = next(
            (b for b in document.blocks if b.kind == "heading" and b.level == 1 and b.inline is not None), None
        )
        named = self._file(page.id)
        if heading is not None and heading.inline is not None:
            found = self.title(heading.inline)
            if found and self._topic(page.id, heading.inline.text, found):
                return ()
            if found:
                return tuple(one for one in found if one in named) or found
        for value in document.front:
            if len(value.keys) == 1 and value.keys[0].lower() in _TITLE_KEYS:
                found = self.text(value.value)
                if found:
                    return tuple(one for one in found if one in named) or found
        return named

    def _topic(self, page_id: str, title: str, found: tuple[str, ...]) -> bool:
        """Whether an everyday title ("Logging") in the folder of another thing is a topic of that thing."""
        if title.strip().lower() not in COMMON_WORDS:
            return False
        folders = [part for segment in page_id.split("/") for part in segment.split("--") if part][:-1]
        others = (one for folder in folders for one in self.text(re.sub(r"[-_.]+", " ", folder)))
        return any(one not in found for one in others)

    def _file(self, page_id: str) -> tuple[str, ...]:
        parts = [part for segment in page_id.split("/") for part in segment.split("--") if part]
        while len(parts) > 1 and parts[-1].lower() in _GENERIC:
            parts.pop()
        if not parts:
            return ()
        found = self.text(re.sub(r"[-_.]+", " ", parts[-1]))
        if len(found) > 1 and len(parts) > 1:
            words = re.findall(r"[a-z]+", parts[-2].lower())
            types = next((self.nouns[w] for w in (*words, *(w.rstrip("s") for w in words)) if w in self.nouns), None)
            found = tuple(one for one in found if types is None or self.tokens.types[one] in types) or found
        return () if self._topic(page_id, parts[-1], found) else found

    def text(self, text: str) -> tuple[str, ...]:
        """Find what a plain title is about."""
        return self.title(flatten(text, [(0, len(text))]))

    def title(self, inline: Inline) -> tuple[str, ...]:
        """Find what a title is about; () if it says more than a name."""
        toks = [t for s in self.tokens.sentences(inline, value=True) for t in s.toks]
        outside = _outside(toks)
        names = [t for t in outside if t.kind == "m"]
        if not names or len({t.ids for t in names}) > 1:
            return ()
        for tok in outside:
            light = tok.lower in _TITLE_WORDS or any(one in self.nouns for one in tok.lemmas)
            if tok.kind == "w" and not light:
                return ()
            if tok.kind == "p" and tok.text in "?!,;/'’&":
                return ()
        return self._narrowed(names[0].ids, outside)

    def _narrowed(self, ids: tuple[str, ...], toks: list[Tok]) -> tuple[str, ...]:
        """Keep the entities of the type that the title names, if it names one ("Team Identity")."""
        for tok in toks:
            if tok.kind != "w":
                continue
            types = next((self.nouns[one] for one in sorted(tok.lemmas) if one in self.nouns), None)
            fitting = tuple(one for one in ids if types is not None and self.tokens.types[one] in types)
            if fitting:
                return fitting
            if types is not None and tok.lower == "team":
                return ()
        return ids


def _outside(toks: list[Tok]) -> list[Tok]:
    """Drop what stands in parentheses or quotation marks after the first name."""
    depth = 0
    quoted = False
    kept: list[Tok] = []
    for tok in toks:
        if tok.kind == "p" and tok.text in "([":
            depth += 1
        elif tok.kind == "p" and tok.text in ")]":
            depth = max(0, depth - 1)
        elif tok.kind == "p" and tok.text in '"“”':
            quoted = not quoted
        elif not depth and not (quoted and any(t.kind == "m" for t in kept)):
            kept.append(tok)
    return kept
