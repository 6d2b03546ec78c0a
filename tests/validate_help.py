"""Plain pySHACL beside ours, and graphs and shapes drawn from seeds, for tests of validation."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pyshacl
import rdflib
from rdflib import SH, BNode, Graph

from kb.graph._engine import quiet, to_rdflib
from kb.graph.shacl import check_graph

Row = tuple[str, ...]
Triples = Iterable[ox.Triple]
ROOT = Path(__file__).resolve().parent.parent
_NAMES = (
    SH.focusNode, SH.resultPath, SH.value, SH.sourceConstraintComponent, SH.resultSeverity, SH.sourceShape,
    SH.resultMessage,
)  # fmt: skip
HEAD = """
@prefix : <https://x.example/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""


def turtle(text: str) -> list[ox.Triple]:
    """Triples of a Turtle text with the usual prefixes."""
    return [quad.triple for quad in ox.parse(HEAD + text, format=ox.RdfFormat.TURTLE)]


def files(*paths: Path) -> list[ox.Triple]:
    """Triples of Turtle files."""
    return [quad.triple for path in paths for quad in ox.parse(path=str(path), rename_blank_nodes=True)]


def rdflib_term(term: Any) -> Any:
    """A term as rdflib's parsers make it, but with literals as they are written."""
    if isinstance(term, ox.Literal) and not term.language and term.datatype.value.endswith("#string"):
        return rdflib.Literal(term.value)
    return to_rdflib(term)


def graph_of(triples: Triples) -> Graph:
    """The same terms for rdflib, literals as they are written."""
    graph = Graph()
    with quiet():
        for triple in triples:
            graph.add(tuple(rdflib_term(term) for term in triple))  # type: ignore[arg-type]
    return graph


def plain(data: Triples, shapes: Triples) -> Counter[Row]:
    """What pySHACL alone finds; blank nodes that are paths and shapes are all written alike."""
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        report: Any = pyshacl.validate(graph_of(data), shacl_graph=graph_of(shapes))[1]
    if isinstance(report, Exception):
        raise report
    assert isinstance(report, Graph)

    def shown(result: rdflib.term.Node, name: rdflib.URIRef) -> str:
        found = sorted(
            "-" if isinstance(one, BNode) and name in (SH.resultPath, SH.sourceShape) else one.n3()  # type: ignore[attr-defined]
            for one in report.objects(result, name)
        )
        return " ".join(found)

    return Counter(tuple(shown(one, name) for name in _NAMES) for one in report.objects(None, SH.result))


def ours(data: Triples, shapes: Triples) -> Counter[Row]:
    """The same of `check_graph`."""

    def shown(term: Any, *, blank: bool = False) -> str:
        if term is None:
            return ""
        return "-" if blank and isinstance(term, ox.BlankNode) else rdflib_term(term).n3()

    with quiet():
        return Counter(
            (
                shown(one.focus),
                shown(one.path, blank=True),
                shown(one.value),
                f"<{one.component}>",
                f"<{one.severity}>",
                shown(one.shape, blank=True),
                " ".join(sorted(rdflib_term(message).n3() for message in one.messages)),
            )
            for one in check_graph(data, shapes).outcomes
        )


def without_messages(rows: Counter[Row]) -> Counter[Row]:
    """Rows as they are compared where messages have the labels of blank nodes in them, or a language."""
    found: Counter[Row] = Counter()
    for row, number in rows.items():
        found[row[:-1]] += number
    return found


# -- drawn from seeds -----------------------------------------------------------

_PREDICATES = ("p", "q", "r")
_CLASSES = ("A", "B", "C")
_VALUES = (
    '"a"', '"abc"@en', '"abc"@EN', '"abc"@de', "1", '"01"^^xsd:integer', "1.50", "true", '"perhaps"^^xsd:boolean',
    '"2024-02-29"^^xsd:date', '"2023-02-30"^^xsd:date', '"2024-01-01T10:00:00Z"^^xsd:dateTime', '"x"^^xsd:integer',
    '"\u0663"^^xsd:integer', '""', '"5"^^xsd:byte', '"a b"^^xsd:token', "1e3",
    '"2024-01-01T10:00:00.5+02:00"^^xsd:dateTime',
)  # fmt: skip
_PATHS = (
    ":p", ":q", ":r", "[ sh:inversePath :p ]", "( :p :q )", "[ sh:alternativePath ( :p :r ) ]",
    "[ sh:zeroOrMorePath :q ]", "( [ sh:inversePath :q ] :p )", "[ sh:oneOrMorePath [ sh:inversePath :r ] ]",
)  # fmt: skip
_KINDS = ("sh:IRI", "sh:BlankNode", "sh:Literal", "sh:BlankNodeOrIRI", "sh:BlankNodeOrLiteral", "sh:IRIOrLiteral")
_TYPES = ("xsd:string", "xsd:integer", "xsd:decimal", "xsd:boolean", "xsd:date", "xsd:dateTime", "xsd:byte")


