"""What was read from each page or file, and what became of it: the `statements.jsonl` of a generation.

One line a source. A later build takes the lines of unchanged sources over as they are, so nothing is read twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from kb.generations import Generation
from kb.graph.validation import Result
from kb.model import Evidence, Statement

__all__ = [
    "RECORDS_NAME",
    "RESULTS_NAME",
    "Reading",
    "SourceRecord",
    "dump_records",
    "dump_results",
    "load_records",
    "load_results",
]

RECORDS_NAME = "statements.jsonl"
RESULTS_NAME = "results.jsonl"
_RESULT_FIELDS = tuple(one.name for one in fields(Result))


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement and its fate.

    `edge` is (subject id, relation, object id) once the names are resolved; `repaired` says that it was turned round,
    since the things it joins fit the relation only the other way. `code` and `reason` say why it was
    rejected; both are None for a fact. `result` is the validation result that rejected it, where one did.
    """

    statement: Statement
    edge: tuple[str, str, str] | None = None
    code: str | None = None
    reason: str | None = None
    result: Result | None = None
    repaired: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the statement is a fact of the graph."""
        return self.code is None


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """Everything about one source. `kind` is `page`, `catalogue`, `statements` or `schema`.

    `digest` identifies what was read. `line` is the record as it was read from a file, so that writing it again costs
    nothing; None for a new one.
    """

    source: str
    kind: str
    digest: str
    title: str = ""
    path: str = ""
    readings: tuple[Reading, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    line: bytes | None = field(default=None, compare=False, repr=False)

    def with_readings(self, readings: Iterable[Reading]) -> SourceRecord:
        """The same source with other readings."""
        return replace(self, readings=tuple(readings), line=None)

    def accepted(self) -> Iterator[Reading]:
        """The readings that are facts."""
        return (reading for reading in self.readings if reading.accepted)


def dump_records(records: Iterable[SourceRecord]) -> bytes:
    """JSON lines, sorted by kind and source: the same records give the same bytes."""
    ordered = sorted(records, key=lambda record: (record.kind, record.source))
    return b"".join((r.line if r.line is not None else _to_line(r)) + b"\n" for r in ordered)


def load_records(generation: Generation) -> dict[tuple[str, str], SourceRecord]:
    """(kind, source) -> record of a generation. Raises GenerationError for a damaged file."""
    records = [_from_json(json.loads(line), line) for line in _lines(generation, RECORDS_NAME)]
    return {(record.kind, record.source): record for record in records}


def dump_results(results: Iterable[Result]) -> str:
    """JSON lines, in the order given."""
    said = ({name: getattr(result, name) for name in _RESULT_FIELDS} for result in results)
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in said)


def load_results(generation: Generation) -> list[Result]:
    """The validation results of a generation. Raises GenerationError for a damaged file."""
    return [_result_from_json(json.loads(line)) for line in _lines(generation, RESULTS_NAME)]


def _lines(generation: Generation, name: str) -> Iterator[bytes]:
    return (line for line in generation.read(name).split(b"\n") if line)


def _to_line(record: SourceRecord) -> bytes:
    return json.dumps(_to_json(record), ensure_ascii=False, separators=(",", ":")).encode()


def _result_from_json(data: dict[str, Any]) -> Result:
    return Result(**{**data, "sources": tuple(data["sources"]), "files": tuple(data["files"])})


def _to_json(record: SourceRecord) -> dict[str, Any]:
    data: dict[str, Any] = {"source": record.source, "kind": record.kind, "digest": record.digest}
    data.update({key: value for key, value in (("title", record.title), ("path", record.path)) if value})
    data["statements"] = [_reading_to_json(reading) for reading in record.readings]
    if record.extra:
        data["extra"] = record.extra
    return data


def _reading_to_json(reading: Reading) -> dict[str, Any]:
    said = reading.statement
    data: dict[str, Any] = {"subject": said.subject, "relation": said.relation, "object": said.object}
    if said.evidence is not None:
        data.update(quote=said.evidence.quote, start=said.evidence.start, end=said.evidence.end)
    if reading.edge is not None:
        data["edge"] = list(reading.edge)
    if reading.code is not None:
        data.update(code=reading.code, reason=reading.reason)
    if reading.result is not None:
        data["result"] = asdict(reading.result)
    if reading.repaired:
        data["repaired"] = True
    return data


def _from_json(data: dict[str, Any], line: bytes) -> SourceRecord:
    kind, source = data["kind"], data["source"]
    readings = []
    for item in data["statements"]:
        evidence = Evidence(item["quote"], item["start"], item["end"]) if "quote" in item else None
        said = Statement(item["subject"], item["relation"], item["object"], source, evidence, from_page=kind == "page")
        edge = item.get("edge")
        readings.append(
            Reading(
                said,
                (edge[0], edge[1], edge[2]) if edge else None,
                item.get("code"),
                item.get("reason"),
                _result_from_json(item["result"]) if "result" in item else None,
                item.get("repaired", False),
            )
        )
    return SourceRecord(
        source,
        kind,
        data["digest"],
        data.get("title", ""),
        data.get("path", ""),
        tuple(readings),
        data.get("extra", {}),
        line,
    )
