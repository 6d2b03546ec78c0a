"""Records -> verdicts: what the gate says about every resolved statement near what changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kb.graph.candidates import Rejected
from kb.graph.validation import Result, result_order
from kb.iris import Iris
from kb.model import Statement
from kb.pipeline.state import Key, State, candidate_of
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
        everything = [(key, reading) for key, record in state.records.items() for reading in record.readings]
        edges = [(key, reading) for key, reading in everything if reading.edge is not None]
        if whole:
            concerned, focus = edges, None
        else:
            touched = {node for key in state.touched | state.removed for node in self.ends(key)}
            if not touched:
                return old_results, set()
            concerned = [(k, r) for k, r in edges if r.edge is not None and {r.edge[0], r.edge[2]} & touched]
            # A verdict on an edge rests on the results at both its ends.
            focus = touched | {end for _, r in concerned if r.edge is not None for end in (r.edge[0], r.edge[2])}
        from kb.graph.gate import Gate  # brings pyshacl, which a build without changes does not need

        gate = Gate(self.vocabulary, self.catalogue, self.iris)
        report = gate.check([candidate_of(reading) for _, reading in edges], focus)
        self.focus_nodes = report.focus_nodes
        verdicts = {rejected.statement: rejected for rejected in report.rejected}
        reopened = self.apply(verdicts, concerned)
        kept = [] if focus is None else [r for r in old_results if r.focus not in focus]
        return sorted({*kept, *report.results}, key=result_order), reopened

    def ends(self, key: Key) -> set[str]:
        """The entities that a source's statements are about, now and in the parent."""
        found: set[str] = set()
        for records in (self.state.before, self.state.records):
            for reading in records[key].readings if key in records else ():
                if reading.edge is not None:
                    found |= {reading.edge[0], reading.edge[2]}
        return found

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


def _judged(reading: Reading, verdict: Rejected | None) -> Reading:
    if verdict is None:
        return Reading(reading.statement, reading.edge)
    return Reading(reading.statement, reading.edge, verdict.code, verdict.reason, verdict.result)
