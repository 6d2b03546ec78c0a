"""Search: exact, whatever the vectors, and by words and signs as well."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_help import Given, write

from kb.embed.hashing import HashingProvider
from kb.errors import GenerationError
from kb.index.search import Index, significant_terms


def rows_of(index: Index, query: str, top_k: int) -> list[int]:
    return [int(hit.chunk.id.rpartition(":")[2]) for hit in index.search(query, top_k)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_search_is_what_float64_gives_row_by_row(
    tmp_path_factory: pytest.TempPathFactory, seed: int, top_k: int
) -> None:
    rng = np.random.default_rng(seed)
    dimension, query = int(rng.integers(2, 40)), "shop and the cart =>"
    vectors = rng.normal(size=(int(rng.integers(1, 60)), dimension))
    # Near rows, equal rows and rows of zeros.
    vectors[rng.random(len(vectors)) < 0.3] = vectors[0] + rng.normal(size=dimension) * 1e-7
    vectors[rng.random(len(vectors)) < 0.3] = vectors[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    silent = rng.random(len(vectors)) < 0.1
    vectors[silent] = 0
    vectors = vectors.astype(np.float32)
    asked = vectors[0] if vectors[0].any() else np.eye(1, dimension, dtype=np.float32)[0]
    endings = rng.choice(["", "Shop", "shopping cart", "a => b"], len(vectors))
    # Only a text that says nothing has a row of zeros.
    texts = [" " * row + "=>" if silent[row] else f"{row} {ending}" for row, ending in enumerate(endings)]
    folder = tmp_path_factory.mktemp("search")
    provider = Given({**dict(zip(texts, vectors, strict=True)), query: asked}, dimension)
    write(folder, {"x": texts}, provider=provider)

    expected = []
    for row, text in enumerate(texts):
        cosine = math.fsum(float(a) * float(b) for a, b in zip(vectors[row], asked, strict=True))
        share = sum(term in text.lower() for term in ("shop", "cart", "=>")) / 3
        expected.append((-round(cosine + 0.3 * share, 12), row))
    best = [(row, -score) for score, row in sorted(expected) if score < 0][:top_k]
    hits = Index.open(folder, provider).search(query, top_k)
    assert [int(hit.chunk.id.rpartition(":")[2]) for hit in hits] == [row for row, _ in best]
    assert [hit.score for hit in hits] == pytest.approx([min(1, score) for _, score in best], abs=1e-11)


def test_the_full_score_ranks_and_the_shown_one_is_capped(tmp_path: Path) -> None:
    same = np.array([1, 0], dtype=np.float32)
    provider = Given({"alpha": same, "alpha beta": same, "alpha beta?": same}, 2)
    write(tmp_path, {"x": ["alpha", "alpha beta"]}, provider=provider)
    first, second = Index.open(tmp_path, provider).search("alpha beta?")
    assert (first.chunk.text, first.score, first.lexical) == ("alpha beta", 1.0, 1.0)
    assert (second.chunk.text, second.score, second.lexical) == ("alpha", 1.0, 0.5)
    assert first.cosine == second.cosine == pytest.approx(1)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("How do I make config immutable?", ["how", "make", "config", "immutable"]),
        ("what is => in a |> b ?? c", ["what", "=>", "|>", "??"]),
        ("a != b, std::map, x := y...", ["!=", "std", "::", "map", ":="]),
        ('the (of) it\'s "on"', []),
        ("a?.b, x ?: y, nums[*], ...rest, 1..9 and a !~ b", ["?.", "?:", "nums", "[*]", "...", "rest", "..", "!~"]),
        ("Really?! (see [1].) “Done”: yes...", ["really", "see", "done", "yes"]),
        ("use `=>`. Or ->?", ["use", "=>", "->"]),
        ("Größe der Größe 設定値", ["größe", "der", "設定値"]),
        ("Cafe\u0301", ["caf\u00e9"]),
    ],
)
def test_significant_terms_are_words_of_three_letters_and_operators(query: str, terms: list[str]) -> None:
    assert significant_terms(query) == terms


def test_signs_and_parts_of_words_are_found(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["the pipe |> returns", "immutable configuration", "nothing of it", "=>"]})
    index = Index.open(tmp_path)
    assert rows_of(index, "|>", 1) == [0]
    assert rows_of(index, "=>", 1) == [3]
    assert index.search("config", 1)[0].lexical == 1.0
    assert rows_of(index, "config", 1) == [1]


def test_kinds_and_concepts_leave_out_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["shop"], "y": ["shop"], "z": ["shop"]})
    index = Index.open(tmp_path)
    assert [one.chunk.page for one in index.search("shop")] == ["x", "y", "z"]
    assert [one.chunk.page for one in index.search("shop", concepts=["z", "y", "z", "none"])] == ["y", "z"]
    assert [one.chunk.page for one in index.search("shop", kinds=["section"])] == ["x", "y", "z"]
    assert index.search("shop", kinds={"entity"}) == []
    assert index.search("shop", kinds=[]) == index.search("shop", concepts=[]) == []
    assert index.search("shop", 0) == []


def test_one_concept_is_searched_alike_before_and_after_all_texts_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["shop", "cart"], "y": ["shop cart", "stock"]})
    index = Index.open(tmp_path)
    before = index.search("shop cart", concepts=["y"])
    index.search("shop cart")
    assert index.search("shop cart", concepts=["y"]) == before


@pytest.mark.parametrize("query", ["", "  ", "the of and", "?", "\n"])
def test_a_query_that_says_nothing_finds_nothing(tmp_path: Path, query: str) -> None:
    write(tmp_path, {"x": ["shop", "", "the of"]})
    assert Index.open(tmp_path).search(query) == []


def test_texts_without_words_never_rank(tmp_path: Path) -> None:
    write(tmp_path, {"x": ["", "the of", "shop"]})
    assert rows_of(Index.open(tmp_path), "shop", 10) == [2]


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path, {})
    assert Index.open(tmp_path).search("shop") == []


def test_an_index_of_another_provider_is_refused_with_the_remedy(tmp_path: Path) -> None:
    given = Given({"shop": np.array([1, 0])}, 2)
    write(tmp_path, {"x": ["shop"]}, provider=given)
    with pytest.raises(GenerationError, match="made with given/1, which this version of kb does not have"):
        Index.open(tmp_path)
    with pytest.raises(GenerationError, match=r"made with given/1 \(2 .*searched with hashing/2.*kb build --force"):
        Index.open(tmp_path, HashingProvider())


# -- hashing ------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "…", "the of and"])
def test_a_text_without_words_has_a_vector_of_zeros(text: str) -> None:
    assert not HashingProvider().embed([text]).any()


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("deploying the shop", "the shop was deployed", "invoices in yen"),
        ("configuration", "config files", "people"),
        ("設定を変更する", "設定変更", "東京の天気"),
        ("Cafe\u0301", "CAF\u00c9", "restaurant"),
        ("a => b", "=>", "|>"),
    ],
)
def test_texts_that_share_words_or_parts_are_nearer(one: str, other: str, far: str) -> None:
    vectors = HashingProvider().embed([one, other, far])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert vectors[0] @ vectors[1] > 0.09 > vectors[0] @ vectors[2]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_company_of_a_text_does_not_change_its_vector(texts: list[str]) -> None:
    together = HashingProvider().embed(texts)
    alone = [HashingProvider().embed([text])[0] for text in texts]
    assert together.tobytes() == np.array(alone).tobytes()


def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "from kb.embed.hashing import HashingProvider; import sys, hashlib;"
        "text = 'analyses, lives, leaves and bases of used ratings were left behind; 設定 => größe';"
        "print(hashlib.sha256(HashingProvider().embed([text]).tobytes()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
