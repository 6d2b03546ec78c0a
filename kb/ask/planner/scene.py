"""One question with one choice of what its names mean: its slots, nouns, and which entities it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from kb.ask.planner.asides import without_aside_nouns, without_aside_slots, without_echoes
from kb.ask.planner.background import Background
from kb.ask.planner.chains import Reader
from kb.ask.planner.cues import Cues
from kb.ask.planner.genitives import Named, genitives
from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.mentions import Mention, with_noun
from kb.ask.planner.nouns import Noun, find_nouns, without_covered, without_modifiers
from kb.ask.planner.slots import Slot, find_slots, merged, way
from kb.ask.planner.syntax import Syntax
from kb.ask.planner.text import DETERMINERS, PREPOSITIONS, PRONOUNS, Question

__all__ = ["DOUBTFUL", "PLURAL", "SINGULAR", "Group", "Scene", "choices"]

DOUBTFUL = 0.6
"""Mentions less sure than this may be common words."""

SINGULAR = frozenset({"it", "its", "this"})
PLURAL = frozenset({"they", "them", "their", "those", "these"})

_MOST_DOUBTS = 3
_MOST_SLOTS, _MOST_GROUPS = 24, 4
"""No question that people ask says more; a pasted text may."""
_SURE = 0.75
_LEAVE_OUT = frozenset({"not", "nor", "except", "without", "excluding"})
_LINKS = frozenset({"the", "a", "an", "both", "also", "either", "but"})


@dataclass(frozen=True)
class Group:
    """Mentions of one entity, or of several joined by "and" or "or".

    `ids` are the entities that each may name. `joined`: any, all, except, or either, where it hangs on the relation.
    """

    mentions: tuple[Mention, ...]
    ids: tuple[tuple[str, ...], ...]
    joined: str = "any"

    @property
    def confidence(self) -> float:
        """How sure the surest of its mentions is."""
        return max(mention.confidence for mention in self.mentions)

    @property
    def start(self) -> int:
        """The place of its first word."""
        return min(mention.start for mention in self.mentions)

    @property
    def end(self) -> int:
        """The place after its last word."""
        return max(mention.end for mention in self.mentions)

    def readings(self, background: Background) -> list[tuple[str, ...]]:
        """Which entities may be meant: one for each mention, the first of each type where a name is shared."""
        options = []
        for ids in self.ids:
            by_type: dict[str, str] = {}
            for one in ids:
                by_type.setdefault(background.entities[one].type, one)
            options.append(list(by_type.values()))
        if len(options) == 1:
            return [(one,) for one in options[0]]
        return [tuple(option[0] for option in options)]


class Scene:
    """What stands in one question when it names these entities."""

    def __init__(self, question: Question, mentions: Sequence[Mention], background: Background) -> None:
        self.question, self.background = question, background
        names = frozenset(place for one in mentions for place in range(one.start, one.end))
        self.cues = Cues(question, names)
        steps, lexicon = background.steps, background.lexicon
        nouns = find_nouns(question, lexicon, steps, background.numbers, names)
        self.mentions = [self._beside(mention, nouns) for mention in mentions]
        self.masked = frozenset(place for one in self.mentions for place in range(one.start, one.end))
        nouns = [noun for noun in nouns if noun.start not in self.masked]
        spoken = frozenset(place for noun in nouns if not noun.attribute for place in noun.places)
        found = find_slots(question, lexicon, self.cues, self.masked, spoken, background.impact, background.above)
        found = without_echoes(without_covered(found, nouns), [noun for noun in nouns if not noun.attribute], question)
        self.nouns = without_aside_nouns(without_modifiers(nouns, found), self.cues.asides, steps)
        types = [noun for noun in self.nouns if not noun.attribute]
        owners = [Named(one.start, one.end, background.mask(one.ids)) for one in self.mentions]
        owned = [Named(noun.start, noun.end, noun.mask) for noun in types]
        bare = genitives(
            question, owners, owned, found, steps, lexicon.containment, background.people, lexicon.affiliation
        )
        slots = _weighed(without_aside_slots(merged(found, bare), self.cues.asides, question, spoken), question)
        self.slots = sorted(sorted(slots, key=lambda slot: -slot.weight)[:_MOST_SLOTS], key=lambda slot: slot.place)
        surest = sorted(self._groups(), key=lambda group: -group.confidence)[:_MOST_GROUPS]
        self.groups = sorted(surest, key=lambda group: group.start)
        pronouns = {t.index for t in question.tokens if t.lower in PRONOUNS - {"that", "one", "there"}}
        syntax = Syntax(
            question,
            self.slots,
            nouns={place: noun.mask for noun in types for place in range(noun.start, noun.end)},
            plurals=frozenset(noun.end - 1 for noun in types if noun.plural),
            references=self.masked | pronouns,
        )
        ways = [(way(noun.places), noun.mask) for noun in types]
        self.reader = Reader(syntax, steps, background.parts, background.gaps, ways)

    def _beside(self, mention: Mention, nouns: Sequence[Noun]) -> Mention:
        """A mention with the noun beside it, which also decides between entities of one name."""
        background, question = self.background, self.question
        for noun in nouns:
            near = noun.start == mention.end or noun.end == mention.start
            of = noun.end == mention.start - 1 and question.lower(noun.end) == "of"
            near = near or (of and question.lower(noun.start - 1) == "the")
            if noun.attribute or noun.plural or not near:
                continue
            fitting = tuple(one for one in mention.ids if background.mask((one,)) & noun.mask)
            if fitting:
                return with_noun(replace(mention, ids=fitting), noun.start, noun.end, question)
        return mention

    def stranger(self) -> str | None:
        """A name that the catalogue lacks, where an entity is expected: "things owned by Frobnicator"."""
        question = self.question
        capitals = sum(token.text[:1].isupper() for token in question.tokens)
        if 2 * capitals > len(question.tokens):
            return None  # Capitals say nothing here.
        known = self.background.known
        for slot in self.slots:
            at = question.next_word(slot.end - 1, DETERMINERS)
            token = question.tokens[at] if at < len(question.tokens) else None
            if token is None or not slot.verb or slot.weight < _SURE or token.context or at in self.masked:
                continue
            if token.text[:1].isupper() and token.content and token.lemmas.isdisjoint(known):
                return token.text
        return None

    # -- groups -----------------------------------------------------------

    def _groups(self) -> list[Group]:
        same: dict[tuple[str, ...], list[Mention]] = {}
        for mention in self.mentions:
            same.setdefault(mention.ids, []).append(mention)
        firsts = [found[0] for found in same.values()]
        groups: list[Group] = []
        at = 0
        while at < len(firsts):
            run, words = [firsts[at]], list[str]()
            while at + len(run) < len(firsts):
                link = self._link(run, firsts[at + len(run)])
                if link is None:
                    break
                words += link
                run.append(firsts[at + len(run)])
            if len(run) > 1:
                groups.append(Group(tuple(run), tuple(one.ids for one in run), self._joined(words)))
            else:
                groups.append(Group(tuple(same[run[0].ids]), (run[0].ids,)))
            at += len(run)
        return groups

    def _link(self, run: Sequence[Mention], following: Mention) -> list[str] | None:
        """The words that join a mention to those before it; None where others than "and" stand between."""
        question, last = self.question, run[-1]
        if not question.same_segment(last.start, following.start):
            return None
        shared = question.lower(run[0].start - 1)
        shared = shared if shared in PREPOSITIONS else ""
        words = [question.lower(place) for place in range(last.end, following.start)]
        words = [word for word in words if word != shared and word not in _LINKS]
        if not words:
            comma = any("," in question.tokens[place].before for place in range(last.end, following.start + 1))
            return [] if comma else None
        return words if set(words) <= _LEAVE_OUT | {"and", "or"} else None

    def _joined(self, words: Sequence[str]) -> str:
        if _LEAVE_OUT & set(words):
            return "except"
        if "or" in words:
            return "any"
        return "all" if self.cues.both else "either"


def choices(mentions: list[Mention]) -> list[list[Mention]]:
    """All mentions, and without the doubtful ones, which may be common words."""
    doubtful = [mention for mention in mentions if mention.confidence < DOUBTFUL]
    found = [mentions]
    if len(doubtful) <= _MOST_DOUBTS:
        for size in range(1, len(doubtful) + 1):
            found += [[one for one in mentions if one not in left] for left in combinations(doubtful, size)]
    else:
        sure = [one for one in mentions if one not in doubtful]
        found += [sure, *([one for one in mentions if one in sure or one is single] for single in doubtful)]
    return [choice for choice in found if choice]


def _weighed(slots: Sequence[Slot], question: Question) -> list[Slot]:
    """Slots of sentences that only set the scene count for less, unless the question goes back to what they say."""
    if all(question.tokens[slot.place].context for slot in slots):
        return list(slots)
    refers = any(token.lower in PLURAL for token in question.tokens if not token.context)
    weighed = []
    for slot in slots:
        if question.tokens[slot.place].context:
            noun = all(meaning.kind == NOUN or meaning.fixed for meaning in slot.meanings)
            slot = slot.less(0.9 if refers else 0.5 if noun else 0.15)
        weighed.append(slot)
    return weighed
