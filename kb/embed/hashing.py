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

_WORD, _BASE, _PARTS = 0.3, 1.0, 1.0
"""Weights of a word as written, of its base form, and of all its character n-grams together."""
_WHOLE = 0.5
"""Share of an identifier as one word, beside its words: "dueBy" and "due_by" are both "dueby", and "due" and "by"."""
_GRAMS = (3, 4, 5)
_MOST_GRAMS = 300
_BATCH = 256
# Words and identifiers, and the signs of code and formulas, which are all that some texts consist of. Signs that prose
# has too count in the clusters that it does not have, such as "?." or "[*]".
_TOKEN = re.compile(
    r"[^\W_]+(?:_+[^\W_]+)*"
    r"|\[\*?\]|\?\.|\?{2,}|:{2,}|(?<![\w.])\.{2,3}(?!\.)"
    r"|[?!:]*[^\w\s\"'`.,;:?!()\[\]{}]{2,}|[?!:]+[^\w\s\"'`.,;:?!()\[\]{}]"
)
# Where a word of an identifier begins: camelCase, HTTPServer; not IPv4, APIs, kWh.
_HUMP = re.compile(r"_+|(?<=[a-z0-9]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
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
            for (word, share), number in Counter(_tokens(text)).items():
                at, signed = _features(word, self.dimension)
                places.append(at)
                weights.append(signed)
                rows.append(row)
                sizes.append(len(at))
                times.append(share * (1 + math.log(number)))
        at_rows = np.repeat(np.array(rows, dtype=np.intp), sizes) * self.dimension
        values = np.concatenate(weights) * np.repeat(np.array(times), sizes)
        # Adds in the order of the text, so that no sum depends on the texts beside it.
        size = len(texts) * self.dimension
        sums = np.bincount(at_rows + np.concatenate(places), weights=values, minlength=size)
        vectors = sums.reshape(len(texts), self.dimension).astype(np.float64, copy=False)
        lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors


def _tokens(text: str) -> Iterator[tuple[str, float]]:
    """(word in lower case, share): words, those of identifiers and these as a whole, and clusters of signs.

    Words that carry only grammar are left out, but not of identifiers: `valid_from` is not `valid_to`.
    """
    # An ellipsis becomes three dots when it is normalised, which are code.
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text.replace("…", " "))):
        yield from _words(token)


@lru_cache(maxsize=100_000)
def _words(token: str) -> tuple[tuple[str, float], ...]:
    words = [token.lower()] if token.islower() and "_" not in token else _HUMP.sub(" ", token).lower().split()
    if len(words) == 1:
        return () if words[0] in STOPWORDS else tuple((part, 1.0) for part in _spaced(words[0]))
    return ("".join(words), _WHOLE), *((part, 1.0) for word in words for part in _spaced(word))


def _spaced(word: str) -> Iterator[str]:
    if word.isascii() or _UNSPACED.search(word) is None:
        yield word
        return
    for run in _UNSPACED.findall(word):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
    yield from filter(None, _UNSPACED.split(word))


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
