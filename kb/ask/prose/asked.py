"""What a plan asks for, as a noun phrase: "a service that depends on Ledger DB, at any depth"."""

from __future__ import annotations

from collections.abc import Sequence

from kb.ask.plan_model import CombinedPlan, CountPlan, Hop, Plan, StartPlan, Where
from kb.ask.prose.facts import Facts
from kb.ask.prose.predicates import predicate
from kb.ask.prose.wording import article, clean
from kb.vocabulary import Vocabulary

__all__ = ["asked_for"]


def asked_for(facts: Facts) -> str:
    """The answers that a plan asks for, in words."""
    plan = facts.answer.plan
    return "what the question asks for" if plan is None else _Words(facts).plan(plan)


_BE = frozenset(("is", "are", "was", "were", "has"))


class _Words:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.vocabulary: Vocabulary = facts.vocabulary

    def plan(self, plan: Plan) -> str:
        if isinstance(plan, CountPlan):
            inner = self.plan(plan.plan)
            return f"what {inner} leads to" if plan.by else inner
        if isinstance(plan, StartPlan):
            inner = self.facts.name(plan.start)
        elif isinstance(plan, CombinedPlan):
            word = {"all": " and also ", "any": " or ", "except": " but not "}[plan.kind]
            inner = word.join(self.plan(part) for part in plan.plans)
        else:
            inner = self.noun(plan.where)
            return f"{self.lead(plan.hops, 'something')} {inner}" if plan.hops else inner
        if plan.hops:
            return f"{self.lead(plan.hops, self.type(plan.where))} {inner}{self.conditions(plan.where, 'and')}"
        return f"{inner}{self.conditions(plan.where)}"

    def lead(self, hops: Sequence[Hop], noun: str) -> str:
        """What stands before the name that the hops start at: "a person who leads something that owns"."""
        return f"{noun} that " + " something that ".join(self.verb(hop) for hop in reversed(hops))

    def verb(self, hop: Hop) -> str:
        """A hop read from where it leads to, back to where it comes from."""
        said = predicate(hop.relation, not hop.backwards, self.vocabulary)
        if said is not None:
            words = said.said()
        else:
            relation = self.vocabulary.relations[hop.relation]
            words = f"is the other end of “{relation.label}” from"
        return _any_depth(words) if hop.repeated else words

    def type(self, where: Where) -> str:
        labels = [self.vocabulary.classes[name].label for name in where.types if name in self.vocabulary.classes]
        return " or ".join(map(article, labels)) or "something"

    def noun(self, where: Where) -> str:
        return f"{self.type(where)}{self.conditions(where)}"

    def conditions(self, where: Where, link: str = "that") -> str:
        """What must hold besides; `link` stands before the first relation."""
        said = ""
        for condition in where.relations:
            words = self.verb_towards(condition.hop)
            names = " or ".join(self.facts.name(entity_id) for entity_id in condition.ids)
            said += f" {link} {words} {names or 'nothing'}"
            link = "and"
        for one in where.attributes:
            label = self.vocabulary.attributes[one.name].label
            values = " or ".join(
                ("yes" if value else "no") if isinstance(value, bool) else clean(str(value)) for value in one.values
            )
            said += f", with “{label}”: {values}" if values else f", without “{label}”"
        return said

    def verb_towards(self, hop: Hop) -> str:
        said = predicate(hop.relation, hop.backwards, self.vocabulary)
        return said.said() if said is not None else self.verb(hop)


def _any_depth(words: str) -> str:
    first, _, rest = words.partition(" ")
    return f"{first} directly or indirectly {rest}" if first in _BE else f"directly or indirectly {words}"
