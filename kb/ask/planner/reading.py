"""A plan as one line for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kb.model import Entity
from kb.vocabulary import Relation, Vocabulary

__all__ = ["reading_of"]


def reading_of(plan: Mapping[str, Any], vocabulary: Vocabulary, entities: Mapping[str, Entity]) -> str:
    """How a question was understood, such as "Ledger DB ← depends on (any depth) → owned by; keep: public"."""
    return _Words(vocabulary, entities).plan(plan)


class _Words:
    def __init__(self, vocabulary: Vocabulary, entities: Mapping[str, Entity]) -> None:
        self.vocabulary, self.entities = vocabulary, entities

    def plan(self, plan: Mapping[str, Any]) -> str:
        if "count" in plan:
            groups = f", for each{self.hops(plan['by'])}" if "by" in plan else ""
            return f"how many: {self.plan(plan['count'])}{groups}"
        hops = self.hops(plan.get("hops", ()))
        keep = self.where(plan.get("where", {}))
        for kind, word in (("all", " and also "), ("any", " or "), ("except", " but not ")):
            if kind in plan:
                inner = word.join(f"({self.plan(one)})" for one in plan[kind])
                break
        else:
            if "start" not in plan:
                return f"all with {keep}{hops}"
            inner = self.name(plan["start"])
        return f"{inner}{hops}" + (f"; keep: {keep}" if keep else "")

    def name(self, entity_id: Any) -> str:
        return self.entities[entity_id].name if entity_id in self.entities else str(entity_id)

    def relation(self, hop: str) -> tuple[Relation, bool]:
        found = self.vocabulary.relation(hop.strip("~*"))
        assert found is not None
        relation, inverse = found
        return relation, inverse != hop.startswith("~")

    def hops(self, hops: Sequence[str]) -> str:
        text = ""
        for hop in hops:
            relation, backwards = self.relation(hop)
            text += f" {'←' if backwards else '→'} {relation.label}{' (any depth)' if hop.endswith('*') else ''}"
        return text

    def where(self, where: Mapping[str, Any]) -> str:
        return ", ".join(self.condition(key, value) for key, value in where.items())

    def condition(self, key: str, value: Any) -> str:
        if key == "type":
            names = [value] if isinstance(value, str) else value
            return " or ".join(self.vocabulary.classes[name].label for name in names)
        attribute = self.vocabulary.attributes.get(key)
        several = value if isinstance(value, list) else [value]
        if attribute is not None:
            return " or ".join(_valued(attribute.label, one) for one in several)
        relation, backwards = self.relation(key)
        label = relation.label
        if backwards:
            label = relation.inverse.label if relation.inverse is not None else f"the other end of {relation.label}"
        return f"{label} {'nothing' if value is None else ' or '.join(map(self.name, several))}"


def _valued(label: str, value: Any) -> str:
    if value is None:
        return f"no {label}"
    return f"not {label}" if value is False else label if value is True else f"{label} {value}"
