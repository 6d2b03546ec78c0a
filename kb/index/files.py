"""The index in a folder: `vectors.npy`, `nodes.jsonl`, `partitions.json`, `index.json`. Any NumPy and JSON can read it.

Row n of the vectors belongs to line n of the nodes. The rows of one partition (a page's sections, the entities of a
type) stand together, in `[start, stop)`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from kb.errors import GenerationError
from kb.index.chunks import Chunk
from kb.index.hashing import Vectors

__all__ = ["INDEX_NAME", "IndexFiles", "Provider", "Written", "write_index"]

FORMAT = 1
INDEX_NAME, NODES_NAME, PARTITIONS_NAME, VECTORS_NAME = "index.json", "nodes.jsonl", "partitions.json", "vectors.npy"
_HEADER = 128
_BLOCK = 256


class Provider(Protocol):
    """Makes vectors of texts. `identity` says what made a vector: others are not comparable with it."""

    @property
    def identity(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def lexical_weight(self) -> float: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, shape (texts, dimension)."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """Rows that there are, and texts that were embedded for them."""

    rows: int
    embedded: int


class IndexFiles:
    """An index that was written. Raises GenerationError where its files do not fit together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta = self._json(INDEX_NAME)
        if self.meta.get("format") != FORMAT:
            raise GenerationError(
                f"{folder / INDEX_NAME}: index format {self.meta.get('format')!r}, this version reads {FORMAT}; "
                "run `kb build --force`"
            )
        self.partitions: dict[str, list[int]] = self._json(PARTITIONS_NAME)

    @property
    def identity(self) -> str:
        """What made the vectors."""
        return str(self.meta["provider"])

    @cached_property
    def vectors(self) -> Vectors:
        """Shape (rows, dimension), from the disk as it is needed."""
        path = self.folder / VECTORS_NAME
        try:
            found: Vectors = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except (OSError, ValueError) as err:
            raise _damaged(path, str(err)) from err
        if found.shape != (self.meta["rows"], self.meta["dimension"]) or found.dtype != np.float32:
            raise _damaged(path, f"its shape is {found.shape}, not ({self.meta['rows']}, {self.meta['dimension']})")
        return found

    @cached_property
    def _nodes(self) -> tuple[bytes, list[int]]:
        path = self.folder / NODES_NAME
        try:
            data = path.read_bytes()
        except OSError as err:
            raise _damaged(path, err.strerror or str(err)) from err
        starts = [0]
        while (at := data.find(b"\n", starts[-1])) >= 0:
            starts.append(at + 1)
        if len(starts) != self.meta["rows"] + 1:
            raise _damaged(path, f"it has {len(starts) - 1:,} lines for {self.meta['rows']:,} rows")
        return data, starts

    def line(self, row: int) -> bytes:
        """The line of a row, without its end."""
        data, starts = self._nodes
        return data[starts[row] : starts[row + 1] - 1]

    def lines(self, rows: range) -> bytes:
        """The lines of rows that stand together, each with its end."""
        data, starts = self._nodes
        return data[starts[rows.start] : starts[rows.stop]]

    def chunk(self, row: int) -> Chunk:
        """The chunk of a row."""
        try:
            return Chunk(**json.loads(self.line(row)))
        except (ValueError, TypeError) as err:
            raise _damaged(self.folder / NODES_NAME, f"line {row + 1} is no chunk") from err

    def rows_of(self, part: str) -> range:
        """The rows of a partition."""
        return range(*self.partitions.get(part, (0, 0)))

    def _json(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError) as err:
            raise _damaged(path, str(err)) from err
        if not isinstance(data, dict):
            raise _damaged(path, "it is no JSON object")
        return data


def _damaged(path: Path, why: str) -> GenerationError:
    return GenerationError(f"{path}: the index cannot be read: {why}; run `kb build --force` to make it anew")


