"""Builds of schema notes, from the files to search: what docs/index.md promises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyoxigraph as ox
import pytest
from index_help import Counting, write_format_1

import kb
from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors
from kb.errors import EmbeddingError, GenerationError, KbError
from kb.generations import Generations
from kb.index.search import Index
from kb.schema_provider import FileSchemaProvider

DEPLOYMENT = """\
concept: deployment_config
description: How a release is rolled out.
review: {status: reviewed, by: platform}
fields:
  - {id: immutable, type: boolean, description: Makes the config immutable.}
  - {id: values, type: map, description: Settings of the service.}
caveats:
  - {id: no_way_back, severity: high, summary: It cannot be turned off., evidence: HTTP 409., applies_to: [immutable]}
"""
OPERATORS = """\
concept: query_operators
fields:
  - {id: pipe, name: "|>", type: operator, description: Hands a value on.}
caveats:
  - {id: first, severity: low, summary: The pipe operator returns its first argument unchanged.}
  - {id: again, severity: low, summary: The first argument of the pipe operator is returned unchanged.}
"""


class Notes:
    """A folder of schema files, and the texts that builds and searches of it have embedded."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.provider: Counting = Counting()
        (folder / "kb.toml").write_text('[kb]\nbase = "https://kb.test.example/"\n', encoding="utf-8")
        (folder / "schemas").mkdir()
        self.write("deployment", DEPLOYMENT)
        self.write("operators", OPERATORS)
        monkeypatch.setattr("kb.pipeline.indexing.open_provider", lambda _: self.provider)
        monkeypatch.setattr("kb.pipeline.identity_of", lambda _: self.provider.identity)

    def write(self, name: str, text: str) -> None:
        (self.folder / "schemas" / f"{name}.schema.yaml").write_text(text, encoding="utf-8")

    def build(self, *, force: bool = False) -> Any:
        """The report of a build; `provider.texts` are then all that it embedded."""
        self.provider.texts.clear()
        return kb.build(self.folder, force=force)

    @property
    def published(self) -> Path:
        current = Generations(self.folder / "kg").current()
        assert current is not None
        return current.path

    @property
    def embedded(self) -> list[str]:
        """The texts of rows that the last build embedded; caveats are also compared without the head of their note."""
        return [text for text in self.provider.texts if text.startswith(("Concept: ", "Field ", "Caveat ["))]

    def json(self, name: str) -> Any:
        return json.loads((self.published / name).read_text(encoding="utf-8"))

    def lines(self) -> list[dict[str, Any]]:
        lines = (self.published / "nodes.jsonl").read_text(encoding="utf-8").splitlines()
        lines += self.delta("delta-nodes.jsonl")
        return [json.loads(line) for line in lines]

    def delta(self, name: str) -> list[str]:
        path = self.published / name
        return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    return Notes(tmp_path, monkeypatch)


# -- what a build makes -----------------------------------------------------------


def test_a_build_reports_what_it_made_and_what_it_skipped(notes: Notes) -> None:
    first = notes.build()
    assert (first["rebuilt"], first["skipped"]) == (["deployment_config", "query_operators"], [])
    # Two concepts, three fields, three caveats; six links from concepts, one from a caveat.
    assert (first["nodes"], first["edges"]) == (8, 7)
    notes.write("operators", OPERATORS.replace("Hands a value on.", "Hands a value to the next call."))
    second = notes.build()
    assert (second["rebuilt"], second["skipped"]) == (["query_operators"], ["deployment_config"])
    assert {"dedup_candidates", "new_dedup_candidates"} <= set(second.to_json())


def test_the_texts_of_nodes_are_those_of_the_outline(notes: Notes) -> None:
    notes.build()
    texts = {line["id"]: line["text"] for line in notes.lines()}
    assert texts["concept:deployment_config"] == (
        "Concept: deployment_config. How a release is rolled out. Fields: immutable, values. "
        "Caveats: It cannot be turned off."
    )
    assert texts["field:deployment_config:immutable"] == (
        "Field deployment_config.immutable (boolean): Makes the config immutable."
    )
    assert texts["caveat:deployment_config:no_way_back"] == (
        "Caveat [high] deployment_config: It cannot be turned off. Evidence: HTTP 409."
    )


