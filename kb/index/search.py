"""Search by meaning and by words: cosine, and a bonus for the words of the query that a text has. Exact."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from kb.errors import GenerationError
from kb.index.chunks import Chunk
from kb.index.files import IndexFiles, Provider
from kb.index.hashing import HashingProvider
from kb.language import STOPWORDS

__all__ = ["Hit", "Index", "significant_terms"]

_TERM = re.compile(r"\w{3,}|[^\w\s\"'`.,;:?!()\[\]{}]{2,}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `score` is capped at 1; the order goes by the full sum of `cosine` and the bonus.

    `lexical` is the share of the query's significant terms that the text has.
    """

    chunk: Chunk
    score: float
    cosine: float
    lexical: float


def significant_terms(query: str) -> list[str]:
    """The words of a query that are worth looking for, lower case, each once: three letters and more, and operators.

    >>> significant_terms("How do I use |> twice, and the |> again?")
    ['use', '|>', 'twice', 'again']
    """
    found = dict.fromkeys(term.lower() for term in _TERM.findall(query))
    return [term for term in found if term not in STOPWORDS]


class Index:
    """An index opened for search, with the provider that made its vectors."""

    def __init__(self, files: IndexFiles, provider: Provider) -> None:
        self.files, self.provider = files, provider
        if files.identity != provider.identity or files.meta["dimension"] != provider.dimension:
            raise GenerationError(
                f"{files.folder}: made with {files.identity} ({files.meta['dimension']} numbers a row), and cannot be "
                f"searched with {provider.identity} ({provider.dimension}); run `kb build --force`"
            )

    @classmethod
    def open(cls, folder: Path) -> Index:
        """Opens the index in a folder. Raises GenerationError for one that is damaged or made otherwise."""
        return cls(IndexFiles(folder), HashingProvider())

    @cached_property
    def _chunks(self) -> list[Chunk]:
        return [self.files.chunk(row) for row in range(self.files.meta["rows"])]

    @cached_property
    def _texts(self) -> list[str]:
        return [chunk.text.lower() for chunk in self._chunks]

    def search(
        self,
        query: str,
        top_k: int = 10,
        *,
        kinds: Collection[str] | None = None,
        concepts: Collection[str] | None = None,
    ) -> list[Hit]:
        """The `top_k` best chunks, best first; of equal ones the earlier row comes first.

        `kinds` and `concepts` leave out all others. A query without anything to look for finds nothing.
        """
        if not len(self.files.vectors) or top_k < 1:
            return []
        vector = self.provider.embed([query])[0]
        terms = significant_terms(query)
        if not vector.any() and not terms:
            return []
        cosine = self.files.vectors @ vector
        share = np.zeros(len(cosine), dtype=np.float32)
        for term in terms:
            share += np.fromiter((term in text for text in self._texts), dtype=bool, count=len(share))
        if terms:
            share /= len(terms)
        score = cosine.astype(np.float64) + self.provider.lexical_weight * share
        order = np.argsort(-score, kind="stable")
        hits: list[Hit] = []
        for row in map(int, order):
            chunk = self._chunks[row]
            if score[row] <= 0 or len(hits) == top_k:
                break
            if (kinds is None or chunk.kind in kinds) and (concepts is None or chunk.concept in concepts):
                hits.append(Hit(chunk, min(1.0, float(score[row])), float(cosine[row]), float(share[row])))
        return hits
