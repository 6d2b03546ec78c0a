"""The index of schema notes against a plain NumPy implementation of the same (`index_peer.py`): ratios of one run.

    python benchmarks/index.py [--rows 51000] [--dimension 384 1024] [--parts start warm …] [--quick] [--growth]

1,000 notes of one concept, 25 fields and 25 caveats each. Peer and ours take turns, sample by sample; a ratio is the
median of the ratios of such pairs. Embedding is left out on both sides: vectors are given, or the time is taken off.
Every part runs in a process of its own. In the same run results are compared with brute force in float64.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from index_data import PER_CONCEPT, schema_folder

PARTS = Path(__file__).with_name("index_parts.py")
BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
GROWTH = (5_000, 51_000, 500_000)
MEBI = 1 << 20
WANTED = {
    "search, hybrid, 7 terms": 20,
    "search, cosine only": 2,
    "start-up": 40,
    "build, nothing changed": 50,
    "publish one concept, notes parsed": 40,
    "near-duplicates of 5,000 caveats": 2,
    "bytes on disk": 1 / 1.3,
}
"""What the ratios are to be at so many rows:"""
WANTED_ROWS = 51_000


@dataclass
class Run:
    """One table, for so many concepts."""

    concepts: int
    samples: int
    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    wrong: int = 0

    def part(self, name: str, dimension: int, threads: int = 1, samples: int | None = None) -> Any:
        """Runs a part in a process of its own, with so many BLAS threads."""
        options = {
            "folder": str(self.folder),
            "concepts": self.concepts,
            "dimension": dimension,
            "threads": threads,
            "samples": samples or self.samples,
        }
        done = subprocess.run(
            [sys.executable, str(PARTS), name, json.dumps(options)],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | dict.fromkeys(BLAS, str(threads)) | {"KB_EMBED_PROVIDER": "hashing"},
        )
        if done.returncode:
            sys.exit(f"the part {name} failed with {done.returncode}")
        return json.loads(done.stdout)

    def show(self, found: dict[str, Any], dimension: int | None, threads: int | None = None) -> None:
        """Prints a line of the table."""
        self.rows.append({**found, "dimension": dimension, "threads": threads, "concepts": self.concepts})
        wanted = WANTED.get(found["name"]) if self.concepts * PER_CONCEPT == WANTED_ROWS else None
        verdict = "" if wanted is None else f"{wanted:9.3g}" + ("" if found["ratio"] >= wanted else "  below")
        columns = (f"{dimension or '-':>6}", f"{threads or '-':>8}", f"{found['unit']:>5}", f"{found['samples']:>8}")
        times = f"{found['peer']:12.4g}{found['ours']:12.4g}{found['ratio']:10.3g}"
        print(f"{found['name']:40}{''.join(columns)}{times}{verdict}", flush=True)

    # -- parts -----------------------------------------------------------------------------------------------------

    def prepare(self, dimensions: Sequence[int]) -> None:
        for dimension in dimensions:
            theirs, ours = self.part("prepare_peer", dimension), self.part("prepare_ours", dimension)
            self.show(_row("index from nothing, notes parsed", "ms", [(theirs["ms"], ours["ms"])]), dimension)
            self.show(_row("bytes on disk", "MiB", [(theirs["bytes"] / MEBI, ours["bytes"] / MEBI)]), dimension)

    def start(self, dimensions: Sequence[int]) -> None:
        for dimension in dimensions:
            pairs = []
            for number in range(self.samples):
                names = ("start_peer", "start_ours")
                found = {name: self.part(name, dimension) for name in (names if number % 2 else names[::-1])}
                pairs.append((found["start_peer"], found["start_ours"]))
            for key, name in (("start", "start-up"), ("first", "first search"), ("second", "second search")):
                self.show(_row(name, "ms", [(theirs[key], ours[key]) for theirs, ours in pairs]), dimension)
            if pairs[0][0]["peak"]:
                for key, name in (("peak", "memory without mapped files"), ("grown", "of it since opening")):
                    self.show(_row(name, "MiB", [(theirs[key], ours[key]) for theirs, ours in pairs]), dimension)

    def warm(self, dimensions: Sequence[int]) -> None:
        self._each("warm", dimensions, (1, 2))

    def near(self, dimensions: Sequence[int]) -> None:
        self._each("near", dimensions, (1, 2))

    def publish(self, dimensions: Sequence[int]) -> None:
        self._each("publish", dimensions, (1,))

    def build(self, dimensions: Sequence[int]) -> None:  # noqa: ARG002 - the provider's own
        for found in self.part("build", 0):
            self.show(found, None)

    def exact(self, dimensions: Sequence[int]) -> None:
        for dimension in dimensions:
            for state, told in self.part("exact", dimension).items():
                self.wrong += told["wrong"] + (told["worst"] > 1e-5)
                print(
                    f"exact, D={dimension}, index {state}: {told['queries']} queries, {told['wrong']} with other ids "
                    f"than float64 brute force, scores at most {told['worst']:.1e} away"
                )

    def _each(self, name: str, dimensions: Sequence[int], threads: Sequence[int]) -> None:
        for dimension in dimensions:
            for number in threads:
                for found in self.part(name, dimension, number):
                    self.show(found, dimension, number)


NAMES = ("start", "warm", "exact", "publish", "near", "build")
"""In this order: from the fourth on, the index is no longer the one that was prepared."""


def _row(name: str, unit: str, pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    theirs, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    return {"name": name, "unit": unit, "peer": theirs, "ours": ours, "ratio": ratio, "samples": len(pairs)}


def _heading(rows: int) -> None:
    print(f"\n{rows:,} rows\n")
    columns = f"{'D':>6}{'threads':>8}{'unit':>5}{'samples':>8}{'peer':>12}{'ours':>12}{'ratio':>10}{'wanted':>9}"
    print(f"{'':40}{columns}")


def _load() -> str:
    return f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors" if hasattr(os, "getloadavg") else ""


def measure(concepts: int, samples: int, dimensions: Sequence[int], names: Sequence[str]) -> Run:
    """Runs the parts, prints their table."""
    schema_folder(concepts)
    _heading(concepts * PER_CONCEPT)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(concepts, samples, Path(folder))
        run.prepare(dimensions)
        for name in (one for one in NAMES if one in names):
            part: Callable[[Sequence[int]], None] = getattr(run, name)
            part(dimensions)
            print(f"{'':40}{_load():>30}", flush=True)
    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=WANTED_ROWS, help=f"about so many; {PER_CONCEPT} make a note")
    parser.add_argument("--dimension", type=int, nargs="+", default=[384, 1024])
    parser.add_argument("--parts", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument(
        "--quick", action="store_true", help="5,000 rows, few samples: does it run, rather than how fast"
    )
    parser.add_argument("--growth", action="store_true", help="5,000, 51,000 and 500,000 rows of 384 numbers instead")
    parser.add_argument("--json", type=Path, help="write all rows of the table here")
    options = parser.parse_args()
    sizes, samples, dimensions, names = [options.rows], options.samples, options.dimension, options.parts
    if options.quick:
        sizes, samples = [5_000], 3
    if options.growth:
        sizes, samples, dimensions, names = list(GROWTH), 5, [384], ["start", "warm", "publish"]
    print(f"Python {sys.version.split()[0]}, {_load()}; seconds depend on both, so read the ratios")
    runs = [measure(max(2, round(rows / PER_CONCEPT)), samples, dimensions, names) for rows in sizes]
    rows = [row for run in runs for row in run.rows]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if any(run.wrong for run in runs):
        print("\nresults are NOT those of brute force in float64", file=sys.stderr)
        return 1
    if sizes != [WANTED_ROWS]:
        return 0
    below = sorted({row["name"] for row in rows if row["ratio"] < WANTED.get(row["name"], 0)})
    print(f"\nevery ratio as wanted: {'NO: ' + '; '.join(below) if below else 'yes'}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
