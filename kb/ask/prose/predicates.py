"""Relations as predicates of a sentence: "owned by" becomes "is owned by", "leader" becomes "has the leader".

A label may be a verb phrase, a participle, a noun, with or without a preposition. What it is shows in its own words and
in those of the relation's other phrases; nothing here knows a relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kb.ask.prose.wording import article, plural_of
from kb.language import lemmas, verb_forms
from kb.names import humanised
from kb.vocabulary import Vocabulary

__all__ = ["Predicate", "predicate", "predicate_of"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREPOSITIONS = _set(
    "of in on at by for with from to into onto over under about between through during before after above below up "
    "down out off against within without near beside behind around across along upon via towards toward as like than us"
)
_MODALS = _set("can could may might must shall should will would")
_BE = {"is": "are", "are": "are", "was": "were", "were": "were"}
_HAVE = {"has": "have", "have": "have", "had": "had"}
# Regular verbs whose past stands before a preposition without a passive: "starred in", "worked for".
_ACTIVE = _set(
    "act appear apply arrive assist belong collaborate compete contribute debut depend die emerge enrol enroll exist "
    "flow graduate happen intern learn live look major march marry move occur originate participate perform play "
    "practise preside rely report reside respond retire return sail serve star start stay study subscribe succeed "
    "talk train travel volunteer vote wait walk work"
)
# Participles that stand before a noun rather than for a verb: "preferred supplier", unlike "used vehicle".
_ADJECTIVES = _set(
    "affected allied approved assigned associated authorised authorized connected dedicated designated known linked "
    "named nominated preferred recommended registered related required shared supported trusted"
)
# A label of one such word in the plural is a noun, though its base may be a verb.
_NOUNS = _set(
    "actor child customer director friend leader manager member owner player sibling supplier teacher user writer"
)
_AGENTS = ("er", "or", "ee", "ant", "ment", "ion", "ist", "ship", "ity", "ency", "ance", "ness")


@dataclass(frozen=True, slots=True)
class Predicate:
    """What stands between two names: `one` behind one subject, `many` behind several; `noun` before the objects."""

    one: str
    many: str
    noun: str = ""

    def said(self, subjects: int = 1, objects: int = 1) -> str:
        """The words between so many subjects and so many objects."""
        verb = self.one if subjects == 1 else self.many
        if not self.noun:
            return verb
        return f"{verb} the {self.noun if objects == 1 else plural_of(self.noun)}"


def predicate(name: str, backwards: bool, vocabulary: Vocabulary) -> Predicate | None:
    """How a relation reads from subject to object, or `backwards`; None where it has no words for the way back."""
    relation = vocabulary.relations.get(name)
    if relation is None:
        return None if backwards else predicate_of(humanised(name), ())
    nouns = tuple(sorted({word for one in vocabulary.classes.values() for word in (one.label, *one.phrases)}))
    other = () if relation.inverse is None else (relation.inverse.label, *relation.inverse.phrases)
    if relation.symmetric or not backwards:
        return predicate_of(relation.label, relation.phrases, () if relation.symmetric else other, nouns)
    if relation.inverse is None:
        return None
    return predicate_of(relation.inverse.label, relation.inverse.phrases, (relation.label, *relation.phrases), nouns)


@lru_cache(maxsize=4096)
def predicate_of(
    label: str, phrases: tuple[str, ...], other: tuple[str, ...] = (), nouns: tuple[str, ...] = ()
) -> Predicate:
    """A label as a predicate. `phrases` say the same, `other` the way back; `nouns` are words for types.

    >>> [predicate_of(label, ()).one for label in ("depends on", "owned by", "part of", "near", "wrote")]
    ['depends on', 'is owned by', 'is part of', 'is near', 'wrote']
    >>> predicate_of("has parts", ()).said(1, 1), predicate_of("leader", ()).said(2, 2)
    ('has the part', 'have the leaders')
    """
    return _Reader(phrases, other, nouns).read(label)


class _Reader:
    def __init__(self, phrases: Sequence[str], other: Sequence[str], nouns: Sequence[str]) -> None:
        self.phrases, self.other, self.nouns = phrases, other, frozenset(nouns)

    def read(self, label: str) -> Predicate:
        words = label.split()
        first, rest = words[0].lower(), words[1:]
        if first in _BE:
            return _whole(first, _BE[first], rest)
        if first in _MODALS:
            return Predicate(label, label)
        if first in _HAVE:
            return _with_noun(first, _HAVE[first], rest)
        spelled = self._with_be(label)
        if spelled is not None:
            return spelled
        if first in _PREPOSITIONS:
            return _with_noun(f"is {first}", f"are {first}", rest)
        if len(words) > 2 and words[0] in self.nouns and (_participles(words[1]) or self._third(words[1], rest[1:])):
            return self.read(" ".join(rest))  # "api provided by": of an API, "provided by"
        return self._verb(first, rest, label) or self._adjective_or_noun(words, label)

    def _with_be(self, label: str) -> Predicate | None:
        """What another phrase spells out: "is owned by" for "owned by", "is the language of" for "language of"."""
        for phrase in sorted(self.phrases, key=lambda one: (len(one), one)):
            first, *rest = phrase.split()
            said = " ".join(rest)
            if first in _BE and said in (label, f"a {label}", f"an {label}", f"the {label}"):
                return _whole(first, _BE[first], rest)
        return None

    def _verb(self, first: str, rest: list[str], label: str) -> Predicate | None:
        base = self._third(first, rest)
        if base is not None:
            return _with_noun(first, base, rest)
        if rest and any(phrase.split()[0] == verb_forms(first).third for phrase in self.phrases):
            return _with_noun(verb_forms(first).third, first, rest)  # "depend on", where a phrase has "depends …"
        past, participle = _pasts(first), _participles(first)
        if not (past or participle) or (first in _ADJECTIVES and rest and rest[-1] not in _PREPOSITIONS):
            return None
        if rest and rest[-1].lower() in _PREPOSITIONS and participle and not self._active(first, rest):
            return Predicate(f"is {label}", f"are {label}")
        return _with_noun(first, first, rest) if past else Predicate(f"is {label}", f"are {label}")

    def _third(self, word: str, rest: Sequence[str]) -> str | None:
        """The base of a verb in the third person: "depend" for "depends"; None for another word, plurals of nouns too.

        "Members" and "owners" are nouns, "sales manager" is one.
        """
        base = _base(word)
        if base is None:
            return None
        forms = verb_forms(base).participles
        acted = any(forms & set(phrase.split()) for phrase in self.other)
        agents = base in _NOUNS or (base in self.phrases and base.endswith(_AGENTS))
        if not rest and not acted and (base in self.nouns or agents):
            return None
        agent = rest and rest[-1].lower() not in self.nouns and rest[-1].lower().endswith(("er", "or", "lead", "head"))
        return None if agent and rest[-1].lower() not in _PREPOSITIONS else base

    def _active(self, first: str, rest: Sequence[str]) -> bool:
        """Whether a participle before a preposition is the past of an active verb: "starred in", not "located in"."""
        if rest[0].lower() == "by":
            return False
        starts = [phrase.split() for phrase in self.phrases]
        if any(len(row) > 1 and row[0] in _BE and row[1] == first for row in starts):
            return False
        bases = [base for base in lemmas(first) if first in verb_forms(base).pasts]
        thirds = {verb_forms(base).third for base in bases}
        if not _participles(first) or any(row[0] in thirds for row in starts) or _ACTIVE & set(bases):
            return True
        return any(phrase.split()[:2] == [first, "by"] for phrase in self.other)

    def _adjective_or_noun(self, words: list[str], label: str) -> Predicate:
        first, last = words[0].lower(), words[-1].lower()
        if len(words) == 1 or last not in _PREPOSITIONS:
            return Predicate("has", "have", _single(label) or label)
        noun = " ".join(words[:-1])
        describes = first.endswith(("able", "ible", "ful", "less", "ous")) or first in ("aware", "full", "capable")
        agent = words[-2].lower().endswith(("er", "or", "ee")) and last in ("to", "in", "at", "on", "for", "from")
        if (last == "of" and not describes) or agent:
            if noun == "part":
                return Predicate(f"is part {last}", f"are part {last}")
            return Predicate(f"is {article(noun)} {last}", f"are {plural_of(noun)} {last}")
        return Predicate(f"is {label}", f"are {label}")


def _whole(one: str, many: str, rest: Sequence[str]) -> Predicate:
    said = " ".join(rest)
    return Predicate(f"{one} {said}".strip(), f"{many} {_without_article(said)}".strip())


def _without_article(said: str) -> str:
    """The words behind a plural: "members of" for "a member of", "the authors of" for "the author of"."""
    first, _, rest = said.partition(" ")
    noun, of, more = rest.partition(" of")
    if first not in ("a", "an", "the") or not of or more or not noun:
        return said
    if noun == "part":
        return "part of"
    noun = noun if _single(noun) else plural_of(noun)
    return f"the {noun} of" if first == "the" else f"{noun} of"


def _with_noun(one: str, many: str, rest: Sequence[str]) -> Predicate:
    """A verb with what follows it: a preposition as it is, a noun with an article and its number."""
    if not rest or rest[-1].lower() in _PREPOSITIONS or rest[0].lower() in ("a", "an", "the", "its", "their"):
        return Predicate(" ".join((one, *rest)), " ".join((many, *rest)))
    at = next((i + 1 for i in range(len(rest) - 1, -1, -1) if rest[i].lower() in _PREPOSITIONS), 0)
    noun = " ".join(rest[at:])
    return Predicate(" ".join((one, *rest[:at])), " ".join((many, *rest[:at])), _single(noun) or noun)


def _single(noun: str) -> str:
    """A noun without the plural that its last word has; "" where it has none."""
    head, _, last = noun.rpartition(" ")
    single = min((one for one in lemmas(last) if one != last and plural_of(one) == last), default="")
    return f"{head} {single}".strip() if single else ""


def _base(word: str) -> str | None:
    """The base of what may be a verb in the third person: "house" for "houses", "pass" for "passes"."""
    found = sorted((one for one in lemmas(word) if one != word and verb_forms(one).third == word), key=len)
    if not found or word.endswith("ss"):
        return None
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return found[0] if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else found[-1]


def _pasts(word: str) -> bool:
    return any(base != word and word in verb_forms(base).pasts for base in lemmas(word))


def _participles(word: str) -> bool:
    return any(base != word and word in verb_forms(base).participles for base in lemmas(word))
