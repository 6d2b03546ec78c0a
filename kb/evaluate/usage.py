"""What reading and asking took of a language model."""

from __future__ import annotations

import json
import threading
from typing import Any

from kb.generations import Generation
from kb.llm import Chat, Prompt, Reply
from kb.llm.settings import Settings

__all__ = ["Meter", "reading_usage"]


class Meter:
    """A chat that counts the replies of another.

    Replies from a journal or a recording count like paid ones: the numbers say what the questions take, and are the
    same whenever they are asked.
    """

    def __init__(self, inner: Chat, settings: Settings) -> None:
        self.inner, self.settings = inner, settings
        self._lock = threading.Lock()
        self._taken = {"requests": 0, "prompt_tokens": 0, "completion_tokens": 0, "from_journal": 0}
        self._estimated = False

    def ask(self, prompt: Prompt) -> Reply:
        """The reply of the other chat, counted."""
        reply = self.inner.ask(prompt)
        with self._lock:
            self._taken["requests"] += 1
            self._taken["prompt_tokens"] += reply.prompt_tokens
            self._taken["completion_tokens"] += reply.completion_tokens
            self._taken["from_journal"] += not reply.paid
            self._estimated = self._estimated or reply.estimated
        return reply

    def forget(self, prompt: Prompt) -> None:
        """Handed on."""
        self.inner.forget(prompt)

    def take(self) -> dict[str, Any] | None:
        """What was counted since the last time; None where nothing was asked."""
        with self._lock:
            taken, estimated = self._taken, self._estimated
            self._taken, self._estimated = dict.fromkeys(taken, 0), False
        if not taken["requests"]:
            return None
        cost = self.settings.cost(taken["prompt_tokens"], taken["completion_tokens"])
        return {"model": self.settings.model, **taken, "estimated": estimated, "cost": cost}


def reading_usage(generation: Generation) -> dict[str, Any] | None:
    """What a model took to read all pages of a generation as they are; None where no model read.

    Pages that an earlier build read count with what they took then. `requests` and `cost` are None where the build did
    not say.
    """
    from kb.pipeline import REPORT_NAME

    said = json.loads(generation.read(REPORT_NAME)).get("llm")
    if said is None:
        return None
    total = said.get("total", said)
    return {
        "model": said.get("model"),
        "requests": total.get("requests"),
        "prompt_tokens": total.get("prompt_tokens", 0),
        "completion_tokens": total.get("completion_tokens", 0),
        "estimated": bool(said.get("estimated", False)),
        "cost": total.get("cost"),
    }
