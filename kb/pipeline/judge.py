"""Records -> verdicts: what the gate says about every resolved statement near what changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from kb.graph.candidates import Rejected
from kb.graph.validation import Result, result_order
from kb.iris import Iris
from kb.model import Statement
from kb.pipeline.state import Edge, Key, State, candidate_of
from kb.records import Reading
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["Judge"]


class Judge:
    """Writes verdicts into a state's records. `focus_nodes` counts the nodes that were validated."""

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogue, iris: Iris) -> None:
        self.vocabulary, self.catalogue, self.iris = vocabulary, catalogue, iris
        self.focus_nodes = 0
        self.state = State()

    def run(self, state: State, old_results: list[Result], *, whole: bool) -> tuple[list[Result], set[Key]]:
        """Decides what is a fact. Returns all results, and the keys of records whose readings changed by it.

        Unless `whole`, only statements near what changed are judged, and `old_results` hold for the others.
        """
        self.state = state
        changed = set().union(*(self.inherit(key) for key in state.touched | state.removed))
        if not whole and not changed:
            return old_results, set()
        resolved = [(key, r) for key, record in state.records.items() for r in record.readings if r.edge is not None]
        focus: frozenset[str] | None = None
        from kb.graph.gate import Gate  # brings pyshacl, which most builds do not need

        gate = Gate(self.vocabulary, self.catalogue, self.iris)
        candidates = [candidate_of(reading) for _, reading in resolved]
        if not whole:
            focus = gate.affected(candidates, changed)
        report = gate.check(candidates, focus)
        self.focus_nodes = report.focus_nodes
        judged = zip(candidates, resolved, strict=True)
        concerned = [place for one, place in judged if focus is None or gate.covers(one, focus)]
        verdicts = {rejected.statement: rejected for rejected in report.rejected}
        reopened = self.apply(verdicts, concerned)
        kept = [] if focus is None else [r for r in old_results if r.focus not in focus]
        return sorted({*kept, *report.results}, key=result_order), reopened

    def inherit(self, key: Key) -> set[str]:
        """Carries verdicts over to what a source still says, in other words perhaps or elsewhere on the page.

        Returns the entities of what it says no more or says for the first time: only there can a verdict change.
        """
        before, now = (records.get(key) for records in (self.state.before, self.state.records))
        old = {reading.edge: reading for reading in (before.readings if before else ()) if reading.edge is not None}
        new = {reading.edge for reading in (now.readings if now else ()) if reading.edge is not None}
        if before is not None and now is not None:
            self.state.records[key] = now.with_readings(_carried(reading, old) for reading in now.readings)
        return {end for edge in old.keys() ^ new for end in (edge[0], edge[2])}

    def apply(self, verdicts: Mapping[Statement, Rejected], concerned: Collection[tuple[Key, Reading]]) -> set[Key]:
        """Writes the gate's verdicts into the records; returns the keys of those that came out different."""
        judged: dict[Key, set[Statement]] = {}
        for key, reading in concerned:
            judged.setdefault(key, set()).add(reading.statement)
        reopened: set[Key] = set()
        for key, statements in judged.items():
            record = self.state.records[key]
            readings = tuple(
                _judged(reading, verdicts.get(reading.statement)) if reading.statement in statements else reading
                for reading in record.readings
            )
            if readings != record.readings:
                self.state.records[key] = record.with_readings(readings)
                reopened.add(key)
        return reopened


def _carried(reading: Reading, before: Mapping[Edge, Reading]) -> Reading:
    """A reading with the verdict that the same edge of the same source had."""
    old = before.get(reading.edge) if reading.edge is not None else None
    if old is None:
        return reading
    return replace(reading, code=old.code, reason=old.reason, result=old.result)


def _judged(reading: Reading, verdict: Rejected | None) -> Reading:
    if verdict is None:
        return replace(reading, code=None, reason=None, result=None)
    return replace(reading, code=verdict.code, reason=verdict.reason, result=verdict.result)
