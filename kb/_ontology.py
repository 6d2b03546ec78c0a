"""What an ontology's triples say about its terms: which are classes and properties, their words, which are inverses.

Reads OWL and RDFS as people write them, declared tersely or in full, with labels in any language.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox

from kb._advice import no_label
from kb._rdf import RdfFile, Triples
from kb._shapes import ShapeFacts
from kb.names import humanised, snake_case
from kb.namespaces import KB, OWL, PREFIXES, RDF, RDFS, SCHEMA, SKOS, XSD

__all__ = ["Ontology"]

_BUILTIN = tuple(PREFIXES[prefix] for prefix in ("rdf", "rdfs", "owl", "xsd", "sh"))
_CORE = KB.removesuffix("#") + "/core"
_OBJECT_PROPERTY_TYPES = tuple(
    OWL + name
    for name in (
        "ObjectProperty",
        "TransitiveProperty",
        "SymmetricProperty",
        "AsymmetricProperty",
        "ReflexiveProperty",
        "IrreflexiveProperty",
        "InverseFunctionalProperty",
    )
)
_LITERALS = frozenset(
    [RDFS + "Literal", RDF + "langString"]
    + [SCHEMA + name for name in ("Text", "Boolean", "Number", "Integer", "Float", "Date", "DateTime", "Time", "URL")]
)


class Ontology:
    """Parsed ontology files. `advice` collects sentences about what is missing, each with the line to add."""

    def __init__(self, files: Sequence[RdfFile]) -> None:
        self.files = files
        self.triples = Triples(triple for file in files for triple in file.triples)
        self.advice: list[str] = []
        records = set(self.triples.named(RDFS + "isDefinedBy", _CORE))
        self._left_out = records | set(self.triples.typed(OWL + "AnnotationProperty"))

    def declared(self) -> set[str]:
        """Every IRI that has a type, or is said to be below another term."""
        return {
            iri
            for predicate in (RDF + "type", RDFS + "subClassOf", RDFS + "subPropertyOf")
            for iri in self.triples.named(predicate)
        }

    def _terms(self, iris: set[str]) -> list[str]:
        """Without what belongs to RDF itself, and without the pages and records of `kb`'s own core module."""
        return sorted(iri for iri in iris if not iri.startswith(_BUILTIN) and iri not in self._left_out)

    def class_iris(self) -> list[str]:
        """Classes, declared or only placed below another."""
        typed = self.triples.typed(OWL + "Class", RDFS + "Class")
        return self._terms({*typed, *self.triples.named(RDFS + "subClassOf")})

    def property_iris(self, facts: ShapeFacts) -> tuple[list[str], list[str]]:
        """IRIs of object properties and of datatype properties.

        A plain rdf:Property goes by its documented range, then by what its shapes ask of its values; one without a type
        by the properties that it is placed below.
        """
        data = set(self.triples.typed(OWL + "DatatypeProperty"))
        objects = set(self.triples.typed(*_OBJECT_PROPERTY_TYPES)) - data
        objects |= set(self.triples.named(OWL + "inverseOf"))
        for iri in self.triples.typed(RDF + "Property", OWL + "FunctionalProperty"):
            if iri in objects or iri in data:
                continue
            ranges = set(self.triples.iris(iri, RDFS + "range", SCHEMA + "rangeIncludes"))
            literal = any(one.startswith(XSD) or one in _LITERALS for one in ranges)
            (data if literal or (not ranges and iri in facts.literal) else objects).add(iri)
        below = [iri for iri in self.triples.named(RDFS + "subPropertyOf") if iri not in objects | data]
        for iri in below:
            above = self.triples.closure(iri, RDFS + "subPropertyOf")
            if above & data:
                data.add(iri)
            elif above & objects:
                objects.add(iri)
        return self._terms(objects), self._terms(data)

    # -- words ------------------------------------------------------------

    def texts(self, subject: str, *predicates: str) -> list[str]:
        """English or untagged texts; all languages where there are none of these."""
        found = [o for p in predicates for o in self.triples.objects(subject, p) if isinstance(o, ox.Literal)]
        english = [o for o in found if not o.language or o.language.lower().split("-")[0] == "en"]
        return list(dict.fromkeys(o.value.strip() for o in english or found if o.value.strip()))

    def first(self, iri: str, *predicates: str) -> str | None:
        """The first of `texts`."""
        texts = self.texts(iri, *predicates)
        return texts[0] if texts else None

    def label(self, iri: str, what: str) -> str:
        """The name that people use; made from the IRI, with advice, where there is none."""
        label = self.first(iri, SKOS + "prefLabel") or self.first(iri, RDFS + "label")
        if label is not None:
            return label
        guess = humanised(snake_case(iri))
        self.advice.append(no_label(what, iri, guess))
        return guess

    def phrases(self, iri: str, label: str) -> tuple[str, ...]:
        """The label and every other way to say it."""
        extra = self.texts(iri, SKOS + "prefLabel", RDFS + "label", SKOS + "altLabel", SKOS + "hiddenLabel")
        return tuple(dict.fromkeys([label, *extra]))

    # -- properties -------------------------------------------------------

    def transitive(self, iri: str) -> bool:
        """Whether the property is declared transitive."""
        return OWL + "TransitiveProperty" in self.triples.iris(iri, RDF + "type")

    def symmetric(self, iri: str) -> bool:
        """Whether the property is declared symmetric, or its own inverse."""
        return OWL + "SymmetricProperty" in self.triples.iris(iri, RDF + "type") or iri in self.triples.iris(
            iri, OWL + "inverseOf"
        )

    def inverse_pairs(self, iris: Sequence[str], facts: ShapeFacts) -> dict[str, str | None]:
        """Stored property -> its inverse or None.

        Of a pair, the stored one is the one that shapes constrain; else the one that `owl:inverseOf` points at; else
        (both point) the one whose ends are documented; else the first by IRI.
        """
        known = set(iris)
        pointed: dict[tuple[str, str], set[str]] = {}
        for iri in iris:
            for other in self.triples.iris(iri, OWL + "inverseOf"):
                if other in known and other != iri:
                    pointed.setdefault((min(iri, other), max(iri, other)), set()).add(other)
        partner: dict[str, str | None] = {}
        taken: set[str] = set()
        for pair, targets in sorted(pointed.items()):
            a, b = pair
            if a in taken or b in taken:
                again = a if a in taken else b
                self.advice.append(f"<{again}> has more than one owl:inverseOf; only the first by IRI counts, keep one")
                continue
            stored = self._stored(pair, targets, facts)
            taken.update(pair)
            partner[stored] = b if stored == a else a
        partner.update({iri: None for iri in iris if iri not in taken})
        return partner

    def _stored(self, pair: tuple[str, str], targets: set[str], facts: ShapeFacts) -> str:
        if all(facts.direct(iri) for iri in pair):
            one = min(targets)
            other = pair[0] if one == pair[1] else pair[1]
            self.advice.append(
                f"shapes constrain both <{one}> and its inverse <{other}>; facts are stored as <{one}>, so shapes "
                f"about the other never apply. State them with: sh:path [ sh:inversePath <{one}> ]"
            )
            return one
        for test in (facts.direct, facts.constrains, targets.__contains__, self._documented):
            fitting = [iri for iri in pair if test(iri)]
            if len(fitting) == 1:
                return fitting[0]
        return pair[0]

    def _documented(self, iri: str) -> bool:
        ends = (RDFS + "domain", RDFS + "range", SCHEMA + "domainIncludes", SCHEMA + "rangeIncludes")
        return bool(self.triples.iris(iri, *ends))

    def documented(self, iri: str, inverse: str | None, end: str) -> set[str]:
        """Classes that the ontology documents for the `domain` or `range` of a property or, swapped, of its inverse."""
        other = "range" if end == "domain" else "domain"
        for mine, theirs in ((SCHEMA + end + "Includes", SCHEMA + other + "Includes"), (RDFS + end, RDFS + other)):
            found = self._class_union(iri, mine)
            if not found and inverse is not None:
                found = self._class_union(inverse, theirs)
            if found:
                return found
        return set()

    def _class_union(self, iri: str, predicate: str) -> set[str]:
        """Named classes that a domain or range names, directly or through owl:unionOf."""
        found = set(self.triples.iris(iri, predicate))
        for value in self.triples.objects(iri, predicate):
            if isinstance(value, ox.BlankNode):
                for head in self.triples.objects(value, OWL + "unionOf"):
                    found |= {m.value for m in self.triples.members(head) if isinstance(m, ox.NamedNode)}
        return found

    # -- files ------------------------------------------------------------

    def advise_on_imports(self) -> None:
        """Imports are never fetched; says so for each that is not among the files."""
        loaded = set(self.triples.typed(OWL + "Ontology"))
        loaded |= {iri for one in loaded for iri in self.triples.iris(one, OWL + "versionIRI")}
        for quad in self.triples.store.quads_for_pattern(None, ox.NamedNode(OWL + "imports"), None):
            if isinstance(quad.object, ox.NamedNode) and quad.object.value not in loaded:
                self.advice.append(
                    f"the ontology imports <{quad.object.value}>, which is never fetched; if its terms are needed, "
                    "save it as a file and add that to ontology in kb.toml"
                )
