"""Knowledge bases to export, once for all tests; a tool that is not there skips its tests, or fails where asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kb
from kb.knowledge_base import KnowledgeBase

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = {
    "larkspur": ROOT / "examples" / "larkspur",
    "notes": ROOT / "examples" / "notes",
    "museum": ROOT / "tests" / "domains" / "museum",
}


def _missing(what: str) -> None:
    why = f"{what} is missing; `make test-interop` installs it"
    if os.environ.get("KB_TEST_INTEROP") == "required":
        pytest.fail(why)
    pytest.skip(why)


def _built(name: str, folder: Path) -> Path:
    shutil.copytree(HOMES[name], folder, ignore=shutil.ignore_patterns("kg"))
    kb.build(folder)
    return folder


@pytest.fixture(scope="session", params=sorted(HOMES))
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with kb.open(_built(request.param, tmp_path_factory.mktemp("interop") / request.param)) as opened:
        yield opened


@pytest.fixture(scope="session")
def larkspur(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with kb.open(_built("larkspur", tmp_path_factory.mktemp("shacl") / "larkspur")) as opened:
        yield opened


def _run(*command: str | Path) -> bytes:
    done = subprocess.run([str(one) for one in command], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="session")
def node() -> Callable[..., bytes]:
    """Runs a script of this folder."""
    modules = os.environ.get("KB_INTEROP", "")
    if shutil.which("node") is None or not (Path(modules) / "node_modules" / "n3").is_dir():
        _missing("node with n3 and rdf-validate-shacl")
    return lambda script, *args: _run("node", Path(__file__).parent / script, *args)


@pytest.fixture(scope="session")
def rapper() -> Callable[..., bytes]:
    """Runs raptor's parser and serialiser."""
    if shutil.which("rapper") is None:
        _missing("rapper (raptor2-utils)")
    return lambda *args: _run("rapper", *args)
