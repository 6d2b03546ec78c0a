"""What the form of a phrase's words tells: verb or noun, who does it, and what somebody of that name does."""

from __future__ import annotations

from kb.ask.planner.text import word_set
from kb.language import STOPWORDS, lemmas, verb_forms

__all__ = ["agents", "deeds", "is_light", "is_participle", "is_present", "is_verb"]

_LIGHT = word_set("go get take put run send hand have be do make keep give work look come set stand sit live show tell")
"""Verbs that mean nothing without the word that follows them."""

_UNCHANGED = word_set("read put set cut hit let cast hurt cost split spread shut")
"""Verbs whose past looks like the present."""


def is_light(word: str) -> bool:
    """Whether a verb means nothing alone.

    >>> is_light("takes"), is_light("reads")
    (True, False)
    """
    return bool(lemmas(word) & _LIGHT)


def is_present(word: str) -> bool:
    """Whether a word looks like a verb of a statement about now, or like a plural.

    >>> is_present("calls"), is_present("bus"), is_present("owner")
    (True, False, False)
    """
    return word == "has" or (word not in STOPWORDS and word.endswith("s") and not word.endswith(("ss", "us", "is")))


def is_participle(word: str) -> bool:
    """Whether a word is the past or the past participle of a verb.

    >>> is_participle("painted"), is_participle("taught"), is_participle("owner")
    (True, True, False)
    """
    return any(
        word in verb_forms(base).pasts or word in verb_forms(base).participles
        for base in lemmas(word)
        if base != word or word in _UNCHANGED
    )


def is_verb(word: str) -> bool:
    """Whether a word of a phrase looks like a verb in a form that statements use."""
    if word in STOPWORDS and word not in {"has", "had", "have"}:
        return False
    return is_present(word) or is_participle(word)


def agents(verb: str) -> list[str]:
    """Who does it, in forms that may not exist and then match nothing.

    >>> [word for word in agents("calls") if word in ("caller", "calls")], "writer" in agents("wrote")
    (['caller'], True)
    """
    found: dict[str, None] = {}
    for base in sorted(lemmas(verb)):
        inflected = base == verb and len(lemmas(verb)) > 1 and base.endswith(("s", "ed"))
        if len(base) < 3 or inflected:
            continue
        stem = base.removesuffix("e")
        for ending in ("er", "or", "ent", "ant"):
            found[stem + ending] = None
        if base.endswith("y") and len(base) > 3:
            found[base[:-1] + "ier"] = None
        for ing in verb_forms(base).ing:
            found[ing[:-3] + "er"] = None
    return list(found)


def deeds(agent: str) -> list[str]:
    """What somebody does who is called so, in forms that may not exist.

    >>> deeds("director"), "rule" in deeds("ruler"), deeds("genre")
    (['direct', 'directe'], True, [])
    """
    if len(agent) < 5 or not agent.endswith(("er", "or")):
        return []
    stem = agent[:-2]
    found = [stem, stem + "e"]
    if stem[-1] == stem[-2]:
        found.append(stem[:-1])
    if stem.endswith("i"):
        found.append(stem[:-1] + "y")
    return [verb for verb in found if len(verb) > 2 and verb not in STOPWORDS and not is_light(verb)]
