"""The chat of one command: endpoint, budget, journal and recording, put together as kb.toml and options say."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kb.config import CONFIG_NAME, Config
from kb.errors import BudgetError, ConfigError, LlmError, ReplyError
from kb.llm.chat import Chat, Prompt, Reply
from kb.llm.journal import JOURNAL_NAME, Journal, Journaled
from kb.llm.recording import Recorder, Replay
from kb.llm.settings import Settings, settings
from kb.llm.tokens import count_prompt
from kb.llm.usage import Usage

if TYPE_CHECKING:
    from kb.llm.endpoint import Endpoint

__all__ = ["ChatSession", "open_chat", "reading_journal"]

FOLDER = "journal"
MODES_NAME = "endpoint.json"
# What a reply is taken to cost before any came.
_TYPICAL_REPLY = 400


def open_chat(
    config: Config,
    *,
    record: Path | None = None,
    replay: Path | None = None,
    max_cost: float | None = None,
    journal: bool = True,
    journal_required: bool = False,
) -> ChatSession:
    """A chat as the `[llm]` section describes it.

    No endpoint is looked for before the first request that neither journal nor recording answers. `record` and
    `replay` are recordings to write and to answer from. `max_cost` bounds what is spent, together with that of
    kb.toml. A journal that cannot be used is a warning of the usage unless it is `journal_required`.

    Raises ConfigError for settings that are wrong, LlmError for a journal, ReplayError for a damaged recording.
    """
    chosen = settings(config)
    limits = [one for one in (max_cost, chosen.max_cost) if one is not None]
    if limits and chosen.prices is None:
        raise ConfigError(
            f"{config.root / CONFIG_NAME}: a limit on cost needs [llm] prices = {{ input = …, output = … }},"
            " per million tokens"
        )
    if max_cost is not None and not max_cost >= 0:
        raise ConfigError(f"the limit on cost must be a number of at least 0, not {max_cost!r}")
    folder = config.store / FOLDER
    usage = Usage()
    # Before the journal is opened: what is wrong with these two must leave nothing open.
    replayed = None if replay is None else Replay(replay, chosen.model)
    if record is not None and not record.resolve().parent.is_dir():
        raise LlmError(f"{record}: cannot be written: there is no such folder")
    kept: Journal | None = None
    if replay is None and journal:
        try:
            kept = Journal(folder / JOURNAL_NAME)
        except LlmError as err:
            if journal_required:
                raise
            usage.warn(f"replies are not kept: {err}")
    return ChatSession(chosen, usage, folder / MODES_NAME, kept, record, replayed, min(limits, default=None))


@contextmanager
def reading_journal(config: Config) -> Iterator[Journal | None]:
    """The journal of a knowledge base, for looking; None where there is none yet."""
    path = config.store / FOLDER / JOURNAL_NAME
    if not path.is_file():
        yield None
        return
    with Journal(path, writable=False) as journal:
        yield journal


class ChatSession:
    """A `Chat`, and a context manager that closes what it opened. Made by `open_chat`; safe from several threads."""

    def __init__(
        self,
        chosen: Settings,
        usage: Usage,
        modes: Path,
        journal: Journal | None,
        record: Path | None,
        replay: Replay | None,
        max_cost: float | None,
    ) -> None:
        self.settings, self.usage, self.journal, self.budget = chosen, usage, journal, max_cost
        self._endpoint = _LazyEndpoint(chosen, usage, modes)
        chat: Chat = (
            self._endpoint
            if max_cost is None
            else _Budgeted(self._endpoint, chosen, usage, max_cost, kept=journal is not None)
        )
        self._replay = replay
        if journal is not None:
            chat = Journaled(chat, journal, chosen.model, usage)
        if replay is not None:
            chat = replay
        self._recorder = None if record is None else Recorder(chat, record, chosen.model)
        self._chat: Chat = self._recorder or chat
        self._broken_off = False

    def ask(self, prompt: Prompt) -> Reply:
        """The reply to a prompt; see `Chat`."""
        try:
            reply = self._chat.ask(prompt)
        except ReplyError:
            raise
        except LlmError:
            self._broken_off = True
            raise
        if self._replay is not None:
            self.usage.add_reply(reply)
        return reply

    def forget(self, prompt: Prompt) -> None:
        """Takes a reply for unreadable; see `Chat`."""
        self._chat.forget(prompt)

    def unused(self) -> list[tuple[str, str]]:
        """(purpose, what it is about) of recorded replies that nothing asked for."""
        return [] if self._replay is None else self._replay.unused()

    def stop(self) -> None:
        """Lets requests in flight finish, and sends no more."""
        self._endpoint.stop()

    def close(self, *, save: bool = True) -> None:
        """Closes journal and endpoint, and writes the recording. Closing twice is harmless.

        No recording is written where not to `save` it, nor after an error that ended the run: half a recording would
        look like a whole one, and take the place of the one before.
        """
        self._endpoint.close()
        if self.journal is not None:
            self.journal.close()
        recorder, self._recorder = self._recorder, None
        if recorder is not None and save and not self._broken_off:
            recorder.save()

    def __enter__(self) -> ChatSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close(save=kind is None)


class _LazyEndpoint:
    """The endpoint, made when something is to be asked of it."""

    def __init__(self, chosen: Settings, usage: Usage, modes: Path) -> None:
        self.settings, self.usage, self.modes = chosen, usage, modes
        self._lock = threading.Lock()
        self._made: Endpoint | None = None
        self._stopped = False

    def ask(self, prompt: Prompt) -> Reply:
        with self._lock:
            if self._made is None:
                from kb.llm.endpoint import Endpoint

                self._made = Endpoint(self.settings, modes=self.modes, usage=self.usage)
                if self._stopped:
                    self._made.stop()
            endpoint = self._made
        return endpoint.ask(prompt)

    def forget(self, prompt: Prompt) -> None:
        """Nothing is kept here."""

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._made is not None:
                self._made.stop()

    def close(self) -> None:
        with self._lock:
            self._stopped = True
            if self._made is not None:
                self._made.close()


class _Budgeted:
    """Lets a request through while what was spent, and what those in flight may cost, stays within a limit.

    What a reply will cost is not known before it is there, so the limit may be passed: at most by what the requests in
    flight (`workers` of them) cost more than was reserved for them, which `max_tokens` and `retries` bound. After the
    first refusal nothing is sent, by any thread.
    """

    def __init__(self, inner: Chat, chosen: Settings, usage: Usage, limit: float, *, kept: bool) -> None:
        self.inner, self.settings, self.usage, self.limit, self.kept = inner, chosen, usage, limit, kept
        self._lock = threading.Condition()
        self._reserved = 0.0
        self._replies = self._tokens = 0
        self._flying = 0
        self._spent_out = False

    def ask(self, prompt: Prompt) -> Reply:
        with self._lock:
            expected, spent = self._expected(prompt), self._spent()
            # What is reserved may turn out to be more than is spent: it is waited for before anything is refused.
            while self._reserved > 0 and not self._spent_out and spent + self._reserved + expected > self.limit:
                self._lock.wait()
                expected, spent = self._expected(prompt), self._spent()
            if self._spent_out or spent + expected > self.limit:
                self._spent_out = True
                self._lock.notify_all()
                raise BudgetError(
                    f"stopped before spending more than {self.limit:,.4g}: {spent:,.4g} is spent, and the reply for "
                    f"{prompt.label!r} would cost about {expected:,.2g}; {self._way_on()}"
                )
            self._reserved += expected
            self._flying += 1
        try:
            reply = self.inner.ask(prompt)
        finally:
            with self._lock:
                # Sums of fractions leave a rest; nothing in flight is nothing reserved.
                self._flying -= 1
                self._reserved = self._reserved - expected if self._flying else 0.0
                self._lock.notify_all()
        with self._lock:
            self._replies += 1
            self._tokens += reply.completion_tokens
        return reply

    def _spent(self) -> float:
        return self.usage.cost(self.settings) or 0.0

    def forget(self, prompt: Prompt) -> None:
        self.inner.forget(prompt)

    def _way_on(self) -> str:
        on = "raise --max-cost or [llm] max_cost to go on"
        return f"replies so far are kept in the journal and cost nothing again; {on}" if self.kept else on

    def _expected(self, prompt: Prompt) -> float:
        typical = self._tokens / self._replies if self._replies else _TYPICAL_REPLY
        reply = min(typical, prompt.max_tokens or self.settings.max_tokens)
        return self.settings.cost(count_prompt(prompt), reply) or 0.0
