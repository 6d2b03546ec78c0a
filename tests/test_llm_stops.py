"""Builds that end in the middle: interrupted, killed, out of disk. What came is kept, and is not paid for again."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_endpoint import FakeEndpoint, wait_until
from model_base import model, model_base, read
from pipeline_help import facts

PAGES = {f"page-{n:02}": f"# Shop\n\nNumber {n}. Shop calls Cart.\n" for n in range(12)}
WORKERS = 2


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(model, latency=0.15) as endpoint:
        yield endpoint


@pytest.fixture
def base(fake: FakeEndpoint, tmp_path: Path) -> Path:
    return model_base(tmp_path / "base", fake.base_url, pages=PAGES, workers=WORKERS)


def start(base: Path, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kb.cli", "build", "--kb", str(base)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


def finish(base: Path, fake: FakeEndpoint) -> None:
    fake.latency = 0.0
    assert read(base).exit_code == 0
    assert facts(base) == {("shop", "dependsOn", "cart")}


def test_ctrl_c_waits_for_what_is_on_its_way_and_nothing_is_paid_for_twice(base: Path, fake: FakeEndpoint) -> None:
    with start(base) as process:
        wait_until(lambda: len(fake.requests) > 3, 20)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Stopped." in said
    assert "kept" in said
    assert "Traceback" not in said
    assert not (base / "kg" / "CURRENT").exists()
    finish(base, fake)
    assert len(fake.requests) == len(PAGES)


def test_after_a_kill_only_what_was_in_flight_is_asked_again(base: Path, fake: FakeEndpoint) -> None:
    with start(base) as process:
        wait_until(lambda: len(fake.requests) > 4, 20)
        process.kill()
        process.communicate()
    finish(base, fake)
    assert len(PAGES) <= len(fake.requests) <= len(PAGES) + WORKERS


def test_a_full_disk_stops_the_build_in_words_and_what_was_kept_is_not_asked_again(
    base: Path, fake: FakeEndpoint
) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    with start(base, little_room) as process:
        _, said = process.communicate()
    assert process.returncode == 3
    assert "replies.sqlite" in said
    assert "Traceback" not in said
    asked = len(fake.requests)
    finish(base, fake)
    assert len(fake.requests) <= len(PAGES) + WORKERS
    assert asked < len(PAGES) or len(fake.requests) - asked <= WORKERS
