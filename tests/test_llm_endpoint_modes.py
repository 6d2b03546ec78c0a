"""How an endpoint wants to be asked is found out by asking, once, and remembered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fake_endpoint as does
import pytest
from endpoint_help import KEY, PLAIN, SCHEMA, SHAPED, endpoint, said
from fake_endpoint import FakeEndpoint

from kb.llm import Message, Prompt

SCHEMA_OUT = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def formats(fake: FakeEndpoint) -> list[str]:
    return [(one.get("response_format") or {}).get("type", "text") for one in fake.requests]


@pytest.mark.parametrize(
    ("support", "asked"),
    [
        ("json_schema", ["json_schema", "json_schema"]),
        ("json_object", ["json_schema", "json_object", "json_object"]),
        ("llama_cpp", ["json_schema", "json_object", "json_object"]),
        ("none", ["json_schema", "json_object", "text", "text"]),
    ],
)
def test_the_format_is_found_by_the_first_request_and_kept(support: str, asked: list[str], tmp_path: Path) -> None:
    modes = tmp_path / "journal" / "endpoint.json"
    with FakeEndpoint(schema_support=support) as fake:
        for _ in range(2):
            with endpoint(fake, modes=modes) as chat:
                assert chat.ask(SHAPED)
                assert chat.usage.modes == (asked[-1],)
        assert formats(fake) == asked
        assert fake.requests[0]["messages"] == fake.requests[-1]["messages"]
        assert json.loads(modes.read_text()) == {
            f"{fake.base_url} small": {"format": asked[-1], "limit": "max_tokens", "strict": True, "temperature": True}
        }
        assert [one.name for one in modes.parent.iterdir()] == ["endpoint.json"]


def test_a_schema_goes_out_named_and_strict() -> None:
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        chat.ask(SHAPED)
        chat.ask(PLAIN)
        assert [one.get("response_format") for one in fake.requests] == [SCHEMA_OUT, None]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"name": {}}, "additionalProperties": False},
        {"type": "object", "properties": {"name": {}}, "required": ["name"]},
        {"type": "array", "items": {"type": "object"}},
        {"oneOf": [{"type": "string"}]},
    ],
)
def test_a_schema_that_strict_mode_does_not_take_goes_out_without_it(schema: Mapping[str, Any]) -> None:
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        chat.ask(Prompt(PLAIN.messages, {**schema, "title": "A plan!"}))
        shape = fake.requests[0]["response_format"]["json_schema"]
        assert (shape["strict"], shape["name"]) == (False, "A_plan_")


def test_a_schema_that_is_too_much_for_strict_mode_is_sent_without_it() -> None:
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        fake.misbehave(does.status(400, "Invalid schema for response_format 'reply': 900 enum values are too many"))
        assert chat.ask(SHAPED)
        assert [one["response_format"]["json_schema"]["strict"] for one in fake.requests] == [True, False]


def test_concurrent_first_requests_probe_once() -> None:
    with (
        FakeEndpoint(latency=0.01, schema_support="none") as fake,
        endpoint(fake, workers=16) as chat,
        ThreadPoolExecutor(16) as pool,
    ):
        assert len(list(pool.map(lambda _: chat.ask(SHAPED), range(32)))) == 32
        assert formats(fake) == ["json_schema", "json_object"] + ["text"] * 32


def test_a_server_that_is_silent_at_first_does_not_queue_everybody() -> None:
    with FakeEndpoint() as fake, endpoint(fake, workers=8, timeout=0.3) as chat, ThreadPoolExecutor(8) as pool:
        fake.misbehave(*[does.hang(5)] * 8)
        assert len(list(pool.map(lambda _: chat.ask(SHAPED), range(8)))) == 8
        assert len(fake.requests) == 16


@pytest.mark.parametrize(
    ("wanted", "support", "asked"),
    [
        ("json_object", "json_schema", ["json_object"]),
        ("json_object", "none", ["json_object", "text"]),
        ("text", "json_schema", ["text"]),
    ],
)
def test_a_format_that_kb_toml_names_is_where_asking_starts(
    wanted: str, support: str, asked: list[str], tmp_path: Path
) -> None:
    modes = tmp_path / "endpoint.json"
    with FakeEndpoint(schema_support=support) as fake:
        with endpoint(fake, modes=modes, response_format=wanted) as chat:
            chat.ask(SHAPED)
        assert formats(fake) == asked
        fake.schema_support = "json_schema"
        with endpoint(fake, modes=modes) as chat:
            chat.ask(SHAPED)
        assert formats(fake)[-1] == "json_schema"


def test_a_format_that_is_not_taken_any_more_is_left() -> None:
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        chat.ask(SHAPED)
        fake.schema_support = "json_object"
        chat.ask(SHAPED)
        chat.ask(SHAPED)
        assert formats(fake) == ["json_schema", "json_schema", "json_object", "json_object"]


PYDANTIC = {
    "detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted", "input": "max_tokens"}]
}


@pytest.mark.parametrize(
    ("refusal", "gone", "new"),
    [
        (does.refused_parameter("max_tokens"), "max_tokens", {"max_completion_tokens": 4096}),
        (
            does.status(400, "Unrecognized request argument supplied: max_tokens"),
            "max_tokens",
            {"max_completion_tokens": 4096},
        ),
        (
            does.status(400, "Unsupported value: 'temperature' does not support 0 with this model."),
            "temperature",
            {},
        ),
        (does.body(PYDANTIC, 422), "temperature", {}),
    ],
)
def test_a_parameter_that_is_refused_is_left_out_from_then_on(
    refusal: does.Misbehaviour, gone: str, new: dict[str, int], tmp_path: Path
) -> None:
    modes = tmp_path / "endpoint.json"
    with FakeEndpoint() as fake:
        fake.misbehave(refusal)
        for _ in range(2):
            with endpoint(fake, modes=modes) as chat:
                chat.ask(PLAIN)
                assert chat.usage.retries == 0
        first, *later = fake.requests
        assert len(later) == 2
        assert later == [{name: value for name, value in first.items() if name != gone} | new] * 2


def test_a_parameter_that_is_refused_both_ways_is_an_error() -> None:
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        fake.misbehave(does.refused_parameter("max_tokens"), does.refused_parameter("max_completion_tokens"))
        assert "'max_completion_tokens' is not supported" in said(fake, lambda: chat.ask(PLAIN))
        assert len(fake.requests) == 2


def test_words_of_a_page_that_an_error_repeats_are_no_refusal() -> None:
    prompt = Prompt((Message("user", "temperature and max_tokens are not supported"),))
    with FakeEndpoint() as fake, endpoint(fake) as chat:
        fault = {"loc": ["body", "messages"], "msg": "is wrong", "input": prompt.messages[0].content}
        fake.misbehave(does.body({"detail": [fault]}, 422))
        assert said(fake, lambda: chat.ask(prompt)).endswith("asked once: status 422: messages: is wrong")
        assert len(fake.requests) == 1


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff", b'{"ADDRESS small": 3}', b'{"ADDRESS small": {"format": "xml"}}']
)
def test_a_damaged_file_costs_a_probe_and_is_mended(damage: bytes, tmp_path: Path) -> None:
    modes = tmp_path / "endpoint.json"
    with FakeEndpoint(schema_support="json_object") as fake:
        modes.write_bytes(damage.replace(b"ADDRESS", fake.base_url.encode()))
        with endpoint(fake, modes=modes) as chat:
            assert chat.ask(SHAPED)
        assert json.loads(modes.read_text())[f"{fake.base_url} small"]["format"] == "json_object"


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with FakeEndpoint() as fake, endpoint(fake, modes=tmp_path / "file" / "endpoint.json") as chat:
        assert chat.ask(SHAPED)


def test_a_folder_that_is_read_only_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "write_text", refuse)
    with FakeEndpoint() as fake, endpoint(fake, modes=tmp_path / "endpoint.json") as chat:
        assert chat.ask(SHAPED)
    assert list(tmp_path.iterdir()) == []


def test_what_other_endpoints_are_known_for_stays_and_no_secret_is_written(tmp_path: Path) -> None:
    modes = tmp_path / "endpoint.json"
    modes.write_text('{"http://other.example/v1 large": {"format": "text"}}')
    with FakeEndpoint() as fake:
        with endpoint(fake, modes=modes, base_url=fake.base_url.replace("//", "//me:pass@")) as chat:
            chat.ask(SHAPED)
        written = modes.read_text()
    assert set(json.loads(written)) == {"http://other.example/v1 large", f"{fake.base_url} small"}
    assert "pass" not in written
    assert KEY not in written
