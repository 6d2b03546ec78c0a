"""Embeddings without a model: words, their base forms and their parts, hashed. Texts that share words are near."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from kb.embed.identities import HASHING
from kb.embed.provider import Vectors
from kb.language import STOPWORDS, lemmas

__all__ = ["HashingProvider"]

_WORD, _BASE, _PARTS = 0.5, 1.0, 0.5
"""Weights of a word as written, of its base form, and of all its character n-grams together."""
_GRAMS = (3, 4, 5)
_MOST_GRAMS = 300
_BATCH = 256
# Words, and the signs of code and formulas, which are all that some texts consist of.
_TOKEN = re.compile(r"[^\W_]+|[^\w\s\"'`.,;:?!()\[\]{}]{2,}")
# Scripts that are written without spaces: their words are taken to be two characters long.
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]+")


class HashingProvider:
    """Vectors of 512 numbers. The same text gives the same vector, in whatever company and on whatever machine."""

    identity = HASHING
    family: str | None = None
    dimension = 512
    lexical_weight = 0.1
    duplicate_threshold = 0.5
    costly = False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002
        """Unit rows, shape (texts, 512); a row of zeros for a text without words."""
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            found[start : start + _BATCH] = self._batch(texts[start : start + _BATCH])
        return found

    def _batch(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        # An empty one, so that there is something to join.
        places, weights = [np.zeros(0, dtype=np.intp)], [np.zeros(0)]
        rows, sizes, times = [0], [0], [0.0]
        for row, text in enumerate(texts):
            for word, number in Counter(_tokens(text)).items():
                at, signed = _features(word, self.dimension)
                places.append(at)
                weights.append(signed)
                rows.append(row)
                sizes.append(len(at))
                times.append(1 + math.log(number))
        at_rows = np.repeat(np.array(rows, dtype=np.intp), sizes) * self.dimension
        values = np.concatenate(weights) * np.repeat(np.array(times), sizes)
        # Adds in the order of the text, so that no sum depends on the texts beside it.
        size = len(texts) * self.dimension
        sums = np.bincount(at_rows + np.concatenate(places), weights=values, minlength=size)
        vectors = sums.reshape(len(texts), self.dimension).astype(np.float64, copy=False)
        lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors


def _tokens(text: str) -> Iterator[str]:
    """Words in lower case without those that carry only grammar, and clusters of signs."""
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).lower()):
        if token in STOPWORDS:
            continue
        if token.isascii() or _UNSPACED.search(token) is None:
            yield token
            continue
        for run in _UNSPACED.findall(token):
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        yield from filter(None, _UNSPACED.split(token))


@lru_cache(maxsize=100_000)
def _features(word: str, dimension: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """(places, signed weights) of a word, its base form and its parts."""
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in _GRAMS for at in range(len(marked) - size + 1)][:_MOST_GRAMS]
    base = min(lemmas(word), key=lambda one: (len(one), one))
    named = [(f"word {word}", _WORD), (f"base {base}", _BASE)]
    named += [(gram, _PARTS / len(grams) ** 0.5) for gram in grams]
    hashes = [_number(name) for name, _ in named]
    places = np.array([(one >> 1) % dimension for one in hashes], dtype=np.intp)
    signed = [weight if one & 1 else -weight for one, (_, weight) in zip(hashes, named, strict=True)]
    return places, np.array(signed)


def _number(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
