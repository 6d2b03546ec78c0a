"""SHACL validation results as values: read from a report graph, and written as one.

https://www.w3.org/TR/shacl/#validation-report
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import pyoxigraph as ox

from kb.graph._engine import results_of
from kb.graph._jsonld import write_jsonld
from kb.graph._turtle import write_turtle
from kb.namespaces import RDF, SH

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

__all__ = ["Outcome", "outcome_order", "outcomes_of", "report_bytes", "result_triples"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


@dataclass(frozen=True, slots=True)
class Outcome:
    """One `sh:ValidationResult`, its values as RDF terms.

    `path` is None for a node shape. A path of another form than one property is a blank node, which `path_triples`
    describe. `severity` is an IRI. `details` are the results that `sh:detail` gives.
    """

    focus: Term
    path: Term | None
    value: Term | None
    component: str
    shape: Term
    severity: str
    messages: tuple[ox.Literal, ...]
    details: tuple[Outcome, ...] = field(default=(), compare=False)
    path_triples: tuple[ox.Triple, ...] = field(default=(), compare=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """The messages in English or of no language; all of them where there are none of these."""
        english = [one for one in self.messages if (one.language or "en").lower().split("-")[0] == "en"]
        return tuple(one.value for one in english or self.messages)


def outcomes_of(report: Graph) -> Iterator[Outcome]:
    """The results of a report graph, in no order."""
    tops, about = results_of(report)
    return (_outcome(node, about, 0) for node in tops)


def _outcome(node: Node, about: Mapping[Node, Mapping[str, list[Node]]], depth: int) -> Outcome:
    row = about[node]

    def first(name: str) -> Term | None:
        values = row.get(SH + name)
        return _back(values[0]) if values else None

    focus, shape = first("focusNode"), first("sourceShape")
    assert focus is not None
    return Outcome(
        focus,
        first("resultPath"),
        first("value"),
        _iri(first("sourceConstraintComponent")),
        ox.BlankNode("none") if shape is None else shape,
        _iri(first("resultSeverity")),
        tuple(sorted((_back(one) for one in row.get(SH + "resultMessage", ())), key=str)),
        tuple(_outcome(one, about, depth + 1) for one in row.get(SH + "detail", ()) if depth < 8),
        tuple(_description(row.get(SH + "resultPath", []), about)),
    )


def _description(todo: Sequence[Node], about: Mapping[Node, Mapping[str, list[Node]]]) -> Iterator[ox.Triple]:
    """What a report says of blank nodes that make up a path."""
    from rdflib import BNode

    left, seen = list(todo), set()
    while left:
        node = left.pop()
        if isinstance(node, BNode) and node not in seen:
            seen.add(node)
            for predicate, values in sorted(about.get(node, {}).items()):
                left += values
                yield from (ox.Triple(_back(node), ox.NamedNode(predicate), _back(value)) for value in values)


def _iri(term: Term | None) -> str:
    return term.value if isinstance(term, ox.NamedNode) else str(term)


def _back(term: Any) -> Any:
    """A term of rdflib's as Oxigraph's."""
    from rdflib import BNode, Literal

    if isinstance(term, BNode):
        return ox.BlankNode(str(term))
    if isinstance(term, Literal):
        if term.language:
            return ox.Literal(str(term), language=term.language)
        return ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype)) if term.datatype else None)
    return ox.NamedNode(str(term))


def result_triples(outcome: Outcome, name: str) -> list[ox.Triple]:
    """One `sh:ValidationResult` as triples about the blank node `name`, its details about nodes named after it.

    https://www.w3.org/TR/shacl/#validation-report
    """
    node = ox.BlankNode(name)
    labels = {
        end: ox.BlankNode(f"{name}p{number}")
        for number, end in enumerate(dict.fromkeys(t.subject for t in outcome.path_triples))
        if isinstance(end, ox.BlankNode)
    }

    def renamed(term: Any) -> Any:
        return labels.get(term, term)

    said: list[tuple[str, Term | None]] = [
        (RDF + "type", ox.NamedNode(SH + "ValidationResult")),
        (SH + "focusNode", outcome.focus),
        (SH + "resultPath", renamed(outcome.path)),
        (SH + "value", outcome.value),
        (SH + "sourceConstraintComponent", ox.NamedNode(outcome.component)),
        (SH + "sourceShape", outcome.shape),
        (SH + "resultSeverity", ox.NamedNode(outcome.severity)),
        *((SH + "resultMessage", message) for message in outcome.messages),
    ]
    found = [ox.Triple(node, ox.NamedNode(predicate), value) for predicate, value in said if value is not None]
    found += [ox.Triple(renamed(t.subject), t.predicate, renamed(t.object)) for t in outcome.path_triples]
    for number, detail in enumerate(outcome.details):
        found.append(ox.Triple(node, ox.NamedNode(SH + "detail"), ox.BlankNode(f"{name}d{number}")))
        found += result_triples(detail, f"{name}d{number}")
    return found


def report_bytes(
    results: Iterable[tuple[Term, Iterable[ox.Triple]]], syntax: str, prefixes: Mapping[str, str]
) -> bytes:
    """The `sh:ValidationReport` of results, each a node with the triples about it; `syntax` is turtle or jsonld.

    The same results in the same order give the same bytes. Blank nodes keep their labels: to find canonical ones can
    take for ever.
    """
    report = ox.BlankNode("report")
    found = list(results)
    triples = {triple for _, about in found for triple in about}
    triples.add(ox.Triple(report, ox.NamedNode(RDF + "type"), ox.NamedNode(SH + "ValidationReport")))
    triples.add(ox.Triple(report, ox.NamedNode(SH + "conforms"), ox.Literal(not found)))
    triples |= {ox.Triple(report, ox.NamedNode(SH + "result"), node) for node, _ in found if _is_node(node)}
    ordered = sorted(triples, key=lambda t: (t.subject != report, str(t.subject), _rank(t.predicate), str(t)))
    if syntax == "jsonld":
        return write_jsonld(ordered, prefixes)
    return write_turtle([ox.Quad(*triple) for triple in ordered], prefixes)


def _is_node(term: Term) -> TypeGuard[ox.NamedNode | ox.BlankNode]:
    return isinstance(term, ox.NamedNode | ox.BlankNode)


def _rank(predicate: ox.NamedNode) -> tuple[bool, str]:
    return predicate.value != RDF + "type", predicate.value


def outcome_order(outcome: Outcome) -> tuple[str, ...]:
    """Sort key in which labels of blank nodes come last: they say nothing, but may be all that is different."""
    focus = "" if isinstance(outcome.focus, ox.BlankNode) else str(outcome.focus)
    shape = "" if isinstance(outcome.shape, ox.BlankNode) else str(outcome.shape)
    path = str(outcome.path) if isinstance(outcome.path, ox.NamedNode) else ""
    value = "" if isinstance(outcome.value, ox.BlankNode) else str(outcome.value)
    return (
        outcome.severity,
        focus,
        path,
        value,
        outcome.component,
        shape,
        *map(str, (*outcome.messages, outcome.focus, outcome.value, outcome.shape)),
    )
