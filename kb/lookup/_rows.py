"""Rows of fixed queries. What is asked about enters as a bound term, never as text of the query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import pyoxigraph as ox

from kb.namespaces import PREFIXES, XSD

__all__ = ["Value", "rows", "value_of"]

Value: TypeAlias = bool | int | float | str
_PREFIXES = "".join(f"PREFIX {prefix}: <{space}>\n" for prefix, space in PREFIXES.items())
_WHOLE = frozenset(XSD + name for name in ("integer", "int", "long", "short", "byte", "nonNegativeInteger"))
_FRACTIONS = frozenset(XSD + name for name in ("decimal", "double", "float"))


def rows(store: ox.Store, query: str, **bound: str) -> Iterator[Mapping[str, str]]:
    """The rows of a SELECT query, each variable that is bound with the text of its term.

    `bound` are IRIs for variables of the projection. Blank nodes are left out.
    """
    substitutions: dict[ox.Variable, ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple] = {}
    substitutions |= {ox.Variable(name): ox.NamedNode(iri) for name, iri in bound.items()}
    solutions = store.query(_PREFIXES + query, substitutions=substitutions)
    assert isinstance(solutions, ox.QuerySolutions)
    names = [variable.value for variable in solutions.variables]
    for row in solutions:
        terms = zip(names, row, strict=True)
        yield {name: term.value for name, term in terms if isinstance(term, (ox.NamedNode, ox.Literal))}


def value_of(literal: ox.Literal) -> Value:
    """A literal as Python has it; as text where its datatype says nothing else, or its text does not fit it."""
    kind, text = literal.datatype.value, literal.value
    if kind == XSD + "boolean" and text in ("true", "false", "1", "0"):
        return text in ("true", "1")
    try:
        if kind in _WHOLE:
            return int(text)
        if kind in _FRACTIONS:
            return float(text)
    except ValueError:
        return text
    return text
