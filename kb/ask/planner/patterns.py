"""Matching one pattern of the lexicon at one word of a question, as English lets its words stand.

A verb's preposition may follow at once, after its object ("keeps its data in"), at the end ("what does X rely on") or
before the question word ("on what does X rely"). A verb may be passive. A word that can be a verb or a noun is told by
what stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.ask.planner.lexicon import NOUN, PREDICATE, VERB, Pattern
from kb.ask.planner.morphology import is_participle
from kb.ask.planner.text import ADVERBS, AUXILIARIES, BE, DETERMINERS, PREPOSITIONS, PRONOUNS, SPEAKER, WH, Question
from kb.language import STOPWORDS, verb_forms

__all__ = ["Matcher", "Meaning"]

_LONGER = 0.03
"""What each further word of a phrase adds, so that the longer of two phrases wins."""
_PARTIAL = 0.7
"""What is left of a phrase whose preposition is missing."""
_QUANTIFIERS = frozenset(
    {"some", "few", "many", "several", "these", "those", "all", "other", "any", "more", "most", "both"}
)
_NAMING = frozenset({"called", "named", "titled", "labelled", "nicknamed", "dubbed"})
_PLACE_WORDS = frozenset({"in", "at", "on"})
_NOT_BEFORE_VERBS = frozenset({"on", "in", "at", "with", "for", "from", "under"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that words of a question can mean.

    `codes` are hops, from the subject of a VERB or PREDICATE to its object, or from the thing that a NOUN belongs to.
    `words` are the places of its words. `far`: any number of repetitions is meant. `fixed`: the hops are as they are,
    whatever the syntax. `light`: a bare preposition.
    """

    codes: tuple[int, ...]
    kind: str
    weight: float
    words: frozenset[int]
    far: bool = False
    fixed: bool = False
    light: bool = False


