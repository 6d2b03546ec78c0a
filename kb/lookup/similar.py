"""Texts of the index that are like those of a node. What is like something is no fact about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from kb.index.vectors import IndexFiles
from kb.lookup.hits import chunk_dict

__all__ = ["similar"]

_BLOCK = 4096
_DECIMALS = 12


def similar(files: IndexFiles, rows: Sequence[int], top_k: int, known: Collection[str]) -> list[dict[str, Any]]:
    """The `top_k` texts whose vectors are nearest to the mean of those of `rows`, nearest first, without these.

    `known` are node ids to leave out. Nothing is embedded. Of equally near ones the earlier row comes first.
    """
    if not rows or top_k < 1:
        return []
    wanted = np.asarray(files.vectors_of(rows), dtype=np.float64).mean(axis=0)
    length = float(np.linalg.norm(wanted))
    if not length:
        return []
    wanted /= length
    narrow = wanted.astype(np.float32)
    near: list[tuple[float, int]] = []
    own = set(rows)
    most = top_k + len(own) + len(known)
    # Sums of so many products in float32 are at most this far off.
    error = (len(wanted) + 2) * float(np.finfo(np.float32).eps)
    for start in range(0, files.rows, _BLOCK):
        block = range(start, min(start + _BLOCK, files.rows))
        vectors = files.vectors_of(block)
        # Row by row, unlike a matrix product: equal rows are equally near wherever they stand.
        rough = np.einsum("ij,j->i", vectors, narrow)
        floor = np.partition(rough, -most)[-most] - 2 * error if len(rough) > most else -np.inf
        for at in np.flatnonzero(rough >= floor).tolist():
            exact = round(float((vectors[at].astype(np.float64) * wanted).sum()), _DECIMALS)
            near.append((-exact, block[at]))
        near = sorted(near)[:most]
    found: list[dict[str, Any]] = []
    for score, row in near:
        if row in own or score >= 0:
            continue
        chunk = files.chunk(row)
        if chunk.id not in known:
            found.append(chunk_dict(chunk, score=min(1.0, -score)))
        if len(found) == top_k:
            break
    return found
