"""Pairs of rows whose cosine reaches a threshold, exact, a block of rows against a block of rows at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kb.embed.blas import one_blas_thread
from kb.embed.provider import Vectors

__all__ = ["BLOCK", "SimilarPairs", "similar_pairs"]

BLOCK = 512
_MARGIN = 1e-4
"""More than products in float32 are wrong by, at any dimension in use; what is this near is computed in float64."""
_UNIT = 1e-6
_AT_ONCE = 1024
_THREADED = 4 * BLOCK
_DIGITS = 6

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Found = tuple[Ints, Ints, Floats]


@dataclass(frozen=True, slots=True)
class SimilarPairs:
    """`first` < `second` are places in the rows that were given, `cosine` is rounded to 6 digits; most similar first.

    Pairs that are equally similar come in the order of the rows. `left_out` are less similar ones that were too many.
    """

    first: Ints
    second: Ints
    cosine: Floats
    left_out: int


def similar_pairs(rows: range, read: Callable[[range], Vectors], threshold: float, most: int) -> SimilarPairs:
    """All pairs of `rows` with a cosine of at least `threshold`, the `most` similar ones at most.

    `read` gives the vectors of some rows, shape (rows, dimension). Each pair is looked at once, and the memory needed
    does not depend on the number of rows. Rows are of length 1 or made so; a threshold of 1 asks for equal rows.
    """
    blocks = [rows[at : at + BLOCK] for at in range(0, len(rows), BLOCK)]
    # Rows of length 1 are so but for float32: the same row twice may give 0.9999999.
    threshold = min(threshold, 1 - _UNIT)
    found = _Gathered(most)
    for first, second, cosine in _products(blocks, read, threshold):
        found.add(first - rows.start, second - rows.start, cosine)
    return found.sorted()


def _products(blocks: list[range], read: Callable[[range], Vectors], threshold: float) -> Iterator[Found]:
    with ExitStack() as stack:
        stack.enter_context(one_blas_thread())
        many = len(blocks) * BLOCK > _THREADED
        workers = min(2, os.cpu_count() or 1) if many else 1
        pool = stack.enter_context(ThreadPoolExecutor(workers)) if workers > 1 else None
        waiting: deque[Future[Found]] = deque()
        units: dict[int, bool] = {}

        def block_of(number: int) -> Vectors:
            vectors = read(blocks[number])
            if number not in units:
                squares = np.einsum("ij,ij->i", vectors, vectors)
                units[number] = bool(np.all((np.abs(squares - 1) < 2 * _UNIT) | (squares == 0)))
            return vectors if units[number] else _of_length_one(vectors)

        for number, block in enumerate(blocks):
            left = block_of(number)
            for place in range(number, len(blocks)):
                other = blocks[place]
                right = left if place == number else block_of(place)
                if pool is None:
                    yield _compared(block, left, other, right, threshold)
                    continue
                waiting.append(pool.submit(_compared, block, left, other, right, threshold))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))[:, None]
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _compared(block: range, left: Vectors, other: range, right: Vectors, threshold: float) -> Found:
    products = left @ right.T
    places = np.flatnonzero(products.ravel() >= np.float32(threshold - _MARGIN))
    first, second = np.divmod(places, products.shape[1])
    if other is block:
        above = second > first
        first, second = first[above], second[above]
    cosine = _exact(left, right, first, second)
    reached = cosine >= threshold
    return first[reached] + block.start, second[reached] + other.start, cosine[reached]


def _exact(left: Vectors, right: Vectors, first: Ints, second: Ints) -> Floats:
    """Cosines in float64."""
    cosine = np.zeros(len(first))
    for start in range(0, len(first), _AT_ONCE):
        at = slice(start, start + _AT_ONCE)
        one, two = left[first[at]].astype(np.float64), right[second[at]].astype(np.float64)
        cosine[at] = np.einsum("ij,ij->i", one, two)
    return np.minimum(cosine, 1.0)


class _Gathered:
    def __init__(self, most: int) -> None:
        self.most, self.left_out, self.held = most, 0, 0
        self.parts: list[Found] = []

    def add(self, first: Ints, second: Ints, cosine: Floats) -> None:
        if not len(first):
            return
        self.parts.append((first, second, np.round(cosine, _DIGITS)))
        self.held += len(first)
        if self.held > 2 * self.most:
            self.sort()

    def sort(self) -> Found:
        empty = np.zeros(0, dtype=np.int64)
        first, second, cosine = (np.concatenate([part[at] for part in self.parts] or [empty]) for at in range(3))
        order = np.lexsort((second, first, -cosine))[: self.most]
        self.left_out += len(first) - len(order)
        kept: Found = (first[order], second[order], cosine[order])
        self.parts, self.held = [kept], len(order)
        return kept

    def sorted(self) -> SimilarPairs:
        return SimilarPairs(*self.sort(), self.left_out)
