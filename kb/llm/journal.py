"""Replies that were paid for: kept as they come, found again by the digest of their request.

One SQLite file. Several threads and processes may use it at once; a process that is killed loses at most the reply that
it was writing.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kb.errors import LlmError
from kb.llm._sqlite import BUSY, log_ahead
from kb.llm.chat import Chat, Prompt, Reply, request_digest
from kb.llm.tokens import count, count_prompt
from kb.llm.usage import Usage

__all__ = ["JOURNAL_NAME", "Calibration", "Journal", "Journaled"]

JOURNAL_NAME = "replies.sqlite"
FORMAT = 1
_SAMPLE = 100
"""Replies whose tokens are guessed too, of those that one process keeps: counting takes longer than keeping."""
# Endpoints have reported nonsense; sums of this many must fit 64 bits.
_MOST_TOKENS = 2**40
_DAMAGED = ("malformed", "not a database", "no such table", "no such column", "has no column", "columns but")
_TABLE = """
CREATE TABLE IF NOT EXISTS reply (
    request TEXT PRIMARY KEY, text TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    finish TEXT NOT NULL, model TEXT NOT NULL, estimated INTEGER NOT NULL, purpose TEXT NOT NULL, label TEXT NOT NULL,
    asked TEXT NOT NULL, guessed_prompt INTEGER NOT NULL, guessed_completion INTEGER NOT NULL, created TEXT NOT NULL
) WITHOUT ROWID
"""


class Calibration:
    """How many tokens an endpoint counts for one of ours, in prompts and in replies, from `replies` kept replies."""

    def __init__(self, replies: int, guessed: tuple[int, int], counted: tuple[int, int]) -> None:
        self.replies = replies
        self.prompt, self.completion = (c / g if replies and g else 1.0 for c, g in zip(counted, guessed, strict=True))


class Journal:
    """The replies in one file; see the module. `writable` false opens what is there and changes nothing."""

    def __init__(self, path: Path, *, writable: bool = True) -> None:
        self.path, self.writable = path, writable
        self._lock = threading.Lock()
        self._guessed = 0
        with self._errors("cannot be opened"):
            self._connection = self._opened()
        try:
            self._check_format()
        except BaseException:
            self._connection.close()
            raise

    def _opened(self) -> sqlite3.Connection:
        if not self.writable:
            return self._opened_for_reading()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=BUSY, check_same_thread=False, isolation_level=None)
        try:
            log_ahead(connection)
            # After a power cut the last replies may be missing; after a kill none is.
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _opened_for_reading(self) -> sqlite3.Connection:
        address = f"{self.path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=BUSY, check_same_thread=False)
        try:
            connection.execute("PRAGMA user_version")
        except sqlite3.OperationalError:
            connection.close()
            # Reading takes a file beside the database, which a folder without write access does not let us make. Where
            # no replies wait in the log, the database alone is the whole.
            log = self.path.with_name(f"{self.path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise
            return sqlite3.connect(f"{address}&immutable=1", uri=True, check_same_thread=False)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_format(self) -> None:
        with self._errors("cannot be read"):
            [version] = self._connection.execute("PRAGMA user_version").fetchone()
            if version > FORMAT:
                raise LlmError(f"{self.path}: written by a newer version of kb (format {version}); update kb")
            if version:
                return
            if self.writable:
                self._connection.execute(_TABLE)
                self._connection.execute(f"PRAGMA user_version = {FORMAT}")
            else:
                # Whoever makes the journal was stopped, or is about to: nothing is in it.
                self._connection.close()
                self._connection = sqlite3.connect(":memory:", check_same_thread=False)
                self._connection.execute(_TABLE)

    def get(self, request: str) -> Reply | None:
        """The reply to a request, by its digest; None where none was kept."""
        columns = "text, prompt_tokens, completion_tokens, finish, model, estimated"
        with self._lock, self._errors("cannot be read"):
            row = self._connection.execute(f"SELECT {columns} FROM reply WHERE request = ?", (request,)).fetchone()  # noqa: S608
        if row is None:
            return None
        text, prompt_tokens, completion_tokens, finish, name, estimated = row
        return Reply(text, prompt_tokens, completion_tokens, finish, name, bool(estimated), paid=False)

    def put(self, request: str, prompt: Prompt, reply: Reply, model: str) -> None:
        """Keeps a reply. Raises LlmError where it cannot be kept: what is paid for must not be lost in silence."""
        row = (
            request,
            reply.text.encode("utf-8", "replace").decode("utf-8"),
            min(reply.prompt_tokens, _MOST_TOKENS),
            min(reply.completion_tokens, _MOST_TOKENS),
            reply.finish,
            reply.model,
            reply.estimated,
            prompt.purpose,
            prompt.label.encode("utf-8", "replace").decode("utf-8"),
            model,
            *self._guesses(prompt, reply),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        with self._lock, self._errors(f"the reply for {prompt.label!r} cannot be kept"):
            self._connection.execute(f"INSERT OR REPLACE INTO reply VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    def _guesses(self, prompt: Prompt, reply: Reply) -> tuple[int, int]:
        """What we take the tokens of prompt and reply to be; zeros once there are enough replies to calibrate with."""
        self._guessed += 1
        return (count_prompt(prompt), count(reply.text)) if self._guessed <= _SAMPLE else (0, 0)

    def forget(self, request: str) -> None:
        """Drops the reply to a request."""
        with self._lock, self._errors("cannot be written"):
            self._connection.execute("DELETE FROM reply WHERE request = ?", (request,))

    def __contains__(self, request: str) -> bool:
        with self._lock, self._errors("cannot be read"):
            found = self._connection.execute("SELECT 1 FROM reply WHERE request = ?", (request,)).fetchone()
        return found is not None

    def __len__(self) -> int:
        with self._lock, self._errors("cannot be read"):
            [number] = self._connection.execute("SELECT count(*) FROM reply").fetchone()
        return int(number)

    def calibration(self, model: str, purpose: str) -> Calibration:
        """What an endpoint counted for its replies so far, beside what we would have guessed."""
        sums = "count(*), sum(guessed_prompt), sum(guessed_completion), sum(prompt_tokens), sum(completion_tokens)"
        query = f"SELECT {sums} FROM reply WHERE asked = ? AND purpose = ? AND estimated = 0 AND guessed_prompt > 0"  # noqa: S608
        with self._lock, self._errors("cannot be read"):
            number, *found = self._connection.execute(query, (model, purpose)).fetchone()
        guessed_prompt, guessed_completion, prompt, completion = (one or 0 for one in found)
        return Calibration(number, (guessed_prompt, guessed_completion), (prompt, completion))

    def close(self) -> None:
        """Lets go of the file. Closing twice is harmless."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as err:
            text = str(err)
            if "full" in text or "disk I/O" in text:
                step = "make room on the disk; the replies before it are kept, and the next build goes on from there"
            elif any(one in text for one in _DAMAGED):
                step = "rename or delete the file; its replies will then be asked for and paid for again"
            elif "locked" in text:
                step = "another process keeps it busy; try again"
            else:
                step = "check who may read and write it"
            raise LlmError(f"{self.path}: {what}: {text}; {step}") from err
        except OSError as err:
            raise LlmError(f"{self.path}: {what}: {err.strerror or err}; check the folder and the disk") from err


class Journaled:
    """A chat whose replies are kept, and given again to the same request."""

    def __init__(self, inner: Chat, journal: Journal, model: str, usage: Usage) -> None:
        self.inner, self.journal, self.model, self.usage = inner, journal, model, usage
        self._free = threading.Condition()
        self._asking: set[str] = set()

    def ask(self, prompt: Prompt) -> Reply:
        """The reply that was kept; else a new one, kept before it is given."""
        request = request_digest(prompt, self.model)
        with self._one_at_a_time(request):
            kept = self.journal.get(request)
            if kept is not None:
                self.usage.add_reply(kept)
                return kept
            reply = self.inner.ask(prompt)
            self.journal.put(request, prompt, reply, self.model)
            return reply

    def forget(self, prompt: Prompt) -> None:
        """Drops an unreadable reply."""
        self.journal.forget(request_digest(prompt, self.model))
        self.inner.forget(prompt)

    @contextmanager
    def _one_at_a_time(self, request: str) -> Iterator[None]:
        """Two threads with the same request pay once."""
        with self._free:
            while request in self._asking:
                self._free.wait()
            self._asking.add(request)
        try:
            yield
        finally:
            with self._free:
                self._asking.remove(request)
                self._free.notify_all()
