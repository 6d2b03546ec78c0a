"""The ontology and its shapes as the vocabulary that everything else is derived from.

A *type* is a class, a *relation* an object property with its inverse, an *attribute* a datatype property. Each is known
by the snake_case of its local name. Nothing here knows which classes or relations there are.

Which types a relation joins comes from the shapes; where they are silent, from `schema:domainIncludes` /
`rangeIncludes`, then from `rdfs:domain` / `range`. These signatures steer reading, planning and messages. They never
decide what is a fact: SHACL does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox

from kb._rdf import RdfFile, read_rdf, rdf_files
from kb._shapes import ShapeFacts, derived_shapes, shape_facts
from kb.errors import OntologyError
from kb.names import humanised, snake_case
from kb.namespaces import KB, OWL, PREFIXES, RDF, RDFS, SCHEMA, SKOS, XSD

__all__ = ["Attribute", "Class", "Inverse", "Relation", "Vocabulary", "load_vocabulary"]


@dataclass(frozen=True, slots=True)
class Class:
    """A type of thing. `parents` are the names of its direct superclasses; `phrases` are all its labels."""

    name: str
    iri: str
    label: str
    phrases: tuple[str, ...]
    definition: str | None
    example: str | None
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inverse:
    """The other direction of a relation: what `~relation` is called."""

    name: str
    iri: str
    label: str
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two things, in the direction in which it is stored.

    `signatures` are pairs (subject type, object type), subclasses not spelled out; None stands for any type. `phrases`
    read from subject to object, `inverse.phrases` from object to subject. `shaped` says whether a shape of the user's
    constrains it.
    """

    name: str
    iri: str
    label: str
    phrases: tuple[str, ...]
    definition: str | None
    example: str | None
    inverse: Inverse | None
    signatures: tuple[tuple[str | None, str | None], ...]
    transitive: bool = False
    symmetric: bool = False
    shaped: bool = True


@dataclass(frozen=True, slots=True)
class Attribute:
    """A literal that a thing has. `phrases_false` say that a boolean one does not hold."""

    name: str
    iri: str
    label: str
    phrases: tuple[str, ...]
    phrases_false: tuple[str, ...]
    definition: str | None
    example: str | None
    datatype: str
    domains: tuple[str, ...]

    @property
    def boolean(self) -> bool:
        """Whether its values are true and false."""
        return self.datatype == XSD + "boolean"


@dataclass(frozen=True)
class Vocabulary:
    """What an ontology and its shapes say. Made by `load_vocabulary`.

    `ontology` and `shapes` are the triples themselves, for the gate and for exports; `digest` identifies both.
    `advice` are sentences about what is missing, each with the line to add.
    """

    classes: dict[str, Class]
    relations: dict[str, Relation]
    attributes: dict[str, Attribute]
    ontology: tuple[ox.Triple, ...] = field(repr=False)
    shapes: tuple[ox.Triple, ...] = field(repr=False)
    digest: str
    advice: tuple[str, ...] = ()

    @cached_property
    def _inverses(self) -> dict[str, Relation]:
        return {r.inverse.name: r for r in self.relations.values() if r.inverse is not None}

    @cached_property
    def _descendants(self) -> dict[str, frozenset[str]]:
        below: dict[str, set[str]] = {name: {name} for name in self.classes}
        for name in self.classes:
            for ancestor in self.ancestors(name):
                below[ancestor].add(name)
        return {name: frozenset(found) for name, found in below.items()}

    def ancestors(self, type_name: str) -> frozenset[str]:
        """A type and all its superclasses."""
        found: set[str] = set()
        todo = [type_name]
        while todo:
            name = todo.pop()
            if name not in found and name in self.classes:
                found.add(name)
                todo.extend(self.classes[name].parents)
        return frozenset(found)

    def descendants(self, type_name: str) -> frozenset[str]:
        """A type and all its subclasses."""
        return self._descendants.get(type_name, frozenset())

    def relation(self, name: str) -> tuple[Relation, bool] | None:
        """The relation of this name, and whether the name reads backwards (is the inverse's); None if there is none."""
        if name in self.relations:
            return self.relations[name], False
        if name in self._inverses:
            return self._inverses[name], True
        return None

    def fits(self, relation: Relation, subject_type: str, object_type: str) -> bool:
        """Whether the shapes could accept `relation` between two things of these types. A hint, not the gate."""
        above_s, above_o = self.ancestors(subject_type), self.ancestors(object_type)
        return any((s is None or s in above_s) and (o is None or o in above_o) for s, o in relation.signatures)

    @cached_property
    def _names(self) -> dict[str, str]:
        names = {t.iri: t.name for t in (*self.classes.values(), *self.relations.values(), *self.attributes.values())}
        names.update({r.inverse.iri: name for name, r in self._inverses.items() if r.inverse is not None})
        return names

    def name_of(self, iri: str) -> str | None:
        """The name of a class, relation, inverse or attribute by its IRI."""
        return self._names.get(iri)


