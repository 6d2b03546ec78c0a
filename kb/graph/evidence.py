"""What a statement has to show before it is looked at any further: its words on the page, and the names in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from kb.extract.mentions import Mention
from kb.model import Evidence, Page
from kb.sources.markdown import Block, Document, parse_markdown
from kb.sources.pages import page_title

__all__ = ["LONGEST_QUOTE", "Find", "PageEvidence", "located"]

LONGEST_QUOTE = 1000
"""Characters of the longest quote: whoever quotes more points at a page, not at the words that say something."""
Find = Callable[[str], Sequence[Mention]]
"""Finds the names of the catalogue in a text."""

# What quotes leave out or write otherwise without being other words: emphasis, code marks, links, kinds of quotation
# marks, dashes and blanks.
_FOLDED = re.compile(
    r"(?P<gone>[*`\u00ad\u200b\ufeff]+|(?<!\w)_+|_+(?!\w)|!?\[(?=[^\[\]\n]*\])|\]\([^()\n]*\)|\]\[[^\[\]\n]*\]|\])"
    r"|(?P<space>[\s\u00a0\u202f]+)|(?P<single>[‘’‚‛′])|(?P<double>[“”„‟″«»])|(?P<dash>[‐‑‒–—―−])|(?P<dots>…)"
)
_PLAIN = {"gone": "", "space": " ", "single": "'", "double": '"', "dash": "-", "dots": "..."}
_LIST_MARK = re.compile(r"\s*(?:[-*+•>]\s+|\d+[.)]\s+|#+\s+)+")
_CUT_END = re.compile(r"\s*(?:…|\.\.\.)\s*$")
_WORD = re.compile(r"[^\W_]+")


def located(evidence: Evidence, text: str) -> Evidence | None:
    """The evidence as it stands in the page's text, white space aside; None where it does not.

    Where the quote occurs more than once, the occurrence at the evidence's own offset is meant, else the first.
    """
    words = evidence.quote.split()
    if not words:
        return None
    verbatim = evidence.start >= 0 and text.startswith(evidence.quote, evidence.start)
    if verbatim and evidence.end == evidence.start + len(evidence.quote):
        return evidence
    if evidence.start < 0 and (start := text.find(evidence.quote)) >= 0:
        return Evidence(evidence.quote, start, start + len(evidence.quote))
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    match = None
    if 0 <= evidence.start < len(text):
        skipped = len(evidence.quote) - len(evidence.quote.lstrip())
        match = pattern.match(text, evidence.start) or pattern.match(text, evidence.start + skipped)
    match = match or pattern.search(text)
    return match and Evidence(match.group(), match.start(), match.end())


class PageEvidence:
    """The evidence of statements on one page. What it finds out about the page, it finds out once, when it is needed.

    Without `find` it is not asked whether quotes have names in them.
    """

    def __init__(self, page: Page, find: Find | None) -> None:
        self.page, self.find = page, find

    def locate(self, evidence: Evidence) -> Evidence | None:
        """The evidence as it stands on the page; None where the page does not say that.

        White space, Markdown marks, typographic quotes and dashes, the mark of a list item and dots at the end make no
        difference. Every other character does.
        """
        found = located(evidence, self.page.text)
        if found is None and evidence.quote.strip():
            bare = _LIST_MARK.sub("", evidence.quote, count=1)
            for quote in dict.fromkeys((evidence.quote, bare, _CUT_END.sub("", bare))):
                if (span := self._folded_place(quote)) is not None:
                    return Evidence(self.page.text[span[0] : span[1]], *span)
        return found

    def lack(self, evidence: Evidence, ends: Iterable[tuple[str, str]]) -> str | None:
        """Why a quote is no evidence for a statement about these (entity id, name as stated); None where it is."""
        if self.find is None:
            return None
        both = list(ends)
        names = " nor ".join(f"'{name}'" for _, name in both)
        if not any(self._named(one, evidence.start, evidence.end) for one in both) and not any(
            self._named_around(one, evidence) for one in both
        ):
            return f"the quote names neither {names}, and no heading, title or sentence around it does"
        for one in both:
            if not self._on_page(one):
                return f"the page nowhere names '{one[1]}'"
        return None

    # -- names -----------------------------------------------------------------

    @cached_property
    def _mentions(self) -> Sequence[Mention]:
        assert self.find is not None
        return sorted(self.find(self.page.text), key=lambda one: one.start)

    @cached_property
    def _starts(self) -> list[int]:
        return [one.start for one in self._mentions]

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(entity for one in self._mentions for entity in one.entity_ids)

    @cached_property
    def _about(self) -> str:
        """Title and id of the page, as text."""
        return f"{page_title(self.page)} | {re.sub(r'[/_]', ' | ', self.page.id)} | {self.page.id.replace('-', ' ')}"

    @cached_property
    def _about_ids(self) -> frozenset[str]:
        assert self.find is not None
        return frozenset(entity for one in self.find(self._about) for entity in one.entity_ids)

    @cached_property
    def _document(self) -> Document:
        return parse_markdown(self.page.text)

    def _named(self, end: tuple[str, str], start: int, stop: int) -> bool:
        entity, name = end
        # A name is a few words, so what reaches into the span begins shortly before it.
        at = bisect_left(self._starts, start - 200)
        for mention in self._mentions[at:]:
            if mention.start >= stop:
                break
            if mention.end > start and entity in mention.entity_ids:
                return True
        return _says(self.page.text[start:stop], name)

    def _named_around(self, end: tuple[str, str], evidence: Evidence) -> bool:
        if end[0] in self._about_ids or _says(self._about, end[1]):
            return True
        return any(self._named(end, start, stop) for start, stop in self._around(evidence))

    def _around(self, evidence: Evidence) -> list[tuple[int, int]]:
        """The headings above a quote, the block it stands in, and the paragraph that a list or table comes after."""
        blocks = self._document.blocks
        before = [block for block in blocks if block.start <= evidence.start]
        if not before:
            return []
        found: list[Block] = []
        level = 7
        for block in reversed(before):
            if block.kind == "heading" and block.level < level:
                found.append(block)
                level = block.level
        last = before[-1]
        found.append(last)
        if last.lists or last.kind in ("row", "code"):
            group = last.lists[:1] or (last.table,)
            leading = (b for b in reversed(before) if (b.lists[:1] or (b.table,)) != group or b.kind != last.kind)
            found += [block for block in [next(leading, None)] if block is not None and block.kind != "heading"]
            found += [block for block in before if block.lists and block.lists[0] in group]
        return [(block.start, block.end) for block in found]

    def _on_page(self, end: tuple[str, str]) -> bool:
        entity, name = end
        return entity in self._ids or entity in self._about_ids or _says(self._folded_words, name, folded=True)

    @cached_property
    def _folded_words(self) -> str:
        return _words(f"{self._about} {self.page.text}")

    # -- words -----------------------------------------------------------------

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        """The page as quotes may write it, and the place of each of its characters on the page."""
        return _fold(self.page.text)

    def _folded_place(self, quote: str) -> tuple[int, int] | None:
        text, places = self._folded
        wanted = _fold(quote)[0].strip()
        if not wanted:
            return None
        at = text.find(wanted)
        if at < 0:
            return None
        return places[at], places[at + len(wanted) - 1] + 1


def _fold(text: str) -> tuple[str, list[int]]:
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for match in _FOLDED.finditer(text):
        parts.append(text[at : match.start()])
        places.extend(range(at, match.start()))
        plain = _PLAIN[match.lastgroup or "gone"]
        # Two blanks with marks between them are one.
        if plain == " " and parts and "".join(parts[-2:])[-1:] == " ":
            plain = ""
        parts.append(plain)
        places.extend([match.start()] * len(plain))
        at = match.end()
    parts.append(text[at:])
    places.extend(range(at, len(text)))
    return "".join(parts), places


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _says(text: str, name: str, *, folded: bool = False) -> bool:
    words = _words(name)
    return bool(words.strip()) and words in (text if folded else _words(text))
