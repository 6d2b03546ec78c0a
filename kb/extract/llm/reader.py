"""The reader that asks a language model about pages: several at a time, in parts where they are long."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace

from kb.errors import KbError, ReplyError
from kb.extract import PageReading
from kb.extract.llm.pieces import Piece, halves, pieces
from kb.extract.llm.prompt import PagePrompts
from kb.extract.llm.replies import ReadReply, ReplyParser
from kb.llm import Chat, Prompt, Reply
from kb.llm.settings import DEFAULT_PAGE_TOKENS, Settings
from kb.model import Page, Statement
from kb.sources.pages import page_title
from kb.vocabulary import Vocabulary

__all__ = ["LlmReader", "prompts_of"]

VERSION = "llm/1"
_LETTER = re.compile(r"[^\W\d_]")
_UNREADABLE = (
    "Your reply is not the JSON that was asked for. Reply again with the JSON object only, complete, without anything "
    "before or after it."
)
_AHEAD = 2  # pages in memory for each worker
_DEEPEST = 3  # times that a part is halved when its reply is cut off


def prompts_of(vocabulary: Vocabulary, page: Page, tokens: int | None = None) -> list[Prompt]:
    """What is asked about a page, a prompt for each part of at most `tokens` tokens; none for one without a letter."""
    if not _LETTER.search(page.text):
        return []
    prompts = PagePrompts(vocabulary)
    return [prompts.of(piece) for piece in pieces(page, page_title(page), tokens or DEFAULT_PAGE_TOKENS)]


class LlmReader:
    """Reads pages through a chat. Safe to use once at a time; what it asks, it asks from several threads."""

    def __init__(self, vocabulary: Vocabulary, chat: Chat, settings: Settings) -> None:
        self.vocabulary, self.chat, self.settings = vocabulary, chat, settings
        self._prompts = PagePrompts(vocabulary)
        self._parser = ReplyParser(vocabulary)

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.settings.model

    @property
    def prompt_digest(self) -> str:
        """SHA-256 of what is asked of every page."""
        return self._prompts.digest

    @property
    def identity(self) -> str:
        """Version of the rules, model and prompt: what decides the reply to a page."""
        return f"{VERSION}:{self.model}:{self.prompt_digest[:12]}"

    def prompts(self, page: Page) -> list[Prompt]:
        """What is asked about a page, a prompt for each part; none for a page without a letter."""
        return [self._prompts.of(piece) for piece in self._pieces(page)]

    def _pieces(self, page: Page) -> list[Piece]:
        if not _LETTER.search(page.text):
            return []
        return pieces(page, page_title(page), self.settings.page_tokens)

    # -- pages -----------------------------------------------------------------

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        """Reads pages as replies come; see `Reader`.

        When it is closed or interrupted, requests in flight are waited for and no more are sent.
        """
        source = iter(pages)
        workers = self.settings.workers
        waiting: dict[Future[PageReading], None] = {}
        pool = ThreadPoolExecutor(workers, thread_name_prefix="kb-read")
        try:
            while True:
                while len(waiting) < workers * _AHEAD and (page := next(source, None)) is not None:
                    waiting[pool.submit(self._read, page)] = None
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    del waiting[future]
                    while len(waiting) < workers * _AHEAD and (page := next(source, None)) is not None:
                        waiting[pool.submit(self._read, page)] = None
                    yield future.result()
        finally:
            # Also on Ctrl-C: what is on its way is paid for, and the chat keeps it.
            stop = getattr(self.chat, "stop", None)
            if waiting and stop is not None:
                stop()
            pool.shutdown(wait=True, cancel_futures=True)

    def _read(self, page: Page) -> PageReading:
        statements: dict[Statement, None] = {}
        counts: Counter[str] = Counter()
        errors: list[str] = []
        for piece in self._pieces(page):
            try:
                for reply in self._ask(piece, counts, 0):
                    statements.update(dict.fromkeys(reply.statements))
                    counts["dropped"] += reply.dropped.total()
                    counts.update({f"dropped: {why}": number for why, number in reply.dropped.items()})
            except _PartError as err:
                statements.update(dict.fromkeys(err.statements))
                errors.append(str(err))
            except ReplyError as err:
                # Whoever reads the page's fault knows which page it is about.
                errors.append(str(err).removeprefix(f"{page.id}: "))
        error: KbError | None = ReplyError("; ".join(errors), page.id) if errors else None
        return PageReading(page, tuple(statements), error, {name: n for name, n in sorted(counts.items()) if n})

    def _ask(self, piece: Piece, counts: Counter[str], depth: int) -> Iterator[ReadReply]:
        """The replies about a piece: one, or those about its halves where one would be too long.

        A reply that was of no use is kept where the next one was: to read the piece again then costs nothing. Where
        none was, all are forgotten, and the next reading asks anew.
        """
        prompts = [self._prompts.of(piece)]
        reply, read = self._asked(prompts[0], piece, counts)
        if reply.finish != "length" and not read.readable:
            counts["repair_rounds"] += 1
            prompts.append(prompts[0].and_then(reply.text, _UNREADABLE))
            reply, read = self._asked(prompts[1], piece, counts)
        if reply.finish == "length" or (read.readable and not read.complete):
            parts = halves(piece) if depth < _DEEPEST else None
            if parts is not None:
                counts["repair_rounds"] += 1
                try:
                    for part in parts:
                        yield from self._ask(part, counts, depth + 1)
                except ReplyError:
                    self._forget(prompts)
                    raise
                return
            self._forget(prompts)
            raise _PartError(
                f"the reply about {piece.label!r} is cut off after {len(read.statements)} statements; raise [llm] "
                "max_tokens or lower page_tokens",
                read.statements,
            )
        if not read.readable:
            self._forget(prompts)
            raise ReplyError(f"the reply about {piece.label!r} holds no JSON list of statements, twice", piece.page)
        yield read

    def _forget(self, prompts: Iterable[Prompt]) -> None:
        for prompt in prompts:
            self.chat.forget(prompt)

    def _asked(self, prompt: Prompt, piece: Piece, counts: Counter[str]) -> tuple[Reply, ReadReply]:
        reply = self.chat.ask(prompt)
        counts["requests"] += 1
        counts["prompt_tokens"] += reply.prompt_tokens
        counts["completion_tokens"] += reply.completion_tokens
        read = self._parser.read(reply.text, piece.page)
        # A list that is whole is whole, whatever else the limit cut off behind it.
        if reply.finish == "length" and read.readable and read.complete:
            reply = replace(reply, finish="stop")
        return reply, read


class _PartError(ReplyError):
    """A reply that could only be read in part."""

    def __init__(self, message: str, statements: tuple[Statement, ...]) -> None:
        self.statements = statements
        super().__init__(message)
