"""What a text denies, restricts or orders, and where another text says otherwise.

A negation is held by the words that it denies: "is not retried" and "never retries" say the same, while "is not
retried" and "is retried" do not. Words that mean the opposite cancel a negation: "not required" is "optional".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kb.index._opposites import opposite_pairs
from kb.language import STOPWORDS, Word, lemmas, words

__all__ = ["Claims", "claims_in", "claims_that_differ"]

NOT, ONLY, EXCEPT = "not", "only", "except"
_NEGATORS = frozenset(
    "not never no none neither nor nothing nobody nowhere cannot without non hardly rarely seldom".split()  # noqa: SIM905
)
_RESTRICTING = frozenset({"only", "solely", "exclusively"})
_EXCEPTING = frozenset({"except", "unless", "excluding", "barring"})
_PHRASES: tuple[tuple[str, str, str], ...] = (
    ("no longer", NOT, ""),
    ("instead of", NOT, ""),
    ("rather than", NOT, ""),
    ("as opposed to", NOT, ""),
    ("other than", EXCEPT, ""),
    ("apart from", EXCEPT, ""),
    ("aside from", EXCEPT, ""),
    ("with the exception of", EXCEPT, ""),
    ("nothing but", ONLY, ""),
    ("not only", "", ""),
    ("whether or not", "", ""),
    ("no matter", "", ""),
    ("without regard", "", ""),
    ("never again", ONLY, ""),
    ("no more than", "", "at most"),
    ("not more than", "", "at most"),
    ("no later than", "", "at most"),
    ("not exceed", "", "at most"),
    ("at most", "", "at most"),
    ("up to", "", "at most"),
    ("no less than", "", "at least"),
    ("no fewer than", "", "at least"),
    ("not less than", "", "at least"),
    ("no earlier than", "", "at least"),
    ("at least", "", "at least"),
)
"""Words that go together -> what they are instead of what they look like, and the bound that they set."""
_MARKS = {
    mark: kind for kind, marks in ((NOT, _NEGATORS), (ONLY, _RESTRICTING), (EXCEPT, _EXCEPTING)) for mark in marks
}
_TURNING = frozenset({"until", "unless", "before"})
"""What makes "not" a restriction: "not applied until the next start" is "applied only after it"."""
_TURN_REACH = 8
_BREAKS = re.compile(r"[.;:,!?()]|\s[-–—]\s")
_STOPS = frozenset(
    {"but", "and", "or", "because", "while", "if", "when", "until", "unless", "before", "after", "which"}
)
_SCOPE = 3
_SAYS_NO = frozenset(
    "reject refuse ignore deny forbid prohibit prevent skip drop lack omit fail disable disallow exclude miss missing "  # noqa: SIM905
    "absent empty block stop discard lose invalid illegal unable impossible keep remain stay unchanged retain preserve "
    "forget bypass suppress avoid exempt leave null zero blank ineffective off".split()
)
"""Verbs and adjectives that can say what a negation says: "not accepted" is "rejected"."""
_SAYS_ONLY = frozenset(
    "require need must limit restrict alone just exclusive sole single unless until except specific specifically "  # noqa: SIM905
    "confine reserve before once exactly whatever whole".split()
)
_ENDS = frozenset({"stop", "off", "end", "disable", "remove", "drop", "lift"})
_BESIDE = 2
_PER = frozenset({"per", "each", "every"})


@dataclass(slots=True)
class _Mark:
    kind: str
    said: str
    shown: str
    scope: tuple[frozenset[str], ...]

    @property
    def denied(self) -> frozenset[str]:
        return frozenset().union(*self.scope)


@dataclass(slots=True)
class Claims:
    """What stands in a text: its negations with what they deny, its words, bounds, and what it counts by."""

    marks: list[_Mark] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    affirmed: frozenset[str] = frozenset()
    spelt: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    per: dict[str, str] = field(default_factory=dict)
    shared_out: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()


def claims_in(text: str) -> Claims:
    """Reads a text."""
    found = words(text)
    claims, scoped, used = Claims(), set[int](), set[int]()
    lowers = [word.lower for word in found]
    marked = _phrases(lowers, claims, used)
    for at, lower in enumerate(lowers):
        if at not in used and at not in marked:
            kind = NOT if lower.endswith("n't") else _MARKS.get(lower, "")
            if lower == "no" and text[found[at].end : found[at].end + 1] == "-":
                kind = ""  # "no-cache" is a name
            if kind and not (kind == NOT and _turned(text, found, at)):
                marked[at] = (kind, at + 1)
            elif kind:
                marked[at] = (ONLY, at + 1)
    turned = {at for at, (kind, _) in marked.items() if kind == EXCEPT and _after_turning(marked, at)}
    for at, (kind, end) in sorted(marked.items()):
        if at in turned:
            continue
        scope = _scope(text, found, end)
        if kind != ONLY:
            scoped.update(scope)
        last = found[scope[0]].end if scope and kind == NOT else found[end - 1].end
        shown = " ".join(text[found[at].start : last].split())
        claims.marks.append(_Mark(kind, lowers[at], shown, tuple(found[place].lemmas for place in scope)))
    marks = {place for at, (_, end) in marked.items() for place in range(at, end)}
    _fill(claims, text, found, scoped, marks | used)
    return claims


def _phrases(lowers: Sequence[str], claims: Claims, used: set[int]) -> dict[int, tuple[str, int]]:
    marked: dict[int, tuple[str, int]] = {}
    for phrase, kind, bound in _PHRASES:
        parts = phrase.split(" ")
        for at in range(len(lowers) - len(parts) + 1):
            if at in used or lowers[at : at + len(parts)] != parts:
                continue
            used.update(range(at, at + len(parts)))
            if kind:
                marked[at] = (kind, at + len(parts))
            if bound:
                claims.bounds.setdefault(bound, phrase)
    return marked


def _turned(text: str, found: Sequence[Word], at: int) -> bool:
    """Whether "until", "unless" or "before" follows in the same sentence."""
    for place in range(at + 1, min(at + 1 + _TURN_REACH, len(found))):
        if re.search(r"[.;!?]", text[found[place - 1].end : found[place].start]):
            return False
        if found[place].lower in _TURNING:
            return True
    return False


def _after_turning(marked: dict[int, tuple[str, int]], at: int) -> bool:
    return any(other < at <= other + _TURN_REACH and kind == ONLY for other, (kind, _) in marked.items())


def _scope(text: str, found: Sequence[Word], start: int) -> list[int]:
    """The places of the content words that a negation in front of `start` denies."""
    scope: list[int] = []
    for place in range(start, len(found)):
        lower = found[place].lower
        gap = text[found[place - 1].end : found[place].start] if place else ""
        if _BREAKS.search(gap) or (scope and lower in _STOPS) or len(scope) == _SCOPE:
            break
        if lower not in STOPWORDS and lower not in _PER and lower not in _MARKS:
            scope.append(place)
        elif scope and lower in ("in", "on", "at", "for", "by", "with", "from", "to", "as", "during"):
            break
    return scope


def _fill(claims: Claims, text: str, found: Sequence[Word], scoped: set[int], marks: set[int]) -> None:
    affirmed: set[str] = set()
    every: set[str] = set()
    per: set[str] = set()
    for at, word in enumerate(found):
        if at in marks:
            continue
        for lemma in word.lemmas:
            claims.spelt.setdefault(lemma, word.text)
        every |= word.lemmas
        if at not in scoped:
            affirmed |= word.lemmas
    for one, two in pairwise(found):
        lower = two.lower
        if one.lower not in _PER or lower in STOPWORDS or lower.isdigit() or lower == "cent":
            continue
        per.add(_base(lower))
        if one.lower == "per":
            claims.per.setdefault(_base(lower), text[one.start : two.end])
    # "Switches the limit off", "retries stop": what stands beside such a word is as good as denied.
    claims.ended = frozenset(
        lemma
        for at, word in enumerate(found)
        if word.lemmas & _ENDS
        for near in found[max(0, at - _BESIDE) : at + _BESIDE + 1]
        for lemma in near.lemmas
    )
    claims.words, claims.affirmed, claims.shared_out = frozenset(every), frozenset(affirmed), frozenset(per)


def _base(word: str) -> str:
    return min(lemmas(word), key=lambda one: (len(one), one))


# -- what differs ------------------------------------------------------------


def claims_that_differ(ours: Claims, theirs: Claims) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What each side denies, restricts or orders otherwise than the other, as its text has it; once each."""
    mine: list[str] = []
    other: list[str] = []
    settled: set[int] = set()
    for one, two in opposite_pairs(ours.words, theirs.words):
        denied = [mark for mark in ours.marks if mark.kind == NOT and one in mark.denied]
        disputed = [mark for mark in theirs.marks if mark.kind == NOT and two in mark.denied]
        if bool(denied) != bool(disputed):
            settled.update(id(mark) for mark in (*denied, *disputed))
        else:
            mine.append(ours.spelt[one])
            other.append(theirs.spelt[two])
    left, right = _unmet(ours, theirs, settled), _unmet(theirs, ours, settled)
    hard = [[mark for mark in side if _contradicted(mark, said)] for side, said in ((left, theirs), (right, ours))]
    soft = [[mark for mark in side if mark not in firm] for side, firm in zip((left, right), hard, strict=True)]
    _cancel(soft[0], soft[1])
    mine += [mark.shown for mark in (*hard[0], *_unabsorbed(soft[0], theirs, ours))]
    other += [mark.shown for mark in (*hard[1], *_unabsorbed(soft[1], ours, theirs))]
    if len(ours.bounds) == 1 and len(theirs.bounds) == 1 and set(ours.bounds) != set(theirs.bounds):
        mine += ours.bounds.values()
        other += theirs.bounds.values()
    counted = [
        [shown for base, shown in one.per.items() if base not in two.shared_out]
        for one, two in ((ours, theirs), (theirs, ours))
    ]
    if all(counted):
        mine += counted[0]
        other += counted[1]
    return tuple(dict.fromkeys(mine)), tuple(dict.fromkeys(other))


