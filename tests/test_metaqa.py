"""A third domain, films: relations of the MetaQA questions over a small graph of films that were never made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from kb.ask.answer import run_plan
from kb.ask.plan import parse_plan
from kb.config import load_config
from kb.iris import Iris
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

FOLDER = Path(__file__).parent / "domains" / "movies"
IRIS = Iris("https://kb.films.example/")

SCOTCH = 'Hop "Scotch" | 2'


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    config = load_config(FOLDER)
    return load_vocabulary(config.ontology, config.shapes)


@pytest.fixture(scope="module")
def catalogue(vocabulary: Vocabulary) -> Catalogue:
    return load_catalogue([FOLDER / "catalogue.yaml"], vocabulary, load_config(FOLDER))


@pytest.fixture(scope="module")
def films(vocabulary: Vocabulary) -> ox.Store:
    graph = ox.Store()
    for line in (FOLDER / "facts.txt").read_text(encoding="utf-8").splitlines():
        left, _, object_ = line.rpartition("|")
        subject, _, relation = left.rpartition("|")
        ends = ox.NamedNode(IRIS.entity(subject)), ox.NamedNode(IRIS.entity(object_))
        graph.add(ox.Quad(ends[0], ox.NamedNode(vocabulary.relations[relation].iri), ends[1]))
    return graph


def test_the_ontology_has_nothing_to_add(vocabulary: Vocabulary) -> None:
    assert vocabulary.advice == ()
    assert len(vocabulary.relations) == 9
    assert all(relation.inverse for relation in vocabulary.relations.values())


def test_every_fact_is_between_entities_of_the_types_that_its_relation_joins(
    vocabulary: Vocabulary, catalogue: Catalogue, films: ox.Store
) -> None:
    by_iri = {relation.iri: relation for relation in vocabulary.relations.values()}
    for subject, predicate, object_, _ in films:
        assert isinstance(subject, ox.NamedNode)
        assert isinstance(object_, ox.NamedNode)
        types = [catalogue.entities[IRIS.entity_id(end.value) or ""].type for end in (subject, object_)]
        assert vocabulary.fits(by_iri[predicate.value], *types)
    assert {quad.predicate.value for quad in films} == set(by_iri)


@pytest.mark.parametrize(
    ("start", "path", "answers"),
    [
        ("Nora Field", ["~starred_actors"], ["Salt Road", "The Lighthouse Keeper"]),
        ("Nora Field", ["starred_in"], ["Salt Road", "The Lighthouse Keeper"]),
        ("What's Left?", ["written_by"], ["Ivo Lang", "Jón Ás"]),
        ("solitude", ["tag_of"], ["The Lighthouse Keeper", "What's Left?"]),
        ("Ada Brandt", ["~directed_by", "has_genre"], ["Drama", "Western"]),
        ("Danish", ["language_of", "directed_by"], ["Ada Brandt", "Jón Ás"]),
        (SCOTCH, ["directed_by", "~directed_by"], [SCOTCH, "What's Left?"]),
        ("1969", ["starred_actors", "~starred_actors", "release_year"], ["1987", "2011"]),
        ("Salt Road", ["starred_actors", "~starred_actors*", "directed_by"], ["Ada Brandt", "Nora Field"]),
        ("good", ["rating_of", "has_imdb_votes"], ["unknown"]),
    ],
)
def test_relation_paths_of_questions_find_their_answers(
    vocabulary: Vocabulary, catalogue: Catalogue, films: ox.Store, start: str, path: list[str], answers: list[str]
) -> None:
    answer = run_plan(films, {"start": start, "hops": path}, vocabulary, IRIS, catalogue)
    assert [one.id for one in answer.answers] == answers
    assert all(len(one.witness) >= len(path) for one in answer.answers)


def test_other_films_leave_out_the_one_that_was_asked_about(
    vocabulary: Vocabulary, catalogue: Catalogue, films: ox.Store
) -> None:
    this: dict[str, Any] = {"start": "The Lighthouse Keeper"}
    others = {"except": [{**this, "hops": ["written_by", "wrote"]}, this]}
    plan = parse_plan({**others, "hops": ["starred_actors"]}, vocabulary, catalogue.entities)
    assert [one.id for one in run_plan(films, plan, vocabulary, IRIS, catalogue).answers] == ["Ada Brandt"]
