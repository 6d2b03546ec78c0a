"""The lexical half of a search: which words of a query a text has, as substrings."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from kb.language import STOPWORDS

__all__ = ["Texts", "fold", "significant_terms"]

_TERM = re.compile(r"\w{3,}|[^\w\s\"'`.,;:?!()\[\]{}]{2,}|\?{2,}|!={1,2}|:{2,}|:=")


def fold(text: str) -> str:
    """A text as it is compared: composed, in lower case."""
    return unicodedata.normalize("NFC", text).lower()


def significant_terms(query: str) -> list[str]:
    """The words of a query that are worth looking for, lower case, each once: three letters and more, and operators.

    >>> significant_terms("How do I use |> twice, and the |> again?")
    ['use', '|>', 'twice', 'again']
    """
    return [term for term in dict.fromkeys(_TERM.findall(fold(query))) if term not in STOPWORDS]


class Texts:
    """Texts to look for terms in, as one long string: rare terms cost next to nothing."""

    def __init__(self, texts: Iterable[str]) -> None:
        parts: list[str] = []
        starts = [0]
        for text in texts:
            # No term holds the end of a line, so none is found across two texts.
            parts.append(fold(text))
            starts.append(starts[-1] + len(parts[-1]) + 1)
        self._text, self._starts = "\n".join(parts), starts

    def counts(self, terms: Sequence[str]) -> npt.NDArray[np.int64]:
        """How many of the terms each text has, shape (texts,)."""
        found = np.zeros(len(self._starts) - 1, dtype=np.int64)
        for term in terms:
            found[self._rows(term)] += 1
        return found

    def _rows(self, term: str) -> list[int]:
        rows: list[int] = []
        row = -1
        at = self._text.find(term)
        while at >= 0:
            # Frequent terms mostly stand in the next text.
            row += 1
            if at >= self._starts[row + 1]:
                row = bisect_right(self._starts, at, row) - 1
            rows.append(row)
            at = self._text.find(term, self._starts[row + 1])
        return rows
