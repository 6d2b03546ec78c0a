"""How far shapes look, which statements they can blame, and whether refusing one can make another fail.

The gate validates only what a change can have touched. This says what that is. Everything here errs to the safe side:
a shape that is not understood makes the gate look at everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyoxigraph as ox

from kb.graph._paths import Path
from kb.graph._shape_graph import ShapeGraph, Targets
from kb.graph.validation import VIOLATION
from kb.namespaces import SH

__all__ = ["ShapeModel", "Sight"]

_PAIRWISE = ("equals", "disjoint", "lessThan", "lessThanOrEquals")
_LOGICAL = ("and", "or", "xone", "not", "node", "qualifiedValueShape")
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Sight:
    """What one shape sees of the relations around a focus node.

    `steps` are (relation IRI, backwards), `first` those that are taken at the focus node; `length` counts steps, None
    without a bound. `steady` means that taking statements away never makes the shape fail; `lacking` that it can
    fail for want of a statement.
    """

    steps: frozenset[tuple[str, bool]] = frozenset()
    first: frozenset[tuple[str, bool]] = frozenset()
    length: int | None = 0
    steady: bool = True
    lacking: bool = False

    @property
    def local(self) -> bool:
        """Whether the shape sees no relations, only what the catalogue says about a node."""
        return not self.steps and self.length == 0


@dataclass
class _Side:
    """The relations that shapes see forwards and backwards, and how far they look."""

    forward: set[str] = field(default_factory=set)
    backward: set[str] = field(default_factory=set)
    length: int = 1

    def add(self, steps: Iterable[tuple[str, bool]], length: int) -> None:
        for relation, back in steps:
            (self.backward if back else self.forward).add(relation)
        self.length = max(self.length, length)


class ShapeModel:
    """A shapes graph analysed for a set of relations (IRIs).

    `everything`: results that reject cannot be told from a neighbourhood alone, so all of the graph must be validated.
    `queries`: the shapes hold SPARQL. `all` and `rejecting` say which relations are seen from which end, by any shape
    and by those of severity Violation.
    """

    def __init__(self, graph: ShapeGraph, relations: Iterable[str]) -> None:
        self.graph = graph
        self.relations = frozenset(relations)
        self.queries = graph.has("sparql") or graph.instances("ConstraintComponent")
        self.all, self.rejecting = _Side(), _Side()
        self.everything = self.queries or graph.has("qualifiedValueShapesDisjoint")
        self._sights: dict[tuple[str, bool], Sight] = {}
        self._roots_of: dict[str, list[Targets]] = {}
        for root, targets in graph.roots.items():
            self._visit(root, targets, below_path=False, seen=frozenset())

    def sight(self, shape: str, *, whole: bool = False) -> Sight:
        """What the constraints of one shape see; those of its `sh:property` shapes count when it is seen as a whole."""
        if (shape, whole) not in self._sights:
            self._sights[shape, whole] = self._look(shape, frozenset(), with_properties=whole)
        return self._sights[shape, whole]

    def targets(self, shape: str) -> list[Targets]:
        """The targets of the shapes through which this one is reached."""
        return self._roots_of.get(shape, [])

    def severity(self, shape: str) -> str:
        """The local name of a shape's severity."""
        found = sorted(self.graph.iris(shape, "severity"))
        return found[0].removeprefix(SH) if found else VIOLATION

    def message(self, shape: str) -> str | None:
        """A shape's own message: an English or untagged one, else any."""
        found = [one for one in self.graph.objects(shape, "message") if isinstance(one, ox.Literal)]
        english = [one for one in found if not one.language or one.language.lower().split("-")[0] == "en"]
        return min((one.value for one in english or found), default=None)

    def target_relations(self, shape: str) -> tuple[frozenset[str], frozenset[str]]:
        """The relations whose subjects, and those whose objects, this shape applies to."""
        subjects = frozenset(r for t in self.targets(shape) for r in t.subjects_of if r in self.relations)
        objects = frozenset(r for t in self.targets(shape) for r in t.objects_of if r in self.relations)
        return subjects, objects

    def first_steps(self, shape: str) -> frozenset[tuple[str, bool]]:
        """The steps that a shape, its operands and its properties take at the focus node.

        Of SPARQL only the names of relations that occur in the text are known, in both directions.
        """
        first = self.sight(shape, whole=True).first
        texts = [str(value) for value in self._texts(shape)]
        named = {r for r in self.relations if any(r in text or _named_in(r, text) for text in texts)}
        return first | {(relation, back) for relation in named for back in (False, True)}

    def path(self, shape: str) -> Path | None:
        """The path of a shape."""
        return self.graph.path(shape)

    # -- analysis -----------------------------------------------------------

    def _visit(self, shape: str, targets: Targets, *, below_path: bool, seen: frozenset[str]) -> None:
        """Takes note of a shape that gives results, and of its property shapes, which give their own."""
        if shape in seen:
            return
        roots = self._roots_of.setdefault(shape, [])
        if targets not in roots:
            roots.append(targets)
        sight = self.sight(shape)
        steps = set(sight.steps)
        steps |= {(r, False) for r in targets.subjects_of if r in self.relations}
        steps |= {(r, True) for r in targets.objects_of if r in self.relations}
        aims = bool((targets.subjects_of | targets.objects_of) & self.relations)
        rejecting = self.severity(shape) == VIOLATION
        # Results of a property below a path are about another node than the target.
        if sight.length is None or below_path or (rejecting and (not sight.steady or (sight.lacking and aims))):
            self.everything = True
        for side in (self.all, self.rejecting) if rejecting else (self.all,):
            side.add(steps, sight.length or 0)
        below = below_path or self._path_steps(shape) != (frozenset(), frozenset(), 0)
        for child in self.graph.operands(shape, "property"):
            self._visit(child, targets, below_path=below, seen=seen | {shape})

    def _path_steps(self, shape: str) -> tuple[frozenset[tuple[str, bool]], frozenset[tuple[str, bool]], int | None]:
        path = self.graph.path(shape)
        if path is None:
            return frozenset(), frozenset(), 0
        steps = frozenset(step for step in path.used if step[0] in self.relations)
        # Other steps lead to what the catalogue says about a node, which is always at hand.
        return steps, path.first & steps, path.length if steps else 0

    def _look(self, shape: str, seen: frozenset[str], *, with_properties: bool) -> Sight:
        if shape in seen or len(seen) > _MAX_DEPTH:
            return Sight(length=None, steady=False)
        graph = self.graph
        steps, first, length = self._path_steps(shape)
        on_relations = bool(steps)
        on_node = graph.path(shape) is None
        lacking = on_relations and any(graph.objects(shape, name) for name in ("minCount", "hasValue"))
        steady = True
        for name in _PAIRWISE:
            others = graph.iris(shape, name) & self.relations
            if others:
                beside = {(one, False) for one in others}
                steps, first, length = steps | beside, first | beside, None if length is None else max(length, 1)
                steady = steady and name != "equals"
            elif name == "equals" and on_relations and graph.objects(shape, name):
                steady = False
        if graph.literal(shape, "closed") == "true":
            leaving = {(one, False) for one in self.relations}
            steps, first, length = steps | leaving, first | leaving, None if length is None else length + 1
        inner_length: int | None = 0
        for name in (*_LOGICAL, "property") if with_properties else _LOGICAL:
            for operand in graph.operands(shape, name):
                inner = self._look(operand, seen | {shape}, with_properties=True)
                steps |= inner.steps
                first |= inner.first if on_node else frozenset()
                unbounded = inner.length is None or inner_length is None
                inner_length = None if unbounded else max(inner_length or 0, inner.length or 0)
                steady = steady and (inner.local or (name in ("and", "or", "node", "property") and _never_fails(inner)))
        if on_relations and graph.objects(shape, "qualifiedMinCount"):
            lacking = True
        total = None if length is None or inner_length is None else length + inner_length
        return Sight(frozenset(steps), frozenset(first), total, steady, lacking)

    def _texts(self, shape: str) -> Iterable[str]:
        for value in self.graph.objects(shape, "sparql"):
            for name in ("select", "ask"):
                yield from (str(text) for text in self.graph.objects(value, name))


def _never_fails(sight: Sight) -> bool:
    return sight.steady and not sight.lacking


def _named_in(relation: str, text: str) -> bool:
    local = relation[max(relation.rfind("#"), relation.rfind("/")) + 1 :]
    return f":{local}" in text
