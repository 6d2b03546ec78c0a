"""A deadline for everything that one thread does over the network, byte by byte.

HTTP clients take time-outs that start anew with every read: a server that sends a byte now and then is never given up.
"""

from __future__ import annotations

import threading
import time
from typing import Any

__all__ = ["OverdueError", "deadline", "left", "watch"]

_thread = threading.local()


class OverdueError(Exception):
    """The deadline passed."""


def deadline(seconds: float) -> None:
    """From now on, until the next call, what this thread reads and writes must be done in so many seconds."""
    _thread.end = time.monotonic() + seconds


def left() -> float:
    """Seconds to the deadline of this thread. Raises OverdueError after it."""
    seconds: float = getattr(_thread, "end", float("inf")) - time.monotonic()
    if seconds <= 0:
        raise OverdueError
    return seconds


def watch(client: Any) -> None:
    """Puts an HTTP client's connections under the deadline.

    The client has no public place for it. Where a later version keeps its connections elsewhere, nothing is watched
    here: whole bodies still are, by those who read them, and silence is by the client's own time-outs.
    """
    for transport in (getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()):
        pool = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if backend is not None:
            pool._network_backend = _Backend(backend)  # type: ignore[union-attr]


def _bounded(timeout: float | None) -> float:
    return left() if timeout is None else min(timeout, left())


class _Around:
    """Something with its methods, but for those that are given here."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Backend(_Around):
    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **more: Any) -> Any:
        return _Stream(self._inner.connect_tcp(host, port, timeout=_bounded(timeout), **more))


class _Stream(_Around):
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, timeout=_bounded(timeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout=_bounded(timeout))

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _bounded(timeout)))
