"""What makes vectors: the protocol, and the one way in which everybody asks for vectors."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kb.errors import EmbeddingError
from kb.language import STOPWORDS

if TYPE_CHECKING:
    from kb.config import Config
    from kb.embed.cache import VectorCache

__all__ = ["Parts", "Progress", "Provider", "ProviderInParts", "Vectors", "embedded", "provider_of"]

Vectors = npt.NDArray[np.float32]
Parts = Generator[tuple[Sequence[int], Vectors], None, None]
"""Places of texts, and their rows."""
Progress = Callable[[int, int], object]
"""Told how many texts have their vectors, and how many there are."""
_UNIT = 1e-3
_SLICE = 256
_SHOWN = 80
_WORDS = re.compile(r"[^\W_]+")


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

        `query` says that the texts are questions. The row of a text does not depend on the texts beside it. Raises
        EmbeddingError where there are no vectors to be had.
        """
        ...


@runtime_checkable
class ProviderInParts(Protocol):
    """What a provider has on top where it makes vectors in parts, each worth keeping before the next one is there."""

    def parts(self, texts: Sequence[str], *, query: bool = False) -> Parts:
        """(places, rows) as they are made, in any order, every place once; rows as of `Provider.embed`."""
        ...


def embedded(
    provider: Provider,
    texts: Sequence[str],
    *,
    query: bool = False,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Vectors of texts, shape (texts, dimension), float32, rows of length 1 or 0: kept ones, else new ones.

    Equal texts are embedded once. New vectors of a provider whose vectors are costly are put into the cache as they
    come, so that whatever ends this early loses no more than what is under way. Raises EmbeddingError where the
    provider has none, and where it does not give what `Provider.embed` promises.
    """
    unique = list(dict.fromkeys(texts))
    cache = cache if provider.costly else None
    kept: dict[str, Vectors] = {} if cache is None else cache.get_many(provider.identity, unique, query=query)
    size = provider.dimension or _commonest_size(kept)
    found: dict[str, Vectors] = {text: row for text, row in kept.items() if len(row) == size}
    missing = [text for text in unique if text not in found]
    made = bool(missing)
    for again in (True, False):
        if not missing:
            break
        # Whatever stops this, what is under way is stopped as well.
        with closing(_parts(provider, missing, query=query)) as parts:
            for places, rows in parts:
                of = [missing[place] for place in places]
                checked = _checked(provider, of, rows)
                found.update(zip(of, checked, strict=True))
                if cache is not None:
                    cache.put_many(provider.identity, of, checked, query=query)
                if progress is not None:
                    progress(len(found), len(unique))
        left = [text for text in missing if text not in found]
        if left:
            raise _broken(provider, f"no vector for the text {left[0][:_SHOWN]!r}")
        # What was kept before the provider changed the size of its vectors is made anew.
        size = len(found[missing[0]])
        missing = [text for text in unique if len(found[text]) != size]
        if missing and not again:
            raise _broken(provider, f"vectors of {len(found[missing[0]])} and of {size} numbers")
        for text in missing:
            del found[text]
    if progress is not None and unique and not made:
        progress(len(unique), len(unique))
    rows = np.empty((len(texts), size or 0), dtype=np.float32)
    for at, text in enumerate(texts):
        rows[at] = found[text]
    return rows


def _commonest_size(kept: dict[str, Vectors]) -> int | None:
    sizes = Counter(map(len, kept.values()))
    return max(sizes, key=lambda one: sizes[one]) if sizes else None


def _parts(provider: Provider, texts: Sequence[str], *, query: bool) -> Parts:
    if isinstance(provider, ProviderInParts):
        yield from provider.parts(texts, query=query)
        return
    for start in range(0, len(texts), _SLICE):
        some = texts[start : start + _SLICE]
        yield range(start, start + len(some)), provider.embed(some, query=query)


def _checked(provider: Provider, texts: Sequence[str], given: Vectors) -> Vectors:
    """The rows, where they are what was promised."""
    rows = np.asarray(given)
    size = provider.dimension
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or rows.shape != (len(texts), size or rows.shape[1]):
        wanted = "" if size is None else f" of dimension {size}"
        raise _broken(provider, f"vectors of shape {rows.shape} for {len(texts)} texts{wanted}")
    lengths = np.sqrt(np.square(rows.astype(np.float64)).sum(axis=1))
    # NaN is not near anything.
    good = (np.abs(lengths - 1) < _UNIT) | (lengths == 0)
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        raise _broken(provider, f"a vector of length {lengths[at]:g} instead of 1 for the text {texts[at][:_SHOWN]!r}")
    for at in np.flatnonzero(lengths == 0).tolist():
        if _says_something(texts[at]):
            raise _broken(provider, f"a vector of zeros for the text {texts[at][:_SHOWN]!r}")
    return rows.astype(np.float32, copy=False)


def _says_something(text: str) -> bool:
    return any(word not in STOPWORDS for word in _WORDS.findall(unicodedata.normalize("NFKC", text).lower()))


def _broken(provider: Provider, what: str) -> EmbeddingError:
    return EmbeddingError(
        f"the embedding provider {provider.identity} gave {what}; try again, or use another provider ([embed] in "
        "kb.toml)"
    )


def provider_of(identity: str, config: Config | None = None) -> Provider | None:
    """See `kb.embed.opening.provider_of`."""
    from kb.embed.opening import provider_of as found

    return found(identity, config)
