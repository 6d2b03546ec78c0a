"""English syntax around slots: which end of a relation the words already read are, and what belongs to what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.patterns import Meaning
from kb.ask.planner.slots import GENITIVE, Slot
from kb.ask.planner.text import (
    ADVERBS,
    AUXILIARIES,
    BE,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    WH,
    WILDCARDS,
    Question,
)

__all__ = ["Syntax"]

_ARTICLES = frozenset({"the", "a", "an"})
_DO = frozenset({"do", "does", "did"})
_EARLIER = frozenset({"that", "this", "those", "these", "them", "they", "their"})
"""Words that go back to the last answer rather than to the entity."""
_OBJECT_PRONOUNS = PRONOUNS - {"that", "its", "their", "his", "one", "there"}
_ANYTHING = frozenset({"anything", "something", "everything", "anyone", "things", "stuff"})
_ROLE_OF = frozenset({"of", "on", "for", "in", "at"})
_ALSO = frozenset({"including", "counting", "even", "incl", "plus"})


@dataclass(frozen=True)
class Syntax:
    """What stands where in one question.

    `nouns` are the words that name types, with their masks; `plurals` those of them in the plural; `references` the
    words that name an entity or stand for one.
    """

    question: Question
    slots: Sequence[Slot]
    nouns: Mapping[int, int]
    plurals: frozenset[int]
    references: frozenset[int]

    # -- direction --------------------------------------------------------

    def inner_is_object(self, slot: Slot, end: int, *, left: bool) -> bool:
        """Whether what was read (up to word `end`, where the slot is right of it) is the object of the slot's verb."""
        question = self.question
        if left:
            return not slot.fronted
        after = question.next_word(slot.end - 1, ADVERBS | PREPOSITIONS - {"by"})
        if question.lower(after) in _OBJECT_PRONOUNS and "," not in question.tokens[after].before:
            return True
        beside = slot.place + 1 in self.nouns or slot.place + 1 in self.references
        if question.lower(slot.place).endswith("ing") and beside and question.lower(slot.place - 1) in DETERMINERS:
            return True  # "the owning team"
        passive = any(question.lower(place) == "by" for meaning in slot.meanings for place in meaning.words)
        for steps, at in enumerate(range(slot.place - 1, max(end - 1, slot.place - 7), -1)):
            word = question.lower(at)
            if not question.same_segment(at, slot.place) or (at == end and question.lower(at - 1) == "'s"):
                return False
            if word in WH or word in _ANYTHING:
                return True
            if word in _DO or at in self.references:
                return False
            if word not in ADVERBS | AUXILIARIES and at not in self.nouns and (steps > 2 or passive):
                return False
        return False

    def names_inner(self, meaning: Meaning, *, left: bool) -> bool:
        """Whether a noun names just what was read.

        Left of it "films whose directors made X", "whose client is X"; right of it "what is X a client of", "who has X
        as a client".
        """
        question = self.question
        first, last = min(meaning.words), max(meaning.words)
        if left:
            clause = question.same_segment(first - 2, first) or question.lower(last + 1) in BE
            clause = clause or any(one.start == last + 1 and one.verb for one in self.slots)
            return question.lower(first - 1) == "whose" and clause
        if question.lower(last + 1) in _ROLE_OF and question.same_segment(last, last + 1):
            after = question.next_word(last + 1)
            verb = any(one.start == after and one.verb for one in self.slots)
            stranded = after >= len(question.tokens) or question.lower(after) in WH or verb
            if stranded and question.lower(first - 1) in _ARTICLES | {"as"} | BE:
                return True
        before = question.previous_word(first, ADVERBS | DETERMINERS)
        return question.lower(before) == "as" and before - 1 in self.references

    def says_nothing(self, slot: Slot, meaning: Meaning, *, left: bool) -> bool:
        """Whether "dependencies of …" stands right of what was read without "is", and so speaks of something else."""
        if left or meaning.kind == NOUN or self.question.lower(max(meaning.words)) != "of":
            return False
        question = self.question
        if question.lower(slot.start - 1) in _ARTICLES:
            return False
        return not any(question.lower(at) in BE for at in range(slot.start) if question.same_segment(at, slot.start))

    # -- order ------------------------------------------------------------

    def subject_of_right(self, start: int, end: int) -> bool:
        """Whether an entity's own verb or noun comes next: "the things X uses", "X's owner"."""
        question = self.question
        beside = end + 1 if question.lower(end) == "'s" else end
        if any(one.start == beside and all(m.kind in (NOUN, GENITIVE) for m in one.meanings) for one in self.slots):
            return question.same_segment(end - 1, beside)
        before = question.previous_word(start, _ARTICLES)
        if before < 0 or not (question.lower(before) in RELATIVES | WILDCARDS | _DO or before in self.plurals):
            return False
        after = question.next_word(end - 1, ADVERBS | AUXILIARIES)
        return any(one.start <= after < one.end and one.verb for one in self.slots)

    def object_of_left(self, start: int) -> bool:
        """Whether an entity stands right after a slot's last word: "owned by X"."""
        question = self.question
        skip = DETERMINERS | ADVERBS
        before = question.previous_word(start, skip)
        while before >= 0 and before in self.nouns and before not in self.plurals:
            before = question.previous_word(before, skip)
        if before < 0:
            return False
        verb_before = any(one.end - 1 == before and one.verb for one in self.slots)
        return verb_before or question.lower(before) in PREPOSITIONS - {"in", "on", "at", "with", "for"}

    def between(self, first: int, last: int) -> list[Slot]:
        """Slots at words `first` to `last` (exclusive)."""
        return [one for one in self.slots if first <= one.place < last]

    # -- what belongs to what ---------------------------------------------

    def tied(self, slot: Slot, anchor: range) -> bool:
        """Whether the slot's own words tie it to the entity itself, so that it says no later hop of a repetition."""
        question = self.question
        after = question.next_word(slot.end - 1, _ARTICLES | ADVERBS | PREPOSITIONS)
        if question.lower(after) == "its":
            return after not in anchor
        if after in self.references and question.lower(after) not in _EARLIER:
            while after + 1 in self.references and question.same_segment(after, after + 1):
                after += 1
            follows = any(one.start == after + 1 and one.weight >= 0.5 for one in self.slots)
            return question.lower(after + 1) != "'s" and not follows
        return question.lower(slot.start - 1) in {"its", "it"} and slot.start - 1 not in anchor

    def loose(self, slot: Slot, end: int) -> bool:
        """Whether a noun stands in the clause that ends at `end` without belonging to it as "X's owner" does."""
        words = {self.question.lower(place) for place in range(end, slot.start)}
        far = slot.start - end > 1 and not {"'s", "have", "has"} & words
        return far and self.question.same_segment(end - 1, slot.start)

    def fits_question(self, slot: Slot, read: range, reached: int) -> bool:
        """Whether a bare preposition can lead to what is asked for: "in which genres is X" is not about languages.

        `read` are the words read so far, `reached` the types that the preposition would lead to.
        """
        question = self.question
        if any(one.end == slot.start and one.noun for one in self.slots):
            return False  # "an actor in": the preposition belongs to the noun.
        after = question.lower(slot.end) if question.same_segment(slot.place, slot.end) else ""
        if after and after not in WH:
            return True
        asked = [
            mask
            for place, mask in self.nouns.items()
            if question.same_segment(place, slot.place)
            and (0 < place - slot.end < 3 if after else place not in read)
            and {"which", "what"} & {question.lower(place - 1), question.lower(place - 2)}
        ]
        return not asked or any(mask & reached for mask in asked)

    def possessed(self, slot: Slot, said: Slot) -> bool:
        """Whether the slot is the noun of the possessive `said`: "team" in "Ada's team"."""
        here = slot.place in self.nouns and 0 <= slot.start - said.end < 3
        return here and self.question.lower(said.place) == "'s"

    def restates(self, one: Slot, other: Slot) -> bool:
        """Whether the later of two slots asks again: "Where is it from? Which makers?" goes back to nothing."""
        question, last = self.question, max(one, other, key=lambda slot: slot.place)
        if question.same_segment(one.place, other.place):
            return False
        before = (at for at in range(last.start) if question.same_segment(at, last.place))
        near = (*before, question.next_word(last.end - 1, ADVERBS | _ARTICLES | PREPOSITIONS))
        return not any(question.lower(at) in PRONOUNS or at in self.references for at in near)

    def same_again(self, one: Slot, other: Slot) -> bool:
        """Whether two slots for one relation say it once: "reads from or writes to", "upstream dependencies"."""
        first, second = (one, other) if one.place < other.place else (other, one)
        if first.place + 1 == second.start and first.noun and second.noun:
            return True
        words = [self.question.lower(place) for place in range(first.end, second.start)]
        if _ALSO & set(words):
            return True
        joined = {"and", "or"} & set(words) or "/" in self.question.tokens[second.start].before
        return bool(joined) and all(word in ADVERBS | {"and", "or"} for word in words)
