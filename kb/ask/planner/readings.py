"""Every way to read a question with one choice of entities, scored by how well it accounts for the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from kb.ask.planner.build import Branch
from kb.ask.planner.chains import Chain, Said
from kb.ask.planner.depth import repeated
from kb.ask.planner.lexicon import NOUN
from kb.ask.planner.nouns import Noun
from kb.ask.planner.placing import Placed, Placer
from kb.ask.planner.scene import DOUBTFUL, PLURAL, SINGULAR, Group, Scene
from kb.ask.planner.sequences import MAX_HOPS
from kb.ask.planner.slots import WAY
from kb.ask.planner.text import AUXILIARIES, word_set

__all__ = ["Candidate", "read_scene"]

_BRANCHES, _PAIRS = 24, 40
"""How many chains of each entity are paired, and how many pairs are continued."""

_MENTIONED, _DOUBT, _UNUSED, _UNUSED_CONTEXT = 0.5, 1.5, 0.8, 0.3
_IMPLIED, _LIFTED = 0.45, 0.4
_WRONG_END, _WHO = 0.6, 0.1
_UNEXPLAINED, _PAIR = 0.05, 0.05
_LATER_SINGULAR, _LATER_PLURAL, _LATER_SET = 0.02, 0.1, 0.4

_ASKING = word_set(
    "list show name names tell give find get please need want know ask say see there many number count exactly answer "
    "question help identify look inform notify warn alert hear listen expect worry"
)

_Read = tuple[tuple[str, ...], Chain]
"""Entities, and a chain from them."""


@dataclass
class Candidate:
    """One way to read the question. `share` is how much of its wording is accounted for, 0 to 1.

    `ties` are others that are just as likely and mean the same words.
    """

    score: float
    branch: Branch
    share: float
    evidence: list[str] = field(default_factory=list)
    ties: list[Branch] = field(default_factory=list)


def read_scene(scene: Scene) -> list[Candidate]:
    """All readings of one choice of entities."""
    return list(_Readings(scene).all())


class _Readings:
    def __init__(self, scene: Scene) -> None:
        self.scene, self.question = scene, scene.question
        self.background, self.steps = scene.background, scene.background.steps
        self.credit = {slot.place: slot.weight for slot in scene.slots if not self._owned(slot.start)}

    def all(self) -> Iterator[Candidate]:
        groups = self.scene.groups
        chains = [self._chains(group) for group in groups]
        for number, group in enumerate(groups):
            for ids, chain in chains[number]:
                if any(one.meaning.kind != WAY for one in chain.said):
                    yield from self._finished(self._branch(group, ids, chain), {number})
                elif len(groups) == 1 and not chain.said:
                    yield from self._by_noun_alone(self._branch(group, ids, chain), {number})
        if self.question.yes_or_no and len(groups) == 1:
            yield from self._is_it(groups[0])
        if self.question.yes_or_no and len(groups) == 2:
            yield from self._is_among(chains[0], 1)
            yield from self._is_among(chains[1], 0)
        for first, second in combinations(range(len(groups)), 2):
            yield from self._pairs(first, second, chains[first], chains[second])

    # -- chains -----------------------------------------------------------

    def _chains(self, group: Group) -> list[_Read]:
        """Chains from every place of a group, for every choice of type where its name is shared."""
        anchors = self._anchors(group)
        found: list[_Read] = []
        for ids in group.readings(self.background):
            mask = self.background.mask(ids)
            for anchor, cost in anchors if mask else ():
                floor = 0
                if anchor.start not in self.scene.masked:
                    segment = self.question.tokens[anchor.start].segment
                    floor = next(token.index for token in self.question.tokens if token.segment == segment)
                seed = Chain(anchor.start, anchor.stop, (mask,), score=-cost, anchor=anchor, floor=floor)
                found += [(ids, chain) for chain in self.scene.reader.grow(seed)]
        return found

    def _anchors(self, group: Group) -> list[tuple[range, float]]:
        """The places that stand for a group, with what speaks against each: its names, and pronouns after them."""
        single = len(group.ids) == 1
        if single:
            anchors = [(range(one.start, one.end), 0.0) for one in group.mentions]
        else:
            anchors = [(range(group.start, group.end), 0.0)]
        # Where it is told what stands in a relation to the one entity, "those" are the things told of.
        told = any(self.question.tokens[slot.place].context and slot.verb for slot in self.scene.slots)
        later_plural = _LATER_SET if told else _LATER_PLURAL
        if self._is_topic(group):
            for token in self.question.tokens[group.end :]:
                if not token.context and token.lower in SINGULAR | PLURAL:
                    plural = token.lower in PLURAL and single
                    cost = later_plural if plural else _LATER_SINGULAR
                    anchors.append((range(token.index, token.index + 1), cost))
        return anchors

    def _is_topic(self, group: Group) -> bool:
        """Whether pronouns can only go back to this group: the only one, or the only one in what is told first."""
        told = [one for one in self.scene.groups if self.question.tokens[one.start].context]
        return len(self.scene.groups) == 1 or told == [group]

    def _branch(self, group: Group, ids: tuple[str, ...], chain: Chain) -> Branch:
        joined = group.joined
        if joined == "either":
            # "what calls A and B" asks for what calls both, "who owns A and B" for the owners of each.
            both = bool(chain.said) and chain.said[0].left and chain.codes[0] in self.steps.repeatable
            joined = "all" if both else "any"
        return Branch(chain, ids, self._repeated(chain), joined=joined)

    def _repeated(self, chain: Chain) -> tuple[bool, ...]:
        return repeated(chain, self.question, self.scene.cues, self.steps, self.background.impact)

    def _pairs(self, first: int, second: int, ones: Sequence[_Read], others: Sequence[_Read]) -> Iterator[Candidate]:
        """What two entities' chains have in common, and where it leads."""
        groups = self.scene.groups
        joined = []
        best = [_best(ones, self._speaks), _best(others, self._speaks)]
        for one, a in best[0]:
            for other, b in best[1]:
                common = a.masks[-1] & b.masks[-1]
                if not (a.spoken or b.spoken):
                    continue
                if common and (a.end <= b.start or b.end <= a.start) and a.words.isdisjoint(b.words):
                    start, end = min(a.start, b.start), max(a.end, b.end)
                    score = a.score + b.score - _PAIR
                    seed = Chain(start, end, (common,), score=score, parts=(a, b), anchor=range(start, end))
                    joined.append((seed, one, other))
        joined.sort(key=lambda entry: -entry[0].score)
        for seed, one, other in joined[:_PAIRS]:
            parts = [
                self._branch(groups[first], one, seed.parts[0]),
                self._branch(groups[second], other, seed.parts[1]),
            ]
            without = any(part.chain.said[-1].slot.negated for part in parts)
            if parts[0].chain.said[-1].slot.negated or (not without and _weight(parts[1]) > _weight(parts[0])):
                parts.reverse()
            for chain in self.scene.reader.grow(seed):
                branch = Branch(chain, (), self._repeated(chain), parts=tuple(parts), without=without)
                yield from self._finished(branch, {first, second})

    def _speaks(self, chain: Chain) -> bool:
        """Whether something is said of the entity where it is named, and not only in a later sentence."""
        start = chain.anchor.start
        if not self.question.tokens[start].context:
            return True
        return any(
            self.question.same_segment(start, one.slot.place) for one in chain.said if one.slot.importance >= 0.5
        )

    # -- yes or no --------------------------------------------------------

    def _is_it(self, group: Group) -> Iterator[Candidate]:
        """Whether an entity meets conditions: "is the Ledger public?". The answer is the entity, or nothing."""
        for ids in group.readings(self.background):
            chain = Chain(group.start, group.end, (self.background.mask(ids),), anchor=range(group.start, group.end))
            placed = self._placer().place(chain, self.scene.nouns, open_start=True)
            if placed.where and not placed.misfits and len(ids) == 1 and not self.scene.slots:
                yield self._scored(Branch(chain, ids, (), where=placed.where), placed, {0})

    def _is_among(self, read: Sequence[_Read], number: int) -> Iterator[Candidate]:
        """Whether one entity is among those that another's chain reaches: "does X depend on Y?"."""
        group = self.scene.groups[number]
        for ids, chain in _best(read, lambda one: not one.start < group.end <= one.end):
            for named in group.readings(self.background):
                common = chain.masks[-1] & self.background.mask(named)
                if common and len(named) == 1:
                    start, end = min(chain.start, group.start), max(chain.end, group.end)
                    itself = Chain(group.start, group.end, (common,), anchor=range(group.start, group.end))
                    both = Chain(
                        start, end, (common,), score=chain.score, parts=(chain, itself), anchor=range(start, end)
                    )
                    parts = (self._branch(self.scene.groups[1 - number], ids, chain), Branch(itself, named, ()))
                    yield from self._finished(Branch(both, (), (), parts=parts), {0, 1})

    # -- finishing --------------------------------------------------------

    def _finished(self, branch: Branch, used: set[int]) -> Iterator[Candidate]:
        placed = self._place(branch)
        yield self._scored(branch, placed, used)
        yield from self._up_to_noun(branch, used)
        for noun in placed.misfits:
            if noun.attribute or noun.asked or noun.plural:
                yield from self._up_to_type(branch, noun, used)
                break

    def _by_noun_alone(self, branch: Branch, used: set[int]) -> Iterator[Candidate]:
        """What "which team for X?" means: a noun alone, where only one relation leads to its type."""
        nouns = [noun for noun in self.scene.nouns if not noun.attribute]
        if len(nouns) == 1 and not self.scene.slots and not self._unexplained(branch, self.scene.nouns):
            yield from self._up_to_type(branch, nouns[0], used)

    def _up_to_type(self, branch: Branch, noun: Noun, used: set[int]) -> Iterator[Candidate]:
        """The branch with the hops that nobody says but that lead to the type asked for."""
        mask = branch.chain.masks[-1]
        if mask & noun.mask:
            return
        path = self.background.gaps.fill(mask, noun.mask)
        if path is None or branch.chain.codes[-1:] == (path[0] ^ 1,):
            return
        cost = sum(_IMPLIED * (_LIFTED if self.steps.relation(code).transitive else 1.0) for code in path)
        longer = self._extended(branch, path, cost)
        if longer is not None:
            placed = self._place(longer)
            if noun not in placed.misfits:
                yield self._scored(longer, placed, used)

    def _up_to_noun(self, branch: Branch, used: set[int]) -> Iterator[Candidate]:
        """The branch led on to a relation noun that is asked for: "which leads have a service that uses X"."""
        chain = branch.chain
        for slot in self.scene.slots:
            if not slot.asked or slot.place in chain.words:
                continue
            for meaning in slot.meanings:
                mask, code = chain.masks[-1], meaning.codes[0]
                named = self.steps.after(self.steps.everything, code)
                if meaning.kind != NOUN or named & mask or self.steps.after(mask, code):
                    continue
                paths = list(self.steps.between(chain.masks[-1], self.steps.before(meaning.codes[0]), 1))
                if len(paths) != 1 or chain.codes[-1:] == (paths[0][0] ^ 1,):
                    continue
                path = (*paths[0], meaning.codes[0])
                longer = self._extended(branch, path, _IMPLIED - meaning.weight)
                if longer is not None:
                    said = (*longer.chain.said, Said(slot, meaning, path, left=True))
                    longer.chain = replace(longer.chain, said=said)
                    yield self._scored(longer, self._place(longer), used)

    def _extended(self, branch: Branch, path: tuple[int, ...], cost: float) -> Branch | None:
        chain = branch.chain
        masks = self.steps.walk(chain.masks[-1], path)
        if not masks or len(chain.codes) + len(path) > MAX_HOPS:
            return None
        longer = replace(chain, codes=(*chain.codes, *path), masks=(*chain.masks, *masks[1:]), score=chain.score - cost)
        far = (*branch.repeated, *(self.steps.relation(code).transitive for code in path))
        parts = tuple(replace(part) for part in branch.parts)
        return replace(branch, chain=longer, repeated=far, where={}, parts=parts)

    # -- nouns and scores -------------------------------------------------

    def _placer(self) -> Placer:
        contrast = any(noun.attribute for noun in self.scene.nouns) or bool(self.scene.cues.negations)
        return Placer(self.question, self.steps, self.credit, self.background.majority, contrast=contrast)

    def _owned(self, place: int) -> bool:
        """Whether "whose" stands before a noun, so that it is its owner who is spoken of."""
        return self.question.lower(place - 1) == "whose"

    def _place(self, branch: Branch) -> Placed:
        """Gives nouns to the branch and its parts; fills their `where`."""
        placer = self._placer()
        rest, total = list(self.scene.nouns), Placed()
        for part in (*branch.parts, branch):
            mine = rest
            if part is not branch:
                mine = [noun for noun in rest if part.chain.start <= noun.start < part.chain.end]
                rest = [noun for noun in rest if noun not in mine]
            placed = placer.place(part.chain, mine)
            part.where = placed.where
            total.score += placed.score
            total.misfits += placed.misfits
            total.used += placed.used
        return total

    def _scored(self, branch: Branch, placed: Placed, used: set[int]) -> Candidate:
        branch = replace(branch, parts=tuple(replace(part) for part in branch.parts))
        if not branch.parts:
            self._deny(branch)
            branch.others = self._leaves_out_itself(branch)
        scene, chain = self.scene, branch.chain
        spoken = frozenset(place for noun in placed.used for place in noun.places if not self._owned(noun.start))
        score = chain.score + placed.score - scene.reader.leftovers(chain, spoken) - self._wrong_end(chain)
        for number, group in enumerate(scene.groups):
            if number in used:
                score += _MENTIONED * group.confidence - _DOUBT * max(0.0, DOUBTFUL - group.confidence)
            else:
                context = self.question.tokens[group.start].context
                score -= _UNUSED * group.confidence * (_UNUSED_CONTEXT if context else 1.0)
        missing = self._unexplained(branch, placed.used)
        score -= _UNEXPLAINED * len(missing)
        explained = len(chain.words) + len(scene.masked) + len(spoken)
        said = [one for part in (*chain.parts, chain) for one in part.said]
        return Candidate(
            score, branch, explained / max(explained + len(missing), 1), [self._evidence(one) for one in said]
        )

    def _deny(self, branch: Branch) -> None:
        """Notes where a hop is denied ("things that do not call X"), and of which types everything else is."""
        done = 0
        for one in branch.chain.said:
            done += len(one.codes)
            if one.slot.negated:
                where = branch.where.get(done, {})
                kept = where.pop("type", None)
                branch.where = {at: held for at, held in branch.where.items() if held}
                declared = self.steps.names(branch.chain.masks[done] & self.steps.populated)
                branch.denied, branch.rest = done, (kept,) if kept else tuple(declared)
                return

    def _leaves_out_itself(self, branch: Branch) -> bool:
        """Whether "other", "else" or "share" leaves out the entities asked about, where the hops could lead back."""
        chain = branch.chain
        back = bool(chain.masks[0] & chain.masks[-1]) and branch.repeated[-1:] != (True,) and len(chain.codes) > 1
        shared = any(one.slot.shared for one in chain.said)
        return back and (shared or any(not self.question.tokens[cue.start].context for cue in self.scene.cues.other))

    def _evidence(self, said: Said) -> str:
        words = " ".join(self.question.lower(place) for place in sorted(said.meaning.words))
        return f"{words!r}: " + " ".join(self.steps.written(code) for code in said.codes)

    def _wrong_end(self, chain: Chain) -> float:
        """What it costs that the answers are not what is asked for: "which leads" are not teams, "who" is no place."""
        cost = 0.0
        for slot in self.scene.slots:
            if not slot.asked or self.question.tokens[slot.place].context:
                continue
            named = slot.place not in chain.words and any(noun.end - 1 == slot.place for noun in self.scene.nouns)
            ends = 0
            for meaning in slot.meanings:
                if meaning.kind == NOUN:
                    ends |= self.steps.after(self.steps.everything, meaning.codes[0])
            if not named and not ends & chain.masks[-1]:
                cost += _WRONG_END
        people = self.background.people
        if people and not people & chain.masks[-1]:
            asking = (t.lower for t in self.question.tokens if t.lower in _QUESTION_WORDS and not t.context)
            if next(asking, "") in {"who", "whom"}:
                cost += _WHO
        return cost

    def _unexplained(self, branch: Branch, nouns: Sequence[Noun]) -> list[str]:
        """Content words of the asking part that nothing accounts for."""
        covered = set(self.scene.masked) | branch.chain.words
        covered |= {place for noun in nouns for place in range(noun.start, noun.end)}
        covered |= self.scene.cues.covered
        return [
            token.lower
            for token in self.question.tokens
            if token.content
            and not (token.context or token.index in covered)
            and token.lower not in AUXILIARIES
            and not token.lemmas & _ASKING
        ]


_QUESTION_WORDS = frozenset({"who", "whom", "which", "what", "where", "when"})


def _best(read: Sequence[_Read], speaks: Callable[[Chain], bool]) -> list[_Read]:
    said = [(ids, chain) for ids, chain in read if chain.said and speaks(chain)]
    return sorted(said, key=lambda pair: -pair[1].score)[:_BRANCHES]


def _weight(branch: Branch) -> tuple[bool, int, int]:
    """The more a branch says, the likelier it is the main one and the other a condition."""
    return (any(branch.repeated), len(branch.chain.codes), branch.chain.start)
