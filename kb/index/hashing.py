"""Embeddings without a model: words and their parts, hashed into a vector. Texts that share words are near."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from kb.language import STOPWORDS, words

__all__ = ["HashingProvider", "Vectors"]

Vectors = npt.NDArray[np.float32]
_GRAMS = (3, 4, 5)
_WORD, _PART = 1.0, 0.35


class HashingProvider:
    """Vectors of `dimension` numbers. The same text gives the same vector, anywhere and always."""

    identity = "hashing/1"
    dimension = 512
    lexical_weight = 0.3

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, shape (texts, dimension); a text without words gives a row of zeros."""
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            counted = Counter(min(word.lemmas, key=len) for word in words(text) if word.text.lower() not in STOPWORDS)
            for word, number in counted.items():
                places, weights = _features(word, self.dimension)
                np.add.at(found[row], places, weights * np.float32(1 + np.log(number)))
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        np.divide(found, norms, out=found, where=norms > 0)
        return found


@lru_cache(maxsize=100_000)
def _features(word: str, dimension: int) -> tuple[npt.NDArray[np.intp], Vectors]:
    """(places, signed weights) of a word and its parts."""
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in _GRAMS for at in range(len(marked) - size + 1)]
    share = _PART / max(1.0, len(grams) ** 0.5)
    features = [(f"w:{word}", _WORD), *((gram, share) for gram in grams[:200])]
    hashes = [zlib.crc32(name.encode("utf-8", "replace")) for name, _ in features]
    places = np.array([one % dimension for one in hashes], dtype=np.intp)
    signs = [weight if one >> 31 else -weight for one, (_, weight) in zip(hashes, features, strict=True)]
    return places, np.array(signs, dtype=np.float32)
