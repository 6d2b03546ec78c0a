"""The core tests of the W3C's SHACL test suite, through the function behind `kb validate FILE`.

They are not part of this repository: `KB_DATA=FOLDER pytest -m outside tests/shacl_suite`, where
`FOLDER/rdf-shacl/w3c-shacl-core` is `data-shapes-test-suite/tests` of https://github.com/w3c/data-shapes.

A report is compared in full: focus node, path, value, component, shape and severity of every result. Messages are not,
because the standard leaves their wording open; nor is `sh:detail`, which it leaves to the engine.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, SH, XSD, BNode, Graph, Namespace, URIRef
from rdflib.compare import to_canonical_graph
from validate_help import graph_of, rdflib_term

from kb._rdf import read_rdf
from kb.errors import OntologyError
from kb.graph._engine import quiet
from kb.graph.shacl import check_graph
from kb.graph.shacl_report import result_triples

pytestmark = pytest.mark.outside

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("http://www.w3.org/ns/shacl-test#")
FOLDER = Path(os.environ.get("KB_DATA", "nowhere")) / "rdf-shacl" / "w3c-shacl-core" / "core"
BASE = "urn:kb:file:/"
FAILING: dict[str, str] = {
    "property/uniqueLang-002": 'pySHACL takes sh:uniqueLang "1"^^xsd:boolean for true; only the word `true` counts',
}
"""Test -> why it fails."""
_PARTS = (SH.focusNode, SH.resultPath, SH.value, SH.sourceConstraintComponent, SH.sourceShape, SH.resultSeverity)


def cases() -> Iterator[Any]:
    for path in sorted(FOLDER.rglob("*.ttl")):
        graph = graph_of(read_rdf(path).triples)
        for test in graph.subjects(RDF.type, SHT.Validate):
            name = f"{path.parent.name}/{path.stem}"
            marks = [pytest.mark.xfail(reason=FAILING[name], strict=True)] if name in FAILING else []
            yield pytest.param(path, graph, test, id=name, marks=marks)


def rows(graph: Graph) -> Counter[tuple[str, ...]]:
    """Results as tuples. Blank shapes and nodes are as good as each other, blank paths are written out."""

    def shown(node: Any, name: URIRef) -> str:
        if not isinstance(node, BNode):
            # What RDF 1.1 calls one term, rdflib calls two.
            return str(node.n3()).removesuffix(f"^^<{XSD.string}>")
        if name != SH.resultPath:
            return "-"
        inside = Graph()
        todo = [node]
        while todo:
            one = todo.pop()
            for row in graph.triples((one, None, None)):
                inside.add(row)
                todo.append(row[2])  # type: ignore[arg-type]
        return " ".join(sorted(f"{p.n3()} {o.n3()}" for _, p, o in to_canonical_graph(inside)))  # type: ignore[attr-defined]

    results = list(graph.objects(None, SH.result))
    return Counter(
        tuple(" ".join(sorted(shown(value, name) for value in graph.objects(one, name))) for name in _PARTS)
        for one in results
    )


@pytest.mark.skipif(FOLDER.is_dir(), reason="it is there")
def test_the_suite_is_where_kb_data_says() -> None:
    pytest.fail(f"{FOLDER}: no such folder; KB_DATA names the one that holds rdf-shacl/")


@pytest.mark.parametrize(("path", "manifest", "test"), [*cases()])
def test_w3c(path: Path, manifest: Graph, test: URIRef) -> None:
    action = manifest.value(test, MF.action)
    wanted = manifest.value(test, MF.result)
    names = [str(manifest.value(action, part)).removeprefix(BASE) for part in (SHT.dataGraph, SHT.shapesGraph)]
    data, shapes = (read_rdf(path.parent / name if name else path).triples for name in names)
    if names[0] == names[1]:
        shapes = data  # blank nodes and all
    if wanted == SHT.Failure:
        with pytest.raises(OntologyError):
            check_graph(data, shapes)
        return
    report = check_graph(data, shapes)
    found = Graph()
    with quiet():
        for number, outcome in enumerate(report.outcomes):
            for triple in result_triples(outcome, f"r{number}"):
                found.add(tuple(rdflib_term(term) for term in triple))  # type: ignore[arg-type]
            found.add((BNode("report"), SH.result, BNode(f"r{number}")))
    expected = Graph()
    for row in manifest.triples((wanted, SH.conforms, None)):
        assert row[2].toPython() is report.conforms  # type: ignore[attr-defined]
    for result in manifest.objects(wanted, SH.result):
        expected.add((wanted, SH.result, result))  # type: ignore[arg-type]
    expected += manifest
    assert rows(found) == rows(expected)
