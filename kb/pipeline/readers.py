"""The reader that is asked for, made when a page needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kb.config import READERS, Config
from kb.errors import BudgetError, ConfigError, EndpointError, ReplayError
from kb.extract import PageReading, Reader
from kb.graph.assemble import ReadingInfo
from kb.llm import Prompt, Reply
from kb.model import Page
from kb.records import SourceRecord
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.extract.llm.reader import LlmReader
    from kb.extract.mentions import Mentions
    from kb.llm.session import ChatSession

__all__ = ["COUNTS", "LazyReader", "ReaderOptions", "with_reader"]

COUNTS = "counts"
"""Where a record keeps what its reader counted."""
_SHOWN = 5


def with_reader(config: Config, reader: str | None) -> Config:
    """The settings with another reader; None leaves it. Raises ConfigError for one that there is not."""
    if reader is None:
        return config
    if reader not in READERS:
        raise ConfigError(f"reader {reader!r} is unknown; known: {', '.join(READERS)}")
    return replace(config, reader=reader)


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """How a build asks its language model: bounds what it spends, writes its replies to a file, takes them from one."""

    max_cost: float | None = None
    record: Path | None = None
    replay: Path | None = None

    @property
    def all_pages(self) -> bool:
        """Whether pages that did not change are to be read too: a recording is of a whole wiki."""
        return self.record is not None or self.replay is not None


class _NoChat:
    """For prompts that are only looked at."""

    def ask(self, prompt: Prompt) -> Reply:
        raise AssertionError(f"nothing is asked here: {prompt.label}")

    def forget(self, prompt: Prompt) -> None:
        raise AssertionError(f"nothing is asked here: {prompt.label}")


class LazyReader:
    """The configured reader, made when the first page needs it: a build without changes pays nothing for it.

    A context manager that closes what reading opened.
    """

    def __init__(
        self, config: Config, vocabulary: Vocabulary, catalogue: Catalogue, options: ReaderOptions = ReaderOptions()
    ) -> None:
        self.config, self.vocabulary, self.catalogue, self.options = config, vocabulary, catalogue, options
        self.chat: ChatSession | None = None
        self._asking: Generator[PageReading, None, None] | None = None

    @property
    def by_model(self) -> bool:
        """Whether a language model reads. It needs no catalogue for that, and may be wrong about direction."""
        return self.config.reader == "llm"

    @property
    def identity(self) -> str:
        """Name and version of the reader, its model and its prompt."""
        if self.by_model:
            return self.unasked.identity
        from kb.extract.phrases import PhraseReader

        return PhraseReader.identity

    @cached_property
    def unasked(self) -> LlmReader:
        """The language model's reader, for its prompts and its identity."""
        from kb.extract.llm.reader import LlmReader
        from kb.llm.settings import settings

        return LlmReader(self.vocabulary, _NoChat(), settings(self.config))

    def info(self) -> ReadingInfo:
        """What the records of a page say about how it was read."""
        digest = self.vocabulary.digest
        if self.by_model:
            return ReadingInfo(self.identity, self.unasked.model, self.unasked.prompt_digest, digest)
        return ReadingInfo(self.identity, ontology_digest=digest)

    @cached_property
    def mentions(self) -> Mentions:
        """The index of the catalogue's names, which reading and looking for what was not read share."""
        from kb.extract.mentions import Mentions

        return Mentions(self.catalogue, self.vocabulary)

    @cached_property
    def phrases(self) -> Reader:
        """The embedded reader: also what a dry run expects a model to find."""
        from kb.extract.phrases import PhraseReader

        return PhraseReader(self.vocabulary, self.catalogue, self.mentions)

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        """Reads pages; nothing is opened or made before the first one."""
        if not self.by_model:
            return self._read(pages)
        self._asking = self._asked(pages)
        return self._asking

    def _read(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        pages = iter(pages)
        for first in pages:
            yield from self.phrases.read_all(chain([first], pages))

    def _asked(self, pages: Iterable[Page]) -> Generator[PageReading, None, None]:
        pages = iter(pages)
        first = next(pages, None)
        if first is None:
            return
        from kb.extract.llm.reader import LlmReader
        from kb.llm.session import open_chat

        chosen = self.options
        self.chat = open_chat(
            self.config,
            record=chosen.record,
            replay=chosen.replay,
            max_cost=chosen.max_cost,
            journal=chosen.replay is None,
            journal_required=chosen.replay is None,
        )
        reader = LlmReader(self.vocabulary, self.chat, self.chat.settings)
        yield from reader.read_all(chain([first], pages))

    def spent(self) -> str:
        """What reading has cost so far, for a progress bar."""
        if self.chat is None:
            return ""
        usage, settings = self.chat.usage, self.chat.settings
        said = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens"
        cost = settings.cost(usage.prompt_tokens, usage.completion_tokens)
        return said if cost is None else f"{said}, {cost:.4f}"

    def warnings(self) -> list[str]:
        """What is to be known about the endpoint, and about replies of a recording that nothing asked for."""
        if self.chat is None:
            return []
        found = list(self.chat.usage.warnings)
        unused = [label for _, label in self.chat.unused()]
        if unused and self.options.replay is not None:
            shown = ", ".join(unused[:_SHOWN]) + (f" and {len(unused) - _SHOWN:,} more" if len(unused) > _SHOWN else "")
            found.append(f"{self.options.replay}: {len(unused):,} of its replies were not used: {shown}")
        return found

    def report(self, records: Iterable[SourceRecord]) -> dict[str, Any] | None:
        """What a language model was asked by this build, and in `total` what all pages took; None for other readers."""
        if not self.by_model:
            return None
        settings = self.unasked.settings
        total: Counter[str] = Counter()
        for record in records:
            total.update(record.extra.get(COUNTS, {}))
            total["repaired"] += sum(reading.repaired for reading in record.accepted())
        spent = {} if self.chat is None else self.chat.usage.to_json()
        for name in ("requests", "from_journal", "retries", "prompt_tokens", "completion_tokens"):
            spent.setdefault(name, 0)
        tokens = spent["prompt_tokens"], spent["completion_tokens"]
        all_tokens = total["prompt_tokens"], total["completion_tokens"]
        return {
            "model": settings.model,
            "replayed": self.options.replay is not None,
            **spent,
            "cost": settings.cost(*tokens),
            "total": {**dict(sorted(total.items())), "cost": settings.cost(*all_tokens)},
        }

    def _kept(self) -> str:
        """What a build that ends early says about the replies it has."""
        if self.chat is None or self.options.replay is not None:
            return ""
        if not self.chat.usage.completion_tokens:
            return "Nothing was published."
        return "Nothing was published, but every reply that came is kept: `kb build` goes on from there."

    def __enter__(self) -> LazyReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        if self._asking is not None:
            # Whatever ended the build, replies on their way are waited for and kept.
            self._asking.close()
        if self.chat is None:
            return
        # Half a recording would look like a whole one.
        self.chat.close(save=kind is None)
        if isinstance(err, KeyboardInterrupt):
            err.add_note(self._kept())
        elif isinstance(err, EndpointError | BudgetError | ReplayError) and (kept := self._kept()):
            raise type(err)(f"{err}\n{kept}") from err
