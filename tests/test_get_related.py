"""`kb get` and `kb related`: what the graph holds about a node, what is linked to it, and what is merely like it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_help import Kb, write_wiki
from lookup_help import built_wiki

import kb
from kb.errors import UnknownNameError
from kb.knowledge_base import KnowledgeBase


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small wiki with schema notes, built. Not to be changed."""
    return built_wiki(tmp_path_factory.mktemp("wiki"))


@pytest.fixture(scope="module")
def base(wiki: Path) -> KnowledgeBase:
    return kb.open(wiki)


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [one["node_id"] for one in found]


# -- schema notes --------------------------------------------------------------


def test_a_concept_is_shown_with_its_description_review_fields_and_caveats(base: KnowledgeBase) -> None:
    found = base.get("deployment_config")
    assert found["node_id"] == "concept:deployment_config"
    assert found["description"] == "How a release is rolled out to the machines."
    assert found["review"] == {"status": "reviewed"}
    assert [(one["id"], one["value_type"]) for one in found["fields"]] == [
        ("immutable", "boolean"),
        ("replicas", "integer"),
        ("values", "map"),
    ]
    assert [(one["id"], one["severity"], one["applies_to"]) for one in found["caveats"]] == [
        ("no-way-back", "high", ["field:deployment_config:immutable", "field:deployment_config:values"]),
        ("zero-replicas", "medium", ["field:deployment_config:replicas"]),
        ("yaml-booleans", "low", []),
    ]


def test_a_field_is_shown_with_the_caveats_that_apply_to_it(base: KnowledgeBase) -> None:
    found = base.get("deployment_config", "values")
    assert found["node_id"] == "field:deployment_config:values"
    assert (found["name"], found["value_type"]) == ("values", "map")
    assert found["description"] == "Settings that are handed to the service."
    assert [(one["id"], one["summary"]) for one in found["caveats"]] == [
        ("no-way-back", "An immutable config cannot be made mutable again.")
    ]


def test_a_caveat_is_shown_with_its_evidence_and_its_fields(base: KnowledgeBase) -> None:
    found = base.get("deployment_config", "no-way-back")
    assert (found["kind"], found["severity"]) == ("caveat", "high")
    assert found["evidence"] == "The API answers 409 to every later patch."
    assert ids(found["fields"]) == ["field:deployment_config:immutable", "field:deployment_config:values"]


@pytest.mark.parametrize(
    "names",
    [
        ("currency_codes", "code"),
        ("Currency-Codes", "Code"),
        ("concept:currency_codes", "code"),
        ("field:currency_codes:code",),
        ("currency_codes:code",),
        ("currency_codes.Code",),
        ("Code",),
    ],
)
def test_a_field_goes_by_id_name_node_id_and_in_any_spelling(base: KnowledgeBase, names: tuple[str, ...]) -> None:
    assert base.get(*names)["node_id"] == "field:currency_codes:code"


def test_related_follows_applies_to_backwards_from_a_field(base: KnowledgeBase) -> None:
    assert ids(base.related("deployment_config", "immutable")["caveats"]) == ["caveat:deployment_config:no-way-back"]
    assert base.related("currency_codes", "values")["caveats"] == []


def test_related_gives_all_caveats_of_a_concept_and_the_fields_of_a_caveat(base: KnowledgeBase) -> None:
    assert len(base.related("deployment_config")["caveats"]) == 3
    fields = base.related("caveat:deployment_config:zero-replicas")["fields"]
    assert ids(fields) == ["field:deployment_config:replicas"]


# -- the wiki ---------------------------------------------------------------------


def test_an_entity_is_shown_with_names_attributes_and_facts_both_ways(base: KnowledgeBase) -> None:
    found = base.get("cart")
    assert (found["node_id"], found["type_label"], found["aliases"]) == ("entity:service:cart", "service", ["Basket"])
    assert found["attributes"] == {"public": False}
    facts = {(one["direction"], one["relation"], one["id"]): one for one in found["facts"]}
    assert sorted(facts) == [
        ("in", "depends_on", "shop"),
        ("out", "depends_on", "cart-db"),
        ("out", "owned_by", "ops"),
        ("out", "owned_by", "web"),
    ]
    assert facts["in", "depends_on", "shop"]["words"] == "dependency of"
    assert facts["out", "depends_on", "cart-db"]["sources"] == [
        {"page": "cart", "quote": "Cart depends on Cart DB."},
    ]


def test_related_of_an_entity_are_its_neighbours_and_apart_from_them_similar_texts(base: KnowledgeBase) -> None:
    found = base.related("Basket", similar=3)
    assert [one["id"] for one in found["facts"]] == [one["id"] for one in base.get("cart")["facts"]]
    assert len(found["similar"]) == 3
    linked = {"entity:service:cart", *ids(found["facts"])}
    assert linked.isdisjoint(ids(found["similar"]))
    scores = [one["score"] for one in found["similar"]]
    assert scores == sorted(scores, reverse=True)
    assert base.related("cart", similar=0)["similar"] == []


