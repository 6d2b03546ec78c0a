"""How many tokens a text is, roughly: for estimates and for splitting pages, before any endpoint has counted.

Tokenizers differ and their tables are megabytes, so this counts what byte-pair encodings have in common: a word with
the space before it is one token when it is short or common, and a few when it is long; digits go by three; punctuation
runs are mostly one; letters of other scripts are worth more. On English Markdown that comes within a tenth of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kb.llm.chat import Prompt

__all__ = ["count", "count_prompt"]

_MESSAGE = 4
_REPLY = 3
_PIECES = re.compile(
    r"(?P<word>[ ]?[A-Za-z]+)|(?P<digits>[ ]?\d+)|(?P<letters>[ ]?[^\W\d_]+)|(?P<lines>[ \t]*\n\s*)"
    r"|(?P<space>[ \t]+)|(?P<marks>[ ]?(?:[^\w\s]|_)+)|(?P<rest>\w|.)",
    re.DOTALL,
)
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Letters of one token, of words in lower case beyond their first nine, and of runs of capitals.
_COMMON, _LONG, _CAPITALS = 9, 4.2, 2.8
_DENSE = 0x2E80  # from here on scripts whose letters are words or syllables


def count(text: str) -> int:
    """Tokens of a text; 0 for an empty one.

    >>> count(""), count("Checkout calls the ledger."), count("1234567")
    (0, 5, 3)
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        kind, piece = match.lastgroup, match.group()
        if kind == "word":
            total += sum(_word(hump) for hump in _HUMP.findall(piece))
        elif kind == "digits":
            total += -(-len(piece.strip()) // 3)
        elif kind == "letters":
            total += _letters(piece.strip())
        elif kind == "marks":
            total += _marks(piece.strip())
        else:
            total += 1
    return round(total)


def count_prompt(prompt: Prompt) -> int:
    """Tokens of all messages and what stands around them. The schema is sent beside them, and is not counted."""
    return sum(_message(one.content) + _MESSAGE for one in prompt.messages) + _REPLY


# The instructions are the same in every prompt of a kind.
@lru_cache(maxsize=64)
def _message(content: str) -> int:
    return count(content)


def _word(word: str) -> float:
    if len(word) > 1 and word.isupper():
        return max(1.0, len(word) / _CAPITALS)
    return 1.0 if len(word) <= _COMMON else 1.0 + (len(word) - _COMMON) / _LONG


def _letters(word: str) -> float:
    dense = sum(ord(letter) >= _DENSE for letter in word)
    return dense * 1.1 + (max(1.0, (len(word) - dense) / 3.2) if len(word) > dense else 0)


def _marks(marks: str) -> float:
    # The same mark again and again, as in rules and tables, is one token for many.
    alike = len(set(marks)) == 1
    wide = sum(ord(mark) > 0xFFFF for mark in marks)
    return 2 * wide + (max(1.0, len(marks) / 8) if alike else max(1.0, (len(marks) - wide) / 3))
