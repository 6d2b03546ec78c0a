"""Statements given as a file instead of being read from pages: one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path

from kb.errors import Fault, StatementsError
from kb.model import Evidence, Statement
from kb.sources._text import decode, printable, unstorable

__all__ = ["MAX_LINE_BYTES", "load_statements"]

MAX_LINE_BYTES = 1_000_000
"""The longest line that is read. A statement with its quote takes some hundred bytes."""

_WANTED = "write {page, subject, relation, object, quote}"


def load_statements(path: Path) -> tuple[Statement, ...]:
    """Reads lines `{"page", "subject", "relation", "object", "quote"}`.

    `page` is a page id; null or absent where the statement is on no page: its source is then the file's name. `quote`
    may be null or absent; a quote's place in the page is not known yet (start and end are -1). Other keys and empty
    lines are passed over. Raises StatementsError listing every malformed line.
    """
    name = printable(path.name)
    statements: list[Statement] = []
    faults: list[Fault] = []
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                found = _statement(line, number, name)
                if isinstance(found, Statement):
                    statements.append(found)
                elif found is not None:
                    faults.append(Fault(printable(str(path)), number, found))
                while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE_BYTES + 1)
    except OSError as err:
        raise StatementsError(
            "statements cannot be read:", [Fault(printable(str(path)), None, f"{err.strerror or err}; check the path")]
        ) from err
    if faults:
        count = "one line" if len(faults) == 1 else f"{len(faults)} lines"
        raise StatementsError(f"{count} of the statements cannot be used:", faults)
    return tuple(statements)


def _statement(line: bytes, number: int, name: str) -> Statement | str | None:
    """The statement of one line, what is wrong with it, or None for an empty line."""
    if len(line) > MAX_LINE_BYTES:
        return f"is longer than {MAX_LINE_BYTES:,} bytes; {_WANTED} on one line each"
    text = decode(line, name) if number == 1 else _plain_utf8(line)
    if not isinstance(text, str):
        return text.message
    if not text.strip():
        return None
    try:
        data = json.loads(text)
    except json.JSONDecodeError as err:
        return f"is not valid JSON: {err.msg} (column {err.colno}); {_WANTED} on one line each"
    except (RecursionError, ValueError) as err:
        return f"is not valid JSON: {err}; {_WANTED} on one line each"
    if not isinstance(data, dict):
        return f"is not a JSON object; {_WANTED}"
    wrong: list[str] = []
    for key in ("subject", "relation", "object"):
        value = data.get(key)
        if not isinstance(value, str) or not value.strip():
            wrong.append(f"{key} is missing" if value is None else f"{key} must be a text that is not empty")
    wrong.extend(
        f"{key} must be a text or null" for key in ("page", "quote") if not isinstance(data.get(key), str | None)
    )
    wrong.extend(
        f"{key} holds the character {bad}, which no RDF file can hold"
        for key in ("page", "subject", "relation", "object", "quote")
        if isinstance(data.get(key), str) and (bad := unstorable(data[key])) is not None
    )
    if wrong:
        return f"{', '.join(wrong)}; {_WANTED}"
    page, quote = data.get("page") or None, data.get("quote") or None
    return Statement(
        subject=data["subject"].strip(),
        relation=data["relation"].strip(),
        object=data["object"].strip(),
        source=page or name,
        evidence=None if quote is None else Evidence(quote, -1, -1),
        from_page=page is not None,
    )


def _plain_utf8(line: bytes) -> str | Fault:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as err:
        return Fault("", None, f"is not UTF-8 (byte {err.start} of the line); save the file as UTF-8")
