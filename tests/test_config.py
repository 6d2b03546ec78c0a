"""`kb.toml`: defaults, and a clear sentence for everything that can be wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.config import CONFIG_NAME, load_config, packaged
from kb.errors import ConfigError, NoKnowledgeBaseError

BASE = '[kb]\nbase = "https://kb.example/"\n'


def write(folder: Path, text: str) -> Path:
    (folder / CONFIG_NAME).write_text(text, encoding="utf-8")
    return folder


def test_a_base_is_enough(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, BASE))
    assert config.base == "https://kb.example/"
    assert config.root == tmp_path.resolve()
    assert config.store == tmp_path.resolve() / "kg"
    assert (config.pages, config.catalogue, config.reader) == (None, (), "phrases")
    assert [path.name for path in config.ontology] == ["systems.ttl", "schemas.ttl"]
    assert [path.name for path in config.shapes] == ["systems.ttl", "schemas.ttl"]
    assert all(path.is_file() for path in (*config.ontology, *config.shapes))


def test_pages_and_catalogue_are_found_where_one_expects_them(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "catalogue.json").write_text("{}")
    config = load_config(write(tmp_path, BASE))
    assert config.pages == tmp_path.resolve() / "pages"
    assert config.catalogue == (tmp_path.resolve() / "catalogue.json",)


def test_an_own_ontology_does_not_get_the_packaged_shapes(tmp_path: Path) -> None:
    (tmp_path / "my.ttl").touch()
    config = load_config(write(tmp_path, BASE + 'ontology = "my.ttl"\n'))
    assert config.ontology == (tmp_path.resolve() / "my.ttl",)
    assert config.shapes == ()


def test_text_and_list_say_the_same(tmp_path: Path) -> None:
    for name in ("a.ttl", "b.ttl", "c.yaml"):
        (tmp_path / name).touch()
    text = BASE + 'ontology = ["a.ttl"]\nshapes = ["b.ttl"]\n[sources]\ncatalogue = ["c.yaml"]\n'
    as_lists = load_config(write(tmp_path, text))
    assert load_config(write(tmp_path, text.replace('["', '"').replace('"]', '"'))) == as_lists


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, "\ufeff" + BASE)).base == "https://kb.example/"


def test_paths_are_shown_as_seen_from_the_knowledge_base(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, BASE))
    assert config.shown(config.root / "pages" / "a.md") == "pages/a.md"
    assert config.shown(Path("/elsewhere/a.ttl")) == "/elsewhere/a.ttl"


def test_free_sections_are_handed_on(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, BASE + '[llm]\nmodel = "m"\nworkers = 4\n'))
    assert config.llm == {"model": "m", "workers": 4}


@pytest.mark.parametrize("name", ["ontology", "shapes", "queries"])
def test_packaged_folders_are_there(name: str) -> None:
    assert packaged(name).is_dir()


def test_a_folder_without_settings_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(NoKnowledgeBaseError, match="kb init"):
        load_config(tmp_path)
    with pytest.raises(NoKnowledgeBaseError, match="kb init"):
        load_config(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"\[kb\] needs base"),
        ("[kb]\n", r"\[kb\] needs base"),
        ("[kb\n", r"not valid TOML: .*line 1"),
        (BASE + 'base = "https://x/"\n', "not valid TOML: .*line 3"),
        ('[kb]\nbase = "kb.example"\n', r"kb\.toml: base = 'kb\.example' is not an absolute IRI"),
        ("[kb]\nbase = 7\n", r"\[kb\] base must be text, not 7"),
        (BASE + "ontology = 3\n", r"\[kb\] ontology must be text or a list of texts, not 3"),
        (BASE + "ontology = [3]\n", r"\[kb\] ontology must be text or a list of texts, not \[3\]"),
        (BASE + 'ontologie = "o.ttl"\n', r"unknown key 'ontologie' in \[kb\]; did you mean 'ontology'\?"),
        (BASE + 'zzz = "o.ttl"\n', r"unknown key 'zzz' in \[kb\]; known: base, ontology, shapes, store"),
        (BASE + '[source]\npages = "p"\n', r"unknown section \[source\]; did you mean 'sources'\?"),
        ('base = "https://kb.example/"\n', r"'base' stands outside any section; put it below \[kb\]"),
        ('pages = "p"\n' + BASE, r"'pages' stands outside any section; put it below \[sources\]"),
        ("kb = 3\n", r"'kb' is a section; write \[kb\]"),
        (BASE + 'store = "https://graph.example/sparql"\n', "is an address; name a folder"),
        (BASE + '[read]\nreader = "magic"\n', "reader = 'magic' is unknown; known: phrases"),
        (BASE + 'ontology = "no.ttl"\n', "ontology names 'no.ttl', which does not exist"),
        (BASE + 'shapes = ["no.ttl"]\n', "shapes names 'no.ttl', which does not exist"),
        (BASE + '[sources]\ncatalogue = "no.yaml"\n', "catalogue names 'no.yaml', which does not exist"),
        (BASE + '[sources]\npages = "no"\n', "pages names 'no', which is not a folder"),
        (BASE + '[sources]\npages = "kb.toml"\n', r"pages names 'kb\.toml', which is not a folder"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        load_config(write(tmp_path, text))
    assert str(tmp_path / CONFIG_NAME) in str(raised.value)


def test_undecodable_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_bytes(b'[kb]\nbase = "\xff"\n')
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_config(tmp_path)
