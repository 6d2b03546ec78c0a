"""Pins: what keeps a generation from being pruned while a reader has it open.

A pin is a file named after the generation, with a shared lock on it that the system frees when the reader ends,
however it ends. Where locks do not work, the reader's process number and start time say whether it still runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from kb.generations._flock import FileLock
from kb.generations._process import Process

__all__ = ["Pin", "live_pins", "take_pin"]


class Pin:
    """A reader's hold on one generation. A context manager; `close` lets go.

    `path` is None where no pin could be written, as in a read-only folder: then nothing here prunes either.
    """

    def __init__(self, path: Path | None, lock: FileLock | None) -> None:
        self.path, self._lock = path, lock

    def close(self) -> None:
        """Lets go of the generation. Closing twice is harmless."""
        if self._lock is not None and self._lock.descriptor is None:
            return  # the child of a fork: the pin is its parent's
        if self.path is not None:
            with contextlib.suppress(OSError):  # without its lock it counts for nothing
                self.path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
        self.path = self._lock = None

    def __enter__(self) -> Pin:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def take_pin(folder: Path, generation: str) -> Pin:
    """Pins a generation for this process."""
    process = Process.current()
    path = folder / f"{generation}.{process.pid}-{secrets.token_hex(4)}"
    for _ in range(10):
        try:
            folder.mkdir(exist_ok=True)
            lock = FileLock.take(path, shared=True)
            if lock is None:  # a pruner looks at the pin that is being made
                time.sleep(0.001)
                continue
            lock.tell(json.dumps(process.to_json()).encode())
            assert lock.descriptor is not None
            if path.exists() and path.stat().st_ino == os.fstat(lock.descriptor).st_ino:
                return Pin(path, lock)
            lock.close()  # a pruner took it for stale before it was locked
        except OSError:
            break
    return _unlocked(path, process)


def _unlocked(path: Path, process: Process) -> Pin:
    """A pin that only names its process, for file systems without locks; none where nothing can be written."""
    try:
        path.write_text(json.dumps({**process.to_json(), "unlocked": True}), encoding="utf-8")
    except OSError:
        return Pin(None, None)
    return Pin(path, None)


def live_pins(folder: Path) -> dict[str, list[int]]:
    """Generation -> numbers of the processes that pin it. Removes what dead readers left behind."""
    found: dict[str, list[int]] = {}
    for path in sorted(folder.glob("gen-*.*")) if folder.is_dir() else []:
        if not _removed_as_stale(path):
            found.setdefault(path.name.partition(".")[0], []).append(_pid(path))
    return found


def _removed_as_stale(path: Path) -> bool:
    """Removes a pin whose reader is dead; True when the pin is gone."""
    try:
        process = _unlocked_holder(path)
        if process is not None:
            if not process.alive:
                path.unlink(missing_ok=True)
            return not process.alive
        lock = FileLock.take(path, create=False)
        if lock is None:
            return False
        try:
            # While the lock is held: a reader that just made this file finds it gone and makes another.
            path.unlink(missing_ok=True)
        finally:
            lock.close()
    except FileNotFoundError:
        return True
    except OSError:
        return False  # cannot tell, so it counts
    return True


def _unlocked_holder(path: Path) -> Process | None:
    """The process that a pin without a lock names."""
    try:
        data: Any = json.loads(path.read_bytes() or b"{}")
        return Process.from_json(data) if isinstance(data, dict) and data.get("unlocked") else None
    except (ValueError, KeyError, TypeError):
        return None  # half-written: its lock tells


def _pid(path: Path) -> int:
    number = path.name.partition(".")[2].partition("-")[0]
    return int(number) if number.isdigit() else 0
