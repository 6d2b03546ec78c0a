"""Values of the knowledge base as RDF terms."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal

import pyoxigraph as ox

from kb.iris import Iris
from kb.model import Entity
from kb.namespaces import DCTERMS, RDF, RDFS, SKOS, XSD
from kb.vocabulary import Vocabulary

__all__ = ["attribute_literal", "content_name", "entity_triples", "text_literal"]

_TYPE = ox.NamedNode(RDF + "type")
_LABEL = ox.NamedNode(RDFS + "label")
_ALT_LABEL = ox.NamedNode(SKOS + "altLabel")
_IDENTIFIER = ox.NamedNode(DCTERMS + "identifier")
_DESCRIPTION = ox.NamedNode(DCTERMS + "description")

_INTEGER = ox.NamedNode(XSD + "integer")
_DOUBLE = ox.NamedNode(XSD + "double")
_BOOLEAN = ox.NamedNode(XSD + "boolean")
_NAME_LENGTH = 32
_WHOLE = frozenset(
    XSD + name
    for name in (
        *("integer", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
        *("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
        *("decimal", "double", "float"),
    )
)
_FRACTIONS = frozenset(XSD + name for name in ("decimal", "double", "float"))


def content_name(*parts: object) -> str:
    """A name made from content: 32 hexadecimal digits of SHA-256. The same parts give the same name anywhere."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:_NAME_LENGTH]


def text_literal(text: str) -> ox.Literal:
    """A plain string; lone surrogates, which no RDF syntax can hold, become question marks."""
    return ox.Literal(text.encode("utf-8", "replace").decode())


def attribute_literal(value: bool | int | float | str, datatype: str) -> ox.Literal:
    """A value of an attribute of this datatype (an IRI).

    A Python value of another kind than the datatype keeps its own, so that a shape can find fault with it.
    """
    if isinstance(value, bool):
        return ox.Literal("true" if value else "false", datatype=_BOOLEAN)
    if isinstance(value, int):
        return ox.Literal(str(value), datatype=ox.NamedNode(datatype) if datatype in _WHOLE else _INTEGER)
    if isinstance(value, float):
        if datatype == XSD + "decimal" and value - value == 0:
            return ox.Literal(format(Decimal(repr(value)), "f"), datatype=ox.NamedNode(datatype))
        special = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(repr(value), repr(value))
        return ox.Literal(special, datatype=ox.NamedNode(datatype) if datatype in _FRACTIONS else _DOUBLE)
    text = text_literal(value)
    if datatype in (XSD + "string", RDF + "langString"):
        return text
    return ox.Literal(text.value, datatype=ox.NamedNode(datatype))


def entity_triples(entity: Entity, vocabulary: Vocabulary, iris: Iris) -> list[ox.Triple]:
    """What the catalogue says about one entity: type, names, id, description, attributes."""
    node = ox.NamedNode(iris.entity(entity.id))
    triples = [
        ox.Triple(node, _TYPE, ox.NamedNode(vocabulary.classes[entity.type].iri)),
        ox.Triple(node, _LABEL, text_literal(entity.name)),
        ox.Triple(node, _IDENTIFIER, text_literal(entity.id)),
    ]
    triples += [ox.Triple(node, _ALT_LABEL, text_literal(alias)) for alias in entity.aliases]
    if entity.description:
        triples.append(ox.Triple(node, _DESCRIPTION, text_literal(entity.description)))
    for name, value in entity.attributes.items():
        attribute = vocabulary.attributes[name]
        triples.append(ox.Triple(node, ox.NamedNode(attribute.iri), attribute_literal(value, attribute.datatype)))
    return triples
