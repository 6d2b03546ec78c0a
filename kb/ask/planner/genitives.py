"""Bare possessives, which say a relation without naming it: "the team's things", "the systems of the team"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.patterns import Meaning
from kb.ask.planner.sequences import Steps
from kb.ask.planner.slots import GENITIVE, Slot
from kb.ask.planner.text import DETERMINERS, WILDCARDS, Question

__all__ = ["Named", "genitives"]

_TIES = frozenset({"of", "in", "at", "from", "for", "on", "by"})
_MOST = 6
"""With more relations than this to choose from, a possessive says nothing."""


@dataclass(frozen=True, slots=True)
class Named:
    """Words `start` to `end` (exclusive) that stand for things of the types in `mask`."""

    start: int
    end: int
    mask: int


@dataclass(frozen=True, slots=True)
class _Tie:
    place: int
    noun: Named | None
    weight: float


def genitives(
    question: Question,
    mentions: Sequence[Named],
    nouns: Sequence[Named],
    slots: Sequence[Slot],
    steps: Steps,
    inside: Mapping[int, int],
    people: int = 0,
    members: Collection[int] = (),
) -> list[Slot]:
    """Slots for possessives between an entity and a noun for a type, or nothing ("… are the team's?").

    `inside` has the hops from parts to wholes, `people` are the types of people, `members` the hops from members to
    their groups: "the people of the team" are its members. Between a noun for a relation and what it owns, a possessive
    is the way back: "films of the director of X".
    """
    found = []
    for mention in mentions:
        tie = _tie(question, mention.start, mention.end, nouns, bare=True)
        if tie is not None and tie.noun is None and _told(tie.place, mention.mask, slots, steps):
            continue
        if tie is not None:
            owned = _owned(tie, mention.mask, steps, inside)
            if tie.noun is not None and _only(tie.noun.mask, people):
                owned = [code for code in owned if code ^ 1 in members] or owned
            found.append(_slot(tie, _said(tie, mention.mask, slots, steps) or owned))
    for place in (token.index for token in question.tokens if token.lower == "whose"):
        # "teams whose systems call X": from the systems to the teams.
        owner = next((one for one in nouns if one.end == place), None)
        noun = next((one for one in nouns if place < one.start <= place + 2), None)
        if owner is not None and noun is not None:
            back = _owned(_Tie(place, noun, 0.7), owner.mask, steps, inside)
            found.append(_slot(_Tie(place, noun, 0.7), [code ^ 1 for code in back]))
        elif noun is not None and people and question.lower(noun.end) != "of":
            # "whose systems call X?" asks for people.
            codes = [code for code in range(2 * len(steps.relations)) if _only(steps.after(noun.mask, code), people)]
            found.append(_slot(_Tie(place, noun, 0.7), codes))
    for slot in slots:
        codes = [meaning.codes[0] for meaning in slot.meanings if meaning.kind == NOUN]
        tie = _tie(question, slot.start, slot.place + 1, nouns, bare=False) if codes else None
        if tie is not None and tie.noun is not None:
            ends = {code: steps.after(steps.after(steps.everything, code), code ^ 1) for code in codes}
            found.append(_slot(tie, [code ^ 1 for code in codes if ends[code] & tie.noun.mask]))
    return [slot for slot in found if slot.meanings]


def _tie(question: Question, start: int, end: int, nouns: Sequence[Named], *, bare: bool) -> _Tie | None:
    """What ties words `start` to `end` to a noun. `bare` allows none: "… are the team's?", "things in the show"."""
    if question.lower(end) == "'s" and question.same_segment(end - 1, end):
        noun = next((one for one in nouns if end < one.start <= end + 3), None)
        if noun is not None:
            return _Tie(end, noun, 0.7)
        last = not (question.same_segment(end, end + 1) and question.tokens[end + 1].content)
        return _Tie(end, None, 0.5) if bare and last else None
    noun = next((one for one in nouns if one.start == end and question.same_segment(end - 1, end)), None)
    if bare and noun is not None:
        return _Tie(end, noun, 0.55)  # "the Edge systems"
    before = question.previous_word(start, DETERMINERS)
    if question.lower(before) not in _TIES:
        return None
    noun = next((one for one in nouns if one.end == before), None)
    if noun is not None:
        return _Tie(before, noun, 0.6)
    loose = question.lower(before) != "of" and question.lower(before - 1) in WILDCARDS - {"one", "all"}
    return _Tie(before, None, 0.4) if bare and loose else None


def _only(reached: int, goal: int) -> bool:
    return bool(reached) and not reached & ~goal


def _told(place: int, mask: int, slots: Sequence[Slot], steps: Steps) -> bool:
    """Whether the ontology itself says what the word at a place means, so that nothing is to be guessed."""
    codes = [meaning.codes[0] for slot in slots if slot.place == place for meaning in slot.meanings]
    return any(steps.after(mask, code) or steps.after(mask, code ^ 1) for code in codes)


def _said(tie: _Tie, mask: int, slots: Sequence[Slot], steps: Steps) -> list[int]:
    """The hops that the owned noun itself says, where it is a noun for a relation: "works by Maurits"."""
    if tie.noun is None:
        return []
    here = [slot for slot in slots if slot.place == tie.noun.end - 1]
    codes = [meaning.codes[0] for slot in here for meaning in slot.meanings if meaning.kind == NOUN]
    return [code for code in codes if steps.after(mask, code)]


def _owned(tie: _Tie, mask: int, steps: Steps, inside: Mapping[int, int]) -> list[int]:
    """Every hop that a possessive could mean. A repeatable relation has two sides, so only wholes own their parts."""
    goal = steps.everything if tie.noun is None else tie.noun.mask
    return [
        code
        for code in range(2 * len(steps.relations))
        if steps.after(mask, code) & goal and (code not in steps.repeatable or inside.get(code ^ 1))
    ]


def _slot(tie: _Tie, codes: Sequence[int]) -> Slot:
    words = frozenset((tie.place,))
    codes = list(dict.fromkeys(codes))[:_MOST]
    weight = tie.weight if len(codes) < 2 else tie.weight / 2
    meanings = tuple(Meaning((code,), GENITIVE, weight, words, fixed=True) for code in codes)
    return Slot(tie.place, tie.place, tie.place + 1, meanings)
