"""One request to an embeddings endpoint, bounded in time and size. Importing this loads an HTTP library."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import httpx

from kb.llm._answer import LOCAL_HOSTS, SHORTEST_KEY, Answer, BrokenError
from kb.llm._deadline import OverdueError, deadline, left, watch

__all__ = ["MAX_BYTES", "Wire", "shown_address"]

MAX_BYTES = 100_000_000
"""A thousand vectors of four thousand numbers, written out."""
CONNECT_SECONDS = 10.0


class Wire:
    """A pool of connections to one address, for so many threads at once."""

    def __init__(self, base_url: str, key: str, *, workers: int) -> None:
        self.address = shown_address(base_url)
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._key = key if len(key) >= SHORTEST_KEY else ""
        host = urlsplit(base_url).hostname or ""
        # A few bytes blown up to gigabytes are not worth what compression saves here.
        headers = {"Accept-Encoding": "identity", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._client = httpx.Client(
            headers=headers,
            # A redirect to another host would take the key along.
            follow_redirects=False,
            limits=httpx.Limits(max_connections=workers + 2, max_keepalive_connections=workers + 2),
            # A proxy of the environment cannot reach a server on this computer.
            mounts={f"all://{LOCAL_HOSTS[host]}": None} if host in LOCAL_HOSTS else None,
        )
        watch(self._client)

    def post(self, body: dict[str, Any], timeout: float) -> Answer:
        """Sends one request; the whole takes no longer than `timeout` seconds. Raises BrokenError without an answer."""
        deadline(timeout)
        times = httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS))
        try:
            with self._client.stream("POST", self._url, json=body, timeout=times) as response:
                data = bytearray()
                for part in response.iter_bytes():
                    data += part
                    if len(data) > MAX_BYTES:
                        break
                    left()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OverdueError, RuntimeError) as err:
            raise _broken(err, timeout) from None
        if len(data) > MAX_BYTES:
            raise BrokenError("large", f"the reply is larger than {MAX_BYTES // 1_000_000} MB")
        headers = {name.lower(): self._without_key(value) for name, value in response.headers.items()}
        return Answer(response.status_code, headers, self._without_key(bytes(data)))

    def close(self) -> None:
        """Closes all connections."""
        self._client.close()

    def _without_key(self, said: Any) -> Any:
        """What the endpoint says, without the key that it may repeat: nothing behind this line knows it."""
        for form in {self._key, quote(self._key, safe="")} if self._key else ():
            said = said.replace(form, "[key]") if isinstance(said, str) else said.replace(form.encode(), b"[key]")
        return said


def _broken(err: Exception, timeout: float) -> BrokenError:
    if isinstance(err, httpx.ConnectTimeout):
        return BrokenError("timeout", f"no connection within {min(timeout, CONNECT_SECONDS):g} s")
    if isinstance(err, httpx.TimeoutException | OverdueError):
        return BrokenError("timeout", f"no whole reply within {timeout:g} s ([embed] timeout)")
    if isinstance(err, httpx.ConnectError):
        return BrokenError("unreachable", str(err) or "no connection")
    if isinstance(err, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        return BrokenError("address", "the address or a header cannot be sent")
    return BrokenError("cut", "the connection ended before the reply was whole")


def shown_address(address: str) -> str:
    """An address without user name, password, query and fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
