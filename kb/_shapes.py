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

from kb._rdf import RdfFile, Term, Triples
from kb.names import humanised
from kb.namespaces import OWL, RDF, RDFS, SH, SHAPE

__all__ = ["ShapeFacts", "derived_shapes", "shape_facts"]

_DEEPEST = 8
"""How many shapes inside shapes are followed. Shapes may refer to each other in circles."""


@dataclass
class ShapeFacts:
    """What shapes say about properties; keys and values are IRIs.

    `pairs`: (subject class, object class) that one shape joins; `domains`/`ranges`: either end alone; `hosts`: classes
    whose shapes allow the property; `datatypes` of its literals; `literal`: properties whose values are literals;
    `named`: every term that the shapes name, with the file and line where.
    """

    pairs: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    domains: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ranges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    hosts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    datatypes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    literal: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    on_path: set[str] = field(default_factory=set)
    targeted: set[str] = field(default_factory=set)
    inverse_path: set[str] = field(default_factory=set)

    def direct(self, iri: str) -> bool:
        """Whether a shape names this property itself, as path or target."""
        return iri in self.on_path or iri in self.targeted

    def constrains(self, iri: str) -> bool:
        """Whether a shape says anything about statements of this property, from either end."""
        return self.direct(iri) or iri in self.inverse_path


def shape_facts(files: Sequence[RdfFile]) -> ShapeFacts:
    """Collects the facts from parsed shapes files."""
    reader = _Reader(files)
    reader.collect()
    return reader.facts


class _Reader:
    def __init__(self, files: Sequence[RdfFile]) -> None:
        self.files = files
        self.triples = Triples(triple for file in files for triple in file.triples)
        self.facts = ShapeFacts()

    def values(self, shape: Term, predicate: str, depth: int = 0) -> set[str]:
        """IRIs that a shape asks for with `predicate`; a list of alternatives counts as all of them."""
        found = set(self.triples.iris(shape, SH + predicate))
        if depth < _DEEPEST:
            for list_ in ("or", "xone", "and"):
                for head in self.triples.objects(shape, SH + list_):
                    for member in self.triples.members(head):
                        found |= self.values(member, predicate, depth + 1)
            for node in self.triples.objects(shape, SH + "node"):
                found |= self.values(node, predicate, depth + 1)
        return found

    def targets(self, shape: Term, depth: int = 0) -> tuple[set[str], set[str], set[str]]:
        """(classes, properties whose subjects, properties whose objects) that a shape or its hosts apply to."""
        classes = set(self.triples.iris(shape, SH + "targetClass"))
        subjects = set(self.triples.iris(shape, SH + "targetSubjectsOf"))
        objects = set(self.triples.iris(shape, SH + "targetObjectsOf"))
        if isinstance(shape, ox.NamedNode) and {OWL + "Class", RDFS + "Class"} & set(
            self.triples.iris(shape, RDF + "type")
        ):
            classes.add(shape.value)  # an implicit class target
        if depth < _DEEPEST:
            for host in self.hosts(shape):
                above = self.targets(host, depth + 1)
                classes, subjects, objects = classes | above[0], subjects | above[1], objects | above[2]
        return classes, subjects, objects

    def hosts(self, shape: Term) -> list[Term]:
        """The shapes that this one is a part of: as property shape, by `sh:node`, or as an alternative in a list."""
        found: list[Term] = [*self.triples.subjects(SH + "property", shape), *self.triples.subjects(SH + "node", shape)]
        for cell in self.triples.subjects(RDF + "first", shape):
            head: Term = cell
            while before := self.triples.subjects(RDF + "rest", head):
                head = before[0]
                if head == cell:
                    break
            for list_ in ("or", "xone", "and"):
                found.extend(self.triples.subjects(SH + list_, head))
        return found

    def forbids(self, shape: Term) -> bool:
        """Whether a property shape allows no value at all."""
        limits = self.triples.objects(shape, SH + "maxCount")
        return any(isinstance(limit, ox.Literal) and limit.value.lstrip("+0") == "" for limit in limits)

    def collect(self) -> None:
        facts = self.facts
        for shape in self.triples.subjects(SH + "path"):
            classes, subjects, objects = self.targets(shape)
            asked = self.values(shape, "class")
            for path in self.triples.objects(shape, SH + "path"):
                if isinstance(path, ox.NamedNode):
                    self.direct_path(shape, path.value, asked, classes, subjects)
                for inverse in self.triples.iris(path, SH + "inversePath"):
                    facts.inverse_path.add(inverse)
                    facts.pairs[inverse] |= {(a, c) for a in asked for c in classes}
                    if inverse in objects or not classes:
                        facts.domains[inverse] |= asked
        for predicate, ends in (("targetSubjectsOf", facts.domains), ("targetObjectsOf", facts.ranges)):
            for shape in self.triples.subjects(SH + predicate):
                for prop in self.triples.iris(shape, SH + predicate):
                    facts.targeted.add(prop)
                    if not self.triples.objects(shape, SH + "path"):
                        ends[prop] |= self.values(shape, "class")
        self.name_terms()

    def direct_path(self, shape: Term, path: str, asked: set[str], classes: set[str], subjects: set[str]) -> None:
        facts = self.facts
        facts.on_path.add(path)
        if not self.forbids(shape):
            facts.hosts[path] |= classes
        facts.pairs[path] |= {(c, a) for c in classes for a in asked}
        if path in subjects or not classes:
            facts.ranges[path] |= asked
        datatypes = self.values(shape, "datatype")
        facts.datatypes[path] |= datatypes
        if datatypes or SH + "Literal" in self.values(shape, "nodeKind"):
            facts.literal.add(path)

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
                    self.facts.named.setdefault(triple.object.value, file.place_of(triple.object.value))


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
    kinds = " or ".join(humanised(name) for name in names) or "thing with an IRI"
    article = "an" if kinds[0] in "aeiou" else "a"
    message = f"The {what} of '{label}' must be {article} {kinds}."
    rows: list[ox.Triple] = [
        ox.Triple(shape, ox.NamedNode(RDF + "type"), ox.NamedNode(SH + "NodeShape")),
        ox.Triple(shape, ox.NamedNode(SH + target), ox.NamedNode(iri)),
        ox.Triple(shape, ox.NamedNode(SH + "nodeKind"), ox.NamedNode(SH + "IRI")),
        ox.Triple(shape, ox.NamedNode(SH + "severity"), ox.NamedNode(SH + "Violation")),
        ox.Triple(shape, ox.NamedNode(SH + "message"), ox.Literal(message)),
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
