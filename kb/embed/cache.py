"""Vectors that were made before: kept by what made them and by the digest of their text.

One SQLite file, for several threads and processes at once. It saves work and is never needed: whatever is wrong with it
is told in `notes`, and texts are embedded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from kb.embed.provider import Vectors
from kb.llm._sqlite import BUSY, log_ahead

__all__ = ["CACHE_NAME", "VectorCache"]

CACHE_NAME = "vectors.sqlite"
FORMAT = 1
_ASKED_AT_ONCE = 500
_DAMAGED = ("malformed", "not a database", "no such table", "no such column", "has no column", "columns but")
_TABLE = """
CREATE TABLE IF NOT EXISTS vector (
    provider TEXT NOT NULL, digest BLOB NOT NULL, numbers BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (provider, digest)
)
"""


class VectorCache:
    """The vectors in one file; see the module.

    `notes` are sentences for the user, each once: the file was damaged and put aside, the disk is full. `hits` counts
    vectors that were found, `kept` those that were added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: tuple[str, ...] = ()
        self.hits = self.kept = 0
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._writable = True
        with self._lock, self._going_on():
            self._connection = self._opened()

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file. Closing twice is harmless; a closed cache has nothing and keeps nothing."""
        with self._lock:
            self._drop()

    def get_many(self, provider: str, texts: Sequence[str], *, query: bool = False) -> dict[str, Vectors]:
        """Text -> its vector, shape (dimension,), of those that were kept for this identity of a provider."""
        name, found = _name(provider, query=query), {}
        of = {_digest(text): text for text in texts}
        digests = list(of)
        with self._lock, self._going_on():
            for start in range(0, len(digests), _ASKED_AT_ONCE):
                if self._connection is None:
                    break
                some = digests[start : start + _ASKED_AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = self._connection.execute(
                    f"SELECT digest, numbers, checksum FROM vector WHERE provider = ? AND digest IN ({marks})",  # noqa: S608
                    (name, *some),
                ).fetchall()
                found.update({of[digest]: row for digest, row in map(_row, rows) if row is not None})
        self.hits += len(found)
        return found

    def put_many(self, provider: str, texts: Sequence[str], vectors: Vectors, *, query: bool = False) -> None:
        """Keeps the vectors of texts, in one step. `vectors`: shape (texts, dimension)."""
        name, rows = _name(provider, query=query), []
        for text, vector in zip(texts, vectors, strict=True):
            digest, numbers = _digest(text), vector.astype("<f4").tobytes()
            rows.append((name, digest, numbers, _checksum(digest, numbers)))
        with self._lock, self._going_on():
            if self._connection is None or not self._writable:
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
            self.kept += len(rows)

    def __len__(self) -> int:
        with self._lock, self._going_on():
            if self._connection is not None:
                return int(self._connection.execute("SELECT count(*) FROM vector").fetchone()[0])
        return 0

    # -- the file ----------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=BUSY, check_same_thread=False, isolation_level=None)
        try:
            log_ahead(connection)
            # After a power cut the last vectors may be missing; after a kill none is.
            connection.execute("PRAGMA synchronous = NORMAL")
            [version] = connection.execute("PRAGMA user_version").fetchone()
            _check_format(version)
            if not version:
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("SELECT digest, numbers, checksum FROM vector WHERE provider = '' LIMIT 1")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Whatever happens to the file, its user goes on without it."""
        try:
            yield
        except (sqlite3.Error, OSError) as err:
            text = str(getattr(err, "strerror", None) or err)
            self._roll_back()
            if any(one in text for one in _DAMAGED):
                self._start_anew(text)
            elif self._connection is None:
                self._note(f"{self.path}: cannot be opened ({text}), so no vectors are kept; check the folder")
            elif "full" in text or "disk I/O" in text:
                self._writable = False
                self._note(
                    f"{self.path}: {text}; new vectors are not kept from here on, and the next build may have to make "
                    "them again; make room on the disk"
                )
            elif "readonly" in text or "read-only" in text:
                self._writable = False
                self._note(f"{self.path}: {text}; new vectors are not kept")
            else:
                # Somebody else kept it busy for long; what was to be kept now is lost, and later vectors are not.
                self._note(f"{self.path}: {text}; some vectors are not kept")

    def _start_anew(self, text: str) -> None:
        self._drop()
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        try:
            self.path.replace(aside)
            for more in ("-wal", "-shm"):
                self.path.with_name(self.path.name + more).unlink(missing_ok=True)
            self._connection = self._opened()
        except (sqlite3.Error, OSError) as err:
            self._note(f"{self.path}: damaged ({text}), and cannot be put aside ({err}); delete it")
        else:
            self._note(f"{self.path}: damaged ({text}); kept as {aside.name}, and its vectors are made again")

    def _roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _drop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _note(self, text: str) -> None:
        self.notes = tuple(dict.fromkeys((*self.notes, text)))


def _name(provider: str, *, query: bool) -> str:
    # Some models embed questions otherwise than documents.
    return f"{provider} query" if query else provider


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(digest: bytes, numbers: bytes) -> int:
    return zlib.crc32(numbers, zlib.crc32(digest))


def _row(kept: tuple[object, object, object]) -> tuple[bytes, Vectors | None]:
    """(digest, vector); None for one that is not what was written."""
    digest, numbers, checksum = kept
    if not (isinstance(digest, bytes) and isinstance(numbers, bytes)):
        return b"", None
    if not numbers or len(numbers) % 4 or checksum != _checksum(digest, numbers):
        return digest, None
    return digest, np.frombuffer(numbers, dtype="<f4").astype(np.float32, copy=False)


def _check_format(version: int) -> None:
    if version > FORMAT:
        raise sqlite3.NotSupportedError(f"a newer version of kb wrote it (format {version})")
