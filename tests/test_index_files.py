"""An index on disk: its layout, building it upon another, and files that are damaged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_help import FILES, Counting, chunk, contents, write
from pipeline_help import run_build, small_base, write_page

from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors
from kb.errors import EmbeddingError, GenerationError
from kb.generations import Generation, Generations
from kb.index import _staging, _written
from kb.index.chunks import ENTITY, SECTION
from kb.index.search import Index
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, write_index


def test_numpy_and_json_read_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"y": ["stock"], "x": ["shop", "cart"]})
    vectors = np.load(tmp_path / "vectors.npy")
    nodes = [json.loads(line) for line in (tmp_path / "nodes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (vectors.shape, vectors.dtype) == ((3, 512), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert [node["text"] for node in nodes] == ["shop", "cart", "stock"]
    assert json.loads((tmp_path / "partitions.json").read_bytes()) == {"x": [0, 2], "y": [2, 3]}
    meta = json.loads((tmp_path / "index.json").read_bytes())
    assert (meta["provider"], meta["dimension"], meta["rows"]) == ("hashing/2", 512, 3)


def test_the_matrix_is_written_as_numpy_writes_it(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["shop", "cart"]})
    np.save(tmp_path / "again.npy", np.load(tmp_path / "vectors.npy"))
    assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "vectors.npy").read_bytes()


def test_a_page_that_is_called_like_a_type_shares_its_partition(tmp_path: Path) -> None:
    def parts(section: str | None) -> list[Part]:
        return [
            Part("team", SECTION, None if section is None else lambda: [chunk("team", 1, section)]),
            Part("team", ENTITY, lambda: [chunk("team", 2, "sales", ENTITY), chunk("team", 3, "supply", ENTITY)]),
        ]

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    write_index(tmp_path / "a", parts("what a team is"), HashingProvider(), None)
    files = IndexFiles(tmp_path / "a")
    assert (files.rows_of("team"), files.rows_of("team", ENTITY), files.rows_of("team", SECTION)) == (
        range(3),
        range(2),
        range(2, 3),
    )
    write_index(tmp_path / "b", parts(None), HashingProvider(), files)
    assert contents(tmp_path / "b") == contents(tmp_path / "a")


# -- upon another -------------------------------------------------------------


def test_only_texts_that_are_new_are_embedded(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop", "cart"], "y": ["stock"], "z": ["gone"]})
    provider = Counting()
    written = write(tmp_path / "b", {"x": ["shop", "basket"], "y": ["stock"]}, tmp_path / "a", {"x"}, provider)
    assert provider.texts == ["basket"]
    assert (written.rows, written.embedded) == (3, 1)


def test_texts_of_a_page_that_moved_are_not_embedded_again(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop", "cart"], "y": ["stock"]})
    provider = Counting()
    write(tmp_path / "b", {"new": ["shop", "cart"], "y": ["stock"]}, tmp_path / "a", {"new"}, provider)
    assert provider.texts == []


def test_another_provider_embeds_everything(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop", "cart"], "y": ["stock"]})
    provider = Counting("hashing/other")
    write(tmp_path / "b", {"x": ["shop", "cart"], "y": ["stock"]}, tmp_path / "a", set(), provider)
    assert provider.texts == ["shop", "cart", "stock"]
    assert IndexFiles(tmp_path / "b").identity == "hashing/other"


words = st.sampled_from(["shop", "cart", "Stock|>", "größe", "設定", ""])
wikis = st.dictionaries(st.sampled_from("abcdé"), st.lists(words, max_size=4).map(tuple), max_size=5)


@given(st.lists(wikis, min_size=2, max_size=4))
@settings(max_examples=40, deadline=None)
def test_an_index_built_upon_others_has_the_bytes_of_one_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, edits: list[dict[str, tuple[str, ...]]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    before: dict[str, tuple[str, ...]] = {}
    parent: Path | None = None
    for number, after in enumerate(edits):
        changed = None if parent is None else {page for page in after if after[page] != before.get(page)}
        write(folder / f"{number}", after, parent, changed)
        before, parent = after, folder / f"{number}"
    assert parent is not None
    write(folder / "anew", before)
    assert contents(parent) == contents(folder / "anew")


def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"p{n}": [f"text {n} {m} of shop" for m in range(n % 4)] for n in range(20)}
    write(tmp_path / "a", pages)
    monkeypatch.setattr(_staging, "_BLOCK", 3)
    monkeypatch.setattr(_written, "_BLOCK", 2)
    write(tmp_path / "b", pages)
    write(tmp_path / "c", pages, tmp_path / "a", {"p3", "p7"})
    assert contents(tmp_path / "a") == contents(tmp_path / "b") == contents(tmp_path / "c")


# -- what is refused ----------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        (np.array([1.0, 0.0, 0.0]), "shape"),
        (np.array([np.nan, 0.0]), "length nan"),
        (np.array([3.0, 4.0]), "length 5"),
    ],
)
def test_a_provider_that_breaks_its_promises_is_told(tmp_path: Path, vector: Vectors, said: str) -> None:
    with pytest.raises(EmbeddingError, match=f"provider raw/1 gave .*{said}"):
        write(tmp_path, {"x": ["shop"]}, provider=_Raw(vector))


class _Raw:
    identity, family, dimension, lexical_weight, costly = "raw/1", None, 2, 0.3, False

    def __init__(self, vector: Vectors) -> None:
        self.vector = vector

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.array([self.vector for _ in texts], dtype=np.float32)


def test_two_chunks_with_one_id_are_refused(tmp_path: Path) -> None:
    part = Part("x", SECTION, lambda: [chunk("x", 1, "a"), chunk("x", 1, "b")])
    with pytest.raises(ValueError, match="two chunks are called 'section:x:1'"):
        write_index(tmp_path, [part], HashingProvider(), None)


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="the previous generation stays in use"):
        write_index(tmp_path / "missing", [], HashingProvider(), None)


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["gone", "short", "long", "noise", "flipped"])
def test_damaged_files_are_told_with_the_remedy(tmp_path: Path, name: str, damage: str) -> None:
    write(tmp_path, {"x": ["shop"], "y": ["cart"]})
    path = tmp_path / name
    data = path.read_bytes()
    changed = {
        "short": data[:-20],
        "long": data + data[-20:],
        "noise": b"\xff\x00noise\n",
        "flipped": _flipped(data, len(data) * 3 // 4),
    }
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(changed[damage])
    with pytest.raises(GenerationError, match=f"{name}.*kb build --force"):
        Index.open(tmp_path).files.verify()


def test_an_index_of_an_unknown_format_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["shop"]})
    meta = json.loads((tmp_path / "index.json").read_bytes())
    (tmp_path / "index.json").write_text(json.dumps({**meta, "format": 99}), encoding="utf-8")
    with pytest.raises(GenerationError, match=r"format 99 is unknown.*kb build --force"):
        Index.open(tmp_path)


# -- builds -------------------------------------------------------------------


def published(base: Path) -> Generation:
    generation = Generations(base / "kg").current()
    assert generation is not None
    return generation


def found(base: Path, query: str) -> list[str]:
    return [one.chunk.id for one in Index.open(published(base).path).search(query, 3)]


def test_a_build_publishes_pages_and_entities_and_drops_what_is_gone(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    write_page(base, "shop", "# Shop\n\nShop calls Cart.\n")
    write_page(base, "cart", "# Cart\n\nCart calls Stock.\n")
    run_build(base)
    assert "section:cart:cart" in found(base, "cart calls stock")
    assert found(base, "Ana Ruiz")[0] == "entity:person:ana"
    (base / "pages" / "cart.md").unlink()
    write_page(base, "shop", "# Shop\n\nShop calls Stock DB.\n")
    run_build(base)
    assert "section:cart:cart" not in found(base, "cart calls stock")
    assert found(base, "what does the shop call")[0] == "section:shop:shop"
    anew = small_base(tmp_path / "anew")
    write_page(anew, "shop", "# Shop\n\nShop calls Stock DB.\n")
    run_build(anew)
    assert contents(published(base).path) == contents(published(anew).path)


def test_a_wiki_without_pages_has_an_index_of_its_entities(tmp_path: Path) -> None:
    base = small_base(tmp_path)
    run_build(base)
    assert found(base, "Ana Ruiz")[0] == "entity:person:ana"


@pytest.mark.parametrize("name", ["vectors.npy", "nodes.jsonl"])
def test_a_build_upon_a_damaged_index_makes_it_anew(tmp_path: Path, name: str) -> None:
    base = small_base(tmp_path)
    write_page(base, "shop", "# Shop\n\nShop calls Cart.\n")
    write_page(base, "cart", "# Cart\n\nCart calls Stock.\n")
    run_build(base)
    before = contents(published(base).path)
    path = published(base).path / name
    path.write_bytes(_flipped(path.read_bytes(), path.stat().st_size - 9))
    write_page(base, "sales", "# Sales\n\nA team.\n")
    run_build(base)
    (base / "pages" / "sales.md").unlink()
    run_build(base)
    assert contents(published(base).path) == before