def load_vocabulary(ontology: Sequence[Path], shapes: Sequence[Path]) -> Vocabulary:
    """Reads ontology and shapes from files or folders in any RDF syntax that Oxigraph reads.

    Raises OntologyError naming file and line for one that does not parse, for shapes that name terms the ontology lacks,
    and for two terms that would share a name.
    """
    ontology_files = [read_rdf(path) for path in rdf_files(ontology, "ontology")]
    shape_files = [read_rdf(path) for path in rdf_files(shapes, "shapes")]
    return _Loader(ontology_files, shape_files).load()


class _Loader:
    def __init__(self, ontology: list[RdfFile], shapes: list[RdfFile]) -> None:
        self.ontology_files, self.shape_files = ontology, shapes
        self.store = ox.Store()
        self.store.extend(ox.Quad(*triple) for file in ontology for triple in file.triples)
        self.advice: list[str] = []

    # -- small readers over the ontology ----------------------------------

    def objects(self, subject: str, predicate: str) -> list[ox.NamedNode | ox.BlankNode | ox.Literal]:
        quads = self.store.quads_for_pattern(ox.NamedNode(subject), ox.NamedNode(predicate), None)
        return sorted((q.object for q in quads if not isinstance(q.object, ox.Triple)), key=str)

    def iris(self, subject: str, *predicates: str) -> list[str]:
        return [o.value for p in predicates for o in self.objects(subject, p) if isinstance(o, ox.NamedNode)]

    def typed(self, *classes: str) -> list[str]:
        found = {
            quad.subject.value
            for name in classes
            for quad in self.store.quads_for_pattern(None, ox.NamedNode(RDF + "type"), ox.NamedNode(name))
            if isinstance(quad.subject, ox.NamedNode)
        }
        return sorted(found)

    def texts(self, subject: str, *predicates: str) -> list[str]:
        """English or untagged texts; all languages where there are none of these."""
        found = [o for p in predicates for o in self.objects(subject, p) if isinstance(o, ox.Literal)]
        english = [o for o in found if not o.language or o.language.lower().split("-")[0] == "en"]
        return list(dict.fromkeys(o.value.strip() for o in english or found if o.value.strip()))

    def label(self, iri: str, what: str) -> str:
        labels = self.texts(iri, SKOS + "prefLabel", RDFS + "label")
        if labels:
            return labels[0]
        guess = humanised(snake_case(iri))
        self.advice.append(f'{what} <{iri}> has no label; add: <{iri}> rdfs:label "{guess}"@en .')
        return guess

    def phrases(self, iri: str, label: str) -> tuple[str, ...]:
        extra = self.texts(iri, SKOS + "prefLabel", RDFS + "label", SKOS + "altLabel", SKOS + "hiddenLabel")
        return tuple(dict.fromkeys([label, *extra]))

    def first(self, iri: str, *predicates: str) -> str | None:
        texts = self.texts(iri, *predicates)
        return texts[0] if texts else None

    # -- terms ------------------------------------------------------------

    def load(self) -> Vocabulary:
        class_iris = [iri for iri in self.typed(OWL + "Class", RDFS + "Class") if not _builtin(iri)]
        object_iris, data_iris = self.properties(set(class_iris))
        facts = shape_facts(self.shape_files)
        self.check_shape_terms(facts, {*class_iris, *object_iris, *data_iris})
        classes = {c.name: c for c in map(self.class_, class_iris)}
        self.classes_by_iri = {c.iri: c.name for c in classes.values()}
        relations = {r.name: r for r in self.relations(object_iris, facts)}
        attributes = {a.name: a for a in (self.attribute(iri, facts) for iri in data_iris)}
        self.check_names(class_iris, object_iris, data_iris)
        triples = tuple(t for file in self.ontology_files for t in file.triples)
        shapes = [t for file in self.shape_files for t in file.triples]
        by_name = {c.name: c.iri for c in classes.values()}
        for relation in relations.values():
            if not relation.shaped:
                shapes.extend(derived_shapes(relation.iri, relation.label, relation.signatures, by_name))
        return Vocabulary(
            classes=classes,
            relations=relations,
            attributes=attributes,
            ontology=triples,
            shapes=tuple(shapes),
            digest=_digest(triples, shapes),
            advice=tuple(self.advice),
        )

    def properties(self, classes: set[str]) -> tuple[list[str], list[str]]:
        """IRIs of object properties and of datatype properties; a plain rdf:Property goes by its range."""
        objects = set(self.typed(OWL + "ObjectProperty", OWL + "TransitiveProperty", OWL + "SymmetricProperty"))
        data = set(self.typed(OWL + "DatatypeProperty"))
        annotations = set(self.typed(OWL + "AnnotationProperty"))
        for iri in self.typed(RDF + "Property"):
            if iri in objects or iri in data or iri in annotations:
                continue
            ranges = set(self.iris(iri, RDFS + "range", SCHEMA + "rangeIncludes"))
            literal = any(one.startswith(XSD) or one == RDFS + "Literal" for one in ranges)
            (data if literal else objects).add(iri)
        return sorted(i for i in objects - data if not _builtin(i)), sorted(i for i in data if not _builtin(i))

    def class_(self, iri: str) -> Class:
        label = self.label(iri, "class")
        return Class(
            name=snake_case(iri),
            iri=iri,
            label=label,
            phrases=self.phrases(iri, label),
            definition=self.first(iri, SKOS + "definition", RDFS + "comment"),
            example=self.first(iri, SKOS + "example"),
            parents=tuple(snake_case(p) for p in self.iris(iri, RDFS + "subClassOf") if p in self._class_iris),
        )

    @cached_property
    def _class_iris(self) -> frozenset[str]:
        return frozenset(i for i in self.typed(OWL + "Class", RDFS + "Class") if not _builtin(i))

    def inverse_pairs(self, iris: Sequence[str], facts: ShapeFacts) -> dict[str, str | None]:
        """Stored property -> its inverse or None.

        Of a pair, the stored one is the one that shapes constrain; else the one that `owl:inverseOf` points at.
        """
        known = set(iris)
        pairs: dict[frozenset[str], str] = {}
        for iri in iris:
            for other in self.iris(iri, OWL + "inverseOf"):
                if other in known and other != iri:
                    pairs.setdefault(frozenset((iri, other)), other)
        partner: dict[str, str | None] = {}
        taken: set[str] = set()
        for pair, pointed_at in sorted(pairs.items(), key=lambda item: sorted(item[0])):
            a, b = sorted(pair)
            if a in taken or b in taken:
                self.advice.append(f"<{a}> or <{b}> has more than one owl:inverseOf; keep one")
                continue
            shaped = [p for p in (a, b) if facts.direct(p)]
            stored = shaped[0] if len(shaped) == 1 else pointed_at
            taken.update(pair)
            partner[stored] = b if stored == a else a
        partner.update({iri: None for iri in iris if iri not in taken})
        return partner

    def relations(self, iris: Sequence[str], facts: ShapeFacts) -> Iterable[Relation]:
        transitive, symmetric = set(self.typed(OWL + "TransitiveProperty")), set(self.typed(OWL + "SymmetricProperty"))
        for iri, other in sorted(self.inverse_pairs(iris, facts).items()):
            label = self.label(iri, "relation")
            inverse = None
            if other is not None:
                other_label = self.label(other, "relation")
                inverse = Inverse(snake_case(other), other, other_label, self.phrases(other, other_label))
            elif iri not in symmetric:
                self.advice.append(
                    f"relation <{iri}> has no inverse, so questions can ask for it in one direction's words only; "
                    f"add a property with: owl:inverseOf <{iri}>"
                )
            shaped = facts.constrains(iri) or (other is not None and facts.constrains(other))
            if not shaped:
                self.advice.append(
                    f"relation <{iri}> has no shape; its statements are checked against the types that the ontology "
                    f"documents for it. Add a shape with: sh:targetSubjectsOf <{iri}>"
                )
            yield Relation(
                name=snake_case(iri),
                iri=iri,
                label=label,
                phrases=self.phrases(iri, label),
                definition=self.first(iri, SKOS + "definition", RDFS + "comment"),
                example=self.first(iri, SKOS + "example"),
                inverse=inverse,
                signatures=self.signatures(iri, other, facts),
                transitive=iri in transitive or other in transitive,
                symmetric=iri in symmetric,
                shaped=shaped,
            )

    def signatures(self, iri: str, inverse: str | None, facts: ShapeFacts) -> tuple[tuple[str | None, str | None], ...]:
        pairs = set(facts.pairs.get(iri, ()))
        domains, ranges = set(facts.domains.get(iri, ())), set(facts.ranges.get(iri, ()))
        if inverse is not None:
            pairs |= {(s, o) for o, s in facts.pairs.get(inverse, ())}
            domains |= facts.ranges.get(inverse, set())
            ranges |= facts.domains.get(inverse, set())
        pairs = {(s, o) for s, o in pairs if s in self.classes_by_iri and o in self.classes_by_iri}
        domains, ranges = domains & set(self.classes_by_iri), ranges & set(self.classes_by_iri)
        if not pairs:
            domains = domains or self.documented(iri, inverse, "domain") or facts.hosts.get(iri, set())
            ranges = ranges or self.documented(iri, inverse, "range")
            ends_s: list[str | None] = [*sorted(domains & set(self.classes_by_iri))] or [None]
            ends_o: list[str | None] = [*sorted(ranges & set(self.classes_by_iri))] or [None]
            found = {(s, o) for s in ends_s for o in ends_o}
        else:
            found = {(s, o) for s, o in pairs}
        named = {(s and self.classes_by_iri[s], o and self.classes_by_iri[o]) for s, o in found}
        return tuple(sorted(named, key=lambda pair: (pair[0] or "", pair[1] or "")))

    def documented(self, iri: str, inverse: str | None, end: str) -> set[str]:
        other = "range" if end == "domain" else "domain"
        for mine, theirs in (
            (SCHEMA + end + "Includes", SCHEMA + other + "Includes"),
            (RDFS + end, RDFS + other),
        ):
            found = set(self.class_union(iri, mine))
            if not found and inverse is not None:
                found = set(self.class_union(inverse, theirs))
            if found:
                return found
        return set()

    def class_union(self, iri: str, predicate: str) -> list[str]:
        """Named classes that a domain or range names, directly or through owl:unionOf."""
        found: list[str] = []
        for value in self.objects(iri, predicate):
            if isinstance(value, ox.NamedNode):
                found.append(value.value)
            elif isinstance(value, ox.BlankNode):
                for quad in self.store.quads_for_pattern(value, ox.NamedNode(OWL + "unionOf"), None):
                    found.extend(self.members(quad.object))
        return found

    def members(self, head: object) -> list[str]:
        found: list[str] = []
        seen: set[str] = set()
        while isinstance(head, (ox.BlankNode, ox.NamedNode)) and str(head) not in seen:
            seen.add(str(head))
            for quad in self.store.quads_for_pattern(head, ox.NamedNode(RDF + "first"), None):
                if isinstance(quad.object, ox.NamedNode):
                    found.append(quad.object.value)
            rest = [q.object for q in self.store.quads_for_pattern(head, ox.NamedNode(RDF + "rest"), None)]
            head = rest[0] if rest else None
        return found

    def attribute(self, iri: str, facts: ShapeFacts) -> Attribute:
        label = self.label(iri, "attribute")
        ranges = [r for r in self.iris(iri, SCHEMA + "rangeIncludes", RDFS + "range") if r.startswith(XSD)]
        datatype = next(iter(sorted(facts.datatypes.get(iri, ()))), None) or (ranges[0] if ranges else XSD + "string")
        domains = self.documented(iri, None, "domain") or facts.hosts.get(iri, set())
        return Attribute(
            name=snake_case(iri),
            iri=iri,
            label=label,
            phrases=self.phrases(iri, label),
            phrases_false=tuple(self.texts(iri, KB + "labelWhenFalse")),
            definition=self.first(iri, SKOS + "definition", RDFS + "comment"),
            example=self.first(iri, SKOS + "example"),
            datatype=datatype,
            domains=tuple(sorted(self.classes_by_iri[d] for d in domains if d in self.classes_by_iri)),
        )

    # -- checks -----------------------------------------------------------

    def check_names(self, *groups: Sequence[str]) -> None:
        for group in groups:
            seen: dict[str, str] = {}
            for iri in group:
                other = seen.setdefault(snake_case(iri), iri)
                if other != iri:
                    raise OntologyError(f"<{other}> and <{iri}> are both called {snake_case(iri)!r}; rename one")

    def check_shape_terms(self, facts: ShapeFacts, declared: set[str]) -> None:
        """Shapes that name a term in one of the ontology's namespaces which the ontology does not declare."""
        spaces = {_namespace(iri) for iri in declared}
        unknown = [
            f"  {place}: <{iri}> is not declared in the ontology"
            for iri, place in sorted(facts.named.items())
            if iri not in declared and _namespace(iri) in spaces
        ]
        if unknown:
            raise OntologyError(
                "the shapes name terms that the ontology lacks (a typing mistake, or a missing declaration):\n"
                + "\n".join(unknown)
            )


_BUILTIN = tuple(PREFIXES[p] for p in ("rdf", "rdfs", "owl", "xsd", "sh"))


def _builtin(iri: str) -> bool:
    return iri.startswith(_BUILTIN)


def _namespace(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]


def _digest(*parts: Iterable[ox.Triple]) -> str:
    """SHA-256 over the sorted triples. Blank nodes count by their label, which Oxigraph draws anew at every parse, so
    they are left out of the text and only their number counts."""
    hasher = hashlib.sha256()
    for part in parts:
        for line in sorted(
            " ".join("_:" if isinstance(t, ox.BlankNode) else str(t) for t in triple) for triple in part
        ):
            hasher.update(line.encode() + b"\n")
        hasher.update(b"\x00")
    return hasher.hexdigest()
