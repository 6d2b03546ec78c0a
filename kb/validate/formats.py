"""Reports as files: JSON, the report graph of the standard, JUnit XML and SARIF for continuous integration."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from kb import __version__
from kb.graph.shacl_report import report_bytes
from kb.names import local_name
from kb.validate.report import SEVERITIES, Place, Report, Row

__all__ = ["FORMATS", "write_report"]

FORMATS = ("json", "turtle", "jsonld", "junit", "sarif")

_LEVELS = dict(zip(SEVERITIES, ("error", "warning", "note"), strict=True))
_SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_report(report: Report, syntax: str, shown: Report | None = None) -> bytes:
    """A report in one of FORMATS, in UTF-8, the same bytes for the same report.

    `shown` has the rows to write, where they are fewer: `conforms` and the counts of JSON are those of all. The report
    graph has `sh:conforms` for what is in it, as the standard demands.
    """
    rows = report if shown is None else shown
    if syntax == "json":
        data = _json(report, rows)
    elif syntax == "sarif":
        data = _sarif(rows)
    elif syntax == "junit":
        return _junit(rows).encode()
    elif syntax in ("turtle", "jsonld"):
        return report_bytes([(row.node, row.triples) for row in rows.rows], syntax, report.prefixes)
    else:
        raise ValueError(f"unknown format {syntax!r}; known: {', '.join(FORMATS)}")
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _json(report: Report, rows: Report) -> dict[str, Any]:
    counts = {name: report.counts[name] for name in SEVERITIES if report.counts[name]}
    return {"conforms": not report.violated, "counts": counts, "results": [_json_row(row) for row in rows.rows]}


def _json_row(row: Row) -> dict[str, Any]:
    said: dict[str, Any] = {
        "severity": row.severity,
        "focus": row.focus,
        "label": row.label,
        "path": row.path,
        "value": row.value,
        "message": row.message,
        "text": row.text,
        "sources": list(row.sources),
        "places": [{"file": one.file, "line": one.line, "quote": one.quote or None} for one in row.places],
        "shape": row.shape or None,
        "component": row.component,
    }
    if row.code is not None:
        said |= {"code": row.code, "statement": row.statement}
    return said


# -- SARIF ----------------------------------------------------------------------


def _sarif(report: Report) -> dict[str, Any]:
    """https://docs.oasis-open.org/sarif/sarif/v2.1.0/ ."""
    ids = sorted({_rule(row) for row in report.rows})
    first = {_rule(row): row for row in reversed(report.rows)}
    rules = [
        {
            "id": name,
            "name": re.sub(r"\W+", "", local_name(name)) or "Rule",
            "shortDescription": {"text": first[name].message or local_name(name)},
            "defaultConfiguration": {"level": _LEVELS[first[name].level]},
        }
        for name in ids
    ]
    driver = {"name": "kb", "semanticVersion": __version__, "rules": rules}
    results = [_sarif_result(row, ids, report.root) for row in report.rows]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _rule(row: Row) -> str:
    return row.shape or f"{row.component}-{row.code}"


def _sarif_result(row: Row, ids: list[str], root: str) -> dict[str, Any]:
    logical = {"name": row.label, "fullyQualifiedName": row.focus, "kind": "resource"}
    places = row.places or (Place("kb.toml"),)
    locations = [{"physicalLocation": _location(place, root), "logicalLocations": [logical]} for place in places]
    name = json.dumps(row.key, ensure_ascii=False)
    said: dict[str, Any] = {
        "ruleId": _rule(row),
        "ruleIndex": ids.index(_rule(row)),
        "level": _LEVELS[row.level],
        "message": {"text": f"{row.label}: {row.text}"},
        # A code scanner shows a result where its first location is.
        "locations": locations[:1],
        "partialFingerprints": {"kbResult/v1": hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]},
    }
    if locations[1:]:
        said["relatedLocations"] = [
            {"id": number, **one, "message": {"text": "and here"}} for number, one in enumerate(locations[1:], 1)
        ]
    return said


def _location(place: Place, root: str) -> dict[str, Any]:
    artifact = {"uri": _uri(place.file, root)}
    if not artifact["uri"].startswith("file:"):
        artifact["uriBaseId"] = "%SRCROOT%"
    region: dict[str, Any] = {}
    if place.line is not None:
        region["startLine"] = place.line
        if "\n" in place.quote:
            region["endLine"] = place.line + place.quote.count("\n")
    if place.quote and region:
        region["snippet"] = {"text": place.quote}
    return {"artifactLocation": artifact, **({"region": region} if region else {})}


def _uri(file: str, root: str) -> str:
    """Relative to the folder in which the command runs, where the file is below it: there a checkout has its root."""
    path = Path(root) / file
    try:
        return quote(path.resolve().relative_to(Path.cwd()).as_posix())
    except ValueError:
        pass
    if not os.path.isabs(file):  # noqa: PTH117
        return quote(Path(file).as_posix())
    return path.as_uri()


# -- JUnit ----------------------------------------------------------------------


def _junit(report: Report) -> str:
    """A test case for each result: violations fail, milder ones pass with what they say as output."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    failures = report.counts[SEVERITIES[0]]
    total = len(report.rows) or 1
    head = f'name="kb validate" tests="{total}" failures="{failures}" errors="0" skipped="0"'
    lines += [f"<testsuites {head}>", f"  <testsuite {head}>"]
    if not report.rows:
        lines.append(f'    <testcase classname="shapes" name={_attribute(report.what + " conforms")}/>')
    for row in report.rows:
        name = " ".join(part for part in (row.label, row.path, row.value) if part)
        place = row.places[0] if row.places else None
        where = "" if place is None else f" file={_attribute(place.file)}"
        where += "" if place is None or place.line is None else f' line="{place.line}"'
        kind = local_name(row.shape) or row.code or "rule"
        lines.append(f"    <testcase classname={_attribute(kind)} name={_attribute(name)}{where}>")
        body = "\n".join([row.text, *(f"{one} {one.quote}".rstrip() for one in row.places)])
        if row.level == SEVERITIES[0]:
            start = f"<failure type={_attribute(row.severity)} message={_attribute(row.text)}>"
            lines.append(f"      {start}{_body(body)}</failure>")
        else:
            lines.append(f"      <system-out>{_body(f'{row.severity}: {body}')}</system-out>")
        lines.append("    </testcase>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _body(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
