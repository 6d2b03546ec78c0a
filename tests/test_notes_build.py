"""Schema notes on their way through a build: graph, verdicts, rows; and what a change costs."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from notes_help import BASE, Embedded, note, notes_base, published, rows, write_note
from pipeline_help import quads

import kb
from kb.errors import ConfigError, NoKnowledgeBaseError
from kb.index.vectors import IndexFiles
from kb.model import Entity

KB = "https://w3id.org/wiki-kb/ontology#"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return notes_base(tmp_path / "base")


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Embedded:
    return Embedded(monkeypatch)


def named(folder: Path, concept: str) -> set[str]:
    """The triples of a concept's graph, without the base."""
    graph = ox.NamedNode(f"{BASE}graph/schema/{concept}")
    found = published(folder).open_store().quads_for_pattern(None, None, None, graph)
    return {str(quad.triple).replace(f"{BASE}entity/", "").replace(KB, "") for quad in found}


def test_a_note_becomes_a_graph_of_its_own_and_rows_of_three_kinds(base: Path) -> None:
    report = kb.build(base)
    assert report.schemas == {"files": 2, "failed": 0, "concepts": 2, "fields": 4, "caveats": 2, "facts": 8}
    assert (report["rebuilt"], report["skipped"]) == (["garden", "pond"], [])
    assert (report["nodes"], report["edges"]) == (8, 8)
    triples = named(base, "garden")
    assert "<concept:garden> <hasField> <field:garden:size>" in triples
    assert "<caveat:garden:slow> <appliesTo> <field:garden:size>" in triples
    assert '<caveat:garden:slow> <severity> "high"' in triples
    assert '<concept:garden> <reviewStatus> "draft"' in triples
    assert not any("pond" in one for one in triples)
    assert [row for row, _ in rows(base)] == [
        *("caveat:garden:slow", "concept:garden", "field:garden:size", "field:garden:colour"),
        *("caveat:pond:slow", "concept:pond", "field:pond:size", "field:pond:colour"),
    ]


def test_facts_of_notes_are_part_of_what_questions_see_with_their_file_as_source(base: Path) -> None:
    kb.build(base)
    with kb.open(base) as opened:
        answer = opened.run({"start": "field:garden:size", "hops": ["~applies_to", "~has_caveat"]})
        assert [(one.id, one.label) for one in answer.answers] == [("concept:garden", "garden")]
        sources = [source.page for edge in answer.answers[0].witness for source in edge.sources]
        assert sources == ["schemas/garden.schema.yaml"] * 2
        assert opened.entity("caveat:pond:slow") == Entity("caveat:pond:slow", "caveat", "Grows slowly.")
        assert opened.entity("caveat:pond:none") is None


