"""The side-car index: chunks, files, search, and building it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_help import run_build, small_base, write_page

from kb.config import packaged
from kb.errors import GenerationError
from kb.generations import Generations
from kb.index.chunks import SECTION, Chunk, entity_chunk, page_chunks
from kb.index.files import IndexFiles, write_index
from kb.index.hashing import HashingProvider, Vectors
from kb.index.search import Index, significant_terms
from kb.model import Entity, Page
from kb.vocabulary import load_vocabulary

PAGE = """\
---
owner: sales
---
# Shop

Shop calls **Cart** and [Stock](stock.md).

## Limits

| Name | Value |
|---|---|
| rate | 10 |

```yaml
shop: {port: 80}
```

## Limits

Again.
"""


def chunk(page: str, number: int, text: str) -> Chunk:
    return Chunk(f"{SECTION}:{page}:{number}", SECTION, page, text, page, page, 0, 1)


class Counting(HashingProvider):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


def write(
    folder: Path, pages: dict[str, list[str]], parent: Path | None = None, changed: set[str] | None = None
) -> list[str]:
    """Writes an index of pages with texts; gives the texts that were embedded."""
    folder.mkdir()
    provider = Counting()

    def chunks(page: str) -> list[Chunk]:
        return [chunk(page, number, text) for number, text in enumerate(pages[page])]

    parts = [
        (f"page:{page}", (lambda page=page: chunks(page)) if changed is None or page in changed else None)
        for page in sorted(pages)
    ]
    write_index(folder, parts, provider, None if parent is None else IndexFiles(parent))
    return provider.texts


def test_sections_have_headings_plain_text_and_their_place() -> None:
    first, limits, again = page_chunks(Page("shop", PAGE, ""), "Shop")
    assert first.text == "Shop\nShop calls Cart and Stock."
    assert limits.label == again.label == "Shop > Limits"
    assert "Name: rate; Value: 10" in limits.text
    assert "port: 80" in limits.text
    assert [one.id for one in (first, limits, again)] == [
        "section:shop:shop",
        "section:shop:shop/limits",
        "section:shop:shop/limits~2",
    ]
    assert first.start is not None
    assert PAGE[first.start : first.end] == "Shop calls **Cart** and [Stock](stock.md)."


def test_a_page_without_headings_or_text_is_no_special_case() -> None:
    assert page_chunks(Page("x", "", ""), "x") == []
    (only,) = page_chunks(Page("x", "Shop calls Cart.\n", ""), "x")
    assert only.text == "x\nShop calls Cart."


def test_long_sections_are_parted() -> None:
    text = "# Shop\n\n" + "\n\n".join(f"Sentence number {n} is here to be long." for n in range(200))
    found = page_chunks(Page("shop", text, ""), "Shop")
    assert len(found) > 3
    assert all(len(one.text) < 1500 for one in found)
    assert len({one.id for one in found}) == len(found)


def test_an_entity_is_said_in_the_ontologys_words() -> None:
    vocabulary = load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])
    entity = Entity("shop", "service", "Shop", ("Store",), "Sells things.", {"public": False})
    found = entity_chunk(entity, vocabulary)
    assert found.id == "entity:service:shop"
    assert found.text.startswith("Shop (service). also called Store. ")
    assert found.text.endswith("Sells things.")
    assert "public: False" not in found.text


@pytest.mark.parametrize("text", ["", " ", "…", "the of and"])
def test_a_text_without_words_has_a_vector_of_zeros(text: str) -> None:
    assert not HashingProvider().embed([text]).any()


def test_vectors_are_unit_rows_and_texts_that_share_words_are_nearer() -> None:
    near, other, far = HashingProvider().embed(["deploying the shop", "the shop was deployed", "invoices in yen"])
    assert np.linalg.norm(near) == pytest.approx(1, abs=1e-6)
    assert near @ other > 0.5 > 0.2 > near @ far


def test_numpy_and_json_read_the_files(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop", "cart"], "y": ["stock"]})
    vectors = np.load(tmp_path / "a" / "vectors.npy")
    lines = (tmp_path / "a" / "nodes.jsonl").read_text(encoding="utf-8").splitlines()
    partitions = json.loads((tmp_path / "a" / "partitions.json").read_text(encoding="utf-8"))
    assert vectors.shape == (3, 512)
    assert [json.loads(line)["text"] for line in lines] == ["shop", "cart", "stock"]
    assert partitions == {"page:x": [0, 2], "page:y": [2, 3]}


def test_only_texts_that_are_new_are_embedded(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop", "cart"], "y": ["stock"], "z": ["gone"]})
    embedded = write(tmp_path / "b", {"x": ["shop", "basket"], "y": ["stock"]}, tmp_path / "a", {"x"})
    assert embedded == ["basket"]


words = st.sampled_from(["shop", "cart", "stock", "invoice", "yen", ""])
wikis = st.dictionaries(st.sampled_from("abcd"), st.lists(words, max_size=4), max_size=4)


@given(wikis, wikis)
@settings(max_examples=40, deadline=None)
def test_an_index_built_on_another_has_the_same_bytes_as_one_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, list[str]], after: dict[str, list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    write(folder / "before", before)
    changed = {page for page in after if after[page] != before.get(page)}
    write(folder / "upon", after, folder / "before", changed)
    write(folder / "anew", after)
    for name in ("vectors.npy", "nodes.jsonl", "partitions.json", "index.json"):
        assert (folder / "upon" / name).read_bytes() == (folder / "anew" / name).read_bytes()


@given(st.lists(st.text(alphabet="abcde ", max_size=30), max_size=20), st.text(alphabet="abcde ", max_size=20))
@settings(max_examples=40, deadline=None)
def test_search_is_exact(tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str) -> None:
    folder = tmp_path_factory.mktemp("search") / "i"
    write(folder, {"x": texts})
    found = Index.open(folder).search(query, 5)
    vectors = np.load(folder / "vectors.npy").astype(np.float64)
    terms = significant_terms(query)
    exact = vectors @ HashingProvider().embed([query])[0].astype(np.float64)
    for row, text in enumerate(texts):
        exact[row] += 0.3 * sum(term in text.lower() for term in terms) / len(terms) if terms else 0
    best = sorted((-round(score, 5), row) for row, score in enumerate(exact) if score > 1e-5)[:5]
    assert [round(one.score, 4) for one in found if one.score > 1e-5] == pytest.approx(
        [min(1, -score) for score, _ in best], abs=1e-3
    )


def test_kinds_and_concepts_leave_out_the_others(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": ["shop"], "y": ["shop"]})
    index = Index.open(tmp_path / "a")
    assert [one.chunk.page for one in index.search("shop")] == ["x", "y"]
    assert [one.chunk.page for one in index.search("shop", concepts={"y"})] == ["y"]
    assert index.search("shop", kinds={"entity"}) == []
    assert index.search("shop", 0) == []


@pytest.mark.parametrize("name", ["vectors.npy", "nodes.jsonl", "partitions.json", "index.json"])
@pytest.mark.parametrize("damage", ["gone", "short", "noise"])
def test_damaged_files_are_told_with_the_remedy(tmp_path: Path, name: str, damage: str) -> None:
    write(tmp_path / "a", {"x": ["shop"], "y": ["cart"]})
    path = tmp_path / "a" / name
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-20] if damage == "short" else b"\xff\x00noise\n")
    with pytest.raises(GenerationError, match="kb build --force"):
        Index.open(tmp_path / "a").search("shop")


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a", {})
    assert Index.open(tmp_path / "a").search("shop") == []


def test_a_build_publishes_pages_and_entities_and_drops_what_is_gone(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    write_page(base, "shop", "# Shop\n\nShop calls Cart.\n")
    write_page(base, "cart", "# Cart\n\nCart calls Stock.\n")

    def found(query: str) -> list[str]:
        generation = Generations(base / "kg").current()
        assert generation is not None
        return [one.chunk.id for one in Index.open(generation.path).search(query, 3)]

    run_build(base)
    assert "section:cart:cart" in found("cart calls stock")
    assert found("Ana Ruiz")[0] == "entity:person:ana"
    (base / "pages" / "cart.md").unlink()
    write_page(base, "shop", "# Shop\n\nShop calls Stock DB.\n")
    run_build(base)
    assert "section:cart:cart" not in found("cart calls stock")
    assert found("what does the shop call")[0] == "section:shop:shop"
