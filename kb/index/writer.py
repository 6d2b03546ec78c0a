"""Writes an index beside, or upon, the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kb.embed.cache import VectorCache
from kb.embed.provider import Provider, Vectors, embedded
from kb.errors import GenerationError
from kb.index.chunks import Chunk
from kb.index.vectors import (
    FORMAT,
    INDEX_NAME,
    NODES_NAME,
    PARTITIONS_NAME,
    VECTORS_NAME,
    IndexFiles,
    sealed,
)

__all__ = ["Part", "Written", "write_index"]

_HEADER = 128
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one kind of a concept: what makes its chunks, or None to take over those of the index before."""

    concept: str
    kind: str
    chunks: Callable[[], Sequence[Chunk]] | None


@dataclass(frozen=True, slots=True)
class Written:
    """Rows that there are, and texts that were embedded for them."""

    rows: int
    embedded: int
    cached: int = 0


def write_index(
    folder: Path,
    parts: Iterable[Part],
    provider: Provider,
    parent: IndexFiles | None,
    *,
    cache: VectorCache | None = None,  # noqa: ARG001
    progress: Callable[[int, int], None] | None = None,  # noqa: ARG001
) -> Written:
    """Writes the index of all `parts`, in the order of concepts and kinds; what is in none of them is gone.

    A text that was embedded for `parent` by a provider of the same identity keeps its vector, wherever it stands now,
    unless it is new beside a part that is taken over. No more than a block of rows and one part's chunks are held in
    memory. The same chunks give the same bytes, whatever the parent.

    Raises GenerationError where the disk refuses, the parent is damaged or the provider does not keep its promises,
    ValueError for a part that comes twice and for chunks that share an id or do not belong to their part.
    """
    ordered = sorted(parts, key=lambda part: (part.concept, part.kind))
    if len({(part.concept, part.kind) for part in ordered}) < len(ordered):
        raise ValueError("a part of the index comes twice")
    try:
        return _write(folder, ordered, provider, parent)
    except OSError as err:
        raise GenerationError(
            f"{folder}: the index cannot be written: {err.strerror or err}; the previous generation stays in use"
        ) from err


def _write(folder: Path, parts: Sequence[Part], provider: Provider, parent: IndexFiles | None) -> Written:
    partitions: dict[str, list[int]] = {}
    with (folder / VECTORS_NAME).open("wb") as vectors, (folder / NODES_NAME).open("wb") as nodes:
        vectors.write(b"\0" * _HEADER)
        rows = _Rows(vectors, nodes, provider, parent, parts)
        for part in parts:
            start = rows.number
            if part.chunks is not None:
                rows.add(part, part.chunks())
            elif parent is not None:
                rows.take_over(parent.rows_of(part.concept, part.kind))
            if rows.number > start:
                partitions.setdefault(part.concept, [start, start])[1] = rows.number
        rows.flush()
        vectors.seek(0)
        vectors.write(_npy_header(rows.number, provider.dimension or 0))
    (folder / PARTITIONS_NAME).write_text(json.dumps(partitions, ensure_ascii=False), encoding="utf-8")
    meta = {
        "format": FORMAT,
        "provider": provider.identity,
        "dimension": provider.dimension,
        "dtype": "float32",
        "rows": rows.number,
        "lexical_weight": provider.lexical_weight,
        "files": {name: _digest(folder / name) for name in (VECTORS_NAME, NODES_NAME, PARTITIONS_NAME)},
    }
    (folder / INDEX_NAME).write_text(json.dumps(sealed(meta), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return Written(rows.number, rows.embedded)


class _Rows:
    """Rows on their way to the disk, a block at a time."""

    def __init__(
        self, vectors: BinaryIO, nodes: BinaryIO, provider: Provider, parent: IndexFiles | None, parts: Sequence[Part]
    ) -> None:
        self.vectors, self.nodes, self.provider, self.parent = vectors, nodes, provider, parent
        self.number = self.embedded = 0
        self.same = parent is not None and parent.identity == provider.identity
        self.same = self.same and parent is not None and parent.dimension == provider.dimension
        self.known = _known(parent, parts) if parent is not None and self.same else {}
        self._held: list[tuple[bytes, str, int | None]] = []

    def add(self, part: Part, chunks: Sequence[Chunk]) -> None:
        seen: set[str] = set()
        for chunk in chunks:
            begin = f"{part.kind}:{part.concept}"
            if (chunk.kind, chunk.concept) != (part.kind, part.concept) or not chunk.id.startswith(begin):
                raise ValueError(f"chunk {chunk.id!r} is no {begin}")
            if chunk.id in seen:
                raise ValueError(f"two chunks are called {chunk.id!r}")
            seen.add(chunk.id)
            line = json.dumps(chunk.to_json(), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
            text = chunk.text.encode("utf-8", "replace").decode("utf-8")
            self._hold(line, text, self.known.get(_key(text)))

    def take_over(self, rows: range) -> None:
        """Rows of the parent that stand together."""
        assert self.parent is not None
        if not rows:
            return
        if not self.same:
            for row in rows:
                self._hold(self.parent.line(row), self.parent.chunk(row).text, None)
            return
        self.flush()
        for start in range(rows.start, rows.stop, _BLOCK):
            block = range(start, min(start + _BLOCK, rows.stop))
            self.vectors.write(self.parent.vectors[block.start : block.stop].tobytes())
            self.nodes.write(self.parent.lines(block))
        self.number += len(rows)

    def _hold(self, line: bytes, text: str, row: int | None) -> None:
        self._held.append((line, text, row))
        self.number += 1
        if len(self._held) == _BLOCK:
            self.flush()

    def flush(self) -> None:
        if not self._held:
            return
        block: Vectors = np.zeros((len(self._held), self.provider.dimension or 0), dtype="<f4")
        new = [at for at, (_, _, row) in enumerate(self._held) if row is None]
        if new:
            block[new] = embedded(self.provider, [self._held[at][1] for at in new])
            self.embedded += len(new)
        for at, (line, _, row) in enumerate(self._held):
            if row is not None and self.parent is not None:
                block[at] = self.parent.vectors[row]
            self.nodes.write(line + b"\n")
        self.vectors.write(block.tobytes())
        self._held.clear()


def _known(parent: IndexFiles, parts: Sequence[Part]) -> dict[bytes, int]:
    """Text -> row, of the rows that are not taken over as they are: a page that moved, or changed in part."""
    kept = np.zeros(parent.rows, dtype=bool)
    for part in parts:
        if part.chunks is None:
            rows = parent.rows_of(part.concept, part.kind)
            kept[rows.start : rows.stop] = True
    return {_key(parent.chunk(row).text): row for row in np.flatnonzero(~kept).tolist()}


def _key(text: str) -> bytes:
    # Texts of a whole wiki are too much to hold.
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _npy_header(rows: int, dimension: int) -> bytes:
    """The header of an .npy file, as long as the room that was left for it; see NumPy's format description."""
    said = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dimension}), }}"
    magic = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return magic + said.ljust(_HEADER - 11).encode("latin1") + b"\n"
