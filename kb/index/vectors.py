"""The index in a folder: `vectors.npy`, `nodes.jsonl`, `partitions.json`, `index.json`. Any NumPy and JSON can read it.

Row n of the vectors, float32 of length 1 (or 0), belongs to line n of the nodes. The rows of a concept stand together,
in `[start, stop)` of its partition, and in it those of one kind.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Vectors
from kb.errors import GenerationError
from kb.index.chunks import Chunk

__all__ = ["FORMAT", "INDEX_NAME", "NODES_NAME", "PARTITIONS_NAME", "VECTORS_NAME", "IndexFiles", "kind_mark", "sealed"]

FORMAT = 1
"""The number that `index.json` carries. It rises when a reader of the old layout would misread the new one."""
INDEX_NAME, NODES_NAME, PARTITIONS_NAME, VECTORS_NAME = "index.json", "nodes.jsonl", "partitions.json", "vectors.npy"


def sealed(meta: dict[str, Any]) -> dict[str, Any]:
    """What `index.json` says, with a digest over it."""
    body = {key: value for key, value in meta.items() if key != "digest"}
    said = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "digest": hashlib.sha256(said.encode()).hexdigest()}


def kind_mark(kind: str) -> bytes:
    """How the line of a chunk of this kind begins."""
    return f'{{"id":"{kind}:'.encode()


class IndexFiles:
    """An index that was written, opened for reading. Nothing but the small files is read before it is needed.

    Every access raises GenerationError where a file is missing, damaged or does not fit the others.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta = self._meta()
        self.rows: int = self.meta["rows"]
        self.dimension: int = self.meta["dimension"]
        self.partitions = self._partitions()

    @property
    def identity(self) -> str:
        """What made the vectors."""
        return str(self.meta["provider"])

    @cached_property
    def vectors(self) -> Vectors:
        """Shape (rows, dimension), mapped into memory, read-only."""
        path = self.folder / VECTORS_NAME
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._check(VECTORS_NAME, digest)
            # The map's own class makes every slice slower.
            found: Vectors = np.asarray(np.load(path, mmap_mode="r" if self.rows else None, allow_pickle=False))
        except (OSError, ValueError) as err:
            raise _damaged(path, _why(err)) from err
        if found.shape != (self.rows, self.dimension) or found.dtype != np.float32:
            raise _damaged(path, f"its shape is {found.shape}, not ({self.rows}, {self.dimension})")
        return found

    @cached_property
    def _nodes(self) -> tuple[mmap.mmap | bytes, npt.NDArray[np.int64]]:
        """The lines, and where each starts; the end of the last one, too."""
        path = self.folder / NODES_NAME
        try:
            with path.open("rb") as file:
                empty = not path.stat().st_size
                data = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as err:
            raise _damaged(path, _why(err)) from err
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
        if len(ends) != self.rows:
            raise _damaged(path, f"it has {len(ends):,} lines for {self.rows:,} rows")
        self._check(NODES_NAME, hashlib.sha256(data).hexdigest())
        return data, np.concatenate(([0], ends))

    def line(self, row: int) -> bytes:
        """The line of a row, without its end."""
        data, starts = self._nodes
        return bytes(data[starts[row] : starts[row + 1] - 1])

    def lines(self, rows: range) -> bytes:
        """The lines of rows that stand together, each with its end."""
        data, starts = self._nodes
        return bytes(data[starts[rows.start] : starts[rows.stop]])

    def chunk(self, row: int) -> Chunk:
        """The chunk of a row."""
        try:
            return Chunk.from_json(json.loads(self.line(row)))
        except (ValueError, TypeError) as err:
            raise _damaged(self.folder / NODES_NAME, f"line {row + 1} is no chunk") from err

    def rows_of(self, concept: str, kind: str | None = None) -> range:
        """The rows of a concept, of one kind or of all."""
        start, stop = self.partitions.get(concept, (0, 0))
        if kind is None or start == stop:
            return range(start, stop)
        mark = kind_mark(kind)
        data, starts = self._nodes
        # Only a page that is called like a type shares its partition with another kind.
        while start < stop and data[starts[start] : starts[start] + len(mark)] != mark:
            start += 1
        while start < stop and data[starts[stop - 1] : starts[stop - 1] + len(mark)] != mark:
            stop -= 1
        return range(start, stop)

    def verify(self) -> None:
        """Raises GenerationError where anything is missing, damaged or does not fit."""
        self.vectors  # noqa: B018
        self._nodes  # noqa: B018

    def _meta(self) -> dict[str, Any]:
        path = self.folder / INDEX_NAME
        meta = _json(path)
        if meta.get("format") != FORMAT:
            raise GenerationError(
                f"{path}: index format {meta.get('format')!r} is unknown, this version of kb reads {FORMAT}; "
                "use the version that wrote it, or run `kb build --force` to make it anew"
            )
        if sealed(meta) != meta:
            raise _damaged(path, "its digest does not match")
        return meta

    def _partitions(self) -> dict[str, tuple[int, int]]:
        path = self.folder / PARTITIONS_NAME
        found = _json(path)
        try:
            partitions = {concept: (int(start), int(stop)) for concept, (start, stop) in found.items()}
        except (TypeError, ValueError) as err:
            raise _damaged(path, "a partition is no pair of rows") from err
        at = 0
        for start, stop in partitions.values():
            if start != at or stop < start:
                raise _damaged(path, f"no partition holds row {at}")
            at = stop
        if at != self.rows:
            raise _damaged(path, f"it has {at:,} rows instead of {self.rows:,}")
        self._check(PARTITIONS_NAME, hashlib.sha256(path.read_bytes()).hexdigest())
        return partitions

    def _check(self, name: str, digest: str) -> None:
        if self.meta["files"].get(name) != digest:
            raise _damaged(self.folder / name, "its bytes are not those that were written")


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError) as err:
        raise _damaged(path, _why(err)) from err
    if not isinstance(data, dict):
        raise _damaged(path, "it is no JSON object")
    return data


def _why(err: Exception) -> str:
    return (err.strerror if isinstance(err, OSError) else None) or str(err)


def _damaged(path: Path, why: str) -> GenerationError:
    return GenerationError(f"{path}: the index cannot be read: {why}; run `kb build --force` to make it anew")
