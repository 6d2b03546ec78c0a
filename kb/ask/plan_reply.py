"""What a model replies when it is asked for a plan: the JSON Schema of it, and plans as it writes them made into plans.

A reply is `{"plan": …, "refuse": null}` or `{"plan": null, "refuse": "why"}`. Plans have the form of `kb.ask.plan`, but
for `where`, which is a list of conditions: so every object has fixed keys, as endpoints with strict schemas demand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kb.ask.plan_schema import plan_schema
from kb.ask.plan_values import is_list, listed
from kb.errors import PlanError
from kb.llm import Reply
from kb.llm.json_text import json_object
from kb.model import Entity
from kb.names import normalised
from kb.vocabulary import Vocabulary

__all__ = ["Names", "plan_data", "read_reply", "reply_schema"]

_FORMS = ("start", "where", "all", "any", "except", "count")
_PARTS = ("all", "any", "except")
_EMPTY_IS_ABSENT = ("hops", "where", "by")
_DEEPEST = 20
_SHOWN = 5
_REASON = 300


def reply_schema(vocabulary: Vocabulary, ids: Sequence[str]) -> dict[str, Any]:
    """The schema of a reply: hops, types and attributes spelled out, ids one of those given (any text where none is).

    Of the keywords only those that strict endpoints and grammars know, and every property is required.
    """
    known = plan_schema(vocabulary)["$defs"]
    twice = {f"~{one.inverse.name}" for one in vocabulary.relations.values() if one.inverse is not None}
    hops = [hop for hop in known["hop"]["enum"] if hop.rstrip("*") not in twice]
    ref = {name: {"$ref": f"#/$defs/{name}"} for name in ("id", "ids", "hop", "condition", "set")}
    conditions = [
        _object({key: ref["ids"] if vocabulary.relation(key.lstrip("~")) is not None else _plain(value)})
        for key, value in known["where"]["properties"].items()
        if key not in twice
    ]
    hops_list, where = {"type": "array", "items": ref["hop"]}, {"type": "array", "items": ref["condition"]}
    forms = [
        _object({"start": ref["id"], "hops": hops_list, "where": where}),
        _object({"where": where, "hops": hops_list}),
    ]
    parts = {"type": "array", "items": ref["set"]}
    forms += [_object({kind: parts, "hops": hops_list, "where": where}) for kind in _PARTS]
    counted = _object({"count": ref["set"], "by": hops_list})
    nothing = {"type": "null"}
    plan = {"anyOf": [ref["set"], counted, nothing]}
    return {
        "title": "plan",
        **_object({"plan": plan, "refuse": {"anyOf": [{"type": "string"}, nothing]}}),
        "$defs": {
            "id": _one_of(ids),
            "ids": {"anyOf": [ref["id"], {"type": "array", "items": ref["id"]}, nothing]},
            "hop": _one_of(hops),
            "condition": {"anyOf": conditions},
            "set": {"anyOf": forms},
        },
    }


def read_reply(reply: Reply) -> tuple[dict[str, Any] | None, str]:
    """(the plan as the model wrote it, ""), or (None, why it refuses).

    Raises PlanError for a reply that is neither.
    """
    found, complete = json_object(reply.text, ("plan", "refuse", *_FORMS))
    if found is None:
        raise PlanError("the reply holds no JSON object")
    if not complete:
        limit = " by the limit of tokens" if reply.finish == "length" else ""
        raise PlanError(f"the reply is cut off{limit}: its JSON does not end")
    refusal = _reason(found.get("refuse"))
    plan = found.get("plan")
    if isinstance(plan, str):
        plan = json_object(plan, _FORMS)[0]
    if plan is None and "plan" not in found and any(key in found for key in _FORMS):
        plan = {key: value for key, value in found.items() if key != "refuse"}
    if plan and refusal:
        raise PlanError('the reply has both a "plan" and a "refuse"; give one of them and null for the other')
    if not plan and not refusal:
        raise PlanError('the reply has neither a "plan" nor, in "refuse", the reason why there is none')
    if refusal:
        return None, refusal
    if not isinstance(plan, Mapping):
        raise PlanError(f'"plan" must be an object with one of the keys {listed(_FORMS)}')
    return dict(plan), ""


class Names:
    """Entities by what they are called, for plans that name them instead of giving their ids."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self.entities = entities
        self._owners: dict[str, dict[str, None]] = {}
        for entity in entities.values():
            for name in (entity.id, entity.name, *entity.aliases):
                self._owners.setdefault(normalised(name), {})[entity.id] = None

    def id_of(self, written: Any, place: str) -> Any:
        """The id that is meant; what is no name of anything stays as it is. Raises PlanError for a shared name."""
        if not isinstance(written, str) or written in self.entities:
            return written
        ids = list(self._owners.get(normalised(written), ()))
        if len(ids) > 1:
            more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
            raise PlanError(f"{place}: {written!r} is what several things are called; give the id of one: "
                            f"{listed(ids[:_SHOWN])}{more}", written)  # fmt: skip
        return ids[0] if ids else written


def plan_data(data: Any, vocabulary: Vocabulary, names: Names, place: str = "plan", depth: int = 0) -> Any:
    """A plan as `kb.ask.plan` reads it: empty parts left out, conditions in one object, ids for names.

    What is wrong otherwise stays, for `parse_plan` to say. Raises PlanError for names that several entities share.
    """
    if not isinstance(data, Mapping) or depth > _DEEPEST:
        return data
    found: dict[str, Any] = {}
    for key, value in data.items():
        here = f"{place}.{key}"
        if value is None or (key in _EMPTY_IS_ABSENT and value in ([], {}, "")):
            continue
        if key == "start":
            value = names.id_of(value, here)
        elif key in ("hops", "by") and isinstance(value, str):
            value = [value]
        elif key == "where":
            value = _where(value, vocabulary, names, here)
        elif key in _PARTS and is_list(value):
            value = [plan_data(one, vocabulary, names, f"{here}[{n}]", depth + 1) for n, one in enumerate(value)]
        elif key == "count":
            value = plan_data(value, vocabulary, names, here, depth + 1)
        found[str(key)] = value
    return found


def _where(data: Any, vocabulary: Vocabulary, names: Names, place: str) -> Any:
    conditions = data if is_list(data) else [data]
    if not all(isinstance(one, Mapping) for one in conditions):
        return data
    found: dict[str, Any] = {}
    for one in conditions:
        for key, value in one.items():
            if key in found and found[key] != value:
                raise PlanError(
                    f"{place}: has {key!r} twice; for any of several values give a list, for all of them combine two "
                    'plans with "all"',
                    key,
                )
            if vocabulary.relation(str(key).lstrip("~")) is not None:
                here = f"{place}.{key}"
                value = [names.id_of(v, here) for v in value] if is_list(value) else names.id_of(value, here)
            found[str(key)] = value
    return found


def _reason(value: Any) -> str:
    """A reason in one line. Models that are not to refuse write "" or "null"."""
    if not isinstance(value, str):
        return ""
    text = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", value).strip()
    if text.casefold() in ("", "null", "none", "no", "false", "n/a"):
        return ""
    return text if len(text) <= _REASON else f"{text[:_REASON].rsplit(' ', 1)[0]} …"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)} if values else {"type": "string"}


def _plain(schema: Any) -> Any:
    """Without keywords that strict endpoints do not know."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: _plain(value) for key, value in schema.items() if key not in ("minItems", "description")}
    return {"type": "string", **found} if "enum" in found else found
