"""The second domain under tests: a museum, so that nothing in `kb/` can lean on the shipped ontology."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.config import load_config
from kb.vocabulary import Vocabulary, load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"


def lines(name: str) -> list[dict[str, Any]]:
    text = (MUSEUM / "gold" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    config = load_config(MUSEUM)
    return load_vocabulary(config.ontology, config.shapes)


@pytest.fixture(scope="module")
def entities() -> dict[str, dict[str, Any]]:
    data = yaml.safe_load((MUSEUM / "catalogue.yaml").read_text(encoding="utf-8"))
    return {entity["id"]: entity for entity in data["entities"]}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    folder = MUSEUM / "pages"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.md")
    }


def test_the_ontology_has_nothing_to_add(vocabulary: Vocabulary) -> None:
    assert vocabulary.advice == ()


def test_the_domain_has_what_it_is_there_to_exercise(vocabulary: Vocabulary) -> None:
    assert len(vocabulary.relations) >= 6
    assert all(relation.inverse is not None for relation in vocabulary.relations.values())
    assert [r.name for r in vocabulary.relations.values() if r.transitive] == ["part_of"]
    assert [a.name for a in vocabulary.attributes.values() if a.boolean] == ["on_display"]
    assert "in storage" in vocabulary.attributes["on_display"].phrases_false
    assert vocabulary.descendants("place") == {"place", "room", "wing", "building"}


def test_surface_names_belong_to_one_entity(entities: Mapping[str, dict[str, Any]]) -> None:
    names = Counter(
        name for entity in entities.values() for name in {n.lower() for n in (entity["name"], *entity["aliases"])}
    )
    assert {name for name, count in names.items() if count > 1} == set()


def test_entities_use_types_and_attributes_of_the_ontology(
    vocabulary: Vocabulary, entities: Mapping[str, dict[str, Any]]
) -> None:
    for entity in entities.values():
        assert entity["type"] in vocabulary.classes
        assert set(entity) - {"id", "type", "name", "aliases", "description"} <= set(vocabulary.attributes)


@pytest.mark.parametrize("name", ["triples.jsonl", "traps.jsonl"])
def test_quotes_are_verbatim_in_their_page(name: str, pages: Mapping[str, str]) -> None:
    assert [row for row in lines(name) if row["quote"] not in pages[row["page"]]] == []


def test_gold_triples_have_known_ends_that_the_shapes_allow(
    vocabulary: Vocabulary, entities: Mapping[str, dict[str, Any]]
) -> None:
    for row in lines("triples.jsonl"):
        relation = vocabulary.relations[row["relation"]]
        subject, object_ = entities[row["subject"]]["type"], entities[row["object"]]["type"]
        assert vocabulary.fits(relation, subject, object_), row


def test_gold_lines_are_stated_once_per_page() -> None:
    keys = [(row["page"], row["subject"], row["relation"], row["object"]) for row in lines("triples.jsonl")]
    assert len(set(keys)) == len(keys)


def test_traps_are_no_gold_edges_and_name_known_relations(
    vocabulary: Vocabulary, entities: Mapping[str, dict[str, Any]]
) -> None:
    edges = {(row["subject"], row["relation"], row["object"]) for row in lines("triples.jsonl")}
    traps = lines("traps.jsonl")
    for row in traps:
        assert (row["subject"], row["relation"], row["object"]) not in edges
        assert row["relation"] in vocabulary.relations
        unknown = [end for end in (row["subject"], row["object"]) if end not in entities]
        assert len(unknown) == (row["why"] == "unknown_entity"), row
    assert {"negated", "past", "planned", "hypothetical", "opinion", "injected", "wrong_type"} <= {
        row["why"] for row in traps
    }


class Oracle:
    """Plans by plain set operations."""

    def __init__(self, vocabulary: Vocabulary, entities: Mapping[str, dict[str, Any]]) -> None:
        self.vocabulary, self.entities = vocabulary, entities
        self.edges: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in lines("triples.jsonl"):
            self.edges[row["relation"], row["subject"]].add(row["object"])
            self.edges["~" + row["relation"], row["object"]].add(row["subject"])

    def step(self, relation: str, nodes: Iterable[str]) -> set[str]:
        return {found for node in nodes for found in self.edges.get((relation, node), ())}

    def hop(self, start: set[str], hop: str) -> set[str]:
        relation = hop.rstrip("*")
        found = front = self.step(relation, start)
        if relation == hop:
            return found
        while front:
            front = self.step(relation, front) - found
            found = found | front
        return found - start

    def fits(self, node: str, key: str, value: object) -> bool:
        if key == "type":
            return self.entities[node]["type"] in self.vocabulary.descendants(str(value))
        return bool(self.entities[node].get(key) == value)

    def run(self, plan: Mapping[str, Any]) -> list[str]:
        nodes = {plan["start"]}
        for hop in plan["hops"]:
            nodes = self.hop(nodes, hop)
        return sorted(
            node for node in nodes if all(self.fits(node, key, value) for key, value in plan["where"].items())
        )


def test_answers_are_what_their_plans_give_on_the_gold_graph(
    vocabulary: Vocabulary, entities: Mapping[str, dict[str, Any]]
) -> None:
    questions = lines("questions.jsonl")
    oracle = Oracle(vocabulary, entities)
    assert len({row["question"] for row in questions}) == len(questions) == 30
    for row in questions:
        assert row["answer"] == oracle.run(row["plan"]), row
        assert (row["type"] == "none") == (row["answer"] == [])
