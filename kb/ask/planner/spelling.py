"""Names as keys that ignore case, accents and separators, and the nearest key to a misspelt one."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

from kb.language import words

__all__ = ["NearKeys", "distance", "key_of", "like_word_by_word"]

_SHORTEST, _LONG = 5, 12
"""Below the first length nothing may differ, from the second on two letters may."""


def folded(text: str) -> str:
    """In lower case, without accents, with "&" spelt out."""
    plain = text.casefold().replace("&", " and ")
    if plain.isascii():
        return plain
    return "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))


def key_of(parts: Iterable[str]) -> str:
    """Letters and digits of some words.

    >>> key_of(["Hana", "Sýkora"]), key_of(["feature-flags"]), key_of(["Salt & Silver"])
    ('hanasykora', 'featureflags', 'saltandsilver')
    """
    return "".join(re.sub(r"\W|_", "", folded(part)) for part in parts)


def distance(first: str, second: str, most: int) -> int:
    """Edits (one letter more, less, other, or two neighbours swapped) between two texts; `most + 1` where it is more.

    Optimal string alignment, in a band of `2 * most + 1` columns.

    >>> distance("buidler", "builder", 2), distance("setlement", "settlement", 2), distance("ledger", "portal", 2)
    (1, 1, 3)
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        last, before = before, row
        row = [i] + [most + 1] * len(second)
        for j in range(max(1, i - most), min(len(second), i + most) + 1):
            b = second[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def like_word_by_word(spelt: Sequence[str], name: str) -> bool:
    """Whether a name has as many words as `spelt`, each like its counterpart (one edit for every four letters)."""
    parts = [key_of([word.text]) for word in words(name.replace("&", " and "))]
    return len(parts) == len(spelt) and all(
        distance(mine, theirs, 2) <= len(theirs) // 4 for mine, theirs in zip(spelt, parts, strict=True)
    )


class NearKeys:
    """Finds the keys nearest to a text by the pairs of letters they share. Keys with digits are never near."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_pair: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            if len(key) >= _SHORTEST and not any(char.isdigit() for char in key):
                for pair in {key[i : i + 2] for i in range(len(key) - 1)}:
                    self._by_pair[pair].append(key)

    def nearest(self, text: str) -> tuple[int, list[str]]:
        """The fewest edits, within what the text's length allows, and the keys that are so far away."""
        allowed = 0 if len(text) < _SHORTEST else 1 if len(text) < _LONG else 2
        if not allowed or any(char.isdigit() for char in text):
            return 0, []
        pairs = {text[i : i + 2] for i in range(len(text) - 1)}
        shared: dict[str, int] = defaultdict(int)
        for pair in pairs:
            for key in self._by_pair.get(pair, ()):
                shared[key] += 1
        # One edit changes three pairs at most (a swap).
        least = max(len(pairs) - 3 * allowed, 1)
        best, found = allowed + 1, list[str]()
        for key, number in shared.items():
            if number < least or abs(len(key) - len(text)) > allowed:
                continue
            edits = distance(text, key, allowed)
            if edits < best:
                best, found = edits, [key]
            elif edits == best <= allowed:
                found.append(key)
        return best, sorted(found)
