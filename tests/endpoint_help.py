"""Endpoints for tests: no real waiting, a key that must not show, and what a request got."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fake_endpoint import FakeEndpoint

from kb.errors import EndpointError, ReplyError
from kb.llm import Message, Prompt
from kb.llm.endpoint import Endpoint
from kb.llm.settings import Settings

KEY = "sk-very-secret-0123456789abcdef"
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
PLAIN = Prompt((Message("system", "Be brief."), Message("user", "Who owns Checkout?")), label="checkout.md")
SHAPED = Prompt(PLAIN.messages, SCHEMA, label="checkout.md")


class Waits:
    """In the place of `sleep` and `clock`: time passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds

    def clock(self) -> float:
        return self.now


def endpoint(fake: FakeEndpoint, waits: Waits | None = None, **changes: Any) -> Endpoint:
    waits = waits or Waits()
    more = {name: changes.pop(name) for name in ("modes", "usage") if name in changes}
    settings = Settings(**{"model": "small", "base_url": fake.base_url, "timeout": 5.0, "retries": 2, **changes})
    return Endpoint(settings, sleep=waits.sleep, clock=waits.clock, chance=lambda: 0.0, **more)


def said(fake: FakeEndpoint, act: Callable[[], object]) -> str:
    """The message of the error that this ends with, the fake's address left out."""
    with pytest.raises((EndpointError, ReplyError)) as found:
        act()
    assert KEY not in f"{found.value!r} {found.value.__cause__!r}"
    return f"{found.type.__name__}: {found.value}".replace(fake.base_url, "ADDRESS")
