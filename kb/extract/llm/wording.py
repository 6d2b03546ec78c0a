"""A relation as a sentence between two names: what teaches a model, and whoever reads its prompt, the direction.

A label may be a verb phrase, a participle, a noun or a preposition. What it is shows in its own words and in those of
the relation's other phrases; nothing here knows a relation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from kb.language import lemmas, verb_forms

__all__ = ["sampled", "sentence"]

_BE = frozenset(("is", "are", "was", "were"))
_FINITE = _BE | frozenset(("has", "have", "had", "can", "may", "must", "should", "will"))
_ARTICLES = frozenset(("a", "an", "the"))
# Verbs of which nothing is ever "done": "worked for" is a deed, where "kept in" is a state.
_INTRANSITIVE = frozenset(
    "act appear arrive belong collaborate come compete contribute depend die emerge enrol exist go graduate happen "  # noqa: SIM905
    "learn live look march migrate occur participate perform play reside retire serve sit star stay study subscribe "
    "train travel volunteer vote wait walk work".split()
)
_PREPOSITION = re.compile(
    r"by|on|in|of|to|from|at|for|with|as|into|onto|under|over|through|about|after|before|via|upon|against|between|near"
    r"|within|without|beside|behind|along|among|around|above|below|inside|outside|towards|during|per|like"
)


def sentence(subject: str, label: str, object_: str, phrases: Collection[str] = ()) -> str:
    """A relation's label between two names, as people would say it; `phrases` are the relation's other wordings.

    >>> sentence("X", "depends on", "Y"), sentence("X", "owned by", "Y"), sentence("X", "leader", "Y")
    ('X depends on Y', 'X is owned by Y', 'X has leader Y')
    """
    return f"{subject} {_predicate(label, phrases)} {object_}"


def sampled(phrases: Sequence[str], said: str, most: int) -> list[str]:
    """Some of the phrases, from all over the list; none that only repeats what is `said`.

    >>> sampled(("owned by", "is owned by", "belongs to", "is run by", "owner"), "X is owned by Y", 2)
    ['belongs to', 'is run by']
    """
    heard = _bare(said.lower().split()[1:-1])
    others = [phrase for phrase in dict.fromkeys(phrases) if _bare(phrase.lower().split()) != heard]
    if len(others) <= most:
        return others
    return [others[round(i * len(others) / most)] for i in range(most)]


def _predicate(label: str, phrases: Collection[str]) -> str:
    words = label.lower().split()
    first, last = words[0], words[-1]
    if first in _FINITE:
        return label
    for phrase in phrases:
        said = phrase.lower().split()
        if said[0] in _BE and _bare(said) == words:
            return phrase
    if _third_person(first):
        return label
    if last == "by" and len(words) > 1:
        return _passive(label, words, phrases)
    if _past(first):
        return label if _active(words, phrases) else f"is {label}"
    if _PREPOSITION.fullmatch(last) or _PREPOSITION.fullmatch(first):
        return f"is {label}"
    return f"has {label}"


def _passive(label: str, words: list[str], phrases: Collection[str]) -> str:
    if len(words) > 2 and not _past(words[0]) and _past(words[-2]):
        # "api provided by": a noun and what is done with it.
        return f"is {'an' if words[0][0] in 'aeiou' else 'a'} {label}"
    passives = [said for said in (phrase.lower().split() for phrase in phrases) if len(said) > 2 and said[-1] == "by"]
    over = any(said[0] == "was" for said in passives) and not any(said[0] in ("is", "are") for said in passives)
    return f"{'was' if over else 'is'} {label}"


def _active(words: list[str], phrases: Collection[str]) -> bool:
    """Whether a label that begins like a past tense is one ("studied under"), and no state ("located in")."""
    first = words[0]
    bases = [one for one in lemmas(first) if one != first]
    if _INTRANSITIVE.intersection(bases) or not any(first in verb_forms(base).participles for base in bases):
        return True
    if not _PREPOSITION.fullmatch(words[-1]):
        return True
    others = [said for said in (phrase.lower().split() for phrase in phrases) if said != words]
    # Where others say the same as a deed that is over, so does this.
    return any(_past(said[0]) and said[0] != first and _PREPOSITION.fullmatch(said[-1]) for said in others)


def _bare(words: list[str]) -> list[str]:
    """Without "is" and an article before the rest."""
    if words and words[0] in _BE:
        words = words[1:]
    return words[1:] if words and words[0] in _ARTICLES else words


def _third_person(word: str) -> bool:
    if not word.endswith("s") or word.endswith("ss"):
        return False
    return any(one != word and verb_forms(one).third == word for one in lemmas(word))


def _past(word: str) -> bool:
    forms = [verb_forms(one) for one in lemmas(word) if one != word]
    return any(word in one.pasts or word in one.participles for one in forms)