def test_nothing_is_embedded_to_find_similar_texts(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.embed.hashing.HashingProvider.embed", None)
    assert base.related("deployment_config", "replicas")["similar"]


def test_a_page_is_shown_with_its_sections_and_what_it_states(base: KnowledgeBase) -> None:
    found = base.get("page:teams")
    assert (found["title"], ids(found["sections"])) == ("Teams", ["section:teams:teams"])
    said = [(one["subject"]["id"], one["relation"], one["object"]["id"], one["quote"]) for one in found["facts"]]
    assert said == [
        ("web", "led_by", "ada", "Web Crew is led by Ada Ek."),
        ("cart", "owned_by", "ops", "Cart is owned by Ops Crew."),
    ]
    assert base.get("teams")["node_id"] == base.get("Teams")["node_id"] == "page:teams"


def test_a_section_is_shown_with_its_text_and_what_it_states(base: KnowledgeBase) -> None:
    found = base.get("section:shop:shop")
    assert found["text"].startswith("Shop\nShop calls Cart.")
    assert [one["object"]["id"] for one in found["facts"]] == ["cart", "web"]


def test_a_page_yields_to_the_thing_that_it_is_about(base: KnowledgeBase) -> None:
    assert base.get("shop")["node_id"] == "entity:service:shop"
    assert base.get("page:shop")["node_id"] == "page:shop"


# -- names that nothing or several things have -----------------------------------------


@pytest.mark.parametrize(
    ("names", "near"),
    [
        (("deploymnt_config", "values"), "deployment_config"),
        (("deployment_config", "imutable"), "immutable"),
        (("field:deployment_config:imutable",), "immutable"),
        (("caveat:currency_codes:zero_decimals",), "zero-decimal"),
        (("bascet",), "cart"),
        (("page:team",), "page:teams"),
        (("section:shop:shopp",), "section:shop:shop"),
        (("concept:curency_codes",), "concept:currency_codes"),
    ],
)
def test_near_names_are_proposed_for_one_that_nothing_has(
    base: KnowledgeBase, names: tuple[str, ...], near: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        base.get(*names)
    assert caught.value.near[0] == near
    assert f"{caught.value.near[0]!r}" in str(caught.value)


def test_an_entity_of_another_type_is_told_from_the_one_that_is_named(base: KnowledgeBase) -> None:
    assert base.get("entity:team:web")["name"] == "Web Crew"
    with pytest.raises(UnknownNameError, match="there is no entity 'person:web'"):
        base.get("entity:person:web")


def test_things_that_share_a_name_are_listed(base: KnowledgeBase) -> None:
    with pytest.raises(UnknownNameError) as caught:
        base.get("cart-db")
    assert caught.value.near == ("concept:cart-db", "entity:datastore:cart-db")
    with pytest.raises(UnknownNameError) as caught:
        base.get("values")
    assert sorted(caught.value.near) == ["field:currency_codes:values", "field:deployment_config:values"]
    for node_id in ("concept:cart-db", "entity:datastore:cart-db"):
        assert base.get(node_id)["node_id"] == node_id


@pytest.mark.parametrize(
    "name", ["x> } #", "'; DROP", "\\u003e", "?x", "a\nb", "%3E", "\udcff", "field:", ":", "::", "é" * 300]
)
def test_names_enter_queries_as_terms_whatever_they_hold(base: KnowledgeBase, name: str) -> None:
    for names in ((name,), ("deployment_config", name), (name, "values"), (f"field:{name}",), (f"section:{name}",)):
        with pytest.raises(UnknownNameError):
            base.related(*names)


# -- commands ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (("get", "deployment_config"), ["  Review status: reviewed", "  immutable  boolean"]),
        (("get", "deployment_config", "values"), ["  Value type: map", "Caveats that apply"]),
        (("get", "deployment_config", "no-way-back"), ["  Evidence: The API answers 409", "Applies to"]),
        (("get", "cart"), ["  service, also called Basket", "  public: no", "      cart: “Cart depends on Cart DB.”"]),
        (("get", "page:teams"), ["  section:teams:teams", "  Web Crew led by Ada Ek"]),
        (("get", "section:shop:shop"), ["  Shop calls Cart."]),
        (
            ("related", "deployment_config", "values"),
            ["Caveats that apply", "    caveat:deployment_config:no-way-back"],
        ),
        (("related", "deployment_config"), ["  low: Read yes and no as booleans"]),
        (("related", "cart"), ["  dependency of Shop (shop)", "Similar texts (no facts)"]),
        (("related", "page:teams"), ["Linked by facts", "  Cart owned by Ops Crew"]),
    ],
)
def test_commands_print_it_within_80_columns(cmd: Kb, wiki: Path, args: tuple[str, ...], lines: list[str]) -> None:
    ran = cmd(*args, "--kb", wiki)
    assert (ran.code, ran.err) == (0, "")
    for line in lines:
        assert f"\n{line}" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("names", [("deployment_config",), ("deployment_config", "values"), ("cart",), ("page:shop",)])
