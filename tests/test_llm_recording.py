"""Replies in a file: what was recorded is what is replayed, and what is missing or damaged is named."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import LlmError, ReplayError
from kb.llm import Message, Prompt, Reply
from kb.llm.journal import Journal, Journaled
from kb.llm.recording import Recorder, Replay
from kb.llm.usage import Usage

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
NUMBER = st.integers(0, 10**9)
PROMPTS = st.builds(
    Prompt,
    st.tuples(st.builds(Message, st.sampled_from(["system", "user"]), TEXT)),
    st.sampled_from([None, {"type": "object"}]),
    st.sampled_from([None, 64]),
    st.sampled_from(["read", "plan"]),
    TEXT,
)
REPLIES = st.builds(Reply, TEXT, NUMBER, NUMBER, st.sampled_from(["stop", "length"]), TEXT)


class Model:
    """Gives these replies in turn."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.asked = list(replies), 0

    def ask(self, prompt: Prompt) -> Reply:
        self.asked += 1
        return self.replies[(self.asked - 1) % len(self.replies)]

    def forget(self, prompt: Prompt) -> None:
        pass


def prompt(text: str, label: str = "shop", purpose: str = "read") -> Prompt:
    return Prompt((Message("user", text),), purpose=purpose, label=label)


def recorded(path: Path, *prompts: Prompt) -> Path:
    recorder = Recorder(Model(Reply("one", 5, 1), Reply("two", 6, 2)), path, "small")
    for one in prompts:
        recorder.ask(one)
    recorder.save()
    return path


@given(st.lists(st.tuples(PROMPTS, REPLIES), max_size=6, unique_by=lambda pair: repr(pair[0].messages)))
def test_what_was_recorded_is_replayed(pairs: list[tuple[Prompt, Reply]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "replies.jsonl"
        recorder = Recorder(Model(*(reply for _, reply in pairs)), path, "small")
        for one, _ in pairs:
            recorder.ask(one)
        recorder.save()
        replay = Replay(path, "small")
        assert replay.unused() == sorted((one.purpose, one.label) for one, _ in pairs)
        for one, reply in pairs:
            assert replay.ask(one) == reply
            assert not replay.ask(one).paid
        assert replay.unused() == []


def test_lines_stand_in_one_order_whatever_order_the_replies_came_in(tmp_path: Path) -> None:
    prompts = [prompt("a", "z"), prompt("b", "a"), prompt("c", "q", "plan"), prompt("d", "a")]

    class Echo(Model):
        def ask(self, prompt: Prompt) -> Reply:
            return Reply(prompt.messages[0].content)

    for name, order in (("one", prompts), ("two", prompts[::-1])):
        recorder = Recorder(Echo(), tmp_path / name, "small")
        for one in order:
            recorder.ask(one)
        recorder.save()
    data = (tmp_path / "one").read_bytes()
    assert data == (tmp_path / "two").read_bytes()
    head, *rows = [json.loads(line) for line in data.splitlines()]
    assert head == {"kb_recording": 1, "model": "small"}
    assert [(row["purpose"], row["label"]) for row in rows] == [
        ("plan", "q"),
        ("read", "a"),
        ("read", "a"),
        ("read", "z"),
    ]
    assert set(rows[0]) == {
        "request", "purpose", "label", "text", "prompt_tokens", "completion_tokens", "finish", "model"
    }  # fmt: skip


def test_replies_of_the_journal_are_recorded_and_each_once(tmp_path: Path) -> None:
    path, model = tmp_path / "replies.jsonl", Model(Reply("one"))
    with Journal(tmp_path / "j.sqlite") as journal:
        Journaled(model, journal, "small", Usage()).ask(prompt("a"))
        recorder = Recorder(Journaled(model, journal, "small", Usage()), path, "small")
        recorder.ask(prompt("a"))
        recorder.ask(prompt("a"))
        recorder.save()
    assert (model.asked, len(path.read_text(encoding="utf-8").splitlines())) == (1, 2)


def test_an_unreadable_reply_and_the_one_after_the_objection_are_both_replayed(tmp_path: Path) -> None:
    path, first = tmp_path / "replies.jsonl", prompt("a")
    second = first.and_then("nonsense", "No JSON.")
    with Journal(tmp_path / "j.sqlite") as journal:
        chat = Journaled(Model(Reply("nonsense"), Reply("{}")), journal, "small", Usage())
        recorder = Recorder(chat, path, "small")
        recorder.ask(first)
        recorder.forget(first)
        recorder.ask(second)
        recorder.save()
    replay = Replay(path, "small")
    assert replay.ask(first).text == "nonsense"
    replay.forget(first)
    assert [replay.ask(first).text, replay.ask(second).text] == ["nonsense", "{}"]


def test_a_recording_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = recorded(tmp_path / "replies.jsonl", prompt("a"))
    before = path.read_bytes()

    def full(_self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    recorder = Recorder(Model(Reply("x")), path, "small")
    recorder.ask(prompt("b"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(LlmError, match=r"replies\.jsonl: cannot be written: No space left"):
            recorder.save()
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["replies.jsonl"]


def test_a_folder_that_is_missing_is_told_before_anything_is_paid(tmp_path: Path) -> None:
    with pytest.raises(LlmError, match="no such folder"):
        Recorder(Model(Reply("x")), tmp_path / "absent" / "replies.jsonl", "small")


def test_a_missing_reply_names_what_it_is_about_and_why(tmp_path: Path) -> None:
    replay = Replay(recorded(tmp_path / "replies.jsonl", prompt("a", "shop")), "small")
    with pytest.raises(ReplayError, match=r"no reply for 'cart' \(read\); it was recorded without it"):
        replay.ask(prompt("a", "cart", "read").and_then("x", "y"))
    with pytest.raises(ReplayError, match=r"no reply for 'shop' \(read\); .*page, ontology or settings differ"):
        replay.ask(prompt("another text", "shop"))


def test_another_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r":1: recorded with model 'small', but kb\.toml says 'large'"):
        Replay(recorded(tmp_path / "replies.jsonl", prompt("a")), "large")


HEAD = b'{"kb_recording": 1, "model": "small"}\n'


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", ":1: no recording"),
        (b"[]\n", ":1: no JSON object"),
        (b"{}\n", ":1: no recording; `kb build --record"),
        (b"\xff\xfe\n", ":1: no JSON"),
        (b'{"kb_recording": 2, "model": "small"}\n', ":1: a recording of format 2; this version reads 1"),
        (HEAD + b'\n\n{"request": "a"}\n', ":4: a reply needs request, label"),
        (HEAD + b'{"request": "a", "lab', ":2: no JSON; the recording is damaged, record it anew"),
        (HEAD + b"[" * 100_000, ":2: no JSON"),
    ],
)
def test_a_damaged_recording_is_told_with_its_line(data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(data)
    with pytest.raises(ReplayError) as error:
        Replay(path, "small")
    assert str(error.value).startswith(f"{path}{told}")


def test_a_recording_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"absent\.jsonl: cannot be read: No such file"):
        Replay(tmp_path / "absent.jsonl", "small")
