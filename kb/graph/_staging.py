"""The staging graph: candidate facts beside what the catalogue and the ontology's class hierarchy say.

To validate a few nodes only, the targets of the shapes are written out as `sh:targetNode`, which says the same to every
engine. pySHACL's `focus_nodes` option would drop the results of nested shapes whose value nodes are not in its list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.graph._blame import Finding
from kb.graph._edges import Edge, Edges
from kb.graph._engine import oxigraph_graph, run, to_rdflib
from kb.graph._shape_graph import Targets
from kb.graph._shape_model import ShapeModel
from kb.graph.shacl import narrowed
from kb.graph.terms import entity_triples
from kb.iris import Iris
from kb.model import Entity
from kb.namespaces import OWL, RDF, RDFS, SH
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

__all__ = ["Staging"]

_TYPE = RDF + "type"
_SUBCLASS = RDFS + "subClassOf"


@dataclass(frozen=True, slots=True)
class _View:
    """What decides whether a shape applies to a node (https://www.w3.org/TR/shacl/#targets)."""

    iri: str
    classes: set[str]
    leaving: set[str]
    reaching: set[str]

    def meets(self, targets: Targets) -> bool:
        return (
            self.iri in targets.nodes
            or not self.leaving.isdisjoint(targets.subjects_of)
            or not self.reaching.isdisjoint(targets.objects_of)
            or not self.classes.isdisjoint(targets.classes)
        )


class Staging:
    """The parts of the staging graph that stay the same from one validation to the next."""

    def __init__(self, model: ShapeModel, vocabulary: Vocabulary, entities: Mapping[str, Entity], iris: Iris) -> None:
        self._model, self._vocabulary, self._entities, self._iris = model, vocabulary, entities, iris
        self._triples: dict[str, list[ox.Triple]] = {}
        self._terms: dict[ox.NamedNode | ox.BlankNode | ox.Literal, Node] = {}
        self._node_iris: dict[str, ox.NamedNode] = {}
        self._hierarchy = [
            triple
            for triple in dict.fromkeys(vocabulary.ontology)
            if triple.predicate.value == _SUBCLASS
            and isinstance(triple.subject, ox.NamedNode)
            and isinstance(triple.object, ox.NamedNode)
        ]
        self._above = _closure(self._hierarchy)
        self._shapes: Graph | None = None
        self._bare_shapes: Graph | None = None
        self.validated: set[str] = set()
        """Every node that was a focus node so far (ids, and IRIs of nodes that are no entities)."""

    def validate(self, edges: Edges, nodes: Collection[str] | None = None) -> list[Finding]:
        """The validation results about `nodes` (ids), or about everything.

        Raises OntologyError where the shapes cannot be used.
        """
        if nodes is None:
            chosen = self._all_targets(edges)
            self.validated.update(chosen)
            data = self._data(edges, self._entities.keys() | edges.nodes())
            shapes = self._whole_shapes()
            return run(data, shapes if self._model.queries else narrowed(data, shapes), self._iris)
        views = {node: self._view(node, edges) for node in nodes}
        targets = {
            shape: [node for node, view in views.items() if view.meets(wanted)]
            for shape, wanted in self._model.graph.roots.items()
        }
        focus = {node for found in targets.values() for node in found}
        if not focus:
            return []
        self.validated.update(focus)
        side = self._model.all
        if side.length > 1:
            seen = {edge for node in edges.around(focus, side.length - 1) for edge in edges.touching(node)}
        else:
            # Of a node that thousands point at, shapes that look forwards see none of these.
            seen = {edge for node in focus for edge in edges.seen(node, side.forward, side.backward)}
        data = self._data(seen, focus | {end for edge in seen for end in (edge[0], edge[2])})
        shapes = self._shapes_without_targets()
        rows = [
            (self._term(ox.NamedNode(shape)), self._term(ox.NamedNode(SH + "targetNode")), self._term(self._node(node)))
            for shape, found in targets.items()
            for node in found
        ]
        for row in rows:
            shapes.add(row)
        try:
            return run(data, shapes, self._iris)
        finally:
            for row in rows:
                shapes.remove(row)

    # -- targets ------------------------------------------------------------

    def _view(self, node: str, edges: Edges) -> _View:
        own = self._entity_triples(node)
        types = {t.object.value for t in own if t.predicate.value == _TYPE and isinstance(t.object, ox.NamedNode)}
        touching = edges.touching(node)
        leaving = {edge[1] for edge in touching if edge[0] == node}
        return _View(
            iri=self._node(node).value,
            classes=types.union(*(self._above.get(name, ()) for name in types)),
            leaving=leaving.union(triple.predicate.value for triple in own),
            reaching={edge[1] for edge in touching if edge[2] == node},
        )

    def _all_targets(self, edges: Edges) -> set[str]:
        roots = self._model.graph.roots.values()
        wanted = Targets(
            frozenset().union(*(one.classes for one in roots)),
            frozenset().union(*(one.nodes for one in roots)),
            frozenset().union(*(one.subjects_of for one in roots)),
            frozenset().union(*(one.objects_of for one in roots)),
        )
        nodes = self._entities.keys() | edges.nodes()
        found = {node for node in nodes if self._view(node, edges).meets(wanted)}
        return found | {iri for iri in wanted.nodes if self._iris.entity_id(iri) is None}

    # -- graphs -------------------------------------------------------------

    def _node(self, node: str) -> ox.NamedNode:
        if node not in self._node_iris:
            self._node_iris[node] = ox.NamedNode(self._iris.entity(node))
        return self._node_iris[node]

    def _entity_triples(self, node: str) -> list[ox.Triple]:
        """What the catalogue says about a node, as far as any shape can see it."""
        if node not in self._triples:
            entity = self._entities.get(node)
            found = [] if entity is None else entity_triples(entity, self._vocabulary, self._iris)
            if not self._sees_all:
                seen = self._model.graph.mentioned
                found = [t for t in found if t.predicate.value == _TYPE or t.predicate.value in seen]
            self._triples[node] = found
        return self._triples[node]

    @property
    def _sees_all(self) -> bool:
        return self._model.queries or self._model.graph.has("closed")

    def _data(self, edges: Iterable[Edge], nodes: Iterable[str]) -> Graph:
        triples = [*self._hierarchy, *(triple for node in nodes for triple in self._entity_triples(node))]
        relations: dict[str, ox.NamedNode] = {}
        for subject, relation, object_ in edges:
            predicate = relations.setdefault(relation, ox.NamedNode(relation))
            triples.append(ox.Triple(self._node(subject), predicate, self._node(object_)))
        # Measured at 20,000 edges: rdflib's own memory is 2.7 times faster under SHACL core, but seven times slower
        # where shapes hold SPARQL.
        return oxigraph_graph(triples) if self._model.queries else self._memory_graph(triples)

    def _memory_graph(self, triples: Iterable[ox.Triple]) -> Graph:
        from rdflib import Graph

        graph = Graph(bind_namespaces="none")
        for triple in triples:
            graph.add((self._term(triple.subject), self._term(triple.predicate), self._term(triple.object)))
        return graph

    def _whole_shapes(self) -> Graph:
        if self._shapes is None:
            self._shapes = self._memory_graph(self._model.graph.triples)
        return self._shapes

    def _shapes_without_targets(self) -> Graph:
        if self._bare_shapes is None:
            targets = {SH + name for name in ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf")}
            classes = {ox.NamedNode(OWL + "Class"), ox.NamedNode(RDFS + "Class")}
            self._bare_shapes = self._memory_graph(
                triple
                for triple in self._model.graph.triples
                if triple.predicate.value not in targets
                and not (triple.predicate.value == _TYPE and triple.object in classes)
            )
        return self._bare_shapes

    def _term(self, term: Any) -> Node:
        found = self._terms.get(term)
        if found is None:
            found = self._terms[term] = to_rdflib(term)
        return found


def _closure(hierarchy: Iterable[ox.Triple]) -> dict[str, frozenset[str]]:
    """Class IRI -> the IRIs of all its superclasses."""
    parents: dict[str, set[str]] = defaultdict(set)
    for triple in hierarchy:
        if isinstance(triple.subject, ox.NamedNode) and isinstance(triple.object, ox.NamedNode):
            parents[triple.subject.value].add(triple.object.value)
    above: dict[str, frozenset[str]] = {}
    for name in parents:
        found: set[str] = set()
        todo = list(parents[name])
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo.extend(parents.get(one, ()))
        above[name] = frozenset(found)
    return above
