"""Reading outwards from an entity: every type-correct sequence of hops that the question's words can mean.

English nests: "who leads the team that owns X" says the last hop first, "X's owner's lead" the first hop first. What
has been read so far is one stretch of the question around the entity; the next hop is said just left or just right of
it. So sequences grow from the entity, hop by hop, each hop said by a slot; what is left unsaid, skipped or out of place
costs. Which end of the relation the inner side is, follows from syntax, and from types where only one end fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.ask.planner.gaps import Gaps
from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.patterns import Meaning
from kb.ask.planner.sequences import MAX_HOPS, Steps
from kb.ask.planner.slots import GENITIVE, WAY, Slot
from kb.ask.planner.syntax import Syntax

__all__ = ["Chain", "Reader", "Said"]

_BEAM = 48
"""How many sequences of one length are continued."""

# What speaks against a sequence, in units of one well said hop.
_HOP = 0.04
_AGAINST_SYNTAX = 0.7
_AGAINST_NOUN = 1.4
_APPOSITION = 1.0
_LOOSE_NOUN = 0.15
_TIED = 1.2
_RETURN = 0.4
_BROAD = 0.01
_JUMP = 0.08
_LIFT = 0.35
_WAY, _GAP = 0.35, 0.45
_WORD_BETWEEN, _MOST_BETWEEN = 0.04, 0.3
_WRONG_ORDER = 0.6
_UNIMPORTANT = 0.5
_SKIPPED, _ECHO = 0.6, 0.1

_Hops = tuple[tuple[int, ...], float]
"""Codes, and what speaks against them."""


@dataclass(frozen=True, slots=True)
class Said:
    """One step of a chain: the slot that says it, the meaning taken, the hops it makes, and on which side it stands."""

    slot: Slot
    meaning: Meaning
    codes: tuple[int, ...]
    left: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A sequence of hops read from the words `start` to `end` (exclusive).

    `masks[i]` are the types before hop `i`; `said` tells which slots say the hops. `anchor` are the words it began
    with. `parts` are the chains that this one goes on from, where it starts from what they have in common. Nothing
    before `floor` can continue it: it has gone on to a new clause ("X is full. Who leads the owning team?").
    """

    start: int
    end: int
    masks: tuple[int, ...]
    codes: tuple[int, ...] = ()
    said: tuple[Said, ...] = ()
    score: float = 0.0
    parts: tuple[Chain, ...] = ()
    anchor: range = range(0)
    floor: int = 0

    @property
    def words(self) -> frozenset[int]:
        """The places of all words that say hops, in parts too."""
        own = (one.meaning.words for one in self.said)
        return frozenset().union(*own, *(part.words for part in self.parts))

    @property
    def spoken(self) -> frozenset[int]:
        """The places of words that say hops by their meaning, and not by standing beside a name."""
        own = (one.meaning.words for one in self.said if one.meaning.kind not in (GENITIVE, WAY))
        return frozenset().union(*own, *(part.spoken for part in self.parts))

    @property
    def relations(self) -> frozenset[int]:
        """The numbers of the relations that it follows, in parts too."""
        own = frozenset(code >> 1 for code in self.codes)
        return own.union(*(part.relations for part in self.parts))


