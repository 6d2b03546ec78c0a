"""Replies in a file of JSON lines, so that a run can be repeated by others without asking anybody.

The first line says what the file is and which model was asked; each other line is one reply, by the digest of its
request. There is no key, no address and no path in it.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from kb.errors import LlmError, ReplayError
from kb.llm.chat import Chat, Prompt, Reply, request_digest

__all__ = ["Recorder", "Replay"]

FORMAT = 1
_TEXTS = ("request", "label", "purpose", "text", "finish", "model")
_NUMBERS = ("prompt_tokens", "completion_tokens")


class Recorder:
    """A chat whose replies are written to a file by `save`, in the order of what they are about.

    Replies that turned out to be unreadable are among them: whoever repeats the run meets them too.
    """

    def __init__(self, inner: Chat, path: Path, model: str) -> None:
        self.inner, self.path, self.model = inner, path, model
        self._rows: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        _check_target(path)

    def ask(self, prompt: Prompt) -> Reply:
        """The reply of the chat within."""
        reply = self.inner.ask(prompt)
        request = request_digest(prompt, self.model)
        row = {
            "request": request,
            "purpose": prompt.purpose,
            "label": prompt.label,
            "text": reply.text,
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "finish": reply.finish,
            "model": reply.model,
            **({"estimated": True} if reply.estimated else {}),
        }
        with self._lock:
            self._rows[request] = row
        return reply

    def forget(self, prompt: Prompt) -> None:
        """Passes it on."""
        self.inner.forget(prompt)

    def save(self) -> None:
        """Writes the file, whole or not at all. Raises LlmError where it cannot be written."""
        rows = sorted(self._rows.values(), key=lambda row: (row["purpose"], row["label"], row["request"]))
        head = {"kb_recording": FORMAT, "model": self.model}
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [head, *rows])
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            draft.write_bytes(data.encode("utf-8", "replace"))
            draft.replace(self.path)
        except OSError as err:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            raise LlmError(f"{self.path}: cannot be written: {err.strerror or err}") from err


def _check_target(path: Path) -> None:
    """That a recording can be written there is known before anything is paid for."""
    if not path.resolve().parent.is_dir():
        raise LlmError(f"{path}: cannot be written: there is no such folder")
    if path.exists() and not path.is_file():
        raise LlmError(f"{path}: cannot be written: it is no file")
    try:
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                if b'"kb_recording"' not in file.readline(1000):
                    raise LlmError(f"{path}: is there already and is no recording; name another file")
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.touch()
        draft.unlink()
    except OSError as err:
        raise LlmError(f"{path}: cannot be written: {err.strerror or err}") from err


class Replay:
    """A chat whose replies all come from a recording. Raises ReplayError for a file that is none."""

    def __init__(self, path: Path, model: str) -> None:
        self.path, self.model = path, model
        self._replies: dict[str, Reply] = {}
        self._about: dict[str, tuple[str, str]] = {}
        self._used: set[str] = set()
        self._lock = threading.Lock()
        try:
            lines = path.read_bytes().split(b"\n")
        except OSError as err:
            raise ReplayError(f"{path}: cannot be read: {err.strerror or err}") from err
        rows = [(number, self._row(number, line)) for number, line in enumerate(lines, 1) if line.strip()]
        head = rows[0][1] if rows else {}
        if "kb_recording" not in head:
            raise ReplayError(f"{path}:1: no recording; `kb build --record {path}` makes one")
        if head["kb_recording"] != FORMAT:
            raise ReplayError(f"{path}:1: a recording of format {head['kb_recording']!r}; this version reads {FORMAT}")
        if head.get("model") != model:
            raise ReplayError(f"{path}:1: recorded with model {head.get('model')!r}, but kb.toml says {model!r}")
        for number, row in rows[1:]:
            self._add(number, row)

    def _row(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as err:
            raise ReplayError(f"{self.path}:{number}: no JSON; the recording is damaged, record it anew") from err
        if not isinstance(row, dict):
            raise ReplayError(f"{self.path}:{number}: no JSON object; the recording is damaged, record it anew")
        return row

    def _add(self, number: int, row: dict[str, Any]) -> None:
        right = all(isinstance(row.get(key), str) for key in _TEXTS) and all(
            type(row.get(key)) is int for key in _NUMBERS
        )
        if not right or not row["text"]:
            needed = ", ".join([*_TEXTS, *_NUMBERS])
            raise ReplayError(f"{self.path}:{number}: a reply needs {needed}; record it anew")
        numbers = row["prompt_tokens"], row["completion_tokens"]
        estimated = row.get("estimated") is True
        self._replies[row["request"]] = Reply(row["text"], *numbers, row["finish"], row["model"], estimated, paid=False)
        self._about[row["request"]] = row["purpose"], row["label"]

    def ask(self, prompt: Prompt) -> Reply:
        """The recorded reply. Raises ReplayError, naming what the prompt is about, where there is none."""
        request = request_digest(prompt, self.model)
        with self._lock:
            self._used.add(request)
        if request in self._replies:
            return self._replies[request]
        about = (prompt.purpose, prompt.label) in self._about.values()
        why = (
            "it has another one for it: page, ontology or settings differ from when it was recorded; record it anew"
            if about
            else "it was recorded without it; record it anew"
        )
        raise ReplayError(f"{self.path}: no reply for {prompt.label!r} ({prompt.purpose}); {why}")

    def forget(self, prompt: Prompt) -> None:
        """Nothing: what was recorded stays."""

    def unused(self) -> list[tuple[str, str]]:
        """(purpose, what it is about) of replies that nothing asked for, sorted."""
        return sorted(about for request, about in self._about.items() if request not in self._used)
