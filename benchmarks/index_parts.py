"""The measurements of `benchmarks/index.py`, each run in a process of its own with its own number of BLAS threads.

    python benchmarks/index_parts.py PART OPTIONS-AS-JSON

prints one JSON value. Peer and `kb.index` take turns, sample by sample, so that what else the machine does meets both.
"""

from __future__ import annotations

import inspect
import json
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import index_data as data
import index_peer as peer
import numpy as np

SEED = 5
KIBI = 1024
CAVEATS = 5000
IRI = "https://kb.bench.example/"


@dataclass(frozen=True, slots=True)
class Options:
    """What a part is run on. `folder` holds the indexes that `prepare` made."""

    folder: str
    concepts: int
    dimension: int
    threads: int = 1
    samples: int = 7

    @property
    def peer_folder(self) -> Path:
        return Path(self.folder) / f"peer-{self.dimension}"

    @property
    def our_folder(self) -> Path:
        return Path(self.folder) / f"ours-{self.dimension}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: medians of both sides, and the median of the ratios of samples taken together."""

    name: str
    unit: str
    peer: float
    ours: float
    ratio: float
    samples: int


# -- measuring -------------------------------------------------------------------------------------------------------

Work = Callable[[Any], float]
"""Does something with one input, and tells the milliseconds that it took."""


def compared(name: str, inputs: Iterable[Any], of_peer: Work, of_ours: Work) -> Row:
    """Peer and ours on each input, in turns, beginning with one and then the other."""
    times: list[tuple[float, float]] = []
    for number, one in enumerate(inputs):
        if number % 2:
            ours, theirs = of_ours(one), of_peer(one)
        else:
            theirs, ours = of_peer(one), of_ours(one)
        times.append((theirs, ours))
    return row(name, "ms", times)


def row(name: str, unit: str, pairs: Sequence[tuple[float, float]]) -> Row:
    ratio = statistics.median(theirs / ours for theirs, ours in pairs)
    theirs, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Row(name, unit, theirs, ours, ratio, len(pairs))


