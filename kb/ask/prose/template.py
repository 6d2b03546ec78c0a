"""Prose without a model: how many answers there are, and the facts behind each in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from kb.ask.answer import Group
from kb.ask.plan_model import CountPlan
from kb.ask.prose.asked import asked_for
from kb.ask.prose.chains import Step, chains
from kb.ask.prose.facts import NAMED, Facts
from kb.ask.prose.predicates import predicate
from kb.ask.prose.text import Draft, Fact
from kb.ask.prose.wording import capital, counted, counted_types, listed, number_word

__all__ = ["template"]

_CLAUSES = 3
"""Facts that one sentence follows."""

_Part = str | Fact


def template(facts: Facts) -> list[Draft]:
    """The claims about an answer, each with its facts."""
    answer = facts.answer
    if not answer.answers:
        return [_nothing(facts)]
    writer = _Writer(facts)
    drafts = writer.answers() if answer.groups is None else writer.grouped(answer.groups)
    return [list(one) for one in dict.fromkeys(map(tuple, drafts))]


def _nothing(facts: Facts) -> Draft:
    if facts.answer.plan is None:
        return ["No page that was found names an answer."]
    asked = asked_for(facts)
    said = asked.removeprefix("something that ")
    return [f"Nothing in the graph {said}." if said != asked else f"Nothing in the graph is {asked}."]


class _Writer:
    def __init__(self, facts: Facts) -> None:
        self.facts, self.vocabulary = facts, facts.vocabulary

    def answers(self) -> list[Draft]:
        answer, named = self.facts.answer, self.facts.named
        total = len(answer.answers)
        noun = counted_types([one.type for one in answer.answers], self.vocabulary)
        lead = f"{'There' if answer.plan is not None else 'On the pages there'} {self._are(noun)} {noun}"
        chained = [(one.id, chains(one)) for one in named]
        together = list(_alike(chained))
        if total <= NAMED and len(together) == 1 and together[0][1][0]:
            first, *others = self.sentences(*together[0])
            return [[f"{lead}: ", *first], *others]
        parts: list[_Part] = [f"{lead}: "]
        for number, one in enumerate(named):
            parts += [self._between(number, total), self.facts.name(one.id), self._first(one.id, chained[number][1])]
        parts.append(f" and {number_word(total - NAMED)} more." if total > NAMED else ".")
        return [parts, *(draft for ids, rows in together if rows[0] for draft in self.sentences(ids, rows))]

    def _are(self, noun: str) -> str:
        return "is" if noun.startswith("one ") else "are"

    def _between(self, number: int, total: int) -> str:
        if number == 0:
            return ""
        return " and " if number == total - 1 else ", "

    def _first(self, entity_id: str, found: list[list[Step]]) -> Fact:
        """What an answer rests on most directly."""
        edges = [chain[0].edge for chain in found if chain[0].near == entity_id]
        return self.facts.of_edge(edges[0]) if edges else self.facts.of_entity(entity_id)

    # -- sentences ------------------------------------------------------------

    def sentences(self, ids: Sequence[str], rows: Sequence[list[list[Step]]]) -> Iterator[Draft]:
        """The facts behind answers that rest on alike chains: `rows` has those of each of `ids`."""
        if self._short(ids, rows):
            yield self._at_once(ids, rows)
            return
        for number in range(len(rows[0])):
            first = [row[number][0] for row in rows]
            yield from self._chain(first, rows[0][number][1:])

    def _short(self, ids: Sequence[str], rows: Sequence[list[list[Step]]]) -> bool:
        """Whether one sentence can say all: every chain but the last is one fact, and all are about the answers."""
        found = rows[0]
        return (
            len(found) > 1
            and all(len(chain) == 1 for chain in found[:-1])
            and sum(map(len, found)) <= _CLAUSES
            and all(self._verb(step) is not None for chain in found for step in chain)
            and all(chain[0].near == one for one, row in zip(ids, rows, strict=True) for chain in row)
        )

    def _at_once(self, ids: Sequence[str], rows: Sequence[list[list[Step]]]) -> Draft:
        parts: list[_Part] = [listed([self.facts.name(one) for one in ids])]
        for number in range(len(rows[0])):
            steps = [row[number][0] for row in rows]
            parts += ["" if not number else " and", *self._said(steps)]
            parts += self._clauses(rows[0][number][1:])
        return [*parts, "."]

    def _chain(self, first: Sequence[Step], rest: Sequence[Step]) -> Iterator[Draft]:
        """Sentences along a chain whose first facts are about several subjects."""
        if self._verb(first[0]) is None:
            yield self._turned(first)
            yield from self._onwards(rest)
            return
        follow = 0
        while follow < min(len(rest), _CLAUSES - 1) and self._verb(rest[follow]) is not None:
            follow += 1
        subjects = listed([self.facts.name(step.near) for step in first])
        yield [subjects, *self._said(first), *self._clauses(rest[:follow]), "."]
        yield from self._onwards(rest[follow:])

    def _onwards(self, rest: Sequence[Step]) -> Iterator[Draft]:
        if rest:
            yield from self._chain(rest[:1], rest[1:])

    def _turned(self, steps: Sequence[Step]) -> Draft:
        """Facts that have no words for the way back, from their subject, which all of them share."""
        said = predicate(steps[0].edge.relation, False, self.vocabulary)
        assert said is not None
        near = listed([self.facts.name(step.near) for step in steps])
        marks = [self.facts.of_edge(step.edge) for step in steps]
        return [f"{self.facts.name(steps[0].far)} {said.said(1, len(steps))} {near}", *marks, "."]

    def _said(self, steps: Sequence[Step]) -> list[_Part]:
        verb = self._verb(steps[0], len(steps))
        marks = dict.fromkeys(self.facts.of_edge(step.edge) for step in steps)
        return [f" {verb} {self.facts.name(steps[0].far)}", *marks]

    def _clauses(self, steps: Sequence[Step]) -> list[_Part]:
        parts: list[_Part] = []
        for step in steps:
            parts += [f", {'who' if self.facts.person(step.near) else 'which'}", *self._said([step])]
        return parts

    def _verb(self, step: Step, subjects: int = 1) -> str | None:
        said = predicate(step.edge.relation, step.backwards, self.vocabulary)
        return None if said is None else said.said(subjects)

    # -- groups ---------------------------------------------------------------

    def grouped(self, groups: Sequence[Group]) -> list[Draft]:
        by_id = {one.id: chains(one) for one in self.facts.named}
        noun = counted_types([one.type for one in self.facts.answer.answers], self.vocabulary)
        parts: list[_Part] = [f"There {self._are(noun)} {noun} with a count: "]
        for number, group in enumerate(groups[:NAMED]):
            name = f"{self.facts.name(group.id)} ({group.count:,})"
            parts += [self._between(number, len(groups)), name, self._first(group.id, by_id.get(group.id, []))]
        parts.append(f" and {number_word(len(groups) - NAMED)} more." if len(groups) > NAMED else ".")
        drafts = (draft for group in groups[:NAMED] for draft in self._group(group, by_id.get(group.id, [])))
        return [parts, *drafts]

    def _group(self, group: Group, found: list[list[Step]]) -> Iterator[Draft]:
        """A group with its count, its members, and for one of them why it is in it."""
        counted_as = self._counted(group)
        name, mark = self.facts.name(group.id), self._first(group.id, found)
        plan = self.facts.answer.plan
        assert isinstance(plan, CountPlan)
        single = len(plan.by) == 1 and not plan.by[0].repeated
        step = found[0][0] if found and single else None
        said = predicate(step.edge.relation, not step.backwards, self.vocabulary) if step is not None else None
        member = step.far if step is not None and step.far in group.members else None
        shown = [*([member] if member else []), *(one for one in group.members if one != member)]
        names: list[_Part] = []
        for number, one in enumerate(shown[:NAMED]):
            names += [self._between(number, len(shown)), self.facts.name(one)]
            names += [mark] if one == member else []
        more = [f" and {number_word(len(shown) - NAMED)} more"] if len(shown) > NAMED else []
        what = f"{capital(counted_as)} {said.said(group.count)} {name}" if said is not None else f"{name}: {counted_as}"
        if not names:
            yield [what, mark, "."]
        elif said is not None and member is not None:
            yield [f"{what}: ", *names, *more, "."]
        else:
            separator = ": " if said is not None else ", "
            yield [what, separator, *names, *more, mark, "."]
            for chain in found:
                yield from self._chain(chain[:1], chain[1:])

    def _counted(self, group: Group) -> str:
        if group.members:
            return counted_types([self.facts.type(one) for one in group.members], self.vocabulary)
        plan = self.facts.answer.plan
        assert isinstance(plan, CountPlan)
        types = plan.plan.where.types
        known = self.vocabulary.classes.get(types[0]) if len(types) == 1 else None
        return counted(group.count, known.label if known is not None else "thing")


def _alike(found: list[tuple[str, list[list[Step]]]]) -> Iterator[tuple[list[str], list[list[list[Step]]]]]:
    """Answers whose chains say the same, each about its own answer; in the order of the first of them."""
    keys = [tuple(tuple(step.reads for step in chain) for chain in rows) for _, rows in found]
    order = {key: number for number, key in reversed(list(enumerate(keys)))}
    ranked = sorted(range(len(found)), key=lambda number: (order[keys[number]], number))
    for _, numbers in groupby(ranked, key=lambda number: keys[number]):
        members = [found[number] for number in numbers]
        yield [one for one, _ in members], [rows for _, rows in members]
