"""JSON-LD that people can read: a context of short names, one object for each thing.

https://www.w3.org/TR/json-ld11/. Names in the context are those that plans and catalogues use: the snake_case of a
term's local name. A name is only put there when reading it back can give nothing but its IRI.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyoxigraph as ox

from kb.errors import ExportError
from kb.names import snake_case
from kb.namespaces import RDF, XSD

__all__ = ["write_jsonld"]

_TYPE = RDF + "type"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,14}")
_NAME = re.compile(r"[^\W\d]\w*")


def write_jsonld(triples: Sequence[ox.Triple], prefixes: Mapping[str, str], preferred: Iterable[str] = ()) -> bytes:
    """The triples, in their order. `preferred` are IRIs that get their short name first where two would share it.

    Raises ExportError for what JSON-LD cannot hold: triple terms and base directions.
    """
    context = _Context(triples, prefixes, preferred)
    nodes = [
        _object(context.node(subject, list(about)), "    ")
        for subject, about in groupby(triples, key=lambda triple: triple.subject)
    ]
    declared = _object(context.used(), "  ").lstrip()
    body = ",\n".join(nodes)
    return f'{{\n  "@context": {declared},\n  "@graph": [\n{body}\n  ]\n}}\n'.encode()


def _object(data: Mapping[str, Any], indent: str) -> str:
    lines = ",\n".join(f"{indent}  {_dumps(key)}: {_dumps(value)}" for key, value in data.items())
    return f"{indent}{{\n{lines}\n{indent}}}" if data else f"{indent}{{}}"


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Context:
    def __init__(self, triples: Sequence[ox.Triple], prefixes: Mapping[str, str], preferred: Iterable[str]) -> None:
        predicates = {triple.predicate.value for triple in triples} - {_TYPE}
        types = {
            triple.object.value
            for triple in triples
            if triple.predicate.value == _TYPE and isinstance(triple.object, ox.NamedNode)
        }
        # A prefix or name that is also the scheme of an IRI would be taken for the prefix when that IRI is read.
        schemes = {iri.split(":", 1)[0] for iri in _iris(triples)}
        self.prefixes = {name: space for name, space in prefixes.items() if name and name not in schemes}
        links = _links(triples)
        self.terms = self._short_names(predicates, types, schemes, set(preferred))
        self.links = {iri for iri in predicates if links[iri] and iri in self.terms}
        self._used: set[str] = set()

    def _short_names(
        self, predicates: set[str], types: set[str], schemes: set[str], preferred: set[str]
    ) -> dict[str, str]:
        names: dict[str, str] = {}
        taken = {*self.prefixes, *schemes}
        # Relations and attributes before classes, those of the vocabulary before others.
        order = sorted(predicates | types, key=lambda iri: (iri not in predicates, iri not in preferred, iri))
        wanted = Counter(snake_case(iri) for iri in order if iri not in preferred)
        for iri in order:
            name = snake_case(iri)
            alone = iri in preferred or wanted[name] == 1
            if _NAME.fullmatch(name) and name not in taken and alone:
                names[iri] = name
                taken.add(name)
        return names

    def used(self) -> dict[str, Any]:
        """The context: prefixes and terms that the document uses, in a stable order."""
        terms: dict[str, Any] = {}
        for iri, name in sorted(self.terms.items(), key=lambda item: item[1]):
            short = self._compact(iri)
            terms[name] = {"@id": short, "@type": "@id"} if iri in self.links else short
        prefixes = {name: space for name, space in sorted(self.prefixes.items()) if name in self._used}
        return {**prefixes, **terms}

    def node(self, subject: ox.NamedNode | ox.BlankNode | ox.Triple, triples: Sequence[ox.Triple]) -> dict[str, Any]:
        """One thing and all that is said about it."""
        node: dict[str, Any] = {"@id": self.iri(subject)}
        for predicate, group in groupby(triples, key=lambda triple: triple.predicate.value):
            values = [triple.object for triple in group]
            if predicate == _TYPE:
                types = [self._type(value) for value in values if not isinstance(value, ox.Literal)]
                values = [value for value in values if isinstance(value, ox.Literal)]
                if types:
                    node["@type"] = types if len(types) > 1 else types[0]
            if values:
                key = self.terms.get(predicate) or self._compact(predicate)
                written = [self._value(value, link=predicate in self.links) for value in values]
                node[key] = written if len(written) > 1 else written[0]
        return node

    def iri(self, term: ox.NamedNode | ox.BlankNode | ox.Triple) -> str:
        """An IRI or blank node where JSON-LD reads one."""
        if isinstance(term, ox.NamedNode):
            return self._compact(term.value)
        if isinstance(term, ox.BlankNode):
            return f"_:{term.value}"
        raise ExportError(f"JSON-LD cannot write {term}; use turtle or trig")

    def _type(self, term: ox.NamedNode | ox.BlankNode | ox.Triple) -> str:
        return (isinstance(term, ox.NamedNode) and self.terms.get(term.value)) or self.iri(term)

    def _compact(self, iri: str) -> str:
        for name, space in self.prefixes.items():
            rest = iri[len(space) :]
            # After a colon, // means that the IRI is written in full.
            if iri.startswith(space) and rest and not rest.startswith("//"):
                self._used.add(name)
                return f"{name}:{rest}"
        return iri

    def _value(self, value: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple, *, link: bool) -> Any:
        if not isinstance(value, ox.Literal):
            return self.iri(value) if link else {"@id": self.iri(value)}
        if value.direction is not None:
            raise ExportError(f"JSON-LD cannot write the direction of {value}; use turtle or trig")
        if value.language:
            return {"@value": value.value, "@language": value.language}
        kind = value.datatype.value
        if kind == XSD + "string":
            return value.value
        if kind == XSD + "boolean" and value.value in ("true", "false"):
            return value.value == "true"
        if kind == XSD + "integer" and _INTEGER.fullmatch(value.value):
            return int(value.value)
        return {"@value": value.value, "@type": self._compact(kind)}


def _links(triples: Sequence[ox.Triple]) -> dict[str, bool]:
    """Predicate -> whether all its values are things, not literals."""
    found: dict[str, bool] = {}
    for triple in triples:
        name = triple.predicate.value
        found[name] = found.get(name, True) and not isinstance(triple.object, ox.Literal)
    return found


def _iris(triples: Iterable[ox.Triple]) -> Iterable[str]:
    for triple in triples:
        for term in (triple.subject, triple.predicate, triple.object):
            if isinstance(term, ox.NamedNode):
                yield term.value
            elif isinstance(term, ox.Literal):
                yield term.datatype.value
