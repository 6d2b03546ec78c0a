"""Puts an index together from rows of the parent and rows that are new: as a whole, or upon the parent's files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kb.index._layout import (
    BASE,
    DELTA,
    FORMAT,
    SCAN_FACTS_NAME,
    SCAN_NAME,
    TERM_NAMES,
    Fact,
    segment_names,
)
from kb.index._runs import write_runs
from kb.index._segment import Segment
from kb.index._written import SegmentWriter, write_scan
from kb.index.vectors import IndexFiles

__all__ = ["Assembly", "Range"]

MERGED_BELOW = 4_000
"""So few rows are written as a whole whenever one changes."""
SHARE = 0.03
"""As a whole, too, where delta rows and dead rows are more than this share of the base."""


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of a concept: places in the parent, or staged rows."""

    concept: str
    start: int
    stop: int
    staged: bool


class Assembly:
    """Upon a `parent` whose vectors are of the same provider, if any.

    `facts` are those of the files that were written, `merged` says that they were written as a whole.
    """

    def __init__(self, folder: Path, parent: IndexFiles | None) -> None:
        self.folder, self.parent = folder, parent
        self.facts: dict[str, Fact] = {}
        self.staged_facts: dict[str, Fact] = {}
        self.merged = True

    def write(
        self, ranges: Sequence[Range], staged: Segment, dimension: int | None
    ) -> tuple[dict[str, list[int]], dict[str, Any]]:
        """(the partitions, what `index.json` says of base and delta). Ranges are in order."""
        parent = self.parent
        if parent is not None and self._upon(ranges):
            self.merged = False
            return self._delta(parent, ranges, staged)
        with SegmentWriter(self.folder, BASE, dimension) as writer:
            partitions = self._copy(writer, ranges, staged, 0)
            base = writer.finish(self.facts)
        norm = write_scan(self.folder, base, self.facts)
        terms = self._write_terms(ranges, partitions, base)
        self.facts.update({name: Fact.of(self.folder / name) for name in TERM_NAMES})
        said = {"rows": base.rows, "kinds": list(base.kinds), "norm": norm, "terms": terms}
        return partitions, {"base": said, "delta": None}

    def _write_terms(self, ranges: Sequence[Range], partitions: dict[str, list[int]], base: Segment) -> dict[str, int]:
        """Those of rows that stand in the parent's base are taken from there."""
        if self.parent is None or self.parent.runs is None:
            return write_runs(self.folder, base.rows, ((row, base.line(row)) for row in range(base.rows)))
        moved = np.full(self.parent.base.rows, -1, dtype=np.int64)
        new: list[int] = []
        for one in ranges:
            start, stop = partitions[one.concept]
            if one.staged or one.start >= len(moved):
                new += range(start, stop)
            else:
                moved[one.start : one.stop] = np.arange(start, stop)
        lines = ((row, base.line(row)) for row in new)
        return write_runs(self.folder, base.rows, lines, self.parent.runs, moved)

    def _upon(self, ranges: Sequence[Range]) -> bool:
        parent = self.parent
        if parent is None or parent.meta["format"] != FORMAT or parent.base.rows < MERGED_BELOW:
            return False
        sizes = [(one.stop - one.start, one.staged or one.start >= parent.base.rows) for one in ranges]
        new = sum(size for size, changed in sizes if changed)
        dead = parent.base.rows - sum(size for size, changed in sizes if not changed)
        return new + dead <= parent.base.rows * SHARE

    def _delta(
        self, parent: IndexFiles, ranges: Sequence[Range], staged: Segment
    ) -> tuple[dict[str, list[int]], dict[str, Any]]:
        first = parent.base.rows
        self._share(parent, (*segment_names(BASE), SCAN_NAME, SCAN_FACTS_NAME, *TERM_NAMES))
        partitions = {one.concept: [one.start, one.stop] for one in ranges}
        new = [one for one in ranges if one.staged or one.start >= first]
        size = sum(one.stop - one.start for one in new)
        described: dict[str, Any] = {"base": parent.meta["base"], "delta": None}
        if parent.delta is not None and size == parent.delta.rows and not any(one.staged for one in new):
            self._share(parent, segment_names(DELTA))
            described["delta"] = parent.meta["delta"]
        elif new:
            with SegmentWriter(self.folder, DELTA, parent.dimension) as writer:
                partitions.update(self._copy(writer, new, staged, first))
                delta = writer.finish(self.facts)
            described["delta"] = {"rows": delta.rows}
        return partitions, described

    def _copy(
        self, writer: SegmentWriter, ranges: Sequence[Range], staged: Segment, first: int
    ) -> dict[str, list[int]]:
        """Copies ranges one after the other; gives where each stands then."""
        partitions: dict[str, list[int]] = {}
        for one in ranges:
            start = first + writer.rows
            if one.staged:
                writer.copy(staged, range(one.start, one.stop))
            elif self.parent is not None:
                segment, shift = self.parent.segment_of(one.start)
                writer.copy(segment, range(one.start - shift, one.stop - shift))
            partitions[one.concept] = [start, first + writer.rows]
        return partitions

    def _share(self, parent: IndexFiles, names: Sequence[str]) -> None:
        """Files of the parent that stay as they are. Their bytes are checked when they are used, not here."""
        for name in names:
            source, target = parent.folder / name, self.folder / name
            try:
                os.link(source, target)
            except OSError:
                # Another disk, or one without links.
                shutil.copyfile(source, target)
            self.facts[name] = Fact.from_json(parent.meta["files"][name])
