"""Every shape has a valid and an invalid example; reports are compared in full, never `conforms` alone."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pyshacl
import pytest
from rdflib import RDF, SH, Graph, URIRef

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = Path(__file__).parent / "shapes_examples"
MUSEUM = Path(__file__).parent / "domains" / "museum"
SHAPE = "https://w3id.org/wiki-kb/shapes#"

Row = tuple[str, str, str, str, str]


@cache
def shapes() -> Graph:
    graph = Graph()
    for path in sorted((ROOT / "shapes").glob("*.ttl")):
        graph.parse(path)
    return graph


@cache
def ontology() -> Graph:
    graph = Graph()
    for path in sorted((ROOT / "ontology").glob("*.ttl")):
        graph.parse(path)
    return graph


def names() -> list[str]:
    kinds = (SH.NodeShape, SH.PropertyShape)
    return sorted({str(s).removeprefix(SHAPE) for kind in kinds for s in shapes().subjects(RDF.type, kind)})


def results(path: Path) -> list[tuple[str, Row]]:
    """(name of the shape, what it reports) for everything that validation finds in an example."""
    data = Graph().parse(path)
    short = data.namespace_manager
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes(), ont_graph=ontology(), inference="none")
    assert isinstance(report, Graph)
    found = []
    for result in report.subjects(RDF.type, SH.ValidationResult):

        def value(predicate: URIRef, result: object = result) -> str:
            found = report.value(result, predicate)  # type: ignore[arg-type]
            return "-" if found is None else found.n3(short) if isinstance(found, URIRef) else str(found)

        row = (
            value(SH.focusNode),
            value(SH.resultPath),
            value(SH.sourceConstraintComponent),
            value(SH.resultSeverity),
            value(SH.resultMessage),
        )
        found.append((str(report.value(result, SH.sourceShape)).removeprefix(SHAPE), row))
    return sorted(found)


def expected(path: Path) -> list[Row]:
    lines = re.findall(r"(?m)^# expect (\S+) (\S+) (\S+) (\S+) (.+)$", path.read_text(encoding="utf-8"))
    return sorted(lines)


@pytest.mark.parametrize("name", names())
def test_valid_example_has_no_results(name: str) -> None:
    assert results(EXAMPLES / f"{name}-valid.ttl") == []


@pytest.mark.parametrize("name", names())
def test_invalid_example_has_exactly_the_results_it_announces(name: str) -> None:
    path = EXAMPLES / f"{name}-invalid.ttl"
    found = results(path)
    assert expected(path) == sorted(row for _, row in found)
    assert name in {shape for shape, _ in found}


def test_every_shape_has_its_two_examples_and_every_example_its_shape() -> None:
    wanted = {f"{name}-{kind}.ttl" for name in names() for kind in ("valid", "invalid")}
    assert {path.name for path in EXAMPLES.iterdir()} == wanted
    assert len(names()) > 30


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.stem)
def test_first_line_of_an_example_says_why(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"# [A-Z].{10,}\.", first)


def test_gold_facts_of_the_museum_conform_but_for_what_the_wiki_contradicts() -> None:
    import json

    import yaml

    space, base = "https://harbourmuseum.example/terms#", "https://kb.harbourmuseum.example/entity/"
    graph = Graph()

    def term(name: str) -> URIRef:
        head, *rest = name.split("_")
        return URIRef(space + head + "".join(part.capitalize() for part in rest))

    for entity in yaml.safe_load((MUSEUM / "catalogue.yaml").read_text(encoding="utf-8"))["entities"]:
        graph.add((URIRef(base + entity["id"]), RDF.type, URIRef(space + entity["type"].capitalize())))
    for line in (MUSEUM / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        graph.add((URIRef(base + row["subject"]), term(row["relation"]), URIRef(base + row["object"])))
    _, report, _ = pyshacl.validate(
        graph,
        shacl_graph=Graph().parse(MUSEUM / "shapes.ttl"),
        ont_graph=Graph().parse(MUSEUM / "ontology.ttl"),
        inference="none",
    )
    assert isinstance(report, Graph)
    found = [(str(report.value(r, SH.focusNode)), str(m)) for r, m in report.subject_objects(SH.resultMessage)]
    assert found == [(base + "vell-astrolabe", "More than one lender is stated.")]
