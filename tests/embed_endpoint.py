"""An embeddings endpoint on loopback that speaks real HTTP, and misbehaves on demand.

with EmbedEndpoint() as fake:
    fake.next(error(429, headers={"Retry-After": "0"}))
    ...  # fake.base_url, fake.requests, fake.headers, fake.in_flight_max
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np

Json = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """A whole answer, or with `hang_up` none."""

    code: int
    data: bytes
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False


def error(code: int, message: str = "no", *, headers: dict[str, str] | None = None, error_code: str = "") -> Said:
    said = {"error": {"message": message, "type": "error", "code": error_code}}
    return Said(code, json.dumps(said).encode(), headers or {})


def raw(data: Any, code: int = 200) -> Said:
    return Said(code, data if isinstance(data, bytes) else json.dumps(data).encode())


HANG_UP = Said(0, b"", hang_up=True)


def vector(text: str, dimension: int) -> list[float]:
    """Made of the text alone, and of length 3, so that somebody has to make it a unit."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    row = np.random.default_rng(seed).standard_normal(dimension)
    return [float(one) for one in 3 * row / np.linalg.norm(row)]


class EmbedEndpoint:
    """`change` alters every reply; `refuse` may answer a request with something else."""

    def __init__(
        self,
        *,
        dimension: int = 8,
        latency: float = 0.0,
        change: Callable[[Json], Any] = lambda reply: reply,
        refuse: Callable[[Json], Said | None] = lambda request: None,
    ) -> None:
        self.dimension, self.latency, self.change, self.refuse = dimension, latency, change, refuse
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.in_flight = self.in_flight_max = 0
        self._next: deque[Said] = deque()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]

    def next(self, *said: Said) -> None:
        """The next requests get these, one each."""
        self._next.extend(said)

    def __enter__(self) -> EmbedEndpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def respond(self, path: str, body: Json, headers: dict[str, str]) -> Said:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.paths.append(path)
            self.in_flight += 1
            self.in_flight_max = max(self.in_flight_max, self.in_flight)
            said = self._next.popleft() if self._next else self.refuse(body)
        try:
            time.sleep(self.latency)
            return said or raw(self.change(self._reply(body)))
        finally:
            with self._lock:
                self.in_flight -= 1

    def _reply(self, body: Json) -> Json:
        size = body.get("dimensions") or body.get("output_dimension") or self.dimension
        rows = [
            {"object": "embedding", "index": at, "embedding": vector(text, size)}
            for at, text in enumerate(body["input"])
        ]
        # In another order than that of the texts: the protocol has an index for that.
        return {"object": "list", "data": rows[::-1], "model": body["model"], "usage": {"total_tokens": 7 * len(rows)}}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what some tests are about."""


def _handler(fake: EmbedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class calls it
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            said = fake.respond(self.path, body, headers)
            # Every connection ends with its answer, so that no thread is left waiting for another request.
            self.close_connection = True
            if said.hang_up:
                return
            self.send_response(said.code)
            for name, value in {"Content-Length": str(len(said.data)), "Connection": "close", **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said.data)

    return Handler
