"""Ways to answer a question: from the graph, from pages, or from the pages where the graph has nothing.

- `graph`: a plan is made and run. Exact, with witnesses; refuses what no plan can say.
- `vector`: sections of pages like the question, and what they name.
- `hybrid`: the graph's answer when it has one that is not empty, else vector's.
- `routed`: as hybrid, but a valid plan with an empty answer is an answer. A refused question goes to vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kb.ask.answer import Answer
from kb.errors import ConfigError, RefusedQuestionError

__all__ = ["METHODS", "PLANNERS", "answer", "chosen"]

METHODS = ("graph", "vector", "hybrid", "routed")
PLANNERS = ("search", "llm")


def chosen(what: str, value: str, known: tuple[str, ...]) -> str:
    """The value itself. Raises ConfigError where it is none of those known."""
    if value not in known:
        raise ConfigError(f"there is no {what} {value!r}; known: {', '.join(known)}")
    return value


def answer(method: str, graph: Callable[[], Answer], vector: Callable[[], Answer]) -> Answer:
    """The answer by a method; `graph` and `vector` give theirs, and are called only where the method needs them.

    Raises RefusedQuestionError where the method is `graph` and no plan fits, ConfigError for an unknown method, and
    what else the two raise: a model that gives no usable reply is no reason to go to the other.
    """
    chosen("method", method, METHODS)
    if method == "graph":
        return graph()
    if method == "vector":
        return vector()
    try:
        found = replace(graph(), asked=method)
    except RefusedQuestionError as err:
        return _instead(vector(), method, f"no plan: {err}")
    if found.answers or method == "routed":
        return found
    return _instead(vector(), method, "nothing in the graph fits")


def _instead(found: Answer, method: str, reason: str) -> Answer:
    return replace(found, asked=method, note="; ".join(one for one in (reason, found.note) if one))
