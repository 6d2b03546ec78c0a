"""Texts -> batches that an endpoint takes: so many texts, so many tokens, none longer than its model reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.llm.tokens import count

__all__ = ["batches", "cut", "shorter"]

_MARGIN = 0.9
"""Our count of tokens is a guess, within a tenth of the truth for English."""
_SHORTER = 0.7
_SHORTEST = 16


def batches(places: Sequence[int], texts: Sequence[str], most_texts: int, most_tokens: int) -> Iterator[list[int]]:
    """Places of texts, in order; each batch is as large as it may be."""
    held: list[int] = []
    tokens = 0
    for place in places:
        size = count(texts[place])
        if held and (len(held) >= most_texts or tokens + size > most_tokens):
            yield held
            held, tokens = [], 0
        held.append(place)
        tokens += size
    if held:
        yield held


def cut(text: str, most_tokens: int) -> str:
    """The beginning of a text that has at most so many tokens, by our count with a margin."""
    # A token is a byte at least.
    if len(text) * 4 <= most_tokens or len(text.encode("utf-8", "replace")) <= most_tokens:
        return text
    limit = most_tokens * _MARGIN
    while (size := count(text)) > limit:
        text = text[: int(len(text) * min(limit / size, 0.99))]
    return text


def shorter(text: str) -> str | None:
    """The beginning of a text that turned out to be too long; None where it is too short for that to be the reason."""
    return text[: int(len(text) * _SHORTER)] if len(text) > _SHORTEST else None
