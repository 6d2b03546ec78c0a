"""Hosted embedding models: what is sent, what is made of the answers, and what happens when something is wrong."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from embed_endpoint import HANG_UP, EmbedEndpoint, Said, error, raw, vector
from fake_endpoint import FakeEndpoint, cut, drip

from kb.embed.cache import VectorCache
from kb.embed.hosted import HostedProvider
from kb.embed.provider import Vectors, embedded
from kb.embed.settings import hosted_settings
from kb.errors import EmbeddingError

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbedEndpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    with EmbedEndpoint() as endpoint:
        yield endpoint


def provider(
    fake: EmbedEndpoint, kind: str = "openai", waits: list[float] | None = None, **given: Any
) -> HostedProvider:
    settings = hosted_settings(kind, base_url=fake.base_url, **given)
    return HostedProvider(settings, sleep=(waits if waits is not None else []).append, chance=lambda: 1.0)


def unit(text: str, dimension: int = 8) -> Vectors:
    return np.array(vector(text, dimension)) / 3


# -- what is sent -----------------------------------------------------------------


def test_openai_is_asked_for_a_model_with_the_key_of_the_environment(fake: EmbedEndpoint) -> None:
    rows = provider(fake).embed(["one", "two"])
    assert np.allclose(rows, [unit("one"), unit("two")], atol=1e-6)
    assert rows.dtype == np.float32
    assert fake.requests == [{"model": "text-embedding-3-small", "input": ["one", "two"]}]
    assert (fake.paths, fake.headers[0]["authorization"]) == (["/v1/embeddings"], f"Bearer {KEY}")


def test_voyage_is_told_what_is_a_question(fake: EmbedEndpoint) -> None:
    chosen = provider(fake, "voyage", dimensions=4)
    chosen.embed(["one"])
    chosen.embed(["one"], query=True)
    common = {"model": "voyage-4-lite", "input": ["one"], "output_dimension": 4}
    assert fake.requests == [{**common, "input_type": "document"}, {**common, "input_type": "query"}]


def test_a_server_of_your_own_needs_no_key(fake: EmbedEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    provider(fake, dimensions=4).embed(["one"])
    assert "authorization" not in fake.headers[0]
    assert fake.requests[0]["dimensions"] == 4


def test_batches_are_bounded_by_texts_and_by_tokens(fake: EmbedEndpoint) -> None:
    texts = [f"w{n} " + "word " * 9 for n in range(10)]
    provider(fake, batch_texts=4).embed(texts)
    assert sorted(len(one["input"]) for one in fake.requests) == [2, 4, 4]
    fake.requests.clear()
    rows = provider(fake, batch_tokens=100).embed(texts)
    assert max(len(one["input"]) for one in fake.requests) < 10
    assert sorted(fake.texts) == sorted(texts)
    assert np.allclose(rows, [unit(text) for text in texts], atol=1e-6)


def test_a_text_longer_than_the_model_reads_is_cut(fake: EmbedEndpoint) -> None:
    text = "alpha beta gamma " * 200
    provider(fake, text_tokens=100).embed([text, "short"])
    long, short = fake.texts
    assert (text.startswith(long), 300 < len(long) < 600, short) == (True, True, "short")


def test_so_many_workers_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbedEndpoint(latency=0.05) as fake:
        provider(fake, workers=3, batch_texts=1).embed([str(n) for n in range(9)])
        assert fake.in_flight_max == 3


def test_blank_texts_are_not_sent_and_have_zeros(fake: EmbedEndpoint) -> None:
    rows = embedded(provider(fake), ["", "one", " \n"])
    assert (fake.texts, rows.any(axis=1).tolist()) == (["one"], [False, True, False])
    assert embedded(provider(fake), [" "]).shape == (1, 8)


def test_requests_per_minute_spaces_them(fake: EmbedEndpoint, waits: list[float]) -> None:
    chosen = HostedProvider(
        hosted_settings("openai", base_url=fake.base_url, requests_per_minute=60, workers=1, batch_texts=1),
        sleep=waits.append,
        clock=lambda: 0.0,
    )
    chosen.embed(["a", "b", "c"])
    assert waits == [1.0, 2.0]


# -- what comes back ------------------------------------------------------------------


def test_the_dimension_is_known_after_the_first_reply(fake: EmbedEndpoint) -> None:
    chosen = provider(fake)
    assert chosen.dimension is None
    chosen.embed(["one"])
    assert (chosen.dimension, provider(fake, dimensions=4).dimension) == (8, 4)


def test_requests_and_tokens_are_counted(fake: EmbedEndpoint) -> None:
    fake.next(error(500))
    chosen = provider(fake, batch_texts=2)
    chosen.embed(["a", "b", "c"])
    assert (chosen.usage.requests, chosen.usage.retries, chosen.usage.prompt_tokens) == (3, 1, 21)
    assert not chosen.usage.estimated


def test_vectors_in_base64_are_read(fake: EmbedEndpoint) -> None:
    def packed(reply: Any) -> Any:
        for one in reply["data"]:
            one["embedding"] = base64.b64encode(np.array(one["embedding"], dtype="<f4").tobytes()).decode()
        return {**reply, "usage": None}

    fake.change = packed
    chosen = provider(fake)
    assert np.allclose(chosen.embed(["one"]), [unit("one")], atol=1e-6)
    assert chosen.usage.estimated


@pytest.mark.parametrize("number", [1e300, 1e-300, 5e-324])
def test_vectors_of_any_length_become_units(fake: EmbedEndpoint, number: float) -> None:
    fake.change = _first(embedding=[number] * 4 + [-number] * 4)
    assert np.allclose(embedded(provider(fake), ["one"]), np.array([1] * 4 + [-1] * 4) / np.sqrt(8))


def _without_last(reply: Any) -> Any:
    return {**reply, "data": reply["data"][1:]}


def _first(**changed: Any) -> Any:
    return lambda reply: {**reply, "data": [{**reply["data"][0], **changed}, *reply["data"][1:]]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without_last, "it gave 1 vectors for 2 texts"),
        (_first(index=0), "no vector with index 1"),
        (_first(index="one"), "no vector with index 1"),
        (_first(embedding=[float("nan")] * 8), "NaN or infinite"),
        (_first(embedding=[None] * 8), "NaN or infinite"),
        (_first(embedding=[1.0] * 7), "its vectors have 7 and 8 numbers"),
        (_first(embedding=["x"]), "no list of numbers"),
        (_first(embedding="!!"), "no list of numbers"),
        (_first(embedding=3), "no list of numbers"),
        (_first(embedding=[0.0] * 8), "a vector of zeros for the text 'two'"),
        (lambda reply: {"object": "list"}, "no list of vectors"),
        (lambda reply: [1], "no list of vectors"),
    ],
)
def test_a_reply_that_is_not_what_was_asked_for_is_refused(fake: EmbedEndpoint, change: Any, said: str) -> None:
    fake.change = change
    with pytest.raises(EmbeddingError, match=said):
        embedded(provider(fake), ["one", "two"])


def test_another_dimension_than_asked_for_or_than_before_is_refused(fake: EmbedEndpoint) -> None:
    fake.change = _first(embedding=[1.0] * 8)
    with pytest.raises(
        EmbeddingError, match=r"8 numbers where 4 were asked for; remove or change \[embed\] dimensions"
    ):
        provider(fake, dimensions=4).embed(["one"])
    chosen = provider(fake)
    chosen.embed(["one"])
    fake.change = _first(embedding=[1.0] * 6)
    with pytest.raises(EmbeddingError, match="6 numbers after some of 8"):
        chosen.embed(["one"])


# -- errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "variable"), [("openai", "OPENAI_API_KEY"), ("voyage", "VOYAGE_API_KEY")])
def test_a_missing_key_names_its_variable_before_anything_is_asked(kind: str, variable: str) -> None:
    chosen = HostedProvider(hosted_settings(kind))
    for ask in (chosen.check, lambda: chosen.embed(["one"])):
        with pytest.raises(EmbeddingError, match=f"environment variable {variable} holds no key"):
            ask()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), r"refuses the key.*OPENAI_API_KEY"),
        (error(403), "allows no access"),
        (error(429, error_code="insufficient_quota"), "no credit left"),
        (error(404, "The model `x` does not exist", error_code="model_not_found"), r"no model .*\[embed\] model"),
        (error(404, "not found"), "what stands before /embeddings"),
        (error(400, "dimensions is not supported"), r"remove or change \[embed\] dimensions"),
        (Said(302, b"", {"Location": "http://127.0.0.1:1/"}), "redirects"),
        (raw(b"<html><title>Welcome</title></html>"), "HTML page, 'Welcome'"),
        (raw(b"not json"), "no JSON"),
    ],
)
def test_errors_say_what_to_do_and_not_the_key(fake: EmbedEndpoint, said: Said, expected: str) -> None:
    fake.next(said)
    with pytest.raises(EmbeddingError, match=expected) as caught:
        provider(fake, retries=0).embed(["one"])
    assert "secret" not in str(caught.value)
    assert fake.base_url in str(caught.value)
    assert len(fake.requests) == 1


def test_what_may_pass_is_asked_again(fake: EmbedEndpoint, waits: list[float]) -> None:
    fake.next(error(500), HANG_UP, raw(b"no json"), error(503))
    assert np.allclose(provider(fake, waits=waits).embed(["one"]), [unit("one")], atol=1e-6)
    assert (len(fake.requests), waits) == (5, [0.5, 1.0, 2.0, 4.0])


def test_retries_end(fake: EmbedEndpoint) -> None:
    fake.next(*[error(500, "busy")] * 9)
    with pytest.raises(EmbeddingError, match="asked 3 times: status 500: busy"):
        provider(fake, retries=2).embed(["one"])


def test_everybody_waits_as_long_as_the_endpoint_asks(fake: EmbedEndpoint, waits: list[float]) -> None:
    fake.next(error(429, headers={"Retry-After": "7"}))
    provider(fake, waits=waits).embed(["one"])
    assert waits == [pytest.approx(7, abs=0.5)]


def test_a_question_is_given_up_soon(fake: EmbedEndpoint, waits: list[float]) -> None:
    fake.next(error(500), error(500))
    with pytest.raises(EmbeddingError, match="asked 2 times"):
        provider(fake, waits=waits).embed(["one"], query=True)
    fake.next(error(429, headers={"Retry-After": "60"}))
    fake.requests.clear()
    with pytest.raises(EmbeddingError, match="asked once"):
        provider(fake, waits=waits).embed(["one"], query=True)
    assert sum(waits) < 2


def test_batches_that_are_too_much_are_halved_and_texts_that_are_too_long_cut(fake: EmbedEndpoint) -> None:
    def small(request: Any) -> Said | None:
        size = sum(map(len, request["input"]))
        return error(400, "maximum context length is 40 tokens") if size > 40 else None

    fake.refuse = small
    texts = ["a" * 30, "b" * 30, "c" * 100]
    rows = provider(fake).embed(texts)
    assert np.allclose(rows[:2], [unit(text) for text in texts[:2]], atol=1e-6)
    assert fake.texts[-1] == "c" * len(fake.texts[-1])
    assert len(fake.texts[-1]) <= 40


def test_no_server_is_told_with_the_address() -> None:
    with pytest.raises(EmbeddingError, match=r"http://127.0.0.1:1/v1: .*check the connection, and \[embed\] base_url"):
        HostedProvider(hosted_settings("openai", base_url="http://127.0.0.1:1/v1")).embed(["one"])
    with pytest.raises(EmbeddingError, match="no address of a server"):
        HostedProvider(hosted_settings("openai", base_url="http:///v1")).check()


def test_a_slow_server_is_given_up_after_the_timeout() -> None:
    with EmbedEndpoint(latency=0.5) as fake, pytest.raises(EmbeddingError, match=r"no whole reply within 0\.1 s"):
        provider(fake, timeout=0.1, retries=0).embed(["one"])


def test_an_endpoint_that_drips_or_cuts_its_reply_is_given_up(waits: list[float]) -> None:
    with FakeEndpoint() as endpoint:
        endpoint.misbehave(cut(), drip())
        settings = hosted_settings("openai", base_url=endpoint.base_url, timeout=0.3, retries=1)
        with pytest.raises(EmbeddingError, match=r"asked 2 times: no whole reply within 0\.3 s \(\[embed\] timeout\)"):
            HostedProvider(settings, sleep=waits.append).embed(["one"])
    assert len(waits) == 1


def test_a_failure_keeps_the_batches_before_it_and_stops_the_rest(fake: EmbedEndpoint, tmp_path: Any) -> None:
    fake.refuse = lambda request: error(401) if "7" in request["input"] else None
    texts = [str(n) for n in range(50)]
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        with pytest.raises(EmbeddingError, match="refuses the key"):
            embedded(provider(fake, batch_texts=1, workers=1), texts, cache=cache)
        assert 7 <= len(cache) < 12
        fake.refuse = lambda request: None
        fake.requests.clear()
        chosen = provider(fake, batch_texts=1, workers=1)
        rows = embedded(chosen, texts, cache=cache)
    assert np.allclose(rows, [unit(text) for text in texts], atol=1e-6)
    assert 38 < len(fake.texts) <= 43


def test_who_stops_a_build_keeps_what_came_and_asks_no_more(fake: EmbedEndpoint, tmp_path: Any) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    texts = [str(n) for n in range(60)]
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        with pytest.raises(KeyboardInterrupt):
            embedded(provider(fake, batch_texts=1, workers=2), texts, cache=cache, progress=stop)
        assert len(cache) == 5
    assert len(fake.requests) <= 5 + 2 * 2 + 2


def test_a_provider_works_again_once_what_was_wrong_is_put_right(fake: EmbedEndpoint) -> None:
    chosen = provider(fake, batch_texts=1)
    fake.refuse = lambda request: error(401)
    with pytest.raises(EmbeddingError):
        chosen.embed(["a", "b", "c"])
    fake.refuse = lambda request: None
    assert chosen.embed(["a", "b", "c"]).shape == (3, 8)
    assert threading.active_count() < 20
