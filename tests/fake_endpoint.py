"""A chat endpoint on loopback that speaks real HTTP, and misbehaves on demand.

with FakeEndpoint(lambda request: {"statements": []}) as fake:
    fake.misbehave(status(429, retry_after="1"), cut())
    ...  # fake.base_url, fake.requests, fake.in_flight_max
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = [
    "FakeEndpoint",
    "Misbehaviour",
    "body",
    "choices",
    "content",
    "cut",
    "drip",
    "hang",
    "html",
    "huge",
    "invalid_utf8",
    "message",
    "model_name",
    "reasoning_only",
    "redirect",
    "refused_parameter",
    "status",
    "usage",
    "vanish",
    "wait_until",
]

Json = dict[str, Any]


@dataclass(frozen=True)
class Misbehaviour:
    """What one request gets. `kind` is reply, status, hang, drip, cut, vanish or raw."""

    kind: str = "reply"
    code: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    change: Callable[[Json], Json] | None = None


def status(
    code: int,
    message: str = "no",
    *,
    retry_after: str | None = None,
    retry_after_ms: str | None = None,
    error_code: str | None = None,
) -> Misbehaviour:
    """An error as OpenAI words it."""
    said = {"error": {"message": message, "type": "error", "code": error_code}}
    waits = {"Retry-After": retry_after, "Retry-After-Ms": retry_after_ms}
    return body(said, code, {name: value for name, value in waits.items() if value is not None})


def body(value: Any, code: int = 200, headers: dict[str, str] | None = None) -> Misbehaviour:
    """This body, byte for byte or as JSON."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Misbehaviour("status", code, data, headers or {})


def redirect(address: str) -> Misbehaviour:
    return Misbehaviour("status", 302, b"", {"Location": address})


def refused_parameter(name: str) -> Misbehaviour:
    """How endpoints refuse a parameter that they do not know."""
    text = f"Unsupported parameter: '{name}' is not supported with this model."
    return body({"error": {"message": text, "param": name, "code": "unsupported_parameter"}}, 400)


def hang(seconds: float) -> Misbehaviour:
    """The connection stays open without a byte."""
    return Misbehaviour("hang", seconds=seconds)


def drip(seconds: float = 0.05) -> Misbehaviour:
    """A byte now and then, without end."""
    return Misbehaviour("drip", seconds=seconds)


def cut() -> Misbehaviour:
    """The connection ends in the middle of the body."""
    return Misbehaviour("cut")


def vanish() -> Misbehaviour:
    """The connection ends before the first byte."""
    return Misbehaviour("vanish")


def html(code: int = 200) -> Misbehaviour:
    """A page of some proxy."""
    page = b"<html><head><title>Bad gateway</title></head><body>nginx</body></html>"
    return Misbehaviour("status", code, page, {"Content-Type": "text/html"})


def invalid_utf8() -> Misbehaviour:
    return Misbehaviour("status", 200, b'{"choices": [{"message": {"content": "\xff\xfe\x80"}}]}')


def huge(megabytes: int = 10) -> Misbehaviour:
    """A reply of so many megabytes."""
    return content("x" * (megabytes * 1_000_000))


def _changed(change: Callable[[Json], Json]) -> Misbehaviour:
    return Misbehaviour("reply", change=change)


def message(**fields: Any) -> Misbehaviour:
    """The message has these fields, whatever the answer would have been."""
    return _changed(
        lambda reply: {**reply, "choices": [{**reply["choices"][0], "message": {"role": "assistant", **fields}}]}
    )


def content(text: str | None, finish: str = "stop") -> Misbehaviour:
    """This content, and how it ended."""
    said = {"role": "assistant", "content": text}
    return _changed(lambda reply: {**reply, "choices": [{"index": 0, "finish_reason": finish, "message": said}]})


def reasoning_only(finish: str = "length") -> Misbehaviour:
    said = {"role": "assistant", "content": "", "reasoning_content": "Let me think. " * 20}
    return _changed(lambda reply: {**reply, "choices": [{"index": 0, "finish_reason": finish, "message": said}]})


def choices(value: Any) -> Misbehaviour:
    """Something else in the place of the choices."""
    return _changed(lambda reply: {**reply, "choices": value})


def model_name(name: str) -> Misbehaviour:
    """The endpoint says that another model answered."""
    return _changed(lambda reply: {**reply, "model": name})


