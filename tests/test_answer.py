"""Answers name the facts they rest on, with page and quote, at a cost that does not follow the number of answers."""

from __future__ import annotations

import json
from typing import Any

import pyoxigraph as ox
from plan_oracle import World
from plan_world import IRIS, entities, store, vocabulary

from kb.ask.answer import Answer, run_plan
from kb.ask.plan import parse_plan
from kb.sources.catalogue import Catalogue

WORLD = World(
    {"saw": "saw", "file": "tool", "vice": "tool", "hall": "place", "yard": "place"},
    {
        ("saw", "links_to", "file"),
        ("file", "links_to", "vice"),
        ("vice", "links_to", "saw"),
        ("vice", "made_of", "hall"),
        ("file", "made_of", "hall"),
        ("saw", "made_of", "yard"),
        ("hall", "near", "yard"),
    },
    {"vice": {"sharp": False}},
)
PAGES: dict[tuple[str, str, str], list[tuple[str, str | None]]] = {
    ("saw", "links_to", "file"): [("tools/b", "the saw links to the file"), ("tools/a", "saw → file")],
    ("file", "links_to", "vice"): [("tools.yaml", None), ("tools/b", "file, then\n vice"), ("tools/b", "again: vice")],
    ("vice", "made_of", "hall"): [("tools.yaml", None)],
    ("hall", "near", "yard"): [("places", "the hall is near the yard")],
}
CATALOGUE = Catalogue(entities(WORLD))


def ask(plan: dict[str, Any], catalogue: Catalogue | None = CATALOGUE, **options: Any) -> Answer:
    return run_plan(store(WORLD, PAGES), plan, vocabulary(), IRIS, catalogue, **options)


class Counting:
    """A store that counts the queries it is asked."""

    def __init__(self, graph: ox.Store) -> None:
        self.graph, self.asked = graph, 0

    def query(self, text: str) -> object:
        self.asked += 1
        return self.graph.query(text)


def test_an_answer_is_written_like_this() -> None:
    data = {"start": "saw", "hops": ["links_to*"], "where": {}}
    answer = ask(data)
    assert answer.to_json() == {
        "answers": [
            {
                "id": "file",
                "label": "FILE",
                "type": "tool",
                "witness": [
                    {
                        "subject": "saw",
                        "relation": "links_to",
                        "object": "file",
                        "page": "tools/a",
                        "quote": "saw → file",
                        "pages": [
                            {"page": "tools/a", "quote": "saw → file"},
                            {"page": "tools/b", "quote": "the saw links to the file"},
                        ],
                    }
                ],
            },
            {
                "id": "vice",
                "label": "VICE",
                "type": "tool",
                "witness": [
                    answer.answers[0].witness[0].to_json(),
                    {
                        "subject": "file",
                        "relation": "links_to",
                        "object": "vice",
                        "page": "tools/b",
                        "quote": "again: vice",
                        "pages": [
                            {"page": "tools/b", "quote": "again: vice"},
                            {"page": "tools/b", "quote": "file, then\n vice"},
                            {"page": "tools.yaml", "quote": None},
                        ],
                    },
                ],
            },
        ],
        "plan": data,
        "sparql": answer.sparql,
        "method": "graph",
    }
    assert json.loads(json.dumps(answer.to_json())) == answer.to_json()


def test_a_fact_keeps_its_direction_when_a_hop_goes_backwards() -> None:
    [one] = ask({"start": "vice", "hops": ["linked_from"]}).answers
    assert [(edge.subject, edge.relation, edge.object) for edge in one.witness] == [("file", "links_to", "vice")]


def test_a_fact_of_the_catalogue_alone_names_its_file() -> None:
    [one] = ask({"start": "vice", "hops": ["made_of"]}).answers
    assert (one.witness[0].page, one.witness[0].quote) == ("tools.yaml", None)


def test_a_fact_that_nobody_recorded_has_no_page() -> None:
    [one] = ask({"start": "saw", "hops": ["made_of"]}).answers
    assert (one.witness[0].page, one.witness[0].quote, one.witness[0].sources) == (None, None, ())


def test_relations_that_conditions_ask_for_stand_beside_the_chain() -> None:
    [one] = ask(
        {"start": "saw", "hops": ["links_to*"], "where": {"made_of": ["hall", "yard"], "sharp": False}}
    ).answers[1:]
    assert one.id == "vice"
    assert [(edge.subject, edge.object, edge.page) for edge in one.because] == [("vice", "hall", "tools.yaml")]
    assert one.to_json()["because"] == [edge.to_json() for edge in one.because]


def test_every_plan_of_an_all_contributes_its_chain() -> None:
    [one] = ask({"all": [{"start": "hall", "hops": ["~made_of"]}, {"start": "saw", "hops": ["links_to"]}]}).answers
    assert [(edge.subject, edge.object) for edge in one.witness] == [("file", "hall")]
    assert [(edge.subject, edge.object) for edge in one.because] == [("saw", "file")]


