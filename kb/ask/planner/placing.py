"""Giving nouns to the sets that they speak of: "which public callers of X", "owners of the datastores that X uses"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.ask.planner.chains import Chain
from kb.ask.planner.nouns import Noun
from kb.ask.planner.sequences import Steps
from kb.ask.planner.text import WH, Question

__all__ = ["Placed", "Placer"]

# What a noun is worth where it fits, fits elsewhere, or does not fit at all.
_FITS, _CONDITION, _STRAY, _MISFIT, _APPOSED = 0.2, 0.5, -0.1, -0.45, 0.05
_ASKED = 5
"""How much worse it is that nothing fits the noun that is asked for."""


@dataclass
class Placed:
    """What the nouns say of the sets of one chain: conditions by set (0 is where it starts), and how well they fit."""

    score: float = 0.0
    where: dict[int, dict[str, Any]] = field(default_factory=dict)
    misfits: list[Noun] = field(default_factory=list)
    used: list[Noun] = field(default_factory=list)


class Placer:
    """Places the nouns of one question.

    `credit` says what the words of slots are worth: a noun that is a slot too counts as much where it needs no hop.
    `majority` are types that most entities have among their like; their nouns are often said loosely, and narrow a set
    on the way only where `contrast` or an attribute shows that they are meant.
    """

    def __init__(
        self, question: Question, steps: Steps, credit: Mapping[int, float], majority: frozenset[str], *, contrast: bool
    ) -> None:
        self.question, self.steps, self.credit = question, steps, credit
        self.majority, self.contrast = majority, contrast

    def place(self, chain: Chain, nouns: Sequence[Noun], *, open_start: bool = False) -> Placed:
        """Gives each noun to one of the chain's sets. `open_start`: conditions on where it starts mean something."""
        placed, masks = Placed(), list(chain.masks)
        first = 0 if open_start or chain.parts else 1
        for noun in nouns:
            if noun.attribute or chain.spoken.isdisjoint(noun.places):
                self._give(chain, noun, placed, masks, first)
        return placed

    def _give(self, chain: Chain, noun: Noun, placed: Placed, masks: list[int], first: int) -> None:
        """Adds what one noun says to `placed`, and narrows `masks` where it says less than all of a set."""
        order = self._order(chain, noun)
        final = len(masks) - 1
        rest = [at for at in range(final, first - 1, -1) if at not in order]
        if self._asked_last(noun) and final:
            order, rest = [at for at in order if at == final], [at for at in rest if at == final]
        for at in (*order, *rest):
            common = masks[at] & noun.mask
            if at < first:
                if not (noun.attribute or noun.plural) and common == masks[at]:
                    placed.score += _APPOSED  # "the film Amu"
                    return
                continue
            if not common:
                continue
            gain = _CONDITION if noun.attribute else max(_FITS, self.credit.get(noun.end - 1, 0.0))
            if noun.attribute:
                placed.where.setdefault(at, {})[noun.name] = noun.value
            elif common & self.steps.populated != masks[at] & self.steps.populated:
                narrowed = self.steps.walk(common, chain.codes[at:])
                if not narrowed:
                    continue
                if at == final or self.contrast or noun.name not in self.majority or at in placed.where:
                    placed.where.setdefault(at, {}).setdefault("type", noun.name)
                    masks[at:] = narrowed
            placed.score += gain if at in order else _STRAY
            placed.used.append(noun)
            return
        placed.score += _MISFIT * (_ASKED if self._asked_last(noun) else 1)
        placed.misfits.append(noun)

    def _asked_last(self, noun: Noun) -> bool:
        """Whether the answers must be what the noun names: it is asked for, and nothing is asked after it."""
        if not noun.asked or noun.attribute or self.question.lower(noun.end) == "'s":
            return False
        return not any(at > noun.start for at in self.question.asks)

    def _order(self, chain: Chain, noun: Noun) -> list[int]:
        """The sets that a noun can speak of by where it stands, likeliest first.

        What stands between two slots speaks of what the inner one reaches; what stands left or right of all, of what
        the outermost there reaches, or of the answers.
        """
        last, place, anchor = len(chain.masks) - 1, noun.start, chain.anchor.start
        if chain.floor and place >= chain.floor:
            # A new clause has its own middle: the first step that it says.
            anchor = next((one.slot.place for one in chain.said if one.slot.start >= chain.floor), anchor)
        # Where each step stands, the set it starts from, and the set it reaches.
        steps: list[tuple[int, int, int]] = []
        reached = 0
        for one in chain.said:
            left = one.slot.place < anchor if anchor != chain.anchor.start else one.left
            if left == (place < anchor) and (anchor == chain.anchor.start or one.slot.start >= chain.floor):
                steps.append((one.slot.place, reached, reached + len(one.codes)))
            reached += len(one.codes)
        before = max((step for step in steps if step[0] < place), default=None)
        after = min((step for step in steps if step[0] > place), default=None)
        if place < anchor:
            low = after[2] if after else 0
            high = before[1] if before else last
            outwards = not (noun.asked or after is None)
        else:
            low = before[2] if before else 0
            high = after[2] if after else last
            question_word = any(self.question.lower(at) in WH for at in range(before[0] if before else anchor, place))
            outwards = not (question_word or noun.asked)
            if noun.attribute and before is None and not (after and question_word):
                low, outwards = max(low, 1), True
        found = range(low, high + 1)
        return [at for at in (found if outwards else reversed(found)) if at or not noun.attribute]
