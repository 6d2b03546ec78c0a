"""Search by meaning and by words: cosine, and a bonus for the words of the query that a text has. Exact."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Provider, embedded, provider_of
from kb.errors import GenerationError
from kb.index._terms import Texts, significant_terms
from kb.index.chunks import Chunk
from kb.index.vectors import IndexFiles

__all__ = ["Hit", "Index", "significant_terms"]

_Rows = npt.NDArray[np.int64]
_FEW = 200
"""Rows whose texts are faster parsed than all texts are looked through."""
_DECIMALS = 12
"""Scores that differ less are equal: sums of the same numbers in another order."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `score` is capped at 1; the order goes by the full sum of `cosine` and the bonus.

    `lexical` is the share of the query's significant terms that the text has.
    """

    chunk: Chunk
    score: float
    cosine: float
    lexical: float


class Index:
    """An index opened for search, with the provider that made its vectors."""

    def __init__(self, files: IndexFiles, provider: Provider) -> None:
        self.files, self.provider = files, provider
        self._by_kind: dict[str, _Rows] = {}
        if files.identity != provider.identity or files.dimension != provider.dimension:
            raise GenerationError(
                f"{files.folder}: the index was made with {files.identity} ({files.dimension} numbers a row), and "
                f"cannot be searched with {provider.identity} ({provider.dimension}); run `kb build --force`"
            )

    @classmethod
    def open(cls, folder: Path, provider: Provider | None = None) -> Index:
        """Opens the index in a folder, with the provider that it names unless another is given.

        Raises GenerationError for an index that is damaged or that no provider at hand can search.
        """
        files = IndexFiles(folder)
        found = provider or provider_of(files.identity)
        if found is None:
            raise GenerationError(
                f"{folder}: the index was made with {files.identity}, which this version of kb does not have; use the "
                "version that made it, or run `kb build --force`"
            )
        return cls(files, found)

    def search(
        self,
        query: str,
        top_k: int = 10,
        *,
        kinds: Collection[str] | None = None,
        concepts: Collection[str] | None = None,
    ) -> list[Hit]:
        """The `top_k` best chunks that score more than 0, best first; of equal ones the earlier row comes first.

        `kinds` and `concepts` leave out all others. The ranking is that of arithmetic in float64. Raises
        GenerationError where a file turns out to be damaged.
        """
        if top_k < 1 or not self.files.rows:
            return []
        rows = self._chosen(kinds, concepts)
        terms = significant_terms(query)
        vector = embedded(self.provider, [query], query=True)[0].astype(np.float64)
        if not len(rows) or not (vector.any() or terms):
            return []
        shares = self._shares(terms, rows)
        scores = self._near(rows, vector) + self.provider.lexical_weight * shares
        best = self._candidates(scores, top_k)
        # Row by row, so that equal rows have equal scores wherever they stand; a matrix product does not promise that.
        cosines = (self.files.vectors[rows[best]].astype(np.float64) * vector).sum(axis=1)
        exact = np.round(cosines + self.provider.lexical_weight * shares[best], _DECIMALS)
        order = np.argsort(-exact, kind="stable")[:top_k]
        found: list[Hit] = []
        for at in order.tolist():
            if exact[at] > 0:
                chunk = self.files.chunk(int(rows[best[at]]))
                found.append(Hit(chunk, min(1.0, float(exact[at])), float(cosines[at]), float(shares[best[at]])))
        return found

    def _chosen(self, kinds: Collection[str] | None, concepts: Collection[str] | None) -> _Rows:
        """The rows to look at, in order."""
        if kinds is None and concepts is None:
            return np.arange(self.files.rows)
        if concepts is None:
            return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *map(self._of_kind, set(kinds or ()))]))
        parts = [
            np.arange(rows.start, rows.stop)
            for concept in set(concepts)
            for kind in ([None] if kinds is None else sorted(set(kinds)))
            for rows in [self.files.rows_of(concept, kind)]
        ]
        return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))

    def _of_kind(self, kind: str) -> _Rows:
        known = self._by_kind.get(kind)
        if known is None:
            ranges = (self.files.rows_of(concept, kind) for concept in self.files.partitions)
            parts = [np.arange(rows.start, rows.stop) for rows in ranges]
            known = self._by_kind[kind] = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        return known

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.files.chunk(row).text for row in range(self.files.rows))

    def _shares(self, terms: list[str], rows: _Rows) -> npt.NDArray[np.float64]:
        if not terms:
            return np.zeros(len(rows))
        if len(rows) < min(_FEW, self.files.rows):
            counts = Texts(self.files.chunk(row).text for row in rows.tolist()).counts(terms)
        else:
            counts = self._texts.counts(terms)[rows]
        return counts / len(terms)

    def _near(self, rows: _Rows, vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Cosines as float32 has them."""
        query, vectors = vector.astype(np.float32), self.files.vectors
        if len(rows) * 4 < self.files.rows:
            return (vectors[rows] @ query).astype(np.float64)
        return (vectors @ query).astype(np.float64)[rows]

    def _candidates(self, scores: npt.NDArray[np.float64], top_k: int) -> _Rows:
        """Places of all scores that may be among the best, in order."""
        if len(scores) <= top_k:
            return np.arange(len(scores))
        # The sum of D products of numbers of unit rows is at most about D units in the last place off, either way.
        error = (self.files.dimension + 2) * float(np.finfo(np.float32).eps)
        floor = np.partition(scores, -top_k)[-top_k] - 2 * error
        return np.flatnonzero(scores >= floor)
