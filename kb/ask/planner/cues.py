"""What the words of a question say beside its relations: how far, how many, what is broken, above and below.

All of it is general English; nothing here knows a subject area.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from kb.ask.planner.text import Question
from kb.language import NUMBER_WORDS

__all__ = ["ABOVE", "BELOW", "WORDS", "Cue", "Cues"]

ABOVE, BELOW = "above", "below"

_NUMBERS = {
    **{word: number for word, number in NUMBER_WORDS.items() if number > 1},
    "second": 2,
    "third": 3,
    "fourth": 4,
}
_MOST_LEVELS = 5


def _any(*patterns: str) -> re.Pattern[str]:
    """One pattern for whole words; a space stands for one or more."""
    return re.compile(r"\b(?:" + "|".join(pattern.replace(" ", r"\s+") for pattern in patterns) + r")\b")


_DEEP = r"(?:depth|level|distance|degree|remove|hop|tier|layer|step|stage)s?"
_CLOSURE = _any(
    r"directly or (?:in|not|through|via|by|otherwise|transitively)\S*",
    r"direct (?:or|and) (?:in|transitive)\S*",
    r"(?:directly (?:and|or|as well as) )?(?:indirect(?:ly)?|transitive(?:ly)?|recursive(?:ly)?)(?: ones)?",
    rf"(?:any|all|every|each|whatever|whichever|unlimited|arbitrary|of any)(?: the)? {_DEEP}",
    r"whatever the \w+",
    r"no matter how \w+",
    r"however (?:far|deep|deeply|indirect|indirectly|remote|remotely|long|distant|many)",
    r"all the way",
    r"(?:right |down |up )?to the (?:very )?(?:bottom|top|end|root)",
    r"sooner or later",
    r"eventually",
    r"ultimately",
    r"in the (?:end|long run)",
    r"end(?:s|ed|ing)? up",
    r"(?:through|via) (?:any|other|others|intermediar\w*|anything|something|a chain|chains|one another|each other)",
    r"(?:full|whole|complete|entire|total) (?:\w+ )?"
    r"(?:closure|chain|tree|graph|set|stack|hierarchy|line|lot|list|ancestry|lineage|radius)",
    r"closure",
    r"anywhere",
    r"somewhere",
    r"at some (?:point|level|depth)",
    r"(?:up|down|along) the (?:\w+ )?(?:chain|line|tree|stack|hierarchy|ladder)",
    r"deep down",
    r"one way or (?:the other|another)",
    r"in any way",
    r"by any (?:route|path|way)",
    r"at any \w+",
    r"step by step",
    r"and so (?:on|forth)",
    r"(?:going|all) back",
    r"far (?:up|down|back)",
    r"not (?:just|only|merely|necessarily) (?:the )?direct\w*",
)
_FILLER = r"(?:a |an |the |its |their |any |some |other |another )?"
_ASIDE = _any(
    r"(?:all the way )?(?:down|up) to the (?:last |very |single )?\w+",
    r"(?:somewhere|anywhere) (?:in|along|down|up) the \w+",
    r"(?!not |are |is |be )(?:sub )?\w+ included",
    r"(?:incl|including|also|even|plus)(?: (?:those|ones|the ones|things|anything|everything|if))?"
    rf" (?:in|via|through|inside|within) {_FILLER}\w+(?: or {_FILLER}\w+)?",
    r"(?P<twice>\w+) of (?:the |its |their )?(?P=twice) (?:too|as well|also)",
    r"(?P<series>\w+)(?: (?:,|'s|of|and|the|his|her|its|their|(?P=series)))* and so (?:on|forth)",
)
"""Words that say any depth and may hold words of the ontology which say nothing else."""
_ONLY_DIRECT = _any(r"not (?:the )?(?:in)direct\w*", r"no indirect\w*")
_EVERYTHING = _any("everything", "all that", "whatever")
_DIRECT = _any(
    r"directly",
    r"direct",
    r"immediate(?:ly)?",
    r"first (?:level|order|degree|hop|step)",
    r"in one (?:hop|step)",
    r"only one (?:hop|step|level)",
    r"without (?:anything|others?|intermediar\w*) between",
)
_LEVELS = re.compile(
    rf"\b(?P<number>{'|'.join(_NUMBERS)}|\d+)\s+(?:levels?|steps?|hops?|layers?|degrees?|order|tiers?|generations?|times)"
    r"(?:\s+(?:further|away|removed))?"
    r"(?:\s+(?P<way>up|upwards|above|upstream|down|downwards|below|downstream|deep|back))?(?:\s+(?:from|of|removed|away))?\b"
)
_UPWARDS = frozenset({"up", "upwards", "above", "upstream", "back"})
_DOWN = r"(?:down|dark|offline)"
_IMPACT = _any(
    r"(?:(?:is|are|be|been|being|gets?|was|were|anything|anyone|what|things?) )?(?:affect|impact)(?:s|ed|ing)?",
    r"break(?:s|ing)?",
    r"broken",
    r"degrad(?:e|es|ed|ing)",
    r"suffer(?:s|ing)?",
    r"hurts?",
    r"hits?",
    r"notice[sd]?",
    r"feels?",
    r"felt",
    r"stop(?:s|ped)? working",
    r"malfunctions?",
    r"blast radius",
    r"knock on(?: effects?)?",
    r"fall ?out",
    r"ripples?(?: effects?)?",
    r"collateral(?: damage)?",
    r"cascad(?:e|es|ing)",
    r"consequences?",
    r"repercussions?",
    r"effects?",
    r"at risk",
    r"in (?:trouble|danger)",
    r"exposed to the (?:outage|failure|loss)",
    r"taken? (?:out|down)",
    r"spoil(?:s|ed|t)?",
    r"ruin(?:s|ed)?",
    r"delay(?:s|ed)",
    r"infect(?:s|ed)",
    r"contaminate[sd]",
    r"tainted",
    r"damaged",
    r"held up",
    r"victims?",
    r"jeopardi[sz]ed",
    r"endangered",
    r"compromised",
    r"disrupted",
    r"interrupted",
    r"impair(?:ed|s)?",
    r"touched",
    r"reach(?:es)?",
    r"spreads?",
    r"(?:lose|loses|losing) (?:service|function\w*)",
    rf"(?:go|goes|going|come|comes|falls?|dies?|fails?|crash(?:es)?) (?:{_DOWN}|over)(?: (?:together|along))? with",
    r"(?:dies?|fails?|crash(?:es)?|falls?) (?:together |along )?with",
    r"(?:would|will|could|can|might|must|may|else|what|which|also|[a-z]+s) (?:also )?"
    rf"(?:fails?|go {_DOWN}|goes {_DOWN}|dies?|crash|stops?)(?: (?:together )?with)?",
)
_LOSS = _any(
    r"loss of",
    r"losing",
    r"outages?",
    r"failures?",
    r"fail(?:s|ed|ing)?",
    r"down",
    r"offline",
    r"dead",
    r"dies",
    r"full",
    r"unavailable",
    r"unreachable",
    r"maintenance",
    r"crash\w*",
    r"gone",
    r"goes away",
    r"shut ?down",
    r"switched off",
    r"incident",
    r"broken",
    r"breaks",
    r"freeze",
    r"out of order",
    r"lost",
    r"went off",
    r"infected",
    r"contaminated",
    r"spoil(?:ed|t)",
    r"delayed",
    r"recalled",
    r"damaged",
)
_ABOVE = _any("above", "on top of", "upwards? (?:of|from)", "up from", "upwards")
_BELOW = _any(
    "under", "below", "beneath", "underneath", "downwards? from", "down from", "downwards", "at the bottom of"
)
_TREE = _any("tree", "chain", "graph", "hierarchy", "closure", "stack")
_COUNT = _any("how many", "how much", "(?:the )?(?:total )?number of", "count of")
_COUNT_ORDER = re.compile(r"^count\b")
_MOST = _any("(?:the )?(?:most|(?:greatest|largest|highest|biggest) number of)")
_BOTH = _any("both", "in common", "jointly", "common to", "as well as", "at the same time", "together")
_EITHER = _any("either", "or")
_NOT = _any(
    r"not(?! (?:just|only|merely|necessarily))", r"never", r"cannot", r"neither", r"nor", r"no longer", r"\w+n't"
)
_NOTHING = _any(
    r"(?:no|without|lacks?|lacking|missing|nobody|no one|nothing|none|have no|has no|with no)(?: (?:a|an|any))?"
)
_OTHER = _any("other", "others", "else", "another", "besides")
_SHARE = _any("shares?", "sharing", "shared", "same", "co", "together with", "together", "in common with")


WORDS = frozenset(
    word
    for pattern in (
        *(_CLOSURE, _ASIDE, _EVERYTHING, _DIRECT, _LEVELS, _IMPACT, _LOSS, _ABOVE, _BELOW, _TREE),
        *(_COUNT, _MOST, _BOTH, _EITHER, _NOT, _NOTHING, _OTHER, _SHARE),
    )
    for word in re.findall(r"[a-z]{3,}", pattern.pattern)
)
"""Words that cues are made of, and so no misspelt names."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Words `start` to `end` (exclusive) of the question. `number` and `way` are for levels."""

    start: int
    end: int
    number: int = 0
    way: str = ""

    @property
    def places(self) -> range:
        """The places of its words."""
        return range(self.start, self.end)


