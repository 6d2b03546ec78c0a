"""The folder of schema files: what is looked at, what counts as a note, and what a digest tells."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from schemas_help import Notes

from kb.config import load_config
from kb.sources import schemas
from kb.sources.schemas import SchemaSource, _source

NOTE = "concept: c\ndescription: x\n"
DEFINING = """
    groups:
      - id: registry.pool
        type: attribute_group
        brief: Of pools.
        attributes:
          - {id: pool.size, type: int, brief: "How large."}
"""
REFERRING = """
    groups:
      - id: span.pool
        type: span
        brief: A span.
        attributes:
          - ref: pool.size
"""


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path)


def test_files_of_three_suffixes_are_found_in_all_folders(notes: Notes) -> None:
    for name in ("b.yml", "a.yaml", "deep/er/c.json", "d.txt", ".hidden/e.yaml", "docs.md"):
        notes.write(name, "{}")
    files, faults = notes.source.scan()
    assert [one.shown for one in files] == ["schemas/a.yaml", "schemas/b.yml", "schemas/deep/er/c.json"]
    assert (files[0].size, faults) == (2, [])


def test_without_a_folder_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text('[kb]\nbase = "https://kb.test/"\n', encoding="utf-8")
    assert SchemaSource(load_config(tmp_path)).scan() == ([], [])


def test_what_cannot_be_looked_at_is_told(notes: Notes) -> None:
    (notes.folder / "a.yaml").symlink_to("/etc/passwd")
    _, faults = notes.source.scan()
    assert [fault.file for fault in faults] == ["schemas/a.yaml"]
    assert "leads out of the folder" in faults[0].message


def test_another_file_is_a_warning_and_a_misnamed_one_a_fault(notes: Notes) -> None:
    notes.write("dbt_project.yml", "name: shop\nmodels:\n  shop: {}\n")
    notes.write("rules.yaml", "groups:\n  - name: alerts\n    rules: []\n")
    notes.write("x.schema.yaml", "colour: red\n")
    notes.write("y.schema.json", '{"$schema": "https://json-schema.org/draft/2020-12/schema"}')
    found = notes.read()
    assert {name: (len(one.faults), len(one.warnings), one.dialect) for name, one in found.items()} == {
        "dbt_project.yml": (0, 1, None),
        "rules.yaml": (0, 1, None),
        "x.schema.yaml": (1, 0, None),
        "y.schema.json": (1, 0, None),
    }
    assert "holds no schema note" in found["x.schema.yaml"].faults[0].message
    assert "is a JSON Schema, which is no schema note" in found["y.schema.json"].faults[0].message


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_an_empty_file_is_told(notes: Notes, text: str) -> None:
    notes.write("a.schema.yaml", text)
    notes.write("a.yaml", text)
    found = notes.read()
    assert "is empty" in found["a.schema.yaml"].faults[0].message
    assert found["a.yaml"].faults == ()
    assert "is empty" in found["a.yaml"].warnings[0].message


def test_a_broken_file_that_never_was_a_note_is_a_warning(notes: Notes) -> None:
    notes.write("template.yaml", "{% for x in y %}\na: {{ x }}\n")
    notes.write("note.yaml", "concept: c\nfields: [\n")
    found = notes.read()
    assert found["template.yaml"].faults == ()
    assert "holds no schema note that could be read" in found["template.yaml"].warnings[0].message
    assert "is not valid YAML" in found["note.yaml"].faults[0].message


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"concept: \xff\n", "is not UTF-8"), (b"\xff\xfec\x00", "is UTF-16"), (b"concept: c\x00", "is binary")],
)
def test_a_file_that_is_no_text_is_a_fault(notes: Notes, data: bytes, message: str) -> None:
    notes.write("a.schema.yaml", data)
    assert message in notes.read()["a.schema.yaml"].faults[0].message


def test_a_byte_order_mark_is_no_part_of_a_file(notes: Notes) -> None:
    notes.write("a.yaml", b"\xef\xbb\xbf" + NOTE.encode())
    notes.write("b.yaml", b"\xef\xbb\xbfgroups:\n- {id: g, type: span, brief: x}\n")
    assert set(notes.notes()) == {"c", "g"}


def test_a_file_that_went_away_is_a_fault_with_an_empty_digest(notes: Notes) -> None:
    path = notes.write("a.schema.yaml", NOTE)
    files, _ = notes.source.scan()
    path.unlink()
    (document,) = notes.source.read(files)
    assert (document.digest, document.notes) == ("", ())
    assert "cannot be read" in document.faults[0].message
    assert notes.source.digests(files) == {"schemas/a.schema.yaml": ""}


def test_the_digest_of_a_note_is_that_of_its_bytes(notes: Notes) -> None:
    notes.write("a.schema.yaml", NOTE)
    assert notes.digests() == {"a.schema.yaml": hashlib.sha256(NOTE.encode()).hexdigest()}


def test_what_is_read_has_the_digest_that_is_told_without_reading(notes: Notes) -> None:
    notes.write("a.schema.yaml", NOTE)
    notes.write("b.yaml", DEFINING)
    notes.write("c.yaml", REFERRING)
    notes.write("d.yml", "version: 2\nmodels:\n  - {name: m, description: \"{{ doc('d') }}\"}\n")
    notes.write("e.md", "{% docs d %}x{% enddocs %}")
    assert {name: one.digest for name, one in notes.read().items()} == notes.digests()


def test_the_digest_of_conventions_covers_the_others(notes: Notes) -> None:
    notes.write("a.schema.yaml", NOTE)
    notes.write("defining.yaml", DEFINING)
    notes.write("referring.yaml", REFERRING)
    before = notes.digests()
    notes.write("defining.yaml", DEFINING.replace("How large", "How big"))
    after = notes.digests()
    assert {name for name in before if before[name] != after[name]} == {"defining.yaml", "referring.yaml"}


def test_the_digest_is_the_same_whether_one_file_is_asked_for_or_all(notes: Notes) -> None:
    notes.write("defining.yaml", DEFINING)
    notes.write("referring.yaml", REFERRING)
    files, _ = notes.source.scan()
    assert notes.source.digests(files[1:]) == {files[1].shown: notes.source.digests(files)[files[1].shown]}


def test_the_digest_of_dbt_covers_the_documentation_blocks_it_may_name(notes: Notes) -> None:
    notes.write("with.yml", "version: 2\nmodels:\n  - {name: m, description: \"{{ doc('d') }}\"}\n")
    notes.write("without.yml", "version: 2\nmodels:\n  - {name: n, description: x}\n")
    notes.write("docs.md", "{% docs d %}old{% enddocs %}")
    notes.write("readme.md", "nothing of dbt")
    before = notes.digests()
    notes.write("docs.md", "{% docs d %}new{% enddocs %}")
    notes.write("readme.md", "nothing of dbt, again")
    after = notes.digests()
    assert {name for name in before if before[name] != after[name]} == {"with.yml"}


def test_digests_parse_nothing_and_reading_parses_what_is_asked_for(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        notes.write(f"{name}.schema.yaml", NOTE.replace("c", name, 1))
    parsed: list[str] = []
    real = _source.read_file

    def counted(path: Path, shown: str) -> object:
        parsed.append(path.name)
        return real(path, shown)

    monkeypatch.setattr(_source, "read_file", counted)
    files, _ = notes.source.scan()
    notes.source.digests(files)
    assert parsed == []
    assert len(list(notes.source.read(files[1:2]))) == 1
    assert parsed == ["b.schema.yaml"]


def test_the_package_exports_what_it_names() -> None:
    assert all(hasattr(schemas, name) for name in schemas.__all__)