def _unmet(ours: Claims, theirs: Claims, settled: set[int]) -> list[_Mark]:
    """Our negations but those that the other text has too, of the same words."""
    return [
        mark
        for mark in ours.marks
        if id(mark) not in settled
        and not any(mark.kind == two.kind and (mark.kind != NOT or mark.denied & two.denied) for two in theirs.marks)
    ]


def _contradicted(mark: _Mark, said: Claims) -> bool:
    """Whether the other text says without a negation what this one denies.

    Of "does not contain secrets" that is the verb, of "no default timeout" any word.
    """
    if mark.kind != NOT or mark.said == "without":
        return False
    if mark.said != "no":
        return bool(mark.scope and mark.scope[0] & said.affirmed)
    met = [word for word in mark.scope if word & said.affirmed]
    return bool(met) and not any(word & said.ended for word in met)


def _cancel(ours: list[_Mark], theirs: list[_Mark]) -> None:
    """Takes out negations of other words that may say the same: "not honoured", "without effect"."""
    for mark in list(ours):
        for two in theirs:
            if {mark.kind, two.kind} != {ONLY, EXCEPT}:
                ours.remove(mark)
                theirs.remove(two)
                break


def _unabsorbed(marks: Iterable[_Mark], theirs: Claims, ours: Claims) -> list[_Mark]:
    """Negations that no word of the other text stands for."""
    spare = theirs.words - ours.words
    return [
        mark
        for mark in marks
        if not (spare & (_SAYS_ONLY if mark.kind == ONLY else _SAYS_NO) or (mark.kind != ONLY and _negated_word(spare)))
    ]


def _negated_word(spare: frozenset[str]) -> bool:
    return any(word.startswith(("un", "non", "dis")) and len(word) > 6 for word in spare)
