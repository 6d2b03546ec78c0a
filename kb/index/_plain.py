"""Rows with nothing beside them but vectors and lines: those of a delta, new ones, and all rows of format 1."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Vectors
from kb.index._layout import BASE, NODES_NAME, VECTORS_NAME, Fact, Mapped, damaged
from kb.index._segment import Ints, Segment

__all__ = ["OldSegment", "PlainSegment"]

_MARK = b'{"id":"'


class PlainSegment(Segment):
    """Few rows: each of the two files is checked as a whole when it is first read, and the rest made up then."""

    def __init__(self, folder: Path, prefix: str, rows: int, dimension: int, facts: Mapping[str, Fact | str]) -> None:
        self.rows, self.dimension, self.prefix, self._known = rows, dimension, prefix, facts
        self._vectors_file, self._nodes_file = (self._opened(folder / f"{prefix}{name}") for name in _NAMES)
        self._nodes = self._nodes_file.data

    def _opened(self, path: Path) -> Mapped:
        fact = self._known[path.name]
        return Mapped.open(path, fact if isinstance(fact, Fact) else None)

    def _checked(self, file: Mapped) -> Mapped:
        fact = self._known[file.path.name]
        if isinstance(fact, Fact):
            file.check(fact)
        elif hashlib.sha256(file.data).hexdigest() != fact:
            raise damaged(file.path, "its bytes are not those that were written")
        return file

    @cached_property
    def _matrix(self) -> Vectors:
        return self._checked(self._vectors_file).array("<f4", self.rows, self.dimension)

    @cached_property
    def _places(self) -> Ints:
        data = self._checked(self._nodes_file).data
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
        if len(ends) != self.rows:
            raise damaged(self._nodes_file.path, f"it has {len(ends):,} lines for {self.rows:,} rows")
        return np.concatenate((np.zeros(1, dtype=np.int64), ends))

    @cached_property
    def _kind_of_rows(self) -> tuple[tuple[str, ...], npt.NDArray[np.uint8]]:
        nodes, begin = self._nodes, len(_MARK)
        found = [bytes(nodes[at + begin : nodes.find(b":", at + begin)]).decode() for at in self._places[:-1].tolist()]
        kinds = tuple(sorted(set(found)))
        places = {kind: place for place, kind in enumerate(kinds)}
        return kinds, np.array([places[kind] for kind in found], dtype=np.uint8)

    @property
    def kinds(self) -> tuple[str, ...]:  # type: ignore[override]
        """The kinds that there are, sorted."""
        return self._kind_of_rows[0]

    def line(self, row: int) -> bytes:
        """The line of a row, without its end."""
        return bytes(self._nodes[self._places[row] : self._places[row + 1] - 1])

    def find(self, mark: bytes, rows: range) -> int | None:
        """The first of some rows whose line begins with `mark`."""
        at = self._nodes.find(mark, int(self._places[rows.start]), int(self._places[rows.stop]))
        return None if at < 0 else int(np.searchsorted(self._places, at, side="right")) - 1

    def codes(self) -> npt.NDArray[np.uint8]:
        """The kind of each row, as its place in `kinds`."""
        return self._kind_of_rows[1]

    def vectors(self, rows: slice | Ints) -> Vectors:
        """Unit rows, shape (rows, dimension); not to be written to."""
        return self._matrix[rows]

    def all_vectors(self) -> Vectors:
        """Every row."""
        return self._matrix

    def verify(self) -> None:
        """Raises GenerationError where anything is damaged or does not fit."""
        self._matrix  # noqa: B018
        self._places  # noqa: B018


_NAMES = (VECTORS_NAME, NODES_NAME)


class OldSegment(PlainSegment):
    """The rows of format 1, as releases before the delta segments wrote it, with SHA-256 digests of its files."""

    def __init__(self, folder: Path, rows: int, dimension: int, digests: Mapping[str, str]) -> None:
        super().__init__(folder, BASE, rows, dimension, digests)
