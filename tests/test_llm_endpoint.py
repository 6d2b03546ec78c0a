"""Every way in which an endpoint misbehaves: how often it is asked, and what the user is told."""

from __future__ import annotations

from collections.abc import Iterator

import fake_endpoint as does
import pytest
from endpoint_help import KEY, PLAIN, SHAPED, Waits, endpoint, said
from fake_endpoint import FakeEndpoint, Misbehaviour

from kb.errors import EndpointError, ReplyError
from kb.llm import Message, Prompt, Reply
from kb.llm.endpoint import Endpoint
from kb.llm.settings import Prices, Settings
from kb.llm.tokens import count

START = "ReplyError: checkout.md: no usable reply from ADDRESS, asked "


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture(scope="module")
def shared() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(lambda _request: "It is Payments.") as fake:
        yield fake


@pytest.fixture
def fake(shared: FakeEndpoint) -> FakeEndpoint:
    shared.requests.clear()
    return shared


def test_a_prompt_goes_out_as_openai_words_it_and_comes_back_as_a_reply(fake: FakeEndpoint) -> None:
    with endpoint(fake) as chat:
        reply = chat.ask(PLAIN)
    assert reply == Reply("It is Payments.", 7, 3, "stop", "small")
    assert fake.requests == [
        {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Who owns Checkout?"},
            ],
            "max_tokens": 4096,
            "temperature": 0.0,
        }
    ]
    assert fake.headers[-1]["authorization"] == f"Bearer {KEY}"


RETRIED = {
    "status 408": (does.status(408), "status 408: no"),
    "status 409": (does.status(409), "status 409: no"),
    "status 425": (does.status(425), "status 425: no"),
    "status 429": (does.status(429, "Rate limit reached"), "status 429: Rate limit reached"),
    "status 500": (does.status(500), "status 500: no"),
    "status 502 of a proxy": (does.html(502), "status 502: an HTML page, 'Bad gateway'"),
    "status 503": (does.status(503), "status 503: no"),
    "cut": (does.cut(), "the connection ended before the reply was whole"),
    "vanish": (does.vanish(), "the connection ended before the reply was whole"),
    "an error under status 200": (
        does.body({"error": {"message": "upstream is busy", "code": 502}}),
        "status 502: upstream is busy",
    ),
}


@pytest.mark.parametrize("name", RETRIED)
def test_what_may_pass_is_retried_as_often_as_allowed_and_then_told(fake: FakeEndpoint, name: str) -> None:
    behaviour, text = RETRIED[name]
    with endpoint(fake) as chat:
        fake.misbehave(behaviour, behaviour, behaviour)
        assert said(fake, lambda: chat.ask(PLAIN)) == START + "3 times: " + text
        assert len(fake.requests) == 3
        assert (chat.usage.requests, chat.usage.retries) == (3, 2)
        fake.misbehave(behaviour, behaviour)
        assert chat.ask(PLAIN).text == "It is Payments."


LENGTH = "raise [llm] max_tokens"
ONCE_MORE = {
    "HTML": (
        does.html(),
        "it sent an HTML page, 'Bad gateway', in place of a reply: is there a proxy, or is base_url wrong?",
    ),
    "invalid UTF-8": (does.invalid_utf8(), "the body is not UTF-8 (byte 38)"),
    "no JSON": (does.body(b'{"id": "x", "choi'), "the body is not JSON"),
    "no body": (does.body(b""), "the body is empty"),
    "a list": (does.body([]), "the body has no choices"),
    "no choices": (does.choices([]), "the body has no choices"),
    "choices of nonsense": (does.choices("none"), "the body has no choices"),
    "a choice of nonsense": (does.choices([{"message": None}]), "the body has no choices"),
    "empty content": (does.content(""), "the reply is empty"),
    "blank content": (does.content(" \n"), "the reply is empty"),
    "content null": (does.content(None), "the reply is empty"),
    "a tool call": (
        does.message(content=None, tool_calls=[{"id": "1"}]),
        "the model called a tool in place of replying",
    ),
    "reasoning only": (
        does.message(content="", reasoning="Hm."),
        f"the model only reasoned and gave no reply; {LENGTH}, or take a model that reasons less",
    ),
    "thoughts only": (
        does.content("<think>Hm.</think>"),
        f"the model only reasoned and gave no reply; {LENGTH}, or take a model that reasons less",
    ),
}


