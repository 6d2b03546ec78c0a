"""Chunks, indexes and providers for tests."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from kb.embed.hashing import HashingProvider
from kb.embed.provider import Provider, Vectors
from kb.index._layout import all_names
from kb.index._terms import fold, significant_terms
from kb.index.chunks import SECTION, Chunk
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, Written, write_index

FILES = ("vectors.npy", "nodes.jsonl", "partitions.json", "index.json")


class Counting(HashingProvider):
    """Keeps the texts that it embeds."""

    def __init__(self, identity: str = "hashing/2") -> None:
        self.identity = identity
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.texts += texts
        return super().embed(texts, query=query)


class Given:
    """Gives each text, and each query, the vector that is set down for it."""

    identity, family, lexical_weight, duplicate_threshold, costly = "given/1", None, 0.3, 0.9, False

    def __init__(self, vectors: Mapping[str, Vectors], dimension: int) -> None:
        self.vectors, self.dimension = vectors, dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)


def chunk(concept: str, number: int, text: str, kind: str = SECTION) -> Chunk:
    return Chunk(f"{kind}:{concept}:{number}", kind, concept, text, concept, concept, 0, 1)


def write(
    folder: Path,
    pages: Mapping[str, Sequence[str]],
    parent: Path | None = None,
    changed: Collection[str] | None = None,
    provider: Provider | None = None,
) -> Written:
    """Writes an index of pages with these texts. `changed` are those that are not taken over from the parent."""

    def chunks(page: str) -> list[Chunk]:
        return [chunk(page, number, text) for number, text in enumerate(pages[page])]

    def making(page: str) -> Callable[[], list[Chunk]] | None:
        return partial(chunks, page) if changed is None or page in changed else None

    folder.mkdir(exist_ok=True)
    parts = [Part(page, SECTION, making(page)) for page in pages]
    before = None if parent is None else IndexFiles(parent)
    return write_index(folder, parts, provider or HashingProvider(), before)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of an index, by name."""
    return {name: (folder / name).read_bytes() for name in all_names() if (folder / name).is_file()}


def ranked(
    rows: Sequence[tuple[str, Vectors]], query: str, asked: Vectors, weight: float, top_k: int
) -> list[tuple[str, float]]:
    """(text, full score) of the best rows, in float64 and from the definition."""
    terms = significant_terms(query)
    scored = []
    for place, (text, vector) in enumerate(rows):
        cosine = math.fsum(float(a) * float(b) for a, b in zip(vector, asked, strict=True))
        share = sum(term in fold(text) for term in terms) / max(1, len(terms))
        scored.append((-round(cosine + weight * share, 12), place, text))
    return [(text, -score) for score, _, text in sorted(scored) if score < 0][:top_k]


def write_format_1(folder: Path, pages: Mapping[str, Sequence[str]], provider: Provider) -> None:
    """Four files, as releases before format 2 wrote them."""
    rows = [chunk(page, number, text) for page in sorted(pages) for number, text in enumerate(pages[page])]
    folder.mkdir(exist_ok=True)
    np.save(folder / "vectors.npy", provider.embed([one.text for one in rows]))
    lines = (json.dumps(one.to_json(), ensure_ascii=False, separators=(",", ":")) + "\n" for one in rows)
    (folder / "nodes.jsonl").write_text("".join(lines), encoding="utf-8")
    partitions: dict[str, list[int]] = {}
    for row, one in enumerate(rows):
        partitions.setdefault(one.concept, [row, row])[1] = row + 1
    (folder / "partitions.json").write_text(json.dumps(partitions, ensure_ascii=False), encoding="utf-8")
    meta = {
        "format": 1,
        "provider": provider.identity,
        "dimension": provider.dimension,
        "dtype": "float32",
        "rows": len(rows),
        "lexical_weight": provider.lexical_weight,
        "files": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES[:3]},
    }
    body = json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()
    meta["digest"] = hashlib.sha256(body).hexdigest()
    (folder / "index.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