def test_notes_are_linked_in_the_graph_of_their_concept(notes: Notes) -> None:
    notes.build()
    with kb.open(notes.folder) as base:
        graph = ox.NamedNode(base.iris.base + "graph/schema/deployment_config")
        found = {
            (base.iris.entity_id(quad.subject.value), quad.predicate.value.partition("#")[2], quad.object.value)
            for quad in base.store.quads_for_pattern(None, None, None, graph)
            if isinstance(quad.subject, ox.NamedNode) and isinstance(quad.object, ox.NamedNode)
        }
        links = {(s, p, base.iris.entity_id(o)) for s, p, o in found if p != ""}
        for part in (None, "values", "no_way_back"):
            assert base.get("deployment_config", part)["source"] == "schemas/deployment.schema.yaml"
    assert {one for one in links if one[2]} == {
        ("concept:deployment_config", "hasField", "field:deployment_config:immutable"),
        ("concept:deployment_config", "hasField", "field:deployment_config:values"),
        ("concept:deployment_config", "hasCaveat", "caveat:deployment_config:no_way_back"),
        ("caveat:deployment_config:no_way_back", "appliesTo", "field:deployment_config:immutable"),
    }


def test_the_files_can_be_read_with_numpy_and_json(notes: Notes) -> None:
    notes.build()
    vectors, lines = np.load(notes.published / "vectors.npy"), notes.lines()
    assert (vectors.dtype, len(vectors)) == (np.float32, len(lines))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(lines)), abs=1e-5)
    partitions = notes.json("partitions.json")
    for concept, (start, stop) in partitions.items():
        assert {line["concept"] for line in lines[start:stop]} == {concept}
    assert sorted(row for pair in partitions.values() for row in range(*pair)) == list(range(len(lines)))
    caveat = next(line for line in lines if line["id"] == "caveat:deployment_config:no_way_back")
    assert (caveat["kind"], caveat["severity"]) == ("caveat", "high")
    assert caveat["applies_to"] == ["field:deployment_config:immutable"]


def test_the_index_tells_its_format_and_what_made_it(notes: Notes) -> None:
    notes.build()
    meta = notes.json("index.json")
    assert (meta["provider"], meta["dtype"], meta["rows"]) == ("hashing/2", "float32", 8)
    assert meta["dimension"] == np.load(notes.published / "vectors.npy").shape[1]
    assert isinstance(meta["format"], int)


def test_the_catalogue_of_notes_has_digests_counts_and_review(notes: Notes) -> None:
    notes.build()
    found = notes.json("catalog.json")
    rows = found["files"] if isinstance(found, dict) else found
    row = next(one for one in rows if one["path"] == "schemas/deployment.schema.yaml")
    assert len(row["digest"]) == 64
    entry = row["concepts"]["deployment_config"]
    assert (entry["fields"], entry["caveats"], entry["review"]["status"]) == (2, 1, "reviewed")
    assert len(entry["semantic"]) == len(entry["chunks"]) == 64
    assert entry["chunker"]


# -- what a later build does again ----------------------------------------------------


def test_nothing_changed_keeps_the_generation_and_embeds_nothing(notes: Notes) -> None:
    first = notes.build()
    again = notes.build()
    assert (again.changed, again["generation"], notes.provider.texts) == (False, first["generation"], [])


def test_a_changed_text_is_embedded_and_no_other(notes: Notes) -> None:
    notes.build()
    assert len(notes.embedded) == 8
    notes.write("deployment", DEPLOYMENT.replace("Settings of the service.", "Settings for the service."))
    notes.build()
    assert notes.embedded == ["Field deployment_config.values (map): Settings for the service."]


@pytest.mark.parametrize(
    "changed",
    [DEPLOYMENT.replace("status: reviewed", "status: outdated"), DEPLOYMENT + "# A remark.\n"],
    ids=["review", "comment"],
)
def test_a_change_beside_the_texts_is_published_without_embedding(notes: Notes, changed: str) -> None:
    first = notes.build()
    before = notes.json("catalog.json")
    notes.write("deployment", changed)
    second = notes.build()
    assert second["generation"] != first["generation"]
    assert (notes.provider.texts, second["rebuilt"]) == ([], [])
    assert notes.json("catalog.json") != before


def test_a_note_that_moved_or_was_renamed_is_not_embedded_again(notes: Notes) -> None:
    notes.build()
    (notes.folder / "schemas" / "deployment.schema.yaml").rename(notes.folder / "schemas" / "moved.schema.yaml")
    notes.build()
    assert notes.provider.texts == []


