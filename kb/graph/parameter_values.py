"""What users type for a query's parameters, as RDF terms."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyoxigraph as ox

from kb.errors import QueryError
from kb.graph.library import PARAMETER_TYPES, NamedQuery, Parameter
from kb.graph.results import Term
from kb.iris import Iris
from kb.namespaces import XSD

if TYPE_CHECKING:
    from kb.model import Entity
    from kb.vocabulary import Vocabulary

__all__ = ["Terms"]


@dataclass(frozen=True, slots=True)
class Terms:
    """Makes terms of what users type. Vocabulary and entities are functions, since not every parameter needs them."""

    iris: Iris
    vocabulary: Callable[[], Vocabulary]
    entities: Callable[[], Mapping[str, Entity]]
    prefixes: Mapping[str, str]

    def of(self, query: NamedQuery, given: Mapping[str, object]) -> dict[str, Term]:
        """The parameters of a query: given ones, else defaults. Raises QueryError for one that is unknown or wrong.

        Texts are read as the header types them, numbers and truth values are literals, terms stay what they are. A
        query without a header takes any of its variables, with values as in Turtle, or ids.
        """
        known = {one.name: one for one in query.parameters}
        if not query.headed:
            known = {name: Parameter(name, "term") for name in given}
        for name in given:
            if name not in known:
                options = ", ".join(known) if known else "none"
                raise QueryError(f"the query {query.name!r} has no parameter {name!r}; it has: {options}")
        terms: dict[str, Term] = {}
        for name, parameter in known.items():
            value = given.get(name, parameter.default)
            if isinstance(value, str):
                terms[name] = self.term(parameter, value)
            elif isinstance(value, (bool, int, float)):
                terms[name] = ox.Literal(value)
            elif isinstance(value, (ox.NamedNode, ox.Literal)):
                terms[name] = value
            elif value is not None:
                raise QueryError(f"{name}={value!r} is no value for a query; give a text, a number or an RDF term")
            elif parameter.required:
                example = parameter.example or f"<{PARAMETER_TYPES[parameter.type]}>"
                raise QueryError(f"the query {query.name!r} needs {name}; add: -p {name}={example}")
        return terms

    def term(self, parameter: Parameter, text: str) -> Term:
        """One value as a term of the parameter's type."""
        if parameter.type == "string":
            return ox.Literal(text)
        if parameter.type == "integer" and re.fullmatch(r"[+-]?[0-9]{1,18}", text.strip()):
            return ox.Literal(int(text))
        if parameter.type == "boolean" and text.strip().lower() in ("true", "false", "yes", "no"):
            return ox.Literal(text.strip().lower() in ("true", "yes"))
        if parameter.type in ("integer", "boolean"):
            raise QueryError(f"{parameter.name}={text!r} is not {PARAMETER_TYPES[parameter.type]}")
        if parameter.type == "relation":
            return ox.NamedNode(self._relation(parameter.name, text))
        if parameter.type == "type":
            return ox.NamedNode(self._class(parameter.name, text))
        if parameter.type == "id":
            return ox.NamedNode(self.iris.entity(self._entity_id(parameter.name, text)))
        if parameter.type == "iri":
            iri = self._iri(text)
            if iri is None:
                raise QueryError(f"{parameter.name}={text!r} is no IRI; write it in full, or with a known prefix")
            return iri
        return self._any(parameter.name, text)

    def _relation(self, name: str, text: str) -> str:
        vocabulary = self.vocabulary()
        found = vocabulary.relation(text)
        if found is not None and not found[1]:
            return found[0].iri
        if found is not None:
            raise QueryError(f"{name}={text!r} is the way back of {found[0].name!r}; use that")
        if text in vocabulary.attributes:
            return vocabulary.attributes[text].iri
        raise QueryError(f"{name}={text!r} is no relation{_meant(text, vocabulary.relations)}")

    def _class(self, name: str, text: str) -> str:
        classes = self.vocabulary().classes
        if text not in classes:
            raise QueryError(f"{name}={text!r} is no type{_meant(text, classes)}")
        return classes[text].iri

    def _entity_id(self, name: str, text: str) -> str:
        entities = self.entities()
        if text in entities:
            return text
        lowered = text.strip().lower()
        named = [
            e.id for e in entities.values() if lowered in (e.id.lower(), e.name.lower(), *map(str.lower, e.aliases))
        ]
        if len(named) == 1:
            return named[0]
        if named:
            raise QueryError(f"{name}={text!r} could be {', '.join(sorted(named))}; give the id")
        notes = [one for one in _note_ids(text) if one in entities]
        names = notes or [*entities, *(entity.name for entity in entities.values())]
        raise QueryError(f"{name}={text!r} is not in the catalogue{_meant(text, names)}")

    def _iri(self, text: str) -> ox.NamedNode | None:
        prefix, colon, local = text.partition(":")
        if text.startswith("<") and text.endswith(">"):
            text = text[1:-1]
        elif colon and prefix in self.prefixes and not local.startswith("//"):
            text = self.prefixes[prefix] + local
        try:
            return ox.NamedNode(text)
        except ValueError:
            return None

    def _any(self, name: str, text: str) -> Term:
        if text in ("true", "false"):
            return ox.Literal(text == "true")
        if re.fullmatch(r"[+-]?[0-9]+", text):
            return ox.Literal(text, datatype=ox.NamedNode(XSD + "integer"))
        if text.startswith(('"', "'")):
            try:
                header = "".join(f"@prefix {p}: <{space}> .\n" for p, space in self.prefixes.items())
                (quad,) = ox.parse(f"{header}<urn:s> <urn:p> {text} .", format=ox.RdfFormat.TURTLE)
            except (SyntaxError, ValueError) as err:
                raise QueryError(f"{name}={text} is no literal; write it as in Turtle, such as '\"text\"@en'") from err
            if isinstance(quad.object, ox.Literal):
                return quad.object
        if text.startswith("<") or text.partition(":")[0] in self.prefixes or "://" in text:
            iri = self._iri(text)
            if iri is not None:
                return iri
        return ox.NamedNode(self.iris.entity(self._entity_id(name, text)))


def _note_ids(text: str) -> list[str]:
    """The ids that a concept, or a field or caveat as `CONCEPT.NAME`, would have in schema notes."""
    concept, _, part = text.strip().replace(".", ":", 1).partition(":")
    return [f"field:{concept}:{part}", f"caveat:{concept}:{part}"] if part else [f"concept:{concept}"]


def _meant(text: str, known: Iterable[str]) -> str:
    options = sorted(set(known))
    close = difflib.get_close_matches(text, options, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(options)}" if 0 < len(options) <= 20 else ""
