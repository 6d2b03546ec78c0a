"""Search is exact: over any vectors and texts, whatever the index was built upon, with and without numkong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_help import Given, chunk, ranked, write

from kb.embed.provider import Vectors
from kb.index import _assembly, _runs, _scan
from kb.index._runs import Runs, write_runs
from kb.index._terms import Texts, fold, significant_terms
from kb.index.chunks import ENTITY, SECTION
from kb.index.search import Index
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, write_index

WORDS = (
    "shop",
    "Shopping",
    "cart",
    "=>",
    "a=>b",
    "|>",
    "??",
    "!=",
    "std::map",
    "größe",
    "İstanbul",
    "STRASSE",
    "ß",
    "ﬁn",
)
QUERIES = ("shop => cart", "größe", "i̇stanbul strasse", "?? != ::", "the of", "tan map hop opp", "ﬁn Cafe\u0301")


@contextmanager
def deltas(share: float = 100.0) -> Iterator[None]:
    """Small indexes, too, are written upon others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_assembly, "MERGED_BELOW", 0)
        patch.setattr(_assembly, "SHARE", share)
        yield


def unit_rows(rng: np.random.Generator, rows: int, dimension: int) -> Vectors:
    """Random ones, near ones and equal ones."""
    vectors = rng.normal(size=(rows, dimension))
    vectors[rng.random(rows) < 0.3] = vectors[0] + rng.normal(size=dimension) * 1e-7
    vectors[rng.random(rows) < 0.3] = vectors[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


def agree(
    index: Index, rows: list[tuple[str, Vectors]], query: str, asked: Vectors, top_k: int, **only: list[str]
) -> None:
    found = index.search(query, top_k, **only)
    expected = ranked(rows, query, asked, 0.3, top_k)
    assert [hit.chunk.text for hit in found] == [text for text, _ in expected]
    assert [hit.full_score for hit in found] == pytest.approx([score for _, score in expected], abs=1e-11)


@pytest.mark.parametrize("numkong", [True, False])
@given(st.integers(0, 2**32 - 1), st.sampled_from(QUERIES), st.integers(1, 30), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_every_history_of_builds_gives_the_ranking_of_float64(
    tmp_path_factory: pytest.TempPathFactory, numkong: bool, seed: int, query: str, top_k: int, builds: int
) -> None:
    rng = np.random.default_rng(seed)
    dimension, folder = int(rng.integers(2, 40)), tmp_path_factory.mktemp("index")
    provider = Given({query: unit_rows(rng, 1, dimension)[0]}, dimension)
    pages: dict[str, list[str]] = {}
    parent: Path | None = None
    with deltas(), pytest.MonkeyPatch.context() as patch:
        if not numkong:
            patch.setattr(_scan, "numkong", None)
        for build in range(builds):
            changed = set(rng.choice(list("abcdef"), int(rng.integers(0, 6))).tolist())
            for page in changed:
                pages.pop(page, None)
                size = int(rng.integers(0, 30))
                texts = [f"{page}{build}{n}. {' '.join(rng.choice(WORDS, 3))}" for n in range(size)]
                provider.vectors = (
                    {**provider.vectors, **dict(zip(texts, unit_rows(rng, size, dimension), strict=True))}
                    if size
                    else provider.vectors
                )
                if rng.random() < 0.8:
                    pages[page] = texts
            write(folder / str(build), pages, parent, changed, provider)
            parent = folder / str(build)
        assert parent is not None
        rows = [(text, provider.vectors[text]) for page in sorted(pages) for text in pages[page]]
        index = Index.open(parent, provider)
        index.files.verify()
        assert [index.files.chunk(row).text for row in range(index.files.rows)] == [text for text, _ in rows]
        asked = provider.vectors[query]
        agree(index, rows, query, asked, top_k)
        for only in (["a"], ["c", "e", "a", "none"]):
            some = [(text, vector) for text, vector in rows if text[0] in only]
            agree(index, some, query, asked, top_k, concepts=only)
        agree(index, rows, query, asked, top_k, kinds=[SECTION])
        assert index.search(query, top_k, kinds=[ENTITY]) == []


def test_kinds_are_told_apart_in_base_and_delta(tmp_path: Path) -> None:
    vectors = unit_rows(np.random.default_rng(3), 41, 8)
    texts = [f"shop {n}" for n in range(40)]
    provider = Given({**dict(zip(texts, vectors, strict=False)), "shop": vectors[40]}, 8)

    def parts(changed: bool) -> list[Part]:
        found = []
        for number in range(10):
            for kind in (SECTION, ENTITY):
                ids = range(number * 4 + 2 * (kind == SECTION), number * 4 + 2 * (kind == SECTION) + 2)
                made = [chunk(f"p{number}", at, texts[at], kind) for at in ids]
                found.append(Part(f"p{number}", kind, (lambda made=made: made) if changed or number == 7 else None))
        return found

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    write_index(tmp_path / "a", parts(True), provider, None)
    texts[28] = "shop anew"
    provider.vectors = {**provider.vectors, "shop anew": vectors[3]}
    with deltas():
        assert not write_index(tmp_path / "b", parts(False), provider, IndexFiles(tmp_path / "a")).merged
    index = Index.open(tmp_path / "b", provider)
    assert index.files.delta is not None
    assert index.files.rows_of("p7", SECTION) == range(30, 32)
    for kind, rest in ((ENTITY, (0, 1)), (SECTION, (2, 3))):
        rows = [(text, provider.vectors[text]) for at, text in enumerate(texts) if at % 4 in rest]
        agree(index, rows, "shop", vectors[40], 15, kinds=[kind])
        some = [(text, provider.vectors[text]) for at, text in enumerate(texts) if at % 4 in rest and at // 4 in (6, 7)]
        agree(index, some, "shop", vectors[40], 15, kinds=[kind], concepts=["p7", "p6"])


@pytest.mark.parametrize("threads", [1, 2])
def test_many_rows_are_searched_as_few_are(tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scan, "_BLOCK", 64)
    rng = np.random.default_rng(5)
    vectors = unit_rows(rng, 6001, 16)
    texts = [f"{n} {' '.join(rng.choice(WORDS, 2))}" for n in range(6000)]
    provider = Given({**dict(zip(texts, vectors, strict=False)), "shop => cart": vectors[6000]}, 16)
    write(tmp_path, {f"p{n:03}": texts[n * 60 : n * 60 + 60] for n in range(100)}, provider=provider)
    index = Index.open(tmp_path, provider, threads=threads)
    rows = list(zip(texts, vectors, strict=False))
    for top_k in (1, 10, 700):
        agree(index, rows, "shop => cart", vectors[6000], top_k)


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_the_bound_on_8_bit_scores_holds(scale: float, tmp_path: Path) -> None:
    if _scan.numkong is None:
        pytest.skip("numkong is not installed")
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(400, 24)) ** 3
    vectors[::7, 3] *= 1 / scale
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [f"{n}" for n in range(400)]
    provider = Given(dict(zip(texts, vectors.astype(np.float32), strict=True)), 24)
    write(tmp_path, {"x": texts}, provider=provider)
    scan = IndexFiles(tmp_path).scan
    assert scan is not None
    for query in vectors[:50]:
        scores, errors, off = scan.scores(query, _scan.Threads(1))
        assert (np.abs(vectors.astype(np.float32) @ query - scores) <= errors + off).all()


# -- words --------------------------------------------------------------------

ANY = st.text(st.sampled_from("abA_1é\u0301İıßﬁ設 定\n\t=>|?!:;.,()#\x00\x1c\u2028Σς𝔘"), max_size=12)


@given(st.lists(st.one_of(ANY, st.text(max_size=8)), max_size=8), ANY, st.sampled_from([2, 65_536]))
@settings(max_examples=150, deadline=None)
def test_terms_are_found_in_runs_as_in_the_texts(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, shard: int
) -> None:
    import json

    from kb.index._layout import TERM_NAMES, Fact

    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runs, "_SHARD", shard)
        counts = write_runs(folder, len(texts), enumerate(json.dumps({"text": text}).encode() for text in texts))
        runs = Runs(folder, len(texts), counts, {name: Fact.of(folder / name) for name in TERM_NAMES})
        for terms in (significant_terms(query), significant_terms(" ".join(texts)), significant_terms("".join(texts))):
            expected = [sum(term in fold(text) for term in terms) for text in texts]
            assert runs.counts(terms).tolist() == expected
            assert runs.counts(terms, np.arange(len(texts))).tolist() == expected
            assert Texts(texts).counts(terms).tolist() == expected


def test_words_as_long_as_a_page_are_found_in_parts_and_cost_what_they_hold(tmp_path: Path) -> None:
    long = "".join(f"{n:x}" for n in range(60_000))
    assert len(long) > 200_000
    texts = [long, f"alpha {long[5_000:5_400]}", "alpha beta", long[:129], "beta"]
    written = write(tmp_path, {"x": texts})
    assert written.rows == 5
    runs = IndexFiles(tmp_path).runs
    assert runs is not None
    # Nothing of the three that are longer is sorted.
    assert len(runs._suffixes) == 3 + 2
    for term in (long[100_000:100_040], long[5_000:5_200], long[:129], "alp", "beta", "0123456789ab"):
        assert runs.counts([term]).tolist() == [int(term in text) for text in texts]


def test_a_query_of_very_many_words_is_counted(tmp_path: Path) -> None:
    words = [f"word{n:04}" for n in range(700)]
    write(tmp_path, {"x": [" ".join(words), " ".join(words[:650]), "none"]})
    index = Index.open(tmp_path)
    first, second = index.search(" ".join(words), 2)
    assert (first.lexical, second.lexical) == (1.0, 650 / 700)
