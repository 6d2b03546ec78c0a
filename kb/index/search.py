"""Search by meaning and by words: cosine, and a bonus for the words of the query that a text has. Exact."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb.embed.provider import Provider, embedded, provider_of
from kb.errors import EmbeddingError, GenerationError
from kb.index._scan import Threads, float_error, floor_of, near
from kb.index._segment import Ints, Segment
from kb.index._terms import Texts, significant_terms
from kb.index.chunks import Chunk
from kb.index.vectors import IndexFiles

__all__ = ["QUERY_EMBEDDING_FAILED", "Hit", "Index", "significant_terms"]

QUERY_EMBEDDING_FAILED = "query_embedding_failed"
Counts = npt.NDArray[np.uint16]
Places = slice | Ints
"""Rows of one segment."""
_Chosen = tuple[Segment, int, Places | None]
"""A segment, its first place, and the rows of it to look at; None for all that are not dead."""
_FLOAT_ROWS = 12
"""Reading one row of 32 bits, copied out of the others, costs as much as scanning so many of 8 bits."""
_LEAST = float(np.finfo(np.float32).min)
_DECIMALS = 12
"""Scores that differ less are equal: sums of the same numbers in another order."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. The order goes by `full_score`, cosine and bonus; `score` is that capped at 1.

    `lexical` is the share of the query's significant terms that the text has. `degraded` hits were found without a
    vector of the query, by their words alone, and have no cosine; `degraded_reason` says why.
    """

    chunk: Chunk
    score: float
    full_score: float
    cosine: float | None
    lexical: float
    degraded: bool = False
    degraded_reason: str | None = None


class Index:
    """An index opened for search, with a provider that makes vectors comparable with its own. Thread-safe.

    `failure` says why the last query could not be embedded; None where it could, or needed not.
    """

    def __init__(self, files: IndexFiles, provider: Provider, threads: int = 1) -> None:
        self.files, self.provider = files, provider
        self.failure: str | None = None
        self._threads = Threads(threads)
        self._first = files.base.rows
        self._dead = files.order.gaps(self._first)
        family = getattr(provider, "family", None)
        fits = files.identity == provider.identity or (family is not None and family == files.family)
        if not fits or (files.rows and provider.dimension not in (None, files.dimension)):
            raise self._unfit(provider.dimension)

    @classmethod
    def open(cls, folder: Path, provider: Provider | None = None, threads: int = 1) -> Index:
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
        return cls(files, found, threads)

    def search(
        self,
        query: str,
        top_k: int = 10,
        *,
        kinds: Collection[str] | None = None,
        concepts: Collection[str] | None = None,
    ) -> list[Hit]:
        """The `top_k` best chunks that score more than 0, best first; of equal ones the earlier in order comes first.

        `kinds` and `concepts` leave out all others. The ranking is that of arithmetic in float64, and scores that are
        equal to twelve decimals are equal. Where the query cannot be embedded, the chunks that have words of it are
        found by those alone. Raises GenerationError where a file turns out to be damaged, and for a vector of the query
        that does not fit.
        """
        if top_k < 1 or not self.files.rows:
            return []
        terms = significant_terms(query)
        chosen = self._chosen(kinds, concepts)
        if not any(_number(places, segment.rows) for segment, _, places in chosen):
            return []
        try:
            vector = embedded(self.provider, [query], query=True)[0].astype(np.float64)
        except EmbeddingError as err:
            self.failure = str(err)
            return self._degraded(terms, top_k, chosen)
        self.failure = None
        if len(vector) != self.files.dimension:
            raise self._unfit(len(vector))
        if not (vector.any() or terms):
            return []
        found = [self._best(vector, terms, top_k, *one) for one in chosen]
        places = np.concatenate([one[0] for one in found])
        cosines, shares = (np.concatenate([one[at] for one in found]) for at in (1, 2))
        exact = np.round(cosines + self.provider.lexical_weight * shares, _DECIMALS)
        hits: list[Hit] = []
        for at in self._ranked(exact, places, top_k):
            score = float(exact[at])
            chunk = self.files.chunk_at(int(places[at]))
            hits.append(Hit(chunk, min(1.0, score), score, float(cosines[at]), float(shares[at])))
        return hits

    def _degraded(
        self, terms: Sequence[str], top_k: int, chosen: Sequence[tuple[Segment, int, Places | None]]
    ) -> list[Hit]:
        if not terms:
            return []
        rows, shares = [], []
        for segment, first, places in chosen:
            counts = self._counts(terms, segment, places)
            matched = np.flatnonzero(counts)
            rows.append(_taken(places, matched) + first)
            shares.append(counts[matched] / len(terms))
        every, share = np.concatenate(rows), np.concatenate(shares)
        if any(places is None for _, _, places in chosen):
            alive = np.ones(len(every), dtype=bool)
            for start, stop in self._dead:
                alive &= (every < start) | (every >= stop)
            every, share = every[alive], share[alive]
        hits: list[Hit] = []
        for at in self._ranked(share, every, top_k):
            score = self.provider.lexical_weight * float(share[at])
            chunk = self.files.chunk_at(int(every[at]))
            lexical = float(share[at])
            hits.append(Hit(chunk, min(1.0, score), score, None, lexical, True, QUERY_EMBEDDING_FAILED))
        return hits

    def _ranked(self, scores: npt.NDArray[np.float64], places: Ints, top_k: int) -> list[int]:
        """Which are best, of those above 0, best first."""
        order = np.lexsort((self.files.order.rows_at(places), -scores))[:top_k]
        return [at for at in order.tolist() if scores[at] > 0]

    # -- which rows ---------------------------------------------------------

    def _chosen(self, kinds: Collection[str] | None, concepts: Collection[str] | None) -> list[_Chosen]:
        files = self.files
        segments = [(files.base, 0), *([] if files.delta is None else [(files.delta, self._first)])]
        if concepts is None:
            if kinds is None:
                return [(segment, first, None) for segment, first in segments]
            return [(segment, first, self._of_kinds(segment, first, frozenset(kinds))) for segment, first in segments]
        ranges = [
            places
            for concept in set(concepts)
            for kind in ([None] if kinds is None else set(kinds))
            for places in [files.places_of(concept, kind)]
            if places
        ]
        chosen: list[_Chosen] = []
        for segment, first in segments:
            here = [one for one in ranges if first <= one.start < first + segment.rows]
            if len(here) == 1:
                chosen.append((segment, first, slice(here[0].start - first, here[0].stop - first)))
            elif here:
                parts = [np.arange(one.start - first, one.stop - first) for one in here]
                chosen.append((segment, first, np.sort(np.concatenate(parts))))
        return chosen

    def _of_kinds(self, segment: Segment, first: int, kinds: frozenset[str]) -> Ints:
        wanted = np.array([kind in kinds for kind in segment.kinds], dtype=bool)
        here = wanted[segment.codes()] if segment.rows else np.zeros(0, dtype=bool)
        if first == 0:
            for start, stop in self._dead:
                here[start:stop] = False
        return np.flatnonzero(here)

    # -- words --------------------------------------------------------------

    def _counts(self, terms: Sequence[str], segment: Segment, places: Places | None) -> Counts:
        """How many of the terms each row has."""
        if not terms:
            return np.zeros(_number(places, segment.rows), dtype=np.uint16)
        if segment is self.files.base and self.files.runs is not None:
            return self.files.runs.counts(terms, places)
        counts = (self._base_texts if segment is self.files.base else self._delta_texts).counts(terms)
        return counts if places is None else counts[places]

    @cached_property
    def _base_texts(self) -> Texts:
        """Of format 1, which has no terms."""
        return Texts(self.files.chunk_at(place).text for place in range(self._first))

    @cached_property
    def _delta_texts(self) -> Texts:
        rows = 0 if self.files.delta is None else self.files.delta.rows
        return Texts(self.files.chunk_at(self._first + row).text for row in range(rows))

    # -- vectors ------------------------------------------------------------

    def _best(
        self,
        vector: npt.NDArray[np.float64],
        terms: Sequence[str],
        top_k: int,
        segment: Segment,
        first: int,
        places: Places | None,
    ) -> tuple[Ints, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """(places, cosines, shares) of the rows of a segment that may be among the best."""
        counts = self._counts(terms, segment, places)
        bonus = np.float32(self.provider.lexical_weight / max(1, len(terms)))
        scan = self.files.scan
        wide = places is None or _number(places, segment.rows) * _FLOAT_ROWS >= segment.rows
        errors: npt.NDArray[np.float32] | np.float32
        if segment is self.files.base and scan is not None and scan.usable and wide and vector.any():
            scores, errors, off = scan.scores(vector, self._threads)
            if places is not None:
                scores, errors = scores[places], errors[places]
        else:
            scores = self._near(segment, places, vector.astype(np.float32))
            errors, off = np.float32(0), float_error(self.files.dimension)
        if terms:
            scores += counts * bonus
        if places is None and first == 0:
            for start, stop in self._dead:
                scores[start:stop] = -np.inf
        floor = floor_of(scores - errors, top_k) - 2 * off
        # Few rows are looked at twice. Of fewer than are wanted all are candidates, but for the dead ones.
        best = np.flatnonzero(scores >= max(floor - float(np.max(errors, initial=0)) - off, _LEAST))
        best = best[scores[best] + (errors[best] if isinstance(errors, np.ndarray) else errors) >= floor]
        rows = _taken(places, best)
        # Row by row, so that equal rows have equal scores wherever they stand; a matrix product does not promise that.
        cosines = (segment.vectors(rows).astype(np.float64) * vector).sum(axis=1)
        return rows + first, cosines, counts[best] / max(1, len(terms))

    def _near(self, segment: Segment, places: Places | None, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if not query.any():
            return np.zeros(_number(places, segment.rows), dtype=np.float32)
        if places is not None:
            return near(segment.vectors(places), query)
        vectors = segment.all_vectors()
        found = np.empty(segment.rows, dtype=np.float32)

        def some(start: int, stop: int) -> None:
            found[start:stop] = near(vectors[start:stop], query)

        self._threads.each(some, segment.rows)
        return found

    def _unfit(self, dimension: int | None) -> GenerationError:
        files = self.files
        return GenerationError(
            f"{files.folder}: the index was made with {files.identity} ({files.dimension} numbers a row), and cannot "
            f"be searched with {self.provider.identity} ({dimension}); run `kb build --force`"
        )


def _number(places: Places | None, rows: int) -> int:
    if places is None:
        return rows
    return places.stop - places.start if isinstance(places, slice) else len(places)


def _taken(places: Places | None, at: Ints) -> Ints:
    """The rows that stand at `at` in some places."""
    if places is None:
        return at
    return at + places.start if isinstance(places, slice) else places[at]
