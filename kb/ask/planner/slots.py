"""Where a question says a hop: each such place with all the hops that its words can mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.ask.planner.cues import ABOVE, Cues
from kb.ask.planner.lexicon import NOUN, Lexicon
from kb.ask.planner.patterns import Matcher, Meaning
from kb.ask.planner.text import BE, PREPOSITIONS, WH, Question

__all__ = ["GENITIVE", "IMPACT", "SPACE", "WAY", "Slot", "find_slots", "merged", "way"]

IMPACT, SPACE, GENITIVE, WAY = "impact", "space", "genitive", "way"

_SUPPOSED = 0.35
"""How much a slot counts in a clause that only supposes something ("if X cannot take writes")."""
_LATER = 0.05
"""How much less each further relation counts that a word such as "above" may mean."""
_SWALLOWED = 0.3
"""How much a preposition counts that also belongs to a verb ("kept in")."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The hop that stands at word `place`; `start` to `end` (exclusive) are all its words that stand together.

    `negated`: "not" stands before it. `fronted`: its preposition stands before a question word. `shared`: "same", "co-"
    or the like makes it a way there and back. `asked`: a noun after "which" or "what". `times`: how often it is
    followed ("second-order dependencies").
    """

    place: int
    start: int
    end: int
    meanings: tuple[Meaning, ...]
    importance: float = 1.0
    negated: bool = False
    fronted: bool = False
    shared: bool = False
    asked: bool = False
    times: int = 1

    @property
    def weight(self) -> float:
        """What its words are worth at most."""
        return self.importance * max(meaning.weight for meaning in self.meanings)

    @property
    def noun(self) -> bool:
        """Whether it can be a noun."""
        return any(meaning.kind == NOUN for meaning in self.meanings)

    @property
    def verb(self) -> bool:
        """Whether it can be something else than a noun."""
        return any(meaning.kind != NOUN for meaning in self.meanings)

    def less(self, factor: float) -> Slot:
        """The slot, counting for less."""
        return replace(self, importance=self.importance * factor)


def find_slots(
    question: Question,
    lexicon: Lexicon,
    cues: Cues,
    masked: frozenset[int],
    types: frozenset[int],
    impact: int | None,
    above: Sequence[int],
) -> list[Slot]:
    """All slots of a question, left to right.

    `masked` are the words of entities, `types` those of nouns for types. `impact` is the hop to what fails with a thing
    and `above` the hops to what stands above it, likeliest first, for words such as "breaks" and "underneath"; None and
    empty where the ontology has no such relation.
    """
    matcher = Matcher(question, masked, types)
    found: dict[int, list[Meaning]] = {}
    for token in question.tokens:
        if token.index not in masked:
            for pattern in lexicon.patterns_of(token.lemmas):
                meaning = matcher.match(pattern, token.index)
                if meaning is not None:
                    found.setdefault(token.index, []).append(meaning)
    if impact is not None:
        _impact(question, cues, masked, impact, found)
    _space(cues, above, found)
    _whose(question, sorted(lexicon.owners or lexicon.keepers), masked, found)
    _prune(found)
    return [_slot(place, found, question, cues, matcher.fronted) for place in sorted(found)]


def way(places: range) -> Slot:
    """The slot of a noun for a type, which a chain passes through by hops that nobody says."""
    return Slot(places.start, places.start, places.stop, (Meaning((), WAY, 0.0, frozenset(places), fixed=True),))


# -- words of general English ---------------------------------------------


def _impact(
    question: Question, cues: Cues, masked: frozenset[int], impact: int, found: dict[int, list[Meaning]]
) -> None:
    """Words that say what fails with a thing, without naming the relation."""
    supposed = {place for clause in question.conditions for place in clause}
    lost = bool(cues.loss or supposed & masked)
    for cue in cues.impact:
        places = [place for place in range(cue.start, cue.end) if place not in masked]
        before = question.lower(cue.start - 1)
        # "X fails", "it is hit" says what is wrong with X, not what X does to others.
        itself = cue.start - 1 in masked or (cue.start - 2 in masked and before in {"it", "this", "that"} | BE)
        if not places or (cue.start in supposed and supposed & masked) or (itself and len(places) == 1):
            continue
        place = max(places, key=lambda one: (question.tokens[one].content, one))
        meaning = Meaning((impact,), IMPACT, 1.1 if lost else 0.9, frozenset(places), far=True, fixed=True)
        found.setdefault(place, []).append(meaning)


def _space(cues: Cues, above: Sequence[int], found: dict[int, list[Meaning]]) -> None:
    """Words that say where a thing stands, as if everything rested on what it needs or lay below what it is part of."""
    for cue in (*cues.space, *(cue for cue in cues.levels if cue.way)):
        words = frozenset(range(cue.start, cue.end))
        times = max(cue.number, 1)
        for number, one in enumerate(above):
            code = one if cue.way == ABOVE else one ^ 1
            weight = (1.0 if cue.number else 0.8) - _LATER * number
            meaning = Meaning((code,) * times, SPACE, weight, words, far=not cue.number, fixed=True)
            found.setdefault(cue.start, []).append(meaning)


def _whose(
    question: Question, possession: Sequence[int], masked: frozenset[int], found: dict[int, list[Meaning]]
) -> None:
    """The words "whose is it?", for relations that the ontology says with "own" or "belong"."""
    for token in question.tokens:
        after = token.index + 1
        if token.lower == "whose" and (question.lower(after) in BE or after in masked):
            found.setdefault(token.index, []).extend(
                Meaning((code,), GENITIVE, 0.6, frozenset((token.index,)), fixed=True) for code in possession
            )


# -- slots from meanings --------------------------------------------------


def _prune(found: dict[int, list[Meaning]]) -> None:
    """Drops nouns whose words are all inside a longer phrase for another relation, and all but the best of equals."""
    long = [one for meanings in found.values() for one in meanings if len(one.words) > 1 and one.weight >= 0.75]
    for place in list(found):
        best: dict[tuple[tuple[int, ...], str], Meaning] = {}
        for meaning in found[place]:
            if meaning.kind == NOUN and any(_inside(meaning, other) for other in long):
                continue
            key = (meaning.codes, meaning.kind)
            if key not in best or best[key].weight < meaning.weight:
                best[key] = meaning
        if best:
            found[place] = list(best.values())
        else:
            del found[place]


def _inside(meaning: Meaning, other: Meaning) -> bool:
    return (
        meaning.words < other.words
        and meaning.weight <= other.weight + 0.2
        and meaning.codes[0] >> 1 != other.codes[0] >> 1
    )


def _slot(
    place: int, found: dict[int, list[Meaning]], question: Question, cues: Cues, fronted: frozenset[int] | set[int]
) -> Slot:
    meanings = found[place]
    words = frozenset().union(*(meaning.words for meaning in meanings))
    start = end = place
    while start - 1 in words:
        start -= 1
    while end + 1 in words:
        end += 1
    importance = 1.0
    if len(words) == 1 and question.lower(place) in PREPOSITIONS:
        others = [one for at, more in found.items() if at != place for one in more]
        if any(words < one.words and one.weight >= 0.9 for one in others):
            importance = _SWALLOWED
    if any(place in clause for clause in (*question.conditions, *question.purposes)) or _trails(place, end, question):
        importance = min(importance, _SUPPOSED)
    back = start - 1
    while back >= start - 3 and question.same_segment(back, start) and question.tokens[back].content:
        back -= 1
    asked = question.same_segment(back, start) and question.lower(back) in {"which", "what"}
    return Slot(
        place,
        start,
        end + 1,
        tuple(meanings),
        importance,
        negated=_negated(place, question, cues),
        fronted=place in fronted,
        shared=_shared(place, question, cues),
        asked=asked and any(meaning.kind == NOUN for meaning in meanings),
        times=_times(place, question, cues),
    )


def _negated(place: int, question: Question, cues: Cues) -> bool:
    return any(
        question.same_segment(cue.start, place)
        and 0 <= place - cue.start <= 4
        and not any(question.lower(at) in WH or "," in question.tokens[at].before for at in range(cue.end, place))
        for cue in cues.negations
    )


def _shared(place: int, question: Question, cues: Cues) -> bool:
    """Whether a way there and back is meant: "share directors", "co-directed", "starred together with"."""
    for cue in cues.share:
        if not question.same_segment(cue.start, place):
            continue
        if 0 <= place - cue.end <= 1:
            return True
        if question.lower(cue.start) in {"together", "same"} and 0 < cue.start - place <= 3:
            return True
    return False


def _times(place: int, question: Question, cues: Cues) -> int:
    for cue in cues.levels:
        if not cue.way and question.same_segment(cue.start, place) and abs(cue.start - place) <= 4:
            return cue.number
    return 1


def _trails(place: int, end: int, question: Question) -> bool:
    """Whether a word in "-ing" only trails after a comma: "… directly, writing or reading?"."""

    def joins(at: int) -> bool:
        return question.lower(at).endswith("ing") or question.lower(at) in {"or", "and"}

    if not question.lower(place).endswith("ing"):
        return False
    after = end + 1
    while question.same_segment(place, after) and joins(after):
        after += 1
    if question.same_segment(place, after):
        return False
    at = place
    while joins(at):
        if "," in question.tokens[at].before:
            return True
        at -= 1
    return False


def merged(slots: Sequence[Slot], more: Sequence[Slot]) -> list[Slot]:
    """All slots, left to right, with the meanings of those at one place together."""
    by_place = {slot.place: slot for slot in slots}
    for slot in more:
        here = by_place.get(slot.place)
        if here is not None:
            by_place[slot.place] = replace(here, meanings=(*here.meanings, *slot.meanings))
            continue
        phrases = [one for other in slots for one in other.meanings if len(one.words) > 1 and one.weight >= 0.9]
        swallowed = any(slot.place in phrase.words for phrase in phrases)
        by_place[slot.place] = slot.less(_SWALLOWED) if swallowed else slot
    return [by_place[place] for place in sorted(by_place)]