class Matcher:
    """Matches patterns in one question. `masked` are the words that name entities, `types` those that name types."""

    def __init__(self, question: Question, masked: frozenset[int], types: frozenset[int]) -> None:
        self.question, self.masked, self.types = question, masked, types
        self.fronted: set[int] = set()
        """Verbs whose preposition was found before a question word."""

    def match(self, pattern: Pattern, place: int) -> Meaning | None:
        """What the pattern means at a word that has its first word's base form; None where it does not fit."""
        if pattern.kind == NOUN:
            return self._noun(pattern, place)
        bare = pattern.light and len(pattern.words) == 1
        if (pattern.kind == VERB or (len(pattern.words) == 1 and not bare)) and not self._can_be_verb(place):
            return None
        word = self.question.lower(place)
        if bare and word in PREPOSITIONS:
            if not self._relates(place):
                return None
        elif bare and word in AUXILIARIES and not self._main_verb(place):
            return None
        found = self._rest(pattern, place)
        if found is None:
            return None
        used, weight, last = found
        code = pattern.code
        if pattern.kind == VERB and self._passive(pattern, place, last, used):
            code ^= 1
        weight += _LONGER * (len(used) - 1)
        return Meaning((code,), pattern.kind, weight, frozenset(used), light=bare and word in PREPOSITIONS)

    # -- nouns ------------------------------------------------------------

    def _noun(self, pattern: Pattern, place: int) -> Meaning | None:
        question = self.question
        places = range(place, place + len(pattern.words))
        if places.stop > len(question.tokens) or not question.same_segment(place, places.stop - 1):
            return None
        for at, forms in zip(places, pattern.words, strict=True):
            if at in self.masked or not question.tokens[at].lemmas & forms:
                return None
        last = question.lower(places.stop - 1)
        if last.endswith(("ed", "ing")) and last not in pattern.words[-1]:
            return None
        if pattern.plural_only and not (last.endswith("s") and self._noun_place(place)):
            return None
        if pattern.placed and not (self._noun_place(place) and self._ends_noun(place)):
            return None
        if place - 1 in self.masked and self._asked_with_do(place):
            return None  # "whom did X mentor"
        used = set(places)
        if question.lower(place - 1) == "co":
            used.add(place - 1)
        return Meaning((pattern.code,), NOUN, pattern.weight + _LONGER * (len(used) - 1), frozenset(used))

    def _asked_with_do(self, place: int) -> bool:
        """Whether the entity before a word is the subject of "does", so that the word is its verb."""
        first = place - 1
        while first - 1 in self.masked:
            first -= 1
        return self.question.lower(self.question.previous_word(first, DETERMINERS)) in {"do", "does", "did"}

    def _noun_place(self, place: int) -> bool:
        """Whether a word that may be a verb stands where a noun does: after "the", "its", "'s", or before "of"."""
        question = self.question
        before, after = question.lower(place - 1), question.lower(place + 1)
        if before in (DETERMINERS | _QUANTIFIERS) - {"whose"} or before == "'s" or after in {"of", "'s"}:
            return True
        if question.lower(question.previous_word(place)) in DETERMINERS:
            return True
        of_like = after in {"by", "in", "from"}
        if before in {"which", "what", "whose", "many"}:
            return of_like or after in AUXILIARIES | SPEAKER or not question.same_segment(place, place + 1)
        return of_like and not question.same_segment(place, place - 1)

    def _ends_noun(self, place: int) -> bool:
        """Whether nothing follows that a word only describes, as "own" does in "their own things"."""
        after = place + 1
        return not (self.question.same_segment(place, after) and self.question.tokens[after].content)

    # -- verbs ------------------------------------------------------------

    def _can_be_verb(self, place: int) -> bool:
        """Whether a verb can stand here and speaks of the question's things rather than of the people who ask."""
        question, word = self.question, self.question.tokens[place]
        before = question.lower(place - 1) if question.same_segment(place, place - 1) else ""
        after = question.lower(place + 1)
        if place - 1 not in self.masked:
            if not word.lower.endswith(("ing", "ed")) and before in (DETERMINERS | {"any"} | _NOT_BEFORE_VERBS) - {
                "whose"
            }:
                return False
            quantified = before in _QUANTIFIERS and question.lower(place - 2) not in WH  # "what all hangs on X"
            plural = quantified or (before == "which" and self._plural_after_which(place))
            if word.lower.endswith("s") and plural:
                return False
        if place in self.types and (before == "of" or (before not in STOPWORDS and is_participle(before))):
            return False  # "directed films", "what sort of film"
        if before in {"which", "what", "whose"} and after in AUXILIARIES:
            return False
        if word.lower in _NAMING and question.next_word(place, DETERMINERS) in self.masked:
            return False
        if after == "to" and word.lemmas & {"need", "have", "get", "come", "go"}:
            return False
        return not self._spoken_of_us(place)

    def _plural_after_which(self, place: int) -> bool:
        """Whether a plural stands there ("which words describe X"): what follows is no object, so it is no verb."""
        after = place + 1
        objects = DETERMINERS | (PREPOSITIONS - {"by"}) | PRONOUNS | _QUANTIFIERS | ADVERBS
        return after not in self.masked and self.question.lower(after) not in objects

    def _spoken_of_us(self, place: int) -> bool:
        """Whether those who ask do it: "whom do I call", "which leads should we mail or ring"."""
        question = self.question
        skip = ADVERBS | (AUXILIARIES - BE) | {"to", "and", "or", "want", "need"}
        back = question.previous_word(place, skip)
        if back >= 0 and back not in self.masked and question.lower(back) in SPEAKER - {"one"}:
            return question.same_segment(place, back) and question.lower(back) not in {"us", "me"}
        walk = place - 1
        while walk >= 0 and "/" in question.tokens[walk + 1].before and question.same_segment(walk, place):
            walk -= 1
        return walk < place - 1 and question.lower(walk) in SPEAKER

    def _rest(self, pattern: Pattern, place: int) -> tuple[set[int], float, int] | None:
        """The places of all words of a phrase, its weight, and the last place of those that follow its first word."""
        used, weight, last, missing = {place}, pattern.weight, place, 0
        for forms in pattern.words[1:]:
            at, cost = self._following(forms, last)
            if at is None:
                at, cost = self._before_question_word(forms, place)
                if at is not None:
                    self.fronted.add(place)
            if at is None:
                missing += 1
                continue
            last = max(last, at)
            used.add(at)
            weight -= cost
        if missing and not self._may_lack(pattern, missing, place):
            return None
        return used, weight * (_PARTIAL if missing else 1.0), last

    def _may_lack(self, pattern: Pattern, missing: int, place: int) -> bool:
        rest = pattern.words[1:]
        if all(forms & _PLACE_WORDS for forms in rest):
            # "where does X live": the question word stands for the preposition too.
            segment = self.question.tokens[place].segment
            if any(token.lower == "where" and token.segment == segment for token in self.question.tokens):
                return True
        if pattern.light or missing > 1 or pattern.kind == PREDICATE:
            return False
        return all(forms & PREPOSITIONS for forms in rest) or any(not forms & STOPWORDS for forms in rest)

    def _following(self, forms: frozenset[str], here: int) -> tuple[int | None, float]:
        """The next word of a phrase: at once, or after the verb's object ("keeps its data in")."""
        question = self.question
        after = question.next_word(here)
        if after < len(question.tokens) and question.tokens[after].lemmas & forms and after not in self.masked:
            return after, 0.0
        if "of" in forms:
            return None, 0.0
        named = False
        for at in range(here + 1, min(here + 6, len(question.tokens))):
            token = question.tokens[at]
            if not question.same_segment(here, at):
                break
            if at in self.masked:
                named = True
                continue
            if token.lemmas & forms:
                # After an object that is named, only "has X in it".
                return (at, 0.1) if not named or question.lower(at + 1) in PRONOUNS else (None, 0.0)
            if token.lower in WH or token.lower in PREPOSITIONS - {"of"} or "," in token.before:
                break
        return None, 0.0

    def _before_question_word(self, forms: frozenset[str], place: int) -> tuple[int | None, float]:
        """A preposition before its question word: "on what does X rely", "from whom"."""
        question = self.question
        for at in range(place - 1, -1, -1):
            if not question.same_segment(place, at):
                break
            word = question.lower(at)
            if word in PREPOSITIONS and question.tokens[at].lemmas & forms and question.lower(at + 1) in WH:
                return at, 0.05
        return None, 0.0

    def _relates(self, place: int) -> bool:
        """Whether a bare preposition relates two things: before a name or question word, or left at the end."""
        after = self.question.next_word(place, ADVERBS | DETERMINERS)
        if after >= len(self.question.tokens) or after in self.masked:
            return True
        if self.question.lower(after) in WH:
            self.fronted.add(place)
            return True
        return self.question.lower(after) in PRONOUNS

    def _main_verb(self, place: int) -> bool:
        """Whether "has" is the verb itself: "which team has the vault", "what does the team have"."""
        after = self.question.next_word(place, ADVERBS | DETERMINERS)
        if after in self.masked:
            return self.question.lower(place - 1) not in {"", "and"}
        return after >= len(self.question.tokens) and self.question.lower(place) == "have"

    def _passive(self, pattern: Pattern, place: int, last: int, used: set[int]) -> bool:
        """Whether a verb is passive: "used by", "is X used", "by whom is X used". Adds the place of "by" to `used`."""
        question = self.question
        word = question.lower(place)
        if not any(word in verb_forms(base).participles for base in pattern.words[0] if base.isalpha()):
            return False
        after = question.next_word(last)
        if question.lower(after) == "by":
            used.add(after)
            return True
        fronted, _ = self._before_question_word(frozenset({"by"}), place)
        if fronted is not None:
            used.add(fronted)
            return True
        for at in range(place - 1, max(place - 7, -1), -1):
            before = question.lower(at)
            if not question.same_segment(place, at) or before in {"have", "has", "had", "having", "did", "do", "does"}:
                return False
            if before in {"that", "who"} or (before in WH and at < place - 1):
                return False
            if before in BE or before in {"get", "gets", "got"}:
                # The possessive "'s" is no verb unless a question word stands before it.
                return before != "'s" or question.lower(at - 1) in WH
        return False
