"""What an ontology leaves out, as sentences that end with the Turtle to add.

Every line is Turtle as it stands, with the usual prefixes (`kb.namespaces`), and with a term of the ontology where one
has to be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb.names import local_name
from kb.namespaces import OWL

__all__ = ["no_domain", "no_inverse", "no_label", "no_object_range", "no_phrases", "no_shape", "no_value_range"]


def no_label(what: str, iri: str, guess: str) -> str:
    """A term that is called by its IRI alone."""
    return f'{what} <{iri}> has no label; add: <{iri}> rdfs:label "{guess}"@en .'


def no_shape(iri: str, label: str, range_iri: str | None) -> str:
    """A relation of which no shape says anything."""
    value = f"sh:class <{range_iri}>" if range_iri else "sh:nodeKind sh:IRI"
    text = f"What '{label}' leads to must fit.".replace("\\", "").replace('"', "'")
    return (
        f"relation <{iri}> has no shape; its statements are checked against the types that the ontology documents for "
        f"it. Add to the shapes: <{_beside(iri, 'Shape')}> a sh:PropertyShape ; sh:targetSubjectsOf <{iri}> ; "
        f'sh:path <{iri}> ; {value} ; sh:severity sh:Violation ; sh:message "{text}"@en .'
    )


def no_inverse(iri: str) -> str:
    """A relation without a way back."""
    return (
        f"relation <{iri}> has no inverse, so questions can ask for it in one direction's words only; "
        f"add a property with: owl:inverseOf <{iri}>, such as: <{_beside(iri, 'Inverse')}> a owl:ObjectProperty ; "
        f'rdfs:label "…"@en ; owl:inverseOf <{iri}> .'
    )


def no_phrases(iri: str) -> str:
    """A relation for which there is one wording only."""
    return (
        f"relation <{iri}> is known by its label alone; pages and questions use other words; "
        f'add: <{iri}> skos:altLabel "…"@en .'
    )


def no_domain(what: str, iri: str, class_iris: Sequence[str]) -> str:
    """A relation or attribute that anything may have."""
    return (
        f"{what} <{iri}> may be said of anything; name the class that has it, in place of the first one here; "
        f"add: <{iri}> schema:domainIncludes <{_some(class_iris)}> ."
    )


def no_object_range(iri: str, class_iris: Sequence[str]) -> str:
    """A relation that may lead to anything."""
    return (
        f"relation <{iri}> may lead to anything; name the class that it leads to, in place of the first one here; "
        f"add: <{iri}> schema:rangeIncludes <{_some(class_iris)}> ."
    )


def no_value_range(iri: str) -> str:
    """An attribute whose values have no type."""
    return (
        f"attribute <{iri}> has no type of value, so its values are taken as text; "
        f"add: <{iri}> schema:rangeIncludes xsd:string ."
    )


def _some(class_iris: Sequence[str]) -> str:
    """A class to stand in the line, for the user to put the right one in its place."""
    return class_iris[0] if class_iris else OWL + "Thing"


def _beside(iri: str, ending: str) -> str:
    """An IRI in the same namespace for a term that goes with this one."""
    return iri[: len(iri) - len(local_name(iri))] + local_name(iri) + ending
