"""Records -> graph: writes what came out different into a draft, and the files beside the graph."""

from __future__ import annotations

import json
from collections.abc import Collection

from kb.generations import Draft
from kb.graph import assemble
from kb.graph.candidates import Rejected
from kb.graph.validation import Result
from kb.graph.vocabulary_files import vocabulary_files
from kb.iris import Iris
from kb.pipeline.notes import SCHEMA
from kb.pipeline.state import Key, Progress, State, candidate_of, edges_of
from kb.records import RECORDS_NAME, RESULTS_NAME, SourceRecord, dump_records, dump_results
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["Writer"]

_FLUSHED = 500
"""Sources written between two times that the store puts them on the disk."""


class Writer:
    """Writes one build into its draft."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        catalogue: Catalogue,
        iris: Iris,
        reading: assemble.ReadingInfo,
        progress: Progress,
    ) -> None:
        self.vocabulary, self.catalogue, self.iris = vocabulary, catalogue, iris
        self.reading, self.progress = reading, progress
        self.state = State()

    def run(self, draft: Draft, state: State, different: Collection[Key], *, whole: bool) -> None:
        """Writes the sources whose keys are in `different`, drops those that are gone, and the files about them.

        Schema files are written by `Notes`.
        """
        iris, writer = self.iris, draft.writer
        self.state = state
        different = {key for key in different if key[0] != SCHEMA}
        moved = {kind for kind, _ in {*different, *state.removed}}
        if whole or "catalogue" in moved:
            facts = state.edges("catalogue")
            quads = assemble.catalogue_quads(self.catalogue, self.vocabulary, iris, facts)
            writer.replace(iris.catalogue_graph, quads)
        if "statements" in moved:
            facts = state.edges("statements")
            writer.replace(
                iris.statements_graph, assemble.fact_quads(iris.statements_graph, facts, self.vocabulary, iris)
            )
        for number, key in enumerate(sorted(different)):
            self.progress("graph", number, len(different), "")
            self.write_source(draft, key, state.records[key])
            if number % _FLUSHED == _FLUSHED - 1:
                # Else the store keeps what is written in memory, and a first build would need as much as it has pages.
                draft.store.flush()
        for kind, source in sorted(state.removed):
            if kind == SCHEMA:
                continue
            if kind == "page":
                writer.drop(iris.page_graph(source))
            writer.replace_records(iris.page(source) if kind == "page" else iris.source(source), ())
        self.progress("graph", len(different), len(different), "")
        draft.write(RECORDS_NAME, dump_records(state.records.values()))
        draft.write("catalogue.json", json.dumps(self.catalogue.to_json(), ensure_ascii=False))
        for name, data in vocabulary_files(self.vocabulary).items():
            draft.write(f"vocabulary/{name}", data)

    def write_results(self, draft: Draft, results: list[Result], *, changed: bool) -> None:
        """Writes the validation results: the file, and the report graph unless it is as it was."""
        draft.write(RESULTS_NAME, dump_results(results))
        if changed:
            draft.writer.replace(self.iris.report_graph, assemble.report_quads(results, self.iris))

    def write_source(self, draft: Draft, key: Key, record: SourceRecord) -> None:
        """One source: its facts if it is a page, and the records of what it says."""
        kind, source = key
        iris, writer = self.iris, draft.writer
        info = self.reading
        if kind == "catalogue":
            info = assemble.ReadingInfo("catalogue/1", ontology_digest=self.vocabulary.digest)
        if kind == "page":
            facts = assemble.page_fact_quads(source, edges_of(record), self.vocabulary, iris)
            writer.replace(iris.page_graph(source), facts)
            about, iri = assemble.page_quads(source, record.title, record.digest, iris), iris.page(source)
        else:
            about, iri = assemble.source_quads(source, record.digest, iris), iris.source(source)
        accepted = [candidate_of(reading) for reading in record.accepted()]
        rejected = [
            Rejected(r.statement, r.code or "", r.reason or "", r.result) for r in record.readings if not r.accepted
        ]
        records = [
            *about,
            *(assemble.statement_quads(accepted, info, self.vocabulary, iris) if accepted else ()),
            *assemble.rejection_quads(rejected, info, iris),
        ]
        writer.replace_records(iri, records)
