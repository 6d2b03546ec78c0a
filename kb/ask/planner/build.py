"""From what was read to a plan in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.ask.planner.chains import Chain
from kb.ask.planner.sequences import Steps

__all__ = ["Branch", "plan_of"]


@dataclass
class Branch:
    """A chain ready to be written: from the entities `ids`, from what `parts` have in common, or from a type.

    `joined` says how several entities combine: any, all, except. `repeated` tells of each hop whether it repeats.
    `where` has conditions by set: 0 is where the chain starts, `i` what its hop `i` reaches. `without`: the second part
    is what must not be. `base`: it starts from everything that meets these conditions. `denied`: after so many hops, it
    goes on with all of the types `rest` that those do not reach. `others`: the entities themselves are no answers.
    """

    chain: Chain
    ids: tuple[str, ...]
    repeated: tuple[bool, ...]
    joined: str = "any"
    where: dict[int, dict[str, Any]] = field(default_factory=dict)
    parts: tuple[Branch, ...] = ()
    without: bool = False
    base: dict[str, Any] | None = None
    denied: int = 0
    rest: tuple[str, ...] = ()
    others: bool = False

    @property
    def is_condition(self) -> bool:
        """Whether it can stand as a condition: one hop from one entity, nothing else."""
        plain = not (self.repeated[:1] == (True,) or self.where or self.parts or self.denied)
        return plain and len(self.ids) == 1 and len(self.chain.codes) == 1


def plan_of(branch: Branch, steps: Steps) -> dict[str, Any]:
    """The plan as JSON."""
    codes, where = branch.chain.codes, branch.where
    hops = [steps.written(code, repeated=far) for code, far in zip(codes, branch.repeated, strict=True)]
    plan, done = _beginning(branch, hops, steps)
    if not hops and branch.ids and where:
        return {"all": [plan], "where": dict(where[0])}
    for end in sorted({*where, branch.denied, len(hops)}):
        if end <= done:
            continue
        denied = 0 < end == branch.denied
        plan = _extended(plan, hops[done:end], {} if denied else where.get(end, {}))
        if denied:
            everything = {"where": {"type": branch.rest[0] if len(branch.rest) == 1 else list(branch.rest)}}
            plan = _extended({"except": [everything, plan]}, (), where.get(end, {}))
        done = end
    if branch.others:
        plan = {"except": [plan, *({"start": one} for one in branch.ids)]}
    return plan


def _beginning(branch: Branch, hops: Sequence[str], steps: Steps) -> tuple[dict[str, Any], int]:
    """The plan up to where its entities are one set, and how many hops that takes."""
    if branch.base is not None:
        return {"where": dict(branch.base)}, 0
    if branch.parts:
        return _extended(_together(branch, steps), (), branch.where.get(0, {})), 0
    if len(branch.ids) == 1:
        return {"start": branch.ids[0]}, 0
    # What several entities have in common, they have in common after the first hop.
    where = {} if branch.denied == 1 else branch.where.get(1, {})
    plans = [{"start": one, "hops": list(hops[:1]), "where": dict(where)} for one in branch.ids]
    return {branch.joined: plans}, 1


def _extended(plan: dict[str, Any], hops: Sequence[str], where: Mapping[str, Any]) -> dict[str, Any]:
    """The plan with hops and conditions after it."""
    from_type = set(plan) == {"where"}
    if not hops and not where:
        return plan
    closed = not from_type and not {"hops", "where"}.isdisjoint(plan)
    result: dict[str, Any] = {"all": [plan]} if closed or (from_type and where and not hops) else dict(plan)
    if hops:
        result["hops"] = list(hops)
    if where and from_type and hops:
        # Conditions of such a plan hold before its hops.
        return {"all": [result], "where": dict(where)}
    if where:
        result["where"] = dict(where)
    return result


def _together(branch: Branch, steps: Steps) -> dict[str, Any]:
    first, second = branch.parts
    plan = plan_of(first, steps)
    if branch.without:
        return {"except": [plan, plan_of(second, steps)]}
    if second.is_condition and "start" in plan and plan.get("hops"):
        key = steps.written(second.chain.codes[0] ^ 1)
        where = plan.get("where", {})
        if key not in where:
            return {**plan, "where": {**where, key: second.ids[0]}}
    return {"all": [plan, plan_of(second, steps)]}