def test_a_count_by_hops_names_its_members_and_one_chain_a_group() -> None:
    answer = ask({"count": {"where": {"type": "thing"}}, "by": ["made_of"]})
    assert answer.groups is not None
    assert [(group.id, group.count, group.members) for group in answer.groups] == [
        ("hall", 2, ("file", "vice")),
        ("yard", 1, ("saw",)),
    ]
    assert [(one.id, one.count, len(one.witness)) for one in answer.answers] == [("hall", 2, 1), ("yard", 1, 1)]
    assert answer.to_json()["groups"][1] == {"id": "yard", "label": "YARD", "count": 1, "members": ["saw"]}
    assert answer.to_json()["answers"][1]["count"] == 1


def test_a_count_says_how_many_and_which() -> None:
    answer = ask({"count": {"where": {"type": "tool"}}})
    assert answer.count == 3
    assert answer.to_json()["count"] == 3
    assert [one.id for one in answer.answers] == ["file", "saw", "vice"]
    assert ask({"count": {"where": {"type": "saw", "sharp": True}}}).count == 0


def test_rows_say_in_words_what_an_answer_rests_on() -> None:
    row = ask({"start": "saw", "hops": ["links_to*"], "where": {"made_of": "hall"}}).rows()[1]
    assert (row.id, row.label, row.count) == ("vice", "VICE", None)
    assert row.steps == (
        "SAW links to FILE (tools/a and 1 more): “saw → file”",
        "FILE links to VICE (tools/b and 1 more): “again: vice”",
        "VICE made of HALL (tools.yaml)",
    )
    [row] = ask({"start": "saw", "hops": ["made_of"]}).rows()
    assert row.steps == ("SAW made of YARD",)


def test_without_a_catalogue_names_and_types_come_from_the_store() -> None:
    data = {"start": "saw", "hops": ["links_to*", "made_of*"]}
    assert ask(data, None).to_json() == ask(data).to_json()


def test_without_witnesses_one_query_is_enough() -> None:
    graph = Counting(store(WORLD, PAGES))
    plan = {"start": "saw", "hops": ["links_to*"], "where": {"made_of": "hall"}}
    answer = run_plan(graph, plan, vocabulary(), IRIS, CATALOGUE, witnesses=False)  # type: ignore[arg-type]
    assert graph.asked == 1
    assert [(one.id, one.witness, one.because) for one in answer.answers] == [("file", (), ()), ("vice", (), ())]


def test_work_follows_the_depth_of_the_search_and_not_the_number_of_answers() -> None:
    """A tree of depth 3 with 900 leaves: one query for the plan, one a level, three for conditions, sources, names."""
    names = [f"n{number}" for number in range(931)]
    edges = {(f"n{(number - 1) // 30}", "links_to", name) for number, name in enumerate(names) if number}
    edges |= {(name, "made_of", "hall") for name in names}
    world = World({**dict.fromkeys(names, "tool"), "hall": "place"}, edges)
    pages = {edge: [("page", " ".join(edge))] for edge in edges}
    graph = Counting(store(world, pages))  # type: ignore[arg-type]
    data = {"start": "n0", "hops": ["links_to*"], "where": {"made_of": "hall"}}
    plan = parse_plan(data, vocabulary(), entities(world))
    answer = run_plan(graph, plan, vocabulary(), IRIS, Catalogue(entities(world)))  # type: ignore[arg-type]
    assert len(answer.answers) == 930
    assert all(edge.quote for one in answer.answers for edge in (*one.witness, *one.because))
    facts = 930 * 2
    assert graph.asked <= 1 + 3 + 1 + -(-facts // 1000) + 1


def test_the_same_graph_gives_the_same_witness_whatever_the_order_of_loading() -> None:
    first, second = store(WORLD, PAGES), ox.Store()
    for quad in sorted(first, key=str, reverse=True):
        second.add(quad)
    for data in (
        {"start": "saw", "hops": ["links_to*", "made_of"]},
        {"where": {"type": "place"}, "hops": ["~made_of*"]},
    ):
        one, two = (run_plan(graph, data, vocabulary(), IRIS) for graph in (first, second))
        assert one == two


def test_what_is_no_entity_of_the_catalogue_keeps_its_iri_as_id() -> None:
    graph = store(WORLD)
    foreign = ox.NamedNode("https://elsewhere.example/thing")
    graph.add(ox.Quad(ox.NamedNode(IRIS.entity("saw")), ox.NamedNode(vocabulary().relations["near"].iri), foreign))
    [one] = run_plan(graph, {"start": "saw", "hops": ["near"]}, vocabulary(), IRIS, CATALOGUE).answers
    assert (one.id, one.label, one.type) == (foreign.value, foreign.value, None)