def write_index(
    folder: Path,
    parts: Iterable[tuple[str, Callable[[], Sequence[Chunk]] | None]],
    provider: Provider,
    parent: IndexFiles | None,
) -> Written:
    """Writes an index: for each partition, in the order given, its chunks, or None to take over the parent's rows.

    A text that the parent has under the same id keeps its vector; only others are embedded. Nothing but one block of
    rows is held in memory. The same chunks give the same bytes, whatever the parent.
    """
    if parent is not None and parent.identity != provider.identity:
        parent = _WithoutVectors(parent.folder)
    partitions: dict[str, list[int]] = {}
    with (folder / VECTORS_NAME).open("wb") as vectors, (folder / NODES_NAME).open("wb") as nodes:
        vectors.write(b"\0" * _HEADER)
        rows = _Rows(vectors, nodes, provider)
        for part, chunks in parts:
            start = rows.number
            if chunks is None:
                if parent is not None:
                    rows.take(parent, parent.rows_of(part))
            else:
                known = _known(parent, part)
                for chunk in chunks():
                    line = json.dumps(chunk.to_json(), ensure_ascii=False, separators=(",", ":"))
                    rows.add(line.encode("utf-8", "replace"), known.get((chunk.id, chunk.text)))
            rows.flush()
            if rows.number > start:
                partitions[part] = [start, rows.number]
        vectors.seek(0)
        vectors.write(_npy_header(rows.number, provider.dimension))
    meta = {
        "format": FORMAT,
        "provider": provider.identity,
        "dimension": provider.dimension,
        "dtype": "float32",
        "rows": rows.number,
        "lexical_weight": provider.lexical_weight,
    }
    (folder / PARTITIONS_NAME).write_text(json.dumps(partitions, ensure_ascii=False), encoding="utf-8")
    (folder / INDEX_NAME).write_text(json.dumps(meta, ensure_ascii=False, indent=1), encoding="utf-8")
    return Written(rows.number, rows.embedded)


class _WithoutVectors(IndexFiles):
    """A parent whose texts are of use, and whose vectors are not."""


def _known(parent: IndexFiles | None, part: str) -> dict[tuple[str, str], Vectors]:
    """(id, text) -> vector of what the parent has in a partition."""
    if parent is None or isinstance(parent, _WithoutVectors):
        return {}
    found = ((parent.chunk(row), row) for row in parent.rows_of(part))
    return {(chunk.id, chunk.text): parent.vectors[row] for chunk, row in found}


class _Rows:
    """Rows on their way to the disk, a block at a time."""

    def __init__(self, vectors: BinaryIO, nodes: BinaryIO, provider: Provider) -> None:
        self.vectors, self.nodes, self.provider = vectors, nodes, provider
        self.number = self.embedded = 0
        self._held: list[tuple[bytes, Vectors | None]] = []

    def add(self, line: bytes, vector: Vectors | None) -> None:
        self._held.append((line, vector))
        self.number += 1
        if len(self._held) == _BLOCK:
            self.flush()

    def take(self, parent: IndexFiles, rows: range) -> None:
        """Takes over rows that stand together."""
        if isinstance(parent, _WithoutVectors):
            for row in rows:
                self.add(parent.line(row), None)
            return
        self.flush()
        self.vectors.write(np.ascontiguousarray(parent.vectors[rows.start : rows.stop]).tobytes())
        self.nodes.write(parent.lines(rows))
        self.number += len(rows)

    def flush(self) -> None:
        if not self._held:
            return
        block = np.zeros((len(self._held), self.provider.dimension), dtype="<f4")
        new = [at for at, (_, vector) in enumerate(self._held) if vector is None]
        if new:
            block[new] = self.provider.embed([json.loads(self._held[at][0])["text"] for at in new])
            self.embedded += len(new)
        for at, (line, vector) in enumerate(self._held):
            if vector is not None:
                block[at] = vector
            self.nodes.write(line + b"\n")
        self.vectors.write(block.tobytes())
        self._held.clear()


def _npy_header(rows: int, dimension: int) -> bytes:
    """The header of an .npy file, as long as the room that was left for it; see NumPy's format description."""
    said = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dimension}), }}"
    magic = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return magic + said.ljust(_HEADER - 11).encode("latin1") + b"\n"
