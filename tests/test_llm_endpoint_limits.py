"""Waiting, pausing, giving up, stopping: what requests of one endpoint have in common."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import fake_endpoint as does
import pytest
from endpoint_help import KEY, PLAIN, Waits, endpoint, said
from fake_endpoint import FakeEndpoint, wait_until

from kb.errors import EndpointError, KbError, ReplyError
from kb.llm.endpoint import Endpoint
from kb.llm.settings import Settings


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as fake:
        yield fake


def real(fake: FakeEndpoint, **changes: Any) -> Endpoint:
    """With the real clock, and waits that can be interrupted."""
    return Endpoint(Settings(**{"model": "small", "base_url": fake.base_url, "timeout": 5.0, "retries": 2, **changes}))


def outcome(chat: Endpoint) -> str:
    try:
        return chat.ask(PLAIN).text
    except KbError as err:
        return type(err).__name__


@pytest.mark.parametrize(
    ("after", "slept"),
    [
        ({"retry_after": "7"}, [7.0]),
        ({"retry_after": "0.5"}, [0.5]),
        ({"retry_after_ms": "1500", "retry_after": "9"}, [1.5]),
        ({"retry_after": "soon"}, [0.25]),
        ({"retry_after": "nan"}, [0.25]),
        ({"retry_after": "-3"}, [0.25]),
        ({}, [0.25]),
    ],
)
def test_retry_after_is_waited_for(fake: FakeEndpoint, after: dict[str, str], slept: list[float]) -> None:
    waits = Waits()
    with endpoint(fake, waits) as chat:
        fake.misbehave(does.status(429, **after))
        assert chat.ask(PLAIN)
    assert waits.slept == slept
    assert chat.usage.waited == pytest.approx(sum(slept))


def test_retry_after_as_a_date_is_waited_for(fake: FakeEndpoint) -> None:
    waits = Waits()
    with endpoint(fake, waits) as chat:
        fake.misbehave(does.status(503, retry_after=formatdate(time.time() + 30, usegmt=True)))
        assert chat.ask(PLAIN)
    assert 25 < waits.slept[0] <= 30


def test_an_hour_is_not_waited_for_and_that_is_said(fake: FakeEndpoint) -> None:
    waits = Waits()
    with endpoint(fake, waits) as chat:
        fake.misbehave(*[does.status(429, retry_after="3600")] * 2)
        assert chat.ask(PLAIN)
    assert waits.slept == [120.0, 120.0]
    assert chat.usage.warnings == (
        f"{fake.base_url}: it asked to wait longer than 120 s between requests; kb waited that long and tried again",
    )


def test_one_429_holds_back_every_thread(fake: FakeEndpoint) -> None:
    pausing, go_on = threading.Event(), threading.Event()

    def sleep(_seconds: float) -> None:
        pausing.set()
        go_on.wait(5)

    chat = Endpoint(Settings("small", base_url=fake.base_url, workers=8), sleep=sleep)
    with chat, ThreadPoolExecutor(8) as pool:
        assert chat.ask(PLAIN)
        fake.misbehave(does.status(429, retry_after="60"))
        first = pool.submit(chat.ask, PLAIN)
        assert pausing.wait(5)
        others = [pool.submit(chat.ask, PLAIN) for _ in range(6)]
        time.sleep(0.05)
        assert len(fake.requests) == 2
        go_on.set()
        assert all(one.result(5) for one in [first, *others])
    assert len(fake.requests) == 9


def test_fewer_fly_after_a_429_and_more_again_later(fake: FakeEndpoint) -> None:
    with endpoint(fake, workers=8) as chat:
        fake.misbehave(does.status(429, retry_after="1"))
        chat.ask(PLAIN)
        assert chat._gate._allowed == 5
        for _ in range(5):
            chat.ask(PLAIN)
        assert chat._gate._allowed == 8


def test_never_more_in_flight_than_workers(fake: FakeEndpoint) -> None:
    fake.latency = 0.01
    with endpoint(fake, workers=3) as chat, ThreadPoolExecutor(12) as pool:
        assert len(list(pool.map(lambda _: chat.ask(PLAIN), range(24)))) == 24
    assert fake.in_flight_max == 3
    assert len(fake.requests) == 24


def test_requests_and_retries_are_spaced_by_the_limit_per_minute(fake: FakeEndpoint) -> None:
    waits, times = Waits(), []

    def answer(_request: dict[str, Any]) -> object:
        times.append(waits.now)
        return does.status(500) if len(times) == 2 else "yes"

    fake.answer = answer
    with endpoint(fake, waits, requests_per_minute=30) as chat:
        for _ in range(4):
            chat.ask(PLAIN)
    assert [round(now - times[0], 6) for now in times] == [0, 2, 4, 6, 8]


def test_a_server_that_drips_is_left_at_the_deadline(fake: FakeEndpoint) -> None:
    with endpoint(fake, timeout=0.2, retries=1) as chat:
        fake.misbehave(does.drip(0.02), does.hang(5))
        start = time.monotonic()
        assert said(fake, lambda: chat.ask(PLAIN)) == (
            "ReplyError: checkout.md: no usable reply from ADDRESS, asked 2 times: "
            "no whole reply within 0.2 s ([llm] timeout)"
        )
        assert time.monotonic() - start < 2


def test_a_server_that_drips_headers_is_left_at_the_deadline() -> None:
    over = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000:
                if over.wait(0.02):
                    return
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        start = time.monotonic()
        try:
            with (
                Endpoint(Settings("small", base_url=address, timeout=0.2, retries=0)) as chat,
                pytest.raises(ReplyError, match=r"no whole reply within 0\.2 s"),
            ):
                chat.ask(PLAIN)
            assert time.monotonic() - start < 2
        finally:
            over.set()
            thread.join()


def test_ten_megabytes_are_not_waited_for(fake: FakeEndpoint) -> None:
    """The connection is given up while the reply still comes in: the server cannot send all of it."""
    with endpoint(fake, retries=0) as chat:
        fake.misbehave(does.huge(200))
        assert "larger than 4 MB" in said(fake, lambda: chat.ask(PLAIN))


def test_five_losses_in_a_row_end_everything(fake: FakeEndpoint) -> None:
    fake.answer = lambda _request: does.status(500)
    with endpoint(fake, retries=1) as chat:
        assert [outcome(chat) for _ in range(4)] == ["ReplyError"] * 4
        text = (
            "EndpointError: ADDRESS: 5 requests in a row got no usable reply; the last, asked 2 times: status 500: no"
        )
        assert said(fake, lambda: chat.ask(PLAIN)) == text
        assert said(fake, lambda: chat.ask(PLAIN)) == text
    assert len(fake.requests) == 10


def test_a_success_in_between_starts_the_count_anew(fake: FakeEndpoint) -> None:
    fake.answer = lambda _request: does.status(500) if len(fake.requests) % 5 else "yes"
    with endpoint(fake, retries=0) as chat:
        assert [outcome(chat) for _ in range(20)] == (["ReplyError"] * 4 + ["yes"]) * 4


def test_prompts_that_are_refused_are_no_sign_of_a_dead_endpoint(fake: FakeEndpoint) -> None:
    fake.answer = lambda _request: does.message(content=None, refusal="No.")
    with endpoint(fake) as chat:
        assert [outcome(chat) for _ in range(8)] == ["ReplyError"] * 8


def test_a_dead_server_is_not_asked_by_5000_pages(fake: FakeEndpoint) -> None:
    fake.answer = lambda _request: does.vanish()
    with endpoint(fake, retries=1, workers=16) as chat, ThreadPoolExecutor(16) as pool:
        got = list(pool.map(lambda _: outcome(chat), range(5000)))
    assert set(got) == {"ReplyError", "EndpointError"}
    assert got.count("ReplyError") == 4
    assert len(fake.requests) <= 5 * 2 + 16


def test_a_refused_key_reaches_every_thread(fake: FakeEndpoint) -> None:
    fake.answer = lambda _request: does.status(401)
    with endpoint(fake, workers=16) as chat, ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: outcome(chat), range(100))) == {"EndpointError"}
    assert len(fake.requests) == 1


def test_stop_wakes_who_waits_and_lets_finish_what_flies(fake: FakeEndpoint) -> None:
    flying = threading.Event()

    def answer(request: dict[str, Any]) -> object:
        if len(fake.requests) == 1:
            return does.status(429, retry_after="60")
        flying.set()
        time.sleep(0.1)
        return "landed"

    fake.answer = answer
    chat = real(fake, workers=1)
    with chat, ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(outcome, chat) for _ in range(3)]
        wait_until(lambda: len(fake.requests) == 1)
        time.sleep(0.02)
        start = time.monotonic()
        chat.stop()
        assert [one.result(5) for one in waiting] == ["EndpointError"] * 3
        assert time.monotonic() - start < 1
    chat = real(fake, workers=1)
    with chat, ThreadPoolExecutor(4) as pool:
        landing = pool.submit(outcome, chat)
        assert flying.wait(5)
        queued = pool.submit(outcome, chat)
        chat.stop()
        assert (landing.result(5), queued.result(5)) == ("landed", "EndpointError")
        assert said(fake, lambda: chat.ask(PLAIN)) == "EndpointError: ADDRESS: stopped before the request was sent"


def test_stop_ends_back_off_and_the_limit_per_minute(fake: FakeEndpoint) -> None:
    with real(fake, requests_per_minute=1) as chat, ThreadPoolExecutor(2) as pool:
        assert chat.ask(PLAIN)
        spaced = pool.submit(outcome, chat)
        time.sleep(0.02)
        chat.stop()
        assert spaced.result(5) == "EndpointError"
    fake.misbehave(does.status(500, retry_after="60"))
    with real(fake) as chat, ThreadPoolExecutor(2) as pool:
        backing_off = pool.submit(outcome, chat)
        wait_until(lambda: len(fake.requests) == 2)
        chat.stop()
        assert backing_off.result(5) == "EndpointError"


def test_waits_of_several_threads_at_once_count_once() -> None:
    with FakeEndpoint() as fake, real(fake, workers=4, retries=3) as chat, ThreadPoolExecutor(4) as pool:
        chat.ask(PLAIN)
        fake.misbehave(*[does.status(500, retry_after="0.1")] * 4)
        list(pool.map(lambda _: chat.ask(PLAIN), range(4)))
    assert chat.usage.waited < 0.35
    assert chat.usage.requests == 9


def test_connections_are_kept(fake: FakeEndpoint) -> None:
    with endpoint(fake, workers=4) as chat, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: chat.ask(PLAIN), range(40)))
    assert len(fake._server._open) <= 4


def test_an_endpoint_can_be_used_by_name_only() -> None:
    with pytest.raises(EndpointError, match="holds no key"):
        Endpoint(Settings("small", api_key_env="NOT_SET_ANYWHERE"))
