"""Rows as they stand on the disk: a vector, a line and a kind each, checked when they are read."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Vectors
from kb.index._layout import Fact, Mapped, damaged, segment_names

__all__ = ["Bools", "Ints", "Segment", "row_sums"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Segment:
    """The rows of the base, in files of their own. Opening maps the files and reads no row.

    Every access raises GenerationError where a file turns out to be damaged. Rows are numbered from 0.
    """

    def __init__(
        self, folder: Path, prefix: str, rows: int, dimension: int, kinds: Sequence[str], facts: Mapping[str, Fact]
    ) -> None:
        self.rows, self.dimension, self.kinds, self.prefix = rows, dimension, tuple(kinds), prefix
        self._facts = {name: facts[name] for name in segment_names(prefix)}
        self._files = {name: Mapped.open(folder / name, fact) for name, fact in self._facts.items()}
        vectors, nodes, offsets, codes, vector_sums, line_sums = self._files.values()
        self._vectors: Vectors = vectors.array("<f4", rows, dimension)
        self._nodes: mmap.mmap | bytes = nodes.data
        self._offsets: Ints = offsets.array("<i8", rows + 1)
        self._codes: npt.NDArray[np.uint8] = codes.array("u1", rows)
        self._vector_sums = vector_sums.array("<u8", rows)
        self._line_sums = line_sums.array("<u4", rows)
        self._small = (offsets, codes, vector_sums, line_sums)
        self._vectors_file, self._nodes_file = vectors, nodes
        self._small_sound = False
        self._sound: Bools = np.zeros(rows, dtype=bool)

    def _check_small(self) -> None:
        """What everything else is checked with is checked as a whole, once."""
        if not self._small_sound:
            for file in self._small:
                file.check(self._facts[file.path.name])
            self._small_sound = True

    # -- vectors ------------------------------------------------------------

    def vectors(self, rows: slice | Ints) -> Vectors:
        """Unit rows, shape (rows, dimension); not to be written to. Those that were not read before are checked."""
        self._check_small()
        found = self._vectors[rows]
        if not self._sound[rows].all():
            wrong = np.flatnonzero(row_sums(found) != self._vector_sums[rows])
            if len(wrong):
                row = np.arange(self.rows)[rows][wrong[0]]
                raise damaged(self._vectors_file.path, f"row {row} is not what was written")
            self._sound[rows] = True
        return found

    def all_vectors(self) -> Vectors:
        """Every row, checked block by block."""
        if not self._sound.all():
            for start in range(0, self.rows, 4096):
                self.vectors(slice(start, start + 4096))
        return self._vectors

    # -- lines --------------------------------------------------------------

    def line(self, row: int) -> bytes:
        """The line of a row, without its end."""
        self._check_small()
        found = bytes(self._nodes[self._offsets[row] : self._offsets[row + 1] - 1])
        if crc32(found) != self._line_sums[row]:
            raise damaged(self._nodes_file.path, f"line {row + 1} is not what was written")
        return found

    def find(self, mark: bytes, rows: range) -> int | None:
        """The first of some rows whose line begins with `mark`, which stands nowhere else in a line."""
        self._check_small()
        at = self._nodes.find(mark, int(self._offsets[rows.start]), int(self._offsets[rows.stop]))
        if at < 0:
            # Damage may hide what is looked for.
            for row in rows:
                self.line(row)
            return None
        return int(np.searchsorted(self._offsets, at, side="right")) - 1

    # -- kinds --------------------------------------------------------------

    def codes(self) -> npt.NDArray[np.uint8]:
        """The kind of each row, as its place in `kinds`."""
        self._check_small()
        return self._codes

    def kind(self, row: int) -> str:
        """The kind of a row."""
        return self.kinds[int(self.codes()[row])]

    def rows_of_kind(self, rows: range, kind: str) -> range:
        """Those of one kind among the rows of a concept, where each kind stands together."""
        if kind not in self.kinds:
            return range(rows.start, rows.start)
        places = np.flatnonzero(self.codes()[rows.start : rows.stop] == self.kinds.index(kind))
        if not len(places):
            return range(rows.start, rows.start)
        return range(rows.start + int(places[0]), rows.start + int(places[-1]) + 1)

    # -- the whole ----------------------------------------------------------

    def verify(self) -> None:
        """Raises GenerationError where anything is damaged or does not fit."""
        for file in self._files.values():
            file.check(self._facts[file.path.name])
        self._check_small()
        offsets = self._offsets
        if offsets[0] != 0 or offsets[-1] != len(self._nodes) or (np.diff(offsets) < 1).any():
            raise damaged(self._small[0].path, "its places do not fit the lines")
        if self.rows and int(self._codes.max()) >= len(self.kinds):
            raise damaged(self._small[1].path, "a row is of no known kind")
        self.all_vectors()
        for row in range(self.rows):
            self.line(row)

    def names(self) -> tuple[str, ...]:
        """The names of its files."""
        return tuple(self._facts)


def row_sums(vectors: Vectors) -> npt.NDArray[np.uint64]:
    """The sum of the 32-bit words of each row."""
    words = np.ascontiguousarray(vectors).view("<u4")
    found: npt.NDArray[np.uint64] = words.sum(axis=1, dtype=np.uint64)
    return found
