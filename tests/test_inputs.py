"""A build that has nothing to do sees so from the stamps of files; one that has, never misses it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from notes_help import note, notes_base, published, write_note
from pipeline_help import run_build, small_base, write_page

import kb
from kb.errors import GenerationError
from kb.pipeline import inputs


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = small_base(tmp_path / "base")
    write_page(folder, "shop", "# Shop\n\nShop depends on Cart.\n")
    (folder / "schemas").mkdir()
    write_note(folder, "pond", note("pond"))
    return folder


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were opened to be compared."""
    found: list[str] = []
    real = inputs._digest

    def digest(path: Path) -> str | None:
        found.append(path.name)
        return real(path)

    monkeypatch.setattr(inputs, "_digest", digest)
    return found


def age(folder: Path, seconds: int = 60) -> None:
    """Makes files look as if they had been written some time ago, as those of most builds were."""
    for path in folder.rglob("*"):
        stat = path.stat()
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - seconds * 10**9))


def test_no_file_is_opened_when_no_stamp_differs(
    base: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_build(base)
    # The time of the entry's change cannot be set back, so let the table be made later.
    monkeypatch.setattr(inputs, "_GRAIN", -(10**18))
    opened.clear()
    assert run_build(base).changed is False
    assert opened == []


def test_files_that_were_changed_about_when_the_table_was_made_are_compared(base: Path, opened: list[str]) -> None:
    run_build(base)
    opened.clear()
    assert run_build(base).changed is False
    assert {"shop.md", "pond.schema.yaml", "catalogue.yaml", "kb.toml"} <= set(opened)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: write_page(folder, "shop", "# Shop\n\nShop depends on Stock.\n"),
        lambda folder: write_page(folder, "cart", "# Cart\n"),
        lambda folder: (folder / "pages" / "shop.md").unlink(),
        lambda folder: write_note(folder, "pond", note("pond", fields=("depth",))),
        lambda folder: write_note(folder, "lake", note("lake")),
        lambda folder: (folder / "schemas" / "pond.schema.yaml").unlink(),
    ],
    ids=["page", "new page", "no page", "note", "new note", "no note"],
)
def test_every_change_of_an_input_makes_a_build(base: Path, change: object) -> None:
    run_build(base)
    change(base)  # type: ignore[operator]
    assert run_build(base).changed is True
    assert run_build(base).changed is False


def test_a_changed_catalogue_or_kb_toml_is_seen(base: Path) -> None:
    run_build(base)
    catalogue = base / "catalogue.yaml"
    catalogue.write_text(catalogue.read_text(encoding="utf-8").replace("Ana Ruiz", "Ana Roy"), encoding="utf-8")
    assert run_build(base).changed is True
    (base / "kb.toml").write_text('[kb]\nbase = "https://kb.other.example/"\n', encoding="utf-8")
    assert run_build(base).changed is True


def test_the_same_bytes_written_again_are_no_change(base: Path) -> None:
    run_build(base)
    for path in base.rglob("*.md"):
        path.write_bytes(path.read_bytes())
    age(base / "pages")
    assert run_build(base).changed is False


def test_a_page_that_could_not_be_read_is_looked_at_by_every_build(base: Path) -> None:
    (base / "pages" / "bad.md").write_bytes(b"\xff\xfe\x00broken")
    assert run_build(base).exit_code == 1
    assert run_build(base).exit_code == 1


def test_statements_that_were_given_are_not_taken_for_what_pages_say(base: Path, tmp_path: Path) -> None:
    given = tmp_path / "s.jsonl"
    given.write_text(json.dumps({"page": None, "subject": "Cart", "relation": "depends_on", "object": "Stock"}) + "\n")
    run_build(base, given)
    assert run_build(base).changed is True


def test_a_table_that_is_damaged_costs_time_and_nothing_else(base: Path) -> None:
    run_build(base)
    path = published(base).path / inputs.INPUTS_NAME
    path.write_text("{", encoding="utf-8")
    assert run_build(base).changed is False


@pytest.mark.parametrize("name", ["statements.jsonl", "nodes.jsonl", "vectors.npy", "catalog.json"])
def test_a_build_without_changes_tells_of_a_damaged_generation(base: Path, name: str) -> None:
    run_build(base)
    path = published(base).path / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(GenerationError, match=f"{name}.*kb build --force"):
        run_build(base)
    assert run_build(base, force=True).changed is True


def test_a_file_that_is_missing_from_the_generation_is_told(base: Path) -> None:
    run_build(base)
    (published(base).path / "vectors.npy").unlink()
    with pytest.raises(GenerationError, match=r"vectors\.npy.*kb build --force"):
        run_build(base)


def test_a_copied_knowledge_base_is_checked_once(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    from kb.generations import Generation

    run_build(base)
    copy = shutil.copytree(base, tmp_path / "copy")
    checks: list[str] = []
    real = Generation.verify
    monkeypatch.setattr(Generation, "verify", lambda self, **more: (checks.append(self.name), real(self, **more))[1])
    assert [kb.build(copy).changed for _ in range(2)] == [False, False]
    assert len(checks) == 1


def test_hard_links_of_the_generation_before_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.generations import Generations
    from kb.generations import draft as module
    from kb.iris import Iris

    base = notes_base(tmp_path / "base")
    kb.build(base)
    parent = published(base)
    read: list[str] = []
    real = module.file_digest
    monkeypatch.setattr(module, "file_digest", lambda path: (read.append(path.name), real(path))[1])
    with module.Draft(Generations(base / "kg"), "gen-000002-abcdef", parent, Iris("https://kb.test/")) as draft:
        os.link(parent.path / "vectors.npy", draft.path / "vectors.npy")
        draft.write("other.txt", "new")
        published_now = draft.publish({})
    assert "other.txt" in read
    assert "vectors.npy" not in read
    assert published_now.meta["files"]["vectors.npy"] == parent.meta["files"]["vectors.npy"]
