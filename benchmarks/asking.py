"""Reading with a language model: how close to the endpoint's own speed, how much memory, what a kill costs.

    python benchmarks/asking.py [--pages 500] [--more 5000] [--latency 0.05] [--workers 16] [--kills 5]

The endpoint is a process of its own that answers after a fixed time. The ideal is pages x latency / workers.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wiki import write_wiki

HERE = Path(__file__).parent


@contextmanager
def endpoint(latency: float) -> Iterator[str]:
    command = [sys.executable, str(HERE / "model_server.py"), str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def counted(address: str) -> dict[str, float]:
    with urllib.request.urlopen(address.removesuffix("/v1") + "/count") as reply:
        counts: dict[str, float] = json.load(reply)
        return counts


def wiki(folder: Path, pages: int, address: str, workers: int) -> Path:
    write_wiki(folder, pages)
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write(f'[read]\nreader = "llm"\n[llm]\nmodel = "bench"\nbase_url = "{address}"\nworkers = {workers}\n')
    return folder


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "kb.cli", "build", "--json", "--kb", str(folder)]


def built(folder: Path) -> tuple[float, int, dict[str, object]]:
    """(seconds, most memory in MB, report) of a build in a process of its own."""
    started = time.perf_counter()
    process = subprocess.Popen(command(folder), stdout=subprocess.PIPE, text=True)
    most = 0
    assert process.stdout is not None
    status = Path(f"/proc/{process.pid}/status")

    def watch() -> None:
        nonlocal most
        while process.poll() is None:
            try:
                found = re.search(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8"))
            except OSError:
                return
            most = max(most, int(found[1]) if found else 0)
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    said = process.stdout.read()
    process.wait()
    thread.join()
    return time.perf_counter() - started, most // 1024, json.loads(said)


def speed(pages: int, latency: float, workers: int) -> int:
    with tempfile.TemporaryDirectory() as name, endpoint(latency) as address:
        seconds, memory, report = built(wiki(Path(name) / "wiki", pages, address, workers))
        found = counted(address)
        ideal = pages * latency / workers
        asking = found["seconds"] + latency
        print(
            f"{pages:>6} pages: {asking:6.2f} s from first request to last reply, {asking / ideal:.2f} x ideal; "
            f"at most {found['most']:.0f} in flight; build {seconds:.1f} s, {memory} MB; "
            f"{found['came']:.0f} requests, {report['facts']} facts, exit code {report['exit_code']}"
        )
        return memory


def kills(times: int, pages: int, latency: float, workers: int, seed: int = 1) -> None:
    rng = random.Random(seed)
    for number in range(times):
        with tempfile.TemporaryDirectory() as name, endpoint(latency) as address:
            folder = wiki(Path(name) / "wiki", pages, address, workers)
            process = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while counted(address)["came"] < 1:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, pages * latency / workers))
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(2 * latency)
            at_kill = counted(address)["came"]
            built(folder)
            came = counted(address)["came"]
            print(
                f"kill {number + 1}: {at_kill:.0f} requests before it, {came:.0f} in all; "
                f"{pages} pages, {workers} workers"
            )
            if came > pages + workers:
                sys.exit(f"more than {pages} + {workers} requests")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--more", type=int, default=5000)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--kills", type=int, default=5)
    wanted = parser.parse_args()
    few = speed(wanted.pages, wanted.latency, wanted.workers)
    if wanted.more:
        many = speed(wanted.more, wanted.latency, wanted.workers)
        print(f"memory: {few} MB for {wanted.pages:,} pages, {many} MB for {wanted.more:,}")
    kills(wanted.kills, wanted.pages, wanted.latency, wanted.workers)


if __name__ == "__main__":
    main()
