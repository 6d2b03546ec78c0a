"""Text -> numbers of word pieces, as the uncased BERT models were trained with them.

Devlin et al., BERT (2019), section 3, and Wu et al. (2016), section 4.1: the longest piece of the vocabulary that a
word begins with, then the longest that the rest begins with, marked as a continuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from kb.errors import EmbeddingError

__all__ = ["WordPiece"]

_CONTINUED = "##"
_LONGEST_WORD = 100
_CACHED = 50_000
# Written without spaces: each sign is a word. Japanese syllables and Korean are not among them.
_IDEOGRAPHS = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b820-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])"
)
_PLAIN = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


class WordPiece:
    """The pieces of one vocabulary. `vocabulary`: the pieces, in the order of their numbers.

    Raises EmbeddingError where it lacks the pieces that every text needs.
    """

    def __init__(self, vocabulary: Sequence[str], most: int) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._most = most
        try:
            self._begin, self._end, self._unknown = (self._numbers[one] for one in ("[CLS]", "[SEP]", "[UNK]"))
        except KeyError as err:
            raise EmbeddingError(f"the model's vocabulary has no piece {err}; fetch the model again") from None
        self._longest = max(map(len, vocabulary))
        self._known: dict[str, list[int]] = {}

    @classmethod
    def load(cls, path: Path, most: int) -> WordPiece:
        """The vocabulary in a file, a piece a line. Texts are cut after `most` pieces, begin and end included."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), most)

    def encode(self, text: str) -> list[int]:
        """The pieces of a text between those for begin and end; empty where there are none between them."""
        room = self._most - 2
        found: list[int] = []
        # A piece covers a character at least, but for those that are dropped or taken apart.
        for word in _words(text):
            pieces = self._known.get(word)
            if pieces is None:
                if len(self._known) >= _CACHED:
                    self._known.clear()
                pieces = self._known[word] = self._pieces(word)
            found += pieces
            if len(found) >= room:
                break
        return [self._begin, *found[:room], self._end] if found else []

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found, start = [], 0
        while start < len(word):
            mark = _CONTINUED if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


def _words(text: str) -> list[str]:
    """Words in lower case without accents; each punctuation mark and each ideograph is a word."""
    if text.isascii():
        return _PLAIN.findall(_clean(text).lower())
    spaced = _IDEOGRAPHS.sub(r" \1 ", _clean(text))
    found: list[str] = []
    for token in spaced.split(" "):
        if not token:
            continue
        lowered = token.lower()
        if not lowered.isascii():
            parts = unicodedata.normalize("NFD", lowered)
            lowered = "".join(one for one in parts if unicodedata.category(one) != "Mn")
        found += _PLAIN.findall(lowered) if lowered.isascii() else _split(lowered)
    return found


def _clean(text: str) -> str:
    """Without control characters; every white space is a space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(" " if _is_space(one) else one for one in text if _is_space(one) or not _is_control(one))


def _is_space(one: str) -> bool:
    return one in "\t\n\r" or unicodedata.category(one) == "Zs"


def _is_control(one: str) -> bool:
    return one == "\ufffd" or unicodedata.category(one)[0] == "C"


def _split(word: str) -> list[str]:
    found: list[str] = []
    held = ""
    for one in word:
        if _is_mark(one):
            found += [held, one] if held else [one]
            held = ""
        else:
            held += one
    return [*found, held] if held else found


def _is_mark(one: str) -> bool:
    """ASCII signs count as punctuation even where Unicode calls them symbols."""
    return (one.isascii() and not one.isalnum() and one > " ") or unicodedata.category(one).startswith("P")
