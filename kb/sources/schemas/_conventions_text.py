"""What notes, requirement levels and deprecations of semantic conventions say, as caveats."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.sources.schemas._reading import one_line, value_text
from kb.sources.yaml_files import Fields, Node, Scalar

__all__ = ["demanded", "deprecation", "plain", "requirement", "split_note"]

_LINK = re.compile(r"!?\[([^\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
# GitHub's boxes, such as > [!WARNING] above the lines of the box.
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_BOX = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
# The words of RFC 2119 count where they are written in capitals.
_DEMANDS = (
    ("high", re.compile(r"\b(?:MUST|SHALL|REQUIRED)\b")),
    ("medium", re.compile(r"\b(?:SHOULD|RECOMMENDED)\b")),
    ("low", re.compile(r"\b(?:MAY|OPTIONAL)\b")),
)
_LONG_NOTE = 1000
_MANY_ITEMS = 4
_LONGEST_LEAD = 200


def plain(text: str) -> str:
    """A text on one line, with what links say instead of where they lead, and without the marks of quoted lines."""
    unquoted = _BOX.sub(lambda box: f"{box[1].capitalize()}:", _QUOTED.sub("", text))
    return one_line(_LINK.sub(r"\1", unquoted))


def demanded(text: str) -> str:
    """How severe it is to ignore a text, by the strongest of its MUST, SHOULD and MAY."""
    return next((severity for severity, words in _DEMANDS if words.search(text)), "info")


def split_note(text: str) -> list[str]:
    """A note on one line; the items of a long list in a long note each by themselves, behind what leads to them."""
    if len(text) <= _LONG_NOTE:
        return [plain(text)]
    blocks = list(_blocks(text))
    if sum(is_item for is_item, _ in blocks) < _MANY_ITEMS:
        return [plain(text)]
    pieces: list[str] = []
    said: list[str] = []
    lead = ""
    for is_item, block in blocks:
        if is_item and not lead and said and said[-1].endswith(":") and len(said[-1]) <= _LONGEST_LEAD:
            lead = said.pop()
        if is_item and said:
            pieces.append(" ".join(said))
            said = []
        if is_item:
            pieces.append(f"{lead} {block}".strip())
        else:
            lead = ""
            said.append(block)
    if said:
        pieces.append(" ".join(said))
    return pieces


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Paragraphs and items of the outermost lists, as (whether it is an item, text on one line)."""
    lines: list[str] = []
    in_item = False
    for line in [*text.splitlines(), ""]:
        marker = _ITEM.match(line)
        ends = marker is not None or (not in_item and not line.strip()) or (in_item and _leaves_item(line, lines))
        if ends and any(one.strip() for one in lines):
            yield in_item, plain("\n".join(lines))
        if ends:
            lines, in_item = [], marker is not None
        lines.append(line[marker.end() :] if marker else line)
    if any(one.strip() for one in lines):
        yield in_item, plain("\n".join(lines))


def _leaves_item(line: str, before: list[str]) -> bool:
    """Whether a line is no longer part of a list's item: it follows an empty line and is not indented."""
    return bool(line.strip()) and not line.startswith("  ") and bool(before) and not before[-1].strip()


def requirement(node: Node | None) -> tuple[str, str] | None:
    """(severity, summary without the name) of a requirement level that comes with a condition."""
    if not isinstance(node, Fields):
        return None
    for level, severity, words in (
        ("conditionally_required", "high", "required under a condition"),
        ("required", "high", "required"),
        ("recommended", "medium", "recommended under a condition"),
        ("opt_in", "low", "left out unless it is asked for"),
    ):
        text = plain(value_text(node.fields.get(level)))
        if text:
            return severity, f"{words}: {text}"
    return None


def deprecation(node: Node | None) -> tuple[str, str] | None:
    """(severity, summary without the name) of what is deprecated. Older files give a text alone."""
    if isinstance(node, Scalar):
        text = plain(value_text(node))
        return ("medium", f"deprecated: {text}") if text else None
    if not isinstance(node, Fields):
        return None
    reason, new, note = (plain(value_text(node.fields.get(key))) for key in ("reason", "renamed_to", "note"))
    if new:
        said = f"deprecated: renamed to `{new}`, use that"
    elif note:
        said = "deprecated"
    else:
        said = f"deprecated: {reason or 'do not use it'}"
    return ("high" if reason in ("obsoleted", "removed") else "medium"), f"{said}: {note}" if note else said
