"""Which caveats of a concept are alike: exactly, in bounded blocks, and with the report before."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from dedup_help import Caveats, unit
from hypothesis import given
from hypothesis import strategies as st

from kb.embed.hashing import HashingProvider
from kb.index import duplicates as module
from kb.index._similar import BLOCK, similar_pairs
from kb.index.duplicates import find_duplicates, text_digest


def clustered(rows: int, dimension: int, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(1, rows // 10), dimension))
    return unit(centres[rng.integers(0, len(centres), rows)] + 0.9 * rng.normal(size=(rows, dimension)))


def by_hand(vectors: Any, threshold: float) -> dict[tuple[int, int], float]:
    """Ten lines that say what is wanted: every pair, in float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    found = {}
    for one in range(len(exact)):
        for two in range(one + 1, len(exact)):
            cosine = float(exact[one] @ exact[two])
            if cosine >= threshold:
                found[one, two] = cosine
    return found


def pairs_of(vectors: Any, threshold: float, most: int = 10_000) -> dict[tuple[int, int], float]:
    found = similar_pairs(range(len(vectors)), lambda rows: vectors[rows.start : rows.stop], threshold, most)
    return dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.cosine.tolist(), strict=True))


@given(st.integers(0, 60), st.integers(2, 40), st.floats(0.2, 0.95), st.integers(0, 10_000))
def test_pairs_are_those_of_all_products_in_float64(rows: int, dimension: int, threshold: float, seed: int) -> None:
    vectors = clustered(rows, dimension, seed) if rows else np.zeros((0, dimension), dtype=np.float32)
    expected = by_hand(vectors, threshold)
    found = pairs_of(vectors, threshold)
    assert found.keys() == expected.keys()
    assert all(abs(found[pair] - expected[pair]) < 1e-6 for pair in expected)


@pytest.mark.parametrize("rows", [BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7])
def test_no_pair_is_lost_or_found_twice_where_blocks_meet(rows: int) -> None:
    vectors = clustered(rows, 16)
    products = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    expected = {(int(a), int(b)) for a, b in np.argwhere(np.triu(products, 1) >= 0.7)}
    assert expected
    assert pairs_of(vectors, 0.7, most=10**6).keys() == expected


def test_float64_decides_at_the_edge_of_the_threshold() -> None:
    rng = np.random.default_rng(5)
    vectors = unit(rng.normal(size=(40, 1024)))
    edges = sorted(by_hand(vectors, -1).values())
    for low, high in list(itertools.pairwise(edges))[::50]:
        threshold = (low + high) / 2
        assert pairs_of(vectors, threshold).keys() == by_hand(vectors, threshold).keys()


def test_the_most_similar_come_first_and_equal_ones_in_the_order_of_the_index() -> None:
    found = list(pairs_of(unit([[1, 0], [1, 0], [1, 0], [1, 1], [1, 0.1]]), 0.5))
    assert found[:3] == [(0, 1), (0, 2), (1, 2)]
    assert found[3:6] == [(0, 4), (1, 4), (2, 4)]


def test_equal_rows_are_alike_at_a_threshold_of_one_and_rows_of_zeros_are_not() -> None:
    vectors = unit(np.random.default_rng(2).normal(size=(3, 384)))
    assert pairs_of(np.concatenate([vectors, vectors]), 1.0).keys() == {(0, 3), (1, 4), (2, 5)}
    assert pairs_of(np.zeros((4, 8), dtype=np.float32), 0.65) == {}


def test_rows_that_are_not_of_length_one_are_taken_as_if_they_were() -> None:
    vectors = unit([[1, 0], [0.9, 0.43]])
    assert pairs_of(vectors * np.float32(1.0009), 0.9).keys() == pairs_of(vectors, 0.9).keys() != set()


