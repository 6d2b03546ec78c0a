"""The closest name among thousands, by difflib's ratio, without comparing with each.

Guards against names that look alike and are not: the digits must be the same, and where two names have equally many
words, each word must resemble its partner ("merchant db east" is not "merchant db west").
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

__all__ = ["CUTOFF", "ClosestNames"]

CUTOFF = 0.85
_WORD_CUTOFF = 0.78
_HINT_CUTOFF = 0.6
_HINTS = 5
_LOOKED_AT = 2_000
_DIGITS = re.compile(r"\d+")


class ClosestNames:
    """An index over normalised names."""

    def __init__(self, names: Iterable[str]) -> None:
        by_length: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self._names = sorted(set(names))
        for name in self._names:
            by_length[len(name)].append((_letters(name), name))
        self._by_length = dict(by_length)
        self._by_pair: dict[str, list[int]] | None = None
        self.compared = 0
        """How many full comparisons were made."""

    def best(self, key: str) -> tuple[float, list[str]]:
        """The highest ratio that reaches the cutoff and the names that have it; (0.0, []) where none does."""
        best, found = CUTOFF, list[str]()
        letters, size = _letters(key), len(key)
        digits = _DIGITS.findall(key)
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(key)
        # 2 * common / (both lengths) >= best bounds the other length, and how many characters may go unmatched.
        for other_size in range(int(size * best / (2 - best)), int(size * (2 - best) / best) + 2):
            unmatched = (size + other_size) * (1 - CUTOFF)
            for other_letters, other in self._by_length.get(other_size, ()):
                if (letters ^ other_letters).bit_count() > unmatched or digits != _DIGITS.findall(other):
                    continue
                matcher.set_seq1(other)
                if matcher.quick_ratio() < best:
                    continue
                self.compared += 1
                ratio = matcher.ratio()
                if ratio < best or not _alike_by_word(key, other):
                    continue
                if ratio > best:
                    best, found = ratio, []
                found.append(other)
        return (best, found) if found else (0.0, [])

    def hint(self, key: str) -> tuple[str | None, str]:
        """A name that resembles `key` although it is not close enough, and why it is not; (None, "") without one."""
        if self._by_pair is None:
            self._by_pair = defaultdict(list)
            for number, name in enumerate(self._names):
                for pair in _pairs(name):
                    self._by_pair[pair].append(number)
        # The rarest pairs say most; names that share only the common ones are not what anybody meant.
        shared: Counter[int] = Counter()
        for _, pair in sorted((len(self._by_pair.get(pair, ())), pair) for pair in _pairs(key)):
            shared.update(self._by_pair.get(pair, ()))
            if shared.total() > _LOOKED_AT:
                break
        overlap = sorted((-2 * n / (len(key) + len(self._names[i])), self._names[i]) for i, n in shared.items())
        near = [name for _, name in overlap[:_HINTS]]
        rated = [(SequenceMatcher(None, name, key, autojunk=False).ratio(), name) for name in near]
        if not rated:
            return None, ""
        ratio, name = min(rated, key=lambda item: (-item[0], item[1]))
        if ratio < _HINT_CUTOFF:
            return None, ""
        if _DIGITS.findall(name) != _DIGITS.findall(key):
            return name, "but the numbers differ"
        return name, "too far"


def _letters(text: str) -> int:
    """The set of characters as bits; characters may share a bit, which only makes names look closer than they are."""
    bits = 0
    for char in text:
        bits |= 1 << (ord(char) % 61)
    return bits


def _pairs(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}


def _alike_by_word(key: str, other: str) -> bool:
    ours, theirs = key.split(" "), other.split(" ")
    if len(ours) != len(theirs) or len(ours) == 1:
        return True
    return all(
        a == b or SequenceMatcher(None, b, a, autojunk=False).ratio() >= _WORD_CUTOFF
        for a, b in zip(ours, theirs, strict=True)
    )
