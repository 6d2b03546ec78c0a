"""A prompt, a reply, and what can be asked: the words that client, journal, recordings and their users share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

__all__ = ["Chat", "Message", "Prompt", "Reply", "request_digest"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `role` is system, user or assistant."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything that decides a reply, whatever endpoint gives it.

    `schema` is the JSON schema that the reply is to meet; None for a reply in prose. `max_tokens` bounds the reply, in
    tokens; None for the endpoint's setting. `purpose` says what it is for (`read`, `plan`, `pick`, `prose`) and
    `label` what it is about (a page id, a question): for people, neither is part of the request.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    purpose: str = "read"
    label: str = ""

    def and_then(self, reply: str, objection: str) -> Prompt:
        """The same conversation gone on: the reply that was given, and what is wrong with it."""
        turns = (Message("assistant", reply), Message("user", objection))
        return Prompt((*self.messages, *turns), self.schema, self.max_tokens, self.purpose, self.label)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `text` is never empty.

    Token counts are those that the endpoint reported; where it reported none, `estimated` is true. `model` is the name
    that the endpoint gave itself. `finish` is `stop`, or `length` where the limit of tokens cut the reply. `paid`
    is false where a journal or a recording gave it.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: str = "stop"
    model: str = ""
    estimated: bool = False
    paid: bool = field(default=True, compare=False)


class Chat(Protocol):
    """Gives replies. Safe to use from several threads."""

    def ask(self, prompt: Prompt) -> Reply:
        """The reply to a prompt; blocks until it is there.

        Raises ReplyError where this prompt gets none, EndpointError where no prompt would, BudgetError where asking
        would cost more than is allowed, ReplayError where a recording lacks it.
        """
        ...

    def forget(self, prompt: Prompt) -> None:
        """Takes the reply to a prompt for unreadable: it is not to be given again."""
        ...


def request_digest(prompt: Prompt, model: str) -> str:
    """SHA-256 in hexadecimal of what decides a reply: model, messages, schema and limit. No key, no address."""
    said = {
        "model": model,
        "messages": [[one.role, one.content] for one in prompt.messages],
        "schema": prompt.schema,
        "max_tokens": prompt.max_tokens,
    }
    data = json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()
