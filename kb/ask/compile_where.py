"""Conditions of a plan as SPARQL: filters on a bound variable, or the pattern that finds everything they keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kb.ask.plan_model import AttributeFilter, RelationFilter, Value, Where
from kb.ask.terms import Terms
from kb.vocabulary import Attribute, Vocabulary

__all__ = ["Filters"]

Lines = list[str]


class Filters:
    """Writes conditions. `fresh` makes variables that nothing else in the query uses."""

    def __init__(self, vocabulary: Vocabulary, terms: Terms, fresh: Callable[[], str]) -> None:
        self.vocabulary, self.terms, self.fresh = vocabulary, terms, fresh

    def keep(self, where: Where, variable: str) -> Lines:
        """Filters for a variable that is bound already.

        Each is EXISTS: joined instead, a condition may be what the optimiser starts from.
        """
        tests = [self.has_type(where.types, variable)] if where.types else []
        tests += [self.attribute(one, variable) for one in where.attributes]
        tests += [self.relation(one, variable) for one in where.relations]
        return [f"FILTER {test}" for test in tests]

    def everything(self, where: Where, variable: str) -> Lines:
        """A pattern that binds the variable to all that the conditions keep: one is matched, the others filter."""
        first = self.narrowest(where)
        if isinstance(first, RelationFilter):
            lines = [self.related(first, variable)]
        elif isinstance(first, AttributeFilter):
            lines = [self.valued(self.vocabulary.attributes[first.name], first.values, variable)]
        elif where.types:
            lines = [self.typed(where.types, variable)]
        else:
            lines = [f"{variable} a {self.fresh()} ."]
        rest = Where(
            where.types if first is not None else (),
            tuple(one for one in where.attributes if one is not first),
            tuple(one for one in where.relations if one is not first),
        )
        return lines + self.keep(rest, variable)

    def narrowest(self, where: Where) -> RelationFilter | AttributeFilter | None:
        """The condition to match: one that names ids, else one that asks for a value that must be stated."""
        for relation in where.relations:
            if relation.ids:
                return relation
        for attribute in where.attributes:
            if attribute.values and not any(value is False for value in attribute.values):
                return attribute
        return None

    # -- patterns -----------------------------------------------------------

    def typed(self, types: Iterable[str], variable: str) -> str:
        names = sorted({below for name in types for below in self.vocabulary.descendants(name)})
        iris = [self.terms.name(self.vocabulary.classes[name].iri) for name in names]
        if len(iris) == 1:
            return f"{variable} a {iris[0]} ."
        kind = self.fresh()
        return f"{variable} a {kind} . FILTER({kind} IN ({', '.join(iris)}))"

    def valued(self, attribute: Attribute, values: Sequence[Value], variable: str) -> str:
        value = self.fresh()
        step = f"{variable} {self.terms.name(attribute.iri)} {value} ."
        if attribute.boolean:
            tests = [f"{value} = {str(one).lower()}" for one in values]
        elif any(isinstance(one, str) for one in values):
            # By the words alone: the same name may be stored with a language, a year with its own datatype.
            tests = [f"STR({value}) = {self.terms.text(str(one))}" for one in values]
        else:
            tests = [f"{value} = {self.terms.number(one)}" for one in values if not isinstance(one, str)]
        return f"{step} FILTER({' || '.join(tests)})"

    def related(self, one: RelationFilter, variable: str) -> str:
        path = self.terms.path(self.vocabulary.relations[one.hop.relation], backwards=one.hop.backwards, grouped=False)
        if len(one.ids) == 1:
            return f"{variable} {path} {self.terms.entity(one.ids[0])} ."
        other = self.fresh()
        if not one.ids:
            return f"{variable} {path} {other} ."
        return f"{variable} {path} {other} . FILTER({other} IN ({', '.join(map(self.terms.entity, one.ids))}))"

    # -- tests --------------------------------------------------------------

    def has_type(self, types: Iterable[str], variable: str) -> str:
        return f"EXISTS {{ {self.typed(types, variable)} }}"

    def relation(self, one: RelationFilter, variable: str) -> str:
        return f"{'' if one.ids else 'NOT '}EXISTS {{ {self.related(one, variable)} }}"

    def attribute(self, one: AttributeFilter, variable: str) -> str:
        attribute = self.vocabulary.attributes[one.name]
        has_none = f"NOT EXISTS {{ {variable} {self.terms.name(attribute.iri)} {self.fresh()} . }}"
        if not one.values:
            return has_none
        stated = f"EXISTS {{ {self.valued(attribute, one.values, variable)} }}"
        asks_for_false = any(value is False for value in one.values)
        if not asks_for_false or not attribute.domains:
            return stated
        return f"({stated} || ({has_none} && {self.has_type(attribute.domains, variable)}))"
