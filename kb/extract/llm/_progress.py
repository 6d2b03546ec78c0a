"""Pages that are being read in parts by several threads, and the end of that."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field

from kb.errors import EndpointError, LlmError, ReplyError
from kb.extract import PageReading
from kb.extract.llm.pieces import Piece
from kb.extract.llm.replies import ReadReply
from kb.model import Page, Statement

__all__ = ["Halt", "OpenPage", "Part", "PartError"]

_MOST_UNREADABLE = 5


class PartError(ReplyError):
    """A reply that could only be read in part."""

    def __init__(self, message: str, statements: tuple[Statement, ...]) -> None:
        self.statements = statements
        super().__init__(message)


class _HaltedError(LlmError):
    """Reading ends, for a reason of its own."""


class Halt:
    """Says to all threads that no more is to be asked, and why: the first error that was no page's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = False
        self._cause: BaseException | None = None
        self._readable = False
        self._unreadable = 0

    def begin(self, cause: BaseException | None = None) -> None:
        with self._lock:
            if not self._begun:
                self._begun, self._cause = True, cause

    def was_readable(self, readable: bool, model: str) -> None:
        """Counts pages whose replies could be read. Raises EndpointError where the first ones all could not be."""
        with self._lock:
            self._readable = self._readable or readable
            self._unreadable += not readable
            if not self._readable and self._unreadable >= _MOST_UNREADABLE:
                raise EndpointError(
                    f"the replies about the first {self._unreadable} pages hold no JSON list of statements: {model!r} "
                    "does not do what it is asked; try another model, or another [llm] response_format"
                )

    def check(self) -> None:
        """Raises what there is to raise."""
        with self._lock:
            if self._begun:
                raise self._cause or _HaltedError("reading was stopped")


@dataclass
class Part:
    """What is known of one piece; None for a page that is not asked about."""

    piece: Piece | None
    statements: dict[Statement, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    error: str = ""

    def add(self, reply: ReadReply) -> None:
        self.statements.update(dict.fromkeys(reply.statements))
        self.counts["dropped"] += reply.dropped.total()
        self.counts.update({f"dropped: {why}": number for why, number in reply.dropped.items()})


@dataclass
class OpenPage:
    """A page of which `left` parts are still to be read."""

    page: Page
    parts: list[Part]

    def __post_init__(self) -> None:
        self.left = len(self.parts)

    def reading(self) -> PageReading:
        statements = dict.fromkeys(said for part in self.parts for said in part.statements)
        counts = sum((part.counts for part in self.parts), Counter[str]())
        said = "; ".join(part.error for part in self.parts if part.error)
        error = ReplyError(said, self.page.id) if said else None
        return PageReading(self.page, tuple(statements), error, dict(sorted(counts.items())))
