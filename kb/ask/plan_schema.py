"""The JSON Schema of plans, generated from a vocabulary."""

from __future__ import annotations

from typing import Any

from kb.namespaces import XSD
from kb.vocabulary import Attribute, Vocabulary

__all__ = ["INTEGERS", "NUMBERS", "plan_schema"]

INTEGERS = frozenset(
    XSD + name
    for name in (
        "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger",
        "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
    )
)  # fmt: skip
"""Datatypes whose values are whole numbers in JSON."""

NUMBERS = INTEGERS | {XSD + name for name in ("decimal", "double", "float")}
"""Datatypes whose values are numbers in JSON."""


def plan_schema(vocabulary: Vocabulary) -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) of the plans that a vocabulary allows: hops, types and attributes are spelled out.

    Ids are any text: which entities there are is not the vocabulary's to say.
    """
    named: list[str] = []
    for relation in vocabulary.relations.values():
        named.append(relation.name)
        if relation.inverse is not None:
            named.append(relation.inverse.name)
    steps = [f"{tilde}{name}" for name in named for tilde in ("", "~")]
    conditions: dict[str, Any] = {
        step: {**_one_or_more({"$ref": "#/$defs/id"}, none=True), "description": "the id at the other end; null: none"}
        for step in steps
    }
    conditions.update({one.name: _attribute(one) for one in vocabulary.attributes.values()})
    conditions["type"] = _one_or_more({"enum": sorted(vocabulary.classes)})
    ref = {name: {"$ref": f"#/$defs/{name}"} for name in ("hop", "hops", "where", "set", "part", "id")}
    least_one = {"$ref": "#/$defs/hops", "minItems": 1}
    forms: list[dict[str, Any]] = [
        _object({"start": ref["id"], "hops": least_one, "where": ref["where"]}, ["start", "hops"]),
        _object({"where": {**ref["where"], "minProperties": 1}, "hops": ref["hops"]}, ["where"]),
    ]
    for kind, least in (("all", 1), ("any", 1), ("except", 2)):
        plans = {"type": "array", "items": ref["part"], "minItems": least}
        forms.append(_object({kind: plans, "hops": ref["hops"], "where": ref["where"]}, [kind]))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "plan",
        "anyOf": [ref["set"], _object({"count": ref["set"], "by": least_one}, ["count"])],
        "$defs": {
            "id": {"type": "string", "description": "the id of an entity of the catalogue"},
            "hop": {
                "enum": [f"{step}{star}" for step in steps for star in ("", "*")],
                "description": "a relation; ~ goes backwards, * repeats until nothing new is found",
            },
            "hops": {"type": "array", "items": ref["hop"]},
            "where": _object(dict(sorted(conditions.items())), []),
            "set": {"anyOf": forms},
            "part": {
                "anyOf": [
                    ref["set"],
                    _object({"start": ref["id"], "hops": {"maxItems": 0}, "where": ref["where"]}, ["start"]),
                ]
            },
        },
    }


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _one_or_more(value: dict[str, Any], *, none: bool = False) -> dict[str, Any]:
    options = [value, {"type": "array", "items": value, "minItems": 1}]
    return {"anyOf": [*options, {"type": "null"}] if none else options}


def _attribute(attribute: Attribute) -> dict[str, Any]:
    if attribute.boolean:
        value: dict[str, Any] = {"type": "boolean"}
    elif attribute.datatype in INTEGERS:
        value = {"type": "integer"}
    elif attribute.datatype in NUMBERS:
        value = {"type": "number"}
    else:
        value = {"type": "string"}
    described = {"description": attribute.definition} if attribute.definition else {}
    return {**_one_or_more(value, none=True), **described}
