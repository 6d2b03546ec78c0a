"""How two sets compare."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

__all__ = ["Scores", "answer_f1", "score_edges"]


def answer_f1(answer: Collection[str] | None, gold: Collection[str]) -> float:
    """F1 of two sets of ids: 1.0 where both are empty, 0.0 where only one is. None (a refusal) counts as empty.

    >>> answer_f1({"a", "b"}, {"b", "c"})
    0.5
    >>> answer_f1(None, [])
    1.0
    """
    found, wanted = set(answer or ()), set(gold)
    if not found and not wanted:
        return 1.0
    return 2 * len(found & wanted) / (len(found) + len(wanted))


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F1 of `found` extracted items against `gold` ones; None where the divisor is zero."""

    found: int
    gold: int
    correct: int

    @property
    def precision(self) -> float | None:
        """Share of the extracted items that are right."""
        return self.correct / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Share of the gold items that were extracted."""
        return self.correct / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two; None where neither side has an item."""
        return 2 * self.correct / (self.found + self.gold) if self.found + self.gold else None

    def to_json(self) -> dict[str, Any]:
        """Rounded to four digits."""
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        rounded = {name: None if rate is None else round(rate, 4) for name, rate in rates.items()}
        return {**rounded, "found": self.found, "gold": self.gold, "correct": self.correct}


def score_edges(found: Collection[Any], gold: Collection[Any]) -> Scores:
    """Scores of two sets."""
    return Scores(len(set(found)), len(set(gold)), len(set(found) & set(gold)))
