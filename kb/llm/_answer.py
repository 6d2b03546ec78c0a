"""What comes back over HTTP from a model, whatever it makes: an answer, none, or one that ends all asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["LOCAL_HOSTS", "SHORTEST_KEY", "UNPAID", "Answer", "BrokenError", "refusal"]

SHORTEST_KEY = 8
"""Characters: what is shorter is no secret, and would be found in words."""
LOCAL_HOSTS = {"localhost": "localhost", "127.0.0.1": "127.0.0.1", "::1": "[::1]"}
"""Hosts that a proxy of the environment cannot reach, as addresses have them."""
UNPAID = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")


@dataclass(frozen=True, slots=True)
class Answer:
    """Whatever the endpoint said. The names of `headers` are lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class BrokenError(Exception):
    """No answer came, or only part of one. The text is safe to show."""

    def __init__(self, kind: Literal["unreachable", "timeout", "cut", "large", "address"], text: str) -> None:
        self.kind = kind
        super().__init__(text)


def refusal(status: int, code: str, said: str, key_env: str) -> str | None:
    """Why no request of this account, to this address, will ever be served; None for another error.

    `said` are the status and the endpoint's own words, safe to show.
    """
    if 300 <= status < 400:
        return f"it redirects (status {status}), which is not followed"
    if status == 401:
        return f"it refuses the key ({said}); check the environment variable {key_env}"
    if status == 403:
        return f"it allows no access ({said}); check the key in {key_env} and what it may use"
    if status == 402 or code in UNPAID:
        return f"the account has no credit left ({said})"
    return None
