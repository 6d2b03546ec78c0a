"""The lexical half of a search: which words of a query a text has, as substrings."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["RUN", "Texts", "fold", "significant_terms"]

_TERM = re.compile(r"\w{3,}|[!#$%&*+\-./:<=>?@\[\\\]^|~]{2,}")
_SYMBOL = re.compile(r"[#$%&*+\-/<=>@\\^|~]")
_PUNCTUATION = re.compile(r"\?[.:]|\?{2,}|\.{2,3}|:{2,}")
"""What is an operator although it is made of the signs that end sentences."""
_ELLIPSIS = re.compile(r"(?<=\w)\.{2,}(?!\S)")
_ENDS = ".:!?"
RUN = re.compile(r"\w{3,}|[^\w\s]{2,}")
"""What a term lies inside of, whole: no term has both word characters and signs."""
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        the this that these those and but nor
        for from with without within into onto over under above below between among through during before after
        about against across along around behind beside beyond near off out per toward towards upon via until since
        are was were been being has had have having
        """,
    )
)
"""Articles, conjunctions, prepositions, forms of be and have. Shorter ones are no terms anyway."""
_KNOWN = 256
"""Terms whose rows are remembered."""


def fold(text: str) -> str:
    """A text as it is compared: composed, in lower case."""
    return unicodedata.normalize("NFC", text).lower()


def significant_terms(query: str) -> list[str]:
    """The words of a query that are worth looking for, lower case, each once: three letters and more, and operators.

    >>> significant_terms("how do I make config immutable?")
    ['how', 'make', 'config', 'immutable']
    >>> significant_terms("Twice the |> and the |> again?")
    ['twice', '|>', 'again']
    >>> significant_terms("Is it a?.b, a..b or a[*] => b, or what else...")
    ['?.', '..', '[*]', '=>', 'what', 'else']
    """
    found = (_term(one) for one in _TERM.findall(_ELLIPSIS.sub(" ", fold(query))))
    return [term for term in dict.fromkeys(found) if term and term not in _STOPWORDS]


def _term(found: str) -> str | None:
    """A word as it is; of signs the operator among them, without what ends a sentence; None for plain punctuation."""
    if found[0].isalnum() or found[0] == "_":
        return found
    if _SYMBOL.search(found) is None:
        operator = _PUNCTUATION.search(found)
        return None if operator is None else operator.group()
    bare = found.rstrip(_ENDS)
    return bare if len(bare) > 1 else found


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
        self._known: dict[str, npt.NDArray[np.int64]] = {}

    def counts(self, terms: Sequence[str]) -> npt.NDArray[np.uint16]:
        """How many of the terms each text has, shape (texts,)."""
        found = np.zeros(len(self._starts) - 1, dtype=np.uint16)
        for term in terms:
            rows = self._known.get(term)
            if rows is None:
                if len(self._known) >= _KNOWN:
                    self._known.clear()
                rows = self._known[term] = np.array(self._rows(term), dtype=np.int64)
            found[rows] += 1
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
