"""Rows that are new: chunks that came out different, each with a vector that is known, kept or made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kb.embed.provider import Progress, Provider, Vectors, embedded
from kb.errors import GenerationError
from kb.index._written import SegmentWriter
from kb.index.chunks import Chunk
from kb.index.vectors import IndexFiles

if TYPE_CHECKING:
    from kb.embed.cache import VectorCache

__all__ = ["NewRow", "OtherSizeError", "Staging", "rows_of_chunks"]

_BLOCK = 2048


class OtherSizeError(GenerationError):
    """Vectors of another size than those that stand beside them."""


NewRow = tuple[bytes, str, str, int | None]
"""Line, text, kind, and the place in the parent that has its vector, where one is known to."""


def rows_of_chunks(concept: str, kind: str, chunks: Iterable[Chunk]) -> list[NewRow]:
    """The rows of a part. Raises ValueError for chunks that share an id or do not belong to it."""
    seen: set[str] = set()
    found: list[NewRow] = []
    begin = f"{kind}:{concept}"
    for chunk in chunks:
        if (chunk.kind, chunk.concept) != (kind, concept) or not chunk.id.startswith(begin):
            raise ValueError(f"chunk {chunk.id!r} is no {begin}")
        if chunk.id in seen:
            raise ValueError(f"two chunks are called {chunk.id!r}")
        seen.add(chunk.id)
        line = json.dumps(chunk.to_json(), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        found.append((line, chunk.text.encode("utf-8", "replace").decode("utf-8"), kind, None))
    return found


class Staging:
    """Rows on their way to the disk, a block at a time. `embedded` and `cached` count texts.

    `same` says that the vectors of the parent are of the same provider; then a text that stands in one of its rows at
    `places` is not embedded.
    """

    def __init__(
        self,
        writer: SegmentWriter,
        provider: Provider,
        parent: IndexFiles | None,
        cache: VectorCache | None,
        progress: Progress | None,
    ) -> None:
        self.writer, self.provider, self.parent, self.progress = writer, provider, parent, progress
        self.embedded = self.cached = self.rows = 0
        self._cache = None if cache is None else _Hits(cache)
        self._held: list[NewRow] = []
        self._known: dict[bytes, int] = {}
        self._done = 0

    def know(self, places: Iterable[int]) -> None:
        """Texts of the parent whose vectors may be taken."""
        assert self.parent is not None
        self._known = {_key(self.parent.chunk_at(place).text): place for place in places}

    def add(self, rows: Sequence[NewRow]) -> None:
        """Rows in the order in which they are to stand."""
        self.rows += len(rows)
        for line, text, kind, place in rows:
            self._held.append((line, text, kind, self._known.get(_key(text)) if place is None else place))
            if len(self._held) == _BLOCK:
                self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        if not self._held:
            return
        new = [at for at, row in enumerate(self._held) if row[3] is None]
        known = [at for at, row in enumerate(self._held) if row[3] is not None]
        made = self._embedded([self._held[at][1] for at in new])
        dimension = made.shape[1] if new else (self.writer.dimension or 0)
        if self.writer.dimension not in (None, dimension):
            raise OtherSizeError(
                f"{self.provider.identity} gives vectors of {dimension} numbers, and gave {self.writer.dimension} "
                "before; run `kb build --force` to embed everything again"
            )
        block = np.zeros((len(self._held), dimension), dtype=np.float32)
        if new:
            block[new] = made
        if known and self.parent is not None:
            places = np.array([self._held[at][3] for at in known], dtype=np.int64)
            block[known] = self.parent.vectors_at(places)
        self.writer.add(block, [row[0] for row in self._held], [row[2] for row in self._held])
        self._held.clear()

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        before = 0 if self._cache is None else self._cache.number
        found = embedded(self.provider, texts, cache=cast("Any", self._cache), progress=self._progress())
        hits = 0 if self._cache is None else self._cache.number - before
        different = len(set(texts))
        self.cached += hits
        self.embedded += different - hits
        self._done += different
        return found

    def _progress(self) -> Progress | None:
        if self.progress is None:
            return None
        progress, before = self.progress, self._done
        return lambda done, total: progress(before + done, before + total)


class _Hits:
    """A cache that counts what it gave."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache, self.number = cache, 0

    def get_many(self, identity: str, texts: Collection[str], *, query: bool = False) -> dict[str, Vectors]:
        found = self._cache.get_many(identity, list(texts), query=query)
        self.number += len(found)
        return found

    def put_many(self, identity: str, texts: Sequence[str], vectors: Vectors, *, query: bool = False) -> None:
        self._cache.put_many(identity, texts, vectors, query=query)


def _key(text: str) -> bytes:
    # Texts of a whole wiki are too much to hold.
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
