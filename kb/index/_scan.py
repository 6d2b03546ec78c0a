"""Candidates for the best rows: scores of 8-bit vectors, each with a bound on how far off it is.

A row v is kept as s q with q of whole numbers in [-127, 127], a query x as t p. Cauchy and Schwarz, twice, say that
|v.x - s t (q.p)| <= |v - s q| |x| + |s q| |x - t p|; the norms of the rows are kept beside them. Every row whose upper
bound reaches the k-th best lower bound is a candidate, and there are few.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Vectors
from kb.index._layout import SCAN_FACTS_NAME, SCAN_NAME, Fact, Mapped

try:
    import numkong
except ImportError:  # no wheel for this machine
    numkong = None  # type: ignore[assignment]

__all__ = ["ROUNDING", "Scan", "float_error", "floor_of", "near", "quantised"]

Floats = npt.NDArray[np.float32]
ROUNDING = 4e-6
"""More than a handful of float32 operations on numbers below 3 can be off."""
_MOST = 127
_LANES = 512
_BLOCK = 4096


def quantised(vectors: Vectors) -> tuple[npt.NDArray[np.int8], Floats, Floats, float]:
    """(whole numbers, scales, bounds on |v - s q|, the greatest |s q|) of some rows."""
    scales = np.abs(vectors).max(axis=1, initial=0) / np.float32(_MOST)
    whole = np.rint(vectors / np.where(scales > 0, scales, np.float32(1))[:, None]).astype(np.int8)
    near_rows = whole * scales[:, None]
    errors = np.sqrt(np.square(vectors - near_rows).sum(axis=1)) * np.float32(1.001) + np.float32(1e-7)
    lengths = np.sqrt(np.square(near_rows).sum(axis=1)) * np.float32(1.001)
    return whole, scales.astype(np.float32), errors.astype(np.float32), float(lengths.max(initial=0))


def near(vectors: Vectors, query: Floats) -> Floats:
    """Cosines as float32 has them. No BLAS, which would have threads of its own."""
    found: Floats = np.einsum("ij,j->i", vectors, query)
    return found


def float_error(dimension: int) -> float:
    """How far a sum of that many products of numbers of unit rows may be off in float32, in whatever order."""
    return (dimension + 4) * float(np.finfo(np.float32).eps) + ROUNDING


def floor_of(scores: Floats, top_k: int) -> float:
    """A number that at least `top_k` of the scores reach, not far below the best such one; -inf where there are fewer.

    The best of the maxima of interleaved parts: no part is sorted.
    """
    if len(scores) < top_k:
        return -np.inf
    lanes = max(_LANES, 8 * top_k)
    if len(scores) >= 4 * lanes:
        whole = len(scores) // lanes * lanes
        rest = scores[whole:]
        scores = np.concatenate((scores[:whole].reshape(-1, lanes).max(axis=0), rest))
    return float(np.partition(scores, len(scores) - top_k)[len(scores) - top_k])


class Scan:
    """The 8-bit rows of the base. Without numkong, float32 rows are gone through instead."""

    def __init__(self, folder: Path, rows: int, dimension: int, norm: float, facts: Mapping[str, Fact]) -> None:
        self.rows, self.norm = rows, norm
        self._facts = [facts[name] for name in (SCAN_NAME, SCAN_FACTS_NAME)]
        self._files = [
            Mapped.open(folder / name, fact)
            for name, fact in zip((SCAN_NAME, SCAN_FACTS_NAME), self._facts, strict=True)
        ]
        self._whole: npt.NDArray[np.int8] = self._files[0].array("i1", rows, dimension)
        self._of_rows: Floats = self._files[1].array("<f4", 2, rows)

    def verify(self) -> None:
        """Raises GenerationError for damaged files. Reads them once."""
        for file, fact in zip(self._files, self._facts, strict=True):
            file.check(fact)

    @property
    def usable(self) -> bool:
        """Whether there is something that makes it fast."""
        return numkong is not None and self.rows > 0

    def scores(self, query: npt.NDArray[np.float64], threads: Threads) -> tuple[Floats, Floats, float]:
        """(cosines, how far each may be off, how far all may be off on top), for a query that is not zero."""
        self.verify()
        scale = np.float32(np.abs(query).max() / _MOST)
        whole = np.rint(query / np.float64(scale)).clip(-_MOST, _MOST).astype(np.int8)
        off = float(np.linalg.norm(query - whole * np.float64(scale))) * self.norm + ROUNDING
        found = np.empty(self.rows, dtype=np.float32)

        def some(start: int, stop: int) -> None:
            products: Any = numkong.cdist(whole[None], self._whole[start:stop], "dot", dtype="int8")
            found[start:stop] = np.asarray(products)[0]

        threads.each(some, self.rows)
        found *= self._of_rows[0]
        found *= scale
        errors = self._of_rows[1]
        length = float(np.linalg.norm(query))
        # Queries are of length 1, give or take what a provider may be off.
        return found, errors if length <= 1 else errors * np.float32(length * 1.000001), off


class Threads:
    """Parts of rows at once; one thread is the caller's own."""

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ValueError(f"{number} threads cannot search; give 1 or more")
        self.number = number
        self._lock = threading.Lock()

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.number, thread_name_prefix="kb-search")

    def each(self, work: Any, rows: int) -> None:
        """Calls `work(start, stop)` for parts of the rows that cover all of them."""
        if self.number == 1 or rows < _BLOCK:
            work(0, rows)
            return
        with self._lock:
            pool = self._pool
        cuts = np.linspace(0, rows, self.number + 1).astype(int).tolist()
        for done in [pool.submit(work, start, stop) for start, stop in pairwise(cuts)]:
            done.result()
