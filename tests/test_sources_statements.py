"""Statements files: every good line becomes a statement, every bad one is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import StatementsError
from kb.model import Evidence, Statement
from kb.sources import statements as module
from kb.sources.statements import load_statements


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "given.jsonl"


def faults(file: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(StatementsError) as caught:
        load_statements(file)
    assert all(fault.file == str(file) for fault in caught.value.faults)
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_a_statement_on_a_page_has_the_page_as_source_and_its_quote_without_a_place(file: Path) -> None:
    file.write_text(
        '{"page": "d/checkout", "subject": " a ", "relation": "needs", "object": "b", "quote": "A needs B."}\n'
    )
    assert load_statements(file) == (Statement("a", "needs", "b", "d/checkout", Evidence("A needs B.", -1, -1)),)


@pytest.mark.parametrize("page", ['"page": null, ', ""])
def test_a_statement_on_no_page_has_the_file_as_source(file: Path, page: str) -> None:
    file.write_text(f'{{{page}"subject": "a", "relation": "needs", "object": "b", "n_sentence": 0, "quote": null}}')
    assert load_statements(file) == (Statement("a", "needs", "b", "given.jsonl", from_page=False),)


def test_byte_order_mark_crlf_and_empty_lines_are_passed_over(file: Path) -> None:
    line = json.dumps({"page": "p", "subject": "ä", "relation": "r", "object": "o"}, ensure_ascii=False)
    file.write_bytes(b"\xef\xbb\xbf" + f"{line}\r\n\r\n  \n{line}".encode())
    assert load_statements(file) == (Statement("ä", "r", "o", "p"),) * 2


def test_an_empty_file_has_no_statements(file: Path) -> None:
    file.write_bytes(b"")
    assert load_statements(file) == ()


def test_every_malformed_line_is_listed_with_its_number_and_what_to_write(file: Path) -> None:
    good = {"page": "p", "subject": "a", "relation": "r", "object": "b"}
    lines = [
        json.dumps(good),
        "{not json",
        "[1]",
        json.dumps({**good, "subject": " "}),
        json.dumps({"page": "p", "object": "b"}),
        json.dumps({**good, "page": 7, "quote": ["q"]}),
        json.dumps({**good, "object": "\ud800"}),
        json.dumps({**good, "object": "a\u0000"}),
        "[" * 100_000,
        "NaN",
    ]
    file.write_text("\n".join(lines))
    found = faults(file)
    assert [line for line, _ in found] == list(range(2, 11))
    said = ["not valid JSON", "not a JSON object", "subject must be", "subject is missing, relation is missing"]
    said += [
        "page must be a text or null, quote must be a text or null",
        "U+D800",
        "U+0000",
        "not valid JSON",
        "object",
    ]
    for (_, message), words in zip(found, said, strict=True):
        assert words in message
        assert "write {page, subject, relation, object, quote}" in message


def test_bytes_that_are_no_utf8_are_named_with_their_line(file: Path) -> None:
    good = b'{"page": "p", "subject": "a", "relation": "r", "object": "b"}\n'
    file.write_bytes(good + good.replace(b'"a"', b'"\xff"'))
    assert faults(file) == [(2, "is not UTF-8 (byte 26 of the line); save the file as UTF-8")]
    file.write_bytes(good.decode().encode("utf-16"))
    assert "UTF-16" in faults(file)[0][1]


def test_a_line_without_end_is_a_fault_and_is_not_taken_in_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 100)
    good = '{"page": "p", "subject": "a", "relation": "r", "object": "b"}\n'
    file.write_text(good + "x" * 1050 + "\n" + good)
    assert [line for line, _ in faults(file)] == [2]


def test_a_file_that_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(StatementsError, match=r"no\.jsonl: No such file or directory; check the path"):
        load_statements(tmp_path / "no.jsonl")
    with pytest.raises(StatementsError, match="check the path"):
        load_statements(tmp_path)


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1).map(str.strip).filter(bool)


@given(
    found=st.lists(
        st.tuples(st.none() | _TEXT, _TEXT, _TEXT, _TEXT, st.none() | _TEXT),
        max_size=5,
    ),
    ascii_only=st.booleans(),
)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    found: list[tuple[str | None, str, str, str, str | None]],
    ascii_only: bool,
) -> None:
    file = tmp_path_factory.getbasetemp() / "round.jsonl"
    keys = ("page", "subject", "relation", "object", "quote")
    lines = [json.dumps(dict(zip(keys, one, strict=True)), ensure_ascii=ascii_only) for one in found]
    file.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    expected = [
        Statement(
            s, r, o, page or "round.jsonl", Evidence(quote, -1, -1) if quote else None, from_page=page is not None
        )
        for page, s, r, o, quote in found
    ]
    assert list(load_statements(file)) == expected


@given(data=st.binary(max_size=80))
def test_any_bytes_are_statements_or_a_statements_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.jsonl"
    file.write_bytes(data)
    try:
        load_statements(file)
    except StatementsError as err:
        assert err.faults  # noqa: PT017
