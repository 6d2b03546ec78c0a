"""SHACL property paths (https://www.w3.org/TR/shacl/#property-paths)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyoxigraph as ox

__all__ = ["Path", "read_path"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

Objects = Callable[[Term, str], Sequence[Term]]
Members = Callable[[Term], Sequence[Term]]

_MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Path:
    """A property path.

    `steps` are the alternatives of a path of one step, as (predicate, backwards); None for a longer one. `used` are all
    steps that occur, `first` those with which a walk can begin. `length` counts the longest walk in steps; None where
    there is no longest. `skippable` says whether a walk may be none at all.
    """

    steps: tuple[tuple[str, bool], ...] | None
    used: frozenset[tuple[str, bool]]
    first: frozenset[tuple[str, bool]]
    length: int | None
    skippable: bool = False

    @property
    def predicate(self) -> str | None:
        """The property, where the path is one."""
        if self.steps is not None and len(self.steps) == 1 and not self.steps[0][1]:
            return self.steps[0][0]
        return None


def read_path(node: Term, objects: Objects, members: Members, depth: int = 0) -> Path:
    """The path that a node stands for. `objects` gives the values of `sh:name` on a node, `members` those of a list."""
    if isinstance(node, ox.NamedNode):
        step = frozenset({(node.value, False)})
        return Path(((node.value, False),), step, step, 1)
    if depth > _MAX_DEPTH:
        return Path(None, frozenset(), frozenset(), None)
    read, nodes = _sequence, members(node)
    for name, other in (("inversePath", _inverse), ("alternativePath", _either), *_REPEATED):
        inside = objects(node, name)
        if inside:
            read, nodes = other, members(inside[0]) if name == "alternativePath" else inside[:1]
            break
    return read([read_path(one, objects, members, depth + 1) for one in nodes])


def _inverse(parts: list[Path]) -> Path:
    (inner,) = parts
    turned = None if inner.steps is None else tuple((p, not back) for p, back in inner.steps)
    used = frozenset((p, not back) for p, back in inner.used)
    # The last step of a longer path is the first of its inverse; which that is does not matter enough.
    return Path(turned, used, used, inner.length, inner.skippable)


def _either(parts: list[Path]) -> Path:
    steps = tuple(step for one in parts for step in one.steps or ()) if all(one.steps for one in parts) else None
    used = frozenset(step for one in parts for step in one.used)
    first = frozenset(step for one in parts for step in one.first)
    lengths = [one.length for one in parts if one.length is not None]
    longest = max(lengths, default=0) if len(lengths) == len(parts) else None
    return Path(steps, used, first, longest, any(one.skippable for one in parts))


def _sequence(parts: list[Path]) -> Path:
    if len(parts) == 1:
        return parts[0]
    first: set[tuple[str, bool]] = set()
    for one in parts:
        first |= one.first
        if not one.skippable:
            break
    lengths = [one.length for one in parts if one.length is not None]
    length = sum(lengths) if len(lengths) == len(parts) else None
    used = frozenset(step for one in parts for step in one.used)
    return Path(None, used, frozenset(first), length, all(one.skippable for one in parts))


def _any_number(parts: list[Path]) -> Path:
    return Path(None, parts[0].used, parts[0].first, None, skippable=True)


def _at_least_one(parts: list[Path]) -> Path:
    return Path(None, parts[0].used, parts[0].first, None, parts[0].skippable)


def _at_most_one(parts: list[Path]) -> Path:
    return Path(None, parts[0].used, parts[0].first, parts[0].length, skippable=True)


_REPEATED = (("zeroOrMorePath", _any_number), ("oneOrMorePath", _at_least_one), ("zeroOrOnePath", _at_most_one))
