"""Questions that name no entity: all of a type, with a condition, counted, ranked, or as the start of hops.

Such a plan is made only when every word of the question is accounted for. A question that describes something in other
words than the ontology's ("the thing that retries deliveries") must be refused, not answered with everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kb.ask.planner.build import Branch, plan_of
from kb.ask.planner.chains import Chain
from kb.ask.planner.depth import repeated
from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.nouns import Noun
from kb.ask.planner.placing import Placer
from kb.ask.planner.scene import Scene
from kb.ask.planner.slots import Slot
from kb.ask.planner.text import word_set

__all__ = ["General", "general_plan"]

_ASKING = word_set(
    "list show name tell give find get please need want know see there exist existing many number count all every each "
    "have any in total altogether catalogue thing something anything what which who"
)
"""Words that only ask."""

_Found = tuple[dict[str, Any], set[int]]
"""A plan, and the places of the words that it accounts for."""


@dataclass(frozen=True)
class General:
    """A plan over everything of a type, and the words that say it."""

    plan: dict[str, Any]
    evidence: tuple[str, ...]


def general_plan(scene: Scene) -> General | None:
    """The plan of a question that names no entity; None unless every word is accounted for."""
    question = scene.question
    for plan, used in _General(scene).plans():
        covered = used | {place for noun in scene.nouns for place in noun.places}
        if all(
            token.index in covered or not token.content or not token.lemmas.isdisjoint(_ASKING)
            for token in question.tokens
        ):
            words = [" ".join(question.lower(place) for place in noun.places) for noun in scene.nouns]
            return General(plan, tuple(words))
    return None


class _General:
    def __init__(self, scene: Scene) -> None:
        self.scene, self.question, self.cues = scene, scene.question, scene.cues
        self.background, self.steps = scene.background, scene.background.steps
        self.types = [noun for noun in scene.nouns if not noun.attribute]
        taken = {place for noun in scene.nouns for place in noun.places}
        self.relations = [slot for slot in scene.slots if slot.place not in taken]

    def plans(self) -> Iterator[_Found]:
        if not self.scene.nouns:
            return
        if self.cues.most or (self.cues.count and self._each()):
            yield from self._ranked()
        elif self.cues.nothing or self.cues.negations:
            yield from self._lacking()
            yield from self._plain()
        else:
            yield from self._plain()
            yield from self._hopped()

    def _plain(self) -> Iterator[_Found]:
        """A list: "which datastores are public", "all teams"."""
        if len(self.types) < 2 and not self.relations and not self.cues.nothing:
            yield self._counted({"where": self._where()}), _places(self.cues.count)

    def _where(self) -> dict[str, Any]:
        where: dict[str, Any] = {"type": self.types[0].name} if self.types else {}
        return {**where, **{noun.name: noun.value for noun in self.scene.nouns if noun.attribute}}

    def _counted(self, plan: dict[str, Any]) -> dict[str, Any]:
        return {"count": plan} if self.cues.count else plan

    # -- hops from a type -------------------------------------------------

    def _hopped(self) -> Iterator[_Found]:
        """A chain from all of a type: "which teams own public datastores"."""
        best: tuple[float, _Found] | None = None
        placer = Placer(self.question, self.steps, {}, frozenset(), contrast=True)
        for start in self.types[1:] or self.types:
            if start.asked:
                continue
            own = self._before(start)
            others = [noun for noun in self.scene.nouns if noun is not start and noun not in own]
            seed = Chain(start.start, start.end, (start.mask,), anchor=start.places)
            for chain in self.scene.reader.grow(seed):
                placed = placer.place(chain, others, open_start=True)
                spoken = frozenset(place for noun in placed.used for place in noun.places)
                if not chain.said or placed.misfits or self.scene.reader.leftovers(chain, spoken) > 0.2:
                    continue
                far = repeated(chain, self.question, self.cues, self.steps, self.background.impact)
                base = {"type": start.name, **{noun.name: noun.value for noun in own}, **placed.where.pop(0, {})}
                branch = Branch(chain, (), far, where=placed.where, base=base)
                score = chain.score + placed.score
                if best is None or score > best[0]:
                    used = set(chain.words) | set(self.cues.covered)
                    best = (score, (self._counted(plan_of(branch, self.steps)), used))
        if best is not None and best[0] > 0:
            yield best[1]

    def _before(self, noun: Noun) -> list[Noun]:
        """Attributes right before a noun, which belong to it: "a public datastore"."""
        found: list[Noun] = []
        start = noun.start
        for other in reversed(self.scene.nouns):
            if other.attribute and other.end == start:
                found.append(other)
                start = other.start
        return found

    # -- having none ------------------------------------------------------

    def _lacking(self) -> Iterator[_Found]:
        """A condition "has none": "without an owner", "that nothing calls", "which courses have no room"."""
        said = _places((*self.cues.nothing, *self.cues.negations, *self.cues.count))
        if len(self.types) == 2 and self.cues.nothing and not self.relations:
            first, second = self.types
            if second.start == self.cues.nothing[0].end:
                paths = list(self.steps.between(first.mask, second.mask, 1))
                if len(paths) == 1:
                    yield self._counted({"where": {**self._where(), self.steps.written(paths[0][0]): None}}), said
        elif len(self.types) <= 2 and len(self.relations) == 1:
            slot = self.relations[0]
            code = self._missing(slot, self.types[0].mask if self.types else self.steps.everything)
            if code is not None:
                where = {**self._where(), self.steps.written(code): None}
                yield self._counted({"where": where}), said | _words(slot)

    def _missing(self, slot: Slot, mask: int) -> int | None:
        """The hop that leads nowhere: whose subject is nothing, is the one back to the subject."""
        before = self.question.previous_word(slot.start)
        nothing = self.question.lower(before) in {"nobody", "nothing", "none", "one"}
        nothing = nothing or any(
            noun.end - 1 == before and self.question.lower(noun.start - 1) == "no" for noun in self.types[1:]
        )
        if len(self.types) == 2 and not nothing:
            return None
        return self._best(slot, mask, self.steps.everything, backwards=nothing)

    def _best(self, slot: Slot, mask: int, goal: int, *, backwards: bool) -> int | None:
        """The likeliest hop of a slot from some types to others; `backwards` if its object is where it starts."""
        options = []
        for meaning in slot.meanings:
            noun = meaning.kind == NOUN
            code = meaning.codes[0] ^ int(backwards and not noun)
            options.append((meaning.weight, -code, code))
            if not noun:
                options.append((meaning.weight - 0.5, -(code ^ 1), code ^ 1))
        possible = [option for option in options if self.steps.after(mask, option[2]) & goal]
        return max(possible)[2] if possible else None

    # -- rankings ---------------------------------------------------------

    def _each(self) -> list[int]:
        return [token.index for token in self.question.tokens if token.lower in {"each", "every", "per"}]

    def _ranked(self) -> Iterator[_Found]:
        """Counts by group: "which team owns the most datastores", "how many datastores does each team own"."""
        each = self._each()
        place = self.cues.most[0].end if self.cues.most else each[0] + 1
        used = _places((*self.cues.most, *self.cues.count)) | set(each)
        here = next((noun for noun in self.types if noun.start == place), None)
        if here is None:
            yield from self._by_relation_noun(place, used)
            return
        others = [noun for noun in self.types if noun is not here]
        if len(others) > 1 or not (others or self.cues.most):
            return
        counted = here if self.cues.most else others[0]
        groups = (others[0].mask if others else self.steps.everything) if self.cues.most else here.mask
        code = self._to_group(counted, groups, named=bool(others))
        if code is not None:
            where = {"type": counted.name, **{noun.name: noun.value for noun in self.scene.nouns if noun.attribute}}
            for slot in self.relations:
                used |= _words(slot)
            yield {"count": {"where": where}, "by": [self.steps.written(code)]}, used

    def _to_group(self, counted: Noun, groups: int, *, named: bool) -> int | None:
        """The hop from what is counted to what it is counted by."""
        if len(self.relations) == 1:
            return self._best(self.relations[0], counted.mask, groups, backwards=True)
        paths = list(self.steps.between(counted.mask, groups, 1)) if named and not self.relations else []
        return paths[0][0] if len(paths) == 1 else None

    def _by_relation_noun(self, place: int, used: set[int]) -> Iterator[_Found]:
        """A ranking by a noun for a relation: "which house has the most members"."""
        slot = next((slot for slot in self.scene.slots if slot.start == place), None)
        if slot is None or len(self.types) != 1:
            return
        for meaning in sorted(slot.meanings, key=lambda one: -one.weight):
            code = meaning.codes[0]
            reached = self.steps.after(self.types[0].mask, code)
            counted = [name for name in self.steps.types if self.steps.below(name) == reached]
            if meaning.kind == NOUN and counted:
                plan = {"count": {"where": {"type": counted[0]}}, "by": [self.steps.written(code ^ 1)]}
                yield plan, used | meaning.words
                return


def _places(cues: Iterable[Any]) -> set[int]:
    return {place for cue in cues for place in cue.places}


def _words(slot: Slot) -> set[int]:
    return {place for meaning in slot.meanings for place in meaning.words}