def usage(value: Any) -> Misbehaviour:
    """Other numbers of tokens, or none."""
    return _changed(lambda reply: {**reply, "usage": value})


class FakeEndpoint:
    """`answer` takes the request's body and gives the content: text, JSON, or a Misbehaviour."""

    def __init__(
        self,
        answer: Callable[[Json], Any] | None = None,
        *,
        latency: float = 0.0,
        models: tuple[str, ...] = ("small",),
        schema_support: str = "json_schema",
        prompt_counter: Callable[[str], int] = lambda text: len(text) // 4,
    ) -> None:
        self.answer = answer or (lambda _request: {"statements": []})
        self.latency, self.models = latency, models
        self.schema_support, self.prompt_counter = schema_support, prompt_counter
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.in_flight = self.in_flight_max = 0
        self._next: deque[Misbehaviour] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def misbehave(self, *behaviours: Misbehaviour) -> None:
        """The next requests get these, one each."""
        self._next.extend(behaviours)

    def __enter__(self) -> FakeEndpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()

    # -- one request ----------------------------------------------------------

    def respond(self, body: Json, headers: dict[str, str]) -> Misbehaviour:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.in_flight += 1
            self.in_flight_max = max(self.in_flight_max, self.in_flight)
            behaviour = self._next.popleft() if self._next else Misbehaviour()
        try:
            self._closing.wait(self.latency)
            if behaviour.kind == "hang":
                self._closing.wait(behaviour.seconds)
            if behaviour.kind != "reply":
                return behaviour
            refused = self._refused(body)
            if refused is not None:
                return refused
            said = self.answer(body)
            if isinstance(said, Misbehaviour):
                if said.kind != "reply":
                    if said.kind == "hang":
                        self._closing.wait(said.seconds)
                    return said
                behaviour, said = said, ""
            reply = self._reply(body, said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
            if behaviour.change is not None:
                reply = behaviour.change(reply)
            return replace(behaviour, body=json.dumps(reply).encode("utf-8", "surrogatepass"))
        finally:
            with self._lock:
                self.in_flight -= 1

    def _refused(self, body: Json) -> Misbehaviour | None:
        if body["model"] not in self.models:
            return status(404, f"The model `{body['model']}` does not exist", error_code="model_not_found")
        wanted = (body.get("response_format") or {}).get("type", "text")
        if wanted == "json_schema" and self.schema_support == "llama_cpp":
            return status(500, "[{'type': 'literal_error', 'msg': \"Input should be 'text' or 'json_object'\"}]")
        if wanted == "json_schema" and self.schema_support != "json_schema":
            return status(
                400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
            )
        if wanted == "json_object" and self.schema_support == "none":
            return status(400, "Invalid parameter: 'response_format' is not supported.")
        return None

    def _reply(self, body: Json, text: str) -> Json:
        asked = "\n".join(str(one["content"]) for one in body["messages"])
        numbers = {"prompt_tokens": self.prompt_counter(asked), "completion_tokens": self.prompt_counter(text)}
        said = {"role": "assistant", "content": text}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
            "usage": {**numbers, "total_tokens": sum(numbers.values())},
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, fake: FakeEndpoint) -> None:
        self.fake = fake
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open.add(connection)
        return connection, address

    def close_connections(self) -> None:
        """Threads that wait for the next request of a kept connection end."""
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class calls it
        return

    def do_GET(self) -> None:
        if not self.path.startswith("/v1/"):
            self._send(404, b"404 page not found", {"Content-Type": "text/plain"})
            return
        models = [{"id": name, "object": "model"} for name in self.server.fake.models]
        self._send(200, json.dumps({"object": "list", "data": models}).encode(), {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.startswith("/v1/"):
            self._send(404, b"404 page not found", {"Content-Type": "text/plain"})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        found = self.server.fake.respond(body, headers)
        if found.kind in ("reply", "status"):
            self._send(found.code, found.body, found.headers)
            return
        self.close_connection = True
        if found.kind == "cut":
            self._send(200, b'{"id": "x", "choices": [', {"Content-Length": "4096"})
        elif found.kind == "drip":
            self._send(200, b"{", {"Content-Length": "4096"})
            with contextlib.suppress(OSError):
                while not self.server.fake._closing.wait(found.seconds):
                    self.wfile.write(b" ")
                    self.wfile.flush()

    def _send(self, code: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Waits until something is so; fails when it is not."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)
