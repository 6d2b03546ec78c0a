"""How far each hop goes: one step, or repeated until nothing new is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.ask.planner.chains import Chain
from kb.ask.planner.cues import Cue, Cues
from kb.ask.planner.sequences import Steps
from kb.ask.planner.text import Question

__all__ = ["repeated"]


@dataclass
class _Hop:
    """One hop of a chain: the place of the words that say it, None where none do."""

    code: int
    place: int | None = None
    far: bool = False
    can: bool = False


def repeated(chain: Chain, question: Question, cues: Cues, steps: Steps, impact: int | None) -> tuple[bool, ...]:
    """For each hop of the chain, whether it repeats. `impact` is a hop of the relation that says what needs what."""
    hops = _hops(chain, steps)
    beside = [cue for cue in cues.tree if any(hop.place is not None and 0 < cue.start - hop.place <= 1 for hop in hops)]
    closure = _nearest([*cues.closure, *beside], hops, question)
    direct = _nearest(cues.direct, hops, question) - closure
    everything = _nearest(cues.everything, hops, question, after_only=True)
    result = []
    for at, hop in enumerate(hops):
        # "the callers of the callers" counts the steps itself.
        again = any(hops[other].code == hop.code for other in (at - 1, at + 1) if 0 <= other < len(hops))
        needs = impact is not None and hop.code >> 1 == impact >> 1
        understood = not again and (steps.relation(hop.code).transitive or (needs and at in everything))
        wide = at in closure or hop.far or understood
        result.append(hop.can and wide and at not in direct)
    return tuple(result)


def _hops(chain: Chain, steps: Steps) -> list[_Hop]:
    hops: list[_Hop] = []
    for one in chain.said:
        # Steps that are counted ("two levels up") or lead there and back do not repeat.
        single = len({code >> 1 for code in one.codes}) == len(one.codes)
        hops += [_Hop(code, one.slot.place, one.meaning.far, single) for code in one.codes]
    hops += [_Hop(code, can=True) for code in chain.codes[len(hops) :]]
    for hop, mask in zip(hops, chain.masks, strict=False):
        reached = steps.after(mask, hop.code)
        hop.can = hop.can and bool(steps.after(reached, hop.code))
    return hops


def _nearest(found: Sequence[Cue], hops: Sequence[_Hop], question: Question, *, after_only: bool = False) -> set[int]:
    """Which hop each cue speaks of: the nearest one that can repeat, in its own segment if there is one."""
    chosen: set[int] = set()
    for cue in found:
        options = []
        for at, hop in enumerate(hops):
            if not hop.can or (after_only and (hop.place is None or hop.place < cue.start)):
                continue
            if hop.place is None:
                options.append((True, len(question.tokens), at))
            else:
                apart = min(abs(hop.place - cue.start), abs(hop.place - cue.end + 1))
                options.append((not question.same_segment(hop.place, cue.start), apart, at))
        if options:
            chosen.add(min(options)[2])
    return chosen
