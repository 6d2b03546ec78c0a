"""The facts behind an answer as chains that lead away from it, so that a sentence can follow them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.ask.answer import Edge, Found

__all__ = ["Step", "chains"]


@dataclass(frozen=True, slots=True)
class Step:
    """A fact read from `near` to `far`; `backwards` where its object is `near`."""

    near: str
    far: str
    edge: Edge
    backwards: bool

    @property
    def reads(self) -> tuple[str, bool, str]:
        """What it says, apart from about whom."""
        return self.edge.relation, self.backwards, self.far


def chains(answer: Found) -> list[list[Step]]:
    """The witness from the answer back to where the plan starts, then the chains beside it.

    A fact that leads on from none of them is a chain of its own.
    """
    found = [*_followed(answer.id, reversed(answer.witness)), *_followed(answer.id, answer.because)]
    return [chain for chain in found if chain]


def _followed(start: str, edges: Iterable[Edge]) -> list[list[Step]]:
    """Chains from `start`, whatever the order of their facts."""
    found: list[list[Step]] = []
    left, at = list(edges), start
    while left:
        step = _next(at, left)
        if step is not None and found:
            found[-1].append(step)
        else:
            step = step or _next(start, left) or Step(left[0].subject, left[0].object, left[0], backwards=False)
            found.append([step])
        left.remove(step.edge)
        at = step.far
    return found


def _next(near: str, edges: Sequence[Edge]) -> Step | None:
    return next((step for step in (_step(near, edge) for edge in edges) if step is not None), None)


def _step(near: str, edge: Edge) -> Step | None:
    if edge.subject == near:
        return Step(near, edge.object, edge, backwards=False)
    return Step(near, edge.subject, edge, backwards=True) if edge.object == near else None