def test_each_pair_of_blocks_is_read_once_and_no_block_is_larger_than_512_rows() -> None:
    vectors = clustered(3 * BLOCK, 8)
    read: list[range] = []

    def reading(rows: range) -> Any:
        read.append(rows)
        return vectors[rows.start : rows.stop]

    similar_pairs(range(3 * BLOCK), reading, 0.99, 10**6)
    assert [rows.start // BLOCK for rows in read] == [0, 1, 2, 1, 2, 2]
    assert {len(rows) for rows in read} == {BLOCK}


def test_memory_does_not_grow_with_the_square_of_the_rows() -> None:
    vectors = unit(np.random.default_rng(3).normal(size=(6000, 32)))
    similar_pairs(range(100), lambda rows: vectors[rows.start : rows.stop], 0.95, 100)
    tracemalloc.start()
    similar_pairs(range(6000), lambda rows: vectors[rows.start : rows.stop], 0.95, 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000  # all products are 144 MB


def test_too_many_pairs_are_cut_to_the_most_similar_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Caveats({"queue": ["Messages are lost."] * 30})
    monkeypatch.setattr(module, "MOST", 10)
    report = find_duplicates(files, 0.9, None, ())
    assert len(report["pairs"]) == 10
    assert report["left_out"] == {"queue": 30 * 29 // 2 - 10}
    again = find_duplicates(files, 0.9, report, ["queue"])
    assert again["left_out"] == report["left_out"]


# -- the report --------------------------------------------------------------

QUEUE = ("Failed messages are retried three times.", "Failed messages are retried five times.", "Names hold dots.")
TEXTS = {"cache": ("The cache is shared.", "The cache is never shared."), "queue": QUEUE, "zone": ("One alone.",)}


def test_a_pair_says_what_is_alike_and_what_differs() -> None:
    report = find_duplicates(Caveats(TEXTS), 0.65, None, ())
    assert report["concepts"] == {"cache": 2, "queue": 3, "zone": 1}
    assert {pair["concept"] for pair in report["pairs"]} == {"cache", "queue"}
    [pair] = [pair for pair in report["pairs"] if pair["concept"] == "queue"]
    assert (pair["a"], pair["b"], pair["new"]) == ("caveat:queue:c0", "caveat:queue:c1", True)
    assert pair["numbers"] == [["three times"], ["five times"]]
    assert (pair["negations"], pair["negation"]) == ([[], []], False)
    assert pair["summaries"] == list(QUEUE[:2])
    assert pair["texts"] == [text_digest(text) for text in QUEUE[:2]]
    assert pair["similarity"] == round(pair["similarity"], 6) >= 0.65
    [other] = [pair for pair in report["pairs"] if pair["concept"] == "cache"]
    assert (other["negations"], other["negation"]) == ([[], ["never shared"]], True)
    assert json.loads(json.dumps(report)) == report


def test_numbers_in_the_name_of_a_concept_and_its_severity_say_nothing() -> None:
    report = find_duplicates(Caveats({"s3 2024": ["Keys are sorted.", "Keys are sorted by name."]}), 0.5, None, ())
    assert report["pairs"][0]["numbers"] == [[], []]


def test_caveats_of_two_concepts_are_never_a_pair() -> None:
    same = {"a": ["The limit is ten."], "b": ["The limit is ten."]}
    assert find_duplicates(Caveats(same), 0.1, None, ())["pairs"] == []


def test_pairs_of_concepts_that_did_not_change_are_taken_over_without_reading_a_vector() -> None:
    first = find_duplicates(Caveats(TEXTS), 0.65, None, ())
    changed = {**TEXTS, "cache": ("The cache is shared.", "The cache isn't shared.")}
    files = Caveats(changed)
    second = find_duplicates(files, 0.65, first, ["queue", "zone"])
    assert {files.chunk(row).concept for rows in files.read for row in rows} == {"cache"}
    assert {pair["concept"]: pair["new"] for pair in second["pairs"]} == {"cache": True, "queue": False}
    fresh = find_duplicates(Caveats(changed), 0.65, None, ())
    assert [{**pair, "new": None} for pair in second["pairs"]] == [{**pair, "new": None} for pair in fresh["pairs"]]


def test_a_pair_is_new_when_it_or_one_of_its_texts_was_not_in_the_report_before() -> None:
    first = find_duplicates(Caveats(TEXTS), 0.65, None, ())
    assert not any(pair["new"] for pair in find_duplicates(Caveats(TEXTS), 0.65, first, ())["pairs"])
    changed = {**TEXTS, "queue": (QUEUE[0], "Failed messages are retried six times.", QUEUE[2])}
    report = find_duplicates(Caveats(changed), 0.65, first, ())
    assert {pair["concept"]: pair["new"] for pair in report["pairs"]} == {"cache": False, "queue": True}


def test_another_threshold_or_provider_takes_nothing_over_but_knows_the_pairs() -> None:
    first = find_duplicates(Caveats(TEXTS), 0.65, None, ())
    for files, threshold in ((Caveats(TEXTS), 0.6), (Caveats(TEXTS, identity="other/1"), 0.65)):
        report = find_duplicates(files, threshold, first, list(TEXTS))
        assert files.read
        assert not any(pair["new"] for pair in report["pairs"])


def test_a_concept_that_is_gone_takes_its_pairs_along() -> None:
    first = find_duplicates(Caveats(TEXTS), 0.65, None, ())
    files = Caveats({"cache": TEXTS["cache"]})
    assert {pair["concept"] for pair in find_duplicates(files, 0.65, first, ["cache"])["pairs"]} == {"cache"}


@pytest.mark.parametrize(
    "before", [{}, {"pairs": None}, {"pairs": [{}, 3]}, {"format": 99, "pairs": "x"}, {"left_out": 1}]
)
def test_a_report_that_is_not_whole_counts_as_none(before: dict[str, Any]) -> None:
    assert find_duplicates(Caveats(TEXTS), 0.65, before, list(TEXTS)) == find_duplicates(Caveats(TEXTS), 0.65, None, ())


def test_an_index_without_caveats_has_no_pairs() -> None:
    assert find_duplicates(Caveats({}), 0.65, None, ())["pairs"] == []


def test_texts_can_be_compared_without_what_all_of_a_concept_begin_with() -> None:
    embedded: list[str] = []

    def embed(texts: Sequence[str]) -> Any:
        embedded.extend(texts)
        return HashingProvider().embed(texts)

    files = Caveats({"a very long name of a concept": ["Keys are sorted.", "Zones are slow.", "Keys are not sorted."]})
    assert len(find_duplicates(files, 0.65, None, ())["pairs"]) == 3
    files.read.clear()
    report = find_duplicates(files, 0.65, None, (), embed)
    assert [(pair["a"][-2:], pair["b"][-2:]) for pair in report["pairs"]] == [("c0", "c2")]
    assert embedded == ["Keys are sorted.", "Zones are slow.", "Keys are not sorted."]
    assert files.read == []
    again = find_duplicates(files, 0.65, report, list(files.partitions), embed)
    assert len(embedded) == 3
    assert [pair["new"] for pair in again["pairs"]] == [False]
    assert len(find_duplicates(files, 0.65, report, list(files.partitions))["pairs"]) == 3
