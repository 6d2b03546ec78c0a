"""Writes the rows of one segment, a block at a time, and what is known of them beside."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Vectors
from kb.index._layout import BASE, SCAN_FACTS_NAME, SCAN_NAME, Fact, npy_header, segment_names
from kb.index._plain import PlainSegment
from kb.index._scan import quantised
from kb.index._segment import Segment, row_sums

__all__ = ["SegmentWriter", "write_scan"]

_BLOCK = 2048


class SegmentWriter:
    """A context manager that closes its files. Only of the base more is kept than vectors and lines.

    The size of the vectors is that of the first block, where it is not given.
    """

    def __init__(self, folder: Path, prefix: str, dimension: int | None = None) -> None:
        self.folder, self.prefix, self.dimension = folder, prefix, dimension
        self._paths = [folder / name for name in segment_names(prefix)]
        self._vectors = self._paths[0].open("xb")
        try:
            self._nodes = self._paths[1].open("xb")
        except OSError:
            self._vectors.close()
            self._paths[0].unlink()
            raise
        self._vectors.write(bytes(len(npy_header("<f4", 0, 0))))
        self._ends, self._codes, self._line_sums = array("q", [0]), bytearray(), array("I")
        self._vector_sums: list[bytes] = []
        self._kinds: dict[str, int] = {}

    @property
    def rows(self) -> int:
        """How many were written."""
        return len(self._codes)

    def add(self, vectors: Vectors, lines: Sequence[bytes], kinds: Sequence[str]) -> None:
        """Rows with their vectors, shape (rows, dimension), lines without ends, and kinds."""
        if not lines:
            return
        if self.dimension is None:
            self.dimension = vectors.shape[1]
        block = np.ascontiguousarray(vectors, dtype="<f4")
        self._vectors.write(block.data)
        self._nodes.write(b"".join(line + b"\n" for line in lines))
        self._vector_sums.append(row_sums(block).astype("<u8").tobytes())
        for line in lines:
            self._ends.append(self._ends[-1] + len(line) + 1)
            self._line_sums.append(crc32(line))
        self._codes += bytes(self._kinds.setdefault(kind, len(self._kinds)) for kind in kinds)

    def copy(self, segment: Segment, rows: range) -> None:
        """Rows of another segment, checked while they are read."""
        for start in range(rows.start, rows.stop, _BLOCK):
            some = range(start, min(start + _BLOCK, rows.stop))
            lines = [segment.line(row) for row in some]
            kinds = [segment.kinds[code] for code in segment.codes()[some.start : some.stop].tolist()]
            self.add(segment.vectors(slice(some.start, some.stop)), lines, kinds)

    def finish(self, facts: dict[str, Fact]) -> Segment:
        """Writes what is left, adds the facts of all files, and opens what was written."""
        rows, dimension = self.rows, self.dimension or 0
        self._vectors.seek(0)
        self._vectors.write(npy_header("<f4", rows, dimension))
        self.close()
        if self.prefix == BASE:
            self._write_beside()
        facts.update({path.name: Fact.of(path) for path in self._paths})
        if self.prefix != BASE:
            return PlainSegment(self.folder, self.prefix, rows, dimension, facts)
        return Segment(self.folder, self.prefix, rows, dimension, list(self._kinds), facts)

    def _write_beside(self) -> None:
        tables: tuple[tuple[str, npt.NDArray[Any]], ...] = (
            ("<i8", np.frombuffer(self._ends, dtype=np.int64)),
            ("u1", np.frombuffer(bytes(self._codes), dtype=np.uint8)),
            ("<u8", np.frombuffer(b"".join(self._vector_sums), dtype="<u8")),
            ("<u4", np.array(self._line_sums, dtype=np.uint32)),
        )
        for path, (dtype, table) in zip(self._paths[2:], tables, strict=True):
            with path.open("xb") as file:
                file.write(npy_header(dtype, len(table)) + table.astype(dtype).tobytes())

    def remove(self) -> None:
        """Removes what was written."""
        try:
            self.close()
        finally:
            for path in self._paths:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Harmless when it was closed before."""
        try:
            self._vectors.close()
        finally:
            self._nodes.close()

    def __enter__(self) -> SegmentWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def write_scan(folder: Path, segment: Segment, facts: dict[str, Fact]) -> float:
    """Writes the 8-bit rows of a segment; gives the greatest length of one."""
    scales, errors = np.zeros(segment.rows, dtype="<f4"), np.zeros(segment.rows, dtype="<f4")
    norm = 0.0
    with (folder / SCAN_NAME).open("xb") as file:
        file.write(npy_header("i1", segment.rows, segment.dimension))
        for start in range(0, segment.rows, _BLOCK):
            some = slice(start, min(start + _BLOCK, segment.rows))
            whole, scales[some], errors[some], longest = quantised(segment.vectors(some))
            norm = max(norm, longest)
            file.write(whole.data)
    with (folder / SCAN_FACTS_NAME).open("xb") as file:
        file.write(npy_header("<f4", 2, segment.rows) + scales.tobytes() + errors.tobytes())
    facts.update({name: Fact.of(folder / name) for name in (SCAN_NAME, SCAN_FACTS_NAME)})
    return norm


def kinds_of(segment: Segment, places: Mapping[str, tuple[int, int]], first: int) -> Iterator[tuple[str, list[str]]]:
    """(concept, kinds of its rows) of the concepts that stand in a segment whose first place is `first`."""
    here = sorted((start, concept) for concept, (start, _) in places.items() if 0 <= start - first < segment.rows)
    codes = segment.codes()
    starts = np.array([start for start, _ in here], dtype=np.int64) - first
    bounds = np.union1d(np.flatnonzero(np.diff(codes)) + 1, starts)
    kinds = [segment.kinds[code] for code in codes[bounds].tolist()]
    cuts = np.searchsorted(bounds, [places[concept][1] - first for _, concept in here]).tolist()
    begins = np.searchsorted(bounds, starts).tolist()
    for (_, concept), begin, cut in zip(here, begins, cuts, strict=True):
        yield concept, kinds[begin:cut]
