"""A shapes graph as the gate uses it: blank shapes named, paths parsed, targets and operands at hand.

https://www.w3.org/TR/shacl/#core-components lists what a shape may ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pyoxigraph as ox

from kb.graph._paths import Path, read_path
from kb.namespaces import OWL, RDF, RDFS, SH, SHAPE

__all__ = ["ShapeGraph", "Targets", "canonical"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_TYPE = RDF + "type"
_TARGETS = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf")
_LISTS = ("and", "or", "xone")
_OPERANDS = ("node", "not", "qualifiedValueShape")


def canonical(triples: Iterable[ox.Triple]) -> list[ox.Triple]:
    """The triples with blank nodes labelled by RDFC-1.0, sorted: the same graph gives the same list."""
    dataset = ox.Dataset(ox.Quad(*triple) for triple in triples)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted((quad.triple for quad in dataset), key=str)


@dataclass(frozen=True, slots=True)
class Targets:
    """What a shape applies to: instances of classes, single nodes, subjects and objects of properties (all IRIs)."""

    classes: frozenset[str]
    nodes: frozenset[str]
    subjects_of: frozenset[str]
    objects_of: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.classes or self.nodes or self.subjects_of or self.objects_of)


class ShapeGraph:
    """A shapes graph, every shape of which is a named node: blank ones get an IRI made from their canonical label."""

    def __init__(self, triples: Iterable[ox.Triple]) -> None:
        found = list(dict.fromkeys(triples))
        if any(isinstance(term, ox.BlankNode) for triple in found for term in (triple.subject, triple.object)):
            found = canonical(found)
        self._index(found)
        named = {
            shape: ox.NamedNode(f"{SHAPE}blank-{shape.value}")
            for shape in self._shape_nodes()
            if isinstance(shape, ox.BlankNode)
        }
        self.given_names = {str(name.value) for name in named.values()}
        if named:
            found = [
                ox.Triple(
                    named.get(t.subject, t.subject) if isinstance(t.subject, ox.BlankNode) else t.subject,
                    t.predicate,
                    named.get(t.object, t.object) if isinstance(t.object, ox.BlankNode) else t.object,
                )
                for t in found
            ]
            self._index(found)
        self.triples = tuple(found)
        self.shapes = frozenset(node.value for node in self._shape_nodes() if isinstance(node, ox.NamedNode))

    def _index(self, triples: Iterable[ox.Triple]) -> None:
        self._objects: dict[tuple[Term, str], list[Term]] = defaultdict(list)
        self._subjects: dict[tuple[str, Term], list[Term]] = defaultdict(list)
        self._by_predicate: dict[str, list[ox.Triple]] = defaultdict(list)
        for triple in triples:
            self._objects[triple.subject, triple.predicate.value].append(triple.object)
            self._subjects[triple.predicate.value, triple.object].append(triple.subject)
            self._by_predicate[triple.predicate.value].append(triple)

    def _shape_nodes(self) -> set[Term]:
        found: set[Term] = set()
        for kind in ("NodeShape", "PropertyShape"):
            found.update(self._subjects.get((_TYPE, ox.NamedNode(SH + kind)), ()))
        for name in (*_TARGETS, "path", "property", *_LISTS, *_OPERANDS):
            found.update(triple.subject for triple in self._by_predicate.get(SH + name, ()))
        for name in ("property", *_OPERANDS):
            found.update(triple.object for triple in self._by_predicate.get(SH + name, ()))
        for name in _LISTS:
            for triple in self._by_predicate.get(SH + name, ()):
                found.update(self.members(triple.object))
        return found

    # -- reading ------------------------------------------------------------

    def objects(self, shape: str | Term, name: str) -> list[Term]:
        """Values of `sh:name` on a shape."""
        node = ox.NamedNode(shape) if isinstance(shape, str) else shape
        return self._objects.get((node, SH + name), [])

    def iris(self, shape: str, name: str) -> frozenset[str]:
        """Those values of `sh:name` that are IRIs."""
        return frozenset(one.value for one in self.objects(shape, name) if isinstance(one, ox.NamedNode))

    def literal(self, shape: str, name: str) -> str | None:
        """The text of the first literal value of `sh:name`."""
        return next((one.value for one in self.objects(shape, name) if isinstance(one, ox.Literal)), None)

    def members(self, head: Term) -> list[Term]:
        """The members of an RDF list."""
        found: list[Term] = []
        seen: set[Term] = set()
        while head not in seen:
            seen.add(head)
            found.extend(self._objects.get((head, RDF + "first"), ()))
            rest = self._objects.get((head, RDF + "rest"), ())
            if not rest:
                break
            head = rest[0]
        return found

    def operands(self, shape: str, *names: str) -> list[str]:
        """The shapes that `sh:name` points at, directly or by list."""
        found: list[str] = []
        for name in names:
            for value in self.objects(shape, name):
                nodes = self.members(value) if name in _LISTS else [value]
                found.extend(node.value for node in nodes if isinstance(node, ox.NamedNode))
        return found

    def has(self, name: str) -> bool:
        """Whether `sh:name` occurs as a property anywhere."""
        return SH + name in self._by_predicate

    def instances(self, name: str) -> bool:
        """Whether anything is an instance of `sh:name`."""
        return bool(self._subjects.get((_TYPE, ox.NamedNode(SH + name))))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Every IRI that stands as an object: among them every property and class that a shape can speak of."""
        return frozenset(t.object.value for t in self.triples if isinstance(t.object, ox.NamedNode))

    def targets(self, shape: str) -> Targets:
        """What a shape itself applies to, implicit class targets included."""
        classes = set(self.iris(shape, "targetClass"))
        types = self._objects.get((ox.NamedNode(shape), _TYPE), ())
        if ox.NamedNode(OWL + "Class") in types or ox.NamedNode(RDFS + "Class") in types:
            classes.add(shape)
        return Targets(
            frozenset(classes),
            self.iris(shape, "targetNode"),
            self.iris(shape, "targetSubjectsOf"),
            self.iris(shape, "targetObjectsOf"),
        )

    @cached_property
    def roots(self) -> dict[str, Targets]:
        """The shapes that have targets, with them."""
        return {shape: targets for shape in sorted(self.shapes) if (targets := self.targets(shape))}

    def hosts(self, shape: str) -> Iterator[str]:
        """The shapes that have this one as a `sh:property`, and theirs; nearest first."""
        seen, todo = {shape}, [shape]
        while todo:
            node = todo.pop(0)
            for host in self._subjects.get((SH + "property", ox.NamedNode(node)), ()):
                if isinstance(host, ox.NamedNode) and host.value not in seen:
                    seen.add(host.value)
                    todo.append(host.value)
                    yield host.value

    def shown(self, shape: str) -> str:
        """The IRI to show for a shape: its own, or for a blank one the nearest named shape that holds it."""
        if shape not in self.given_names:
            return shape
        return next((host for host in self.hosts(shape) if host not in self.given_names), shape)

    # -- paths --------------------------------------------------------------

    def path(self, shape: str) -> Path | None:
        """The path of a property shape; None for a node shape."""
        found = self.objects(shape, "path")
        return read_path(found[0], self.objects, self.members) if found else None
