"""Rows in order, and where they stand: base rows first, then delta rows, those of a concept together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

import numpy as np

from kb.index._segment import Ints

__all__ = ["Order"]


class Order:
    """`starts` has for each concept, in order, its range of places; rows in order are numbered from 0 through them."""

    def __init__(self, places: Mapping[str, tuple[int, int]]) -> None:
        self.places = dict(places)
        at = 0
        self.partitions: dict[str, tuple[int, int]] = {}
        for concept, (start, stop) in self.places.items():
            self.partitions[concept] = (at, at + stop - start)
            at += stop - start
        self.rows = at
        self._starts = [start for start, _ in self.partitions.values()]
        self._places = [start for start, _ in self.places.values()]
        # With nothing dead and no delta, both numberings are the same.
        self.plain = self._starts == self._places
        by_place = sorted(range(len(self._places)), key=self._places.__getitem__)
        self._sorted_places = np.array([self._places[at] for at in by_place], dtype=np.int64)
        self._sorted_starts = np.array([self._starts[at] for at in by_place], dtype=np.int64)

    def place(self, row: int) -> int:
        """Where a row stands."""
        if self.plain:
            return row
        at = bisect_right(self._starts, row) - 1
        return self._places[at] + row - self._starts[at]

    def places_of(self, rows: Ints) -> Ints:
        """Where rows stand."""
        if self.plain:
            return rows
        at = np.searchsorted(self._starts, rows, side="right") - 1
        found: Ints = rows - np.take(self._starts, at) + np.take(self._places, at)
        return found

    def rows_at(self, places: Ints) -> Ints:
        """The rows that stand at places, none of them dead."""
        if self.plain or not len(places):
            return places
        at = np.searchsorted(self._sorted_places, places, side="right") - 1
        rows: Ints = places - self._sorted_places[at] + self._sorted_starts[at]
        return rows

    def gaps(self, stop: int) -> list[tuple[int, int]]:
        """The ranges of places below `stop` that hold dead rows."""
        found: list[tuple[int, int]] = []
        at = 0
        for start, end in sorted(self.places.values()):
            if start >= stop:
                break
            if start > at:
                found.append((at, start))
            at = end
        if at < stop:
            found.append((at, stop))
        return found
