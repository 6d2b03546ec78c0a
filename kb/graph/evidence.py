"""What a statement has to show before it is looked at any further: its words on the page, and the names in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from kb.extract.mentions import Mention
from kb.extract.suspect import Suspect
from kb.graph._folding import Folded, Words, bare, plain, spaced
from kb.model import Evidence, Page
from kb.sources.markdown import Block, parse_markdown
from kb.sources.pages import page_title

__all__ = ["LONGEST_QUOTE", "SHORTEST_QUOTE", "End", "Find", "FindSuspect", "PageEvidence"]

LONGEST_QUOTE = 1000
"""Characters of the longest quote: five long sentences. Whoever quotes more points at a page, not at what it says."""
Find = Callable[[str], Sequence[Mention]]
"""Finds the names of the catalogue in a text."""
FindSuspect = Callable[[str], Sequence[Suspect]]
"""Finds the parts of a page that nothing is to rest on."""
SHORTEST_QUOTE = 3
"""Letters and digits of the shortest quote: fewer are on every page, and say nothing."""
End = tuple[str, str]
"""One of the two things that a statement joins: its id, and its name as stated."""

# A line such as "Owner: Platform" may stand below many headings; which one is meant shows within so many.
_MOST_PLACES = 20
_MOST_TRIED = 200
_OPENING = re.compile(r"[*_`\[]{0,6}\Z")
_CLOSING = re.compile(r"(?:\]\([^()\n]{0,500}\)|\]\[[^\]\n]{0,200}\]|[*_`\]]){0,6}")


class PageEvidence:
    """The evidence of statements on one page. What it finds out about the page, it finds out once, when it is needed.

    Without `find` it is not asked whether quotes have names in them.
    """

    def __init__(self, page: Page, find: Find | None = None, suspect: FindSuspect | None = None) -> None:
        self.page, self.find, self._find_suspect = page, find, suspect

    @cached_property
    def suspect(self) -> Sequence[Suspect]:
        """Parts of the page that nothing is to rest on."""
        return () if self._find_suspect is None else self._find_suspect(self.page.text)

    @cached_property
    def _spoken(self) -> str:
        """The page with marks that are in no name in the place of its suspect parts."""
        text, parts, position = self.page.text, list[str](), 0
        for start, end, _ in sorted(self.suspect):
            if end > position:
                start = max(start, position)
                parts += [text[position:start], "|" * (end - start)]
                position = end
        return "".join([*parts, text[position:]])

    # -- quotes ----------------------------------------------------------------

    def places(self, evidence: Evidence) -> list[Evidence]:
        """The evidence as it stands on the page, for each place where it does; none where the page does not say that.

        White space, Markdown marks, typographic quotes and dashes, the mark of a list item and dots at the end make no
        difference. Every other character does, and a quote does not begin or end within a word. A quote that stands at
        the evidence's own offset is meant to be that one.
        """
        text = self.page.text
        words = evidence.quote.split()
        if not words:
            return []
        if evidence.start >= 0:
            if evidence.end - evidence.start == len(evidence.quote) and text.startswith(evidence.quote, evidence.start):
                return [evidence]
            skipped = len(evidence.quote) - len(evidence.quote.lstrip())
            pattern = re.compile(r"\s+".join(map(re.escape, words)))
            for start in (evidence.start, evidence.start + skipped):
                if (match := pattern.match(text, start)) is not None:
                    return [Evidence(match.group(), match.start(), match.end())]
        for spans in self._spans(evidence.quote, " ".join(words)):
            if spans:
                return [Evidence(text[start:end], start, end) for start, end in spans]
        return []

    def _spans(self, quote: str, folded: str) -> Iterator[list[tuple[int, int]]]:
        text = self.page.text
        yield self._whole(text, quote, lambda start, end: (start, end))
        yield self._whole(self._spaced.text, folded, self._spaced.span)
        for one in dict.fromkeys(plain(said).text.strip() for said in (quote, *bare(quote))):
            yield [self._with_marks(*span) for span in self._whole(self._plain.text, one, self._plain.span)]

    def _whole(self, text: str, wanted: str, span: Callable[[int, int], tuple[int, int]]) -> list[tuple[int, int]]:
        """Where on the page the first occurrences are that cut no word."""
        found: list[tuple[int, int]] = []
        at = -1
        for _ in range(_MOST_TRIED if wanted else 0):
            at = text.find(wanted, at + 1)
            if at < 0 or len(found) == _MOST_PLACES:
                break
            stop = at + len(wanted)
            if not _within_word(text, at) and not _within_word(text, stop):
                found.append(span(at, stop))
        return found

    def _with_marks(self, start: int, end: int) -> tuple[int, int]:
        opening = _OPENING.search(self.page.text, max(0, start - 6), start)
        closing = _CLOSING.match(self.page.text, end)
        return (opening.start() if opening else start), (closing.end() if closing else end)

    @cached_property
    def _spaced(self) -> Folded:
        return spaced(self.page.text)

    @cached_property
    def _plain(self) -> Folded:
        return plain(self.page.text)

    # -- names -----------------------------------------------------------------

    def naming(self, places: Sequence[Evidence], ends: Sequence[End]) -> Evidence | str:
        """The place of a quote where it, or what stands around it, names most of `ends`; else why it is no evidence."""
        if self.find is None:
            return places[0]
        if len(places) == 1:
            best, named = places[0], any(self._near(end, places[0]) for end in ends)
        else:
            counted = [sum(self._near(end, place) for end in ends) for place in places]
            best, named = places[counted.index(max(counted))], max(counted) > 0
        if not named and not any(self._in_title(end) for end in ends):
            names = " nor ".join(f"'{name}'" for _, name in ends)
            return f"the quote names neither {names}, and no heading, title or sentence around it does"
        for end in ends:
            if not self._on_page(end):
                return f"the page nowhere names '{end[1]}'"
        return best

    def _near(self, end: End, place: Evidence) -> bool:
        if self._named(end, place.start, place.end):
            return True
        return any(self._named(end, *span) for span in self._around(place))

    def _named(self, end: End, start: int, stop: int) -> bool:
        if start >= stop:
            return False
        starts, stops = self._mentioned.get(end[0], ((), ()))
        at = bisect_right(stops, start)
        return (at < len(starts) and starts[at] < stop) or self._words.say(end[1], start, stop)

    def _on_page(self, end: End) -> bool:
        if end[0] in self._mentioned or self._in_title(end) or self._words.say(end[1]):
            return True
        return end[0] in self._plain_ids

    def _in_title(self, end: End) -> bool:
        return end[0] in self._about_ids or self._about_words.say(end[1])

    @cached_property
    def _mentioned(self) -> dict[str, tuple[list[int], list[int]]]:
        """Where the names of an entity start and stop on the page, in order; names do not overlap."""
        assert self.find is not None
        found: dict[str, tuple[list[int], list[int]]] = {}
        for mention in sorted(self.find(self._spoken), key=lambda one: one.start):
            for entity in mention.entity_ids:
                starts, stops = found.setdefault(entity, ([], []))
                starts.append(mention.start)
                stops.append(mention.end)
        return found

    @cached_property
    def _plain_ids(self) -> frozenset[str]:
        """What is named once marks within names are gone."""
        assert self.find is not None
        text = plain(self._spoken).text if self.suspect else self._plain.text
        return frozenset(entity for one in self.find(text) for entity in one.entity_ids)

    @cached_property
    def _words(self) -> Words:
        return Words(self._spoken)

    @cached_property
    def _about(self) -> str:
        """Title and id of the page, as text."""
        parts = (page_title(self.page), self.page.id.replace("-", " "), *self.page.id.split("/"))
        return " | ".join(dict.fromkeys(parts))

    @cached_property
    def _about_ids(self) -> frozenset[str]:
        assert self.find is not None
        return frozenset(entity for one in self.find(self._about) for entity in one.entity_ids)

    @cached_property
    def _about_words(self) -> Words:
        return Words(self._about)

    # -- what stands around a quote ----------------------------------------------

    def _around(self, place: Evidence) -> Iterator[tuple[int, int]]:
        """The places that say what a quote is about.

        These are its paragraph, list or row up to it, the head of its table, the paragraph that its list, table or code
        comes after, and the headings above.
        """
        index = self._block_of(place)
        if index < 0:
            return
        block = self._blocks[index]
        first = self._first.get(_group(block), index)
        # A row speaks for itself, the items of a list go on from each other.
        yield self._blocks[first if block.lists else index].start, place.end
        if block.table and self._blocks[first].header:
            yield self._blocks[first].start, self._blocks[first].end
        if block.lists or block.kind in ("row", "code"):
            leading = self._blocks[first - 1] if first else None
            if leading is not None and leading.kind == "paragraph":
                yield leading.start, leading.end
        above = self._above[index]
        while above >= 0:
            yield self._blocks[above].start, self._blocks[above].end
            above = self._above[above]

    def _block_of(self, place: Evidence) -> int:
        """The block that a quote begins in, by index; -1 where it stands before the first one."""
        index = bisect_right(self._block_starts, place.start) - 1
        after = index + 1
        # Blocks begin behind the marks of lists and headings, and quotes may begin with them.
        if after < len(self._blocks) and self._blocks[after].start < place.end:
            return after if index < 0 or self._blocks[index].end <= place.start else index
        return index

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        return parse_markdown(self.page.text).blocks

    @cached_property
    def _block_starts(self) -> list[int]:
        return [block.start for block in self._blocks]

    @cached_property
    def _first(self) -> dict[tuple[int, int], int]:
        """The first block of every list and table."""
        found: dict[tuple[int, int], int] = {}
        for index, block in enumerate(self._blocks):
            if _group(block) != (0, 0):
                found.setdefault(_group(block), index)
        return found

    @cached_property
    def _above(self) -> list[int]:
        """For every block the nearest heading above it (of a heading: of a higher level), by index; -1 for none."""
        found: list[int] = []
        open_headings: list[int] = []
        for index, block in enumerate(self._blocks):
            if block.kind == "heading":
                while open_headings and self._blocks[open_headings[-1]].level >= block.level:
                    open_headings.pop()
            found.append(open_headings[-1] if open_headings else -1)
            if block.kind == "heading":
                open_headings.append(index)
        return found


def _group(block: Block) -> tuple[int, int]:
    """The outermost list or the table that a block belongs to."""
    return (block.lists[0], 0) if block.lists else (0, block.table)


def _within_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _spells(text[at - 1]) and _spells(text[at])


def _spells(character: str) -> bool:
    # Only of scripts with capitals is it certain that blanks part their words.
    return character.isdigit() or character.lower() != character.upper()
