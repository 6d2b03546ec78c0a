"""Whole roads, on the shipped example and on a museum: from pages to facts, from questions to answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kb
from kb.evaluate import Evaluation, evaluate

ROOT = Path(__file__).resolve().parent.parent
DOMAINS = {"larkspur": ROOT / "examples" / "larkspur", "museum": Path(__file__).parent / "domains" / "museum"}


def build(domain: str, folder: Path, *, from_gold: bool) -> Path:
    target = folder / domain
    shutil.copytree(DOMAINS[domain], target, ignore=shutil.ignore_patterns("kg"))
    report = kb.build(target, statements=target / "gold" / "triples.jsonl" if from_gold else None)
    assert report.exit_code == 0, report.faults
    return target


@pytest.fixture(scope="module", params=sorted(DOMAINS))
def gold_graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp("gold"), from_gold=True)


@pytest.fixture(scope="module", params=sorted(DOMAINS))
def read_graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp("read"), from_gold=False)


def scores(folder: Path, *, plans: bool = False) -> Evaluation:
    with kb.open(folder) as opened:
        return evaluate(opened, folder / "gold", plans=plans)


def test_gold_statements_become_exactly_the_gold_facts(gold_graph: Path) -> None:
    found = scores(gold_graph, plans=True)
    assert found.triples is not None
    assert (found.triples["precision"], found.triples["recall"]) == (1.0, 1.0)
    assert not found.triples["reversed"]


def test_gold_plans_on_the_gold_graph_give_exactly_the_gold_answers(gold_graph: Path) -> None:
    found = scores(gold_graph, plans=True)
    assert {mean for means in found.answers.values() for mean in means.values()} == {1.0}


def test_the_planner_understands_most_questions(gold_graph: Path) -> None:
    assert scores(gold_graph).answers["graph"]["all"] >= 0.7


def test_reading_is_precise_finds_most_and_obeys_no_page(read_graph: Path) -> None:
    found = scores(read_graph).triples
    assert found is not None
    assert found["precision"] >= 0.9
    assert found["recall"] >= 0.6
    assert found["traps"]["by_kind"]["injected"]["taken"] == 0


def test_what_a_page_contradicts_is_kept_and_reported_with_both_pages(read_graph: Path) -> None:
    with kb.open(read_graph) as opened:
        rows = opened.query(
            "SELECT ?page WHERE { GRAPH ?g { ?result sh:resultSeverity sh:Warning ; kb:onPage ?page } }"
        ).rows
    assert len(rows) == 2
