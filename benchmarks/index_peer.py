"""A vector index of schema notes in plain NumPy: the peer that `benchmarks/index.py` compares `kb.index` with.

The usual way to build one, without a database: parse every note, take over the vectors of concepts whose chunks are
the same, put the whole generation together, check it, publish it; open it by parsing all nodes; search by one matrix
product and a scan of all texts for each term. Everything is exact. What is not measured has been left out: locks,
hosted providers, the fallback when a query cannot be embedded.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import yaml

FORMAT = 2
CHUNKER = "1"
BATCH = 1000
BLOCK = 512
UNIT = 1e-3
DATA_FILES = ("vectors.npy", "nodes.jsonl", "partitions.json", "dedup_report.json")

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
Pair = tuple[int, int, float]
Node = dict[str, Any]


class PeerError(RuntimeError):
    """The generation on disk cannot be used."""


class Provider(Protocol):
    """What of `kb.embed.provider.Provider` is needed here."""

    @property
    def identity(self) -> str: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def lexical_weight(self) -> float: ...
    @property
    def duplicate_threshold(self) -> float: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats: ...


# -- notes and their chunks ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Schema:
    """A note that was read: what the catalog says of it, and its nodes in order."""

    concept: str
    filename: str
    raw: str
    semantic: str
    review: dict[str, Any]
    nodes: list[Node]

    @property
    def fingerprint(self) -> str:
        """Of what is embedded: ids and texts, in order."""
        return _digest(json.dumps([(node["id"], node["text"]) for node in self.nodes]).encode())

    def entry(self) -> dict[str, Any]:
        return {
            "filename": self.filename,
            "raw": self.raw,
            "semantic": self.semantic,
            "review": self.review,
            "nodes": len(self.nodes),
            "chunker": CHUNKER,
            "fingerprint": self.fingerprint,
        }


def read_schemas(folder: Path) -> Iterator[Schema]:
    """The notes of a folder by file name; every file is parsed."""
    for path in sorted(folder.glob("*.schema.yaml")):
        data = path.read_bytes()
        # libyaml, about ten times faster than the parser in Python.
        note = yaml.load(data, Loader=yaml.CSafeLoader)
        said = {key: value for key, value in note.items() if key != "review"}
        semantic = _digest(json.dumps(said, sort_keys=True).encode())
        yield Schema(note["concept"], path.name, _digest(data), semantic, note.get("review", {}), nodes_of(note))


def nodes_of(note: dict[str, Any]) -> list[Node]:
    """One node for the concept, one for each field, one for each caveat."""
    concept, fields, caveats = note["concept"], note.get("fields", []), note.get("caveats", [])
    names = ", ".join(map(_called, fields))
    summaries = " ".join(caveat["summary"] for caveat in caveats)
    text = f"Concept: {concept}. Fields: {names}. Caveats: {summaries}"
    found = [_node("concept", concept, None, text, label=concept)]
    for field in fields:
        text = f"Field {concept}.{_called(field)} ({field['value_type']}): {field['description']}"
        found.append(_node("field", concept, field["id"], text, label=field["name"], value_type=field["value_type"]))
    for caveat in caveats:
        text = f"Caveat [{caveat['severity']}] {concept}: {caveat['summary']} Evidence: {caveat['evidence']}"
        about = [f"field:{concept}:{field}" for field in caveat.get("applies_to", [])]
        shown = {"label": caveat["summary"], "severity": caveat["severity"], "applies_to": about}
        found.append(_node("caveat", concept, caveat["id"], text, **shown))
    return found


def _called(field: dict[str, Any]) -> str:
    return field["name"] if field["name"] == field["id"] else f"{field['name']} [{field['id']}]"


def _node(kind: str, concept: str, name: str | None, text: str, **shown: Any) -> Node:
    id = f"{kind}:{concept}" if name is None else f"{kind}:{concept}:{name}"
    return {"id": id, "kind": kind, "concept": concept, "text": text, **shown}


# -- generations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Generation:
    """Everything of one generation. Row n of `vectors`, shape (nodes, dimension), belongs to node n."""

    vectors: Floats
    nodes: list[Node]
    partitions: dict[str, list[int]]
    duplicates: list[dict[str, Any]]
    meta: dict[str, Any]

    def check(self) -> None:
        """Raises PeerError where parts do not fit, or a row is not of length 1."""
        if self.vectors.shape != (len(self.nodes), self.meta["dimension"]) or self.vectors.dtype != np.float32:
            raise PeerError(f"vectors of shape {self.vectors.shape} for {len(self.nodes)} nodes")
        if not np.isfinite(self.vectors).all():
            raise PeerError("a vector has a number that is none")
        lengths = np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors))
        if (np.abs(lengths - 1) > UNIT).any():
            raise PeerError("a vector is not of length 1")
        if len({node["id"] for node in self.nodes}) < len(self.nodes):
            raise PeerError("two nodes share an id")
        at = 0
        for start, stop in self.partitions.values():
            if start != at or stop < start:
                raise PeerError(f"no partition holds row {at}")
            at = stop
        if at != len(self.nodes):
            raise PeerError(f"partitions end at {at} of {len(self.nodes)} nodes")

    @classmethod
    def load(cls, path: Path) -> Generation:
        """What was published there; every byte of it is checked."""
        meta = json.loads((path / "meta.json").read_bytes())
        if meta.get("format") != FORMAT:
            raise PeerError(f"{path}: format {meta.get('format')!r} is unknown; build with force")
        for name in DATA_FILES:
            with (path / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != meta["files"][name]:
                    raise PeerError(f"{path / name}: its bytes are not those that were written; build with force")
        found = cls(
            np.load(path / "vectors.npy", mmap_mode="r"),
            _nodes(path),
            json.loads((path / "partitions.json").read_bytes()),
            json.loads((path / "dedup_report.json").read_bytes()),
            meta,
        )
        found.check()
        return found

    def save(self, path: Path) -> None:
        """Writes all files, on the disk when this returns."""
        np.save(path / "vectors.npy", self.vectors)
        with (path / "nodes.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(node, ensure_ascii=False) + "\n" for node in self.nodes)
        (path / "partitions.json").write_text(json.dumps(self.partitions), encoding="utf-8")
        (path / "dedup_report.json").write_text(json.dumps(self.duplicates), encoding="utf-8")
        for name in DATA_FILES:
            with (path / name).open("rb") as file:
                self.meta["files"][name] = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
        with (path / "meta.json").open("w", encoding="utf-8") as file:
            json.dump(self.meta, file)
            file.flush()
            os.fsync(file.fileno())


def current(folder: Path) -> Path | None:
    """The generation that is published."""
    name = folder / "CURRENT"
    return folder / "generations" / name.read_text(encoding="utf-8") if name.is_file() else None


def build(schemas: Path, folder: Path, provider: Provider, *, force: bool = False) -> dict[str, Any]:
    """Brings the index in `folder` up to the notes in `schemas`: see `publish`."""
    return publish(list(read_schemas(schemas)), folder, provider, force=force)


def publish(schemas: Sequence[Schema], folder: Path, provider: Provider, *, force: bool = False) -> dict[str, Any]:
    """Puts together, checks and publishes the generation of these notes; tells what was rebuilt, skipped and found.

    Only concepts whose chunks changed are embedded. Where nothing at all changed nothing is written.
    """
    path = None if force else current(folder)
    before = None if path is None else Generation.load(path)
    known: dict[str, Any] = {} if before is None else before.meta["catalog"]
    same_provider = before is not None and before.meta["identity"] == provider.identity
    catalog = {schema.concept: schema.entry() for schema in sorted(schemas, key=lambda one: one.concept)}
    reused = {
        concept
        for concept, entry in catalog.items()
        if same_provider
        and concept in known
        and (entry["chunker"], entry["fingerprint"]) == (known[concept]["chunker"], known[concept]["fingerprint"])
    }
    found = _assembled({schema.concept: schema for schema in schemas}, catalog, provider, before, reused)
    found.check()
    earlier = {(pair["a"], pair["b"]) for pair in before.duplicates} if before is not None else set()
    report = {
        "rebuilt": sorted(set(catalog) - reused),
        "skipped": sorted(reused),
        "nodes": len(found.nodes),
        "edges": sum(_edges(node) for node in found.nodes),
        "dedup_candidates": len(found.duplicates),
        "new_dedup_candidates": sum((pair["a"], pair["b"]) not in earlier for pair in found.duplicates),
    }
    if before is None or catalog != known or not same_provider:
        _swap(folder, found)
    return report


def _assembled(
    schemas: dict[str, Schema],
    catalog: dict[str, Any],
    provider: Provider,
    before: Generation | None,
    reused: set[str],
) -> Generation:
    nodes: list[Node] = []
    partitions: dict[str, list[int]] = {}
    for concept in catalog:
        partitions[concept] = [len(nodes), len(nodes) + len(schemas[concept].nodes)]
        nodes += schemas[concept].nodes
    dimension = provider.dimension
    assert dimension is not None
    vectors = np.empty((len(nodes), dimension), dtype=np.float32)
    new: list[int] = []
    for concept, (start, stop) in partitions.items():
        if concept in reused and before is not None:
            first, last = before.partitions[concept]
            vectors[start:stop] = before.vectors[first:last]
        else:
            new += range(start, stop)
    for at in range(0, len(new), BATCH):
        rows = new[at : at + BATCH]
        vectors[rows] = provider.embed([nodes[row]["text"] for row in rows])
    pairs = list(duplicates(vectors, nodes, partitions, provider.duplicate_threshold))
    meta = {
        "format": FORMAT,
        "identity": provider.identity,
        "dimension": dimension,
        "dtype": "float32",
        "catalog": catalog,
        "files": {},
    }
    return Generation(vectors, nodes, partitions, pairs, meta)


def _edges(node: Node) -> int:
    """Every field and caveat hangs on its concept, a caveat on its fields as well."""
    return int(node["kind"] != "concept") + len(node.get("applies_to", ()))


def _swap(folder: Path, found: Generation) -> None:
    """Writes a generation, then lets CURRENT name it."""
    generations = folder / "generations"
    generations.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=generations, prefix=".draft-"))
    try:
        found.save(draft)
        name_current(folder, draft, f"gen-{secrets.token_hex(8)}")
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def name_current(folder: Path, draft: Path, name: str) -> None:
    """Makes a draft the published generation, in one step for every reader."""
    _sync_folder(draft)
    draft.rename(draft.with_name(name))
    _sync_folder(draft.parent)
    new = folder / "CURRENT.new"
    with new.open("w", encoding="utf-8") as file:
        file.write(name)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / "CURRENT")
    _sync_folder(folder)


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


# -- near-duplicates -------------------------------------------------------------------------------------------------


def duplicates(
    vectors: Floats, nodes: Sequence[Node], partitions: dict[str, list[int]], threshold: float
) -> Iterator[dict[str, Any]]:
    """Pairs of caveats of one concept with at least this cosine, the most similar first."""
    found: list[Pair] = []
    for start, stop in partitions.values():
        rows = [row for row in range(start, stop) if nodes[row]["kind"] == "caveat"]
        found += ((rows[a], rows[b], cosine) for a, b, cosine in near_pairs(vectors[rows], threshold))
    for a, b, cosine in sorted(found, key=lambda pair: (-pair[2], pair[:2])):
        yield {"a": nodes[a]["id"], "b": nodes[b]["id"], "concept": nodes[a]["concept"], "similarity": cosine}


def near_pairs(vectors: Floats, threshold: float, *, triangle: bool = False) -> list[Pair]:
    """(row, later row, cosine) of pairs with at least this cosine. Blocks of rows against all rows bound the memory.

    `triangle` leaves out rows before the block: half of the work, for those who think of it.
    """
    found: list[Pair] = []
    normed = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for start in range(0, len(normed), BLOCK):
        first = start if triangle else 0
        cosines = normed[start : start + BLOCK] @ normed[first:].T
        for row, column in np.argwhere(cosines >= threshold).tolist():
            if start + row < first + column:
                found.append((start + row, first + column, float(cosines[row, column])))
    return found


# -- search ----------------------------------------------------------------------------------------------------------

_TERM = re.compile(r"\w{3,}|[^\w\s\"'`.,;()\[\]{}]{2,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and are was were been being has had have having for from with without into onto over under about between "
        "through during before after above below off out upon via per",
    )
)


def significant_terms(text: str) -> list[str]:
    """Words of three characters and more that are no stop words, and clusters of signs; lower case, each once."""
    return [term for term in dict.fromkeys(_TERM.findall(text.lower())) if term not in _STOP]


@dataclass(frozen=True, slots=True)
class Found:
    """A node with its scores: `full` ranks, `score` is capped at 1 for people."""

    node: Node
    score: float
    full: float
    cosine: float
    lexical: float


class PeerIndex:
    """A published generation, opened for search: the matrix mapped into memory, all nodes parsed."""

    def __init__(self, path: Path, provider: Provider) -> None:
        meta = json.loads((path / "meta.json").read_bytes())
        if (meta["format"], meta["identity"], meta["dimension"]) != (FORMAT, provider.identity, provider.dimension):
            raise PeerError(f"{path}: made with {meta['identity']}, not with {provider.identity}; build with force")
        self.provider = provider
        # The map's own class makes every slice slower.
        self.vectors: Floats = np.asarray(np.load(path / "vectors.npy", mmap_mode="r"))
        self.nodes = _nodes(path)
        self.partitions: dict[str, list[int]] = json.loads((path / "partitions.json").read_bytes())
        self.texts = [node["text"].lower() for node in self.nodes]

    @classmethod
    def open(cls, folder: Path, provider: Provider) -> PeerIndex:
        """The published generation of a folder."""
        path = current(folder)
        if path is None:
            raise PeerError(f"{folder}: nothing was built there")
        return cls(path, provider)

    def search(self, query: str, top_k: int = 10, concepts: Iterable[str] | None = None) -> list[Found]:
        """The best nodes by cosine + weight * share of the query's terms, best first, equal ones by row."""
        vector = self.provider.embed([query], query=True)[0]
        terms = significant_terms(query)
        if concepts is None:
            return self._ranked(slice(0, len(self.nodes)), vector, terms, top_k)
        parts = [self._ranked(slice(*self.partitions[one]), vector, terms, top_k) for one in sorted(set(concepts))]
        # Each part comes in the order of its rows, and parts in the order of concepts.
        return sorted((found for part in parts for found in part), key=lambda found: -found.full)[:top_k]

    def _ranked(self, rows: slice, vector: Floats, terms: Sequence[str], top_k: int) -> list[Found]:
        cosines = self.vectors[rows] @ vector
        shares = self._shares(self.texts[rows], terms)
        scores = cosines + np.float32(self.provider.lexical_weight) * shares
        best = np.arange(len(scores))
        if len(scores) > top_k:
            best = np.flatnonzero(scores >= np.partition(scores, -top_k)[-top_k])
        order = best[np.argsort(-scores[best], kind="stable")][:top_k]
        return [
            Found(
                self.nodes[rows.start + at],
                min(1.0, float(scores[at])),
                float(scores[at]),
                float(cosines[at]),
                float(shares[at]),
            )
            for at in order.tolist()
        ]

    @staticmethod
    def _shares(texts: Sequence[str], terms: Sequence[str]) -> Floats:
        """Which share of the terms each text holds, anywhere in it."""
        counts = np.zeros(len(texts), dtype=np.float32)
        for term in terms:
            held: Bools = np.array([term in text for text in texts], dtype=np.bool_)
            counts += held
        return counts / np.float32(max(1, len(terms)))


def _nodes(path: Path) -> list[Node]:
    with (path / "nodes.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
