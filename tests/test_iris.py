"""Names and IRIs: exact both ways, for every id."""

from __future__ import annotations

import doctest

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kb.iris
import kb.names
from kb.errors import ConfigError
from kb.iris import Iris
from kb.names import local_name, namespace, snake_case

IRIS = Iris("https://kb.example")
# Mostly what is awkward in paths, besides arbitrary characters.
IDS = st.text(st.sampled_from('/.%#?: \\"<>{}|^`\n\té') | st.characters(), min_size=1)


@given(IDS)
@example("component:default/ledger db")
@example("..")
@example("a/../b")
@example("/a")
@example("//a///b/")
@example("100%25")
@example("50%")
@example("e\u0301")
@example("\ud800")
@example("🛰")
def test_an_id_survives_its_iri(entity_id: str) -> None:
    assert IRIS.entity_id(IRIS.entity(entity_id)) == entity_id
    assert IRIS.page_id(IRIS.page(entity_id)) == entity_id


@given(IDS)
def test_every_id_makes_a_valid_iri_that_no_client_rewrites(entity_id: str) -> None:
    for iri in (IRIS.entity(entity_id), IRIS.page(entity_id), IRIS.page_graph(entity_id), IRIS.source(entity_id)):
        assert ox.NamedNode(iri).value == iri
        path = iri.removeprefix("https://")
        assert "//" not in path
        assert not {".", ".."} & set(path.split("/"))


@given(IDS, IDS)
def test_different_ids_have_different_iris(one: str, other: str) -> None:
    assert (IRIS.entity(one) == IRIS.entity(other)) == (one == other)


@given(IDS)
def test_kinds_of_iris_do_not_overlap(name: str) -> None:
    assert IRIS.entity_id(IRIS.page(name)) is None
    assert IRIS.page_id(IRIS.entity(name)) is None
    assert IRIS.page_id(IRIS.page_graph(name)) is None


def test_ids_stay_readable_in_their_iris() -> None:
    assert IRIS.entity("ledger-db") == "https://kb.example/entity/ledger-db"
    assert IRIS.entity("user:default/zoë") == "https://kb.example/entity/user:default/zoë"
    assert IRIS.page("how to/deploy v1.2") == "https://kb.example/page/how%20to/deploy%20v1.2"


@pytest.mark.parametrize("base", ["https://kb.example/", "https://kb.example/wiki#", "urn:kb:", "https://kb.example/ü"])
def test_entities_stand_below_any_base(base: str) -> None:
    iris = Iris(base)
    assert iris.entity("a b").startswith(base)
    assert iris.entity_id(iris.entity("a b")) == "a b"
    ox.NamedNode(iris.entity("a b"))


@pytest.mark.parametrize("base", ["", "kb.example", "/kb/", "https:", "https://kb example/", "https://<kb>/", ":x"])
def test_a_base_that_is_no_absolute_iri_is_refused_with_an_example(base: str) -> None:
    with pytest.raises(ConfigError, match=r"write one such as https://kb\.example/"):
        Iris(base)


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("https://w3id.org/wiki-kb/ontology#dependsOn", "depends_on"),
        ("https://example.org/o/HTTPServer", "http_server"),
        ("https://example.org/o#API", "api"),
        ("https://example.org/o#on-display", "on_display"),
        ("https://example.org/o#Room2Key", "room2_key"),
        ("http://www.wikidata.org/prop/direct/P31", "p31"),
        ("http://purl.obolibrary.org/obo/BFO_0000050", "bfo_0000050"),
        ("https://example.org/o#gr%C3%B6%C3%9Fe", "größe"),
        ("urn:museum:hangsIn", "hangs_in"),
        ("https://example.org/o#dependsOn/", "depends_on"),
    ],
)
def test_a_term_is_called_by_the_snake_case_of_its_local_name(iri: str, name: str) -> None:
    assert snake_case(iri) == name


@given(st.from_regex(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*){0,3}", fullmatch=True))
def test_a_name_is_its_own_snake_case(name: str) -> None:
    assert snake_case(name) == name


def test_namespace_and_local_name_make_up_the_iri() -> None:
    for iri in ("https://example.org/o#dependsOn", "https://example.org/o/dependsOn", "urn:o:dependsOn"):
        assert namespace(iri) + local_name(iri) == iri


@pytest.mark.parametrize("module", [kb.iris, kb.names], ids=lambda module: module.__name__)
def test_examples_in_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
