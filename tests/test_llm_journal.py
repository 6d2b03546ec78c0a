"""Replies that were paid for are found again: after kills, on full disks, by many threads and processes."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.errors import LlmError
from kb.llm import Message, Prompt, Reply
from kb.llm.chat import request_digest
from kb.llm.journal import Journal, Journaled
from kb.llm.tokens import count, count_prompt
from kb.llm.usage import Usage

WRITER = """
import sys
from pathlib import Path
from kb.llm import Message, Prompt, Reply
from kb.llm.journal import Journal
with Journal(Path(sys.argv[1])) as journal:
    for number in range(int(sys.argv[3])):
        journal.put(f"{sys.argv[2]}{number}", Prompt((Message("user", "?"),)), Reply("text " * 200), "small")
        print(number, flush=True)
"""


def prompt(text: str = "Who owns Cart?", **more: str) -> Prompt:
    return Prompt((Message("user", text),), **more)  # type: ignore[arg-type]


def writer(path: Path, name: str, replies: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(replies)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Model:
    """Counts what it is asked; `act` may fail or wait."""

    def __init__(self, act: Callable[[int], object] = lambda _number: None) -> None:
        self.act, self.asked, self.forgotten = act, 0, 0
        self._lock = threading.Lock()

    def ask(self, prompt: Prompt) -> Reply:
        with self._lock:
            self.asked += 1
            number = self.asked
        self.act(number)
        return Reply(f"reply {number}", 10, 2)

    def forget(self, prompt: Prompt) -> None:
        self.forgotten += 1


def in_threads(number: int, act: Callable[[], object]) -> None:
    threads = [threading.Thread(target=act) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("text", ["yes", "Zürich 你好 🙂", "a\x00b", " \n", "x" * 300_000])
def test_a_reply_is_found_again_as_it_was_and_costs_nothing(text: str, tmp_path: Path) -> None:
    path, kept = tmp_path / "new" / "replies.sqlite", Reply(text, 12, 3, "length", "small-1", estimated=True)
    with Journal(path) as journal:
        assert journal.get("a") is None
        journal.put("a", prompt(), kept, "small")
    with Journal(path) as journal:
        found = journal.get("a")
        assert (found, found and found.paid, len(journal), "a" in journal, "b" in journal) == (
            kept,
            False,
            1,
            True,
            False,
        )


def test_a_half_character_is_kept_as_a_question_mark(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put("a", prompt(label="\ud800"), Reply("x\ud800"), "small")
        found = journal.get("a")
        assert found is not None
        assert found.text == "x?"


def test_a_forgotten_reply_is_not_given_again(tmp_path: Path) -> None:
    model = Model()
    with Journal(tmp_path / "j.sqlite") as journal:
        chat = Journaled(model, journal, "small", Usage())
        assert [chat.ask(prompt()).text, chat.ask(prompt()).text] == ["reply 1", "reply 1"]
        chat.forget(prompt())
        assert (chat.ask(prompt()).text, model.forgotten) == ("reply 2", 1)


def test_another_model_is_asked_anew_and_journal_answers_are_counted(tmp_path: Path) -> None:
    model, usage = Model(), Usage()
    with Journal(tmp_path / "j.sqlite") as journal:
        for name in ("small", "large", "small"):
            Journaled(model, journal, name, usage).ask(prompt())
    assert (model.asked, usage.from_journal) == (2, 1)


def test_threads_with_the_same_prompt_pay_once(tmp_path: Path) -> None:
    entered = threading.Event()
    model = Model(lambda _number: entered.wait(0.1))
    with Journal(tmp_path / "j.sqlite") as journal:
        chat = Journaled(model, journal, "small", Usage())
        in_threads(8, lambda: chat.ask(prompt()))
    assert model.asked == 1


def test_after_a_failure_one_of_those_that_wait_asks_again_and_the_others_take_its_reply(tmp_path: Path) -> None:
    held, failures = threading.Event(), []

    def act(number: int) -> None:
        held.wait(0.05)
        if number == 1:
            raise LlmError("no")

    model = Model(act)
    with Journal(tmp_path / "j.sqlite") as journal:
        chat = Journaled(model, journal, "small", Usage())

        def ask() -> None:
            try:
                chat.ask(prompt())
            except LlmError as err:
                failures.append(err)

        in_threads(8, ask)
    assert (model.asked, len(failures)) == (2, 1)


def test_threads_with_different_prompts_lose_nothing(tmp_path: Path) -> None:
    numbers = iter(range(10_000))
    with Journal(tmp_path / "j.sqlite") as journal:

        def put() -> None:
            for _ in range(25):
                journal.put(str(next(numbers)), prompt(), Reply("x"), "small")

        in_threads(8, put)
        assert len(journal) == 200


def test_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    running = [writer(path, name, 40) for name in ("a", "b")]
    assert [(one.communicate()[1], one.returncode) for one in running] == [("", 0), ("", 0)]
    with Journal(path) as journal:
        assert len(journal) == 80


def test_a_kill_in_the_middle_of_writing_loses_at_most_the_reply_being_written(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    running = writer(path, "a", 1_000_000)
    assert running.stdout is not None
    for _ in range(30):
        running.stdout.readline()
    os.kill(running.pid, signal.SIGKILL)
    # Not `communicate`, which does not know what `readline` has read ahead.
    told = running.stdout.read()
    running.communicate()
    # The line that was being printed may be cut off.
    last = 29 + told.count("\n")
    with Journal(path) as journal:
        assert all(f"a{number}" in journal for number in range(last + 1))
        assert len(journal) - (last + 1) in (0, 1)
        journal.put("after", prompt(), Reply("x"), "small")
        assert "after" in journal


# -- what goes wrong --------------------------------------------------------------


def test_a_full_disk_is_told_and_costs_only_the_reply_that_did_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal._connection.execute("PRAGMA max_page_count = 12")
        about, reply, told, kept = prompt(label="cart"), Reply("x" * 3000), "", 0
        while not told and kept < 100:
            try:
                journal.put(str(kept), about, reply, "small")
                kept += 1
            except LlmError as err:
                told = str(err)
        assert 0 < kept < 100
        assert f"{path}: the reply for 'cart' cannot be kept" in told
        assert "make room on the disk; the replies before it are kept" in told
        assert all(str(number) in journal for number in range(kept))
        journal._connection.execute("PRAGMA max_page_count = 100000")
        journal.put(str(kept), prompt(), Reply("x"), "small")
    with Journal(path) as journal:
        assert len(journal) == kept + 1


def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(LlmError, match=r"j\.sqlite: cannot be opened: No space left on device; check the folder"):
        Journal(tmp_path / "new" / "j.sqlite")


def test_a_file_that_is_no_database_is_told_with_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    path.write_bytes(b"no database " * 1000)
    for writable in (True, False):
        with pytest.raises(LlmError, match=r"j\.sqlite: .*rename or delete the file; .*paid for again"):
            Journal(path, writable=writable)


def test_damage_in_the_middle_is_told_with_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        for number in range(200):
            journal.put(f"{number:03}", prompt(), Reply("x" * 500), "small")
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with Journal(path) as journal, pytest.raises(LlmError, match="rename or delete the file"):
        journal.get("100")


def test_a_database_of_something_else_is_told(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with Journal(path) as journal, pytest.raises(LlmError, match="no such table: reply; rename or delete the file"):
        journal.get("a")


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    Journal(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(LlmError, match=r"written by a newer version of kb \(format 2\); update kb"):
        Journal(path)


def test_a_journal_that_another_process_is_just_making_is_empty_for_who_reads(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    path.write_bytes(b"")
    with Journal(path, writable=False) as journal:
        assert (len(journal), journal.get("a")) == (0, None)


def test_reading_works_where_nothing_may_be_made_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal.put("a", prompt(), Reply("x"), "small")
    connect = sqlite3.connect

    class Refusing(sqlite3.Connection):
        """What SQLite does in a folder without write access, which tests cannot make when they run as root."""

        def execute(self, *_args: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("attempt to write a readonly database")

    def refused(address: object, **more: object) -> sqlite3.Connection:
        factory = sqlite3.Connection if "immutable" in str(address) else Refusing
        return connect(address, factory=factory, **more)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", refused)
    with Journal(path, writable=False) as journal:
        assert "a" in journal


def test_a_journal_opened_for_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    Journal(path).close()
    with Journal(path, writable=False) as journal, pytest.raises(LlmError, match="check who may read and write it"):
        journal.put("a", prompt(), Reply("x"), "small")


# -- calibration ------------------------------------------------------------------


def test_calibration_compares_what_was_counted_with_what_we_would_have_guessed(tmp_path: Path) -> None:
    one, reply = prompt("Who owns Cart, and since when?"), Reply("Sales owns Cart.", 40, 30)
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.calibration("small", "read").prompt == 1.0
        journal.put(request_digest(one, "small"), one, reply, "small")
        journal.put("other model", one, Reply("x", 9999, 9999), "large")
        journal.put("other purpose", prompt(purpose="plan"), Reply("x", 9999, 9999), "small")
        journal.put("no numbers", one, Reply("x", 9999, 9999, estimated=True), "small")
        found = journal.calibration("small", "read")
    assert (found.replies, found.prompt) == (1, 40 / count_prompt(one))
    assert found.completion == 30 / count(reply.text)


def test_nonsense_numbers_of_tokens_do_not_stop_a_reply_from_being_kept(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put("a", prompt(), Reply("x", 10**30, 10**30), "small")
        journal.put("b", prompt(), Reply("x", 10**30, 10**30), "small")
        assert journal.calibration("small", "read").replies == 2
