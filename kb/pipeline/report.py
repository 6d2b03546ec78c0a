"""What a build did, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from kb.errors import Fault
from kb.graph.validation import WARNING, Result
from kb.records import SourceRecord

__all__ = [
    "BuildReport",
    "contradictions",
    "count_rejections",
    "page_warnings",
    "refused_by_files",
    "rejection_rows",
    "repaired_rows",
]


@dataclass
class BuildReport:
    """Counts and lists of one build; `to_json()` is what `kb build --json` prints.

    `pages` counts those that are there (`total`), were read now (`read`), taken over (`kept`), are gone (`removed`)
    or could not be read (`failed`). `statements` counts all statements of the generation, not only those read now.
    `repaired` are accepted statements that a model made the wrong way round. `violations` are shapes that given data
    break, and statements of the catalogue that were rejected. `quiet_pages` (page, path, names) and `unread_lines` (and
    line, text) name two or more entities and gave no statement. `llm` is what a language model was asked and what
    that cost, now and, in `total`, for all pages as they are; None for other readers.

    `schemas` counts the concepts, fields and caveats of schema notes, and their `facts`, which `facts` leaves out.
    `rebuilt` are concepts whose rows of the index this build made, `skipped` the others; `nodes` counts all rows.
    `dedup_candidates` are pairs of caveats that are so much alike that they say the same, or the contrary;
    `new_dedup_candidates` those of them that the build before did not have. `embedding` says what made the vectors.
    """

    generation: str = ""
    changed: bool = False
    seconds: float = 0.0
    pages: dict[str, int] = field(default_factory=dict)
    entities: int = 0
    schemas: dict[str, int] = field(default_factory=dict)
    facts: int = 0
    statements: dict[str, int] = field(default_factory=dict)
    rejected_by: dict[str, int] = field(default_factory=dict)
    rejections: list[dict[str, Any]] = field(default_factory=list)
    repaired: list[dict[str, Any]] = field(default_factory=list)
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    violations: list[dict[str, Any]] = field(default_factory=list)
    hints: int = 0
    quiet_pages: list[dict[str, Any]] = field(default_factory=list)
    unread_lines: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    nodes: int = 0
    dedup_candidates: int = 0
    new_dedup_candidates: int = 0
    embedding: dict[str, Any] = field(default_factory=dict)
    work: dict[str, int] = field(default_factory=dict)
    llm: dict[str, Any] | None = None

    @property
    def edges(self) -> int:
        """All facts: of pages, catalogue and statements files, and of schema notes."""
        return self.facts + self.schemas.get("facts", 0)

    def __getitem__(self, name: str) -> Any:
        """A count or list by its name, as in `to_json()`."""
        return self.to_json()[name]

    @property
    def exit_code(self) -> int:
        """1 when a page could not be read or given data break a shape; else 0. Rejected statements are no failure."""
        return 1 if self.faults or self.violations else 0

    def to_json(self) -> dict[str, Any]:
        """All fields, the number of edges, and the exit code."""
        return {**asdict(self), "edges": self.edges, "exit_code": self.exit_code}


def rejection_rows(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """The rejected statements: page, names, reason; sorted by page and place."""
    return [
        {
            "page": record.source,
            "subject": reading.statement.subject,
            "relation": reading.statement.relation,
            "object": reading.statement.object,
            "code": reading.code,
            "reason": reading.reason,
            "quote": reading.statement.evidence.quote if reading.statement.evidence else None,
        }
        for record in sorted(records, key=lambda r: (r.kind, r.source))
        for reading in record.readings
        if not reading.accepted
    ]


def repaired_rows(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """The facts whose statement had its ends the wrong way round: page, names and relation as stated."""
    return [
        {
            "page": record.source,
            "subject": reading.statement.subject,
            "relation": reading.statement.relation,
            "object": reading.statement.object,
        }
        for record in sorted(records, key=lambda r: (r.kind, r.source))
        for reading in record.accepted()
        if reading.repaired
    ]


def refused_by_files(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """What catalogue and schema files state and the gate refused, as violations: given data are to be right."""
    return [
        {
            "focus": reading.edge[0] if reading.edge else reading.statement.subject,
            "message": reading.reason,
            "sources": [record.source],
        }
        for record in records
        if record.kind in ("catalogue", "schema")
        for reading in record.readings
        if not reading.accepted
    ]


def page_warnings(records: Iterable[SourceRecord]) -> list[str]:
    """What is wrong with pages that were read all the same, by page and line."""
    return [
        str(Fault(record.path or record.source, line, message))
        for record in sorted(records, key=lambda one: one.source)
        for line, message in record.extra.get("warnings", ())
    ]


def count_rejections(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Code -> how many, most frequent first."""
    counted = Counter(str(row["code"]) for row in rows)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def contradictions(
    results: Iterable[Result], records: Iterable[SourceRecord], names: dict[str, str]
) -> list[dict[str, Any]]:
    """Warnings about facts that do not go together: who says what, by focus node and relation.

    `names` maps the IRI of a relation to its name.
    """
    warnings = [result for result in results if result.severity == WARNING and not result.rejects]
    if not warnings:
        return []
    said: dict[tuple[str, str], dict[str, set[str]]] = {}
    for record in records:
        for reading in record.accepted():
            assert reading.edge is not None
            subject, relation, object_ = reading.edge
            said.setdefault((subject, relation), {}).setdefault(object_, set()).add(record.source)
    rows = []
    for result in warnings:
        relation = names.get(result.path or "", result.path or "")
        values = said.get((result.focus, relation), {})
        rows.append(
            {
                "focus": result.focus,
                "relation": relation,
                "message": result.message,
                "values": {value: sorted(sources) for value, sources in sorted(values.items())},
                "pages": sorted(set().union(*values.values())) if values else list(result.sources),
            }
        )
    return sorted(rows, key=lambda row: (str(row["focus"]), str(row["relation"])))
