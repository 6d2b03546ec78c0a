"""The own format, `.schema.yaml`: one concept with its fields and caveats a document."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from datetime import date

from kb.model import Caveat, SchemaField, SchemaNote
from kb.sources._collect import meant
from kb.sources._text import clipped
from kb.sources.schemas._reading import FileReading, kind_of, listed, one_line
from kb.sources.yaml_files import Fields, Items, Node, Scalar

__all__ = ["DOCUMENT_KEYS", "looks_like_note", "read_notes"]

DOCUMENT_KEYS = ("concept", "description", "review", "counts", "fields", "caveats")
REVIEW_KEYS = ("status", "by", "on", "confirmed", "disputed")
STATUSES = ("draft", "reviewed", "outdated")
COUNT_KEYS = ("fields", "caveats")
FIELD_KEYS = ("id", "name", "type", "value_type", "description")
CAVEAT_KEYS = ("id", "severity", "summary", "evidence", "applies_to")
SEVERITIES = ("info", "low", "medium", "high", "critical")

_FIELD_FORM = "{id, name, type, description}"
_CAVEAT_FORM = "{id, severity, summary, evidence, applies_to}"
_CONCEPT = re.compile(r"\w[\w./-]*")
_NOT_IN_CONCEPT = re.compile(r"[^\w./-]+")
_LONGEST_ID = 200
_LONGEST_WORD = 40


def looks_like_note(root: Node, *, named: bool = False) -> bool:
    """Whether a document is meant as a note in this format. `named` says that its file is called like one."""
    if not isinstance(root, Fields):
        return False
    keys = root.fields.keys()
    return "concept" in keys or {"fields", "caveats"} <= keys or (named and not keys.isdisjoint(("fields", "caveats")))


def read_notes(roots: Iterable[Node], reading: FileReading) -> list[SchemaNote]:
    """The notes of a file. Of what is wrong, everything is told; what is read is then of no use."""
    notes: list[SchemaNote] = []
    lines: dict[str, int] = {}
    for root in roots:
        if isinstance(root, Scalar) and root.empty:
            continue
        if not isinstance(root, Fields):
            reading.fault(root.line, f"a note must be a mapping that begins with `concept:`, not {kind_of(root)}")
            continue
        note = _note(root, reading)
        if note is None:
            continue
        if note.concept in lines:
            reading.fault(
                root.lines["concept"],
                f"concept {clipped(note.concept)} stands on line {lines[note.concept]} already; give it another id, "
                "or put both into one note",
            )
            continue
        lines[note.concept] = root.lines["concept"]
        notes.append(note)
    return notes


def _note(root: Fields, reading: FileReading) -> SchemaNote | None:
    reading.check_keys(root, DOCUMENT_KEYS, "a note")
    concept = _concept(root, reading)
    description = reading.text(root.fields.get("description"), "description")
    review = _review(root, reading)
    records = reading.records(root, "fields", _FIELD_FORM)
    warnings = reading.records(root, "caveats", _CAVEAT_FORM)
    lines: dict[str, int] = {}
    fields = [one for record in records if (one := _field(record, lines, reading)) is not None]
    known = {one.id: None for one in fields}
    caveats = [caveat for record in warnings if (caveat := _caveat(record, lines, known, reading)) is not None]
    _check_counts(root, {"fields": len(records), "caveats": len(warnings)}, reading)
    if concept is None:
        return None
    if not (fields or caveats or description):
        reading.warn(root.line, f"the note on {clipped(concept)} says nothing; add a description, fields or caveats")
    return SchemaNote(concept, description, tuple(fields), tuple(caveats), review, reading.shown, root.line)


def _concept(root: Fields, reading: FileReading) -> str | None:
    told = len(reading.faults)
    text = reading.text(root.fields.get("concept"), "concept")
    if text is None:
        if len(reading.faults) == told:
            reading.fault(
                root.lines.get("concept", root.line), "concept is missing; write `concept:` and the id of the note"
            )
        return None
    if not _CONCEPT.fullmatch(text) or len(text) > _LONGEST_ID:
        better = _NOT_IN_CONCEPT.sub("_", text).strip("_./-")[:_LONGEST_ID]
        hint = f"; write {better}" if better and better != text else ""
        reading.fault(
            root.lines["concept"],
            f"concept {clipped(text)} must be letters, digits, _ - . and / that begin with a letter or digit, "
            f"{_LONGEST_ID} at most{hint}",
        )
        return None
    return text


def _review(root: Fields, reading: FileReading) -> dict[str, str]:
    node = root.fields.get("review")
    if node is None or (isinstance(node, Scalar) and node.empty):
        return {}
    if not isinstance(node, Fields):
        reading.fault(node.line, f"review must be a mapping such as {{status: reviewed}}, not {kind_of(node)}")
        return {}
    reading.check_keys(node, REVIEW_KEYS, "review")
    found: dict[str, str] = {}
    for key in REVIEW_KEYS:
        value = node.fields.get(key)
        if key in ("confirmed", "disputed"):
            number = reading.count(value, f"review: {key}")
            text = None if number is None else str(number)
        else:
            text = reading.text(value, f"review: {key}")
        if text is not None:
            found[key] = one_line(text)
    status, day = found.get("status"), found.get("on")
    if status is not None and status not in STATUSES:
        reading.fault(node.lines["status"], f"review: status {clipped(status)} is unknown; {meant(status, STATUSES)}")
    if day is not None and not _is_date(day):
        reading.fault(node.lines["on"], f"review: on must be a date such as 2026-05-31, not {clipped(day)}")
    return found


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_counts(root: Fields, held: dict[str, int], reading: FileReading) -> None:
    """Counts are told twice so that a file that was cut off, or merged badly, does not pass for a whole one."""
    node = root.fields.get("counts")
    if node is None or (isinstance(node, Scalar) and node.empty):
        return
    if not isinstance(node, Fields):
        reading.fault(node.line, f"counts must be a mapping such as {{fields: 5, caveats: 3}}, not {kind_of(node)}")
        return
    reading.check_keys(node, COUNT_KEYS, "counts")
    for key in COUNT_KEYS:
        number = reading.count(node.fields.get(key), f"counts: {key}")
        if number is not None and number != held[key]:
            cut = "it may have been cut off; restore it, or " if number > held[key] else ""
            reading.fault(
                node.lines[key],
                f"counts says {number} {key}, but the note holds {held[key]}: {cut}correct the count",
            )


def _id(record: Fields, what: str, lines: dict[str, int], reading: FileReading) -> str | None:
    told = len(reading.faults)
    text = reading.text(record.fields.get("id"), f"id of a {what}")
    if text is None:
        if len(reading.faults) == told:
            reading.fault(record.lines.get("id", record.line), f"id of this {what} is missing; add it")
        return None
    line = record.lines["id"]
    if len(text) > _LONGEST_ID or "\n" in text or "\r" in text:
        reading.fault(line, f"id {clipped(text)} of a {what} must be one line of {_LONGEST_ID} characters at most")
        return None
    if text in lines:
        reading.fault(
            line,
            f"id {clipped(text)} stands on line {lines[text]} already; fields and caveats of a note share their ids, "
            "change one",
        )
        return None
    lines[text] = line
    return text


def _field(record: Fields, lines: dict[str, int], reading: FileReading) -> SchemaField | None:
    reading.check_keys(record, FIELD_KEYS, "a field")
    id = _id(record, "field", lines, reading)
    what = "this field" if id is None else f"field {clipped(id)}"
    name = reading.text(record.fields.get("name"), f"name of {what}")
    if "type" in record.fields and "value_type" in record.fields:
        reading.fault(record.lines["value_type"], f"{what} has both type and value_type, which say the same; keep one")
    value_type = reading.text(record.fields.get("type", record.fields.get("value_type")), f"type of {what}")
    description = reading.text(record.fields.get("description"), f"description of {what}")
    if id is None:
        return None
    return SchemaField(
        id, one_line(name) if name else id, one_line(value_type) if value_type else None, description, record.line
    )


def _caveat(record: Fields, lines: dict[str, int], known: dict[str, None], reading: FileReading) -> Caveat | None:
    reading.check_keys(record, CAVEAT_KEYS, "a caveat")
    id = _id(record, "caveat", lines, reading)
    what = "this caveat" if id is None else f"caveat {clipped(id)}"
    told = len(reading.faults)
    summary = reading.text(record.fields.get("summary"), f"summary of {what}")
    if summary is None and len(reading.faults) == told:
        reading.fault(
            record.lines.get("summary", record.line), f"summary of {what} is missing; say in a sentence what it is"
        )
    severity = _severity(record, what, reading)
    evidence = reading.text(record.fields.get("evidence"), f"evidence of {what}")
    applies_to = _applies_to(record, what, known, reading)
    if id is None or summary is None:
        return None
    return Caveat(id, severity, one_line(summary), evidence, applies_to, record.line)


def _severity(record: Fields, what: str, reading: FileReading) -> str:
    told = len(reading.faults)
    severity = reading.text(record.fields.get("severity"), f"severity of {what}")
    if severity is None:
        if len(reading.faults) == told:
            reading.warn(
                record.lines.get("severity", record.line),
                f"{what} has no severity and counts as info; write {', '.join(SEVERITIES[:-1])} or {SEVERITIES[-1]}",
            )
        return SEVERITIES[0]
    if len(severity) > _LONGEST_WORD or len(severity.split()) > 1:
        reading.fault(
            record.lines["severity"],
            f"severity of {what} must be one word such as {', '.join(SEVERITIES[:-1])} or {SEVERITIES[-1]}, "
            f"not {clipped(severity)}",
        )
    return severity


def _applies_to(record: Fields, what: str, known: dict[str, None], reading: FileReading) -> tuple[str, ...]:
    node = record.fields.get("applies_to")
    if node is None:
        return ()
    found: dict[str, None] = {}
    for one in node.items if isinstance(node, Items) else [node]:
        text = reading.text(one, f"applies_to of {what}")
        if text is None:
            continue
        if text in known:
            found[text] = None
        elif not known:
            reading.fault(one.line, f"{what} applies to {clipped(text)}, but the note has no fields; add them")
        else:
            reading.fault(
                one.line,
                f"{what} applies to {clipped(text)}, which is no field of the note; {_meant_field(text, known)}",
            )
    return tuple(found)


def _meant_field(text: str, known: dict[str, None]) -> str:
    close = difflib.get_close_matches(text, known, n=1)
    hint = f"did you mean {clipped(close[0])}? " if close else ""
    return f"{hint}Known: {listed(list(known), 12)}"
