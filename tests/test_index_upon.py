"""An index built upon another: what is shared, what is embedded, when everything is written anew, older formats."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pytest
from index_help import Counting, Given, chunk, contents, write, write_format_1
from test_index_exact import deltas

from kb.embed.cache import VectorCache
from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors
from kb.errors import EmbeddingError, GenerationError
from kb.index import _assembly, _runs
from kb.index.chunks import SECTION
from kb.index.search import Index
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, write_index

PAGES = {"x": ["shop", "cart"], "y": ["stock"], "z": ["sales", "supply"]}


def inodes(folder: Path, names: Collection[str]) -> set[int]:
    return {(folder / name).stat().st_ino for name in names}


def test_a_changed_page_is_written_beside_the_files_of_the_parent(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES)
    base = sorted(path.name for path in (tmp_path / "a").iterdir() if path.suffix != ".json")
    with deltas():
        written = write(tmp_path / "b", {**PAGES, "x": ["shop", "basket"]}, tmp_path / "a", {"x"})
    assert (written.rows, written.embedded, written.rebuilt, written.merged) == (5, 1, ("x",), False)
    assert inodes(tmp_path / "b", base) == inodes(tmp_path / "a", base)
    assert np.load(tmp_path / "b" / "delta-vectors.npy").shape == (2, 512)
    files = IndexFiles(tmp_path / "b")
    assert [files.chunk(row).text for row in range(files.rows)] == ["shop", "basket", "stock", "sales", "supply"]
    assert files.partitions == {"x": (0, 2), "y": (2, 3), "z": (3, 5)}


def test_a_build_in_which_nothing_changed_shares_everything(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES)
    provider = Counting()
    with deltas():
        write(tmp_path / "b", {**PAGES, "x": ["new"]}, tmp_path / "a", {"x"})
        # That they are read again does not make them others.
        written = write(tmp_path / "c", {**PAGES, "x": ["new"]}, tmp_path / "b", {"x", "y"}, provider)
    assert (written.embedded, written.rebuilt, provider.texts) == (0, (), [])
    names = [path.name for path in (tmp_path / "b").iterdir() if path.suffix != ".json"]
    assert inodes(tmp_path / "b", names) == inodes(tmp_path / "c", names)
    assert (tmp_path / "b" / "index.json").read_bytes() == (tmp_path / "c" / "index.json").read_bytes()


def test_a_disk_without_hard_links_gets_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*paths: object) -> None:
        raise OSError(95, "Operation not supported")

    write(tmp_path / "a", PAGES)
    monkeypatch.setattr(_assembly.os, "link", refuses)
    with deltas():
        assert not write(tmp_path / "b", {**PAGES, "x": ["new"]}, tmp_path / "a", {"x"}).merged
    shutil.rmtree(tmp_path / "a")
    IndexFiles(tmp_path / "b").verify()


def test_writing_over_an_index_leaves_the_one_that_shares_its_files_alone(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES)
    with deltas():
        write(tmp_path / "b", {**PAGES, "x": ["new"]}, tmp_path / "a", {"x"})
    write(tmp_path / "b", {"other": ["text"]})
    IndexFiles(tmp_path / "a").verify()
    assert [path.name for path in (tmp_path / "b").iterdir() if path.name.startswith("delta")] == []


def test_few_rows_and_many_changes_are_written_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES)
    assert write(tmp_path / "b", {**PAGES, "x": ["new"]}, tmp_path / "a", {"x"}).merged
    pages = {f"p{number:03}": [f"text {number} {line}" for line in range(10)] for number in range(100)}
    write(tmp_path / "c", pages)
    with deltas(0.03):
        pages["p001"] = ["one new text"]
        assert not write(tmp_path / "d", pages, tmp_path / "c", {"p001"}).merged
        # Ten dead rows and one new one are there already.
        for number in (2, 3):
            pages[f"p00{number}"] = ["another new text"]
        assert write(tmp_path / "e", pages, tmp_path / "d", {"p002", "p003"}).merged
    write(tmp_path / "anew", pages)
    assert contents(tmp_path / "e") == contents(tmp_path / "anew")


def test_no_line_of_a_page_that_is_taken_over_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"p{number:03}": [f"text {number} {line}" for line in range(10)] for number in range(100)}
    write(tmp_path / "a", pages)
    parent = IndexFiles(tmp_path / "a")
    read: list[int] = []
    real = parent.base.line
    monkeypatch.setattr(parent.base, "line", lambda row: read.append(row) or real(row))
    parts = [Part(page, SECTION, None) for page in pages if page != "p042"]
    parts.append(Part("p042", SECTION, lambda: [chunk("p042", 1, "new")]))
    (tmp_path / "b").mkdir()
    with deltas():
        write_index(tmp_path / "b", parts, HashingProvider(), parent)
    assert set(read) <= set(parent.rows_of("p042"))


# -- vectors ------------------------------------------------------------------


class Costly(Counting):
    costly = True


def test_kept_vectors_are_counted_and_not_made_again(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        for folder, expected in (("a", (5, 0)), ("b", (0, 5))):
            provider = Costly("costly/1")
            told: list[tuple[int, int]] = []
            (tmp_path / folder).mkdir()
            parts = [
                Part(page, SECTION, lambda page=page: [chunk(page, n, text) for n, text in enumerate(PAGES[page])])
                for page in PAGES
            ]
            written = write_index(
                tmp_path / folder,
                parts,
                provider,
                None,
                cache=cache,
                progress=lambda *said, told=told: told.append(said),
            )
            assert (written.embedded, written.cached) == expected == (len(provider.texts), 5 - len(provider.texts))
            assert told[-1] == (5, 5)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


class Unknowing:
    """Knows the size of its vectors when it has made some."""

    identity, family, lexical_weight, duplicate_threshold, costly, dimension = "u/1", None, 0.3, 0.9, False, None

    def __init__(self, size: int) -> None:
        self.size = size

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.eye(self.size, dtype=np.float32)[[len(text) % self.size for text in texts]]


def test_a_provider_may_know_the_size_of_its_vectors_late(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES, provider=Unknowing(3))
    write(tmp_path / "b", {**PAGES, "y": ["new"]}, tmp_path / "a", {"y"}, Unknowing(3))
    write(tmp_path / "c", {"z": PAGES["z"]}, tmp_path / "a", set(), Unknowing(3))
    assert [IndexFiles(tmp_path / name).dimension for name in "abc"] == [3, 3, 3]
    assert Index.open(tmp_path / "c", Unknowing(3)).search("shops", 1)[0].chunk.text == "sales"
    with pytest.raises(GenerationError, match=r"made with u/1 \(3 .*searched with u/1 \(4\).*kb build --force"):
        Index.open(tmp_path / "c", Unknowing(4)).search("shops")


def test_vectors_of_another_size_beside_those_that_stay_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", PAGES, provider=Unknowing(3))
    with pytest.raises(GenerationError, match=r"u/1 gives vectors of 4 numbers, and gave 3 before.*kb build --force"):
        write(tmp_path / "b", {**PAGES, "y": ["new"]}, tmp_path / "a", {"y"}, Unknowing(4))
    write(tmp_path / "b", {**PAGES, "y": ["new"]}, tmp_path / "a", None, Unknowing(4))
    assert IndexFiles(tmp_path / "b").vectors_of(range(5)).shape == (5, 4)


def test_an_empty_index_is_searched_without_asking_the_provider(tmp_path: Path) -> None:
    write(tmp_path / "a", {}, provider=Unknowing(3))
    provider = Counting("u/1")
    assert Index.open(tmp_path / "a", provider).search("shop") == []
    assert provider.texts == []
    write(tmp_path / "b", PAGES, tmp_path / "a", None, Unknowing(3))
    assert IndexFiles(tmp_path / "b").rows == 5


# -- searching with other providers -------------------------------------------


class Failing(HashingProvider):
    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        raise EmbeddingError("the endpoint is down")


@pytest.mark.parametrize("upon", [True, False])
def test_a_query_that_cannot_be_embedded_finds_texts_by_their_words(tmp_path: Path, upon: bool) -> None:
    pages = {"x": ["shop cart", "nothing"], "y": ["cart", "shop"], "z": ["shop and cart"]}
    write(tmp_path / "a", {**pages, "y": ["cart"], "gone": ["shop cart"]})
    with deltas():
        write(tmp_path / "b", pages, tmp_path / "a" if upon else None, {"y"} if upon else None)
    index = Index.open(tmp_path / "b", Failing())
    hits = index.search("the shop, the cart")
    assert [hit.chunk.text for hit in hits] == ["shop cart", "shop and cart", "cart", "shop"]
    assert [hit.lexical for hit in hits] == [1, 1, 0.5, 0.5]
    assert {(hit.cosine, hit.degraded, hit.degraded_reason) for hit in hits} == {(None, True, "query_embedding_failed")}
    assert [hit.chunk.text for hit in index.search("shop", concepts=["y"])] == ["shop"]
    assert index.search("unheard") == index.search("?") == []


def of_family(identity: str, family: str | None, size: int = 2) -> Given:
    provider = Given({"shop": np.eye(1, size)[0]}, size)
    provider.identity, provider.family = identity, family  # type: ignore[misc]
    return provider


@pytest.mark.parametrize(
    ("other", "fits"),
    [
        (of_family("b/1", "f"), True),
        (of_family("b/1", None), False),
        (of_family("b/1", "g"), False),
        (of_family("b/1", "f", 3), False),
        (of_family("a/1", None), True),
    ],
)
def test_a_provider_of_the_same_family_searches_too(tmp_path: Path, other: Given, fits: bool) -> None:
    write(tmp_path, {"x": ["shop"]}, provider=of_family("a/1", "f"))
    if fits:
        assert len(Index.open(tmp_path, other).search("shop")) == 1
    else:
        with pytest.raises(GenerationError, match=r"made with a/1 .*kb build --force"):
            Index.open(tmp_path, other)


# -- reading ------------------------------------------------------------------


@pytest.mark.parametrize("form", ["whole", "delta", "format 1"])
def test_rows_are_read_in_order(tmp_path: Path, form: str) -> None:
    pages = {**PAGES, "x:y": ["odd", "name"]}
    if form == "format 1":
        write_format_1(tmp_path / "b", pages, HashingProvider())
    else:
        write(tmp_path / "a", {**pages, "x": ["old"]})
        with deltas(100 if form == "delta" else 0):
            write(tmp_path / "b", pages, tmp_path / "a", {"x"})
    files = IndexFiles(tmp_path / "b")
    assert (files.delta is not None) == (form == "delta")
    texts = [text for page in sorted(pages) for text in pages[page]]
    assert [files.chunk(row).text for row in range(files.rows)] == texts
    made = HashingProvider().embed(texts)
    assert np.array_equal(files.vectors_of(range(files.rows)), made)
    assert np.array_equal(files.vectors_of([6, 0, 3]), made[[6, 0, 3]])
    assert files.vectors_of([]).shape == (0, 512)
    for row in range(files.rows):
        assert files.find(files.chunk(row).id) == row
    assert (files.find("section:x:9"), files.find("field:x:0"), files.find("x"), files.find("")) == (None,) * 4
    assert files.rows_of("x:y", SECTION) == files.rows_of("x:y") == range(2, 4)
    assert [hit.chunk.text for hit in Index.open(tmp_path / "b").search("supply stock", 2)] == ["supply", "stock"]
    with pytest.raises(IndexError):
        files.chunk(files.rows)


def test_an_index_of_format_1_is_built_upon_without_embedding(tmp_path: Path) -> None:
    write_format_1(tmp_path / "a", PAGES, HashingProvider())
    provider = Counting()
    with deltas():
        write(tmp_path / "b", {**PAGES, "y": ["stocks"]}, tmp_path / "a", {"y"}, provider)
    write(tmp_path / "anew", {**PAGES, "y": ["stocks"]})
    assert provider.texts == ["stocks"]
    assert contents(tmp_path / "b") == contents(tmp_path / "anew")


def test_words_of_rows_that_stay_are_not_looked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"p{number:03}": [f"text {number} {line} größe" for line in range(4)] for number in range(50)}
    write(tmp_path / "a", pages)
    folded: list[str] = []
    real = _runs.fold
    monkeypatch.setattr(_runs, "fold", lambda text: folded.append(text) or real(text))
    del pages["p007"]
    pages["p008"] = ["one new text"]
    assert write(tmp_path / "b", pages, tmp_path / "a", {"p008"}).merged
    assert folded == ["one new text"]
    write(tmp_path / "anew", pages)
    assert contents(tmp_path / "b") == contents(tmp_path / "anew")
