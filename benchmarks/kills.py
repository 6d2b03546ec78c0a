"""Kill -9 at random moments of a build: the store opens, answers as before, and the next build succeeds.

    python benchmarks/kills.py [--kills 50] [--pages 200] [--seed 1]

Exits with 1 at the first kill after which anything is not as it should be.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from wiki import write_wiki

import kb


def answers(folder: Path) -> tuple[str, frozenset[str]]:
    """The published generation's name and all facts that questions see."""
    with kb.open(folder) as opened:
        rows = opened.query("SELECT ?s ?p ?o WHERE { ?s ?p ?o }", max_rows=10_000_000).rows
        return opened.generation.name, frozenset(str(row) for row in rows)


def build_process(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "kb.cli", "build", "--kb", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    rng = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "wiki"
        write_wiki(folder, wanted.pages)
        kb.build(folder)
        pages = sorted((folder / "pages").iterdir())
        seconds = measured(folder, pages)
        outcomes: Counter[str] = Counter()
        for number in range(wanted.kills):
            change(rng, pages, number)
            before = answers(folder)
            process = build_process(folder)
            time.sleep(rng.uniform(0, seconds))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            after = answers(folder)
            if after[0] == before[0] and after[1] != before[1]:
                sys.exit(f"kill {number}: generation {after[0]} changed under its readers")
            outcomes["finished before the kill" if after[0] != before[0] else "killed, old generation in use"] += 1
            report = kb.build(folder)
            last = answers(folder)
            if report.exit_code or last[0] != report.generation:
                sys.exit(f"kill {number}: the next build gave {report.to_json()}")
            kb.build(folder, force=True)
            if answers(folder)[1] != last[1]:
                sys.exit(f"kill {number}: the next build differs from a build from nothing")
            prune(folder)
        print(f"{wanted.kills} kills within {seconds:.2f} s of a build of {wanted.pages} pages: {dict(outcomes)}")
        print("after each: the store opened, answered as before, and the next build equalled one from nothing")


def measured(folder: Path, pages: list[Path]) -> float:
    """How long one build with changes takes, so that kills fall anywhere in it."""
    change(random.Random(0), pages, 10_000)
    started = time.perf_counter()
    process = build_process(folder)
    _, errors = process.communicate()
    if process.returncode:
        sys.exit(f"kb build failed with {process.returncode}: {errors.decode()}")
    return time.perf_counter() - started


def change(rng: random.Random, pages: list[Path], number: int) -> None:
    for page in rng.sample(pages, 20):
        text = page.read_text(encoding="utf-8")
        page.write_text(text + f"\nIt calls Service {(number * 7) % len(pages)} too.\n", encoding="utf-8")


def prune(folder: Path) -> None:
    from kb.config import load_config
    from kb.generations import Generations

    Generations(load_config(folder).store).prune(keep=2)


if __name__ == "__main__":
    main()
