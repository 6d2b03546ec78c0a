"""Worked examples of plans, made from an ontology: questions about things that nobody has, and the plans for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kb.ask.plan import parse_plan
from kb.ask.plan_reply import Names, plan_data
from kb.errors import PlanError
from kb.extract.llm.prompt import sentence
from kb.language import plural
from kb.model import Entity
from kb.vocabulary import Relation, Vocabulary

__all__ = ["Example", "examples"]

_ONE, _OTHER = ("zanfir", "Zanfir"), ("quolby", "Quolby")


@dataclass(frozen=True, slots=True)
class Example:
    """A question, and the plan for it as a model is to write it; None where it is to be refused, for `refusal`."""

    question: str
    plan: dict[str, Any] | None
    refusal: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The reply."""
        return {"plan": self.plan, "refuse": self.refusal}


def examples(vocabulary: Vocabulary) -> list[Example]:
    """One for each kind of question that the ontology has relations and attributes for, and a refusal."""
    relations = [one for one in vocabulary.relations.values() if one.signatures]
    if not relations:
        return []
    return list(_Maker(vocabulary, relations).all())


class _Maker:
    def __init__(self, vocabulary: Vocabulary, relations: list[Relation]) -> None:
        self.vocabulary = vocabulary
        repeatable = [one for one in relations if self.joins(one, one)]
        repeatable.sort(key=lambda one: not one.transitive)
        self.first = (repeatable or relations)[0]
        self.repeats = bool(repeatable)
        others = [one for one in relations if one is not self.first]
        pairs = ((one, other) for one in (self.first, *others) for other in others if one is not other)
        self.chain = next((pair for pair in pairs if self.joins(*pair)), None)
        self.other = self.chain[1] if self.chain else others[0] if others else self.first

    def all(self) -> Iterator[Example]:
        for question, plan, start in self.drafts():
            if self.holds(plan, start):
                yield Example(question, plan)
        said = _said(_ONE[1], self.first, _OTHER[1])
        yield Example(f"Why is it that {said}?", None, "a plan finds things, not reasons")

    def drafts(self) -> Iterator[tuple[str, dict[str, Any], str | None]]:
        """(question, plan, type of the things that it names) of each."""
        forwards, back = self.first.name, f"~{self.first.name}"
        subject, object_ = self.first.signatures[0]
        yield f"{_said(_ONE[1], self.first, 'what')}?", _plan([forwards]), subject
        condition, worded = self.condition(subject)
        yield f"{_said('What', self.first, _ONE[1])}? Only {worded}.", _plan([back], condition), object_
        if len(condition) < 2 and (kind := self.with_attribute()) is not None:
            condition, worded = self.condition(kind)
            yield f"Which {worded} are there?", {"where": condition, "hops": []}, None
        if self.repeats:
            said = _said("What", self.first, _ONE[1])
            yield f"{said}, directly or through others?", _plan([f"{back}*"]), object_
        if self.chain is not None:
            one, other = self.chain
            said = f"{_said(_ONE[1], one, 'Y')} and {_said('Y', other, 'X')}"
            yield f"What is X, where {said}?", _plan([one.name, other.name]), one.signatures[0][0]
        both = {"all": [_plan([back]), _plan([back], start=_OTHER[0])], "hops": [], "where": []}
        yield f"{_said('What', self.first, f'both {_ONE[1]} and {_OTHER[1]}')}?", both, object_
        owner, (kind, _) = self.other, self.other.signatures[0]
        if kind is not None:
            nouns = self.nouns(kind)
            lacking = {"where": [{"type": kind}, {owner.name: None}], "hops": []}
            yield f"Which {nouns} X have no Y such that {_said('X', owner, 'Y')}?", lacking, None
            counted = {"count": {"where": [{"type": kind}], "hops": []}, "by": [owner.name]}
            yield f"Which Y has the most {nouns} X such that {_said('X', owner, 'Y')}?", counted, None

    def condition(self, subject: str | None) -> tuple[list[dict[str, Any]], str]:
        """Conditions that a thing of a type may have to meet, and their words."""
        where: list[dict[str, Any]] = [{"type": subject}] if subject else []
        noun = self.nouns(subject)
        above = self.vocabulary.ancestors(subject) | {subject} if subject else frozenset()
        for one in self.vocabulary.attributes.values():
            if one.boolean and (not one.domains or not above.isdisjoint(one.domains)):
                return [*where, {one.name: True}], f"{noun} for which “{one.label}” is true"
        return where, noun

    def with_attribute(self) -> str | None:
        """A type of things that have an attribute of true and false."""
        known = self.vocabulary.attributes.values()
        return next((one.domains[0] for one in known if one.boolean and one.domains), None)

    def nouns(self, name: str | None) -> str:
        known = self.vocabulary.classes.get(name) if name is not None else None
        return plural(known.label) if known is not None else "things"

    def joins(self, first: Relation, second: Relation) -> bool:
        """Whether some object of one can be the subject of the other."""
        below = self.vocabulary.descendants
        return any(
            end is None or start is None or not below(end).isdisjoint(below(start))
            for _, end in first.signatures
            for start, _ in second.signatures
        )

    def holds(self, plan: dict[str, Any], start: str | None) -> bool:
        kind = start or next(iter(self.vocabulary.classes), "")
        entities = {key: Entity(key, kind, name) for key, name in (_ONE, _OTHER)}
        try:
            parse_plan(plan_data(plan, self.vocabulary, Names(entities)), self.vocabulary, entities)
        except PlanError:
            return False
        return True


def _plan(hops: list[str], where: list[dict[str, Any]] | None = None, start: str = _ONE[0]) -> dict[str, Any]:
    return {"start": start, "hops": hops, "where": where or []}


def _said(subject: str, relation: Relation, object_: str) -> str:
    return sentence(subject, relation.label, object_, relation.phrases)
