"""Everything that prose about an answer may say: names of entities, and facts with their sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from kb.ask.answer import Answer, Edge, Found
from kb.ask.plan_model import CountPlan, Plan, StartPlan, Where, parts
from kb.ask.prose.predicates import predicate
from kb.ask.prose.text import Fact
from kb.ask.prose.wording import article, clean, person
from kb.model import Entity
from kb.names import humanised
from kb.vocabulary import Vocabulary

__all__ = ["NAMED", "Facts"]

NAMED = 10
"""Answers that are named; of more, only how many there are."""


class Facts:
    """The names and facts of one answer. `named` are the answers that prose names, the first ones in their order."""

    def __init__(self, answer: Answer, vocabulary: Vocabulary, entities: Mapping[str, Entity]) -> None:
        self.answer, self.vocabulary, self.entities = answer, vocabulary, entities
        self.named = answer.answers[:NAMED]

    # -- names ----------------------------------------------------------------

    def name(self, entity_id: str) -> str:
        """What an entity is called, with its id where another one in this answer is called the same."""
        name = self._names.get(entity_id) or self._plain(entity_id)
        return f"{name} ({entity_id})" if self._shared[name] > 1 else name

    def person(self, entity_id: str) -> bool:
        """Whether the entity is a person."""
        return person(self.type(entity_id), self.vocabulary)

    def type(self, entity_id: str) -> str | None:
        """The name of an entity's type, where it is known."""
        entity = self.entities.get(entity_id)
        return entity.type if entity is not None else self._types.get(entity_id)

    def label(self, entity_id: str) -> str:
        """The noun for an entity's type."""
        known = self.vocabulary.classes.get(self.type(entity_id) or "")
        return known.label if known is not None else "thing"

    def _plain(self, entity_id: str) -> str:
        entity = self.entities.get(entity_id)
        return clean(entity.name if entity is not None else entity_id) or entity_id

    @cached_property
    def _names(self) -> dict[str, str]:
        found = {one.id: clean(one.label) or one.id for one in self.answer.answers}
        for edge in self.edges():
            for end, name in zip((edge.subject, edge.object), _ends(edge, self.vocabulary), strict=True):
                if end not in found:
                    found[end] = self._plain(end) if end in self.entities else clean(name) or end
        for one in sorted(self.ids - found.keys()):
            found[one] = self._plain(one)
        return found

    @cached_property
    def _shared(self) -> Counter[str]:
        return Counter(self._names.values())

    @cached_property
    def _types(self) -> dict[str, str | None]:
        return {one.id: one.type for one in self.answer.answers}

    @cached_property
    def ids(self) -> frozenset[str]:
        """Answers, ends of their facts, members of groups, and what the plan names."""
        found = {one.id for one in self.answer.answers}
        found.update(end for edge in self.edges() for end in (edge.subject, edge.object))
        found.update(member for group in self.answer.groups or () for member in group.members)
        found.update(_plan_ids(self.answer.plan) if self.answer.plan is not None else ())
        return frozenset(found)

    # -- facts ----------------------------------------------------------------

    def edges(self) -> Iterator[Edge]:
        """The facts of all answers; one fact may come several times."""
        for one in self.answer.answers:
            yield from (*one.witness, *one.because)

    def of_edge(self, edge: Edge) -> Fact:
        """A fact of the graph."""
        return Fact(self.sentence(edge), edge.page, edge.quote, frozenset((edge.subject, edge.object)))

    def sentence(self, edge: Edge) -> str:
        """A fact in words, in the direction in which it is stored."""
        said = predicate(edge.relation, False, self.vocabulary)
        verb = said.said() if said is not None else humanised(edge.relation)
        return f"{self.name(edge.subject)} {verb} {self.name(edge.object)}"

    def of_entity(self, entity_id: str) -> Fact:
        """What the catalogue says about an entity: its type, and the attributes that the plan asks for.

        Where an answer was read off a page, that page and its words stand behind it.
        """
        entity = self.entities.get(entity_id)
        words = f"{self.name(entity_id)} is {article(self.label(entity_id))}"
        place = next((one.passages[0] for one in self.answer.answers if one.id == entity_id and one.passages), None)
        if place is not None:
            return Fact(f"{self.name(entity_id)} is named", place.page, place.quote, frozenset((entity_id,)))
        for name in self._asked if entity is not None else ():
            value = entity.attributes.get(name) if entity is not None else None
            if value is not None:
                label = self.vocabulary.attributes[name].label
                shown = ("yes" if value else "no") if isinstance(value, bool) else clean(str(value))
                words += f"; {label}: {shown}"
        return Fact(words, (entity.source or None) if entity is not None else None, None, frozenset((entity_id,)))

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        plans = parts(self.answer.plan) if self.answer.plan is not None else ()
        wheres = (where for plan in plans for where in _wheres(plan))
        names = (one.name for where in wheres for one in where.attributes)
        return tuple(dict.fromkeys(name for name in names if name in self.vocabulary.attributes))

    def of(self, one: Found) -> list[Fact]:
        """All facts that an answer rests on; what the catalogue says where it rests on none."""
        edges = (*one.witness, *one.because)
        return list(dict.fromkeys(map(self.of_edge, edges))) or [self.of_entity(one.id)]

    def all(self) -> list[Fact]:
        """The facts of the answers that are named, each once."""
        return list(dict.fromkeys(fact for one in self.named for fact in self.of(one)))


def _ends(edge: Edge, vocabulary: Vocabulary) -> tuple[str, str]:
    """The names of a fact's ends, as its words have them."""
    relation = vocabulary.relations.get(edge.relation)
    label = relation.label if relation is not None else humanised(edge.relation)
    subject, found, object_ = edge.words.partition(f" {label} ")
    return (subject, object_) if found else (edge.subject, edge.object)


def _wheres(plan: Plan) -> Iterable[Where]:
    return () if isinstance(plan, CountPlan) else (plan.where,)


def _plan_ids(plan: Plan) -> Iterator[str]:
    """Every entity that a plan names."""
    for part in parts(plan):
        if isinstance(part, StartPlan):
            yield part.start
        for where in _wheres(part):
            yield from (one for condition in where.relations for one in condition.ids)
