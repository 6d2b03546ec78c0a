"""The measurements of `benchmarks/index.py`, each run in a process of its own with its own number of BLAS threads.

    python benchmarks/index_parts.py PART OPTIONS-AS-JSON

prints one JSON value. Peer and `kb.index` take turns, sample by sample, so that what else the machine does meets both.
"""

from __future__ import annotations

import json
import os
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
from index_oracle import Oracle
from index_ours import OurFolder, only_current, opened, parts_of

SEED = 5
KIBI = 1024
CAVEATS = 5000
IN_A_ROW = 40
KB_TOML = '[kb]\nbase = "https://kb.bench.example/"\n\n[embed]\nprovider = "hashing"\n'


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


def size_of(folder: Path) -> int:
    """Bytes of the files of an index."""
    return sum(path.stat().st_size for path in folder.iterdir())


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
    spent = without_embedding(provider, lambda: ours.publish(parts_of(found, found)))
    asked = data.queries(10, 7, SEED)
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
        spent = without_embedding(provider, lambda: peer.publish(list(schemas.values()), options.peer_folder, provider))
        only_current(options.peer_folder)
        return spent

    def of_ours(note: data.Note) -> float:
        parts = parts_of(found, {note["concept"]: note})
        spent = without_embedding(provider, lambda: ours.publish(parts))
        only_current(options.our_folder)
        return spent

    published = compared(
        "publish one concept, notes parsed", list(changed(found, options.samples, "one")), of_peer, of_ours
    )
    # Now and then ours puts its segments together.
    times = [of_ours(note) for note in list(changed(found, IN_A_ROW, "many"))]
    mean = statistics.mean(times)
    row_of_all = Row(f"ours: mean of {IN_A_ROW} in a row", "ms", published.peer, mean, published.peer / mean, IN_A_ROW)
    return [asdict(published), asdict(row_of_all)]


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
                ours.publish(parts_of(found, {note["concept"]: note}))
        oracle = Oracle(found, provider)
        index = opened(ours.path, provider, options.threads)
        wrong, worst = 0, 0.0
        for number, query in enumerate(asked):
            concept = sorted(found)[drawn[number]]
            for concepts in (None, [concept]):
                expected = oracle.search(query, 10, concept if concepts else None)
                hits = index.search(query, 10, concepts=concepts)
                wrong += [hit.chunk.id for hit in hits] != [id for id, _ in expected]
                away = (abs(hit.full_score - score) for hit, (_, score) in zip(hits, expected, strict=False))
                worst = max([worst, *away])
        told[state] = {"queries": 2 * len(asked), "wrong": wrong, "worst": worst}
    return told


def near(options: Options) -> list[dict[str, Any]]:
    """Near-duplicates among many caveats of one concept."""
    from kb.index._similar import similar_pairs
    from kb.index.duplicates import MOST, find_duplicates
    from kb.index.vectors import IndexFiles

    if options.threads == 1 and hasattr(os, "sched_setaffinity"):
        # Ours has two threads of its own here; on one processor they are worth one.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    provider = data.BenchProvider(options.dimension)
    note = data.crowded(CAVEATS)
    folder = Path(options.folder) / f"near-{options.dimension}"
    ours = OurFolder(folder / f"ours-{options.threads}", provider)
    ours.publish(parts_of([note["concept"]], {note["concept"]: note}))
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

    caveats = [row for row, node in enumerate(nodes) if node["kind"] == "caveat"]

    def only_pairs_of_peer(_: object, triangle: bool = False) -> float:
        return timed(lambda: peer.near_pairs(vectors[caveats], threshold, triangle=triangle))

    def only_our_pairs(_: object) -> float:
        files = IndexFiles(ours.path)
        rows = files.rows_of(note["concept"], "caveat")
        return timed(lambda: similar_pairs(rows, files.vectors_of, threshold, MOST))

    def of_ours(_: object) -> float:
        files = IndexFiles(ours.path)
        begun = time.perf_counter()
        found = find_duplicates(files, threshold, None, ())
        spent = time.perf_counter() - begun
        pairs["ours"] = {frozenset((pair["a"], pair["b"])) for pair in found["pairs"]}
        return spent * 1000

    half = partial(only_pairs_of_peer, triangle=True)
    samples = range(options.samples)
    rows = [
        compared(f"near-duplicates of {CAVEATS:,} caveats", samples, only_pairs_of_peer, only_our_pairs),
        compared("the same, peer on half of the pairs", samples, half, only_our_pairs),
        compared("the same, as reports (ours: differences)", samples, of_peer, of_ours),
    ]
    if pairs["peer"] != pairs["ours"]:
        sys.exit(f"near-duplicates differ: {len(pairs['peer'])} of the peer, {len(pairs['ours'])} of ours")
    return [asdict(one) for one in rows]


def build(options: Options) -> list[dict[str, Any]]:
    """Whole builds from files, in this process: nothing changed, and one file changed. Ours makes the graph as well."""
    import kb
    from kb.embed.hashing import HashingProvider
    from kb.generations import Generations
    from kb.index.vectors import IndexFiles

    root = Path(options.folder) / "build"
    schemas = root / "schemas"
    shutil.copytree(data.schema_folder(options.concepts), schemas)
    (root / "kb.toml").write_text(KB_TOML, encoding="utf-8")
    provider = HashingProvider()
    cold = (timed(lambda: peer.build(schemas, root / "peer", provider)), timed(lambda: kb.build(root)))
    current = Generations(root / "kg").current()
    assert current is not None
    rows = IndexFiles(current.path).rows
    if rows != options.concepts * data.PER_CONCEPT:
        sys.exit(f"kb build made {rows} rows of {options.concepts} schema files")

    def change(number: int) -> None:
        path = sorted(schemas.iterdir())[number * 37 % options.concepts]
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('summary: "', f'summary: "changed {number} ', 1), encoding="utf-8")

    parsing: list[float] = []

    def of_peer(_: object) -> float:
        begun = time.perf_counter()
        read = list(peer.read_schemas(schemas))
        parsed = time.perf_counter()
        peer.publish(read, root / "peer", provider)
        parsing.append((parsed - begun) * 1000)
        return (time.perf_counter() - begun) * 1000

    def of_ours(_: object) -> float:
        return timed(lambda: kb.build(root))

    def inputs() -> Iterator[int]:
        for number in range(options.samples):
            change(number)
            yield number

    found = [row("build from nothing", "ms", [cold])]
    for name, each in (("build, nothing changed", range(options.samples)), ("build, one file changed", inputs())):
        parsing.clear()
        whole = compared(name, each, of_peer, of_ours)
        rest = whole.peer - statistics.median(parsing)
        apart = Row("the same, peer without parsing YAML", "ms", rest, whole.ours, rest / whole.ours, whole.samples)
        found += [whole, apart]
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
