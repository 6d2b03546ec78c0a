"""What `benchmarks/index.py` compares: the plain peer is right, and ours is what float64 brute force gives."""

from __future__ import annotations

import importlib
import json
import math
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_help import Given, chunk

from kb.index import _assembly
from kb.index.chunks import KINDS
from kb.index.search import Index, significant_terms
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, write_index

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def module(name: str) -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


peer, data = module("index_peer"), module("index_data")


def write_notes(folder: Path, notes: Sequence[dict[str, Any]]) -> Path:
    folder.mkdir(exist_ok=True)
    for note in notes:
        (folder / f"{note['concept']}.schema.yaml").write_text(data.yaml_of(note), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def notes() -> list[dict[str, Any]]:
    return list(data.notes(4))


@pytest.fixture
def provider() -> Any:
    return data.BenchProvider(24)


@pytest.fixture
def built(tmp_path: Path, notes: list[dict[str, Any]], provider: Any) -> Path:
    peer.build(write_notes(tmp_path / "schemas", notes), tmp_path / "kg", provider)
    return tmp_path


# -- the peer --------------------------------------------------------------------------------------------------------


def defined(texts: Sequence[str], provider: Any, query: str) -> list[tuple[int, float]]:
    """(row, score), best first: cosine, and the weight times the share of the terms that the text has."""
    terms, asked = peer.significant_terms(query), provider.embed([query])[0]
    found = []
    for row, text in enumerate(texts):
        cosine = math.fsum(float(a) * float(b) for a, b in zip(provider.embed([text])[0], asked, strict=True))
        share = sum(term in text.lower() for term in terms) / max(1, len(terms))
        found.append((row, cosine + provider.lexical_weight * share))
    return sorted(found, key=lambda one: (-one[1], one[0]))


@pytest.mark.parametrize("terms", [0, 2, 7])
@pytest.mark.parametrize("concept", [None, "schema_00002"])
def test_the_peer_ranks_as_the_definition_says(built: Path, provider: Any, terms: int, concept: str | None) -> None:
    index = peer.PeerIndex.open(built / "kg", provider)
    nodes = [node for node in index.nodes if concept in (None, node["concept"])]
    for query in data.queries(5, terms, 1):
        expected = defined([node["text"] for node in nodes], provider, query)[:10]
        found = index.search(query, 10, None if concept is None else [concept])
        assert [one.node["id"] for one in found] == [nodes[row]["id"] for row, _ in expected]
        assert [one.full for one in found] == pytest.approx([score for _, score in expected], abs=1e-5)
        assert all(one.score == min(1.0, one.full) for one in found)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("how do I make config immutable?", ["how", "make", "config", "immutable"]),
        ("a => b |> c ?? d", ["=>", "|>", "??"]),
        ("the End of std::Map", ["end", "std", "::", "map"]),
    ],
)
def test_the_terms_of_the_peer_are_words_and_clusters_of_signs(query: str, terms: list[str]) -> None:
    assert peer.significant_terms(query) == terms


def test_the_peer_embeds_what_changed_and_reuses_the_rest(
    built: Path, notes: list[dict[str, Any]], provider: Any
) -> None:
    first = peer.current(built / "kg")
    before = provider.texts
    report = peer.build(built / "schemas", built / "kg", provider)
    assert (report["rebuilt"], provider.texts, peer.current(built / "kg")) == ([], before, first)

    note = json.loads(json.dumps(notes[1]))
    note["caveats"][3]["summary"] = "Something else."
    report = peer.build(write_notes(built / "schemas", [note]), built / "kg", provider)
    assert report["rebuilt"] == [note["concept"]]
    assert provider.texts == before + data.PER_CONCEPT
    peer.build(built / "schemas", built / "anew", provider)
    for name in ("vectors.npy", "nodes.jsonl", "partitions.json", "dedup_report.json"):
        published, anew = peer.current(built / "kg"), peer.current(built / "anew")
        assert (published / name).read_bytes() == (anew / name).read_bytes()


@pytest.mark.parametrize("name", ["vectors.npy", "nodes.jsonl", "partitions.json", "dedup_report.json"])
def test_the_peer_builds_on_nothing_that_is_damaged(built: Path, provider: Any, name: str) -> None:
    path = peer.current(built / "kg") / name
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    with pytest.raises(peer.PeerError, match=name):
        peer.build(built / "schemas", built / "kg", provider)
    peer.build(built / "schemas", built / "kg", provider, force=True)


