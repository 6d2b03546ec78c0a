"""FileSchemaProvider: schema notes for programs that know two folders and no kb.toml."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from index_help import Counting
from lookup_help import add_notes, built_wiki

import kb
from kb.embed.provider import Vectors
from kb.errors import GenerationError, NoKnowledgeBaseError, UnknownNameError
from kb.generations import Generations
from kb.schema_provider import FileSchemaProvider


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `schemas` and `kg`, and without kb.toml. Not to be changed."""
    folder = built_wiki(tmp_path_factory.mktemp("notes"))
    (folder / "kb.toml").unlink()
    (folder / "schemas").mkdir(exist_ok=True)
    return folder


def test_search_gives_concepts_fields_and_caveats_and_nothing_of_the_wiki(folder: Path) -> None:
    with FileSchemaProvider(folder / "schemas", kg_dir=folder / "kg") as provider:
        results = provider.search("make config immutable", top_k=5, concepts=None)
        assert results[0]["node_id"] == "field:deployment_config:immutable"
        assert 0 < results[0]["score"] <= 1
        everything = provider.search("the cart of the shop and its config", top_k=50)
    assert {hit["kind"] for hit in everything} == {"concept", "field", "caveat"}


def test_the_published_folder_is_looked_for_beside_the_notes(folder: Path) -> None:
    with FileSchemaProvider(folder / "schemas") as provider:
        assert len(provider.search("immutable", top_k=2)) == 2


def test_only_chosen_concepts_are_searched(folder: Path) -> None:
    with FileSchemaProvider(folder / "schemas") as provider:
        found = provider.search("make config immutable", concepts=["currency_codes"])
        assert {hit["concept"] for hit in found} == {"currency_codes"}
        assert provider.search("make config immutable", concepts=["Currency-Codes"]) == found
        with pytest.raises(UnknownNameError, match="did you mean 'currency_codes'"):
            provider.search("make config immutable", concepts=["curency_codes"])
        with pytest.raises(UnknownNameError, match="there is no concept 'service'"):
            provider.search("make config immutable", concepts=["service"])  # a type of the wiki's entities


def test_get_and_related_answer_from_the_graph(folder: Path) -> None:
    with FileSchemaProvider(folder / "schemas") as provider:
        assert provider.get("deployment_config")["review"] == {"status": "reviewed"}
        field = provider.get("deployment_config", "values")
        assert (field["value_type"], len(field["caveats"])) == ("map", 1)
        related = provider.related("deployment_config", "values")
        assert [one["id"] for one in related] == ["no-way-back"]
        assert len(provider.related("deployment_config")) == 3
        with pytest.raises(UnknownNameError, match="did you mean 'values'"):
            provider.get("deployment_config", "value")


def test_it_gives_what_the_knowledge_base_gives(tmp_path: Path) -> None:
    wiki = built_wiki(tmp_path)
    kinds = ("concept", "field", "caveat")
    with kb.open(wiki) as base, FileSchemaProvider(wiki / "schemas") as provider:
        assert provider.search("zero decimals") == base.search("zero decimals", kinds=kinds)
        assert provider.get("currency_codes", "code") == base.get("currency_codes", "code")


def test_queries_are_embedded_by_the_provider_that_is_given(folder: Path) -> None:
    counting = Counting()
    with FileSchemaProvider(folder / "schemas", provider=counting) as provider:
        provider.search("immutable")
    assert counting.texts == ["immutable"]


def test_a_provider_that_did_not_make_the_index_is_refused(folder: Path) -> None:
    other = Counting("other/1")
    with FileSchemaProvider(folder / "schemas", provider=other) as provider, pytest.raises(GenerationError):
        provider.search("immutable")
    assert other.texts == []


def test_a_query_vector_of_another_length_is_refused_and_not_taken_for_a_failure(folder: Path) -> None:
    class Short(Counting):
        """Does not know how long its vectors are before it has made one."""

        dimension = None

        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            return np.full((len(texts), 4), 0.5, dtype=np.float32)

    with FileSchemaProvider(folder / "schemas", provider=Short()) as provider:
        with pytest.raises(GenerationError, match="4") as caught:
            provider.search("immutable")
        assert "kb build --force" in str(caught.value)


def test_nothing_is_built_and_the_command_that_builds_is_named(tmp_path: Path) -> None:
    provider = FileSchemaProvider(tmp_path / "schemas", kg_dir=tmp_path / "kg")
    for ask in (lambda: provider.search("x"), lambda: provider.get("x"), lambda: provider.related("x", "y")):
        with pytest.raises(NoKnowledgeBaseError, match="run `kb build`"):
            ask()
    assert list(tmp_path.iterdir()) == []


def test_what_was_opened_stays_while_later_builds_publish_and_prune(folder: Path, tmp_path: Path) -> None:
    own = shutil.copytree(folder, tmp_path / "own")
    (own / "kb.toml").write_text('[kb]\nbase = "https://kb.test.example/"\n', encoding="utf-8")
    provider = FileSchemaProvider(own / "schemas")
    first = provider.generation.name
    for _ in range(2):
        add_notes(own)
    assert first not in Generations(own / "kg").prune(keep=1)
    assert provider.search("immutable")
    provider.close()
    provider.close()
    assert first in Generations(own / "kg").prune(keep=1)
    with pytest.raises(GenerationError, match="closed"):
        provider.search("immutable")


def test_several_threads_may_ask_at_once(folder: Path) -> None:
    found: list[str] = []
    with FileSchemaProvider(folder / "schemas") as provider:

        def ask() -> None:
            found.append(provider.search("make config immutable", 1)[0]["node_id"])
            found.append(provider.get("deployment_config", "immutable")["node_id"])

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["field:deployment_config:immutable"] * 16


def test_search_parses_no_file_of_the_notes(folder: Path) -> None:
    code = (
        "import sys; from kb.schema_provider import FileSchemaProvider\n"
        f"assert FileSchemaProvider({str(folder / 'schemas')!r}).search('immutable')\n"
        "print([name for name in sys.modules if name.startswith('kb.sources.schemas')])\n"
        "print('yaml' in sys.modules and sys.modules['yaml'].CSafeLoader.get_single_data.calls)"
    )
    counting = (
        "import yaml\n"
        "def counted(self, really=yaml.CSafeLoader.get_single_data):\n"
        "    counted.calls += 1\n"
        "    return really(self)\n"
        "counted.calls = 0\n"
        "yaml.CSafeLoader.get_single_data = counted\n"
    )
    done = subprocess.run([sys.executable, "-c", counting + code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n0\n"
