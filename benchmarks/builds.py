"""Build of a synthetic wiki: cold, without changes, and with one page changed; the last two as shares of the first.

    python benchmarks/builds.py [--pages 2000]

Each build is a process of its own, as a user's would be. Times of one run on one machine: read the ratios.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wiki import write_wiki


def timed_build(folder: Path) -> tuple[float, dict[str, object]]:
    """Wall seconds of one `kb build`, and its report."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", "build", "--kb", str(folder), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(f"kb build failed with {done.returncode}:\n{done.stderr}")
    return seconds, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    pages = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "wiki"
        write_wiki(folder, pages)
        cold, report = timed_build(folder)
        print(f"{pages} pages, {report['facts']} facts")
        print(f"cold              {cold:8.2f} s   1.000")
        idle = min(timed_build(folder)[0] for _ in range(3))
        print(f"no change         {idle:8.2f} s   {idle / cold:.3f}")
        changed = []
        for number in range(3):
            page = sorted((folder / "pages").iterdir())[number * 7]
            page.write_text(page.read_text("utf-8") + f"\nIt also calls Service {number + 40}.\n", encoding="utf-8")
            seconds, report = timed_build(folder)
            assert report["work"]["pages_read"] == 1, report["work"]
            changed.append(seconds)
        print(f"one page changed  {min(changed):8.2f} s   {min(changed) / cold:.3f}   {report['work']}")


if __name__ == "__main__":
    main()