def random_data(rnd: random.Random, size: int) -> list[ox.Triple]:
    """A graph of IRIs, blank nodes and literals, right and wrong ones, with a class hierarchy."""
    nodes = [f":n{i}" for i in range(max(3, size // 4))] + [f"_:b{i}" for i in range(3)]
    lines = [":B rdfs:subClassOf :A .", ":D rdfs:subClassOf :B ."]
    for _ in range(size):
        subject = rnd.choice(nodes)
        if rnd.random() < 0.3:
            lines.append(f"{subject} a :{rnd.choice((*_CLASSES, 'D'))} .")
        else:
            value = rnd.choice(nodes) if rnd.random() < 0.5 else rnd.choice(_VALUES)
            lines.append(f"{subject} :{rnd.choice(_PREDICATES)} {value} .")
    return turtle("\n".join(lines))


def _constraint(rnd: random.Random, depth: int, *, path: bool) -> str:
    simple = (
        lambda: f"sh:class :{rnd.choice(_CLASSES)}",
        lambda: f"sh:nodeKind {rnd.choice(_KINDS)}",
        lambda: f"sh:datatype {rnd.choice((*_TYPES, '<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>'))}",
        lambda: f'sh:pattern "{rnd.choice(("^a", "b", "1", "n[0-3]"))}"',
        lambda: f"sh:{rnd.choice(('minLength', 'maxLength'))} {rnd.randint(0, 4)}",
        lambda: f"sh:in ( :n0 :n1 {rnd.choice(_VALUES)} {rnd.choice(_VALUES)} )",
        lambda: f"sh:hasValue {rnd.choice((':n0', ':n1', *_VALUES))}",
        lambda: f"sh:{rnd.choice(('minInclusive', 'maxExclusive'))} {rnd.randint(0, 3)}",
        lambda: 'sh:languageIn ( "en" )',
        lambda: f"sh:equals :{rnd.choice(_PREDICATES)}",
        lambda: f"sh:disjoint :{rnd.choice(_PREDICATES)}",
        lambda: "sh:closed true",
        lambda: "sh:deactivated true",
    )
    if path and rnd.random() < 0.4:
        return rnd.choice(
            (
                f"sh:minCount {rnd.randint(0, 2)}",
                f"sh:maxCount {rnd.randint(0, 2)}",
                "sh:uniqueLang true",
                f"sh:lessThan :{rnd.choice(_PREDICATES)}",
                "sh:qualifiedValueShape [ sh:class :A ] ; sh:qualifiedMinCount 1",
            )
        )
    if depth and rnd.random() < 0.5:
        inner = f"[ {_constraint(rnd, depth - 1, path=False)} ]"
        other = f"[ {_constraint(rnd, depth - 1, path=False)} ]"
        return rnd.choice(
            (
                f"sh:node {inner}",
                f"sh:not {inner}",
                f"sh:or ( {inner} {other} )",
                f"sh:and ( {inner} {other} )",
                f"sh:xone ( {inner} {other} )",
                f"sh:property {_property(rnd, depth - 1)}",
            )
        )
    return rnd.choice(simple)()


def _property(rnd: random.Random, depth: int) -> str:
    said = [f"sh:path {rnd.choice(_PATHS)}", _constraint(rnd, depth, path=True)]
    if rnd.random() < 0.3:
        said.append(f"sh:severity sh:{rnd.choice(('Warning', 'Info', 'Violation'))}")
    return f"[ {' ; '.join(said)} ]"


def random_shapes(rnd: random.Random, number: int) -> list[ox.Triple]:
    """Shapes with every kind of target and constraint of SHACL core, nested."""
    texts = []
    for one in range(number):
        target = rnd.choice(
            (
                f"sh:targetClass :{rnd.choice(_CLASSES)}",
                f"sh:targetSubjectsOf :{rnd.choice(_PREDICATES)}",
                f"sh:targetObjectsOf :{rnd.choice(_PREDICATES)}",
                'sh:targetNode :n0, :absent, "a", 1',
                f"a sh:NodeShape, {rnd.choice(('rdfs:Class', 'owl:Class'))}",
            )
        )
        name = f":{rnd.choice(_CLASSES)}{'' if target.startswith('a ') and one == 0 else f'Shape{one}'}"
        body = f"sh:property {_property(rnd, 2)}" if rnd.random() < 0.7 else _constraint(rnd, 2, path=False)
        texts.append(f'{name} {target} ; {body} ; sh:message "rule {one}" .')
    return turtle("\n".join(texts))
