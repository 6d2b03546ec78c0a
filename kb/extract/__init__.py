"""From a page to statements: what a reader is, and the readers there are."""

from __future__ import annotations

from typing import Protocol

from kb.model import Page, Statement

__all__ = ["Reader"]


class Reader(Protocol):
    """Reads statements off one page at a time.

    `identity` names the reader and the version of its rules; a change of it makes builds read every page again.
    """

    @property
    def identity(self) -> str:
        """Name and version, such as `phrases/1`."""
        ...

    def read(self, page: Page) -> list[Statement]:
        """Read what the page states, in the order of the page. The same page gives the same statements."""
        ...
