"""One builder at a time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from kb.errors import BuildLockedError
from kb.generations._files import disk_errors
from kb.generations._flock import FileLock
from kb.generations._process import Process

__all__ = ["BUILD_LOCK_NAME", "take_build_lock"]

BUILD_LOCK_NAME = "lock"


def take_build_lock(store: Path) -> FileLock:
    """Takes the lock of a store folder, which the system frees when this process ends, however it ends.

    The file stays behind: removing it would let two builders lock two files of the same name. Raises BuildLockedError
    saying who holds it and since when, GenerationError where the folder cannot be written.
    """
    path = store / BUILD_LOCK_NAME
    with disk_errors(f"{path}: cannot be locked"):
        store.mkdir(parents=True, exist_ok=True)
        lock = FileLock.take(path)
        if lock is None:
            raise BuildLockedError(f"{path}: {_holder(path)}; wait for it to end, or stop that process")
        since = datetime.now(UTC).isoformat(timespec="seconds")
        lock.tell((json.dumps({**Process.current().to_json(), "since": since}) + "\n").encode())
    return lock


def _holder(path: Path) -> str:
    try:
        data = json.loads(path.read_bytes())
        process = Process.from_json(data)
        return f"process {process.pid} on {process.host} has been building since {data['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another build is running"
