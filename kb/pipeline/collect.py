"""Sources -> records: reads what changed, resolves what it says, takes over the rest."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property, lru_cache, partial
from typing import Any

from kb.config import Config
from kb.errors import Fault, PageError
from kb.extract import PageReading
from kb.extract.suspect import suspect_spans
from kb.graph.candidates import candidates
from kb.graph.resolve import Resolver
from kb.model import Page, Statement
from kb.pipeline.pace import Pace
from kb.pipeline.readers import COUNTS, LazyReader
from kb.pipeline.state import Key, Progress, State
from kb.pipeline.unread import Unread
from kb.records import Reading, SourceRecord
from kb.sources.catalogue import Catalogue
from kb.sources.front_matter import front_matter_fault
from kb.sources.pages import PageFile, page_title, read_page, scan_pages
from kb.vocabulary import Vocabulary

__all__ = ["Collector", "Given", "grouped"]

_BACKLOG = 2_000
"""Pages in memory that were read and not yet looked at."""
_CATCH_UP = 2
"""Pages that are looked at, at most, for one that was read."""
Given = Mapping[Key, tuple[Statement, ...]]
"""Statements by the page or file that makes them."""


class Collector:
    """Fills a state with a record for every source.

    What a page said stays as it was while the page and its reader do: a reader that needs no catalogue does not look
    again when the catalogue changed. `given`, when not None, takes the place of reading pages. A page that cannot be
    read is a fault of the state, and keeps what was read from it before.
    """

    def __init__(
        self,
        config: Config,
        vocabulary: Vocabulary,
        catalogue: Catalogue,
        reader: LazyReader,
        given: Given | None,
        progress: Progress,
    ) -> None:
        self.config, self.vocabulary, self.catalogue = config, vocabulary, catalogue
        self.reader, self.given, self.progress = reader, given, progress
        # Evidence is looked at statement by statement, but the names on a page are the same for all of them.
        self.find = lru_cache(maxsize=4)(lambda text: reader.mentions.find(text))
        self.unread = Unread(catalogue, self.find)
        self.files: dict[str, PageFile] = {}
        self.state = State()

    def page(self, page_id: str) -> Page | None:
        """A page's text; None for one without a file, or that cannot be read."""
        try:
            return read_page(self.files[page_id]) if page_id in self.files else None
        except PageError:
            return None

    @property
    def by_model(self) -> bool:
        """Whether statements come from a language model, which can be talked into things and mix up directions."""
        return self.given is None and self.reader.by_model

    @cached_property
    def resolver(self) -> Resolver:
        """Made when the first source changed: it indexes every name."""
        return Resolver(self.catalogue, self.vocabulary)

    def run(self, state: State) -> None:
        """Does all of it."""
        self.state = state
        self.collect()

    def collect(self) -> None:
        """Fills the state with a record for every source; reads those that changed."""
        self.collect_catalogue()
        files, faults = self.page_files()
        self.state.faults.extend(faults)
        wanted = [file.id for file in files]
        if self.given is not None:
            wanted = sorted({page for kind, page in self.given if kind == "page"} | set(wanted))
        self.files = {file.id: file for file in files}
        self.collect_pages(wanted, self.files)
        for (kind, source), rows in (self.given or {}).items():
            if kind == "statements":
                self.collect_rows((kind, source), rows)
        self.keep_unreadable(files)

    def keep_unreadable(self, files: Sequence[PageFile]) -> None:
        """Pages that are still there, but can no longer be opened as pages, keep what was read from them before."""
        failing = {fault.file for fault in self.state.faults} - {file.shown for file in files}
        for key, record in [*self.state.before.items(), *self.state.fallback.items()]:
            if record.path in failing:
                self.keep(key)

    def page_files(self) -> tuple[Sequence[PageFile], Sequence[Fault]]:
        if self.config.pages is None:
            return (), ()
        scan = scan_pages(self.config.pages, self.config)
        return scan.files, scan.faults

    def collect_pages(self, wanted: Sequence[str], files: Mapping[str, PageFile]) -> None:
        """Takes over what did not change, and hands the rest to the reader as it asks for pages."""
        done = 0

        def changed() -> Iterator[Page]:
            nonlocal done
            for page_id in wanted:
                page = self.page_to_read(page_id, files.get(page_id))
                if page is None:
                    done += 1
                    self.progress("pages", done, len(wanted), self.reader.spent())
                else:
                    yield page

        self.progress("pages", 0, len(wanted), "")
        pace = Pace()
        backlog: deque[PageReading] = deque()
        for reading in self.reader.read_all(changed()) if self.given is None else ():
            done += 1
            self.progress("pages", done, len(wanted), self.reader.spent())
            backlog.append(reading)
            pace.arrived()
            # A reader over the network is kept busy: what it read is looked at in the time between two replies, or
            # afterwards where there is none.
            for _ in range(min(_CATCH_UP, len(backlog))):
                if not self.by_model or len(backlog) > _BACKLOG or pace.leaves_time():
                    pace.measure(partial(self.collect_reading, backlog.popleft()))
        for reading in backlog:
            self.collect_reading(reading)
        if self.given is not None:
            for _ in changed():
                raise AssertionError("given statements take the place of reading")

    def page_to_read(self, page_id: str, file: PageFile | None) -> Page | None:
        """The page, when a reader has to look at it; None once what it says is settled without."""
        rows = None if self.given is None else self.given.get(("page", page_id), ())
        key = ("page", page_id)
        try:
            page = None if file is None else read_page(file)
        except PageError as err:
            self.state.faults.extend(err.faults)
            self.keep(key)
            return None
        digest = page.digest if page is not None else ""
        if rows is not None:
            digest = hashlib.sha256(f"{digest} {_rows_digest(rows)}".encode()).hexdigest()
        before = None if self.reader.options.all_pages else self.state.before.get(key)
        old = None if self.reader.options.all_pages else self.state.said_before.get(key)
        if before is not None and before.digest == digest:
            self.state.records[key] = before
        elif rows is not None:
            self.state.read += 1
            self.state.read_whole += 1
            self.settle(key, digest, rows, page)
        elif page is not None and old is not None and old.digest == digest:
            self.settle(key, digest, [reading.statement for reading in old.readings], page, counts=old.extra)
        else:
            return page
        return None

    def collect_reading(self, reading: PageReading) -> None:
        """Settles what a reader found on a page."""
        page, key = reading.page, ("page", reading.page.id)
        if reading.error is not None:
            self.state.faults.append(Fault(page.path, None, str(reading.error)))
        if reading.error is not None and not reading.statements:
            self.keep(key)
            return
        self.state.read += 1
        self.state.read_whole += reading.error is None
        digest = page.digest if reading.error is None else ""
        self.settle(key, digest, reading.statements, page, counts={COUNTS: dict(reading.counts)})

    def collect_catalogue(self) -> None:
        by_source: dict[str, list[Statement]] = {}
        for said in self.catalogue.statements:
            by_source.setdefault(said.source, []).append(said)
        for source, rows in by_source.items():
            self.collect_rows(("catalogue", source), rows)

    def collect_rows(self, key: Key, rows: Sequence[Statement]) -> None:
        digest = _rows_digest(rows)
        before = self.state.before.get(key)
        if before is not None and before.digest == digest:
            self.state.records[key] = before
        else:
            self.settle(key, digest, rows, None)

    def settle(
        self,
        key: Key,
        digest: str,
        said: Iterable[Statement],
        page: Page | None,
        old: SourceRecord | None = None,
        counts: Mapping[str, Any] | None = None,
    ) -> None:
        """Resolves what a source says, and makes its record. The gate has yet to judge it."""
        kind, source = key
        pages = {} if page is None else {page.id: page}
        # People who give statements, and the phrase reader, know what a page means without naming it.
        find, suspect = (self.find, suspect_spans) if self.by_model else (None, None)
        found, refused = candidates(
            list(said), self.resolver, self.vocabulary, pages, find=find, suspect=suspect, repair=self.by_model
        )
        readings = [Reading(c.statement, (c.subject, c.relation, c.object), repaired=c.repaired) for c in found]
        readings += [Reading(r.statement, None, r.code, r.reason) for r in refused]
        readings.sort(key=_place)
        title, path, extra = (old.title, old.path, old.extra) if old is not None else (source, "", {})
        if page is not None:
            title, path, extra = page_title(page), page.path, self.remarks(page, readings)
            if counts and counts.get(COUNTS):
                extra[COUNTS] = counts[COUNTS]
        self.state.records[key] = SourceRecord(source, kind, digest, title, path, tuple(readings), extra)
        self.state.touched.add(key)

    def remarks(self, page: Page, readings: Sequence[Reading]) -> dict[str, Any]:
        """What a record keeps about its page beside statements, so that a build that does not read it can tell."""
        extra = self.unread.of(page, readings)
        fault = front_matter_fault(page) if self.given is None else None
        if fault is not None:
            extra["warnings"] = [[fault.line, fault.message]]
        return extra

    def keep(self, key: Key) -> None:
        """A page that cannot be read now keeps what was read from it before, however that is to be understood now."""
        if key in self.state.before:
            self.state.records[key] = self.state.before[key]
        elif key in self.state.fallback:
            old = self.state.fallback[key]
            # Without a digest the next build looks at it again: this is not what the reader of now would say.
            self.settle(key, "", [reading.statement for reading in old.readings], None, old)


def grouped(rows: Iterable[Statement]) -> Given:
    """Given statements by page or file."""
    found: dict[Key, list[Statement]] = {}
    for said in rows:
        found.setdefault(("page" if said.from_page else "statements", said.source), []).append(said)
    return {key: tuple(group) for key, group in found.items()}


def _rows_digest(rows: Iterable[Statement]) -> str:
    lines = sorted(repr((s.subject, s.relation, s.object, s.evidence and astuple(s.evidence))) for s in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _place(reading: Reading) -> tuple[int, int, str, str, str]:
    said = reading.statement
    start, end = (said.evidence.start, said.evidence.end) if said.evidence else (-1, -1)
    return start, end, said.subject, said.relation, said.object
