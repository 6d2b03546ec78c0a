"""Damage to any file of an index is told with the file and the remedy, and never gives a wrong answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from index_help import Given, contents, write, write_format_1
from test_index_exact import deltas, unit_rows

from kb.embed.hashing import HashingProvider
from kb.errors import GenerationError
from kb.index import _scan, _segment, _written
from kb.index.search import Hit, Index
from kb.index.vectors import IndexFiles

QUERIES = ("shop => cart", "größe")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Given]:
    """An index with a delta and dead rows."""
    folder = tmp_path_factory.mktemp("sound")
    vectors = unit_rows(np.random.default_rng(1), 34, 6)
    texts = [f"{n} shop {'=> größe' * (n % 3)} cart" for n in range(32)]
    provider = Given(dict(zip([*texts, *QUERIES], vectors, strict=True)), 6)
    pages = {"a": texts[:10], "b": texts[10:20], "c": texts[20:30]}
    write(folder / "a", pages, provider=provider)
    with deltas():
        write(folder / "b", {**pages, "b": texts[28:32]}, folder / "a", {"b"}, provider)
    return folder / "b", provider


def answers(folder: Path, provider: Given) -> list[list[Hit]]:
    index = Index.open(folder, provider)
    only: list[list[str] | None] = [None, ["b"], ["a", "c"]]
    return [index.search(query, 40, concepts=some) for query in QUERIES for some in only]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_index_with_a_delta_has_these_files(sound: tuple[Path, Given]) -> None:
    assert names(sound[0]) == sorted(
        [
            *("vectors.npy", "nodes.jsonl", "offsets.npy", "kinds.npy", "vector-sums.npy", "line-sums.npy"),
            *(
                "delta-vectors.npy",
                "delta-nodes.jsonl",
                "scan.npy",
                "scan-facts.npy",
                "partitions.json",
                "index.json",
                "term-runs.txt",
                "term-starts.npy",
            ),
            *("term-suffixes.npy", "term-slots.npy", "term-rows.npy"),
        ]
    )


@pytest.mark.parametrize("numkong", [True, False])
def test_a_flipped_byte_is_told_or_does_no_harm(
    sound: tuple[Path, Given], tmp_path: Path, numkong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, provider = sound
    if not numkong:
        monkeypatch.setattr(_scan, "numkong", None)
    expected = answers(folder, provider)
    rng = np.random.default_rng(2)
    for name in names(folder):
        data = (folder / name).read_bytes()
        told = 0
        places = {0, 60, 127, len(data) - 1, *rng.integers(0, len(data), 12).tolist()}
        for at in sorted(place for place in places if place < len(data)):
            copy = tmp_path / f"{name}-{at}"
            shutil.copytree(folder, copy)
            (copy / name).write_bytes(data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :])
            said = ""
            try:
                assert answers(copy, provider) == expected
            except GenerationError as err:
                said = str(err)
            assert not said or (f"{copy / name}: " in said and "kb build --force" in said)
            told += bool(said)
            if name != "index.json":
                with pytest.raises(GenerationError, match=rf"{name}: .*kb build --force"):
                    IndexFiles(copy).verify()
            shutil.rmtree(copy)
        assert told


@pytest.mark.parametrize("damage", ["gone", "short", "long", "empty"])
def test_files_that_are_gone_or_have_another_size_are_told_at_opening(
    sound: tuple[Path, Given], tmp_path: Path, damage: str
) -> None:
    folder, provider = sound
    for name in names(folder):
        copy = tmp_path / name
        shutil.copytree(folder, copy)
        data = (copy / name).read_bytes()
        (copy / name).unlink()
        if damage != "gone":
            (copy / name).write_bytes({"short": data[:-5], "long": data + b"12345678", "empty": b""}[damage])
        with pytest.raises(GenerationError, match=rf"{name}: .*kb build --force"):
            Index.open(copy, provider)


def test_a_row_that_is_damaged_is_told_when_it_is_read_and_others_still_answer(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["shop"], "y": ["stock"]})
    path = tmp_path / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    index = Index.open(tmp_path)
    assert [hit.chunk.text for hit in index.search("shop", concepts=["x"])] == ["shop"]
    with pytest.raises(GenerationError, match=r"vectors.npy: .*row 1 is not what was written.*kb build --force"):
        index.search("stock")


def test_a_folder_that_is_removed_while_it_is_open_still_answers(sound: tuple[Path, Given], tmp_path: Path) -> None:
    folder, provider = sound
    shutil.copytree(folder, tmp_path / "copy")
    index = Index.open(tmp_path / "copy", provider)
    shutil.rmtree(tmp_path / "copy")
    assert index.search("shop => cart", 40) == answers(folder, provider)[0]
    index.files.verify()


@pytest.mark.parametrize("name", ["vectors.npy", "nodes.jsonl"])
def test_damage_to_an_index_of_format_1_is_told(tmp_path: Path, name: str) -> None:
    write_format_1(tmp_path, {"x": ["shop", "cart"]}, HashingProvider())
    data = bytearray((tmp_path / name).read_bytes())
    data[-10] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(GenerationError, match=rf"{name}: .*kb build --force"):
        Index.open(tmp_path).search("shop")


@pytest.mark.parametrize("name", ["vectors.npy", "offsets.npy", "term-rows.npy"])
def test_a_build_without_changes_for_all_parts_repairs_what_is_damaged(tmp_path: Path, name: str) -> None:
    pages = {"x": ["shop", "cart"], "y": ["stock"]}
    write(tmp_path / "a", pages)
    before = contents(tmp_path / "a")
    data = bytearray((tmp_path / "a" / name).read_bytes())
    data[-1] ^= 1
    (tmp_path / "a" / name).write_bytes(data)
    with deltas():
        write(tmp_path / "b", pages, tmp_path / "a", changed=None)
    IndexFiles(tmp_path / "b").verify()
    assert contents(tmp_path / "b") == before


# -- a disk that is full ------------------------------------------------------


@pytest.mark.parametrize("fails", range(4))
def test_a_full_disk_is_told_and_the_index_before_stays_whole(
    tmp_path: Path, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", {"x": ["shop"], "y": ["cart"]})
    before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    opened = 0
    real = Path.open

    def full(self: Path, mode: str = "r", *rest: object, **named: object) -> object:
        nonlocal opened
        if "x" in mode:
            opened += 1
            if opened > fails:
                raise OSError(28, "No space left on device")
        return real(self, mode, *rest, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    with deltas(), pytest.raises(GenerationError, match=r"cannot be written: No space left.*previous generation"):
        write(tmp_path / "b", {"x": ["shop"], "y": ["basket"]}, tmp_path / "a", {"y"})
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before
    IndexFiles(tmp_path / "a").verify()
    assert not [path for path in (tmp_path / "b").iterdir() if path.name.startswith("staged")]


def test_rows_are_checked_once(sound: tuple[Path, Given], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, provider = sound
    index = Index.open(folder, provider)
    index.search("shop => cart", 40)
    checked: list[int] = []
    real = _written.row_sums
    monkeypatch.setattr(_segment, "row_sums", lambda rows: checked.append(len(rows)) or real(rows))
    index.search("shop => cart", 40)
    assert checked == []
