"""The JSON schema that a reply about a page is to meet."""

from __future__ import annotations

from typing import Any

from kb.vocabulary import Vocabulary

__all__ = ["ITEM_KEYS", "LIST_KEY", "relation_names", "reply_schema"]

LIST_KEY = "statements"
ITEM_KEYS = ("subject", "relation", "object", "quote")


def relation_names(vocabulary: Vocabulary) -> list[str]:
    """The names of all relations, each followed by its inverse's."""
    return [
        name
        for relation in vocabulary.relations.values()
        for name in (relation.name, relation.inverse.name if relation.inverse else None)
        if name is not None
    ]


def reply_schema(vocabulary: Vocabulary) -> dict[str, Any]:
    """An object with a list of statements, in the form that strict endpoints ask for."""
    text = {"type": "string"}
    properties: dict[str, Any] = dict.fromkeys(ITEM_KEYS, text)
    if names := relation_names(vocabulary):
        properties["relation"] = {"type": "string", "enum": names}
    item = {
        "type": "object",
        "properties": properties,
        "required": list(ITEM_KEYS),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {LIST_KEY: {"type": "array", "items": item}},
        "required": [LIST_KEY],
        "additionalProperties": False,
    }
