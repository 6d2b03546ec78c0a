"""What a build has before it: a record for each source, and which of them are new, changed or gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kb.errors import Fault
from kb.graph.candidates import Candidate
from kb.records import Reading, SourceRecord

__all__ = ["Edge", "Key", "Progress", "State", "candidate_of", "edges_of"]

Key = tuple[str, str]
"""(kind, source) of a record; see `SourceRecord`."""
Progress = Callable[[str, int, int, str], None]
"""Called with a stage, how much of it is done, how much there is, and what it has cost so far (or nothing)."""
Edge = tuple[str, str, str]
"""(subject id, relation name, object id)"""


@dataclass
class State:
    """Records by key.

    `before` are those of the parent, to be taken over where the source did not change. `fallback` are the parent's too,
    when everything is read anew: what a page said before is all there is if it cannot be opened now. `said_before` are
    those of them whose statements the same reader would make again from the same page. `touched` are the keys of
    records made by this build.
    """

    records: dict[Key, SourceRecord] = field(default_factory=dict)
    before: dict[Key, SourceRecord] = field(default_factory=dict)
    fallback: dict[Key, SourceRecord] = field(default_factory=dict)
    said_before: dict[Key, SourceRecord] = field(default_factory=dict)
    touched: set[Key] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    read: int = 0
    read_whole: int = 0

    def faults_in_order(self) -> list[str]:
        """The faults by file and line, whatever order they were met in."""
        return [str(one) for one in sorted(self.faults, key=lambda one: (one.file, one.line or 0, one.message))]

    @property
    def removed(self) -> set[Key]:
        """Keys of sources that are gone."""
        return set(self.before) - set(self.records)

    @property
    def changed(self) -> bool:
        """Whether anything is different from the parent."""
        return bool(self.touched or self.removed)

    def of_kind(self, kind: str) -> Iterator[SourceRecord]:
        """The records of pages, of catalogue files, of statements files or of schema files."""
        return (record for key, record in self.records.items() if key[0] == kind)

    def edges(self, kind: str) -> list[Edge]:
        """The facts that sources of one kind state."""
        return [edge for record in self.of_kind(kind) for edge in edges_of(record)]


def edges_of(record: SourceRecord) -> list[Edge]:
    """The facts that one source states."""
    return [reading.edge for reading in record.accepted() if reading.edge is not None]


def candidate_of(reading: Reading) -> Candidate:
    """A resolved reading as the gate takes it."""
    assert reading.edge is not None
    return Candidate(reading.statement, *reading.edge)
