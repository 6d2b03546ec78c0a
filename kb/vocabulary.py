"""The ontology and its shapes as the vocabulary that everything else is derived from.

A *type* is a class, a *relation* an object property with its inverse, an *attribute* a datatype property. Each is known
by the snake_case of its local name. Nothing here knows which classes or relations there are.

Which types a relation joins comes from the shapes; where they are silent, from `schema:domainIncludes` /
`rangeIncludes`, then from `rdfs:domain` / `range`. These signatures steer reading, planning and messages. They never
decide what is a fact: SHACL does.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox

from kb._advice import no_domain, no_inverse, no_object_range, no_phrases, no_shape, no_value_range
from kb._ontology import Ontology
from kb._rdf import RdfFile, canonical, rdf_files, read_rdf
from kb._shape_checks import check_shape_values, ill_typed, unknown_terms
from kb._shapes import derived_shapes, shape_facts
from kb.errors import OntologyError
from kb.names import local_name, namespace, snake_case
from kb.namespaces import KB, PREFIXES, RDFS, SCHEMA, SKOS, XSD

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
        names = {one.iri: one.name for one in self.classes.values()}
        names.update({one.iri: one.name for one in self.relations.values()})
        names.update({one.iri: one.name for one in self.attributes.values()})
        names.update({r.inverse.iri: name for name, r in self._inverses.items() if r.inverse is not None})
        return names

    def name_of(self, iri: str) -> str | None:
        """The name of a class, relation, inverse or attribute by its IRI."""
        return self._names.get(iri)


def load_vocabulary(ontology: Sequence[Path], shapes: Sequence[Path]) -> Vocabulary:
    """Reads ontology and shapes from files or folders in any RDF syntax that Oxigraph reads.

    Raises OntologyError naming file and line for one that does not parse, for shapes that name terms the ontology
    lacks, and for two terms that would share a name.
    """
    ontology_files = [read_rdf(path) for path in rdf_files(ontology, "ontology")]
    shape_files = [read_rdf(path) for path in rdf_files(shapes, "shapes")]
    return _Loader(ontology_files, shape_files).load()


class _Loader:
    def __init__(self, ontology: list[RdfFile], shapes: list[RdfFile]) -> None:
        self.ontology, self.shape_files = Ontology(ontology), shapes
        self.facts = shape_facts(shapes)
        self.class_iris = self.with_own_names(self.ontology.class_iris())
        objects, data = self.ontology.property_iris(self.facts)
        named = self.with_own_names([*objects, *data])
        self.object_iris, self.data_iris = [i for i in objects if i in named], [i for i in data if i in named]
        self.class_names = {iri: snake_case(iri) for iri in self.class_iris}

    def load(self) -> Vocabulary:
        self.check_shape_terms()
        check_shape_values(self.shape_files)
        self.ontology.advice += ill_typed([*self.ontology.files, *self.shape_files]) + unknown_terms(self.shape_files)
        classes = {c.name: c for c in map(self.class_, self.class_iris)}
        relations = {r.name: r for r in self.relations()}
        attributes = {a.name: a for a in map(self.attribute, self.data_iris)}
        self.ontology.advise_on_imports()
        if not classes or not relations:
            missing = "classes" if not classes else "relations"
            self.ontology.advice.append(f"the ontology declares no {missing}; add them as owl:{_KINDS[missing]}")
        shapes = [triple for file in self.shape_files for triple in file.triples]
        iris = {name: iri for iri, name in self.class_names.items()}
        for relation in relations.values():
            if not relation.shaped:
                shapes.extend(derived_shapes(relation.iri, relation.label, relation.signatures, iris))
        # Blank nodes of the two get different labels, so that both can be loaded side by side.
        stated = canonical((t for file in self.ontology.files for t in file.triples), "o-")
        checked = canonical(shapes, "s-")
        return Vocabulary(
            classes=classes,
            relations=relations,
            attributes=attributes,
            ontology=stated,
            shapes=checked,
            digest=_digest(stated, checked),
            advice=tuple(dict.fromkeys(self.ontology.advice)),
        )

    # -- terms ------------------------------------------------------------

    def class_(self, iri: str) -> Class:
        label = self.ontology.label(iri, "class")
        parents = self.ontology.triples.iris(iri, RDFS + "subClassOf")
        return Class(
            name=self.class_names[iri],
            iri=iri,
            label=label,
            phrases=self.ontology.phrases(iri, label),
            definition=self.ontology.first(iri, SKOS + "definition", RDFS + "comment"),
            example=self.ontology.first(iri, SKOS + "example"),
            parents=tuple(self.class_names[p] for p in parents if p in self.class_names and p != iri),
        )

    def relations(self) -> Iterable[Relation]:
        for iri, other in sorted(self.ontology.inverse_pairs(self.object_iris, self.facts).items()):
            label = self.ontology.label(iri, "relation")
            symmetric = self.ontology.symmetric(iri)
            shaped = self.facts.constrains(iri) or (other is not None and self.facts.constrains(other))
            if not shaped:
                documented = sorted(self.ontology.documented(iri, other, "range") & self.class_names.keys())
                self.ontology.advice.append(no_shape(iri, label, documented[0] if len(documented) == 1 else None))
            inverse, signatures = self.inverse(iri, other, symmetric=symmetric), self.signatures(iri, other)
            phrases = self.ontology.phrases(iri, label)
            self.advise_on_ends(iri, signatures)
            if len(phrases) == 1 and inverse is None and not symmetric:
                self.ontology.advice.append(no_phrases(iri))
            yield Relation(
                name=snake_case(iri),
                iri=iri,
                label=label,
                phrases=phrases,
                definition=self.ontology.first(iri, SKOS + "definition", RDFS + "comment"),
                example=self.ontology.first(iri, SKOS + "example"),
                inverse=inverse,
                signatures=signatures,
                transitive=self.ontology.transitive(iri) or (other is not None and self.ontology.transitive(other)),
                symmetric=symmetric,
                shaped=shaped,
            )

    def inverse(self, iri: str, other: str | None, *, symmetric: bool) -> Inverse | None:
        if other is not None:
            label = self.ontology.label(other, "relation")
            return Inverse(snake_case(other), other, label, self.ontology.phrases(other, label))
        if not symmetric:
            self.ontology.advice.append(no_inverse(iri))
        return None

    def advise_on_ends(self, iri: str, signatures: Sequence[tuple[str | None, str | None]]) -> None:
        """Says so where neither shapes nor ontology tell what a relation joins."""
        if any(subject is None for subject, _ in signatures):
            self.ontology.advice.append(no_domain("relation", iri, self.class_iris))
        if any(object_ is None for _, object_ in signatures):
            self.ontology.advice.append(no_object_range(iri, self.class_iris))

    def signatures(self, iri: str, inverse: str | None) -> tuple[tuple[str | None, str | None], ...]:
        facts, known = self.facts, self.class_names.keys()
        pairs = set(facts.pairs.get(iri, ()))
        domains, ranges = set(facts.domains.get(iri, ())), set(facts.ranges.get(iri, ()))
        if inverse is not None:
            pairs |= {(s, o) for o, s in facts.pairs.get(inverse, ())}
            domains |= facts.ranges.get(inverse, set())
            ranges |= facts.domains.get(inverse, set())
        pairs = {(s, o) for s, o in pairs if s in known and o in known}
        domains, ranges = domains & known, ranges & known
        if pairs:
            # What a shape says about one class does not say that others may not: those that may be subjects stay.
            domains = {d for d in domains if not any(self.related(d, s) for s, _ in pairs)}
        else:
            domains = domains or (self.ontology.documented(iri, inverse, "domain") & known)
            domains = domains or (facts.hosts.get(iri, set()) & known)
            ranges = ranges or (self.ontology.documented(iri, inverse, "range") & known)
        found: set[tuple[str | None, str | None]] = set(pairs)
        if not pairs or domains:
            ends_s: list[str | None] = [*domains] or [None]
            ends_o: list[str | None] = [*ranges] or [None]
            found |= {(s, o) for s in ends_s for o in ends_o}
        named = {(s and self.class_names[s], o and self.class_names[o]) for s, o in found}
        return tuple(sorted(named, key=lambda pair: (pair[0] or "", pair[1] or "")))

    def related(self, one: str, other: str) -> bool:
        """Whether one class is the other or above or below it."""
        return one in self.above(other) or other in self.above(one)

    def above(self, iri: str) -> set[str]:
        return self.ontology.triples.closure(iri, RDFS + "subClassOf")

    def attribute(self, iri: str) -> Attribute:
        label = self.ontology.label(iri, "attribute")
        name = snake_case(iri)
        if name in _RESERVED:
            self.ontology.advice.append(
                f"attribute <{iri}> is called {name!r}, which catalogues and plans use for something else; rename it, "
                "or it can be neither given nor asked for"
            )
        documented = self.ontology.triples.iris(iri, SCHEMA + "rangeIncludes", RDFS + "range")
        ranges = [_SCHEMA_DATATYPES.get(one, one) for one in documented]
        datatypes = [*sorted(self.facts.datatypes.get(iri, ())), *(one for one in ranges if one.startswith(XSD))]
        domains = (
            self.ontology.documented(iri, None, "domain")
            or self.facts.domains.get(iri, set())
            or self.facts.hosts.get(iri, set())
        )
        if not datatypes and not documented:
            self.ontology.advice.append(no_value_range(iri))
        if not domains:
            self.ontology.advice.append(no_domain("attribute", iri, self.class_iris))
        return Attribute(
            name=name,
            iri=iri,
            label=label,
            phrases=self.ontology.phrases(iri, label),
            phrases_false=tuple(self.ontology.texts(iri, KB + "labelWhenFalse")),
            definition=self.ontology.first(iri, SKOS + "definition", RDFS + "comment"),
            example=self.ontology.first(iri, SKOS + "example"),
            datatype=datatypes[0] if datatypes else XSD + "string",
            domains=tuple(sorted(self.class_names[d] for d in domains if d in self.class_names)),
        )

    # -- checks -----------------------------------------------------------

    def with_own_names(self, iris: Sequence[str]) -> list[str]:
        """The terms that have a name of their own; relations, inverses and attributes share one set of names.

        Ontologies often declare the term of a well-known vocabulary that theirs extends, under the same name: theirs
        keeps it. Any other clash is an error.
        """
        seen: dict[str, str] = {}
        for iri in sorted(iris, key=lambda iri: (iri.startswith(_WELL_KNOWN), iri)):
            name = snake_case(iri)
            if not name:
                raise OntologyError(f"<{iri}> has no local name to call it by; give it one after '#' or '/'")
            other = seen.setdefault(name, iri)
            if other != iri and iri.startswith(_WELL_KNOWN) and not other.startswith(_WELL_KNOWN):
                self.ontology.advice.append(f"<{iri}> is left out, because <{other}> has its name {name!r}")
            elif other != iri:
                raise OntologyError(f"<{other}> and <{iri}> are both called {name!r}; rename one")
        return sorted(seen.values())

    def check_shape_terms(self) -> None:
        """Shapes that name a term in one of the ontology's namespaces which the ontology does not declare.

        Terms of well-known vocabularies need no declaration: ontologies often declare only the few they extend.
        """
        declared = self.ontology.declared()
        spaces = {namespace(iri) for iri in (*self.class_iris, *self.object_iris, *self.data_iris)}
        spaces -= set(_WELL_KNOWN)
        unknown = [
            f"  {place}: <{iri}> is not declared in the ontology{_meant(iri, declared)}"
            for iri, place in sorted(self.facts.named.items())
            if iri not in declared and namespace(iri) in spaces
        ]
        if unknown:
            raise OntologyError(
                "the shapes name terms that the ontology lacks (a typing mistake, or a missing declaration):\n"
                + "\n".join(unknown)
            )


_WELL_KNOWN = tuple(space for space in PREFIXES.values() if space != KB)
_KINDS = {"classes": "Class", "relations": "ObjectProperty"}
_RESERVED = frozenset(("id", "type", "name", "aliases", "description"))
_SCHEMA_DATATYPES = {
    SCHEMA + "Boolean": XSD + "boolean",
    SCHEMA + "Integer": XSD + "integer",
    SCHEMA + "Number": XSD + "decimal",
    SCHEMA + "Float": XSD + "double",
    SCHEMA + "Date": XSD + "date",
    SCHEMA + "DateTime": XSD + "dateTime",
}


def _meant(iri: str, declared: Iterable[str]) -> str:
    names = [local_name(other) for other in declared if namespace(other) == namespace(iri)]
    close = difflib.get_close_matches(local_name(iri), sorted(names), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _digest(*parts: Iterable[ox.Triple]) -> str:
    """SHA-256 over canonical triples."""
    hasher = hashlib.sha256()
    for part in parts:
        for triple in part:
            hasher.update(str(triple).encode() + b"\n")
        hasher.update(b"\x00")
    return hasher.hexdigest()