def timed(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def without_embedding(provider: data.BenchProvider, work: Callable[[], Any]) -> float:
    before = provider.seconds
    spent = timed(work)
    return spent - (provider.seconds - before) * 1000


# -- both indexes ----------------------------------------------------------------------------------------------------


def chunks_of(note: data.Note) -> list[Any]:
    """The chunks of a note as `kb` makes them."""
    from kb.index.chunks import schema_chunks
    from kb.model import Caveat, SchemaField, SchemaNote

    fields = tuple(SchemaField(**field) for field in note["fields"])
    caveats = tuple(Caveat(**{**caveat, "applies_to": tuple(caveat["applies_to"])}) for caveat in note["caveats"])
    return schema_chunks(SchemaNote(note["concept"], None, fields, caveats))


def our_parts(concepts: Iterable[str], changed: dict[str, data.Note]) -> list[Any]:
    """Parts of an index: those of notes that changed make their chunks, others are taken over."""
    from kb.index.chunks import CAVEAT, CONCEPT, FIELD
    from kb.index.writer import Part

    def of_kind(note: data.Note, kind: str) -> list[Any]:
        return [chunk for chunk in chunks_of(note) if chunk.kind == kind]

    return [
        Part(concept, kind, partial(of_kind, changed[concept], kind) if concept in changed else None)
        for concept in concepts
        for kind in (CONCEPT, FIELD, CAVEAT)
    ]


class OurFolder:
    """Generations of `kb` that hold an index and an empty graph: what is published is published as `kb build` does."""

    def __init__(self, folder: Path, provider: Any) -> None:
        from kb.generations import Generations

        self.generations, self.provider = Generations(folder), provider

    @property
    def path(self) -> Path:
        found = self.generations.current()
        assert found is not None
        return found.path

    def publish(self, parts: Sequence[Any]) -> None:
        from kb.index.vectors import IndexFiles
        from kb.index.writer import write_index
        from kb.iris import Iris

        with self.generations.lock():
            parent = self.generations.current()
            with self.generations.begin(parent, Iris(IRI)) as draft:
                before = None if parent is None else IndexFiles(parent.path)
                write_index(draft.path, parts, self.provider, before)
                draft.publish({})


def opened(path: Path, provider: Any, threads: int = 1) -> Any:
    from kb.index.search import Index

    given = {"threads": threads} if "threads" in inspect.signature(Index.open).parameters else {}
    return Index.open(path, provider, **given)


def size_of(folder: Path) -> int:
    """Bytes of the files of an index, without the graph beside it."""
    files = (path for path in folder.rglob("*") if path.is_file() and "graph" not in path.relative_to(folder).parts)
    return sum(path.stat().st_size for path in files)


# -- parts -----------------------------------------------------------------------------------------------------------


def prepare_peer(options: Options) -> dict[str, float]:
    """Builds the peer's index from nothing."""
    provider = data.BenchProvider(options.dimension)
    schemas = list(peer.read_schemas(data.schema_folder(options.concepts)))
    spent = without_embedding(provider, lambda: peer.publish(schemas, options.peer_folder, provider))
    path = peer.current(options.peer_folder)
    assert path is not None
    return {"ms": spent, "bytes": size_of(path), "rows": sum(len(one.nodes) for one in schemas)}


def prepare_ours(options: Options) -> dict[str, float]:
    """Builds our index from nothing; files that a search needs, and the texts of queries, lie there afterwards."""
    provider = data.BenchProvider(options.dimension)
    found = {note["concept"]: note for note in data.notes(options.concepts)}
    ours = OurFolder(options.our_folder, provider)
    spent = without_embedding(provider, lambda: ours.publish(our_parts(found, found)))
    asked = data.queries(40, 7, SEED)
    (Path(options.folder) / "queries.json").write_text(json.dumps(asked), encoding="utf-8")
    return {"ms": spent, "bytes": size_of(ours.path)}


def start_peer(options: Options) -> dict[str, float]:
    return _start(options, lambda provider: peer.PeerIndex.open(options.peer_folder, provider))


def start_ours(options: Options) -> dict[str, float]:
    from kb.index.search import Index

    path = OurFolder(options.our_folder, None).path
    return _start(options, lambda provider: Index.open(path, provider))


def _start(options: Options, opening: Callable[[Any], Any]) -> dict[str, float]:
    """What opening costs when everything is imported; the first searches; memory after some."""
    asked = json.loads((Path(options.folder) / "queries.json").read_text(encoding="utf-8"))
    provider = data.Remembered(data.BenchProvider(options.dimension), asked)
    before = _memory()
    begun = time.perf_counter()
    index = opening(provider)
    ready = time.perf_counter()
    index.search(asked[0])
    first = time.perf_counter()
    index.search(asked[1])
    second = time.perf_counter()
    for query in asked[2:]:
        index.search(query)
    after = _memory()
    times = {"start": ready - begun, "first": first - ready, "second": second - first}
    found = {name: seconds * 1000 for name, seconds in times.items()}
    return found | {"peak": after["peak"] - after["files"], "grown": after["peak"] - after["files"] - before["own"]}


def _memory() -> dict[str, float]:
    """Memory of this process in MiB: the highest so far, of files mapped into it, its own; zeros where unknown."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return {"peak": 0.0, "files": 0.0, "own": 0.0}
    said = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
    names = {"peak": "VmHWM", "files": "RssFile", "own": "RssAnon"}
    return {key: int(said[name].split()[0]) / KIBI for key, name in names.items()}


def warm(options: Options) -> list[dict[str, Any]]:
    """Searches of indexes that are in use."""
    kinds = {"hybrid, 7 terms": 7, "hybrid, 2 terms": 2, "cosine only": 0}
    asked = {name: data.queries(2 * options.samples + 4, terms, SEED) for name, terms in kinds.items()}
    everything = [query for group in asked.values() for query in group]
    provider = data.Remembered(data.BenchProvider(options.dimension), everything)
    theirs = peer.PeerIndex.open(options.peer_folder, provider)
    ours = opened(OurFolder(options.our_folder, provider).path, provider, options.threads)
    rows = []
    for name, group in asked.items():
        for query in group[:4]:
            theirs.search(query)
            ours.search(query)
        rows.append(
            compared(
                f"search, {name}",
                group[4:],
                lambda query: timed(lambda: theirs.search(query)),
                lambda query: timed(lambda: ours.search(query)),
            )
        )
    concepts = sorted(theirs.partitions)
    drawn = np.random.default_rng(SEED).integers(len(concepts), size=len(asked["cosine only"])).tolist()
    for name in ("cosine only", "hybrid, 7 terms"):
        inputs = [(query, [concepts[at]]) for query, at in zip(asked[name], drawn, strict=True)]
        rows.append(
            compared(
                f"one concept, {name}",
                inputs * 2,
                lambda one: timed(lambda: theirs.search(one[0], concepts=one[1])),
                lambda one: timed(lambda: ours.search(one[0], concepts=one[1])),
            )
        )
    return [asdict(one) for one in rows]


def publish(options: Options) -> list[dict[str, Any]]:
    """One concept changes; notes are already parsed. Peer: the same without a change, too."""
    provider = data.BenchProvider(options.dimension)
    schemas = {one.concept: one for one in peer.read_schemas(data.schema_folder(options.concepts))}
    found = {note["concept"]: note for note in data.notes(options.concepts)}
    ours = OurFolder(options.our_folder, provider)

    def of_peer(note: data.Note) -> float:
        before = schemas[note["concept"]]
        nodes = peer.nodes_of(note)
        schemas[note["concept"]] = peer.Schema(
            note["concept"], before.filename, str(note), str(note), note["review"], nodes
        )
        return without_embedding(provider, lambda: peer.publish(list(schemas.values()), options.peer_folder, provider))

    def of_ours(note: data.Note) -> float:
        parts = our_parts(found, {note["concept"]: note})
        return without_embedding(provider, lambda: ours.publish(parts))

    published = compared(
        "publish one concept, notes parsed", list(changed(found, options.samples, "benchmark")), of_peer, of_ours
    )
    return [asdict(published)]


def changed(found: dict[str, data.Note], number: int, word: str) -> Iterator[data.Note]:
    """Notes with another summary of one caveat, in which `word` stands; `found` gets them, too."""
    concepts = sorted(found)
    for at in range(number):
        concept = concepts[at * 37 % len(concepts)]
        note = json.loads(json.dumps(found[concept]))
        note["caveats"][0]["summary"] = f"It is said in other words now: {word} {at}."
        found[concept] = note
        yield note


def exact(options: Options) -> dict[str, Any]:
    """Ours against float64 brute force over what went in: on a fresh index, and after concepts were published anew."""
    provider = data.BenchProvider(options.dimension)
    found = {note["concept"]: note for note in data.notes(options.concepts)}
    asked = data.queries(40, 7, SEED + 1) + data.queries(10, 2, SEED + 1) + data.queries(10, 0, SEED + 1)
    drawn = np.random.default_rng(SEED + 1).integers(len(found), size=len(asked)).tolist()
    ours = OurFolder(options.our_folder, provider)
    told: dict[str, Any] = {}
    for state in ("fresh", "with changes"):
        if state == "with changes":
            for note in list(changed(found, 3, "exactly")):
                ours.publish(our_parts(found, {note["concept"]: note}))
        oracle = Oracle(found, provider)
        index = opened(ours.path, provider, options.threads)
        wrong, worst = 0, 0.0
        for number, query in enumerate(asked):
            concept = sorted(found)[drawn[number]]
            for concepts in (None, [concept]):
                expected = oracle.search(query, 10, concept if concepts else None)
                hits = index.search(query, 10, concepts=concepts)
                wrong += [hit.chunk.id for hit in hits] != [id for id, _ in expected]
                away = (abs(hit.score - min(1.0, score)) for hit, (_, score) in zip(hits, expected, strict=False))
                worst = max([worst, *away])
        told[state] = {"queries": 2 * len(asked), "wrong": wrong, "worst": worst}
    return told


class Oracle:
    """Every score in float64, straight from notes and provider; ties in the order of concepts, kinds and notes."""

    BLOCK = 4096

    def __init__(self, notes: dict[str, data.Note], provider: data.BenchProvider) -> None:
        chunks = [chunk for concept in sorted(notes) for chunk in sorted(chunks_of(notes[concept]), key=_kind)]
        self.provider = provider
        self.ids = [chunk.id for chunk in chunks]
        self.concepts = np.array([chunk.concept for chunk in chunks])
        self.texts = [chunk.text.lower() for chunk in chunks]
        self.vectors = provider.embed([chunk.text for chunk in chunks])

    def search(self, query: str, top_k: int, concept: str | None) -> list[tuple[str, float]]:
        """The best ids and their full scores."""
        rows = np.arange(len(self.ids)) if concept is None else np.flatnonzero(self.concepts == concept)
        vector = self.provider.embed([query], query=True)[0].astype(np.float64)
        terms = peer.significant_terms(query)
        scores = np.zeros(len(rows))
        for at in range(0, len(rows), self.BLOCK):
            block = rows[at : at + self.BLOCK]
            scores[at : at + self.BLOCK] = self.vectors[block].astype(np.float64) @ vector
        if terms:
            held = np.zeros(len(rows))
            for term in terms:
                held += np.array([term in self.texts[row] for row in rows.tolist()])
            scores += self.provider.lexical_weight * held / len(terms)
        best = np.argsort(-np.round(scores, 12), kind="stable")[:top_k]
        return [(self.ids[rows[at]], float(scores[at])) for at in best.tolist() if scores[at] > 0]


def _kind(chunk: Any) -> str:
    return str(chunk.kind)


def near(options: Options) -> list[dict[str, Any]]:
    """Near-duplicates among many caveats of one concept."""
    from kb.index.duplicates import find_duplicates
    from kb.index.vectors import IndexFiles

    provider = data.BenchProvider(options.dimension)
    note = data.crowded(CAVEATS)
    folder = Path(options.folder) / f"near-{options.dimension}"
    ours = OurFolder(folder / f"ours-{options.threads}", provider)
    ours.publish(our_parts([note["concept"]], {note["concept"]: note}))
    nodes = peer.nodes_of(note)
    vectors = provider.embed([node["text"] for node in nodes])
    partitions = {note["concept"]: [0, len(nodes)]}
    threshold = provider.duplicate_threshold
    pairs: dict[str, set[frozenset[str]]] = {}

    def of_peer(_: object) -> float:
        begun = time.perf_counter()
        found = list(peer.duplicates(vectors, nodes, partitions, threshold))
        spent = time.perf_counter() - begun
        pairs["peer"] = {frozenset((pair["a"], pair["b"])) for pair in found}
        return spent * 1000

    def of_triangle(_: object) -> float:
        caveats = [row for row, node in enumerate(nodes) if node["kind"] == "caveat"]
        return timed(lambda: peer.near_pairs(vectors[caveats], threshold, triangle=True))

    def of_ours(_: object) -> float:
        files = IndexFiles(ours.path)
        begun = time.perf_counter()
        found = find_duplicates(files, threshold, None, ())
        spent = time.perf_counter() - begun
        pairs["ours"] = {frozenset((pair["a"], pair["b"])) for pair in found["pairs"]}
        return spent * 1000

    rows = [
        compared(f"near-duplicates of {CAVEATS:,} caveats", range(options.samples), of_peer, of_ours),
        compared("the same, peer on half of the pairs", range(options.samples), of_triangle, of_ours),
    ]
    if pairs["peer"] != pairs["ours"]:
        sys.exit(f"near-duplicates differ: {len(pairs['peer'])} of the peer, {len(pairs['ours'])} of ours")
    return [asdict(one) for one in rows]


def build(options: Options) -> list[dict[str, Any]]:
    """Whole builds from files, in this process: nothing changed, and one file changed. Ours makes the graph as well."""
    import kb
    from kb.embed.hashing import HashingProvider
    from kb.index.vectors import IndexFiles

    root = Path(options.folder) / "build"
    schemas = root / "schemas"
    shutil.copytree(data.schema_folder(options.concepts), schemas)
    (root / "kb.toml").write_text(f'[kb]\nbase = "{IRI}"\n\n[embed]\nprovider = "hashing"\n', encoding="utf-8")
    provider = HashingProvider()
    cold = (timed(lambda: peer.build(schemas, root / "peer", provider)), timed(lambda: kb.build(root)))
    rows = IndexFiles(OurFolder(root / "kg", None).path).rows
    if rows != options.concepts * data.PER_CONCEPT:
        sys.exit(f"kb build made {rows} rows of {options.concepts} schema files")

    def change(number: int) -> None:
        path = sorted(schemas.iterdir())[number * 37 % options.concepts]
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('summary: "', f'summary: "changed {number} ', 1), encoding="utf-8")

    def of_peer(_: object) -> float:
        return timed(lambda: peer.build(schemas, root / "peer", provider))

    def of_ours(_: object) -> float:
        return timed(lambda: kb.build(root))

    def inputs() -> Iterator[int]:
        for number in range(options.samples):
            change(number)
            yield number

    found = [
        row("build from nothing", "ms", [cold]),
        compared("build, nothing changed", range(options.samples), of_peer, of_ours),
        compared("build, one file changed", inputs(), of_peer, of_ours),
    ]
    return [asdict(one) for one in found]


PARTS: dict[str, Callable[[Options], Any]] = {
    "prepare_peer": prepare_peer,
    "prepare_ours": prepare_ours,
    "start_peer": start_peer,
    "start_ours": start_ours,
    "warm": warm,
    "publish": publish,
    "exact": exact,
    "near": near,
    "build": build,
}

if __name__ == "__main__":
    print(json.dumps(PARTS[sys.argv[1]](Options(**json.loads(sys.argv[2])))))
