"""Words that only say how far, or only go back to what was said: they name no hop and no type of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb.ask.planner.cues import Cue
from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.nouns import Noun
from kb.ask.planner.sequences import Steps
from kb.ask.planner.slots import Slot
from kb.ask.planner.text import Question

__all__ = ["without_aside_nouns", "without_aside_slots", "without_echoes"]

_DEMONSTRATIVES = frozenset({"that", "this", "those", "these"})


def without_aside_slots(
    slots: Sequence[Slot], asides: Sequence[Cue], question: Question, nouns: frozenset[int]
) -> list[Slot]:
    """The slots without those that only say how far another one goes: "…, sub-sections included".

    `nouns` are the words that name types.
    """
    inside = {place for cue in asides for place in cue.places}
    followed: set[int] = set()
    for slot in slots:
        if slot.place not in inside:
            followed |= _relations(slot)
    kept = []
    for slot in slots:
        if slot.place in inside:
            verb = slot.place in nouns and bool(followed) and not slot.noun
            if question.lower(slot.place) == "included" or verb or not followed.isdisjoint(_relations(slot)):
                continue
            followed |= _relations(slot)
        kept.append(slot)
    return kept


def without_aside_nouns(nouns: Sequence[Noun], asides: Sequence[Cue], steps: Steps) -> list[Noun]:
    """The nouns without those that name the far end of a repetition: "down to the last part"."""
    inside = {place for cue in asides for place in cue.places}
    reached = 0
    for code in steps.repeatable:
        reached |= steps.after(steps.everything, code)
    return [noun for noun in nouns if noun.attribute or noun.start not in inside or not noun.mask & reached]


def without_echoes(slots: Sequence[Slot], nouns: Sequence[Noun], question: Question) -> list[Slot]:
    """The slots without nouns that name a set again: "she is in a section. Who leads that section?"."""
    again = [noun for noun in nouns if question.lower(noun.start - 1) in _DEMONSTRATIVES]
    echoes = {place for noun in again for place in noun.places}
    kept = []
    for slot in slots:
        meanings = tuple(one for one in slot.meanings if one.kind != NOUN or not one.words <= echoes)
        if meanings:
            kept.append(replace(slot, meanings=meanings))
    return kept


def _relations(slot: Slot) -> set[int]:
    return {code >> 1 for meaning in slot.meanings for code in meaning.codes}
