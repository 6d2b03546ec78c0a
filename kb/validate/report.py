"""A validation report for people and programs: what breaks which rule, and which sentence of which page says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pyoxigraph as ox

from kb.graph.validation import INFO, VIOLATION, WARNING

__all__ = ["SEVERITIES", "Place", "Report", "Row"]

SEVERITIES = (VIOLATION, WARNING, INFO)
"""Most severe first. A severity of somebody's own (an IRI) counts as a violation, as the standard leaves it open."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file that is behind a result. `file` is relative to the report's `root`, or absolute.

    Lines count from 1; `line` is None where the file is known and no more. `quote` is the sentence that says so, empty
    where nothing is quoted.
    """

    file: str
    line: int | None = None
    quote: str = ""

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Row:
    """One validation result.

    `focus` is an id, an IRI, a literal's text, or for a rejected statement what it says; `label` is what people call
    it. `path` is the name or IRI of the property, None where there is none. `severity` is Violation, Warning or Info,
    else an IRI. `shape` and `component` are IRIs; a shape without a name goes by the named one that holds it. `code`
    says why a statement was rejected, None for what is no rejection. `node` is the result in the report graph, and
    `triples` what that says about it.
    """

    severity: str
    focus: str
    label: str
    path: str | None
    value: str | None
    message: str
    text: str
    component: str
    shape: str
    sources: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    code: str | None = None
    statement: str | None = None
    node: ox.NamedNode | ox.BlankNode = field(default_factory=lambda: ox.BlankNode("result"), compare=False)
    triples: tuple[ox.Triple, ...] = field(default=(), compare=False)

    @property
    def level(self) -> str:
        """Violation, Warning or Info."""
        return self.severity if self.severity in SEVERITIES else VIOLATION

    @property
    def key(self) -> tuple[str | None, ...]:
        """What makes it the same result in two generations."""
        said = () if self.statement is None else (self.statement, *self.sources)
        return (self.focus, self.path, self.value, self.component, self.shape, *said)


@dataclass(frozen=True, slots=True)
class Report:
    """Rows, most severe first, and what is needed to write them down.

    `what` says what was checked, as the subject of a sentence: "The graph". `prefixes` are for the report graph.
    `notes` are what whoever reads the report should know, such as what was not followed.
    """

    rows: tuple[Row, ...]
    what: str = "The graph"
    root: str = ""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """Severity -> number of rows."""
        return Counter(row.level for row in self.rows)

    @property
    def violated(self) -> bool:
        """Whether any rule is broken; warnings and hints break none."""
        return any(row.level == VIOLATION for row in self.rows)

    def of(self, rows: Iterable[Row]) -> Report:
        """The same report with other rows."""
        return replace(self, rows=tuple(rows))

    def at_least(self, severity: str) -> Report:
        """The rows that are as severe as this, or more."""
        shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return self.of(row for row in self.rows if row.level in shown)