@pytest.mark.parametrize("name", ONCE_MORE)
def test_an_unusable_reply_costs_money_and_gets_one_more_chance(fake: FakeEndpoint, name: str) -> None:
    behaviour, text = ONCE_MORE[name]
    with endpoint(fake, retries=5) as chat:
        fake.misbehave(behaviour, behaviour)
        assert said(fake, lambda: chat.ask(PLAIN)) == START + "2 times: " + text
        assert len(fake.requests) == 2
        fake.misbehave(behaviour)
        assert chat.ask(PLAIN).text == "It is Payments."


ONLY_ONCE = {
    "reasoning up to the limit": (
        does.reasoning_only(),
        f"the model only reasoned until the limit of tokens was reached; {LENGTH}",
    ),
    "an open thought": (
        does.content("<think>Hm, the owner", "length"),
        f"the model only reasoned until the limit of tokens was reached; {LENGTH}",
    ),
    "nothing up to the limit": (
        does.content("", "length"),
        f"the reply is empty: the limit of tokens was reached before it began; {LENGTH}",
    ),
    "a refusal": (does.message(content=None, refusal="I can not say."), "the model refused: 'I can not say.'"),
    "a filter": (does.content("", "content_filter"), "the endpoint's content filter withheld the reply"),
    "10 MB": (does.huge(), "the reply is larger than 4 MB and was cut off"),
    "an error of 10 MB": (does.body(b"x" * 10_000_000, 500), "the reply is larger than 4 MB and was cut off"),
    "too long a prompt": (
        does.status(
            400,
            "This model's maximum context length is 4096 tokens. Please reduce max_tokens.",
            error_code="context_length_exceeded",
        ),
        (
            "status 400: This model's maximum context length is 4096 tokens. Please reduce max_tokens.; "
            "lower [llm] page_tokens or max_tokens, or serve the model with a larger context"
        ),
    ),
    "too long a reply": (
        does.status(400, "max_tokens is too large: 99999. It must be at most 4096."),
        "status 400: max_tokens is too large: 99999. It must be at most 4096.; lower [llm] max_tokens",
    ),
    "a bad request": (does.status(400, "messages: wrong role"), "status 400: messages: wrong role"),
}


@pytest.mark.parametrize("name", ONLY_ONCE)
def test_what_would_fail_again_is_asked_once(fake: FakeEndpoint, name: str) -> None:
    behaviour, text = ONLY_ONCE[name]
    with endpoint(fake) as chat:
        fake.misbehave(behaviour)
        assert said(fake, lambda: chat.ask(PLAIN)) == START + "once: " + text
        assert len(fake.requests) == 1
        assert chat.ask(PLAIN).text == "It is Payments."


FATAL = {
    "401": (
        does.status(401, f"Incorrect API key provided: {KEY}"),
        (
            "it refuses the key (status 401: Incorrect API key provided: [key]); "
            "check the environment variable OPENAI_API_KEY"
        ),
    ),
    "401 with asterisks": (
        does.status(401, "Incorrect API key provided: sk-ve********cdef."),
        (
            "it refuses the key (status 401: Incorrect API key provided: [key]); "
            "check the environment variable OPENAI_API_KEY"
        ),
    ),
    "403": (
        does.status(403, "not in your country"),
        "it allows no access (status 403: not in your country); check the key in OPENAI_API_KEY and what it may use",
    ),
    "402": (does.status(402, "Top up"), "the account has no credit left (status 402: Top up)"),
    "no quota": (
        does.status(429, "You exceeded your current quota", error_code="insufficient_quota"),
        "the account has no credit left (status 429: You exceeded your current quota)",
    ),
    "a redirect": (
        does.redirect("http://user:pw@other.example/v1/chat/completions?key=1"),
        (
            "it redirects (status 302), which is not followed: to http://other.example/v1/chat/completions; "
            "set [llm] base_url to the right address"
        ),
    ),
}


