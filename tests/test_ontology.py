"""Hygiene of the Turtle files, as SPARQL queries that find what is wrong; each is shown a planted fault first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox
import pytest

from kb.namespaces import KB, OWL, PREFIXES, RDFS

ROOT = Path(__file__).resolve().parent.parent
CHECKS = Path(__file__).parent / "ontology_checks"
MUSEUM = Path(__file__).parent / "domains" / "museum"
ONTOLOGIES = [*sorted((ROOT / "ontology").glob("*.ttl")), MUSEUM / "ontology.ttl"]
SHAPES = [*sorted((ROOT / "shapes").glob("*.ttl")), MUSEUM / "shapes.ttl"]
RDF_TEXTS = sorted(
    path
    for folder in ("ontology", "shapes", "queries", "tests", "examples")
    for suffix in ("*.ttl", "*.rq")
    for path in (ROOT / folder).rglob(suffix)
)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def load(paths: Iterable[Path]) -> ox.Store:
    store = ox.Store()
    for path in paths:
        store.load(path=str(path), format=ox.RdfFormat.TURTLE)
    return store


def findings(check: Path, store: ox.Store) -> list[str]:
    rows = store.query(check.read_text(encoding="utf-8"))
    assert isinstance(rows, ox.QuerySolutions)
    return sorted(f"{row['term']}: {row['what']}" for row in rows)


def checks(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((CHECKS / folder).glob("*.rq"))]


ALL_CHECKS = checks("any", "ontology", "shapes", "together")


def test_there_is_something_to_check() -> None:
    assert len(ONTOLOGIES) == 4
    assert len(SHAPES) == 4
    assert len(ALL_CHECKS) >= 25
    assert {path.stem for path in (CHECKS / "planted").iterdir()} == {check.stem for check in ALL_CHECKS}


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda path: path.stem)
def test_check_finds_its_planted_fault(check: Path) -> None:
    assert findings(check, load([CHECKS / "planted" / f"{check.stem}.ttl"])) != []


@pytest.mark.parametrize("path", ONTOLOGIES, ids=shown)
@pytest.mark.parametrize("check", checks("any", "ontology"), ids=lambda path: path.stem)
def test_ontology_file_passes(check: Path, path: Path) -> None:
    assert findings(check, load([path])) == []


@pytest.mark.parametrize("path", SHAPES, ids=shown)
@pytest.mark.parametrize("check", checks("any", "shapes"), ids=lambda path: path.stem)
def test_shapes_file_passes(check: Path, path: Path) -> None:
    assert findings(check, load([path])) == []


@pytest.mark.parametrize("check", checks("together"), ids=lambda path: path.stem)
@pytest.mark.parametrize("domain", ["packaged", "museum"])
def test_ontology_and_shapes_fit_together(check: Path, domain: str) -> None:
    files = [path for path in (*ONTOLOGIES, *SHAPES) if (MUSEUM in path.parents) == (domain == "museum")]
    assert findings(check, load(files)) == []


def test_every_check_says_what_it_asks() -> None:
    assert [shown(c) for c in ALL_CHECKS if not c.read_text(encoding="utf-8").startswith("#+ question: ")] == []


@pytest.mark.parametrize("path", RDF_TEXTS, ids=shown)
def test_no_file_gives_a_prefix_another_meaning(path: Path) -> None:
    own = [ROOT / name for name in ("ontology", "shapes", "queries")]
    empty = {"": KB} if any(folder in path.parents for folder in own) else {}
    for prefix, iri in re.findall(r"(?im)^\s*@?prefix\s+([\w-]*):\s*<([^>]*)>", path.read_text(encoding="utf-8")):
        meant = (PREFIXES | empty).get(prefix)
        assert meant in (None, iri), f"{prefix}: stands for {meant} everywhere else"
        bound = [name for name, space in PREFIXES.items() if space == iri]
        assert bound in ([], [prefix]) or prefix == "", f"<{iri}> is {bound} everywhere else"


def test_prefixes_are_bound_once() -> None:
    assert len(set(PREFIXES.values())) == len(PREFIXES)


@pytest.mark.parametrize("path", [*ONTOLOGIES, *SHAPES], ids=shown)
def test_file_has_no_unused_prefix(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prefixes = re.findall(r"(?m)^@prefix\s+([\w-]*):", text)
    body = re.sub(r'(?m)^@prefix.*$|"(?:[^"\\]|\\.)*"|<[^>]*>', "", text)
    assert [p for p in prefixes if not re.search(rf"(?<![\w-]){re.escape(p)}:\w", body)] == []


SAMPLE = """
@prefix : <https://w3id.org/wiki-kb/ontology#> .
@prefix e: <https://kb.example/entity/> .
e:checkout a :Service ; :dependsOn e:ledger , e:ledger-db ; :ownedBy e:payments ; :public true .
e:ledger a :Service ; :dependsOn e:checkout .
e:ledger-db a :Datastore .
e:payments a :Team ; :ledBy e:ana .
e:ana a :Person ; :memberOf e:payments .
"""


def closure(*extra: str) -> tuple[list[str], set[tuple[str, str, str]]]:
    import owlrl
    from rdflib import Graph

    graph = Graph()
    for path in sorted((ROOT / "ontology").glob("*.ttl")):
        graph.parse(path)
    for text in extra:
        graph.parse(data=text, format="turtle")
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    errors = [str(o) for p, o in graph.predicate_objects() if str(p).endswith("agent-ont#error")]
    return errors, {(str(s), str(p), str(o)) for s, p, o in graph}


def test_reasoning_over_the_ontology_and_a_sample_finds_no_contradiction() -> None:
    errors, facts = closure(SAMPLE)
    entity = "https://kb.example/entity/"
    assert errors == []
    assert (entity + "ledger-db", KB + "dependencyOf", entity + "checkout") in facts
    assert (entity + "ledger-db", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", KB + "Asset") in facts


def test_reasoning_finds_a_planted_team_that_is_also_a_person() -> None:
    errors, _ = closure(SAMPLE, "<https://kb.example/entity/ana> a <https://w3id.org/wiki-kb/ontology#Team> .")
    assert any("disjoint" in error.lower() for error in errors)


def test_reasoning_never_turns_a_wrong_statement_into_a_type() -> None:
    errors, facts = closure(
        SAMPLE,
        "<https://kb.example/entity/payments> <https://w3id.org/wiki-kb/ontology#dependsOn> "
        "<https://kb.example/entity/ana> .",
    )
    types = {o for s, p, o in facts if s == "https://kb.example/entity/payments" and p.endswith("#type")}
    assert KB + "System" not in types
    assert errors == []


def test_terms_are_documented_where_the_words_say_so() -> None:
    store = load(ONTOLOGIES)
    defined = {q.subject for q in store.quads_for_pattern(None, ox.NamedNode(RDFS + "isDefinedBy"), None)}
    headers = {q.subject for q in store.quads_for_pattern(None, None, ox.NamedNode(OWL + "Ontology"))}
    assert len(defined) > 60
    assert defined & headers == set()
