"""The wheel, installed into an empty environment without developer tools, works from any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MUSEUM = Path(__file__).parent / "domains" / "museum"

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(900)]


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int = 0) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def kb(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    pip = [folder / "bin" / "python", "-m", "pip", "-q", "--disable-pip-version-check"]
    run(*pip, "install", "--constraint", ROOT / "constraints.txt", wheel, cwd=folder)
    return folder / "bin" / "kb"


def test_the_wheel_holds_ontology_shapes_and_queries_and_nothing_of_ours_beside_the_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in ("ontology/systems.ttl", "ontology/core.ttl", "shapes/systems.ttl", "py.typed"):
        assert f"kb/{name}" in names
    packaged = {name.removeprefix("kb/") for name in names if name.startswith("kb/queries/")}
    assert packaged == {path.relative_to(ROOT).as_posix() for path in (ROOT / "queries").rglob("*.rq")}
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"kb"}


def test_the_command_works_from_another_folder_with_an_empty_home(kb: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    folder.mkdir()
    env = {"HOME": str(home), "PATH": os.defpath}

    def kb_(*arguments: str, code: int = 0) -> str:
        return run(kb, *arguments, cwd=folder, env=env, code=code)

    assert "0.1.0" in kb_("--version")
    kb_("init")
    assert (folder / "kb.toml").is_file()
    kb_("build")
    assert json.loads(kb_("status", "--json"))


def test_a_domain_of_ones_own_builds_and_answers(kb: Path, tmp_path: Path) -> None:
    folder = tmp_path / "museum"
    run("cp", "-R", MUSEUM, folder, cwd=tmp_path)
    run(kb, "build", cwd=folder)
    answer = json.loads(run(kb, "ask", "--json", "Who painted The Ice Fleet?", cwd=folder))
    assert [one["id"] for one in answer["answers"]] == ["elske-maurits"]
