"""Caveats in memory, labelled pairs, and generations with a report on duplicates, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors
from kb.generations import Generations
from kb.index.chunks import CAVEAT, Chunk, schema_chunks
from kb.index.duplicates import find_duplicates
from kb.iris import Iris
from kb.model import Caveat, Entity, SchemaNote
from kb.sources.catalogue import Catalogue

LABELLED = Path(__file__).parent / "duplicates"
BASE = "https://kb.test.example/"


def labelled(name: str = "pairs.jsonl") -> list[dict[str, Any]]:
    """Pairs of caveats: `kind` is "same" or how they differ, `numbers` and `negation` what must be told of them."""
    return [json.loads(line) for line in (LABELLED / name).read_text(encoding="utf-8").splitlines()]


def unit(vectors: Any) -> Vectors:
    """Rows of length 1, float32."""
    rows = np.asarray(vectors, dtype=np.float64)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class Caveats:
    """What `find_duplicates` asks of an index, in memory. `read` are the rows whose vectors were asked for."""

    def __init__(
        self, texts: Mapping[str, Sequence[str]], vectors: Vectors | None = None, identity: str = "hashing/2"
    ) -> None:
        notes = [
            SchemaNote(concept, caveats=tuple(Caveat(f"c{n}", "high", text) for n, text in enumerate(texts[concept])))
            for concept in sorted(texts)
        ]
        self.chunks: list[Chunk] = []
        self.partitions: dict[str, tuple[int, int]] = {}
        for note in notes:
            found = [one for one in schema_chunks(note) if one.kind == CAVEAT]
            self.partitions[note.concept] = (len(self.chunks), len(self.chunks) + len(found))
            self.chunks += found
        self.vectors = HashingProvider().embed([one.text for one in self.chunks]) if vectors is None else vectors
        self.identity = identity
        self.read: list[range] = []

    def rows_of(self, concept: str, kind: str | None = None) -> range:
        return range(*self.partitions.get(concept, (0, 0)))

    def vectors_of(self, rows: range) -> Vectors:
        self.read.append(rows)
        return self.vectors[rows.start : rows.stop]

    def chunk(self, row: int) -> Chunk:
        return self.chunks[row]


def publish(folder: Path, texts: Mapping[str, Sequence[str]] | None = None, entities: Sequence[Entity] = ()) -> Path:
    """A knowledge base whose generation has the report on these caveats, and a catalogue with these entities."""
    folder.mkdir(exist_ok=True)
    (folder / "kb.toml").write_text(f'[kb]\nbase = "{BASE}"\n', encoding="utf-8")
    generations = Generations(folder / "kg")
    with generations.lock():
        parent = generations.current()
        before = None
        if parent is not None and "dedup_report.json" in parent.meta["files"]:
            before = json.loads(parent.read("dedup_report.json"))
        with generations.begin(None, Iris(BASE)) as draft:
            catalogue = Catalogue({one.id: one for one in entities}, (), (), "")
            draft.write("catalogue.json", json.dumps(catalogue.to_json()))
            if texts is not None:
                draft.write("dedup_report.json", json.dumps(find_duplicates(Caveats(texts), 0.65, before, ())))
            draft.publish({"key": {"base": BASE}})
    return folder
