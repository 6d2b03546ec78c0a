"""The forward pass of a BERT encoder with mean pooling, on NumPy alone.

Vaswani et al., Attention Is All You Need (2017); Devlin et al., BERT (2019); Reimers and Gurevych, Sentence-BERT
(2019).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kb.embed._safetensors import Tensors
from kb.errors import EmbeddingError

__all__ = ["Bert"]

_Array = npt.NDArray[np.float32]
_EPSILON = 1e-12
_BLOCK = 32_768
"""Numbers that are worked on at once where every one is looked at several times: they stay in the processor's cache."""
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: erf to within 1.5e-7.
_ERF_P = 0.3275911
_ERF_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


class Bert:
    """An encoder with so many attention heads. Raises EmbeddingError where the tensors are not those of one."""

    def __init__(self, tensors: Tensors, heads: int) -> None:
        try:
            self._words = tensors["embeddings.word_embeddings.weight"]
            self._places = (
                tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
            )
            self._norm = _norm_of(tensors, "embeddings.LayerNorm")
            number = 1 + max(int(found[1]) for found in map(_LAYER.match, tensors) if found)
            self._layers = [_Layer(tensors, f"encoder.layer.{at}", heads) for at in range(number)]
        except (KeyError, ValueError) as err:
            raise EmbeddingError(f"the model's weights are not those of a BERT encoder: {err}") from err

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return int(self._words.shape[1])

    def encode(self, tokens: Sequence[Sequence[int]]) -> _Array:
        """Unit rows, shape (texts, dimension), of texts with equally many tokens."""
        ids = np.array(tokens, dtype=np.intp)
        texts, length = ids.shape
        hidden = (self._words[ids] + self._places[:length]).reshape(texts * length, -1)
        _normalise(hidden, self._norm)
        for layer in self._layers:
            hidden = layer.forward(hidden, texts)
        means: _Array = hidden.reshape(texts, length, -1).mean(axis=1)
        means /= np.sqrt(np.square(means).sum(axis=1, keepdims=True))
        return means


class _Layer:
    def __init__(self, tensors: Tensors, name: str, heads: int) -> None:
        parts = [_dense_of(tensors, f"{name}.attention.self.{one}") for one in ("query", "key", "value")]
        size = parts[0][0].shape[0]
        if size % heads:
            raise ValueError(f"{size} numbers cannot be shared by {heads} heads")
        self._heads, self._size = heads, size // heads
        scale = np.float32(self._size**-0.5)
        parts[0] = (parts[0][0] * scale, parts[0][1] * scale)
        # One product instead of three.
        self._inputs = (
            np.ascontiguousarray(np.concatenate([one[0] for one in parts], axis=1)),
            np.concatenate([one[1] for one in parts]),
        )
        self._output = _dense_of(tensors, f"{name}.attention.output.dense")
        self._norm = _norm_of(tensors, f"{name}.attention.output.LayerNorm")
        self._wide = _dense_of(tensors, f"{name}.intermediate.dense")
        self._narrow = _dense_of(tensors, f"{name}.output.dense")
        self._last = _norm_of(tensors, f"{name}.output.LayerNorm")

    def forward(self, hidden: _Array, texts: int) -> _Array:
        mixed = _dense(self._attended(hidden, texts), self._output)
        mixed += hidden
        _normalise(mixed, self._norm)
        wide = _dense(mixed, self._wide)
        _gelu(wide)
        found = _dense(wide, self._narrow)
        found += mixed
        _normalise(found, self._last)
        return found

    def _attended(self, hidden: _Array, texts: int) -> _Array:
        length = len(hidden) // texts
        shape = (texts, length, 3, self._heads, self._size)
        query, key, value = _dense(hidden, self._inputs).reshape(shape).transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).transpose(0, 2, 1, 3).reshape(len(hidden), -1)  # type: ignore[no-any-return]


def _dense_of(tensors: Tensors, name: str) -> tuple[_Array, _Array]:
    return tensors[f"{name}.weight"].T, tensors[f"{name}.bias"]


def _norm_of(tensors: Tensors, name: str) -> tuple[_Array, _Array]:
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _dense(rows: _Array, weights: tuple[_Array, _Array]) -> _Array:
    found: _Array = rows @ weights[0]
    found += weights[1]
    return found


def _normalise(rows: _Array, weights: tuple[_Array, _Array]) -> None:
    """Layer normalisation, in place."""
    step = max(1, _BLOCK // rows.shape[1])
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        some -= some.mean(axis=1, keepdims=True)
        variance = np.square(some).mean(axis=1, keepdims=True)
        some /= np.sqrt(variance + np.float32(_EPSILON))
        some *= weights[0]
        some += weights[1]


def _gelu(rows: _Array) -> None:
    """Each number times the share of a normal distribution below it, in place."""
    flat = rows.reshape(-1)
    for start in range(0, len(flat), _BLOCK):
        x = flat[start : start + _BLOCK]
        scaled = x * np.float32(0.5**0.5)
        t = np.abs(scaled)
        np.square(scaled, out=scaled)
        np.negative(scaled, out=scaled)
        np.exp(scaled, out=scaled)
        t *= np.float32(_ERF_P)
        t += np.float32(1)
        np.reciprocal(t, out=t)
        below = t * np.float32(_ERF_A[4])
        for factor in _ERF_A[3::-1]:
            below += np.float32(factor)
            below *= t
        # Half of what lies beyond |x| on both sides.
        below *= scaled
        below *= np.float32(0.5)
        np.copyto(below, 1 - below, where=x >= 0)
        x *= below
