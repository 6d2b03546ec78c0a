"""A chat endpoint behind HTTP: sends prompts, retries what may pass, and stops where nothing can."""

from __future__ import annotations

import difflib
import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kb.errors import EndpointError, ReplyError
from kb.llm._limits import Gate, StoppedError
from kb.llm._modes import Dialect
from kb.llm.chat import Prompt, Reply
from kb.llm.settings import Settings
from kb.llm.tokens import count
from kb.llm.usage import Usage

if TYPE_CHECKING:
    from kb.llm._answer import Answer, BrokenError
    from kb.llm._errors import Fault

__all__ = ["Endpoint"]

MOST_LOSSES = 5
MOST_WASTED = 1
FIRST_WAIT, LONGEST_BACK_OFF = 0.5, 30.0
LISTED = 12
_NO_KEY = "not-needed"


@dataclass(frozen=True, slots=True)
class _Setback:
    """An attempt that failed. `again`: it is worth another. `wasted`: an answer came that was likely paid for.

    `harmless`: it says nothing of the endpoint's health. `wait` is what the endpoint asked for, in seconds.
    """

    text: str
    again: bool = True
    wasted: bool = False
    harmless: bool = False
    everybody: bool = False
    wait: float | None = None


class Endpoint:
    """A Chat over HTTP, for hosted endpoints and local servers. Share one between threads.

    `modes` is the file that remembers how an endpoint wants to be asked. `sleep`, `clock` and `chance` (a number in
    [0, 1) for each back-off) are for tests.

    Raises EndpointError where the address is none, and where the default address is asked without a key.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        modes: Path | None = None,
        usage: Usage | None = None,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        base_url = _address(settings.base_url or os.environ.get("OPENAI_BASE_URL") or None)
        key = _key(settings.api_key_env, base_url)
        # The openai package takes long to load: only who asks pays for that.
        from kb.llm._http import Client

        self.settings = settings
        self.usage = Usage() if usage is None else usage
        self._secrets = () if key == _NO_KEY else (key,)
        self._client = Client(base_url, key, timeout=settings.timeout, workers=settings.workers, secret=key != _NO_KEY)
        self._dialect = Dialect(settings, self._client.address, modes)
        self._gate = Gate(settings.workers, settings.requests_per_minute, self.usage, sleep, clock)
        self._chance = chance
        self._lock = threading.Lock()
        self._losses = 0
        self._heard = False
        self._broken: EndpointError | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self._client.address!r}, model={self.settings.model!r})"

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def ask(self, prompt: Prompt) -> Reply:
        """The reply to a prompt; blocks until it is there, or until nothing more is worth trying.

        Raises ReplyError where this prompt gets none, EndpointError where no prompt would, and after `stop`.
        """
        attempts = wasted = 0
        try:
            while True:
                attempts += 1
                got = self._attempt(prompt, retry=attempts > 1)
                if isinstance(got, Reply):
                    self._won()
                    return got
                wasted += got.wasted
                if not got.again or attempts > self.settings.retries or wasted > MOST_WASTED:
                    raise self._lost(prompt, got, attempts)
                self._hold_back(got, attempts)
        except StoppedError as err:
            raise EndpointError(str(err)) from None

    def forget(self, prompt: Prompt) -> None:
        """Nothing is remembered here."""

    def stop(self) -> None:
        """Requests that were not sent yet raise EndpointError, also those that wait; those in flight may finish."""
        self._gate.stop(f"{self._client.address}: stopped before the request was sent")

    def close(self) -> None:
        """Stops, and closes all connections."""
        self.stop()
        self._client.close()

    # -- one attempt -----------------------------------------------------------

    def _attempt(self, prompt: Prompt, *, retry: bool) -> Reply | _Setback:
        from kb.llm._answer import BrokenError

        probing = self._gate.begin_probe(lambda: self._dialect.is_known(prompt))
        silent = False
        try:
            return self._exchange(prompt, retry=retry)
        except BrokenError as err:
            silent = err.kind == "timeout"
            return self._cut_off(err)
        finally:
            if probing:
                self._gate.end_probe("silent" if silent else "answered")

    def _exchange(self, prompt: Prompt, *, retry: bool) -> Reply | _Setback:
        """Sends until the endpoint takes the form of the request; every form is tried once at most."""
        from kb.llm._errors import fault

        while True:
            body = self._dialect.body(prompt)
            with self._gate.slot():
                self.usage.add_request(retry=retry)
                answer = self._client.post(body)
            self._heard = True
            mode = self._dialect.format(body)
            got: Reply | Fault | _Setback
            if 200 <= answer.status < 300:
                got = self._reply(prompt, answer, body)
            else:
                got = fault(answer, body, self.settings.api_key_env, self._secrets)
            if isinstance(got, Reply):
                self._dialect.answered(body, with_schema=prompt.schema is not None)
                self.usage.add_mode(mode)
                return got
            if isinstance(got, _Setback):
                return got
            if got.kind == "otherwise":
                if body == self._dialect.body(prompt):
                    self._dialect.adapt(got.parameter, body, got.text)
                if body != self._dialect.body(prompt):
                    continue
            return self._setback(got, answer)

    def _reply(self, prompt: Prompt, answer: Answer, body: dict[str, object]) -> Reply | Fault | _Setback:
        from kb.llm._errors import fault
        from kb.llm._replies import UnusableError, parsed, same_model

        text = "\n".join(one.content for one in prompt.messages)
        try:
            reply = parsed(answer.data, text, self.settings.model, count, self._secrets)
        except UnusableError as err:
            if err.status >= 400:
                return fault(replace(answer, status=err.status), body, self.settings.api_key_env, self._secrets)
            if err.paid is not None:
                self.usage.add_tokens(err.paid[0], err.paid[1], estimated=err.paid[2])
            return _Setback(str(err), again=err.again, wasted=True, harmless=err.harmless)
        self.usage.add_tokens(reply.prompt_tokens, reply.completion_tokens, estimated=reply.estimated)
        if not same_model(self.settings.model, reply.model):
            self.usage.warn(
                f"{self._client.address}: {reply.model!r} answered where {self.settings.model!r} was asked for"
            )
        return reply

    def _setback(self, found: Fault, answer: Answer) -> _Setback:
        if found.kind == "fatal":
            raise self._dead(found.text + _target(answer))
        if found.kind == "model":
            raise self._dead(self._missing(found.text))
        if found.kind != "again":
            return _Setback(found.text, again=False, harmless=found.harmless)
        wait = self._asked_to_wait(answer)
        everybody = answer.status == 429 or (answer.status == 503 and wait is not None)
        return _Setback(found.text, everybody=everybody, wait=wait)

    def _cut_off(self, err: BrokenError) -> _Setback:
        if err.kind == "address" or (err.kind == "unreachable" and not self._heard):
            step = "is the server running, and is [llm] base_url right?"
            if "certificate" in str(err).lower():
                step = "set SSL_CERT_FILE to a file with the certificate of the authority that you trust"
            raise self._dead(f"no connection ({err}); {step}")
        return _Setback(str(err), again=err.kind != "large")

    def _missing(self, said: str) -> str:
        asked, names = self.settings.model, self._client.models()
        if names is None:
            return f"{said}; [llm] base_url must be what stands before /chat/completions, often ending in /v1"
        if asked in names:
            return said
        close = difflib.get_close_matches(asked, names, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        return f"it has no model {asked!r}; {hint}it offers: {', '.join(names[:LISTED]) or 'none'}{more}"

    # -- between attempts ------------------------------------------------------

    def _asked_to_wait(self, answer: Answer) -> float | None:
        from kb.llm._retry_after import LONGEST_WAIT, retry_after

        wait = retry_after(answer.headers)
        if wait is None or wait <= LONGEST_WAIT:
            return wait
        self.usage.warn(
            f"{self._client.address}: it asked to wait longer than {LONGEST_WAIT:g} s between requests; "
            "kb waited that long and tried again"
        )
        return LONGEST_WAIT

    def _hold_back(self, got: _Setback, attempts: int) -> None:
        seconds = min(LONGEST_BACK_OFF, FIRST_WAIT * 2 ** min(attempts - 1, 16)) * (0.5 + self._chance() / 2)
        if got.wait:
            seconds = got.wait
        if got.everybody:
            self._gate.pause(seconds)
        else:
            self._gate.wait(seconds)

    def _won(self) -> None:
        self._gate.went_well()
        if self._losses:
            with self._lock:
                self._losses = 0

    def _lost(self, prompt: Prompt, got: _Setback, attempts: int) -> ReplyError | EndpointError:
        times = "once" if attempts == 1 else f"{attempts} times"
        if not got.harmless:
            with self._lock:
                self._losses += 1
                losses = self._losses
            if losses >= MOST_LOSSES:
                return self._dead(
                    f"{losses} requests in a row got no usable reply; the last, asked {times}: {got.text}"
                )
        about = f"{prompt.label}: " if prompt.label else ""
        return ReplyError(
            f"{about}no usable reply from {self._client.address}, asked {times}: {got.text}", prompt.label
        )

    def _dead(self, text: str) -> EndpointError:
        """Nobody asks in vain after this: whoever waits gets the same error."""
        message = f"{self._client.address}: {text}"
        self._gate.stop(message)
        return EndpointError(message)


def _address(base_url: str | None) -> str | None:
    try:
        parts = urlsplit(base_url or "http://default")
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right:
        raise EndpointError("[llm] base_url is no address of a server; give it as http://HOST:PORT/v1")
    return base_url


def _key(variable: str, base_url: str | None) -> str:
    key = os.environ.get(variable, "").strip()
    if not key and base_url is None:
        raise EndpointError(
            f"the environment variable {variable} holds no key; set it, or name a local server as [llm] base_url"
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointError(f"the environment variable {variable} holds characters that no key has")
    return key or _NO_KEY


def _target(answer: Answer) -> str:
    from kb.llm._http import shown_address

    target = answer.headers.get("location")
    return f": to {shown_address(target)}; set [llm] base_url to the right address" if target else ""
