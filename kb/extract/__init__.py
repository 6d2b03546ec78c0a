"""From a page to statements: what a reader is, and what it gives for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from kb.errors import KbError
from kb.model import Page, Statement

__all__ = ["PageReading", "Reader"]


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a reader makes of one page.

    `error` says why the page could not be read, or not to its end; what `statements` there are hold all the same. Such
    a page is read again by the next build. `counts` are what the reader wants counted, such as items it dropped.
    """

    page: Page
    statements: tuple[Statement, ...] = ()
    error: KbError | None = None
    counts: dict[str, int] = field(default_factory=dict)


class Reader(Protocol):
    """Reads statements off pages.

    `identity` names the reader and the version of its rules; a change of it makes builds read every page again.
    """

    @property
    def identity(self) -> str:
        """Name and version, such as `phrases/1`."""
        ...

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        """Reads pages, and gives each as soon as it is read, in any order.

        `pages` is drawn from as the reader goes on, so that not all pages are in memory at once. The same page gives
        the same statements, in the order of the page. A page that cannot be read comes back with its error; errors
        that would meet every page (the endpoint is down, the budget is spent) are raised.
        """
        ...
