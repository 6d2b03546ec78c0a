"""Vectors that are kept, and the one way in which texts get theirs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kb.embed.cache import VectorCache
from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors, embedded
from kb.errors import EmbeddingError


class Costly(HashingProvider):
    """Keeps the texts that it embeds."""

    costly = True

    def __init__(self, identity: str = "costly/1", dimension: int = 512) -> None:
        self.identity, self.dimension = identity, dimension
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.texts += texts
        return super().embed(texts, query=query)


class Raw:
    """Gives what it is told to."""

    identity, family, lexical_weight, duplicate_threshold, costly = "raw/1", None, 0.3, 0.9, True

    def __init__(self, given: object, dimension: int | None = 2) -> None:
        self.given, self.dimension = given, dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return self.given  # type: ignore[return-value]


TEXTS = [f"page {n} of the wiki" for n in range(40)]


# -- embedded ---------------------------------------------------------------------------


def test_equal_texts_are_embedded_once_and_rows_keep_their_order() -> None:
    provider = Costly()
    rows = embedded(provider, ["shop", "cart", "shop"])
    assert provider.texts == ["shop", "cart"]
    assert np.array_equal(rows, HashingProvider().embed(["shop", "cart", "shop"]))
    assert embedded(provider, []).shape == (0, 512)


def test_progress_tells_of_every_text_once(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    texts = [str(n) for n in range(600)]
    with VectorCache(tmp_path / "v") as cache:
        embedded(Costly(), texts[:100], cache=cache)
        embedded(Costly(), texts, cache=cache, progress=lambda *said: told.append(said))
        assert told == [(356, 600), (600, 600)]
        embedded(Costly(), texts, cache=cache, progress=lambda *said: told.append(said))
    assert told[2:] == [(600, 600)]


@pytest.mark.parametrize(
    ("given", "dimension", "said"),
    [
        ([[1.0, 0.0, 0.0]], 2, r"vectors of shape \(1, 3\) for 1 texts of dimension 2"),
        ([], 2, r"vectors of shape \(0,\) for 1 texts"),
        ([[1.0, 0.0], [1.0, 0.0]], None, r"vectors of shape \(2, 2\) for 1 texts"),
        ([["x", "y"]], 2, "vectors of shape"),
        ([[np.nan, 0.0]], 2, "a vector of length nan"),
        ([[3.0, 4.0]], 2, "a vector of length 5 instead of 1 for the text 'shop'"),
        ([[0.0, 0.0]], 2, "a vector of zeros for the text 'shop'"),
    ],
)
def test_a_provider_that_breaks_its_promises_is_told(given: object, dimension: int | None, said: str) -> None:
    with pytest.raises(EmbeddingError, match=f"provider raw/1 gave {said}"):
        embedded(Raw(given, dimension), ["shop"])


@pytest.mark.parametrize("text", ["", "the of and", "…"])
def test_zeros_are_right_for_a_text_without_words_of_its_own(text: str) -> None:
    assert not embedded(HashingProvider(), [text]).any()


def test_places_that_a_provider_leaves_out_are_told() -> None:
    class Half(Costly):
        def parts(self, texts: Sequence[str], *, query: bool = False) -> object:
            yield [0], self.embed(texts[:1])

    with pytest.raises(EmbeddingError, match="no vector for the text 'cart'"):
        embedded(Half(), ["shop", "cart"])


# -- kept vectors --------------------------------------------------------------------------


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "new" / "v") as cache:
        first = embedded(Costly(), TEXTS, cache=cache)
        assert (cache.kept, cache.hits) == (40, 0)
    again = Costly()
    with VectorCache(tmp_path / "new" / "v") as cache:
        second = embedded(again, [*TEXTS, "more"], cache=cache)
        assert (cache.kept, cache.hits, len(cache), cache.notes) == (1, 40, 41, ())
    assert again.texts == ["more"]
    assert first.tobytes() == second[:40].tobytes()


def test_other_providers_and_questions_have_vectors_of_their_own(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "v") as cache:
        embedded(Costly(), TEXTS, cache=cache)
        for other, query in ((Costly("costly/2"), False), (Costly(), True)):
            embedded(other, TEXTS, query=query, cache=cache)
            assert other.texts == TEXTS
        cheap = HashingProvider()
        embedded(cheap, ["something cheap"], cache=cache)
        assert len(cache) == 120


def test_vectors_of_another_size_are_made_anew(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "v") as cache:
        embedded(Costly(dimension=256), TEXTS[:30], cache=cache)
        unknown = _Learning()
        assert embedded(unknown, TEXTS, cache=cache).shape == (40, 512)
        assert sorted(unknown.texts) == sorted(TEXTS)


class _Learning(Costly):
    """Learns its dimension from the first texts."""

    def __init__(self) -> None:
        super().__init__()
        self.dimension = None  # type: ignore[assignment]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.dimension = 512
        return super().embed(texts, query=query)


def test_a_vector_that_is_not_as_it_was_written_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "v"
    with VectorCache(path) as cache:
        expected = embedded(Costly(), TEXTS, cache=cache)
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT rowid, numbers FROM vector ORDER BY rowid LIMIT 3").fetchall()
    damaged = [bytes([rows[0][1][0] ^ 1]) + rows[0][1][1:], rows[1][1][:-4], b""]
    for (row, _), numbers in zip(rows, damaged, strict=True):
        connection.execute("UPDATE vector SET numbers = ? WHERE rowid = ?", (numbers, row))
    connection.commit()
    connection.close()
    again = Costly()
    with VectorCache(path) as cache:
        assert embedded(again, TEXTS, cache=cache).tobytes() == expected.tobytes()
        assert (len(again.texts), cache.hits) == (3, 37)


def _garbage(path: Path) -> None:
    path.write_bytes(b"nothing of the kind " * 500)


def _another_table(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE vector (something)")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def _torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [_garbage, _another_table, _torn])
def test_a_damaged_file_is_put_aside_and_told(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "v"
    with VectorCache(path) as cache:
        embedded(Costly(), TEXTS, cache=cache)
    damage(path)  # type: ignore[operator]
    again = Costly()
    with VectorCache(path) as cache:
        embedded(again, TEXTS, cache=cache)
        assert again.texts == TEXTS
        assert [f"{path}: damaged (" in note for note in cache.notes] == [True]
        [aside] = tmp_path.glob("v.damaged-*")
        assert aside.name in cache.notes[0]
    with VectorCache(path) as cache:
        assert (len(cache), cache.notes) == (40, ())


def test_a_full_disk_is_told_once_and_embedding_goes_on(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "v") as cache:
        embedded(Costly(), TEXTS[:5], cache=cache)
        assert cache._connection is not None
        cache._connection.execute("PRAGMA max_page_count = 1")
        for start in (5, 20):
            embedded(Costly(), TEXTS[start : start + 15], cache=cache)
        assert ["full" in note for note in cache.notes] == [True]
        assert len(cache) == 5
        assert len(cache.get_many("costly/1", TEXTS)) == 5


def test_a_folder_that_cannot_be_made_is_told_and_embedding_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with VectorCache(tmp_path / "file" / "v") as cache:
        assert embedded(Costly(), TEXTS, cache=cache).shape == (40, 512)
        assert ["cannot be opened" in note for note in cache.notes] == [True]


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "v"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with VectorCache(path) as cache:
        embedded(Costly(), TEXTS, cache=cache)
        assert ["newer version" in note for note in cache.notes] == [True]
    assert path.read_bytes()[100:] == before[100:]


def test_a_closed_cache_has_nothing_and_harms_nobody(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v")
    cache.close()
    cache.close()
    assert embedded(Costly(), TEXTS, cache=cache).shape == (40, 512)
    assert (len(cache), cache.notes) == (0, ())


def _fill(path: Path, part: int) -> None:
    with VectorCache(path) as cache:
        for text in TEXTS[part::2]:
            embedded(Costly(), [text], cache=cache)
        if cache.notes:
            raise AssertionError(cache.notes)


def test_two_processes_and_many_threads_keep_vectors_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "v"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_fill, args=(path, part)) for part in (0, 1)]
    for process in processes:
        process.start()
    with VectorCache(path) as cache:
        threads = [
            threading.Thread(target=lambda n=n: embedded(Costly(), [f"thread {n}"], cache=cache)) for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for one in (*threads, *processes):
            one.join()
        assert [process.exitcode for process in processes] == [0, 0]
        assert (len(cache), cache.notes) == (48, ())


def test_a_killed_process_loses_only_what_was_under_way(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from kb.embed.cache import VectorCache\n"
        "from kb.embed.hashing import HashingProvider; cache = VectorCache(Path(sys.argv[1]))\n"
        "rows = HashingProvider().embed(['one', 'two'])\n"
        "cache.put_many('costly/1', ['one', 'two'], rows); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "v")], check=False, env={**os.environ, "PYTHONWARNINGS": "ignore"}
    )
    assert done.returncode == -signal.SIGKILL
    with VectorCache(tmp_path / "v") as cache:
        assert set(cache.get_many("costly/1", ["one", "two", "three"])) == {"one", "two"}