@pytest.mark.parametrize("triangle", [False, True])
@pytest.mark.parametrize("rows", [3, 513, 1100])
def test_near_pairs_are_those_of_all_pairs(rows: int, triangle: bool) -> None:
    rng = np.random.default_rng(rows)
    vectors = rng.normal(size=(rows, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    expected = {(a, b) for a, b in np.argwhere(cosines >= 0.95).tolist() if a < b}
    assert {pair[:2] for pair in peer.near_pairs(vectors, 0.95, triangle=triangle)} == expected


# -- the data --------------------------------------------------------------------------------------------------------


def test_notes_and_vectors_are_the_same_at_every_run(notes: list[dict[str, Any]], provider: Any) -> None:
    assert list(data.notes(2)) == notes[:2]
    texts = [node["text"] for node in peer.nodes_of(notes[0])]
    assert len(texts) == data.PER_CONCEPT
    alone = [data.BenchProvider(24).embed([text])[0] for text in texts]
    assert np.array_equal(provider.embed(texts), np.stack(alone))


def test_texts_are_those_of_kb(notes: list[dict[str, Any]]) -> None:
    ours = module("index_ours").chunks_of(notes[0])
    assert [(one.id, one.text) for one in ours] == [(node["id"], node["text"]) for node in peer.nodes_of(notes[0])]


def test_the_same_words_in_another_order_are_near_duplicates(provider: Any) -> None:
    one, other, third = provider.embed(["make it so", "so make it", "make it go"])
    assert one @ other > 0.9 > one @ third


@pytest.mark.parametrize("terms", [0, 2, 7])
def test_queries_have_the_terms_that_they_should_for_peer_and_ours(terms: int) -> None:
    asked = data.queries(20, terms, 3)
    assert len(set(asked)) == 20
    for query in asked:
        assert len(peer.significant_terms(query)) == len(significant_terms(query)) == terms


def test_the_parts_of_the_benchmark_run_and_find_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    parts = module("index_parts")
    monkeypatch.setattr(parts, "IN_A_ROW", 2)
    options = parts.Options(str(tmp_path / "work"), concepts=3, dimension=24, samples=2)
    (tmp_path / "work").mkdir()
    assert parts.prepare_peer(options)["rows"] == 3 * data.PER_CONCEPT
    for name in ("prepare_ours", "start_peer", "start_ours"):
        assert all(number >= 0 for number in parts.PARTS[name](options).values())
    for name in ("warm", "publish"):
        assert all(row["ratio"] > 0 for row in parts.PARTS[name](options))
    # Two concepts of another summary are left by `publish`, so the index is made anew.
    shutil.rmtree(options.our_folder)
    parts.prepare_ours(options)
    told = parts.exact(options)
    assert [(state, one["queries"], one["wrong"]) for state, one in told.items()] == [
        ("fresh", 120, 0),
        ("with changes", 120, 0),
    ]
    assert all(one["worst"] < 1e-5 for one in told.values())


# -- ours ------------------------------------------------------------------------------------------------------------

WORDS = ("alpha", "alphabet", "Beta", "gamma =>", "x => y", "snake_case", "Größe", "a|>b", "??")
QUERIES = ("Alpha", "beta => gamma", "snake alpha |>", "größe ?? beta", "of")


@st.composite
def worlds(draw: st.DrawFn) -> tuple[dict[tuple[str, str], list[str]], int, int]:
    """Texts by concept and kind, the number of dimensions, a seed for vectors."""
    places = st.tuples(st.sampled_from(["a", "b", "c", "ä"]), st.sampled_from(KINDS))
    texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=6)
    found = draw(st.dictionaries(places, texts, min_size=1, max_size=8))
    return found, draw(st.integers(1, 20)), draw(st.integers(0, 1 << 30))


class World:
    """An index of random texts, and what float64 brute force finds in it."""

    def __init__(self, texts: dict[tuple[str, str], list[str]], dimension: int, seed: int) -> None:
        self.texts = {place: [f"{at} {text}" for at, text in enumerate(group)] for place, group in texts.items()}
        self.dimension, self.rng = dimension, np.random.default_rng(seed)
        self.vectors: dict[str, Any] = {}

    def unit(self) -> Any:
        known = list(self.vectors.values())
        if known and self.rng.random() < 0.4:
            return known[self.rng.integers(len(known))]
        vector = self.rng.integers(-2, 3, size=self.dimension) + self.rng.choice([0, 1e-6]) * self.rng.normal(
            size=self.dimension
        )
        length = np.linalg.norm(vector)
        return (vector / length if length else np.eye(1, self.dimension)[0]).astype(np.float32)

    def provider(self) -> Given:
        said = [text for group in self.texts.values() for text in group]
        for text in (*said, *QUERIES):
            # Many rows are equal, or nearly, to each other.
            self.vectors.setdefault(text, self.unit())
        return Given(self.vectors, self.dimension)

    def parts(self, changed: set[tuple[str, str]] | None = None) -> Iterator[Part]:
        for (concept, kind), group in self.texts.items():
            chunks = [chunk(concept, at, text, kind) for at, text in enumerate(group)]
            new = changed is None or (concept, kind) in changed
            yield Part(concept, kind, (lambda chunks=chunks: chunks) if new else None)

    def brute_force(self, query: str, kinds: set[str] | None, concepts: set[str] | None) -> list[tuple[str, float]]:
        terms, asked = significant_terms(query), self.vectors[query].astype(np.float64)
        found = []
        for concept, kind in sorted(self.texts):
            if (kinds is None or kind in kinds) and (concepts is None or concept in concepts):
                for at, text in enumerate(self.texts[concept, kind]):
                    share = sum(term in text.lower() for term in terms) / max(1, len(terms))
                    cosine = float((self.vectors[text].astype(np.float64) * asked).sum())
                    found.append((f"{kind}:{concept}:{at}", cosine + 0.3 * share))
        return sorted((one for one in found if round(one[1], 12) > 0), key=lambda one: -round(one[1], 12))

    def check(self, folder: Path, provider: Given) -> None:
        index = Index.open(folder, provider)
        for query in QUERIES:
            for kinds in (None, {"field", "caveat"}):
                for concepts in (None, {"b"}, {"ä", "a", "not there"}):
                    expected = self.brute_force(query, kinds, concepts)[:5]
                    hits = index.search(query, 5, kinds=kinds, concepts=concepts)
                    assert [hit.chunk.id for hit in hits] == [id for id, _ in expected]
                    scores = [score for _, score in expected]
                    assert [hit.full_score for hit in hits] == pytest.approx(scores, abs=1e-5)
                    assert all(hit.score == min(1.0, hit.full_score) for hit in hits)


@given(worlds())
@settings(max_examples=60)
def test_ours_finds_what_float64_brute_force_finds(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[dict[tuple[str, str], list[str]], int, int]
) -> None:
    world = World(*drawn)
    folder = tmp_path_factory.mktemp("index")
    provider = world.provider()
    write_index(folder, world.parts(), provider, None)
    world.check(folder, provider)


@given(worlds(), st.lists(st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join), max_size=4), st.data())
@settings(max_examples=30)
def test_and_after_parts_changed_came_and_went(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: tuple[dict[tuple[str, str], list[str]], int, int],
    texts: list[str],
    choice: st.DataObject,
) -> None:
    world = World(*drawn)
    folder = tmp_path_factory.mktemp("index")
    with pytest.MonkeyPatch.context() as patch:
        # Rows that change stand apart, however few there are of others.
        patch.setattr(_assembly, "MERGED_BELOW", 0)
        patch.setattr(_assembly, "SHARE", 10.0)
        write_index(folder, world.parts(), world.provider(), None)
        for _ in range(3):
            before, folder = folder, tmp_path_factory.mktemp("index")
            place = choice.draw(st.sampled_from([*sorted(world.texts), ("b", "field"), ("ä", "section")]))
            if place in world.texts and len(world.texts) > 1 and choice.draw(st.booleans()):
                del world.texts[place]
            else:
                world.texts[place] = [f"{at} {text} new" for at, text in enumerate(texts)]
            provider = world.provider()
            write_index(folder, world.parts({place}), provider, IndexFiles(before))
            world.check(folder, provider)
