"""What SHACL shapes say about which types a property joins, and shapes for properties that have none.

Reads SHACL core as people write it: targets on node or property shapes, `sh:class` directly or in `sh:or`/`sh:xone`/
`sh:and` lists, inverse paths, implicit class targets (https://www.w3.org/TR/shacl/#targets).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyoxigraph as ox

from kb._rdf import RdfFile
from kb.namespaces import OWL, RDF, RDFS, SH, SHAPE

__all__ = ["ShapeFacts", "derived_shapes", "shape_facts"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


@dataclass
class ShapeFacts:
    """All by IRI. `pairs`: (subject class, object class) that one shape joins; `domains`/`ranges`: either end alone;
    `hosts`: classes whose shapes mention the property; `datatypes` of its literals; `named`: every term that the shapes
    name, with the file and line where."""

    pairs: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    domains: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ranges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    hosts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    datatypes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    named: dict[str, str] = field(default_factory=dict)
    on_path: set[str] = field(default_factory=set)
    targeted: set[str] = field(default_factory=set)
    inverse_path: set[str] = field(default_factory=set)

    def direct(self, iri: str) -> bool:
        """Whether a shape names this property itself, as path or target."""
        return iri in self.on_path or iri in self.targeted

    def constrains(self, iri: str) -> bool:
        """Whether a shape says anything about this property in either direction."""
        return self.direct(iri) or iri in self.inverse_path


def shape_facts(files: Sequence[RdfFile]) -> ShapeFacts:
    """Collects the facts from parsed shapes files."""
    reader = _Reader(files)
    reader.collect()
    return reader.facts


class _Reader:
    def __init__(self, files: Sequence[RdfFile]) -> None:
        self.files = files
        self.store = ox.Store()
        self.store.extend(ox.Quad(*triple) for file in files for triple in file.triples)
        self.facts = ShapeFacts()

    def objects(self, node: Term, predicate: str) -> list[Term]:
        if not isinstance(node, (ox.NamedNode, ox.BlankNode)):
            return []
        return [q.object for q in self.store.quads_for_pattern(node, ox.NamedNode(predicate), None)]

    def iris(self, node: Term, predicate: str) -> set[str]:
        return {o.value for o in self.objects(node, predicate) if isinstance(o, ox.NamedNode)}

    def subjects(self, predicate: str, value: Term | None = None) -> list[ox.NamedNode | ox.BlankNode]:
        found = {q.subject for q in self.store.quads_for_pattern(None, ox.NamedNode(predicate), value)}
        return [s for s in found if isinstance(s, (ox.NamedNode, ox.BlankNode))]

    def members(self, head: Term) -> list[Term]:
        found: list[Term] = []
        seen: set[str] = set()
        while str(head) not in seen:
            seen.add(str(head))
            found.extend(self.objects(head, RDF + "first"))
            rest = self.objects(head, RDF + "rest")
            if not rest:
                break
            head = rest[0]
        return found

    def classes(self, shape: Term, depth: int = 0) -> set[str]:
        """Classes that a shape asks for; a list of alternatives counts as all of them."""
        found = self.iris(shape, SH + "class")
        if depth < 8:
            for predicate in ("or", "xone", "and"):
                for head in self.objects(shape, SH + predicate):
                    for member in self.members(head):
                        found |= self.classes(member, depth + 1)
            for node in self.objects(shape, SH + "node"):
                found |= self.classes(node, depth + 1)
        return found

    def targets(self, shape: Term, depth: int = 0) -> tuple[set[str], set[str], set[str]]:
        """(classes, properties whose subjects, properties whose objects) that a shape or its hosts apply to."""
        classes = self.iris(shape, SH + "targetClass")
        subjects, objects = self.iris(shape, SH + "targetSubjectsOf"), self.iris(shape, SH + "targetObjectsOf")
        if isinstance(shape, ox.NamedNode) and self.iris(shape, RDF + "type") & {OWL + "Class", RDFS + "Class"}:
            classes.add(shape.value)
        if depth < 8 and isinstance(shape, (ox.NamedNode, ox.BlankNode)):
            for host in self.subjects(SH + "property", shape) + self.subjects(SH + "node", shape):
                above = self.targets(host, depth + 1)
                classes, subjects, objects = classes | above[0], subjects | above[1], objects | above[2]
        return classes, subjects, objects

    def collect(self) -> None:
        facts = self.facts
        for shape in self.subjects(SH + "path"):
            classes, subjects, objects = self.targets(shape)
            asked = self.classes(shape)
            for path in self.objects(shape, SH + "path"):
                if isinstance(path, ox.NamedNode):
                    self.direct_path(path.value, asked, classes, subjects)
                    facts.datatypes[path.value] |= self.iris(shape, SH + "datatype")
                for inverse in self.iris(path, SH + "inversePath"):
                    facts.inverse_path.add(inverse)
                    facts.pairs[inverse] |= {(a, c) for a in asked for c in classes}
                    if inverse in objects:
                        facts.domains[inverse] |= asked
        for predicate, ends in ((SH + "targetSubjectsOf", facts.domains), (SH + "targetObjectsOf", facts.ranges)):
            for shape in self.subjects(predicate):
                for prop in self.iris(shape, predicate):
                    facts.targeted.add(prop)
                    if not self.objects(shape, SH + "path"):
                        ends[prop] |= self.classes(shape)
        self.name_terms()

    def direct_path(self, path: str, asked: set[str], classes: set[str], subjects: set[str]) -> None:
        facts = self.facts
        facts.on_path.add(path)
        facts.hosts[path] |= classes
        facts.pairs[path] |= {(c, a) for c in classes for a in asked}
        if path in subjects or not classes:
            facts.ranges[path] |= asked

    def name_terms(self) -> None:
        predicates = (
            "path",
            "class",
            "targetClass",
            "targetSubjectsOf",
            "targetObjectsOf",
            "inversePath",
            "alternativePath",
            "zeroOrMorePath",
            "oneOrMorePath",
            "zeroOrOnePath",
        )
        wanted = {SH + p for p in predicates}
        for file in self.files:
            for triple in file.triples:
                if triple.predicate.value in wanted and isinstance(triple.object, ox.NamedNode):
                    iri = triple.object.value
                    local = iri[max(iri.rfind("#"), iri.rfind("/")) + 1 :]
                    line = file.line_of(local)
                    self.facts.named.setdefault(iri, f"{file.path}:{line}" if line else str(file.path))


def derived_shapes(
    iri: str,
    label: str,
    signatures: Iterable[tuple[str | None, str | None]],
    class_iris: dict[str, str],
) -> list[ox.Triple]:
    """Shapes for a property that has none, from the types that the ontology documents.

    One node shape for its subjects and one for its objects. List cells are named, not blank, so that the result is the
    same at every run. Where nothing is documented, nothing can be checked but that both ends are IRIs.
    """
    pairs = list(signatures)
    triples: list[ox.Triple] = []
    for end, target in ((0, "targetSubjectsOf"), (1, "targetObjectsOf")):
        names = sorted({name for pair in pairs if (name := pair[end]) is not None})
        if any(pair[end] is None for pair in pairs):
            names = []
        triples.extend(_end_shape(iri, label, target, names, class_iris))
    return triples


def _end_shape(iri: str, label: str, target: str, names: list[str], class_iris: dict[str, str]) -> list[ox.Triple]:
    digest = hashlib.sha256(f"{iri} {target}".encode()).hexdigest()[:12]
    shape = ox.NamedNode(f"{SHAPE}derived-{digest}")
    what = "subject" if target == "targetSubjectsOf" else "object"
    kinds = " or ".join(name.replace("_", " ") for name in names) or "thing with an IRI"
    rows: list[ox.Triple] = [
        ox.Triple(shape, ox.NamedNode(RDF + "type"), ox.NamedNode(SH + "NodeShape")),
        ox.Triple(shape, ox.NamedNode(SH + target), ox.NamedNode(iri)),
        ox.Triple(shape, ox.NamedNode(SH + "nodeKind"), ox.NamedNode(SH + "IRI")),
        ox.Triple(shape, ox.NamedNode(SH + "severity"), ox.NamedNode(SH + "Violation")),
        ox.Triple(shape, ox.NamedNode(SH + "message"), ox.Literal(f"The {what} of '{label}' must be a {kinds}.")),
    ]
    if len(names) == 1:
        rows.append(ox.Triple(shape, ox.NamedNode(SH + "class"), ox.NamedNode(class_iris[names[0]])))
    elif names:
        cells = [ox.NamedNode(f"{shape.value}-{number}") for number in range(len(names))]
        options = [ox.NamedNode(f"{shape.value}-option-{number}") for number in range(len(names))]
        rows.append(ox.Triple(shape, ox.NamedNode(SH + "or"), cells[0]))
        for number, name in enumerate(names):
            rest = cells[number + 1] if number + 1 < len(cells) else ox.NamedNode(RDF + "nil")
            rows += [
                ox.Triple(cells[number], ox.NamedNode(RDF + "first"), options[number]),
                ox.Triple(cells[number], ox.NamedNode(RDF + "rest"), rest),
                ox.Triple(options[number], ox.NamedNode(SH + "class"), ox.NamedNode(class_iris[name])),
            ]
    return rows
