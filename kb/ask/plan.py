"""Plans as JSON: read with every name checked, written, and described by a JSON Schema.

The forms, all objects (`kb.ask.plan_model` says what each means):

    {"start": id, "hops": [hop, ...], "where": {...}}
    {"where": {...}, "hops": [hop, ...]}                     all entities that where keeps, then along hops
    {"all": [plan, ...]}   {"any": [plan, ...]}   {"except": [plan, plan, ...]}
                                                             each with "hops" and "where" if wanted, in this order
    {"count": plan}   {"count": plan, "by": [hop, ...]}      at the top only

A plan inside `all`, `any` or `except` may be `{"start": id}`: that entity itself, as in "every other system that ...".

A hop is a relation's name; `~` before it goes backwards, `*` after it repeats. The name of an inverse does too. `where`
takes `type`, attributes with a value, and relations with the id at their other end; a list means any of its values,
null means that there is none. `false` also keeps what has no value, of the types that the attribute is documented for:
catalogues state what is so and leave out what is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from kb.ask.plan_model import (
    AttributeFilter,
    CombinedPlan,
    CountPlan,
    Hop,
    Plan,
    RelationFilter,
    SetPlan,
    StartPlan,
    Where,
    WherePlan,
)
from kb.ask.plan_schema import plan_schema
from kb.ask.plan_values import (
    attribute_value,
    is_list,
    listed,
    relation_names,
    relations_in_words,
    several,
    shown,
    suggest,
    whole_text,
)
from kb.ask.reach import after_hops, reached_types
from kb.errors import PlanError
from kb.model import Entity
from kb.vocabulary import Attribute, Vocabulary

__all__ = [
    "MAX_HOPS",
    "AttributeFilter",
    "CombinedPlan",
    "CountPlan",
    "Hop",
    "Plan",
    "RelationFilter",
    "SetPlan",
    "StartPlan",
    "Where",
    "WherePlan",
    "parse_hop",
    "parse_plan",
    "plan_schema",
]

MAX_HOPS = 64
"""Hops that one plan may have in all. Queries nest with them, and engines give up on nesting without end."""

MAX_REPEATED = 20
"""Repeated hops that one plan may have in all: each may walk the whole graph, and their queries nest."""

MAX_DEPTH = 16
"""How deep plans may stand inside plans."""

_HOP = re.compile(r"(~?)([^~*^+\s]+)(\*?)")
_KINDS = ("all", "any", "except")
_FORMS = '{"start", "hops", "where"}, {"where", "hops"}, {"all" | "any" | "except"} or {"count", "by"}'


def parse_plan(
    data: object,
    vocabulary: Vocabulary,
    entities: Collection[str] | Mapping[str, Entity] | None = None,
    *,
    check_types: bool = True,
) -> Plan:
    """Reads a plan from parsed JSON.

    `entities` are the ids that a plan may name; None allows any. With a mapping to entities, `check_types` also refuses
    hops and conditions that no entity of the types reached could ever meet.

    Raises PlanError saying what is wrong, where in the plan, and what may stand there instead.
    """
    parser = _Parser(vocabulary, entities)
    plan = parser.plan(data, "plan", 0, top=True)
    if check_types:
        types = {name: one.type for name, one in entities.items()} if isinstance(entities, Mapping) else {}
        inner = plan.plan if isinstance(plan, CountPlan) else plan
        reached = reached_types(inner, vocabulary, types, "plan.count" if isinstance(plan, CountPlan) else "plan")
        if isinstance(plan, CountPlan):
            after_hops(reached, plan.by, vocabulary, "plan.by")
    return plan


def parse_hop(text: object, vocabulary: Vocabulary, place: str = "hop") -> Hop:
    """Reads one hop; an inverse's name becomes `~` and the stored relation's.

    Raises PlanError with the nearest name and all relations.
    """
    if not isinstance(text, str):
        raise PlanError(f"{place}: a hop is the name of a relation as text, not {shown(text)}", text)
    match = _HOP.fullmatch(text)
    if match is None:
        hint = "; backwards is written '~', not '^'" if text.startswith("^") else ""
        raise PlanError(
            f"{place}: {text!r} is not a hop: write a relation's name, '~' before it to go backwards, '*' after it to "
            f"repeat{hint}",
            text,
        )
    tilde, name, star = match.groups()
    found = vocabulary.relation(name)
    if found is None:
        raise PlanError(
            f"{place}: there is no relation {name!r}{suggest(name, relation_names(vocabulary))}. "
            f"Relations: {relations_in_words(vocabulary)}",
            text,
        )
    relation, inverse = found
    return Hop(relation.name, backwards=inverse != bool(tilde), repeated=bool(star))


class _Parser:
    def __init__(self, vocabulary: Vocabulary, entities: Collection[str] | Mapping[str, Entity] | None) -> None:
        self.vocabulary, self.entities = vocabulary, entities
        self.hops_seen = self.repeated_seen = 0

    def plan(self, data: object, place: str, depth: int, *, top: bool = False, part: bool = False) -> Plan:
        if not isinstance(data, Mapping):
            raise PlanError(f"{place}: a plan is a JSON object of the form {_FORMS}, not {shown(data)}", data)
        if depth > MAX_DEPTH:
            raise PlanError(f"{place}: plans stand more than {MAX_DEPTH} deep inside plans")
        if "count" in data:
            return self.count(data, place, depth, top=top)
        kinds = [kind for kind in _KINDS if kind in data]
        if len(kinds) > 1:
            raise PlanError(f"{place}: has both {kinds[0]!r} and {kinds[1]!r}; put one plan inside the other", data)
        if kinds:
            return self.combined(data, kinds[0], place, depth)
        if "start" in data:
            self.keys(data, ("start", "hops", "where"), place)
            start = self.entity(data["start"], f"{place}.start")
            hops = self.hops(data.get("hops", ()), f"{place}.hops", needed=not part)
            return StartPlan(start, hops, self.where(data.get("where", {}), f"{place}.where"))
        self.keys(data, ("where", "hops"), place, also=("start", "all", "any", "except", "count"))
        where = self.where(data.get("where", {}), f"{place}.where")
        if not where:
            raise PlanError(
                f'{place}: has neither a "start" nor conditions in "where", so it would mean everything; it must have '
                f"one of the forms {_FORMS}",
                data,
            )
        return WherePlan(where, self.hops(data.get("hops", ()), f"{place}.hops"))

    def count(self, data: Mapping[Any, Any], place: str, depth: int, *, top: bool) -> CountPlan:
        if not top:
            raise PlanError(f'{place}: "count" can stand at the top of a plan only', data)
        self.keys(data, ("count", "by"), place)
        inner = self.plan(data["count"], f"{place}.count", depth + 1)
        by = self.hops(data["by"], f"{place}.by", needed=True) if "by" in data else ()
        return CountPlan(cast("SetPlan", inner), by)

    def combined(self, data: Mapping[Any, Any], kind: str, place: str, depth: int) -> CombinedPlan:
        self.keys(data, (kind, "hops", "where"), place)
        inner, here = data[kind], f"{place}.{kind}"
        least = 2 if kind == "except" else 1
        if not is_list(inner) or len(inner) < least:
            raise PlanError(f"{here}: must be a list of {least} or more plans, not {shown(inner)}", inner)
        if len(inner) > MAX_HOPS:
            raise PlanError(f"{here}: combines {len(inner)} plans; {MAX_HOPS} is the most")
        plans = tuple(
            cast("SetPlan", self.plan(one, f"{here}[{number}]", depth + 1, part=True))
            for number, one in enumerate(inner)
        )
        hops = self.hops(data.get("hops", ()), f"{place}.hops")
        return CombinedPlan(cast("Any", kind), plans, hops, self.where(data.get("where", {}), f"{place}.where"))

    def keys(self, data: Mapping[Any, Any], known: Sequence[str], place: str, also: Sequence[str] = ()) -> None:
        for key in data:
            if key not in known:
                hint = suggest(str(key), [*known, *also])
                raise PlanError(f"{place}: unknown key {key!r}{hint}; it may have {listed(known)}", key)

    def hops(self, data: object, place: str, *, needed: bool = False) -> tuple[Hop, ...]:
        if not is_list(data):
            raise PlanError(f"{place}: must be a list of hops, not {shown(data)}", data)
        hops = tuple(
            parse_hop(one, self.vocabulary, f"{place}[{number}]") for number, one in enumerate(cast("Any", data))
        )
        if needed and not hops:
            raise PlanError(
                f"{place}: has no hops, so the plan leads nowhere; name at least one relation: "
                f"{relations_in_words(self.vocabulary)}",
                data,
            )
        self.hops_seen += len(hops)
        if self.hops_seen > MAX_HOPS:
            raise PlanError(f"{place}: the plan has more than {MAX_HOPS} hops")
        self.repeated_seen += sum(hop.repeated for hop in hops)
        if self.repeated_seen > MAX_REPEATED:
            raise PlanError(f"{place}: the plan has more than {MAX_REPEATED} repeated hops")
        return hops

    def entity(self, data: object, place: str) -> str:
        if not isinstance(data, str):
            raise PlanError(f"{place}: must be the id of an entity, not {shown(data)}", data)
        if self.entities is not None and data not in self.entities:
            raise PlanError(f"{place}: there is no entity with the id {data!r}{self.nearest(data)}", data)
        whole_text(data, place)
        return data

    def nearest(self, name: str) -> str:
        """A hint from ids and, where they are known, names and aliases."""
        assert self.entities is not None
        if isinstance(self.entities, Mapping):
            folded = name.casefold()
            for one in self.entities.values():
                if folded in {called.casefold() for called in (one.name, *one.aliases)}:
                    return f"; {one.name!r} has the id {one.id!r}"
        return suggest(name, self.entities, several=True)

    def where(self, data: object, place: str) -> Where:
        if not isinstance(data, Mapping):
            raise PlanError(f"{place}: must be an object of conditions, not {shown(data)}", data)
        types: tuple[str, ...] = ()
        attributes: list[AttributeFilter] = []
        relations: list[RelationFilter] = []
        for key, value in data.items():
            here = f"{place}.{key}"
            if key == "type":
                types = self.types(value, here)
            elif key in self.vocabulary.attributes:
                attributes.append(self.attribute(self.vocabulary.attributes[key], value, here))
            else:
                relations.append(self.relation(key, value, here))
                if relations[-1].hop in {one.hop for one in relations[:-1]}:
                    raise PlanError(f'{here}: the same relation twice; combine two plans with "all" instead', key)
        return Where(types, tuple(attributes), tuple(relations))

    def types(self, data: object, place: str) -> tuple[str, ...]:
        names = several(data, place)
        for name in names:
            if not isinstance(name, str) or name not in self.vocabulary.classes:
                known = sorted(self.vocabulary.classes)
                raise PlanError(
                    f"{place}: there is no type {shown(name)}{suggest(str(name), known)}. Types: {', '.join(known)}",
                    name,
                )
        return names

    def attribute(self, attribute: Attribute, data: object, place: str) -> AttributeFilter:
        values = () if data is None else several(data, place)
        return AttributeFilter(attribute.name, tuple(attribute_value(attribute, value, place) for value in values))

    def relation(self, key: object, data: object, place: str) -> RelationFilter:
        text = str(key)
        known = ["type", *self.vocabulary.attributes, *relation_names(self.vocabulary)]
        if _HOP.fullmatch(text) is None or self.vocabulary.relation(text.lstrip("~").rstrip("*")) is None:
            raise PlanError(
                f"{place}: there is no attribute or relation {text!r}{suggest(text, known)}. Conditions: type; "
                f"attributes {', '.join(self.vocabulary.attributes) or '(none)'}; "
                f"relations {relations_in_words(self.vocabulary)}",
                key,
            )
        if text.endswith("*"):
            raise PlanError(f"{place}: a condition looks one step far, so it takes no '*'; use hops for more", key)
        hop = parse_hop(text, self.vocabulary, place)
        ids = () if data is None else several(data, place)
        return RelationFilter(hop, tuple(self.entity(one, place) for one in ids))