def test_a_build_without_changes_publishes_embeds_and_parses_nothing(
    base: Path, embedded: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kb.build(base)
    embedded.take()
    for name in ("kb.pipeline.load_vocabulary", "kb.pipeline.load_catalogue", "kb.pipeline.load_records"):
        monkeypatch.setattr(name, None)
    again = kb.build(base)
    assert (again.changed, again.generation, embedded.take()) == (False, first.generation, [])
    assert (again.rebuilt, again.skipped) == ([], ["garden", "pond"])


def test_one_changed_text_is_embedded_and_no_other(base: Path, embedded: Embedded) -> None:
    kb.build(base)
    embedded.take()
    write_note(base, "pond", note("pond", caveats=[("slow", "Grows slowly."), ("deep", "Is deeper than it looks.")]))
    report = kb.build(base)
    assert (report.rebuilt, report.skipped) == (["pond"], ["garden"])
    assert report.work["schemas_read"] == 1
    assert report.work["texts_embedded"] == 2
    # Besides, the caveats of the note by themselves, to be compared.
    assert sorted(embedded.take()) == [
        "Caveat [high] pond: Is deeper than it looks.",
        "Concept: pond. What pond is. Fields: size, colour. Caveats: Grows slowly. Is deeper than it looks.",
        "Grows slowly.",
        "Is deeper than it looks.",
    ]


def test_what_only_the_review_says_is_published_without_an_embedding(base: Path, embedded: Embedded) -> None:
    kb.build(base)
    before = rows(base)
    embedded.take()
    write_note(base, "pond", note("pond", status="reviewed"))
    report = kb.build(base)
    assert (report.changed, report.rebuilt, embedded.take()) == (True, [], [])
    assert '<concept:pond> <reviewStatus> "reviewed"' in named(base, "pond")
    assert rows(base) == before
    catalog = json.loads(published(base).read("catalog.json"))
    assert [row["concepts"]["pond"]["review"] for row in catalog if "pond" in row["concepts"]] == [
        {"status": "reviewed"}
    ]


def test_the_catalog_binds_file_digests_counts_and_fingerprint(base: Path) -> None:
    kb.build(base)
    first = json.loads(published(base).read("catalog.json"))
    path = write_note(base, "pond", note("pond", status="reviewed"))
    path.write_text("# a remark\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    kb.build(base)
    second = json.loads(published(base).read("catalog.json"))
    was, now = ({row["path"]: row for row in one}["schemas/pond.schema.yaml"] for one in (first, second))
    assert was["digest"] != now["digest"]
    same = ("semantic", "chunks", "chunker", "fields", "caveats")
    assert {key: was["concepts"]["pond"][key] for key in same} == {key: now["concepts"]["pond"][key] for key in same}
    assert (now["concepts"]["pond"]["fields"], now["concepts"]["pond"]["caveats"]) == (2, 1)


def test_a_note_that_goes_takes_graph_rows_and_records_with_it(base: Path) -> None:
    kb.build(base)
    (base / "schemas" / "pond.schema.yaml").unlink()
    report = kb.build(base)
    assert (report.schemas["concepts"], report["nodes"]) == (1, 4)
    assert not any("pond" in quad for quad in quads(base))


def test_a_file_with_faults_keeps_what_it_said_and_stops_no_other(base: Path) -> None:
    kb.build(base)
    before = named(base, "pond")
    write_note(base, "pond", note("pond").replace("applies_to: size", "applies_to: sise"))
    write_note(base, "garden", note("garden", fields=("width",)))
    report = kb.build(base)
    assert report.exit_code == 1
    assert [fault for fault in report.faults if "sise" in fault and fault.startswith("schemas/pond.schema.yaml:11: ")]
    assert (report.rebuilt, named(base, "pond")) == (["garden"], before)
    assert (report.schemas["failed"], report.pages["failed"]) == (1, 0)
    again = kb.build(base)
    assert (again.changed, again.exit_code) == (False, 1)
    write_note(base, "pond", note("pond"))
    assert kb.build(base).exit_code == 0


def test_a_file_with_faults_keeps_its_graph_and_rows_when_everything_else_is_made_anew(base: Path) -> None:
    kb.build(base)
    before, texts = named(base, "pond"), [row for row in rows(base) if ":pond" in row[0]]
    (base / "catalogue.yaml").write_text("entities:\n  - {id: shop, type: service, name: Shop}\n", encoding="utf-8")
    write_note(base, "pond", "concept: [")
    report = kb.build(base)
    assert (report.exit_code, report.entities) == (1, 1)
    assert named(base, "pond") == before
    assert [row for row in rows(base) if ":pond" in row[0]] == texts
    write_note(base, "pond", note("pond", fields=("depth",)))
    assert kb.build(base).exit_code == 0
    assert "<concept:pond> <hasField> <field:pond:depth>" in named(base, "pond")


def test_two_notes_on_one_concept_are_told_and_the_first_one_counts(base: Path) -> None:
    write_note(base, "zoo", note("pond", fields=("cage",)))
    report = kb.build(base)
    told = "schemas/zoo.schema.yaml:1: concept 'pond' has a note in schemas/pond.schema.yaml already; "
    assert report.faults == [told + "rename or remove one of the two"]
    assert report.exit_code == 1
    assert not any("cage" in one for one in named(base, "pond"))
    (base / "schemas" / "pond.schema.yaml").unlink()
    assert kb.build(base).exit_code == 0
    assert any("cage" in one for one in named(base, "pond"))


def test_shapes_decide_what_of_a_note_is_a_fact(base: Path) -> None:
    (base / "shapes.ttl").write_text(
        "@prefix : <https://w3id.org/wiki-kb/ontology#> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        "<https://kb.notes.test/shapes#OneField> a sh:PropertyShape ; sh:targetClass :Concept ; sh:path :hasField ;\n"
        '  sh:maxCount 1 ; sh:severity sh:Violation ; sh:message "One field is enough." .\n',
        encoding="utf-8",
    )
    config = f'[kb]\nbase = "{BASE}"\nshapes = "shapes.ttl"\n'
    (base / "kb.toml").write_text(config, encoding="utf-8")
    report = kb.build(base)
    assert report.exit_code == 1
    assert {row["relation"] for row in report.rejections} == {"has_field"}
    assert any("One field is enough." in str(row["reason"]) for row in report.rejections)
    assert not any("hasField" in one for one in named(base, "pond"))
    assert kb.build(base).exit_code == 1


def test_an_unknown_severity_is_a_warning_that_names_the_file(base: Path) -> None:
    write_note(base, "pond", note("pond", severity="awful"))
    report = kb.build(base)
    assert (report.exit_code, report.contradictions) == (0, [])
    assert [one for one in report.warnings if one.startswith("schemas/pond.schema.yaml: caveat:pond:slow: ")]
    write_note(base, "garden", note("garden", fields=("width",)))
    assert any("awful" in one for one in kb.build(base).warnings)
    write_note(base, "pond", note("pond"))
    assert not any("awful" in one for one in kb.build(base).warnings)


def test_any_chain_of_changes_ends_where_a_build_from_nothing_does(base: Path, tmp_path: Path) -> None:
    rng = random.Random(7)
    concepts = [f"bed-{number}" for number in range(6)]
    for step in range(10):
        concept = rng.choice(concepts)
        path = base / "schemas" / f"{concept}.schema.yaml"
        if path.exists() and rng.random() < 0.25:
            path.unlink()
        else:
            fields = rng.sample(["size", "colour", "shape", "age"], rng.randint(1, 4))
            caveats = [(f"c{n}", f"Summary {rng.randint(1, 4)}.") for n in range(rng.randint(0, 3))]
            write_note(base, concept, note(concept, fields, caveats, status=rng.choice(["draft", "reviewed"])))
        kb.build(base)
        fresh = tmp_path / f"fresh-{step}"
        shutil.copytree(base, fresh, ignore=shutil.ignore_patterns("kg"))
        kb.build(fresh)
        assert quads(base) == quads(fresh)
        assert rows(base) == rows(fresh)


def test_another_provider_makes_all_vectors_anew_without_force(
    base: Path, embedded: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.build(base)
    embedded.take()
    monkeypatch.setattr("kb.embed.hashing.HashingProvider.identity", "hashing/other")
    monkeypatch.setattr("kb.embed.opening.HASHING", "hashing/other")
    report = kb.build(base)
    assert (report.changed, report.rebuilt, len(embedded.take())) == (True, ["garden", "pond"], 8)
    assert published(base).meta["embedding"]["identity"] == "hashing/other"
    assert any("by hashing/other instead of hashing/" in one for one in report.warnings)
    assert kb.build(base).changed is False


def test_notes_of_another_domain_bring_their_module_along(base: Path) -> None:
    (base / "own.ttl").write_text(
        "@prefix e: <https://own.example/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        '@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\ne:Plant a owl:Class ; rdfs:label "plant"@en .\n',
        encoding="utf-8",
    )
    (base / "kb.toml").write_text(f'[kb]\nbase = "{BASE}"\nontology = "own.ttl"\n', encoding="utf-8")
    assert kb.build(base).schemas["facts"] == 8


def test_notes_are_built_without_a_kb_toml(base: Path, tmp_path: Path) -> None:
    report = kb.build(schema_dir=base / "schemas", kg_dir=tmp_path / "built")
    with kb.open(tmp_path / "built") as opened:
        assert opened.search("colour of the pond", 1)[0]["node_id"] == "field:pond:colour"
        assert opened.status()["stale"] is False
    with pytest.raises(NoKnowledgeBaseError, match="--out"):
        kb.build(tmp_path / "built")
    assert (report["rebuilt"], report["dedup_candidates"], report["new_dedup_candidates"]) == (["garden", "pond"], 0, 0)
    assert (tmp_path / "built" / "CURRENT").is_file()
    with pytest.raises(ConfigError, match="no such folder"):
        kb.build(schema_dir=tmp_path / "none")


def test_notes_built_by_their_folder_do_not_replace_the_wiki_beside_them(base: Path) -> None:
    (base / "pages").mkdir(exist_ok=True)
    (base / "pages" / "one.md").write_text("# One\n\nText.\n", encoding="utf-8")
    whole = kb.build(base)
    for folders in ({}, {"kg_dir": base / "kg"}):
        again = kb.build(schema_dir=base / "schemas", **folders)
        assert (again.generation, again.changed, again.pages["total"]) == (whole.generation, False, 1)


@pytest.mark.parametrize("name", ["vectors.npy", "nodes.jsonl", "partitions.json", "index.json"])
def test_rows_of_a_damaged_index_are_made_anew_and_nothing_is_read_twice_for_it(base: Path, name: str) -> None:
    kb.build(base)
    before = rows(base)
    path = published(base).path / name
    data = bytearray(path.read_bytes())
    data[len(data) - len(data) // 4] ^= 1
    path.write_bytes(bytes(data))
    write_note(base, "lake", note("lake"))
    report = kb.build(base)
    assert (report.changed, report.exit_code) == (True, 0)
    assert [row for row in rows(base) if "lake" not in row[0]] == before
    IndexFiles(published(base).path).verify()


def test_a_field_is_found_by_its_id_as_well_as_by_its_name(base: Path) -> None:
    text = note("pond", fields=("agc",)).replace("id: agc,", 'id: agc, name: "automatic gain",')
    write_note(base, "pond", text)
    kb.build(base)
    assert dict(rows(base))["field:pond:agc"].startswith("Field pond.automatic gain [agc] (text)")
    assert "Fields: automatic gain [agc]." in dict(rows(base))["concept:pond"]
