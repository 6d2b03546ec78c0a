"""all-MiniLM-L6-v2, computed on this machine with NumPy. Its files come with `kb models fetch`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb.embed.blas import one_blas_thread
from kb.embed.identities import MINILM, MINILM_TOKENS
from kb.embed.models import verify
from kb.embed.provider import Parts, Vectors

if TYPE_CHECKING:
    from kb.embed._bert import Bert
    from kb.embed._wordpiece import WordPiece

__all__ = ["MiniLmProvider"]

HEADS = 12
_BATCH_TOKENS = 1024
_AT_ONCE = 4096
"""Texts whose pieces are held at once."""


class MiniLmProvider:
    """Vectors of 384 numbers. The weights are read when something is embedded for the first time.

    `folder` holds model.safetensors and vocab.txt; None for the place where `kb models fetch` puts them, whose files
    are verified. `threads` compute at once.
    """

    identity = MINILM
    family: str | None = None
    dimension = 384
    lexical_weight = 0.1
    duplicate_threshold = 0.65
    costly = True

    def __init__(self, folder: Path | None = None, *, threads: int = 2) -> None:
        self._folder, self._threads = folder, threads
        self._lock = threading.Lock()
        self._loaded: tuple[WordPiece, Bert] | None = None

    def check(self) -> None:
        """Raises EmbeddingError where the weights are missing or damaged."""
        if self._folder is None and self._loaded is None:
            verify("minilm")

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit rows, shape (texts, 384); a row of zeros for a text without words or signs.

        Raises EmbeddingError where the weights are missing or damaged.
        """
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for places, rows in self.parts(texts, query=query):
            found[list(places)] = rows
        return found

    def parts(self, texts: Sequence[str], *, query: bool = False) -> Parts:  # noqa: ARG002
        """The rows of texts with equally many tokens, as they are computed: nothing is padded."""
        pieces, bert = self._load()
        for start in range(0, len(texts), _AT_ONCE):
            by_length: dict[int, list[tuple[int, list[int]]]] = {}
            for place in range(start, min(start + _AT_ONCE, len(texts))):
                tokens = pieces.encode(texts[place])
                by_length.setdefault(len(tokens), []).append((place, tokens))
            silent = [place for place, _ in by_length.pop(0, [])]
            if silent:
                yield silent, np.zeros((len(silent), self.dimension), dtype=np.float32)
            yield from self._computed(bert, list(_batches(by_length)))

    def _computed(self, bert: Bert, batches: list[list[tuple[int, list[int]]]]) -> Parts:
        with one_blas_thread():
            if len(batches) == 1 or self._threads == 1:
                for batch in batches:
                    yield [place for place, _ in batch], bert.encode([tokens for _, tokens in batch])
                return
            with ThreadPoolExecutor(self._threads) as pool:
                waiting: dict[Future[Vectors], list[int]] = {}
                try:
                    for batch in batches:
                        future = pool.submit(bert.encode, [tokens for _, tokens in batch])
                        waiting[future] = [place for place, _ in batch]
                        if len(waiting) > 2 * self._threads:
                            yield from _done(waiting)
                    while waiting:
                        yield from _done(waiting)
                finally:
                    for future in waiting:
                        future.cancel()

    def _load(self) -> tuple[WordPiece, Bert]:
        with self._lock:
            if self._loaded is None:
                from kb.embed._bert import Bert
                from kb.embed._safetensors import load_tensors
                from kb.embed._wordpiece import WordPiece

                folder = verify("minilm") if self._folder is None else self._folder
                pieces = WordPiece.load(folder / "vocab.txt", MINILM_TOKENS)
                self._loaded = pieces, Bert(load_tensors(folder / "model.safetensors"), HEADS)
            return self._loaded


def _batches(by_length: dict[int, list[tuple[int, list[int]]]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Batches of about equally many tokens, longest texts first, so that no thread ends with them alone."""
    for length in sorted(by_length, reverse=True):
        texts, step = by_length[length], max(1, _BATCH_TOKENS // length)
        for start in range(0, len(texts), step):
            yield texts[start : start + step]


def _done(waiting: dict[Future[Vectors], list[int]]) -> Parts:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        yield waiting.pop(future), future.result()
