"""How many requests fly at once, how soon the next may follow, and who waits meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from kb.llm.usage import Usage

__all__ = ["Gate", "StoppedError"]


class StoppedError(Exception):
    """Nothing more is sent; the text says why."""


class Gate:
    """What all requests of an endpoint pass. Thread-safe; `stop` wakes everybody who waits here.

    `per_minute` spaces requests evenly: a burst that then has to wait would run into an endpoint's shorter windows.
    `sleep` and `clock` are for tests; None and the default sleep so that `stop` wakes the sleeper.
    """

    def __init__(
        self,
        workers: int,
        per_minute: int | None,
        usage: Usage,
        sleep: Callable[[float], object] | None,
        clock: Callable[[], float],
    ) -> None:
        self._workers = self._allowed = workers
        self._space = 60 / per_minute if per_minute else 0.0
        self._usage, self._sleep, self._clock = usage, sleep, clock
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._reason = ""
        self._flying = 0
        self._next = self._paused_until = self._counted_until = float("-inf")
        self._probing = self._open = False

    def stop(self, reason: str) -> None:
        """Whoever waits or comes is turned away; the first reason stays."""
        with self._changed:
            self._reason = self._reason or reason
            self._stopped.set()
            self._changed.notify_all()

    def check(self) -> None:
        """Raises StoppedError after `stop`."""
        if self._stopped.is_set():
            raise StoppedError(self._reason)

    def wait(self, seconds: float) -> None:
        """Holds this thread back. Raises StoppedError at once when stopped."""
        self.check()
        if seconds <= 0:
            return
        start = self._clock()
        if self._sleep is None:
            self._stopped.wait(seconds)
        else:
            self._sleep(seconds)
        self.check()
        end = start + seconds
        with self._changed:
            new = end - max(start, self._counted_until)
            self._counted_until = max(self._counted_until, end)
        if new > 0:
            self._usage.add_wait(new)

    def pause(self, seconds: float) -> None:
        """Holds everybody back, and lets fewer fly afterwards: all at once would meet the same limit again."""
        with self._changed:
            now = self._clock()
            if now >= self._paused_until:
                self._allowed = max(1, self._allowed // 2)
            self._paused_until = max(self._paused_until, now + seconds)

    def went_well(self) -> None:
        """One more may fly, up to the number of workers."""
        if self._allowed < self._workers:
            with self._changed:
                self._allowed = min(self._workers, self._allowed + 1)
                self._changed.notify_all()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """The right to send one request; waits for it. Raises StoppedError."""
        with self._changed:
            while not self._stopped.is_set() and self._flying >= self._allowed:
                self._changed.wait()
            self.check()
            self._flying += 1
        try:
            self._await_turn()
            yield
        finally:
            with self._changed:
                self._flying -= 1
                self._changed.notify()

    def _await_turn(self) -> None:
        passed = float("-inf")
        while True:
            with self._changed:
                now, until = self._clock(), self._paused_until
                if until <= max(now, passed):
                    turn = max(now, self._next)
                    self._next = turn + self._space
            if until > max(now, passed):
                self.wait(until - now)
                passed = until
                continue
            self.wait(turn - now if self._space else 0)
            if self._paused_until <= max(self._clock(), passed):
                return

    def begin_probe(self, known: Callable[[], bool]) -> bool:
        """True for the one thread that is to find something out; the others wait until it is known."""
        if known():
            return False
        with self._changed:
            while self._probing and not self._open and not self._stopped.is_set() and not known():
                self._changed.wait()
            self.check()
            if self._open or known():
                return False
            self._probing = True
            return True

    def end_probe(self, outcome: Literal["answered", "silent"]) -> None:
        """The probe is over. After silence, nobody waits for another: it would take a whole time-out each."""
        with self._changed:
            self._probing = False
            self._open = self._open or outcome == "silent"
            self._changed.notify_all()
