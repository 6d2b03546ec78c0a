"""What `kb` understands of an ontology: plain data, and a page of documentation made from it in Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyoxigraph as ox

from kb._rdf import Triples
from kb.describe._html import to_html
from kb.describe._markdown import datatype, joins, to_markdown
from kb.namespaces import DCTERMS, OWL, SH, SHAPE
from kb.vocabulary import Attribute, Class, Relation, Vocabulary

__all__ = ["Rule", "datatype", "describe", "joins", "rules", "to_html", "to_markdown"]

_TARGETS = ("targetClass", "targetSubjectsOf", "targetObjectsOf")


@dataclass(frozen=True, slots=True)
class Rule:
    """A shape with a message. `about` are the IRIs of the properties and classes that it speaks of."""

    name: str
    severity: str
    message: str
    about: tuple[str, ...]


def describe(vocabulary: Vocabulary) -> dict[str, Any]:
    """Everything about a vocabulary as JSON: `ontologies`, `classes`, `relations`, `attributes`, `rules`, `advice`.

    Terms come by name, in order; each has `name`, `iri`, `label`, `phrases`, `definition`, `example`. `signatures` are
    pairs of types, null for any. `rules` of a term are the names of the shapes that speak of it.
    """
    found = rules(vocabulary.shapes)
    return {
        "ontologies": _headers(vocabulary.ontology),
        "digest": vocabulary.digest,
        "classes": [_class(one, vocabulary, found) for _, one in sorted(vocabulary.classes.items())],
        "relations": [_relation(one, found) for _, one in sorted(vocabulary.relations.items())],
        "attributes": [_attribute(one, found) for _, one in sorted(vocabulary.attributes.items())],
        "rules": [{"name": one.name, "severity": one.severity, "message": one.message} for one in found],
        "advice": list(vocabulary.advice),
    }


def rules(shapes: Iterable[ox.Triple]) -> list[Rule]:
    """The shapes with a message, by name; without those that `kb` made for relations that have none."""
    graph = Triples(shapes)
    found: list[Rule] = []
    for shape in graph.subjects(SH + "message"):
        name = shape.value.rsplit("#", 1)[-1].rsplit("/", 1)[-1] if isinstance(shape, ox.NamedNode) else "(no name)"
        if isinstance(shape, ox.NamedNode) and shape.value.startswith(SHAPE + "derived-"):
            continue
        messages = [one for one in graph.objects(shape, SH + "message") if isinstance(one, ox.Literal)]
        english = [one for one in messages if not one.language or one.language.lower().startswith("en")]
        about = set(graph.iris(shape, *(SH + target for target in _TARGETS), SH + "path"))
        for path in graph.objects(shape, SH + "path"):
            about |= set(graph.iris(path, SH + "inversePath"))
        for host in graph.subjects(SH + "property", shape):
            about |= set(graph.iris(host, *(SH + target for target in _TARGETS)))
        severity = (graph.iris(shape, SH + "severity") or [SH + "Violation"])[0].removeprefix(SH)
        text = " ".join((english or messages)[0].value.split()) if messages else ""
        found.append(Rule(name, severity, text, tuple(sorted(about))))
    return sorted(found, key=lambda one: (one.name, one.message))


def _headers(triples: Iterable[ox.Triple]) -> list[dict[str, str]]:
    graph = Triples(triples)
    headers = []
    for iri in graph.typed(OWL + "Ontology"):
        header = {"iri": iri}
        for key, predicate in (("title", "title"), ("abstract", "abstract"), ("license", "license")):
            values = graph.objects(iri, DCTERMS + predicate)
            if values and isinstance(values[0], ox.Literal | ox.NamedNode):
                header[key] = values[0].value
        if versions := graph.iris(iri, OWL + "versionIRI"):
            header["version"] = versions[0]
        headers.append(header)
    return headers


def _names(iri: str, found: list[Rule]) -> list[str]:
    return [one.name for one in found if iri in one.about]


def _class(one: Class, vocabulary: Vocabulary, found: list[Rule]) -> dict[str, Any]:
    above = vocabulary.ancestors(one.name)
    return {
        **_term(one),
        "parents": list(one.parents),
        "children": sorted(other.name for other in vocabulary.classes.values() if one.name in other.parents),
        "attributes": [
            a.name for _, a in sorted(vocabulary.attributes.items()) if not a.domains or above & {*a.domains}
        ],
        "relations": [
            r.name
            for _, r in sorted(vocabulary.relations.items())
            if any(subject is None or subject in above for subject, _ in r.signatures)
        ],
        "rules": _names(one.iri, found),
    }


def _relation(one: Relation, found: list[Rule]) -> dict[str, Any]:
    back = one.inverse
    inverse = back and {"name": back.name, "iri": back.iri, "label": back.label, "phrases": list(back.phrases)}
    return {
        **_term(one),
        "inverse": inverse,
        "signatures": [list(pair) for pair in one.signatures],
        "transitive": one.transitive,
        "symmetric": one.symmetric,
        "rules": _names(one.iri, found) if one.shaped else [],
    }


def _attribute(one: Attribute, found: list[Rule]) -> dict[str, Any]:
    return {
        **_term(one),
        "phrases_false": list(one.phrases_false),
        "datatype": one.datatype,
        "domains": list(one.domains),
        "rules": _names(one.iri, found),
    }


def _term(one: Class | Relation | Attribute) -> dict[str, Any]:
    return {
        "name": one.name,
        "iri": one.iri,
        "label": one.label,
        "phrases": list(one.phrases),
        "definition": one.definition,
        "example": one.example,
    }