def test_json_is_what_python_gives(cmd: Kb, wiki: Path, base: KnowledgeBase, names: tuple[str, ...]) -> None:
    assert json.loads(cmd("get", *names, "--json", "--kb", wiki).out) == base.get(*names)
    assert json.loads(cmd("related", *names, "--json", "--kb", wiki).out) == base.related(*names)


def test_a_long_list_is_cut_and_the_cut_is_told(cmd: Kb, wiki: Path) -> None:
    assert "  … and 3 more; --limit 0 prints all\n" in cmd("get", "cart", "--limit", "1", "--kb", wiki).out
    assert "more; --limit" not in cmd("get", "cart", "--limit", "0", "--kb", wiki).out


def test_unknown_and_shared_names_are_wrong_usage(cmd: Kb, wiki: Path) -> None:
    ran = cmd("get", "deployment_config", "imutable", "--kb", wiki)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error: the concept deployment_config has no field or caveat 'imutable'; did you mean 'immutable'?\n"
    )
    ran = cmd("related", "cart-db", "--kb", wiki)
    assert ran.code == 2
    assert "'concept:cart-db' or 'entity:datastore:cart-db'" in ran.err


# -- other ontologies, other ids, no index ---------------------------------------------


def test_names_of_relations_and_attributes_come_from_the_ontology(cmd: Kb, tmp_path: Path) -> None:
    museum = tmp_path / "museum"
    shutil.copytree(Path(__file__).parent / "domains" / "museum", museum, ignore=shutil.ignore_patterns("kg"))
    kb.build(museum, statements=museum / "gold" / "triples.jsonl")
    with kb.open(museum) as base:
        found = base.get("Dusk")
        assert (found["node_id"], found["type_label"]) == ("entity:artwork:harbour-at-dusk", "artwork")
        assert found["attributes"] == {"inventory_number": "HM L.2019.3", "on_display": True, "year": 1838}
        relations = base.vocabulary.relations
        assert found["facts"]
        assert {one["relation"] for one in found["facts"]} <= set(relations)
        back = next(one for one in base.related("Customs House")["facts"] if one["direction"] == "in")
        inverse = relations[back["relation"]].inverse
        assert inverse is None or back["words"] == inverse.label
    assert "  on_display: yes\n" in cmd("get", "Dusk", "--kb", museum).out


def test_ids_with_colons_and_slashes_are_found(tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    text = "entities:\n  - {id: 'component:default/shop front', type: service, name: Shop}\n"
    (folder / "catalogue.yaml").write_text(text, encoding="utf-8")
    kb.build(folder)
    with kb.open(folder) as base:
        node_id = "entity:service:component:default/shop front"
        for name in ("component:default/shop front", node_id, "shop"):
            assert base.get(name)["node_id"] in (node_id, "page:shop")
        assert base.get(node_id)["id"] == "component:default/shop front"


def test_without_an_index_facts_are_shown_all_the_same(wiki: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with kb.open(wiki) as base:
        monkeypatch.setattr(base, "_index_files", lambda: None)
        assert base.get("page:teams")["sections"] == []
        found = base.related("deployment_config", "values")
    assert (len(found["caveats"]), found["similar"]) == (1, [])


def test_similar_texts_are_those_with_the_nearest_vectors(base: KnowledgeBase) -> None:
    found = base.related("page:teams", similar=4)
    linked = {end["node_id"] for fact in found["facts"] for end in (fact["subject"], fact["object"])}
    files = base.index.files
    chunks = [files.chunk(row) for row in range(files.rows)]
    embedded = base.index.provider.embed([chunk.text for chunk in chunks]).astype(float)
    wanted = embedded[[chunk.page == "teams" for chunk in chunks]].mean(axis=0)
    cosines = embedded @ (wanted / np.linalg.norm(wanted))
    best = sorted((-round(cosine, 12), row) for row, cosine in enumerate(cosines.tolist()))
    expected = [chunks[row].id for _, row in best if chunks[row].page != "teams" and chunks[row].id not in linked]
    assert ids(found["similar"]) == expected[:4]
    assert [one["score"] for one in found["similar"]] == sorted(
        (one["score"] for one in found["similar"]), reverse=True
    )
