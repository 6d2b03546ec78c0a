"""What a plan is made of. `kb.ask.plan` reads plans from JSON; `to_json` writes them.

The meaning, as sets of entities:

- `StartPlan`: from one entity along `hops`, then `where` keeps some of what was reached. Without hops, inside another
  plan, it is the entity itself.
- `WherePlan`: all entities that `where` keeps, then along `hops`, if any.
- `CombinedPlan`: what is in `all` of its plans, in `any` of them, or in the first one but none of the others
  (`except`); then along `hops`, then `where`.
- `CountPlan`: how many there are. With `by`, one count for each entity that the hops `by` lead to: how many members
  of the plan's set, each on its own, lead there.

A hop takes a set S to everything one step away from a member of S, which may include members of S. A repeated hop
takes it to everything one or more steps away, except the members of S.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "AttributeFilter",
    "CombinedPlan",
    "CountPlan",
    "Hop",
    "Plan",
    "RelationFilter",
    "SetPlan",
    "StartPlan",
    "Value",
    "Where",
    "WherePlan",
]

Value = bool | int | float | str
Combination = Literal["all", "any", "except"]


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along a relation, `backwards` from object to subject; `repeated` until nothing new is found."""

    relation: str
    backwards: bool = False
    repeated: bool = False

    def __str__(self) -> str:
        return f"{'~' if self.backwards else ''}{self.relation}{'*' if self.repeated else ''}"


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """Keeps what has any of `values` for an attribute, or no value at all where `values` is empty."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class RelationFilter:
    """Keeps what one step along `hop` leads to any of `ids` from, or to nothing at all where `ids` is empty."""

    hop: Hop
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions that must all hold. An entity has one of `types` when its type is one of them or below one."""

    types: tuple[str, ...] = ()
    attributes: tuple[AttributeFilter, ...] = ()
    relations: tuple[RelationFilter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.types or self.attributes or self.relations)

    def to_json(self) -> dict[str, Any]:
        """The conditions by name; one value stands alone, several in a list, none at all as null."""
        data: dict[str, Any] = {"type": _plain(self.types)} if self.types else {}
        data.update({one.name: _plain(one.values) for one in self.attributes})
        data.update({str(one.hop): _plain(one.ids) for one in self.relations})
        return data


def _plain(values: tuple[Any, ...]) -> Any:
    if not values:
        return None
    return values[0] if len(values) == 1 else list(values)


@dataclass(frozen=True, slots=True)
class StartPlan:
    """From the entity `start` along `hops`; `where` keeps some of what the last hop reached."""

    start: str
    hops: tuple[Hop, ...]
    where: Where = Where()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON that `parse_plan` reads."""
        return {"start": self.start, "hops": [str(hop) for hop in self.hops], "where": self.where.to_json()}


@dataclass(frozen=True, slots=True)
class WherePlan:
    """All entities that `where` keeps, then along `hops`."""

    where: Where
    hops: tuple[Hop, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON that `parse_plan` reads."""
        return {"where": self.where.to_json(), **_hops_json(self.hops)}


@dataclass(frozen=True, slots=True)
class CombinedPlan:
    """`kind` of `plans`, then along `hops`; `where` keeps some of the result."""

    kind: Combination
    plans: tuple[SetPlan, ...]
    hops: tuple[Hop, ...] = ()
    where: Where = Where()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON that `parse_plan` reads."""
        data: dict[str, Any] = {self.kind: [plan.to_json() for plan in self.plans], **_hops_json(self.hops)}
        return {**data, "where": self.where.to_json()} if self.where else data


@dataclass(frozen=True, slots=True)
class CountPlan:
    """The size of a plan's set; with `by`, one count for each entity that the hops lead to."""

    plan: SetPlan
    by: tuple[Hop, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON that `parse_plan` reads."""
        data: dict[str, Any] = {"count": self.plan.to_json()}
        return {**data, "by": [str(hop) for hop in self.by]} if self.by else data


SetPlan = StartPlan | WherePlan | CombinedPlan
"""A plan whose result is a set of entities."""

Plan = SetPlan | CountPlan


def _hops_json(hops: tuple[Hop, ...]) -> dict[str, Any]:
    return {"hops": [str(hop) for hop in hops]} if hops else {}


def parts(plan: Plan) -> Iterator[Plan]:
    """The plan and every plan inside it."""
    yield plan
    inner = (plan.plan,) if isinstance(plan, CountPlan) else plan.plans if isinstance(plan, CombinedPlan) else ()
    for one in inner:
        yield from parts(one)
