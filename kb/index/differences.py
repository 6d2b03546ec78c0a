"""In what two texts that are alike differ: numbers, negations, and words that contradict each other.

What is near in a vector space says the same or the contrary ("retried three times", "never retried"). Readers see which
when the differences are named. Nothing here decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.index._negations import Claims, claims_in, claims_that_differ
from kb.index._numbers import Number, numbers_in, numbers_that_differ
from kb.index._opposites import opposite_pairs

__all__ = ["RULES", "Differences", "Said", "contradict", "differences"]

RULES = "1"
"""Rises when the same texts are found to differ in other words."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Each a pair: what the first text has and the second has not, and the reverse, in the words of the texts.

    `negations` also holds restrictions ("only", "except"), orders and bounds ("before", "at most"), what something
    counts by ("per key") and words that contradict each other ("required", "optional").
    """

    numbers: tuple[tuple[str, ...], tuple[str, ...]]
    negations: tuple[tuple[str, ...], tuple[str, ...]]

    def __bool__(self) -> bool:
        return any((*self.numbers, *self.negations))


class Said:
    """A text, read once for comparison with many."""

    def __init__(self, text: str) -> None:
        self.numbers: list[Number] = numbers_in(text)
        self.claims: Claims = claims_in(text)


def differences(ours: Said | str, theirs: Said | str) -> Differences:
    """In what two texts differ.

    >>> differences("Retries stop after 30 seconds.", "Retries never stop after half a minute.").negations
    ((), ('never stop',))
    >>> differences("The cache lives for 1 minute.", "The cache lives for 60 s.").numbers
    ((), ())
    """
    one = Said(ours) if isinstance(ours, str) else ours
    two = Said(theirs) if isinstance(theirs, str) else theirs
    return Differences(numbers_that_differ(one.numbers, two.numbers), claims_that_differ(one.claims, two.claims))


def contradict(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether among the lower-case words that only one of two has, some mean the opposite of each other.

    >>> contradict(frozenset({"inbound", "mail"}), frozenset({"outbound", "mail"}))
    True
    """
    return any(True for _ in opposite_pairs(ours, theirs))
