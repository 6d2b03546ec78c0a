"""The reader that asks a language model about pages: several at a time, in parts where they are long."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace

from kb.errors import ReplyError
from kb.extract import PageReading
from kb.extract.llm._progress import Halt, OpenPage, Part, PartError
from kb.extract.llm.pieces import Piece, halves, pieces
from kb.extract.llm.prompt import PagePrompts
from kb.extract.llm.replies import ReadReply, ReplyParser
from kb.llm import Chat, Prompt, Reply
from kb.llm.settings import DEFAULT_PAGE_TOKENS, Settings
from kb.model import Page
from kb.sources.pages import page_title
from kb.vocabulary import Vocabulary

__all__ = ["LlmReader", "prompts_of"]

VERSION = "llm/1"
_LETTER = re.compile(r"[^\W\d_]")
_UNREADABLE = (
    "Your reply is not the JSON that was asked for. Reply again with the JSON object only, complete, without anything "
    "before or after it."
)
_AHEAD = 2  # requests prepared for each worker
_MOST_REPEATED = 4_000  # characters of an unreadable reply that are sent back
_DEEPEST = 3  # times that a part is halved when its reply is cut off


def prompts_of(vocabulary: Vocabulary, page: Page, tokens: int | None = None) -> list[Prompt]:
    """What is asked about a page, a prompt for each part of at most `tokens` tokens; none for one without a letter."""
    prompts = PagePrompts(vocabulary)
    return [prompts.of(piece) for piece in _pieces(page, tokens or DEFAULT_PAGE_TOKENS)]


def _pieces(page: Page, tokens: int) -> list[Piece]:
    return pieces(page, page_title(page), tokens) if _LETTER.search(page.text) else []


class LlmReader:
    """Reads pages through a chat. Safe to use once at a time; what it asks, it asks from several threads."""

    def __init__(self, vocabulary: Vocabulary, chat: Chat, settings: Settings) -> None:
        self.vocabulary, self.chat, self.settings = vocabulary, chat, settings
        self._prompts = PagePrompts(vocabulary)
        self._parser = ReplyParser(vocabulary)
        self._halt = Halt()

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
        return _pieces(page, self.settings.page_tokens)

    # -- pages -----------------------------------------------------------------

    def read_all(self, pages: Iterable[Page]) -> Iterator[PageReading]:
        """Reads pages as replies come; see `Reader`.

        When it is closed or interrupted, or an error would meet every page, requests in flight are waited for and no
        more are sent.
        """
        jobs = self._jobs(pages)
        ahead = self.settings.workers * _AHEAD
        waiting: dict[Future[Part], OpenPage] = {}
        halt = self._halt = Halt()
        pool = ThreadPoolExecutor(self.settings.workers, thread_name_prefix="kb-read")

        def fill() -> None:
            while len(waiting) < ahead and (job := next(jobs, None)) is not None:
                waiting[pool.submit(self._read, *job, halt)] = job[0]

        try:
            fill()
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    opened = waiting.pop(future)
                    halt.check()
                    future.result()
                    fill()
                    opened.left -= 1
                    if not opened.left:
                        yield opened.reading()
        finally:
            # Also on Ctrl-C: what is on its way is paid for, and the chat keeps it.
            halt.begin()
            stop = getattr(self.chat, "stop", None)
            if waiting and stop is not None:
                stop()
            pool.shutdown(wait=True, cancel_futures=True)

    def _jobs(self, pages: Iterable[Page]) -> Iterator[tuple[OpenPage, Part]]:
        """The parts of each page, which may be read at the same time."""
        for page in pages:
            opened = OpenPage(page, [Part(piece) for piece in self._pieces(page)] or [Part(None)])
            for part in opened.parts:
                yield opened, part

    def _read(self, opened: OpenPage, part: Part, halt: Halt) -> Part:
        try:
            if part.piece is None:
                return part
            for reply in self._ask(part.piece, part.counts, 0):
                part.add(reply)
        except PartError as err:
            part.statements.update(dict.fromkeys(err.statements))
            part.error = str(err)
        except ReplyError as err:
            # Whoever reads the page's fault knows which page it is about.
            part.error = str(err).removeprefix(f"{opened.page.id}: ")
        except BaseException as err:
            halt.begin(err)
            raise
        return part

    def _ask(self, piece: Piece, counts: Counter[str], depth: int) -> Iterator[ReadReply]:
        """The replies about a piece: one, or those about its halves where one would be too long.

        A reply that was of no use is kept where the next one was: to read the piece again then costs nothing. Where
        none was, all are forgotten, and the next reading asks anew.
        """
        prompts = [self._prompts.of(piece)]
        reply, read = self._asked(prompts[0], piece, counts)
        if reply.finish != "length" and not read.readable:
            counts["repair_rounds"] += 1
            prompts.append(prompts[0].and_then(reply.text[:_MOST_REPEATED], _UNREADABLE))
            reply, read = self._asked(prompts[1], piece, counts)
        if reply.finish == "length" or (read.readable and not read.complete):
            # A model that says the same again and again does so about half the text, too.
            parts = halves(piece) if depth < (1 if read.looping else _DEEPEST) else None
            if parts is not None:
                counts["repair_rounds"] += 1
                failed: list[ReplyError] = []
                for part in parts:
                    try:
                        yield from self._ask(part, counts, depth + 1)
                    except ReplyError as err:
                        failed.append(err)
                if failed:
                    self._forget(prompts)
                    raise PartError(
                        "; ".join(dict.fromkeys(map(str, failed))),
                        tuple(said for err in failed if isinstance(err, PartError) for said in err.statements),
                    )
                return
            self._forget(prompts)
            why = "repeats itself and is" if read.looping else "is"
            raise PartError(
                f"the reply about {piece.label!r} {why} cut off after {len(read.statements)} statements; raise [llm] "
                "max_tokens or lower page_tokens",
                read.statements,
            )
        self._halt.was_readable(read.readable, self.model)
        if not read.readable:
            self._forget(prompts)
            raise ReplyError(f"the reply about {piece.label!r} holds no JSON list of statements, twice", piece.page)
        yield read

    def _forget(self, prompts: Iterable[Prompt]) -> None:
        for prompt in prompts:
            self.chat.forget(prompt)

    def _asked(self, prompt: Prompt, piece: Piece, counts: Counter[str]) -> tuple[Reply, ReadReply]:
        self._halt.check()
        reply = self.chat.ask(prompt)
        counts["requests"] += 1
        counts["prompt_tokens"] += reply.prompt_tokens
        counts["completion_tokens"] += reply.completion_tokens
        read = self._parser.read(reply.text, piece.page)
        # A list that is whole is whole, whatever else the limit cut off behind it.
        if reply.finish == "length" and read.readable and read.complete:
            reply = replace(reply, finish="stop")
        return reply, read
