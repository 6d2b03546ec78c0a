"""The ontology's phrases as patterns: which verb, which preposition, which noun says which relation in which direction.

"reads from" is a verb that takes its object after "from"; "is owned by" is the passive of a verb "own" whose active
reads the other way; "owner" is a noun for the object's part; "is responsible for" is a fixed row of words. A phrase in
the past tense ("was painted by", "studied under") says that this relation is stated in the past. Nothing is listed
here: forms and passives are derived from the phrases that labels of relations spell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kb.extract.phrases.cues import PREPOSITIONS
from kb.language import lemmas, plural, verb_forms
from kb.vocabulary import Relation, Vocabulary

__all__ = ["Fixed", "Lexicon", "Noun", "Sense", "Verb", "preposition_after"]

_BE = frozenset(("is", "are", "be", "was", "were"))
_REMEMBERED = 100_000
_PAST_BE = frozenset(("was", "were"))

# What people write where the ontology says one of them.
_ALIKE: dict[str, tuple[str, ...]] = {
    "from": ("from", "out of", "off", "straight from", "directly from", "straight out of"),
    "to": ("to", "into", "onto", "over to", "on to", "through to", "back to", "straight to", "directly to"),
    "into": ("into", "in", "to", "onto", "straight into", "directly into"),
    "in": ("in", "into", "inside", "within", "on"),
    "on": ("on", "upon", "onto", "on top of"),
    "upon": ("on", "upon"),
    "with": ("with", "against", "by means of"),
    "against": ("against", "with"),
    "through": ("through", "via", "by way of", "by means of", "thru"),
    "via": ("through", "via", "by way of"),
}


@dataclass(frozen=True, slots=True)
class Sense:
    """A direction of a relation: subject `relation` object, or the other way round where `flipped`."""

    relation: str
    flipped: bool

    @property
    def reverse(self) -> Sense:
        """The other direction."""
        return Sense(self.relation, not self.flipped)


@dataclass(frozen=True, slots=True)
class Verb:
    """subject verb [something] [extra] [prep] object. `senses` in the order of preference.

    The forms hold every spelling that a phrase may come from ("organise" and "organis"); those that do not exist match
    nothing. `state` verbs are only met as "is <participle> <prep>" ("is built on"). `past` says that the past tense
    counts.
    """

    bases: frozenset[str]
    thirds: frozenset[str]
    pasts: frozenset[str]
    participles: frozenset[str]
    ings: frozenset[str]
    extra: tuple[str, ...]
    prep: str | None
    senses: tuple[Sense, ...]
    state: bool = False
    past: bool = False


@dataclass(frozen=True, slots=True)
class Noun:
    """holder's noun = filler: "the owner of X is Y" says X sense Y."""

    words: tuple[frozenset[str], ...]
    senses: tuple[Sense, ...]
    past: bool = False


@dataclass(frozen=True, slots=True)
class Fixed:
    """subject "is" words object; without "is" where `be` is false."""

    words: tuple[str, ...]
    senses: tuple[Sense, ...]
    be: bool = True
    past: bool = False


_VerbKey = tuple[frozenset[str], tuple[str, ...], str | None, bool]


