"""What asking has used up: requests, tokens, waiting, money."""

from __future__ import annotations

import threading
from typing import Any

from kb.llm.chat import Reply
from kb.llm.settings import Settings

__all__ = ["Usage"]


class Usage:
    """Counters that many threads add to.

    `requests` counts what went over the wire, with retries; `retries` only those. `prompt_tokens` and
    `completion_tokens` are paid ones, also those of replies that could not be used; `estimated` is true where the
    endpoint gave no numbers for some of them. `from_journal` counts replies that cost nothing. `waited` is in seconds:
    how long requests were held back by back-off, Retry-After or the limit per minute; threads that waited at the
    same time count once. `modes` are the response formats that were used. `warnings` are sentences, each once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requests = 0
        self.retries = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.estimated = False
        self.from_journal = 0
        self.waited = 0.0
        self.modes: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()

    def add_request(self, *, retry: bool = False) -> None:
        """A request goes over the wire."""
        with self._lock:
            self.requests += 1
            self.retries += retry

    def add_tokens(self, prompt_tokens: int, completion_tokens: int, *, estimated: bool = False) -> None:
        """Tokens that are paid for."""
        with self._lock:
            self.prompt_tokens += prompt_tokens
            self.completion_tokens += completion_tokens
            self.estimated = self.estimated or estimated

    def add_reply(self, reply: Reply) -> None:
        """A reply that was paid for, or one that a journal or a recording gave."""
        if reply.paid:
            self.add_tokens(reply.prompt_tokens, reply.completion_tokens, estimated=reply.estimated)
        else:
            with self._lock:
                self.from_journal += 1

    def add_wait(self, seconds: float) -> None:
        """Seconds in which requests were held back."""
        with self._lock:
            self.waited += seconds

    def add_mode(self, mode: str) -> None:
        """A response format was used: `json_schema`, `json_object` or `text`."""
        if mode not in self.modes:
            with self._lock:
                self.modes = tuple(dict.fromkeys((*self.modes, mode)))

    def warn(self, text: str) -> None:
        """Something that the user is to know, said once."""
        with self._lock:
            self.warnings = tuple(dict.fromkeys((*self.warnings, text)))

    def cost(self, settings: Settings) -> float | None:
        """What the paid tokens cost; None where kb.toml gives no prices."""
        with self._lock:
            return settings.cost(self.prompt_tokens, self.completion_tokens)

    def to_json(self) -> dict[str, Any]:
        """For build reports and evaluations: keys as the attributes."""
        with self._lock:
            return {
                "requests": self.requests,
                "retries": self.retries,
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "estimated": self.estimated,
                "from_journal": self.from_journal,
                "waited": round(self.waited, 3),
                "modes": list(self.modes),
                "warnings": list(self.warnings),
            }
