"""Embedding models behind HTTP: OpenAI's and whatever speaks its protocol, and Voyage's."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from kb.embed._access import ADDRESSES, access, base_url
from kb.embed._batches import batches, cut, shorter
from kb.embed.identities import hosted_identity
from kb.embed.provider import Parts, Vectors
from kb.embed.settings import EmbedSettings
from kb.errors import EmbeddingError
from kb.llm._limits import Gate, StoppedError
from kb.llm._retry_after import LONGEST_WAIT, retry_after
from kb.llm.tokens import count
from kb.llm.usage import Usage

if TYPE_CHECKING:
    from kb.embed._wire import Wire
    from kb.llm._answer import Answer

__all__ = ["HostedProvider"]

_FAMILIES = dict.fromkeys(("voyage-4-large", "voyage-4", "voyage-4-lite", "voyage-4-nano"), "voyage-4")
FIRST_WAIT, LONGEST_BACK_OFF = 0.5, 30.0
# Whoever asks a question waits for its vector; without one, words are searched for.
QUERY_SECONDS, QUERY_RETRIES, QUERY_WAIT = 15.0, 1, 3.0


class HostedProvider:
    """Vectors of a hosted model. Share one between threads.

    Nothing is asked, and no key needed, before a text is embedded.
    `usage` counts requests, retries, tokens and seconds of waiting. `sleep`, `clock` and `chance` (a number in [0, 1)
    for each back-off) are for tests.
    """

    lexical_weight = 0.3
    duplicate_threshold = 0.90
    costly = True

    def __init__(
        self,
        settings: EmbedSettings,
        *,
        usage: Usage | None = None,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        if settings.provider not in ADDRESSES:
            raise ValueError(f"{settings.provider!r} is no hosted provider")
        self.settings, self.kind = settings, settings.provider
        self.usage = Usage() if usage is None else usage
        self._dimension = settings.dimensions
        self._sleep, self._clock, self._chance = sleep, clock, chance
        self._lock = threading.Lock()
        self._gate = self._new_gate()
        self._wire: Wire | None = None
        self._access = ("", "")
        self._heard = False

    def __repr__(self) -> str:
        return f"HostedProvider({self.identity!r})"

    @property
    def identity(self) -> str:
        """Kind, model, and dimensions where fewer than the model's own were asked for."""
        return hosted_identity(self.settings)

    @property
    def family(self) -> str | None:
        """The models of Voyage 4 make comparable vectors; no others are known to."""
        return _FAMILIES.get(self.settings.model) if self.kind == "voyage" else None

    @property
    def dimension(self) -> int | None:
        """Numbers of a vector; None before the first reply, unless kb.toml says it."""
        return self._dimension

    def check(self) -> None:
        """Raises EmbeddingError where there is no key, or no address. Asks nobody."""
        access(self.settings)

    def close(self) -> None:
        """Closes all connections; the next text opens new ones."""
        with self._lock:
            if self._wire is not None:
                self._wire.close()
                self._wire = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit rows, shape (texts, dimension); a row of zeros for a blank text.

        Raises EmbeddingError where the endpoint gives no vectors.
        """
        parts = list(self.parts(texts, query=query))
        found = np.zeros((len(texts), self._dimension or 0), dtype=np.float32)
        for places, rows in parts:
            found[list(places)] = rows
        return found

    def parts(self, texts: Sequence[str], *, query: bool = False) -> Parts:
        """The rows of each request, as the replies come. When one fails for good, those under way are still given."""
        spoken = [place for place, text in enumerate(texts) if text.strip()]
        if spoken:
            sent = [self._cut(text) for text in texts]
            wanted = batches(spoken, sent, self.settings.batch_texts, self.settings.batch_tokens)
            first = next(wanted)
            if len(first) == len(spoken):
                yield first, self._batch([sent[place] for place in first], query=query)
            else:
                with ThreadPoolExecutor(self.settings.workers) as pool:
                    yield from self._flying(pool, chain([first], wanted), sent, query=query)
        silent = sorted(set(range(len(texts))).difference(spoken))
        if silent:
            if self._dimension is None:
                # Something must be said to learn how many zeros there are.
                self._batch(["text"], query=query)
            yield silent, np.zeros((len(silent), self._dimension or 0), dtype=np.float32)

    def _flying(self, pool: ThreadPoolExecutor, wanted: Iterator[list[int]], sent: list[str], *, query: bool) -> Parts:
        waiting: dict[Future[Vectors], list[int]] = {}
        failed: EmbeddingError | None = None
        whole = False
        try:
            while True:
                room = 0 if failed else 2 * self.settings.workers - len(waiting)
                for places in islice(wanted, room):
                    future = pool.submit(self._batch, [sent[place] for place in places], query=query)
                    waiting[future] = places
                if not waiting:
                    break
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    places = waiting.pop(future)
                    try:
                        rows = future.result()
                    except EmbeddingError as err:
                        failed = failed or err
                        self._gate.stop(str(failed))
                        continue
                    yield places, rows
            whole = True
        finally:
            if failed or not whole:
                self._gate.stop("stopped before the request was sent")
                for future in waiting:
                    future.cancel()
                # What is asked next may work: a key was set, a server started.
                self._gate = self._new_gate()
        if failed:
            raise failed

    def _cut(self, text: str) -> str:
        # A lone surrogate cannot be sent.
        return cut(text, self.settings.text_tokens).encode("utf-8", "replace").decode("utf-8")

    # -- one batch -----------------------------------------------------------------

    def _batch(self, texts: list[str], *, query: bool) -> Vectors:
        """Unit rows of texts that go into one request, or into more where the endpoint finds that too much."""
        gate, attempts = self._gate, 0
        retries = min(self.settings.retries, QUERY_RETRIES) if query else self.settings.retries
        while True:
            attempts += 1
            got = self._attempt(gate, texts, query=query, retry=attempts > 1)
            if not isinstance(got, _Setback):
                gate.went_well()
                return got
            if got.long:
                return self._smaller(texts, got, query=query)
            if attempts > retries or (query and (got.wait or 0) > QUERY_WAIT):
                times = "once" if attempts == 1 else f"{attempts} times"
                raise self._error(f"no vectors, asked {times}: {got.text}")
            self._hold_back(gate, got, attempts)

    def _smaller(self, texts: list[str], got: _Setback, *, query: bool) -> Vectors:
        if len(texts) > 1:
            half = len(texts) // 2
            return np.concatenate([self._batch(some, query=query) for some in (texts[:half], texts[half:])])
        less = shorter(texts[0])
        if less is None:
            raise self._error(got.text)
        return self._batch([less], query=query)

    def _attempt(self, gate: Gate, texts: list[str], *, query: bool, retry: bool) -> Vectors | _Setback:
        from kb.embed._replies import UnusableError, fault, parsed
        from kb.llm._answer import BrokenError

        wire, key = self._opened()
        timeout = min(self.settings.timeout, QUERY_SECONDS) if query else self.settings.timeout
        try:
            with gate.slot():
                self.usage.add_request(retry=retry)
                answer = wire.post(self._body(texts, query=query), timeout)
        except StoppedError as err:
            raise EmbeddingError(str(err)) from None
        except BrokenError as err:
            if err.kind in ("address", "large") or (err.kind == "unreachable" and not self._heard):
                step = "check the connection, and [embed] base_url"
                if "certificate" in str(err).lower():
                    step = "set SSL_CERT_FILE to a file with the certificate of the authority that you trust"
                raise self._error(f"{err}; {step}") from None
            return _Setback(str(err))
        self._heard = True
        if not 200 <= answer.status < 300:
            found = fault(answer, self.settings.model, self.settings.api_key_env, (key,) if key else ())
            if found.kind == "fatal":
                raise self._error(found.text)
            return self._setback(found.text, answer, long=found.kind == "long")
        try:
            got = parsed(answer.data, len(texts))
        except UnusableError as err:
            if err.again:
                return _Setback(str(err))
            raise self._error(str(err)) from None
        tokens = sum(map(count, texts)) if got.tokens is None else got.tokens
        self.usage.add_tokens(tokens, 0, estimated=got.tokens is None)
        self._check_size(got.rows.shape[1])
        return got.rows

    def _body(self, texts: list[str], *, query: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.settings.model, "input": texts}
        if self.kind == "voyage":
            body["input_type"] = "query" if query else "document"
        if self.settings.dimensions is not None:
            body["output_dimension" if self.kind == "voyage" else "dimensions"] = self.settings.dimensions
        if base_url(self.settings) == ADDRESSES[self.kind]:
            # A quarter of the bytes. Servers that only speak the protocol may not know it.
            body["encoding_format"] = "base64"
        return body

    def _check_size(self, size: int) -> None:
        with self._lock:
            if self._dimension is None:
                self._dimension = size
            if self._dimension == size:
                return
        if self.settings.dimensions is not None:
            raise self._error(
                f"it gave vectors of {size} numbers where {self._dimension} were asked for; remove or change [embed] "
                "dimensions"
            )
        raise self._error(f"it gave vectors of {size} numbers after some of {self._dimension}; is it one model?")

    # -- between attempts ------------------------------------------------------------

    def _setback(self, text: str, answer: Answer, *, long: bool) -> _Setback:
        asked = retry_after(answer.headers)
        everybody = answer.status == 429 or (answer.status == 503 and asked is not None)
        return _Setback(text, everybody=everybody, wait=asked, long=long)

    def _hold_back(self, gate: Gate, got: _Setback, attempts: int) -> None:
        seconds = min(LONGEST_BACK_OFF, FIRST_WAIT * 2 ** min(attempts - 1, 16)) * (0.5 + self._chance() / 2)
        if got.wait:
            seconds = min(got.wait, LONGEST_WAIT)
        if got.wait and got.wait > LONGEST_WAIT:
            self.usage.warn(f"{self._shown()}: it asked to wait longer than {LONGEST_WAIT:g} s; kb waited that long")
        try:
            if got.everybody:
                gate.pause(seconds)
            else:
                gate.wait(seconds)
        except StoppedError as err:
            raise EmbeddingError(str(err)) from None

    def _new_gate(self) -> Gate:
        chosen = self.settings
        return Gate(chosen.workers, chosen.requests_per_minute, self.usage, self._sleep, self._clock)

    def _opened(self) -> tuple[Wire, str]:
        address, key = access(self.settings)
        with self._lock:
            if self._wire is None or self._access != (address, key):
                # The HTTP library takes long to load: only who asks pays for that.
                from kb.embed._wire import Wire

                self._access = address, key
                self._wire = Wire(address, key, workers=self.settings.workers)
            return self._wire, key

    def _shown(self) -> str:
        from kb.embed._wire import shown_address

        return shown_address(base_url(self.settings))

    def _error(self, text: str) -> EmbeddingError:
        return EmbeddingError(f"{self._shown()}: {self.identity}: {text}")


class _Setback:
    """An attempt that failed. `long`: fewer or shorter texts may work; else the same may work later.

    `everybody` is to wait, `wait` seconds if the endpoint said so.
    """

    def __init__(self, text: str, *, everybody: bool = False, wait: float | None = None, long: bool = False) -> None:
        self.text, self.everybody, self.wait, self.long = text, everybody, wait, long
