"""One request over the `openai` package, bounded in time and size. Importing this loads that package.

The package's own retries are off, and it never parses a reply: what went wrong is to be told apart here.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import openai

from kb.llm._answer import LOCAL_HOSTS, SHORTEST_KEY, Answer, BrokenError
from kb.llm._deadline import OverdueError, deadline, left, watch

__all__ = ["MAX_BYTES", "Client", "shown_address"]

MAX_BYTES = 4_000_000
CONNECT_SECONDS = 10.0
LISTING_SECONDS = 10.0
_BODY_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


class _LargeError(Exception):
    """More bytes came than a reply has."""


class _Bounded(openai.DefaultHttpxClient):
    """Reads whole bodies itself, those of errors too, so that none takes longer or grows larger than a reply may."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        watch(self)

    def send(self, request: Any, **kwargs: Any) -> Any:
        timeouts = request.extensions["timeout"]
        deadline(timeouts["read"])
        response = super().send(request, **{**kwargs, "stream": True})
        try:
            timeouts["read"] = left()
            data = bytearray()
            for part in response.iter_bytes():
                data += part
                if len(data) > MAX_BYTES:
                    raise _LargeError
                left()
        finally:
            response.close()
        headers = [(name, value) for name, value in response.headers.items() if name.lower() not in _BODY_HEADERS]
        return type(response)(response.status_code, headers=headers, content=bytes(data), request=request)


class Client:
    """A pool of connections to one endpoint, for so many threads at once. `timeout` bounds a whole request."""

    def __init__(self, base_url: str | None, key: str, *, timeout: float, workers: int, secret: bool = True) -> None:
        self._timeout = timeout
        self._key = key if secret and len(key) >= SHORTEST_KEY else ""
        self._kind = type(openai.DEFAULT_CONNECTION_LIMITS)
        host = urlsplit(base_url or "").hostname or ""
        http = _Bounded(
            # A redirect to another host would take the key along.
            follow_redirects=False,
            limits=self._kind(max_connections=workers + 4, max_keepalive_connections=workers + 4),
            # A proxy of the environment cannot reach a server on this computer.
            mounts={f"all://{LOCAL_HOSTS[host]}": None} if host in LOCAL_HOSTS else None,
        )
        self._client = openai.OpenAI(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=self._times(timeout),
            # A few bytes of text blown up to gigabytes are not worth what compression saves here.
            default_headers={"Accept-Encoding": "identity"},
            http_client=http,
        )

    @property
    def address(self) -> str:
        """The address without anything that could be a secret."""
        return shown_address(str(self._client.base_url))

    def post(self, body: dict[str, Any]) -> Answer:
        """Sends one chat request. Raises BrokenError where no whole answer came."""
        return self._answer(lambda: self._client.chat.completions.with_raw_response.create(**body))

    def models(self) -> list[str] | None:
        """The names that the endpoint offers, sorted; None where it does not say."""
        quick = self._client.with_options(timeout=self._times(min(self._timeout, LISTING_SECONDS)))
        try:
            answer = self._answer(quick.models.with_raw_response.list)
            listed = json.loads(answer.data)["data"] if answer.status == 200 else None
            return None if listed is None else sorted({one["id"] for one in listed})
        except (BrokenError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def close(self) -> None:
        """Closes all connections."""
        self._client.close()

    def _answer(self, send: Any) -> Answer:
        try:
            response = send().http_response
        except openai.APIStatusError as err:
            response = err.response
        except openai.APIConnectionError as err:
            raise self._broken(err.__cause__ or err) from None
        except (OverdueError, _LargeError, RuntimeError) as err:
            raise self._broken(err) from None
        headers = {name.lower(): self._without_key(value) for name, value in response.headers.items()}
        return Answer(response.status_code, headers, self._without_key(response.content))

    def _without_key(self, said: Any) -> Any:
        """What the endpoint says, without the key that it may repeat: nothing behind this line knows it."""
        for form in {self._key, quote(self._key, safe="")} if self._key else ():
            said = said.replace(form, "[key]") if isinstance(said, str) else said.replace(form.encode(), b"[key]")
        return said

    def _broken(self, err: BaseException) -> BrokenError:
        """Classes are told by name: the package changed the library that it does HTTP with, and may again."""
        name = type(err).__name__
        if isinstance(err, _LargeError):
            return BrokenError("large", f"the reply is larger than {MAX_BYTES // 1_000_000} MB and was cut off")
        if name == "ConnectTimeout":
            return BrokenError("timeout", f"no connection within {min(self._timeout, CONNECT_SECONDS):g} s")
        if isinstance(err, OverdueError) or name.endswith("Timeout"):
            return BrokenError("timeout", f"no whole reply within {self._timeout:g} s ([llm] timeout)")
        if name == "ConnectError":
            return BrokenError("unreachable", str(err) or "no connection")
        if name in ("UnsupportedProtocol", "InvalidURL", "LocalProtocolError"):
            return BrokenError("address", "the address or a header cannot be sent")
        return BrokenError("cut", "the connection ended before the reply was whole")

    @staticmethod
    def _times(seconds: float) -> Any:
        times = type(openai.DEFAULT_TIMEOUT)
        return times(seconds, connect=min(seconds, CONNECT_SECONDS))


def shown_address(address: str) -> str:
    """An address without user name, password, query and fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
