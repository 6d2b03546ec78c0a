"""Which statements caused a validation result.

- A result about one value of a property, or of an inverse: the edge between focus node and value. Exact.
- A node shape's result about the node's own type or term: the edges that made the node a target. Exact.
- `sh:closed`: the edge that is too much. Exact.
- A cardinality, or a pair of properties: all edges of those properties at the focus node.
- Something lacking (`sh:minCount`, `sh:hasValue`): no edge is too much, so only what made the node a target.
- `sh:node`: what its details say.
- Anything else (longer paths, logic over other properties): every edge at the focus node by which the shape begins to
  look; of a SPARQL constraint, the edge to the value that it gives, else those of the relations that it names.
- Where there is none of these: what made the node a target.

Exact blame is acted on first. It may leave nothing to complain about: of two owners one of which is no team, only that
one goes, although a shape wants one owner only.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.graph._edges import Edge, Edges
from kb.graph._paths import Path
from kb.graph._shape_model import ShapeModel
from kb.namespaces import SH

__all__ = ["Blame", "Finding", "blame"]

_EXACT = frozenset(
    f"{name}ConstraintComponent"
    for name in (
        *("Class", "Datatype", "NodeKind", "In", "Pattern", "LanguageIn", "MinLength", "MaxLength"),
        *("MinInclusive", "MaxInclusive", "MinExclusive", "MaxExclusive"),
    )
)
_LACKING = frozenset(f"{name}ConstraintComponent" for name in ("MinCount", "QualifiedMinCount", "HasValue"))
_COUNTED = frozenset(f"{name}ConstraintComponent" for name in ("MaxCount", "QualifiedMaxCount", "UniqueLang"))
_PAIRED = {"EqualsConstraintComponent": "equals", "DisjointConstraintComponent": "disjoint"}
_LOGICAL = {f"{name.capitalize()}ConstraintComponent": name for name in ("and", "or", "xone", "not", "node")}


@dataclass(frozen=True, slots=True)
class Finding:
    """A validation result as it came from the validator. `focus` and `value` are ids where they are entities."""

    focus_iri: str
    focus: str | None
    shape: str
    component: str
    severity: str
    path: str | None = None
    value: str | None = None
    value_iri: str | None = None
    literal: tuple[str, str] | None = None
    messages: tuple[str, ...] = ()
    details: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Blame:
    """The edges that caused a result; `exact` when each of them is wrong by itself."""

    edges: frozenset[Edge]
    exact: bool


def blame(finding: Finding, model: ShapeModel, edges: Edges, outer: str | None = None) -> Blame:
    """The statements that caused a result. `outer` is the shape with targets where the finding is a detail of it."""
    if finding.focus is None:
        return Blame(frozenset(), exact=False)
    component = finding.component.removeprefix(SH)
    path = model.path(finding.shape)
    if component == "ClosedConstraintComponent":
        found = edges.at(finding.focus, finding.path or "")
        return Blame(frozenset(edge for edge in found if edge[2] == finding.value), exact=True)
    if component in _LACKING:
        return Blame(_targeting(finding.focus, outer or finding.shape, model, edges), exact=False)
    exact = component in _EXACT or _local_logic(component, finding.shape, model)
    if path is None:
        return _at_node(finding, model, edges, outer or finding.shape, exact=exact)
    if path.steps is None:
        return Blame(_any_at(finding, model, edges), exact=False)
    return _at_step(finding, path, model, edges, exact=exact)


def _at_node(finding: Finding, model: ShapeModel, edges: Edges, outer: str, *, exact: bool) -> Blame:
    assert finding.focus is not None
    if exact:
        return Blame(_targeting(finding.focus, outer, model, edges), exact=True)
    parts = [blame(detail, model, edges, outer) for detail in finding.details if detail.focus == finding.focus]
    certain = [part for part in parts if part.exact and part.edges]
    found = frozenset(edge for part in certain or parts for edge in part.edges)
    if found:
        return Blame(found, exact=bool(certain))
    return Blame(_any_at(finding, model, edges), exact=False)


def _at_step(finding: Finding, path: Path, model: ShapeModel, edges: Edges, *, exact: bool) -> Blame:
    assert finding.focus is not None
    component = finding.component.removeprefix(SH)
    steps = list(path.steps or ())
    if component in _PAIRED:
        steps += [(other, False) for other in model.graph.iris(finding.shape, _PAIRED[component])]
    found = {edge for relation, back in steps for edge in edges.at(finding.focus, relation, backward=back)}
    if component not in _COUNTED:
        ends = {finding.focus, finding.value}
        found = {edge for edge in found if {edge[0], edge[2]} == ends}
    if not found and not exact and component not in _COUNTED and component not in _PAIRED:
        found = set(_any_at(finding, model, edges))
    return Blame(frozenset(found), exact)


def _targeting(focus: str, shape: str, model: ShapeModel, edges: Edges) -> frozenset[Edge]:
    """The edges that make a node a target of a shape."""
    subjects, objects = model.target_relations(shape)
    leaving = {edge for relation in subjects for edge in edges.at(focus, relation)}
    return frozenset(leaving | {edge for relation in objects for edge in edges.at(focus, relation, backward=True)})


def _any_at(finding: Finding, model: ShapeModel, edges: Edges) -> frozenset[Edge]:
    assert finding.focus is not None
    steps = model.first_steps(finding.shape)
    found = {edge for relation, back in steps for edge in edges.at(finding.focus, relation, backward=back)}
    if finding.component == SH + "SPARQLConstraintComponent":
        # A query that gives a value means the edge to it, where there is one; else rather what the focus node says.
        named = {edge for edge in found if {edge[0], edge[2]} == {finding.focus, finding.value}}
        found = named or {edge for edge in found if edge[0] == finding.focus} or found
    return frozenset(found) or _targeting(finding.focus, finding.shape, model, edges)


def _local_logic(component: str, shape: str, model: ShapeModel) -> bool:
    """Whether a logical constraint depends on nothing but what the catalogue says about the value."""
    name = _LOGICAL.get(component)
    return name is not None and all(model.sight(one, whole=True).local for one in model.graph.operands(shape, name))
