"""When to look at what was read, so that reading is not held up by it."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Pace"]

SLACK = 3.0
"""How much longer reading a page has to take than looking at it, for the latter not to be in its way."""


class Pace:
    """How fast pages arrive from a reader, beside how long it takes to look at one."""

    def __init__(self) -> None:
        self._first = self._looked = 0.0
        self._arrivals = self._looks = 0

    def arrived(self) -> None:
        """A page was read."""
        self._first = self._first or time.perf_counter()
        self._arrivals += 1

    def measure(self, look: Callable[[], None]) -> None:
        """Looks at a page that was read."""
        begun = time.perf_counter()
        look()
        self._looked += time.perf_counter() - begun
        self._looks += 1

    def leaves_time(self) -> bool:
        """Whether pages come so slowly that looking at one holds up none."""
        if not self._looks:
            return True
        between = (time.perf_counter() - self._first) / self._arrivals
        return between > SLACK * self._looked / self._looks
