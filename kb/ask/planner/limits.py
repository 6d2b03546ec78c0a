"""Questions that no plan can answer, however well one fits some of their words.

A plan says what stands in which relation to what, as of now. Reasons, times, manners, things the ontology has no word
for, and exceptions that were not understood lie outside: answering the rest of such a question would be a guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from kb.ask.planner.scene import Scene
from kb.ask.planner.text import ADVERBS, AUXILIARIES, DETERMINERS, WH, WILDCARDS, Question, word_set
from kb.language import STOPWORDS

__all__ = ["beyond"]

_REASONS = {"why": "reasons", "when": "times", "how": "ways"}
_TIMES = word_set("year date day time month week season decade century period hour")
_COUNTED = word_set("many much")
_NAMING = word_set(
    "name names id ids list number count set total one ones rest kind kinds type types sort sorts part parts"
)
"""Nouns that ask for things, or for how many, and not for a property of theirs."""
_LEAVES_OUT = word_set("except excluding unless")
_ONCE = word_set("formerly previously earlier originally")
_WITH_ONLY = word_set("on by in from to with")


def beyond(scene: Scene, plan: object) -> str | None:
    """Why `plan` (as JSON) is not what the question behind `scene` asks; None where nothing speaks against it."""
    question = scene.question
    text = json.dumps(plan)
    return (
        _asks_for_more_than_facts(scene, text)
        or _speaks_of_other_times(scene)
        or _asks_for_an_unknown_property(scene)
        or _leaves_out(question, text)
        or _passes_over_a_name(scene, text)
    )


def _asking(question: Question) -> list[int]:
    return [token.index for token in question.tokens if not token.context]


def _asks_for_more_than_facts(scene: Scene, plan: str) -> str | None:
    question = scene.question
    asking = _asking(question)
    words = [question.lower(place) for place in asking]
    first = next((n for n, word in enumerate(words) if word in WH or word in _REASONS), None)
    if first is None or words[first] not in _REASONS:
        return None
    after = words[first + 1] if first + 1 < len(words) else ""
    if words[first] == "how" and after in _COUNTED:
        return None
    # "when auth is down, who notices": another word asks; "how" and "why" beside it ask for more all the same.
    if words[first] == "when" and (any(word in WH for word in words[first + 1 :]) or after not in AUXILIARIES):
        return None
    if words[first] == "when" and _tells_times(scene, plan):
        return None
    return f"it asks for {_REASONS[words[first]]} ('{words[first]}'), and the graph holds facts only: who, what, which"


def _tells_times(scene: Scene, plan: str) -> bool:
    """Whether the plan follows a relation to years, dates or the like, where the ontology has them as things."""
    vocabulary, steps = scene.background.vocabulary, scene.background.steps
    times = 0
    for class_ in vocabulary.classes.values():
        if _TIMES & {phrase.lower() for phrase in class_.phrases}:
            times |= steps.below(class_.name)
    for hop in re.findall(r'"~?([^"~*]+)\*?"', plan):
        relation = vocabulary.relation(hop)
        if relation is not None and any(
            end is not None and steps.below(end) & times for ends in relation[0].signatures for end in ends
        ):
            return True
    return False


def _speaks_of_other_times(scene: Scene) -> str | None:
    question = scene.question
    names = {mention.start for mention in scene.mentions}
    for place in _asking(question):
        word, after = question.lower(place), question.lower(place + 1)
        once = word == "used" and after == "to" and question.lower(place - 1) not in AUXILIARIES
        past = word in _ONCE or (word in {"before", "after"} and (place + 1 in names or place + 2 in names))
        if once or (past and not _relational(scene, place)):
            return f"it asks about another time ('{word}'), and the graph holds what is so now"
    return None


def _asks_for_an_unknown_property(scene: Scene) -> str | None:
    """As in: what language is X written in, which tier does X belong to, who is the boss of X."""
    question = scene.question
    for place in _asking(question):
        word, before = question.lower(place), question.lower(place - 1)
        after = question.lower(place + 1)
        property_of = before in {"what", "which"} and (after in AUXILIARIES or after == "of")
        title_of = before in DETERMINERS and after == "of" and question.lower(place - 2) in AUXILIARIES
        if (property_of or title_of) and _unknown(scene, place):
            return f"nothing in the ontology or the catalogue is called '{word}'"
    return None


def _unknown(scene: Scene, place: int) -> bool:
    token = scene.question.tokens[place]
    if token.lower in STOPWORDS | ADVERBS | WILDCARDS | AUXILIARIES | _NAMING or not token.lower.isalpha():
        return False
    # A plural stands for things of a sort that the ontology may call otherwise: "which programs does X call".
    plural = token.lower.endswith("s") and not token.lower.endswith("ss")
    if plural or place in scene.masked or not token.lemmas.isdisjoint(scene.background.lexicon.known):
        return False
    return not _relational(scene, place) and all(place not in noun.places for noun in scene.nouns)


def _relational(scene: Scene, place: int) -> bool:
    return place in scene.cues.covered or any(
        slot.start <= place < slot.end or slot.place == place for slot in scene.slots
    )


def _leaves_out(question: Question, plan: str) -> str | None:
    for place in _asking(question):
        word, after = question.lower(place), question.lower(place + 1)
        denied = word in _LEAVES_OUT or (word == "but" and after in {"not", "never", "don't", "doesn't"})
        if denied and '"except"' not in plan and "null" not in plan and "false" not in plan:
            return f"it leaves something out ('{word} …'), and what could not be made out"
        if word == "only" and after in _WITH_ONLY:
            return "it asks for what stands in a relation to nothing else ('only'), which plans cannot say"
    return None


def _passes_over_a_name(scene: Scene, plan: str) -> str | None:
    question = scene.question
    for mention in scene.mentions:
        tokens = question.tokens[mention.start : mention.end]
        written = all(token.text[:1].isupper() for token in tokens)
        if mention.confidence < 1 or not written or any(token.context for token in tokens):
            continue
        if not any(json.dumps(one) in plan for one in _same(scene, mention.ids)):
            shown = question.text[tokens[0].start : tokens[-1].end]
            return f"it names '{shown}' too, and what that has to do with the rest could not be made out"
    return None


def _same(scene: Scene, ids: Collection[str]) -> Collection[str]:
    return {
        one
        for group in scene.groups
        for mention in group.mentions
        if set(mention.ids) & set(ids)
        for one in mention.ids
    }
