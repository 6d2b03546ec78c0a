"""What makes vectors of texts: the protocol, and the providers by the identity that an index records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kb.errors import GenerationError

__all__ = ["Provider", "Vectors", "embedded", "provider_of"]

Vectors = npt.NDArray[np.float32]
_UNIT = 1e-3


class Provider(Protocol):
    """Makes vectors. `identity` says what made a vector: others are not comparable with it.

    Providers of one `family`, where it is not None, make comparable vectors all the same. `dimension` is None as long
    as it is not known before something was embedded. `lexical_weight` is what a text that has all words of a query gets
    on top of its cosine, `duplicate_threshold` the cosine from which two texts may say the same. `costly` says that
    vectors are worth keeping.
    """

    @property
    def identity(self) -> str: ...
    @property
    def family(self) -> str | None: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def lexical_weight(self) -> float: ...
    @property
    def duplicate_threshold(self) -> float: ...
    @property
    def costly(self) -> bool: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit rows, shape (texts, dimension), float32; a row of zeros for a text that says nothing.

        `query` says that the texts are questions. The row of a text does not depend on the texts beside it.
        """
        ...


def embedded(provider: Provider, texts: Sequence[str], *, query: bool = False) -> Vectors:
    """What a provider makes of texts; raises GenerationError where that is not what `Provider.embed` promises."""
    found = np.asarray(provider.embed(texts, query=query))
    if found.shape != (len(texts), provider.dimension):
        raise GenerationError(
            f"the embedding provider {provider.identity} gave vectors of shape {found.shape} for {len(texts)} texts "
            f"of dimension {provider.dimension}; use another provider"
        )
    lengths = np.sqrt(np.square(found.astype(np.float64)).sum(axis=1))
    # NaN is not near anything.
    good = (np.abs(lengths - 1) < _UNIT) | (lengths == 0)
    if not good.all():
        text = texts[int(np.flatnonzero(~good)[0])]
        raise GenerationError(
            f"the embedding provider {provider.identity} gave a vector of length {lengths[~good][0]:g} instead of 1 "
            f"for the text {text[:80]!r}; use another provider"
        )
    return found.astype(np.float32, copy=False)


def provider_of(identity: str) -> Provider | None:
    """The provider that makes vectors of this identity; None where this version has none."""
    from kb.embed.hashing import HashingProvider

    return HashingProvider() if identity == HashingProvider.identity else None
