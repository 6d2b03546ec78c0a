"""Caveats of one concept that are so much alike that they say the same, or the contrary.

Only caveats of the same concept are compared: that two formats share a caveat is nothing to clean up. What differs
between the two is named beside each pair; whether it is a duplicate, people say, see `kb.reviews`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from kb.embed.provider import Vectors
from kb.index.chunks import CAVEAT, Chunk
from kb.index.differences import RULES, Said, differences

__all__ = ["FORMAT", "MOST", "CaveatRows", "find_duplicates", "text_digest"]

FORMAT = 1
"""The number that the report carries."""
MOST = 2_000
"""Pairs of one concept that the report holds. A concept with more has thousands of caveats that are all the same."""


class CaveatRows(Protocol):
    """What is asked of an index; `kb.index.vectors.IndexFiles` is one."""

    @property
    def partitions(self) -> Mapping[str, tuple[int, int]]: ...
    @property
    def identity(self) -> str: ...
    def rows_of(self, concept: str, kind: str | None = None) -> range: ...
    def vectors_of(self, rows: range) -> Vectors: ...
    def chunk(self, row: int) -> Chunk: ...


def find_duplicates(
    files: CaveatRows,
    threshold: float,
    parent: Mapping[str, Any] | None,
    unchanged: Collection[str],
    embed: Callable[[Sequence[str]], Vectors] | None = None,
) -> dict[str, Any]:
    """The report on near-duplicates, as plain values.

    Compared are the rows of the index; where `embed` is given, which makes unit rows of texts, the caveats without what
    all of their concept begin with ("Caveat [high] price_list:"). Small models find texts alike for that alone.

    - `format`, `rules`, `provider`, `threshold`, `heads` (whether texts had these heads): what it was made with
    - `concepts` (concept -> its caveats), `left_out` (concept -> pairs beyond `MOST`, the least similar ones)
    - `pairs`, most similar first, equally similar ones in the order of the index; each with `a`, `b` (ids), `concept`,
      `similarity` (cosine of at least `threshold`, 6 digits), `summaries`, `numbers` and `negations` (two lists: what
      `a` has and `b` has not, and the reverse), `negation` (whether these lists hold anything), `texts` (SHA-256 of
      both without their heads) and `new`: whether `parent`, the report before this one, lacks the pair with these texts

    Of concepts in `unchanged`, whose texts and vectors are those that `parent` is about, pairs are taken over and no
    vector is read, provided that it was made with the same rules, provider and threshold.
    """
    before = _pairs_of(parent)
    known = {_key(pair) for pair in before}
    made: dict[str, Any] = {"format": FORMAT, "rules": RULES, "provider": files.identity}
    made |= {"threshold": threshold, "heads": embed is None}
    kept: dict[str, list[Mapping[str, Any]]] | None = None
    if parent is not None and all(parent.get(key) == value for key, value in made.items()):
        kept = {}
        for pair in before:
            kept.setdefault(pair["concept"], []).append(pair)
    concepts: dict[str, int] = {}
    left_out: dict[str, int] = {}
    ranked: list[tuple[float, int, int, dict[str, Any]]] = []
    for number, concept in enumerate(sorted(files.partitions)):
        rows = files.rows_of(concept, CAVEAT)
        if not rows:
            continue
        concepts[concept] = len(rows)
        if kept is not None and concept in unchanged:
            pairs: list[dict[str, Any]] = [{**pair, "new": False} for pair in kept.get(concept, ())]
            more = _number(parent, concept)
        else:
            pairs, more = _compared(files, concept, rows, threshold, embed)
            for pair in pairs:
                pair["new"] = _key(pair) not in known
        if more:
            left_out[concept] = more
        ranked += [(-pair["similarity"], number, place, pair) for place, pair in enumerate(pairs)]
    ranked.sort(key=lambda one: one[:3])
    return {**made, "concepts": concepts, "left_out": left_out, "pairs": [pair for *_, pair in ranked]}


def text_digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _compared(
    files: CaveatRows,
    concept: str,
    rows: range,
    threshold: float,
    embed: Callable[[Sequence[str]], Vectors] | None,
) -> tuple[list[dict[str, Any]], int]:
    if len(rows) < 2:
        return [], 0
    # NumPy is loaded when there is something to compare.
    from kb.index._similar import similar_pairs

    vectors = None if embed is None else embed([_without_head(files.chunk(row)) for row in rows])

    def vectors_of(some: range) -> Vectors:
        if vectors is None:
            return files.vectors_of(some)
        return vectors[some.start - rows.start : some.stop - rows.start]

    found = similar_pairs(rows, vectors_of, threshold, MOST)
    read: dict[int, _Caveat] = {}

    def caveat(row: int) -> _Caveat:
        if row not in read:
            read[row] = _Caveat(files.chunk(row))
        return read[row]

    places = zip(found.first.tolist(), found.second.tolist(), found.cosine.tolist(), strict=True)
    pairs = [_pair(concept, caveat(rows[one]), caveat(rows[two]), cosine) for one, two, cosine in places]
    return pairs, found.left_out


class _Caveat:
    """A caveat, read once for all pairs that it is in."""

    def __init__(self, chunk: Chunk) -> None:
        self.id, self.label = chunk.id, chunk.label
        # Both of a pair begin with the same name; its numbers say nothing. Nor is another severity another text.
        text = _without_head(chunk)
        self.digest = text_digest(text)
        self.said = Said(text)


def _without_head(chunk: Chunk) -> str:
    head = f"Caveat [{chunk.severity}] {chunk.concept}: "
    return chunk.text.removeprefix(" ".join(head.split()) + " ")


def _pair(concept: str, one: _Caveat, two: _Caveat, similarity: float) -> dict[str, Any]:
    found = differences(one.said, two.said)
    return {
        "a": one.id,
        "b": two.id,
        "concept": concept,
        "similarity": similarity,
        "summaries": [one.label, two.label],
        "numbers": [list(side) for side in found.numbers],
        "negations": [list(side) for side in found.negations],
        "negation": any(found.negations),
        "new": True,
        "texts": [one.digest, two.digest],
    }


def _pairs_of(report: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The pairs of a report, those that are told in full."""
    return list(_whole(report.get("pairs"))) if report is not None else []


def _whole(pairs: object) -> Iterator[Mapping[str, Any]]:
    for pair in pairs if isinstance(pairs, Sequence) else ():
        if isinstance(pair, Mapping) and {"a", "b", "concept", "similarity", "texts"} <= set(pair):
            yield pair


def _key(pair: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset(zip((pair["a"], pair["b"]), pair["texts"], strict=False))


def _number(report: Mapping[str, Any] | None, concept: str) -> int:
    counts = report.get("left_out") if report is not None else None
    return int(counts.get(concept, 0)) if isinstance(counts, Mapping) else 0
