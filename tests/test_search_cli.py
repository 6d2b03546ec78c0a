"""`kb search`: what is found, how it is shown, and what it says when there is nothing to search or to search with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_help import Kb, write_wiki
from lookup_help import built_wiki

import kb
from kb.config import Config
from kb.embed.hashing import HashingProvider
from kb.embed.provider import Provider
from kb.errors import EmbeddingError, UnknownNameError
from kb.knowledge_base import KnowledgeBase

QUERY = "make config immutable"
ALWAYS = {"node_id", "score", "cosine_score", "lexical_score", "degraded", "kind", "concept", "label", "text"}


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


# -- what is found ---------------------------------------------------------------------


def test_the_field_that_is_asked_for_comes_first(base: KnowledgeBase) -> None:
    first, second = base.search(QUERY, top_k=2)
    assert first["node_id"] == "field:deployment_config:immutable"
    assert second["node_id"] == "caveat:deployment_config:no-way-back"
    assert base.search("zero decimal currencies", 1)[0]["node_id"] == "caveat:currency_codes:zero-decimal"


def test_each_kind_of_hit_has_what_its_kind_adds(base: KnowledgeBase) -> None:
    added = {
        "concept": set(),
        "field": {"field", "value_type"},
        "caveat": {"severity", "applies_to"},
        "entity": {"entity"},
        "section": {"page", "start", "end"},
    }
    for kind, keys in added.items():
        hit = base.search("the cart and the deployment config", 1, kinds=[kind])[0]
        assert (set(hit), hit["kind"]) == (ALWAYS | keys, kind)
    field = base.search(QUERY, 1, kinds=["field"])[0]
    assert (field["field"], field["value_type"], field["label"]) == (
        "immutable",
        "boolean",
        "deployment_config.immutable",
    )
    caveat = base.search("no way back", 1, kinds=["caveat"], concepts=["deployment_config"])[0]
    assert isinstance(caveat["applies_to"], list)
    section = base.search("who leads the web crew", 1, kinds=["section"])[0]
    assert (section["page"], section["start"]) == ("teams", 9)


def test_the_score_is_the_sum_of_both_parts_capped_at_one(base: KnowledgeBase) -> None:
    weight = base.index.provider.lexical_weight
    for hit in base.search(QUERY, 10):
        assert hit["score"] == pytest.approx(min(1, hit["cosine_score"] + weight * hit["lexical_score"]))
        assert not hit["degraded"]
    text = base.search(QUERY, 1)[0]["text"]
    (same, *_) = base.search(text, 1)
    assert (same["text"], same["score"]) == (text, 1.0)


def test_only_chosen_concepts_and_kinds_are_searched(base: KnowledgeBase) -> None:
    found = base.search("values of the config", 20, concepts=["currency_codes", "service"])
    assert {hit["concept"] for hit in found} == {"currency_codes", "service"}
    found = base.search("values of the config", 20, concepts=["currency_codes"], kinds=["field", "concept"])
    assert sorted(hit["node_id"] for hit in found) == [
        "concept:currency_codes",
        "field:currency_codes:code",
        "field:currency_codes:values",
    ]


@pytest.mark.parametrize(
    ("chosen", "near"),
    [({"concepts": ["deploy_config"]}, "deployment_config"), ({"kinds": ["feild"]}, "field")],
)
def test_an_unknown_concept_or_kind_is_an_error_with_near_names(
    base: KnowledgeBase, chosen: dict[str, Any], near: str
) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{near}'") as caught:
        base.search(QUERY, **chosen)
    assert caught.value.near[0] == near


def test_one_text_is_no_list_of_concepts(base: KnowledgeBase) -> None:
    with pytest.raises(TypeError, match=r"\['service'\]"):
        base.search(QUERY, concepts="service")
    assert base.search(QUERY, concepts=[]) == base.search(QUERY, kinds=[]) == []


# -- the command -----------------------------------------------------------------------


def test_hits_are_shown_with_rank_score_node_id_kind_and_what_they_say(cmd: Kb, wiki: Path) -> None:
    ran = cmd("search", QUERY, "-k", "2", "--kb", wiki)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("1. ")
    assert lines[0].endswith("  field:deployment_config:immutable")
    assert lines[1:3] == ["   field (boolean): Refuses every change to the config once it is out.", ""]
    assert lines[3].endswith("  caveat:deployment_config:no-way-back")
    assert lines[4] == "   caveat (high): An immutable config cannot be made mutable again."
    assert len(lines) == 5


def test_every_kind_is_readable_at_80_columns(cmd: Kb, wiki: Path) -> None:
    for query in (QUERY, "who leads the web crew", "cart db", "zero decimal currencies"):
        ran = cmd("search", query, "--top-k", "20", "--kb", wiki)
        assert max(map(len, ran.out.splitlines())) <= 80
    entity = cmd("search", "cart basket", "--kind", "entity", "-k", "1", "--kb", wiki).out
    assert "\n   entity: Cart (service). also called Basket. internal\n" in entity
    section = cmd("search", "led by Ada", "--kind", "section", "-k", "1", "--kb", wiki).out
    assert "\n   section: Teams: “Web Crew is led by Ada Ek." in section
    concept = cmd("search", "release rolled out", "--kind", "concept", "-k", "1", "--kb", wiki).out
    assert "\n   concept: How a release is rolled out to the machines. Fields:" in concept


def test_a_long_section_is_shown_from_the_sentence_that_fits(cmd: Kb, tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    filler = "Nothing that anybody asks for stands in this sentence. "
    text = f"# Shop\n\n{filler * 15}Refunds leave the till at noon. {filler * 3}\n"
    (folder / "pages" / "shop.md").write_text(text, encoding="utf-8")
    kb.build(folder)
    out = cmd("search", "when do refunds leave the till?", "-k", "1", "--kb", folder).out
    assert "\n   section: Shop: “… Refunds leave the till at noon. Nothing that" in out
    assert len(out.splitlines()) <= 5


def test_json_is_a_list_of_what_python_gives(cmd: Kb, wiki: Path, base: KnowledgeBase) -> None:
    ran = cmd("search", "make", "config", "immutable", "--json", "--kb", wiki)
    assert json.loads(ran.out) == base.search(QUERY)
    assert len(json.loads(ran.out)) == 5


def test_options_choose_concepts_and_kinds(cmd: Kb, wiki: Path) -> None:
    args = ("--concept", "currency_codes", "--concept", "deployment_config", "--kind", "caveat", "--json")
    found = json.loads(cmd("search", "values", *args, "--kb", wiki).out)
    assert {hit["kind"] for hit in found} == {"caveat"}
    assert {hit["concept"] for hit in found} <= {"currency_codes", "deployment_config"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--concept", "deploy_config"), "there is no concept 'deploy_config' in the index; did you mean"),
        (("--kind", "feild"), "there is no kind 'feild' in the index; did you mean 'field'?"),
        (("-k", "0"), "0 is not in the range x>=1"),
    ],
)
def test_wrong_options_are_wrong_usage(cmd: Kb, wiki: Path, args: tuple[str, ...], message: str) -> None:
    ran = cmd("search", QUERY, *args, "--kb", wiki)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_query_without_words_is_wrong_usage(cmd: Kb, wiki: Path) -> None:
    assert cmd("search", " ", "--kb", wiki).code == 2
    assert cmd("search", "--kb", wiki).code == 2


# -- nothing to search, nothing to search with --------------------------------------------


def test_an_index_without_rows_gives_nothing_and_embeds_nothing(
    cmd: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kb.toml").write_text('[kb]\nbase = "https://kb.test.example/"\n', encoding="utf-8")
    (tmp_path / "pages").mkdir()
    kb.build(tmp_path)
    monkeypatch.setattr(HashingProvider, "embed", None)
    ran = cmd("search", QUERY, "--concept", "whatever", "--kb", tmp_path)
    assert (ran.code, ran.out) == (0, "Nothing found: the index is empty.\n")
    assert json.loads(cmd("search", QUERY, "--json", "--kb", tmp_path).out) == []


def test_the_query_is_embedded_as_kb_toml_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is the one that made the index; address, key and limits are those of kb.toml."""
    folder = write_wiki(tmp_path)
    kb.build(folder)
    asked: list[tuple[str, Path]] = []

    def provider_of(identity: str, config: Config) -> Provider:
        asked.append((identity, config.root))
        return HashingProvider()

    monkeypatch.setattr("kb.embed.provider.provider_of", provider_of)
    with kb.open(folder) as base:
        assert base.search("cart")
    assert asked == [("hashing/2", folder.resolve())]


