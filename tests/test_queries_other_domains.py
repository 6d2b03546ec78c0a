"""The queries of the library that name no term of a subject area, on a museum; those about notes, on schema notes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kb
from kb.config import packaged
from kb.errors import QueryError
from kb.graph.library import list_queries
from kb.graph.prefixes import query_prefixes, shortened

MUSEUM = Path(__file__).parent / "domains" / "museum"
NOTES = Path(__file__).resolve().parent.parent / "examples" / "notes"

# query, parameters, number of rows, one of the rows
ON_THE_MUSEUM: list[tuple[str, dict[str, str], int, str]] = [
    ("count_coverage", {}, 8, "harbourmuseum:Artwork 7 6 1"),
    ("count_facts", {}, 9, "harbourmuseum:locatedIn 9"),
    ("count_graphs", {}, 17, "graph:page/exhibitions/reading-the-water 6"),
    ("count_rejections", {}, 0, ""),
    ("count_types", {}, 8, "harbourmuseum:Artwork 7 6"),
    ("find_circles", {}, 0, ""),
    ("list_contradictions", {}, 2, "vell-astrolabe harbourmuseum:onLoanFrom … page:house/loans"),
    ("list_differences", {"relation": "on_loan_from"}, 1, "vell-astrolabe kestrel-foundation page:house/loans …"),
    ("list_entities", {"type": "wing"}, 2, "harbourmuseum:Wing north-wing North Wing"),
    ("list_factless_pages", {}, 1, "page:minutes-2026-05 Keepers' meeting, May 0"),
    ("list_hints", {}, 1, "study-for-low-tide harbourmuseum:locatedIn …"),
    ("list_neighbours", {"entity": "ice-fleet"}, 5, "ice-fleet harbourmuseum:createdBy elske-maurits 1"),
    ("list_orphans", {}, 1, "harbourmuseum:Artwork study-for-low-tide Study for Low Tide"),
    ("list_pageless_entities", {"type": "instrument"}, 3, "harbourmuseum:Instrument brass-octant Brass Octant"),
    ("list_pages", {}, 15, "page:works/instruments 7 0"),
    ("list_rejections", {}, 0, ""),
    ("list_shared_names", {}, 0, ""),
    ("list_single_source_facts", {"relation": "on_loan_from"}, 2, "vell-astrolabe … page:works/instruments"),
    ("list_uncatalogued_facts", {"relation": "on_loan_from"}, 8, "brass-octant … arkwell-estate page:house/loans"),
    ("list_unwritten_entities", {"type": "artwork"}, 1, "harbourmuseum:Artwork study-for-low-tide …"),
    ("list_unwritten_facts", {}, 0, ""),
    ("rank_cited_pages", {}, 14, "page:works/instruments 7 6"),
    ("show_evidence", {"entity": "north-wing"}, 1, "north-wing harbourmuseum:partOf customs-house …"),
    ("show_facts", {"entity": "ice-fleet"}, 14, "ice-fleet harbourmuseum:createdBy elske-maurits"),
    ("show_provenance", {"subject": "ice-fleet", "relation": "created_by"}, 1, "harbourmuseum:createdBy … phrases/1 -"),
]
ON_NOTES: list[tuple[str, dict[str, str], int, str]] = [
    ("list_caveats", {"severity": "critical"}, 2, "concept:currency_codes critical field:currency_codes:amount …"),
    ("list_caveats", {"field": "field:connection_pool:maxLifetime"}, 3, "concept:connection_pool low …"),
    ("list_caveats", {"concept": "concept:connection_pool"}, 6, "concept:connection_pool high …"),
    ("list_unreviewed_concepts", {}, 2, "concept:rate_limits rate_limits draft 4"),
    ("list_unreviewed_concepts", {"done": "draft"}, 11, "concept:feature_flags feature_flags outdated 4"),
    ("count_types", {}, 3, "kb:Concept 12 12"),
]


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    return built(MUSEUM, tmp_path_factory.mktemp("museum") / "museum")


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    return built(NOTES, tmp_path_factory.mktemp("notes") / "notes")


def built(source: Path, folder: Path) -> kb.KnowledgeBase:
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("kg"))
    kb.build(folder)
    return kb.open(folder)


def rows(base: kb.KnowledgeBase, name: str, given: dict[str, str]) -> list[str]:
    result = base.query(name, parameters=given)
    prefixes = query_prefixes(base.iris, base.vocabulary)

    def shown(term: object) -> str:
        value = "-" if term is None else str(getattr(term, "value", term))
        return shortened(value, base.iris, prefixes) if "://" in value else value

    return [" ".join(map(shown, row)) for row in result.rows or result.triples]


def has(found: list[str], wanted: str) -> bool:
    start, _, end = wanted.partition("…")
    return any(row.startswith(start.strip()) and row.endswith(end.strip()) for row in found)


@pytest.mark.parametrize(("name", "given", "count", "row"), ON_THE_MUSEUM)
def test_a_query_without_terms_of_a_subject_area_answers_on_another_one(
    museum: kb.KnowledgeBase, name: str, given: dict[str, str], count: int, row: str
) -> None:
    found = rows(museum, name, given)
    assert len(found) == count
    assert not row or has(found, row), found


@pytest.mark.parametrize(("name", "given", "count", "row"), ON_NOTES)
def test_a_query_about_notes_answers_on_schema_notes(
    notes: kb.KnowledgeBase, name: str, given: dict[str, str], count: int, row: str
) -> None:
    found = rows(notes, name, given)
    assert len(found) == count
    assert has(found, row), found


def test_every_query_that_fits_the_museum_is_run_on_it(museum: kb.KnowledgeBase) -> None:
    from kb.graph.fitting import Fitting

    fitting = Fitting(museum.iris, lambda: museum.vocabulary, lambda: museum.entities, lambda: museum.store)
    prefixes = query_prefixes(museum.iris, museum.vocabulary)
    library = list_queries([packaged("queries")])
    assert {name for name, query in library.items() if not fitting.unknown(query.text, prefixes)} == {
        name for name, *_ in ON_THE_MUSEUM
    }


@pytest.mark.parametrize(
    ("parameters", "meant"),
    [
        ({"concept": "retry_policy"}, "concept:retry_policy"),
        ({"field": "connection_pool.maxLifetime"}, "field:connection_pool:maxLifetime"),
    ],
)
def test_a_short_name_of_a_note_is_answered_with_its_id(
    notes: kb.KnowledgeBase, parameters: dict[str, str], meant: str
) -> None:
    with pytest.raises(QueryError, match=f"did you mean '{meant}'"):
        notes.query("list_caveats", parameters=parameters)
