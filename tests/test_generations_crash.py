"""A build that is killed, at whatever moment, leaves the old generation in use and the next build clean."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import generation_builds as builds
import pytest

from kb.generations import STEPS, Generations

PROGRAM = Path(builds.__file__)
MORE_THAN_ALL = 60
"""A build does fewer operations on files than this."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store folder with version 1 published."""
    folder = tmp_path_factory.mktemp("crash") / "kg"
    builds.build(Generations(folder), 0)
    builds.build(Generations(folder), 1)
    return folder


def start(folder: Path, *moment: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(PROGRAM), str(folder), "2", *map(str, moment)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as lines:
        assert lines.readline() == b"building\n"
    return process


def check(folder: Path) -> int:
    """The version in use; asserts that it is whole and that another build succeeds and leaves nothing behind."""
    generations = Generations(folder)
    current = generations.current()
    assert current is not None
    current.verify(deep=True)
    version = int(current.meta["version"])
    assert builds.answers(current) == builds.wanted(version)
    after = builds.build(generations, 3)
    assert generations.current() == after
    after.verify(deep=True)
    assert builds.answers(after) == builds.wanted(3)
    left = {path.name for path in folder.rglob(".*")}
    assert left == set()
    assert {path.name for path in generations.folder.iterdir()} == {item.name for item in generations.list()}
    return version


def test_killed_between_any_two_file_operations(published: Path, tmp_path: Path) -> None:
    versions, codes = [], set()
    for moment in range(1, MORE_THAN_ALL):
        folder = tmp_path / f"kg{moment}"
        shutil.copytree(published, folder)
        codes.add(code := start(folder, moment).wait(60))
        versions.append(check(folder))
        shutil.rmtree(folder)
        if code == 0:
            break
    assert codes == {-signal.SIGKILL, 0}
    # The old version up to one moment, the new one from then on.
    assert versions == sorted(versions)
    assert set(versions) == {1, 2}


def test_killed_at_random_moments(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path / "kg")
    process = start(tmp_path / "kg")
    started = time.monotonic()
    assert process.wait(60) == 0
    whole = time.monotonic() - started
    for number, moment in enumerate(random.Random(7).uniform(0, whole) for _ in range(10)):
        folder = tmp_path / f"kg{number}"
        shutil.copytree(published, folder)
        process = start(folder)
        time.sleep(moment)
        process.kill()
        process.wait(60)
        assert check(folder) in {1, 2}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_an_error_at_any_step_leaves_what_was_there(tmp_path: Path, step: str, first: bool) -> None:
    def hook(name: str) -> None:
        if name == step:
            raise KeyboardInterrupt

    folder = tmp_path / "kg"
    if not first:
        builds.build(Generations(folder), 1)
    with pytest.raises(KeyboardInterrupt):
        builds.build(Generations(folder, hook=hook), 2)
    current = Generations(folder).current()
    published = step in STEPS[STEPS.index("current") :]
    assert (None if current is None else current.meta["version"]) == (2 if published else None if first else 1)
    assert [path.name for path in (folder / "generations").glob(".*")] == []
    assert len(Generations(folder).list()) == published + (not first)
    builds.build(Generations(folder), 3)