def test_another_provider_embeds_everything_without_being_told(notes: Notes) -> None:
    notes.build()
    notes.provider = Counting("other/1")
    report = notes.build()
    assert len(notes.embedded) == 8
    assert (report["rebuilt"], report["skipped"]) == (["deployment_config", "query_operators"], [])
    assert notes.json("index.json")["provider"] == "other/1"


def test_force_embeds_everything_anew(notes: Notes) -> None:
    first = notes.build()
    assert notes.build(force=True)["generation"] != first["generation"]


def test_a_build_that_cannot_embed_leaves_what_was_published(notes: Notes) -> None:
    first = notes.build()

    class Failing(Counting):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            raise EmbeddingError("the endpoint cannot be reached")

    notes.provider = Failing()
    notes.write("operators", OPERATORS.replace("Hands a value on.", "Hands it on."))
    with pytest.raises(KbError, match="cannot be reached"):
        notes.build()
    assert notes.published.name == first["generation"]
    with kb.open(notes.folder) as base:
        assert base.get("query_operators", "pipe")["description"] == "Hands a value on."


def test_force_repairs_a_damaged_index(notes: Notes) -> None:
    notes.build()
    for name in ("index.json", "nodes.jsonl", "partitions.json"):
        path = notes.published / name
        path.write_bytes(path.read_bytes().replace(b"deployment", b"deplayment").replace(b"format", b"farmot"))
    with kb.open(notes.folder) as base, pytest.raises(GenerationError, match="kb build --force"):
        base.search("immutable")
    notes.build(force=True)
    with kb.open(notes.folder) as base:
        assert base.search("make config immutable", 1)[0]["node_id"] == "field:deployment_config:immutable"


def test_what_is_gone_from_the_notes_is_gone_from_graph_and_index(notes: Notes) -> None:
    notes.build()
    (notes.folder / "schemas" / "operators.schema.yaml").unlink()
    report = notes.build()
    assert (report["nodes"], notes.provider.texts) == (4, [])
    with kb.open(notes.folder) as base:
        assert {hit["concept"] for hit in base.search("the pipe operator", 20)} <= {"deployment_config"}
        with pytest.raises(KbError, match="no concept 'query_operators'"):
            base.get("query_operators", "pipe")


def test_an_index_of_format_1_still_answers(tmp_path: Path) -> None:
    write_format_1(tmp_path, {"orders": ["an order is shipped", "an order is paid"]}, HashingProvider())
    assert json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))["format"] == 1
    assert Index.open(tmp_path).search("who paid?", 1)[0].chunk.text == "an order is paid"


# -- near-duplicates, search -----------------------------------------------------------


def test_caveats_that_say_the_same_are_reported_and_new_only_once(notes: Notes) -> None:
    first = notes.build()
    assert (first["dedup_candidates"], first["new_dedup_candidates"]) == (1, 1)
    (pair,) = notes.json("dedup_report.json")["pairs"]
    assert {pair["a"], pair["b"]} == {"caveat:query_operators:first", "caveat:query_operators:again"}
    notes.write("deployment", DEPLOYMENT.replace("Settings of the service.", "Settings for it."))
    second = notes.build()
    assert (second["dedup_candidates"], second["new_dedup_candidates"]) == (1, 0)


def test_caveats_of_different_concepts_are_no_pair(notes: Notes) -> None:
    notes.write("operators", OPERATORS.replace("  - {id: again", "  # {id: again"))
    same = "summary: The pipe operator returns its first argument unchanged."
    notes.write("deployment", DEPLOYMENT.replace("summary: It cannot be turned off.", same))
    assert notes.build()["dedup_candidates"] == 0


def test_python_has_the_names_of_the_outline(notes: Notes) -> None:
    report = notes.build()
    for name in ("rebuilt", "skipped", "nodes", "edges", "dedup_candidates", "new_dedup_candidates"):
        assert report[name] == getattr(report, name)
    with FileSchemaProvider(notes.folder / "schemas", kg_dir=notes.folder / "kg") as provider:
        results = provider.search("make config immutable", top_k=5, concepts=None)
    assert results[0]["node_id"] == "field:deployment_config:immutable"
    assert results[0]["score"] <= 1


def test_signs_are_found_among_texts_that_are_nearer(notes: Notes) -> None:
    notes.build()
    with kb.open(notes.folder) as base:
        first = base.search("|>", 1)[0]
    assert (first["node_id"], first["lexical_score"]) == ("field:query_operators:pipe", 1.0)
