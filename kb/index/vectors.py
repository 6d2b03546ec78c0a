"""The index in a folder, opened for reading. Any NumPy and JSON can read its files: docs/index-format.md.

Callers see rows *in order*: of the sorted concepts, and in a concept of the sorted kinds, whatever was built upon what.
Where a row stands in the files is its *place*: base rows first, then delta rows; places of no partition are dead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kb.embed.provider import Vectors
from kb.errors import GenerationError
from kb.index._layout import (
    BASE,
    DELTA,
    FORMAT,
    INDEX_NAME,
    NODES_NAME,
    PARTITIONS_NAME,
    VECTORS_NAME,
    Fact,
    damaged,
    read_json,
    sealed,
)
from kb.index._order import Order
from kb.index._plain import OldSegment, PlainSegment
from kb.index._runs import Runs
from kb.index._scan import Scan
from kb.index._segment import Ints, Segment
from kb.index.chunks import Chunk

__all__ = ["FORMAT", "INDEX_NAME", "NODES_NAME", "PARTITIONS_NAME", "VECTORS_NAME", "IndexFiles"]


class IndexFiles:
    """An index that was written. Opening maps its files into memory and reads `index.json` and `partitions.json` only.

    `rows` and `dimension` are its size, `partitions` has the rows of each concept as (start, stop), in order. `base`
    and `delta` are the rows by place, `scan` and `runs` what makes a search of the base fast; an index of format 1 has
    neither. What was opened stays readable when the folder is removed. Every access raises GenerationError where a
    file is missing, damaged or does not fit the others.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta = self._meta()
        self.delta: Segment | None = None
        self.scan: Scan | None = None
        self.runs: Runs | None = None
        try:
            self.rows: int = int(self.meta["rows"])
            self.dimension: int = int(self.meta["dimension"] or 0)
            if self.meta["format"] == 1:
                self.base: Segment = OldSegment(folder, self.rows, self.dimension, self.meta["files"])
            else:
                self._open()
            self.order = Order(self._places())
        except (KeyError, TypeError, ValueError, AttributeError) as err:
            raise damaged(folder / INDEX_NAME, f"it lacks something or has it wrong ({err})") from err
        self.partitions = self.order.partitions
        if self.order.rows != self.rows:
            raise damaged(folder / PARTITIONS_NAME, f"it has {self.order.rows:,} rows instead of {self.rows:,}")

    def _open(self) -> None:
        base, delta = self.meta["base"], self.meta["delta"]
        facts = {name: Fact.from_json(fact) for name, fact in self.meta["files"].items() if name != PARTITIONS_NAME}
        rows = int(base["rows"])
        self.base = Segment(self.folder, BASE, rows, self.dimension, base["kinds"], facts)
        self.scan = Scan(self.folder, rows, self.dimension, float(base["norm"]), facts)
        self.runs = Runs(self.folder, rows, base["terms"], facts)
        if delta is not None:
            self.delta = PlainSegment(self.folder, DELTA, int(delta["rows"]), self.dimension, facts)

    @property
    def identity(self) -> str:
        """What made the vectors."""
        return str(self.meta["provider"])

    @property
    def family(self) -> str | None:
        """What else may search them: every provider of this family."""
        family = self.meta.get("family")
        return None if family is None else str(family)

    # -- rows, in order -----------------------------------------------------

    def chunk(self, row: int) -> Chunk:
        """The chunk of a row."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of {self.rows:,}")
        return self.chunk_at(self.order.place(row))

    def rows_of(self, concept: str, kind: str | None = None) -> range:
        """The rows of a concept, of one kind or of all; none of a concept that is not there."""
        start, stop = self.partitions.get(concept, (0, 0))
        if kind is None or start == stop:
            return range(start, stop)
        places = self.places_of(concept, kind)
        shift = start - self.order.places[concept][0]
        return range(places.start + shift, places.stop + shift)

    def vectors_of(self, rows: Sequence[int] | range | Ints) -> Vectors:
        """The vectors of rows, shape (rows, dimension), float32, each of length 1 or 0; not to be written to."""
        places = self.order.places_of(np.fromiter(rows, dtype=np.int64, count=len(rows)))
        if len(places) and (np.diff(places) == 1).all():
            first, last = int(places[0]), int(places[-1])
            if last < self.base.rows or first >= self.base.rows:
                return self.vectors_at(slice(first, last + 1))
        return self.vectors_at(places)

    def find(self, node_id: str) -> int | None:
        """The row of the chunk with this id; None where there is none."""
        kind, _, rest = node_id.partition(":")
        mark = b'{"id":' + json.dumps(node_id, ensure_ascii=False).encode("utf-8", "replace")
        pieces = rest.split(":")
        # A concept may hold the sign that ends it.
        for number in range(len(pieces), 0, -1):
            concept = ":".join(pieces[:number])
            if concept in self.partitions:
                places = self.places_of(concept, kind)
                segment, first = self.segment_of(places.start)
                if places:
                    found = segment.find(mark, range(places.start - first, places.stop - first))
                    if found is not None:
                        return found + first + self.partitions[concept][0] - self.order.places[concept][0]
        return None

    # -- rows by place ------------------------------------------------------

    def segment_of(self, place: int) -> tuple[Segment, int]:
        """(the segment that has a place, its first place)."""
        if self.delta is None or place < self.base.rows:
            return self.base, 0
        return self.delta, self.base.rows

    def places_of(self, concept: str, kind: str | None = None) -> range:
        """The places of a concept's rows."""
        start, stop = self.order.places.get(concept, (0, 0))
        if kind is None or start == stop:
            return range(start, stop)
        segment, first = self.segment_of(start)
        found = segment.rows_of_kind(range(start - first, stop - first), kind)
        return range(found.start + first, found.stop + first)

    def line_at(self, place: int) -> bytes:
        """The line of a place, without its end."""
        segment, first = self.segment_of(place)
        return segment.line(place - first)

    def chunk_at(self, place: int) -> Chunk:
        """The chunk at a place."""
        try:
            return Chunk.from_json(json.loads(self.line_at(place).decode()))
        except (ValueError, TypeError, AttributeError) as err:
            raise damaged(self.folder / NODES_NAME, f"the line of row {place} is no chunk") from err

    def vectors_at(self, places: slice | Ints) -> Vectors:
        """The vectors at places; a slice lies within one segment."""
        if isinstance(places, slice):
            segment, first = self.segment_of(places.start)
            return segment.vectors(slice(places.start - first, places.stop - first))
        if self.delta is None:
            return self.base.vectors(places)
        found = np.empty((len(places), self.dimension), dtype=np.float32)
        new = places >= self.base.rows
        found[~new] = self.base.vectors(places[~new])
        found[new] = self.delta.vectors(places[new] - self.base.rows)
        return found

    # -- the whole ----------------------------------------------------------

    def verify(self) -> None:
        """Reads everything. Raises GenerationError where anything is missing, damaged or does not fit."""
        for one in (self.base, self.delta, self.scan, self.runs):
            if one is not None:
                one.verify()

    def _meta(self) -> dict[str, Any]:
        path = self.folder / INDEX_NAME
        meta, _ = read_json(path)
        if meta.get("format") not in (1, FORMAT):
            raise GenerationError(
                f"{path}: index format {meta.get('format')!r} is unknown, this version of kb reads 1 to {FORMAT}; "
                "use the version that wrote it, or run `kb build --force` to make it anew"
            )
        if sealed(meta) != meta:
            raise damaged(path, "its digest does not match")
        return meta

    def _places(self) -> dict[str, tuple[int, int]]:
        """Concept -> (start, stop) of its places, concepts in order."""
        path = self.folder / PARTITIONS_NAME
        data, raw = read_json(path)
        known = self.meta["files"][PARTITIONS_NAME]
        if hashlib.sha256(raw).hexdigest() != (known if isinstance(known, str) else known["sha256"]):
            raise damaged(path, "its bytes are not those that were written")
        return dict(self._pairs(data))

    def _pairs(self, data: dict[str, Any]) -> Iterator[tuple[str, tuple[int, int]]]:
        end = self.base.rows + (self.delta.rows if self.delta is not None else 0)
        for concept, (start, stop) in data.items():
            if not 0 <= start < stop <= end or start < self.base.rows < stop:
                raise damaged(self.folder / PARTITIONS_NAME, f"the rows of {concept!r} are none")
            yield concept, (start, stop)