@pytest.mark.parametrize("name", FATAL)
def test_what_no_prompt_survives_stops_everything_after_one_request(fake: FakeEndpoint, name: str) -> None:
    behaviour, text = FATAL[name]
    with endpoint(fake) as chat:
        fake.misbehave(behaviour)
        assert said(fake, lambda: chat.ask(PLAIN)) == "EndpointError: ADDRESS: " + text
        assert said(fake, lambda: chat.ask(PLAIN)) == "EndpointError: ADDRESS: " + text
        assert len(fake.requests) == 1


def test_a_model_that_is_not_there_is_named_with_those_that_are() -> None:
    with FakeEndpoint(models=("qwen3:8b", "llama3.2:3b")) as fake, endpoint(fake, model="lama3.2:3b") as chat:
        text = "EndpointError: ADDRESS: it has no model 'lama3.2:3b'; did you mean 'llama3.2:3b'? "
        assert said(fake, lambda: chat.ask(PLAIN)) == text + "it offers: llama3.2:3b, qwen3:8b"


def test_an_address_without_v1_is_told_from_a_missing_model(fake: FakeEndpoint) -> None:
    with endpoint(fake, base_url=fake.base_url.removesuffix("/v1")) as chat:
        assert said(fake, lambda: chat.ask(PLAIN)) == (
            f"EndpointError: {fake.base_url.removesuffix('/v1')}: status 404: 404 page not found; "
            "[llm] base_url must be what stands before /chat/completions, often ending in /v1"
        )


def test_nobody_at_the_address_is_an_error_at_once(fake: FakeEndpoint) -> None:
    with FakeEndpoint() as gone:
        address = gone.base_url
    with endpoint(fake, base_url=address) as chat:
        text = said(gone, lambda: chat.ask(PLAIN))
    assert text.startswith("EndpointError: ADDRESS: no connection (")
    assert text.endswith("refused); is the server running, and is [llm] base_url right?")
    assert chat.usage.requests == 1


def test_a_server_that_answered_before_may_come_back() -> None:
    with FakeEndpoint() as fake:
        chat = endpoint(fake)
        assert chat.ask(PLAIN)
    with chat:
        assert " asked 3 times: " in said(fake, lambda: chat.ask(PLAIN))


def test_the_default_address_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EndpointError, match="the environment variable OPENAI_API_KEY holds no key; set it, or name"):
        Endpoint(Settings(model="small"))


@pytest.mark.parametrize("address", ["http://[bad/v1", "http://host:x/v1", "http:///v1", "ftp://host/v1"])
def test_what_is_no_address_is_said_before_anything_is_sent(address: str) -> None:
    with pytest.raises(EndpointError, match="base_url is no address of a server; give it as http://HOST:PORT/v1"):
        Endpoint(Settings("small", base_url=address))


def test_a_given_address_needs_no_key(fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with endpoint(fake) as chat:
        assert chat.ask(PLAIN)


def test_a_key_that_cannot_be_sent_is_not_shown(fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim\u00fc")
    with pytest.raises(EndpointError, match="OPENAI_API_KEY holds characters that no key has") as found:
        endpoint(fake)
    assert "geheim" not in str(found.value)


def test_a_proxy_is_not_asked_for_a_server_on_this_computer(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with endpoint(fake) as chat:
        assert chat.ask(PLAIN)


def test_key_and_password_show_nowhere(fake: FakeEndpoint) -> None:
    with endpoint(fake, base_url=fake.base_url.replace("//", "//me:pass@")) as chat:
        fake.misbehave(does.status(400, f"bad header Bearer {KEY}"))
        assert said(fake, lambda: chat.ask(PLAIN)) == START + "once: status 400: bad header [key]"
        assert KEY not in f"{chat!r} {chat.usage.to_json()} {vars(chat)['_client']!r}"
        assert "pass" not in repr(chat)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("<think>Hm.</think>\n{}", "{}"),
        ("<think>a</think><think>b</think> {}", "{}"),
        ("Hm, so.\n</think>\n\n{}", "{}"),
        ('{"quote": "</think>"}', '{"quote": "</think>"}'),
        ("half \ud83d a character", "half \ufffd a character"),
    ],
)
def test_thoughts_before_the_reply_are_taken_off(fake: FakeEndpoint, given: str, left: str) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.content(given))
        assert chat.ask(PLAIN).text == left