@pytest.fixture
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """What embeds queries cannot be reached."""

    def fails(*_: object, **__: object) -> None:
        raise EmbeddingError("the endpoint cannot be reached")

    monkeypatch.setattr(HashingProvider, "embed", fails)


@pytest.mark.usefixtures("no_vectors")
def test_a_degraded_search_says_so_on_stderr_and_in_json(cmd: Kb, wiki: Path) -> None:
    ran = cmd("search", QUERY, "--kb", wiki)
    assert ran.code == 0
    assert ran.err == (
        "Warning: only the words of the query were looked for, since it could not be embedded: "
        "the endpoint cannot be reached\n"
    )
    found = json.loads(cmd("search", QUERY, "--json", "--kb", wiki).out)
    assert found[0]["node_id"] == "caveat:deployment_config:no-way-back"
    for hit in found:
        assert (hit["degraded"], hit["degraded_reason"]) == (True, "query_embedding_failed")
        assert hit["cosine_score"] is None
        assert hit["lexical_score"] > 0
    shares = [hit["lexical_score"] for hit in found]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.usefixtures("no_vectors")
def test_a_degraded_search_finds_nothing_where_no_text_has_a_word_of_the_query(cmd: Kb, wiki: Path) -> None:
    ran = cmd("search", "zyzzyva", "--kb", wiki)
    assert (ran.code, ran.out) == (0, "Nothing found.\n")
    assert "the endpoint cannot be reached" in ran.err
    assert json.loads(cmd("search", "zyzzyva", "--json", "--kb", wiki).out) == []


def test_nothing_that_fits_is_no_error(cmd: Kb, wiki: Path) -> None:
    ran = cmd("search", "the", "of", "--kb", wiki)
    assert (ran.code, ran.out) == (0, "Nothing found.\n")


def test_where_nothing_was_built_the_command_that_helps_is_named(cmd: Kb, tmp_path: Path) -> None:
    ran = cmd("search", QUERY, "--kb", write_wiki(tmp_path))
    assert ran.code == 3
    assert "run `kb build`" in ran.err


def test_a_damaged_index_is_told_with_the_command_that_helps(cmd: Kb, wiki: Path, tmp_path: Path) -> None:
    own = shutil.copytree(wiki, tmp_path / "wiki")
    current = (own / "kg" / "CURRENT").read_text(encoding="utf-8").strip()
    (own / "kg" / "generations" / current / "index.json").write_text("{}", encoding="utf-8")
    ran = cmd("search", QUERY, "--kb", own)
    assert ran.code == 3
    assert "index.json" in ran.err
    assert "kb build --force" in ran.err
