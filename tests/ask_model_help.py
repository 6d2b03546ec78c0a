"""A chat that says what it is told to, and knowledge to plan for."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from planner_worlds import knowledge

from kb.ask.model_planner import ModelPlanner
from kb.llm import Prompt, Reply

Said = str | dict[str, Any] | Exception | Callable[[Prompt], Any]


@dataclass
class Scripted:
    """Gives its replies in turn, the last one again and again; keeps what was asked and what was to be forgotten."""

    replies: list[Said]
    finish: str = "stop"
    asked: list[Prompt] = field(default_factory=list)
    forgotten: list[Prompt] = field(default_factory=list)

    def ask(self, prompt: Prompt) -> Reply:
        said = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(prompt)
        if isinstance(said, Exception):
            raise said
        if callable(said):
            said = said(prompt)
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text, 100, 10, self.finish, "scripted")

    def forget(self, prompt: Prompt) -> None:
        self.forgotten.append(prompt)

    @property
    def objection(self) -> str:
        """What was said against the first reply."""
        return self.asked[1].messages[-1].content


@cache
def _planner(folder: Path) -> ModelPlanner:
    return ModelPlanner(*knowledge(folder), Scripted([]))


def model_planner(folder: Path, *replies: Said) -> tuple[ModelPlanner, Scripted]:
    """A planner that asks a chat of these replies."""
    planner, chat = copy(_planner(folder)), Scripted(list(replies))
    planner.chat = chat
    return planner, chat


def plan(data: Any) -> dict[str, Any]:
    """A reply with a plan."""
    return {"plan": data, "refuse": None}


def refusal(why: str) -> dict[str, Any]:
    return {"plan": None, "refuse": why}
