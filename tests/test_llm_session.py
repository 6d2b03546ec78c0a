"""The chat of a command: what is opened when, what a limit on cost holds back, what is left when it ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import FakeEndpoint, status
from model_base import model_base

from kb.config import Config, load_config
from kb.errors import BudgetError, ConfigError, EndpointError, LlmError, ReplayError, ReplyError
from kb.llm import Message, Prompt
from kb.llm.journal import Journal
from kb.llm.session import open_chat, reading_journal

PRICES = {"input": 1000.0, "output": 1000.0}


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(lambda _request: "word " * 100) as endpoint:
        yield endpoint


def config(folder: Path, address: str = "http://127.0.0.1:9/v1", **llm: Any) -> Config:
    return load_config(model_base(folder / "base", address, pages={}, **llm))


def prompt(text: str, label: str = "shop") -> Prompt:
    return Prompt((Message("user", text),), label=label)


def test_a_reply_is_paid_once_over_two_sessions(fake: FakeEndpoint, tmp_path: Path) -> None:
    chosen = config(tmp_path, fake.base_url)
    for paid in (True, False):
        with open_chat(chosen) as chat:
            assert chat.ask(prompt("a")).paid is paid
            assert (chat.usage.requests, chat.usage.from_journal) == (int(paid), int(not paid))
    assert len(fake.requests) == 1


def test_a_forgotten_reply_is_asked_for_again(fake: FakeEndpoint, tmp_path: Path) -> None:
    with open_chat(config(tmp_path, fake.base_url)) as chat:
        chat.ask(prompt("a"))
        chat.forget(prompt("a"))
        chat.ask(prompt("a"))
    assert len(fake.requests) == 2


def test_without_journal_nothing_is_kept(fake: FakeEndpoint, tmp_path: Path) -> None:
    chosen = config(tmp_path, fake.base_url)
    for _ in range(2):
        with open_chat(chosen, journal=False) as chat:
            chat.ask(prompt("a"))
    assert len(fake.requests) == 2
    assert not (chosen.store / "journal" / "replies.sqlite").exists()


def test_what_the_journal_answers_needs_no_endpoint_and_does_not_load_its_package(
    fake: FakeEndpoint, tmp_path: Path
) -> None:
    with open_chat(config(tmp_path, fake.base_url)) as chat:
        chat.ask(prompt("a"))
    code = (
        "import sys; from pathlib import Path; from kb.config import load_config; from kb.llm import *\n"
        "from kb.llm.session import open_chat\n"
        "with open_chat(load_config(Path(sys.argv[1]))) as chat:\n"
        "    chat.ask(Prompt((Message('user', 'a'),)))\n"
        "print([one for one in ('openai', 'httpx', 'kb.llm.endpoint') if one in sys.modules])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "base")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
    assert len(fake.requests) == 1


def test_a_replay_needs_neither_address_nor_key_and_records_the_same_file(
    fake: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    with open_chat(config(tmp_path, fake.base_url), record=first) as chat:
        chat.ask(prompt("a"))
        chat.ask(prompt("b", "cart"))
    bare = tmp_path / "base" / "kb.toml"
    bare.write_text(bare.read_text(encoding="utf-8").replace("base_url", "# base_url"), encoding="utf-8")
    with open_chat(load_config(bare.parent), record=second, replay=first) as chat:
        chat.ask(prompt("a"))
        assert chat.unused() == [("read", "cart")]
        chat.ask(prompt("b", "cart"))
        assert (chat.usage.requests, chat.usage.from_journal) == (0, 2)
        with pytest.raises(ReplayError, match="'stock'"):
            chat.ask(prompt("c", "stock"))
    assert not second.exists()
    with open_chat(load_config(bare.parent), record=second, replay=first) as chat:
        chat.ask(prompt("a"))
        chat.ask(prompt("b", "cart"))
    assert second.read_bytes() == first.read_bytes()
    assert len(fake.requests) == 2


def test_a_page_that_fails_is_no_reason_not_to_record_the_others(fake: FakeEndpoint, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with open_chat(config(tmp_path, fake.base_url, retries=0), record=path) as chat:
        fake.misbehave(status(400, "too long"))
        with pytest.raises(ReplyError):
            chat.ask(prompt("a"))
        chat.ask(prompt("b"))
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_run_that_broke_off_leaves_the_recording_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"kb_recording": 1, "model": "before"}', encoding="utf-8")
    chat = open_chat(config(tmp_path, retries=0), record=path)
    with pytest.raises(EndpointError):
        chat.ask(prompt("a"))
    chat.close()
    chat.close()
    assert "before" in path.read_text(encoding="utf-8")


def test_what_is_wrong_with_recordings_is_said_before_a_journal_is_made(tmp_path: Path) -> None:
    chosen = config(tmp_path)
    with pytest.raises(LlmError, match="no such folder"):
        open_chat(chosen, record=tmp_path / "absent" / "x.jsonl")
    with pytest.raises(ReplayError, match="cannot be read"):
        open_chat(chosen, replay=tmp_path / "absent.jsonl")
    assert not (chosen.store / "journal").exists()


def test_after_stop_nothing_is_sent(fake: FakeEndpoint, tmp_path: Path) -> None:
    with open_chat(config(tmp_path, fake.base_url)) as chat:
        chat.stop()
        with pytest.raises(EndpointError, match="stopped"):
            chat.ask(prompt("a"))
    assert fake.requests == []


# -- a journal that cannot be used ---------------------------------------------------


def damaged(folder: Path, address: str) -> Config:
    chosen = config(folder, address)
    (chosen.store / "journal").mkdir(parents=True)
    (chosen.store / "journal" / "replies.sqlite").write_bytes(b"damage " * 1000)
    return chosen


def test_a_question_is_answered_without_a_journal_and_says_so(fake: FakeEndpoint, tmp_path: Path) -> None:
    with open_chat(damaged(tmp_path, fake.base_url)) as chat:
        assert chat.ask(prompt("a")).paid
        [warning] = chat.usage.warnings
    assert warning.startswith("replies are not kept: ")
    assert "rename or delete the file" in warning


def test_a_build_does_not_start_without_its_journal(fake: FakeEndpoint, tmp_path: Path) -> None:
    with pytest.raises(LlmError, match="rename or delete the file"):
        open_chat(damaged(tmp_path, fake.base_url), journal_required=True)
    assert fake.requests == []


def test_looking_into_a_journal_makes_none(fake: FakeEndpoint, tmp_path: Path) -> None:
    chosen = config(tmp_path, fake.base_url)
    with reading_journal(chosen) as journal:
        assert journal is None
    assert not chosen.store.exists()
    with open_chat(chosen) as chat:
        chat.ask(prompt("a"))
        with reading_journal(chosen) as journal:
            assert journal is not None
            assert len(journal) == 1


# -- a limit on cost -----------------------------------------------------------------


def test_a_limit_without_prices_names_the_line_to_add(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"kb\.toml: a limit on cost needs \[llm\] prices = \{ input = …, output = … \}"
    ):
        open_chat(config(tmp_path), max_cost=1.0)


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_a_limit_that_is_no_amount_is_refused(limit: float, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must be a number of at least 0"):
        open_chat(config(tmp_path, prices=PRICES), max_cost=limit)


def test_the_lower_of_two_limits_holds(tmp_path: Path) -> None:
    for given, expected in ((5.0, 2.0), (1.0, 1.0), (None, 2.0)):
        with open_chat(config(tmp_path, prices=PRICES, max_cost=2.0), max_cost=given, journal=False) as chat:
            assert chat.budget == expected


def test_the_limit_says_what_is_spent_kept_and_how_to_go_on(fake: FakeEndpoint, tmp_path: Path) -> None:
    chosen = config(tmp_path, fake.base_url, prices=PRICES)
    with open_chat(chosen, max_cost=0.6) as chat:
        chat.ask(prompt("a"))
        for text in ("b", "c", "d", "e", "f"):
            try:
                chat.ask(prompt(text, "cart"))
            except BudgetError as err:
                said = str(err)
                break
        sent = len(fake.requests)
        with pytest.raises(BudgetError):
            chat.ask(prompt("g"))
        assert chat.ask(prompt("a")).paid is False
        spent = chat.usage.cost(chat.settings)
    assert "stopped before spending more than 0.6: " in said
    assert "the reply for 'cart' would cost about" in said
    assert "kept in the journal and cost nothing again; raise --max-cost or [llm] max_cost to go on" in said
    assert spent is not None
    assert 0 < spent <= 0.6
    assert len(fake.requests) == sent
    with Journal(chosen.store / "journal" / "replies.sqlite", writable=False) as journal:
        assert len(journal) == sent


def test_threads_pass_the_limit_by_no_more_than_what_is_in_flight_costs_above_its_reservation(
    tmp_path: Path,
) -> None:
    """The bound: limit + workers x (dearest request - least reservation). Replies here grow from 10 to 400 tokens."""
    workers, tokens, lock = 8, iter(range(10, 4000, 10)), threading.Lock()

    def answer(_request: dict[str, Any]) -> str:
        with lock:
            return "abcd" * min(400, next(tokens))

    with FakeEndpoint(answer, latency=0.01) as fake:
        chosen = config(tmp_path, fake.base_url, prices=PRICES, workers=workers)
        limit = 5.0
        with open_chat(chosen, max_cost=limit) as chat, ThreadPoolExecutor(workers) as pool:

            def ask(number: int) -> int:
                try:
                    return chat.ask(prompt(f"number {number}")).completion_tokens
                except BudgetError:
                    return 0

            replies = [one for one in pool.map(ask, range(200)) if one]
            spent = chat.usage.cost(chat.settings)
        assert spent is not None
        assert len(fake.requests) == len(replies) < 200
        dearest = chosen.llm["prices"]["output"] * (max(replies) + 10) / 1_000_000
        assert 0.5 * limit < spent <= limit + workers * dearest
        assert fake.in_flight_max <= workers