class Lexicon:
    """Patterns of one vocabulary, indexed by base form or first word."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._verbs: dict[_VerbKey, dict[Sense, bool]] = defaultdict(dict)
        self._nouns: dict[tuple[str, ...], dict[Sense, bool]] = defaultdict(dict)
        self._fixed: dict[tuple[tuple[str, ...], bool], dict[Sense, bool]] = defaultdict(dict)
        self._forms: dict[str, tuple[Verb, ...]] = {}
        self.senses = tuple(Sense(name, flipped) for name in vocabulary.relations for flipped in (False, True))
        for relation in vocabulary.relations.values():
            phrases = list(_phrases(relation))
            for phrase, sense in phrases:
                # Beside "curator" of the same direction "curators" is its plural, not a verb.
                known = {other.lower() for other, its in phrases if its == sense}
                self._learn(phrase.lower().replace("-", " ").split(), sense, known)
        self.verbs = self._verb_index()
        self.nouns = self._noun_index()
        self.fixed = self._fixed_index()
        self.possession = tuple(
            sense for verb in self.verbs.get("belong", ()) if verb.prep == "to" for sense in verb.senses
        )
        """What "is Edge's" says, where the ontology says what "belongs to" says."""
        getting = (
            v for base in ("get", "come", "take", "fetch", "receive", "read", "pull") for v in self.verbs.get(base, ())
        )
        self.getting = tuple(
            dict.fromkeys(s for v in getting if v.prep == "from" and not v.state and not v.extra for s in v.senses)
        )
        """What "from X" says by itself, where the ontology says what getting something from X says."""
        self.kinds = self._kind_index(vocabulary)
        """Nouns of classes that mean one relation, as "database" does where there is a noun "backing store"."""
        going = (v for base in ("go", "pass", "send", "flow", "route") for v in self.verbs.get(base, ()))
        self.through = tuple(
            dict.fromkeys(
                s for v in going if v.prep in ("through", "via") and not v.state and not v.extra for s in v.senses
            )
        )
        """What "is <done> through X" says, where the ontology says what going through X says."""

    def verbs_of(self, word: str) -> tuple[Verb, ...]:
        """Give the verbs that a lower-case word may be a form of, the longest patterns first."""
        known = self._forms.get(word)
        if known is None:
            found = {id(verb): verb for lemma in sorted(lemmas(word)) for verb in self.verbs.get(lemma, ())}
            known = tuple(sorted(found.values(), key=lambda v: (-len(v.extra), v.prep is None, not v.state)))
            if len(self._forms) < _REMEMBERED:
                self._forms[word] = known
        return known

    # -- learning -----------------------------------------------------------

    def _learn(self, words: list[str], sense: Sense, known: set[str]) -> None:
        if not words:
            return
        head, rest = words[0], words[1:]
        past = head in _PAST_BE
        if head in _BE and rest:
            self._after_be(rest, sense, past)
        elif head in ("has", "had") and rest:
            if _past_form(rest[0]) and rest[-1] == "by":
                # "has checked by": "X has every call checked by Y".
                self._verbs[frozenset(("have",)), tuple(rest[:-1]), "by", False][sense] = False
            elif _past_form(rest[0]):
                self._learn(rest, sense, known)
            else:
                self._noun(rest, sense, past=head == "had")
        elif (bases := _third_person(head)) and "and" not in words and not (not rest and head[:-1] in known):
            self._verb(bases, rest, sense, past=False)
        elif (bases := _past_form(head)) and (len(words) == 1 or words[-1] in PREPOSITIONS or len(words) == 2):
            if words[-1] == "by":
                self._after_be(words, sense, past=False)
            else:
                if rest:
                    self._after_be(words, sense, past=False)
                # Beside "is kept in" of the same direction "kept in" is short for it, and no past tense.
                told = not known & {f"{be} {' '.join(words)}" for be in ("is", "are", "is being")}
                self._verb(bases, rest, sense, past=told)
        elif len(words) > 1 and words[-1] == "of":
            self._noun(words[:-1], sense.reverse, past=False)
        elif len(words) > 1 and words[-1] in PREPOSITIONS and words[-1] != "by":
            self._fixed[tuple(words), _plain(head)][sense] = False
        else:
            self._noun(words, sense, past=False)

    def _noun(self, words: list[str], sense: Sense, *, past: bool) -> None:
        senses = self._nouns[tuple(words)]
        senses[sense] = senses.get(sense, False) or past

    def _verb(self, bases: frozenset[str], rest: list[str], sense: Sense, *, past: bool) -> None:
        prep = rest[-1] if rest and rest[-1] in PREPOSITIONS else None
        extra = tuple(rest[:-1] if prep is not None else rest)
        senses = self._verbs[bases, extra, prep, False]
        senses[sense] = senses.get(sense, False) or past

    def _after_be(self, words: list[str], sense: Sense, past: bool) -> None:
        """Learn what follows "is": a passive, a state, somebody's part, or a fixed row of words."""
        bases = _past_form(words[0])
        if words[0] in verb_forms(words[0]).participles:  # "put", "read"
            bases |= {words[0]}
        if bases and words[-1] == "by" and 2 <= len(words) <= 4:
            between = words[1:-1]
            prep = between[-1] if between and between[-1] in PREPOSITIONS else None
            extra = tuple(between[:-1] if prep is not None else between)
            senses = self._verbs[bases, extra, prep, False]
            senses[sense.reverse] = senses.get(sense.reverse, False) or past
        elif bases and len(words) == 2 and words[-1] in PREPOSITIONS and words[-1] != "of":
            senses = self._verbs[bases, (), words[-1], True]
            senses[sense] = senses.get(sense, False) or past
        else:
            bare = words[1:] if words[0] in ("a", "an", "the") else words
            if bare[-1] == "of" and len(bare) > 1 and bare[0] not in PREPOSITIONS and not bases:
                self._noun(bare[:-1], sense.reverse, past=past)
            else:
                self._fixed[tuple(words), True][sense] = past

    # -- indexes ------------------------------------------------------------

    def _verb_index(self) -> dict[str, tuple[Verb, ...]]:
        index: dict[str, list[Verb]] = defaultdict(list)
        for (bases, extra, prep, state), senses in self._verbs.items():
            forms = [verb_forms(base) for base in sorted(bases)]
            verb = Verb(
                bases,
                frozenset(f.third for f in forms),
                frozenset().union(*(f.pasts for f in forms)),
                frozenset().union(*(f.participles for f in forms)),
                frozenset().union(*(f.ing for f in forms)),
                extra,
                prep,
                tuple(senses),
                state,
                any(senses.values()),
            )
            for base in bases:
                index[base].append(verb)
        # The longer pattern first: "looks up in" before "looks at".
        return {
            base: tuple(sorted(verbs, key=lambda v: (-len(v.extra), v.prep is None, v.prep or "", sorted(v.bases))))
            for base, verbs in index.items()
        }

    def _noun_index(self) -> dict[str, tuple[Noun, ...]]:
        index: dict[str, list[Noun]] = defaultdict(list)
        for words, senses in self._nouns.items():
            last = len(words) - 1
            pattern = tuple(frozenset((w, plural(w)) if i == last else (w,)) for i, w in enumerate(words))
            for first in sorted(pattern[0]):
                index[first].append(Noun(pattern, tuple(senses), any(senses.values())))
        return {first: tuple(sorted(nouns, key=lambda n: -len(n.words))) for first, nouns in index.items()}

    def _kind_index(self, vocabulary: Vocabulary) -> dict[str, tuple[Noun, ...]]:
        index: dict[str, tuple[Noun, ...]] = {}
        for one in vocabulary.classes.values():
            phrases = {phrase.lower() for phrase in one.phrases if phrase.isalpha()}
            forms = phrases | {plural(phrase) for phrase in phrases}
            told = {s for nouns in self.nouns.values() for noun in nouns if noun.words[-1] & forms for s in noun.senses}
            if len(told) == 1:
                for form in forms - set(self.nouns):
                    index[form] = (Noun((frozenset((form,)),), tuple(told)),)
        return index

    def _fixed_index(self) -> dict[str, tuple[Fixed, ...]]:
        index: dict[str, list[Fixed]] = defaultdict(list)
        for (words, be), senses in self._fixed.items():
            index[words[0]].append(Fixed(words, tuple(senses), be, any(senses.values())))
        return {first: tuple(sorted(rows, key=lambda f: -len(f.words))) for first, rows in index.items()}


