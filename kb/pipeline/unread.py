"""What was not read: lines and pages that name several entities of the catalogue and gave no statement."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kb.model import Page
from kb.records import Reading, SourceRecord
from kb.sources.catalogue import Catalogue

if TYPE_CHECKING:
    from kb.extract.mentions import Mention

__all__ = ["Unread", "quiet_pages", "unread_lines"]

_ENOUGH = 2
_MOST_LINES = 50
_LONGEST = 160
# Headings and code say nothing in sentences; what stands in addresses and comments was not written for readers.
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*(\w*)[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SILENT = re.compile(
    r"^ {0,3}#{1,6}[ \t][^\n]*|^ {0,3}\[[^\]\n]*\]:[^\n]*|<!--.*?-->|(?<=\])\([^()\n]*\)|(?<!\w)\w{1,20}://[^\s)>\]]+",
    re.MULTILINE | re.DOTALL,
)
_DIAGRAM = "mermaid"


class Unread:
    """Compares the names on a page with what was read from it. `find` gives the names in a text."""

    def __init__(self, catalogue: Catalogue, find: Callable[[str], Sequence[Mention]]) -> None:
        self.catalogue, self.find = catalogue, find

    def of(self, page: Page, readings: Sequence[Reading]) -> dict[str, Any]:
        """What a record keeps of it: `quiet`, the names on a page without statements, and `unread`, its lines.

        Each line is [number, names, text]. Empty where there is nothing to tell. Statements without a place on the page
        may have come from any line, so then no line is told; nor is one that names both ends of a statement which
        the page makes elsewhere.
        """
        spoken = _spoken(page.text)
        found = [
            mention
            for mention in self.find(page.text)
            if not mention.weak and spoken.startswith(page.text[mention.start : mention.end], mention.start)
        ]
        extra: dict[str, Any] = {}
        names = self._names(page.text, found)
        if len(names) < _ENOUGH:
            return extra
        if not readings:
            extra["quiet"] = names
        lines = self._lines(page.text, found, readings)
        if lines:
            extra["unread"] = lines
        return extra

    def _lines(self, text: str, found: Iterable[Mention], readings: Sequence[Reading]) -> list[list[Any]]:
        places = [reading.statement.evidence for reading in readings]
        spans = [(place.start, place.end) for place in places if place is not None and place.start >= 0]
        if len(spans) < len(places):
            return []
        # A reader gives a statement once a page, so the line that repeats it has none of its own.
        said = [{reading.edge[0], reading.edge[2]} for reading in readings if reading.edge is not None]
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        by_line: dict[int, list[Mention]] = {}
        for mention in found:
            by_line.setdefault(bisect_right(starts, mention.start), []).append(mention)
        lines: list[list[Any]] = []
        for number, mentions in by_line.items():
            names = self._names(text, mentions)
            if len(names) < _ENOUGH or len(lines) == _MOST_LINES:
                continue
            named = {one for mention in mentions for one in mention.entity_ids}
            if any(ends <= named for ends in said):
                continue
            start = starts[number - 1]
            line = text[start:].partition("\n")[0] if number == len(starts) else text[start : starts[number] - 1]
            if not any(a < start + len(line) and start < b for a, b in spans):
                shown = " ".join(line.split())
                lines.append([number, names, shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"])
        return lines

    def _names(self, text: str, mentions: Iterable[Mention]) -> list[str]:
        """The things that are named, each once, as the catalogue calls them; as written where several are called so."""
        names = {
            one.entity_ids: self.catalogue.entities[one.entity_ids[0]].name
            if len(one.entity_ids) == 1
            else " ".join(text[one.start : one.end].split())
            for one in mentions
        }
        return list(names.values())


def _spoken(text: str) -> str:
    """A page with blanks in the place of what is no text; offsets stay as they are."""
    text = _FENCE.sub(lambda match: match[0] if match[2] == _DIAGRAM else _blank(match), text)
    return _SILENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    # No name may reach across what was left out.
    return re.sub(r"[^\n]", "\t", match[0]).replace("\t", "|", 1)


def quiet_pages(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """Pages that name two or more entities and gave no statement: page, path, names."""
    return [
        {"page": record.source, "path": record.path, "names": record.extra["quiet"]}
        for record in sorted(records, key=lambda one: one.source)
        if "quiet" in record.extra
    ]


def unread_lines(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """Lines that name two or more entities and gave no statement: page, path, line, names, text."""
    return [
        {"page": record.source, "path": record.path, "line": line, "names": names, "text": text}
        for record in sorted(records, key=lambda one: one.source)
        for line, names, text in record.extra.get("unread", ())
    ]
