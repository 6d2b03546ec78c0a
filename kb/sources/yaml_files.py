"""YAML and JSON files as trees of nodes that know their line.

Trees are built from parser events instead of by `yaml.compose`, which takes three times as long and follows aliases and
nesting before anything could stop it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import Fault
from kb.sources._nodes import Builder, Fields, Items, Node, Scalar, StopReading
from kb.sources._text import decode, read_bytes

if TYPE_CHECKING:
    import yaml

__all__ = ["MAX_FILE_BYTES", "Document", "Fields", "Items", "Node", "Scalar", "parse_documents", "read_file"]

MAX_FILE_BYTES = 64_000_000
"""The longest YAML or JSON file that is read: nodes take some fifty times the memory of their text."""


@dataclass(frozen=True, slots=True)
class Document:
    """What one file holds: the roots of its documents, and what is wrong with it. `data` are its bytes."""

    shown: str
    data: bytes
    text: str
    roots: tuple[Node, ...]
    faults: tuple[Fault, ...]


def read_file(path: Path, shown: str) -> Document:
    """Reads a file as JSON when its suffix says so, else as YAML. Never raises: faults stand in the result."""
    data = read_bytes(path, shown, MAX_FILE_BYTES, "file")
    if isinstance(data, Fault):
        return Document(shown, b"", "", (), (data,))
    text = decode(data, shown)
    if isinstance(text, Fault):
        return Document(shown, data, "", (), (text,))
    roots, faults = parse_documents(text, shown, as_json=path.suffix.lower() == ".json")
    return Document(shown, data, text, roots, faults)


def parse_documents(text: str, shown: str, *, as_json: bool = False) -> tuple[tuple[Node, ...], tuple[Fault, ...]]:
    """The documents of a text and its faults. What was complete before a syntax error is kept."""
    builder = Builder(shown)
    try:
        if as_json:
            _build_json(text, builder)
        else:
            _build_yaml(text, builder)
    except StopReading:
        pass
    return tuple(builder.roots), tuple(builder.faults)


def _build_yaml(text: str, builder: Builder) -> None:
    # Imported here, so that commands which only ask do not pay for it.
    import yaml
    from yaml import events as ev

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    event: Any
    try:
        # `yaml.parse` asks twice for every event.
        next_event = loader(text).get_event
        while (event := next_event()) is not None:
            kind = type(event)
            if kind is ev.ScalarEvent:
                builder.scalar(event.start_mark.line + 1, event.value, event.implicit[0], event.anchor)
            elif kind is ev.MappingStartEvent:
                builder.open(Fields(event.start_mark.line + 1), event.anchor)
            elif kind is ev.SequenceStartEvent:
                builder.open(Items(event.start_mark.line + 1), event.anchor)
            elif kind is ev.MappingEndEvent or kind is ev.SequenceEndEvent:
                builder.close()
            elif kind is ev.AliasEvent:
                builder.alias(event.start_mark.line + 1, event.anchor)
            elif kind is ev.DocumentEndEvent:
                builder.end_document()
    except yaml.YAMLError as err:
        line, problem = _yaml_problem(err, text)
        lines = text.splitlines()
        at = lines[line - 1] if line is not None and 0 < line <= len(lines) else ""
        tab = "\t" in at[: len(at) - len(at.lstrip())]
        hint = "indent with spaces, not with tabs" if tab else "put quotes around texts that hold ': ' or signs"
        builder.faults.append(Fault(builder.shown, line, f"is not valid YAML: {problem}; {hint}"))


_NO_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _yaml_problem(err: yaml.YAMLError, text: str) -> tuple[int | None, str]:
    mark = getattr(err, "problem_mark", None)
    if mark is not None:
        problem, context = (getattr(err, name, None) or "" for name in ("problem", "context"))
        opened = getattr(err, "context_mark", None)
        if context and opened is not None and opened.line < mark.line:
            # Where the text ends, what was opened is the place to look at.
            context += f" that opens on line {opened.line + 1}"
        lines = text.count("\n") + (not text.endswith("\n"))
        return min(mark.line + 1, lines), f"{problem} {context}".strip() or "syntax error"
    # The reader counts bytes or characters, by the implementation; look for the character instead.
    bad = _NO_YAML.search(text)
    if bad is None:
        return None, " ".join(str(err).split())
    return text.count("\n", 0, bad.start()) + 1, f"character U+{ord(bad.group()):04X} is not allowed"


_JSON_TOKEN = re.compile(r'[ \t\n\r,:]*(?:([{}\[\]])|(")|([^\s,:{}\[\]"]+))')


def _build_json(text: str, builder: Builder) -> None:
    """JSON is read by its own rules: YAML's reader stops at tabs, at long keys and at characters beyond 16 bits."""
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as err:
        builder.stop(err.lineno, f"is not valid JSON: {err.msg} (column {err.colno})")
    except RecursionError:
        builder.stop(1, "is nested too deeply; no catalogue needs that")
    except ValueError as err:
        builder.stop(1, f"is not valid JSON: {err}")
    line, at = 1, 0
    while (found := _JSON_TOKEN.match(text, at)) is not None:
        start = found.start(found.lastindex or 0)
        line += text.count("\n", at, start)
        at = found.end()
        bracket, quote, bare = found.groups()
        if bracket == "{":
            builder.open(Fields(line))
        elif bracket == "[":
            builder.open(Items(line))
        elif bracket:
            builder.close()
        elif quote:
            value, at = scanstring(text, at)
            builder.scalar(line, value, plain=False)
        else:
            builder.scalar(line, bare, plain=True)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
