"""How IRIs, ids and values are written in a query: always as terms, escaped by the RDF library, never as given text."""

from __future__ import annotations

import re
from decimal import Decimal

import pyoxigraph as ox

from kb.errors import PlanError
from kb.iris import Iris
from kb.namespaces import PREFIXES, XSD
from kb.vocabulary import Relation

__all__ = ["Terms"]

_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Terms:
    """Writes terms, and remembers the prefixes that they need. `prologue` must be asked for last."""

    def __init__(self, iris: Iris) -> None:
        self.iris = iris
        self.prefixes: dict[str, str] = {}

    def prologue(self) -> list[str]:
        """The PREFIX lines for what has been written."""
        return [f"PREFIX {prefix}: {ox.NamedNode(space)}" for space, prefix in sorted(self.prefixes.items())]

    def name(self, iri: str) -> str:
        """An IRI of the vocabulary, with a prefix where its local name can stand without escapes."""
        cut = max(iri.rfind("#"), iri.rfind("/")) + 1
        space, local = iri[:cut], iri[cut:]
        if not space or _LOCAL.fullmatch(local) is None:
            return str(ox.NamedNode(iri))
        if space not in self.prefixes:
            known = [prefix for prefix, namespace in PREFIXES.items() if namespace == space]
            self.prefixes[space] = known[0] if known else f"ns{len(self.prefixes) + 1}"
        return f"{self.prefixes[space]}:{local}"

    def entity(self, entity_id: str) -> str:
        """The IRI of an entity. Raises PlanError where the id makes none."""
        try:
            return str(ox.NamedNode(self.iris.entity(entity_id)))
        except (ValueError, UnicodeError) as err:
            raise PlanError(f"{entity_id!r} is no id: {err}", entity_id) from err

    def path(self, relation: Relation, *, backwards: bool, grouped: bool) -> str:
        """One step along a relation, in parentheses where an operator is to follow."""
        step = self.name(relation.iri)
        if relation.symmetric:
            return f"({step}|^{step})"
        if backwards:
            return f"(^{step})" if grouped else f"^{step}"
        return step

    def text(self, value: str) -> str:
        """A string literal."""
        try:
            return str(ox.Literal(value))
        except UnicodeError as err:
            raise PlanError(f"{value!r} cannot be written as text: {err}", value) from err

    def number(self, value: int | float) -> str:
        """A number that compares equal to stored ones of any numeric datatype."""
        if isinstance(value, int):
            return str(ox.Literal(str(value), datatype=ox.NamedNode(XSD + "integer")))
        exact = Decimal(repr(value))
        exponent = exact.as_tuple().exponent
        if isinstance(exponent, int) and -15 <= exponent <= 0 and abs(value) < 1e15:
            return str(ox.Literal(format(exact, "f"), datatype=ox.NamedNode(XSD + "decimal")))
        return str(ox.Literal(repr(value), datatype=ox.NamedNode(XSD + "double")))