def test_a_reply_in_parts_is_put_together(fake: FakeEndpoint) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.message(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
        assert chat.ask(PLAIN).text == "ab"


def test_a_reply_that_was_cut_says_so(fake: FakeEndpoint) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.content('{"statements": [', "length"))
        assert chat.ask(PLAIN) == Reply('{"statements": [', 7, 3, "length", "small")


def test_a_prompt_with_half_a_character_can_be_sent(fake: FakeEndpoint) -> None:
    with endpoint(fake) as chat:
        assert chat.ask(Prompt((Message("user", "half \udc00"),)))
    assert fake.requests[0]["messages"][0]["content"] == "half \ufffd"


@pytest.mark.parametrize("numbers", [None, "many", {}, {"prompt_tokens": -1}, {"prompt_tokens": 1e300}])
def test_missing_numbers_are_estimated_and_marked(fake: FakeEndpoint, numbers: object) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.usage(numbers))
        reply = chat.ask(PLAIN)
    assert (reply.estimated, reply.completion_tokens) == (True, count("It is Payments."))
    assert reply.prompt_tokens == count("Be brief.\nWho owns Checkout?")
    assert chat.usage.estimated


def test_tokens_of_unusable_replies_are_paid_for_too(fake: FakeEndpoint) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.reasoning_only())
        with pytest.raises(ReplyError) as found:
            chat.ask(PLAIN)
        chat.ask(PLAIN)
    assert found.value.label == "checkout.md"
    assert (chat.usage.prompt_tokens, chat.usage.completion_tokens) == (14, 6)
    assert chat.usage.cost(Settings("small", prices=Prices(1.0, 2.0))) == pytest.approx(26 / 1_000_000)
    assert chat.usage.cost(Settings("small")) is None


@pytest.mark.parametrize(
    ("name", "warned"),
    [
        ("small", False),
        ("small-2026-01-31", False),
        ("small:latest", False),
        ("models/Small.gguf", False),
        ("small-mini", True),
        ("large", True),
    ],
)
def test_another_model_than_the_one_asked_for_is_said_once(fake: FakeEndpoint, name: str, warned: bool) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.model_name(name), does.model_name(name))
        assert chat.ask(PLAIN).model == chat.ask(SHAPED).model == name
    text = f"{fake.base_url}: {name!r} answered where 'small' was asked for"
    assert chat.usage.warnings == ((text,) if warned else ())


@pytest.mark.parametrize("name", ["/home/me/models/small.gguf", "C:\\models\\small.gguf", "~/small.gguf"])
def test_where_a_local_model_lies_is_nowhere_repeated(fake: FakeEndpoint, name: str) -> None:
    with endpoint(fake) as chat:
        fake.misbehave(does.model_name(name))
        assert chat.ask(PLAIN).model == "small.gguf"
    assert chat.usage.warnings == ()


def test_an_answer_after_setbacks_counts_every_request(fake: FakeEndpoint) -> None:
    waits = Waits()
    steps: list[Misbehaviour] = [does.status(500), does.cut(), does.status(503)]
    with endpoint(fake, waits, retries=3) as chat:
        fake.misbehave(*steps)
        assert chat.ask(PLAIN)
    assert waits.slept == [0.25, 0.5, 1.0]
    assert chat.usage.to_json() | {"prompt_tokens": 0, "completion_tokens": 0} == {
        "requests": 4,
        "retries": 3,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "estimated": False,
        "from_journal": 0,
        "waited": 1.75,
        "modes": ["text"],
        "warnings": [],
    }
