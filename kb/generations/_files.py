"""Files that survive a crash: written whole or not at all, errors of the disk in words."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from kb.errors import GenerationError
from kb.graph.store import refusal

__all__ = ["REPAIR", "disk_errors", "file_digest", "fsync_path", "replace_file", "write_file"]

REPAIR = "run `kb build --force` to make it anew, or go back to an older one that `kb generations` lists"


@contextlib.contextmanager
def disk_errors(what: str, repair: str = "") -> Iterator[None]:
    """Turns errors of the file system and of the store into GenerationError: what could not be done, why, what next.

    `repair` is what to do where the cause does not say it itself.
    """
    try:
        yield
    except (OSError, RuntimeError) as err:
        why, helps = refusal(err)
        raise GenerationError(f"{what}: {why}" + (f"; {repair}" if repair and not helps else "")) from err


def fsync_path(path: Path) -> None:
    """Makes a file's bytes, or a folder's entries, survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, data: bytes) -> None:
    """Writes a file and waits until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, data: bytes) -> None:
    """Replaces a file in one step: whoever reads it sees the old bytes or the new ones."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        write_file(draft, data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    fsync_path(path.parent)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