class Cues:
    """The cues of one question. `masked` are the words that name entities and so say nothing else."""

    def __init__(self, question: Question, masked: frozenset[int]) -> None:
        self._text = ""
        self._starts: list[int] = []
        for token in question.tokens:
            if token.index and token.segment != question.tokens[token.index - 1].segment:
                self._text += "| "
            elif token.index and "," in token.before:
                self._text += ", "
            self._starts.append(len(self._text))
            self._text += ("@" if token.index in masked else token.lower) + " "
        self._starts.append(len(self._text))

    def _find(self, *patterns: re.Pattern[str], way: str = "") -> list[Cue]:
        return [self._cue(match, way=way) for pattern in patterns for match in pattern.finditer(self._text)]

    def _cue(self, match: re.Match[str], number: int = 0, way: str = "") -> Cue:
        inside = [at for at, start in enumerate(self._starts[:-1]) if match.start() <= start < match.end()]
        first = next(at for at, end in enumerate(self._starts[1:]) if end > match.start())
        return Cue(min([first, *inside]), max([first, *inside]) + 1, number, way)

    @cached_property
    def levels(self) -> list[Cue]:
        """Numbers of levels ("two levels up", "third order"), with the way where it is said."""
        found = []
        for match in _LEVELS.finditer(self._text):
            number = _NUMBERS.get(match["number"]) or int(match["number"])
            if 1 <= number <= _MOST_LEVELS:
                way = ABOVE if match["way"] in _UPWARDS else BELOW if match["way"] else ""
                found.append(self._cue(match, number, way))
        return found

    @cached_property
    def closure(self) -> list[Cue]:
        """Words for any depth: "directly or indirectly", "all the way down"."""
        refused = {place for cue in self._find(_ONLY_DIRECT) for place in cue.places}
        return [cue for cue in (*self._find(_CLOSURE), *self.asides) if refused.isdisjoint(cue.places)]

    @cached_property
    def asides(self) -> list[Cue]:
        """Words for any depth that name the things on the way: "sub-sections included", "down to the last part"."""
        return self._find(_ASIDE)

    @cached_property
    def everything(self) -> list[Cue]:
        """Words such as "everything that …": any depth for what can be repeated, unless said otherwise."""
        return self._find(_EVERYTHING)

    @cached_property
    def direct(self) -> list[Cue]:
        """Words for one step ("directly"), where they are not half of "directly or indirectly"."""
        far = {place for cue in self.closure for place in cue.places}
        return [cue for cue in self._find(_DIRECT) if cue.start not in far]

    @cached_property
    def impact(self) -> list[Cue]:
        """Words for what a failure does to others: "is affected", "breaks", "blast radius"."""
        return self._find(_IMPACT)

    @cached_property
    def loss(self) -> list[Cue]:
        """Words for something that is not there: "outage", "is down"."""
        return self._find(_LOSS)

    @cached_property
    def space(self) -> list[Cue]:
        """Words for where something stands: "above", "underneath"."""
        taken = {place for cue in self.levels for place in cue.places}
        found = [*self._find(_ABOVE, way=ABOVE), *self._find(_BELOW, way=BELOW)]
        return [cue for cue in found if cue.start not in taken]

    @cached_property
    def count(self) -> list[Cue]:
        """Words that ask for a number: "how many"."""
        return self._find(_COUNT, _COUNT_ORDER)

    @cached_property
    def most(self) -> list[Cue]:
        """Words that ask for the largest number: "the most"."""
        return self._find(_MOST)

    @cached_property
    def both(self) -> list[Cue]:
        """Words for what is shared: "both", "in common"."""
        return self._find(_BOTH)

    @cached_property
    def negations(self) -> list[Cue]:
        """Words that deny: "not", "never"."""
        return self._find(_NOT)

    @cached_property
    def nothing(self) -> list[Cue]:
        """Words for having none: "no", "without", "nobody"."""
        return self._find(_NOTHING)

    @cached_property
    def other(self) -> list[Cue]:
        """Words that leave out what is asked about: "other", "else"."""
        return self._find(_OTHER)

    @cached_property
    def share(self) -> list[Cue]:
        """Words for a way there and back: "share", "same", "co-"."""
        return self._find(_SHARE)

    @cached_property
    def tree(self) -> list[Cue]:
        """Nouns for all of something: "tree", "chain"."""
        return self._find(_TREE)

    @cached_property
    def covered(self) -> frozenset[int]:
        """The places of all words that cues account for."""
        found = (*self.closure, *self.direct, *self.levels, *self.count, *self.both, *self.space, *self.impact)
        return frozenset(place for cue in (*found, *self._find(_EITHER)) for place in cue.places)