class Reader:
    """Reads chains from one question. `parts` are hops from wholes to parts, `ways` nouns with the types they name."""

    def __init__(
        self, syntax: Syntax, steps: Steps, parts: frozenset[int], gaps: Gaps, ways: Sequence[tuple[Slot, int]]
    ) -> None:
        self.syntax, self.steps, self.parts, self.gaps, self.ways = syntax, steps, parts, gaps, ways
        self.question, self.slots = syntax.question, syntax.slots
        self._transitive = [code for code in steps.repeatable if steps.relation(code).transitive]

    def grow(self, seed: Chain) -> list[Chain]:
        """The seed and the likeliest chains that continue it, shorter ones first."""
        every = front = [seed]
        for _ in range(MAX_HOPS):
            following: dict[tuple[object, ...], Chain] = {}
            for chain in front:
                for longer in self._longer(chain):
                    key = (longer.codes, longer.start, longer.end, tuple(one.slot.place for one in longer.said))
                    if key not in following or following[key].score < longer.score:
                        following[key] = longer
            front = sorted(following.values(), key=lambda one: (-one.score, one.codes, one.start))[:_BEAM]
            if not front:
                break
            every = every + front
        return every

    def leftovers(self, chain: Chain, spoken: frozenset[int]) -> float:
        """What it costs to have skipped slots. `spoken` are words that say something else: a type, a condition."""
        used, relations = chain.words, chain.relations
        cost = 0.0
        for slot in self.slots:
            if slot.place not in spoken and not any(meaning.words & used for meaning in slot.meanings):
                followed = any(code >> 1 in relations for meaning in slot.meanings for code in meaning.codes)
                cost += slot.weight * slot.importance * (_ECHO if followed else _SKIPPED)
        return cost

    # -- one slot further -------------------------------------------------

    def _longer(self, chain: Chain) -> Iterator[Chain]:
        used = chain.words
        for slot in self.slots:
            if chain.start <= slot.place < chain.end or slot.start < chain.floor:
                continue
            left = slot.place < chain.start
            for meaning in slot.meanings:
                if meaning.words & used or len(chain.codes) + len(meaning.codes) > MAX_HOPS:
                    continue
                if self._said_before(chain, slot, meaning):
                    continue
                for longer in self._with(chain, slot, meaning, left):
                    yield longer
                    if not left and self.syntax.between(chain.end, slot.place):
                        # A new clause may say its outer hops before this one: "who leads the owning team".
                        yield replace(longer, start=slot.start, floor=chain.end, score=longer.score - _JUMP)

        for slot, goal in self.ways:
            if not (chain.start <= slot.place < chain.end or slot.start < chain.floor):
                yield from self._through(chain, slot, goal, used)

    def _through(self, chain: Chain, slot: Slot, goal: int, used: frozenset[int]) -> Iterator[Chain]:
        """The chain led on to a noun for a type, by the only hop that nobody needs to say."""
        meaning, here = slot.meanings[0], chain.masks[-1]
        if here & goal or meaning.words & used:
            return
        path = self.gaps.fill(here, goal, 1)
        if path is not None and len(chain.codes) < MAX_HOPS and path[0] >> 1 not in chain.relations:
            left = slot.place < chain.start
            cost = _WAY + _HOP + self._out_of_place(chain, slot, meaning, left)
            yield replace(
                chain,
                start=min(chain.start, slot.start),
                end=max(chain.end, slot.end),
                masks=(*chain.masks, *self.steps.walk(here, path)[1:]),
                codes=(*chain.codes, *path),
                said=(*chain.said, Said(slot, meaning, path, left)),
                score=chain.score - cost,
            )

    def _said_before(self, chain: Chain, slot: Slot, meaning: Meaning) -> bool:
        """Whether the slot only says again what the chain has read."""
        for one in chain.said:
            if one.meaning.kind == WAY and meaning.codes[0] >> 1 == one.codes[0] >> 1:
                return True  # The slot says the hop that was left to be understood.
            if one.meaning.kind == GENITIVE and self.syntax.possessed(slot, one.slot):
                return True
            mine, theirs = meaning.kind == NOUN, one.meaning.kind == NOUN
            asked = mine != theirs and (slot if mine else one.slot).asked
            if asked and one.codes[-1] >> 1 == meaning.codes[0] >> 1:
                return True  # "which parent does X belong to": the noun names what the verb leads to.
        if not chain.said or not meaning.codes or meaning.codes[0] >> 1 != chain.codes[-1] >> 1:
            return False
        levels = [len(one.codes) for one in chain.said if one.meaning.fixed]
        if any(length > 1 for length in levels) or (meaning.fixed and len(meaning.codes) > 1):
            return True  # "two levels up (users of its users)"
        last = chain.said[-1].slot
        return self.syntax.same_again(last, slot) or self.syntax.restates(last, slot)

    def _with(self, chain: Chain, slot: Slot, meaning: Meaning, left: bool) -> Iterator[Chain]:
        worth = meaning.weight * slot.importance - _UNIMPORTANT * (1 - slot.importance)
        worth -= self._out_of_place(chain, slot, meaning, left)
        for codes, cost in self._lifted(chain, slot, meaning, left):
            masks = self.steps.walk(chain.masks[-1], codes)
            if meaning.light and not self._answers(chain, slot, masks[-1]):
                continue
            yield replace(
                chain,
                start=min(chain.start, slot.start),
                end=max(chain.end, slot.end),
                masks=(*chain.masks, *masks[1:]),
                codes=(*chain.codes, *codes),
                said=(*chain.said, Said(slot, meaning, codes, left)),
                score=chain.score + worth - cost - self._unlikely(chain, slot, meaning, codes),
            )

    def _answers(self, chain: Chain, slot: Slot, reached: int) -> bool:
        for code in self._transitive:
            reached |= self.steps.after(reached, code)
        return self.syntax.fits_question(slot, range(chain.start, chain.end), reached)

    # -- which hops -------------------------------------------------------

    def _lifted(self, chain: Chain, slot: Slot, meaning: Meaning, left: bool) -> Iterator[_Hops]:
        """The slot's hops; where none can be taken, those of the parts of what was reached ("hangs in the wing")."""
        mask = chain.masks[-1]
        found = [pair for pair in self._hops(chain, mask, slot, meaning, left) if self.steps.walk(mask, pair[0])]
        yield from found
        if found:
            return
        yield from self._bridged(chain, slot, meaning, left)
        if chain.codes and chain.codes[-1] in self.parts:
            return
        for part in sorted(self.parts):
            reached = self.steps.after(mask, part)
            if reached:
                for codes, cost in self._hops(chain, reached, slot, meaning, left):
                    if self.steps.walk(reached, codes):
                        yield (part, *codes), cost + _LIFT

    def _bridged(self, chain: Chain, slot: Slot, meaning: Meaning, left: bool) -> Iterator[_Hops]:
        """The slot's hops after the only one that leads to where they start: "what is played in the hall"."""
        mask = chain.masks[-1]
        if meaning.light or meaning.fixed:
            return
        code = self._direction(chain, slot, meaning, left)
        path = self.gaps.fill(mask, self.steps.before(code), 2 if slot.asked and meaning.kind == NOUN else 1)
        if path is not None and path[0] >> 1 not in chain.relations | {code >> 1}:
            yield (*path, code), _GAP * len(path)

    def _hops(self, chain: Chain, mask: int, slot: Slot, meaning: Meaning, left: bool) -> list[_Hops]:
        if meaning.fixed:
            return [(meaning.codes, 0.0)]
        if self.syntax.says_nothing(slot, meaning, left=left) and not self.syntax.inner_is_object(
            slot, chain.end, left=left
        ):
            return []
        code = self._direction(chain, slot, meaning, left)
        if slot.shared:
            # There and back: the films somebody was in, and who else was in them.
            return [
                ((one, one ^ 1), cost) for one, cost in ((code, 0.0), (code ^ 1, 0.05)) if self.steps.after(mask, one)
            ]
        if self.steps.after(mask, code):
            return [((code,) * (slot.times if code in self.steps.repeatable else 1), 0.0)]
        if meaning.kind == NOUN or self.question.lower(max(meaning.words)) == "of":
            # "the director X" says what X is; anywhere else a noun names what its hop leads to.
            apposed = left and slot.end == chain.anchor.start and not chain.said
            return [((code ^ 1,), _APPOSITION if apposed else _AGAINST_NOUN)]
        return [((code ^ 1,), _AGAINST_SYNTAX)]

    def _direction(self, chain: Chain, slot: Slot, meaning: Meaning, left: bool) -> int:
        """The slot's hop as syntax has it, from what was read."""
        if meaning.fixed:
            return meaning.codes[0]
        if meaning.kind == NOUN:
            return meaning.codes[0] ^ int(self.syntax.names_inner(meaning, left=left))
        return meaning.codes[0] ^ int(self.syntax.inner_is_object(slot, chain.end, left=left))

    # -- what speaks against it -------------------------------------------

    def _out_of_place(self, chain: Chain, slot: Slot, meaning: Meaning, left: bool) -> float:
        """What speaks against a slot being the next one, whatever hop it says."""
        cost = self._order(chain, slot, left)
        between = range(slot.end, chain.start) if left else range(chain.end, slot.start)
        words = sum(
            self.question.tokens[place].content
            and place not in self.syntax.nouns
            and place not in self.syntax.references
            for place in between
        )
        cost += min(words * _WORD_BETWEEN, _MOST_BETWEEN)
        if chain.codes and self.syntax.tied(slot, chain.anchor):
            cost += _TIED
        if meaning.kind == NOUN:
            if left and self._heads_clause(chain, slot):
                cost += _TIED
            if not left and self.syntax.loose(slot, chain.end):
                cost += _LOOSE_NOUN
        return cost

    def _order(self, chain: Chain, slot: Slot, left: bool) -> float:
        """What speaks against reading left before right or right before left, next to the entity."""
        if chain.said or chain.parts:
            return 0.0
        wrong = not left and self.syntax.object_of_left(chain.anchor.start)
        if left or self.syntax.between(chain.end, slot.place):
            wrong = wrong or self.syntax.subject_of_right(chain.anchor.start, chain.anchor.stop)
        return _WRONG_ORDER if wrong else 0.0

    def _heads_clause(self, chain: Chain, slot: Slot) -> bool:
        """Whether a noun is what the clause after it speaks of ("the team that owns X"), and so no hop of its own."""
        mask = self.syntax.nouns.get(slot.place, 0)
        count = 0
        for one in chain.said:
            count += len(one.codes)
            if one.left and one.slot.start == chain.start and one.meaning.kind != NOUN:
                return chain.masks[count] & mask == chain.masks[count]
        return False

    def _unlikely(self, chain: Chain, slot: Slot, meaning: Meaning, codes: tuple[int, ...]) -> float:
        """What speaks against these hops in themselves."""
        cost = _HOP * len(codes)
        if meaning.light:
            cost += _BROAD * self.steps.breadth(chain.masks[-1], codes[0])
        if chain.codes and codes[0] == chain.codes[-1] ^ 1 and not self.steps.relation(codes[0]).symmetric:
            last = chain.said[-1]
            if last.meaning.kind == WAY:
                return cost + _TIED
            verbs = NOUN not in (last.meaning.kind, meaning.kind) and slot.importance == 1.0
            around = verbs and last.left != (slot.place < chain.start)
            cost += 0.0 if around else _RETURN  # "who flew on the flights X flew on" goes there and back
        aside = slot.start >= chain.end and self.question.in_brackets(slot.place)
        if aside and codes[0] >> 1 in chain.relations and codes[0] not in self.steps.repeatable:
            cost += 2 * _TIED  # "(any stated owner counts)"
        return cost