def _phrases(relation: Relation) -> Iterable[tuple[str, Sense]]:
    for phrase in relation.phrases:
        yield phrase, Sense(relation.name, False)
    if relation.inverse is not None:
        for phrase in relation.inverse.phrases:
            yield phrase, Sense(relation.name, True)


def _plain(word: str) -> bool:
    """Whether a fixed row that starts like this stands after "is" ("on loan from") or by itself ("can be seen in")."""
    return word not in ("can", "may", "has", "have")


def _third_person(word: str) -> frozenset[str]:
    """The verbs whose third person this may be; none for nouns, which labels spell in the singular."""
    if not word.endswith("s") or word.endswith("ss"):
        return frozenset()
    return frozenset(one for one in lemmas(word) if one != word and verb_forms(one).third == word)


def _past_form(word: str) -> frozenset[str]:
    """The verbs whose past tense or past participle this may be."""
    found = {
        one
        for one in lemmas(word)
        if one != word and (word in verb_forms(one).participles or word in verb_forms(one).pasts)
    }
    return frozenset(found)


def preposition_after(wanted: str, lowered: list[str], at: int) -> int:
    """Count the words at `lowered[at:]` that say the preposition `wanted`; 0 if they do not."""
    best = 0
    for form in _ALIKE.get(wanted, (wanted,)):
        row = form.split()
        if len(row) > best and lowered[at : at + len(row)] == row:
            best = len(row)
    return best
