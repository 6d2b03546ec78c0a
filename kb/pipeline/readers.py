"""The reader that `kb.toml` asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from kb.config import Config
from kb.extract import PageReading, Reader
from kb.model import Page
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.extract.mentions import Mentions

__all__ = ["LazyReader"]


class LazyReader:
    """The configured reader, made when the first page needs it: a build without changes pays nothing for it."""

    def __init__(self, config: Config, vocabulary: Vocabulary, catalogue: Catalogue) -> None:
        self.config, self.vocabulary, self.catalogue = config, vocabulary, catalogue

    @property
    def identity(self) -> str:
        from kb.extract.phrases import PhraseReader

        return PhraseReader.identity

    @cached_property
    def _reader(self) -> Reader:
        from kb.extract.phrases import PhraseReader

        return PhraseReader(self.vocabulary, self.catalogue, self.mentions)

    @cached_property
    def mentions(self) -> Mentions:
        """The index of the catalogue's names, which reading and looking for what was not read share."""
        from kb.extract.mentions import Mentions

        return Mentions(self.catalogue, self.vocabulary)

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        return self._reader.read_all(pages)
