"""From pages and catalogue to a published generation.

Data flows one way: sources -> statements -> resolution -> gate -> graph -> publication. A source whose bytes did not
change is neither read nor resolved again, the gate looks at the neighbourhood of what changed, graphs that stay as they
were are not written, and a build that changes nothing publishes nothing.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from kb import __version__
from kb.config import Config
from kb.errors import ConfigError
from kb.generations import Draft, Generation, Generations
from kb.graph.assemble import ReadingInfo
from kb.graph.validation import INFO, VIOLATION, Result
from kb.iris import Iris
from kb.pipeline.collect import Collector, Progress, grouped
from kb.pipeline.indexing import index_draft
from kb.pipeline.judge import Judge
from kb.pipeline.readers import LazyReader, ReaderOptions, with_reader
from kb.pipeline.report import (
    BuildReport,
    contradictions,
    count_rejections,
    page_warnings,
    refused_by_catalogue,
    rejection_rows,
    repaired_rows,
)
from kb.pipeline.state import Key, State
from kb.pipeline.unread import quiet_pages, unread_lines
from kb.pipeline.write import Writer
from kb.records import load_records, load_results
from kb.sources.catalogue import load_catalogue
from kb.sources.statements import load_statements
from kb.vocabulary import load_vocabulary

__all__ = ["REPORT_NAME", "BuildReport", "build"]

RULES = "3"
"""Bump when resolution, gate or assembly decide differently, so that old generations are not built upon."""
REPORT_NAME = "build_report.json"


def build(
    config: Config,
    *,
    force: bool = False,
    statements: Path | None = None,
    reader: str | None = None,
    max_cost: float | None = None,
    record: Path | None = None,
    replay: Path | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Builds and publishes a generation when anything changed.

    `force` starts from nothing, whatever is published. `statements` takes statements as given in a JSON-lines file
    instead of reading pages. `reader` is used in the place of the one that kb.toml names. Of a language model,
    `max_cost` bounds what the build spends; `record` and `replay` are files that its replies are written to and taken
    from, for all pages. `progress(stage, done, total, spent)` is called as pages are read and graphs are written.

    Raises OntologyError, CatalogueError, StatementsError, BuildLockedError or GenerationError where nothing can be
    built, EndpointError, BudgetError or ReplayError where no more pages can be read; a page that cannot be read is
    listed in the report instead, and keeps the facts it had.
    """
    started = time.monotonic()
    config = with_reader(config, reader)
    options = ReaderOptions(max_cost, record, replay)
    if config.reader != "llm" and options != ReaderOptions():
        raise ConfigError(
            f"reader {config.reader!r} asks no model: there is nothing to bound, record or replay; use reader 'llm'"
        )
    generations = Generations(config.store)
    with generations.lock():
        parent = None if force else generations.current()
        report = _Build(config, parent, statements, options, progress or _silent).run(generations)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _silent(_stage: str, _done: int, _total: int, _spent: str) -> None:
    return


class _Build:
    def __init__(
        self,
        config: Config,
        parent: Generation | None,
        statements: Path | None,
        options: ReaderOptions,
        progress: Progress,
    ) -> None:
        self.started = time.monotonic()
        self.parent, self.progress = parent, progress
        self.iris = Iris(config.base)
        self.vocabulary = load_vocabulary(config.ontology, config.shapes)
        self.catalogue = load_catalogue(config.catalogue, self.vocabulary, config)
        given = None if statements is None else grouped(load_statements(statements))
        self.reader = LazyReader(config, self.vocabulary, self.catalogue, options)
        self.reading = (
            self.reader.info() if given is None else ReadingInfo("statements/1", None, None, self.vocabulary.digest)
        )
        self.collector = Collector(config, self.vocabulary, self.catalogue, self.reader, given, progress)
        self.state = State()

    def key(self) -> dict[str, str]:
        """What, when different, makes every source be read anew."""
        return {
            "base": self.iris.base,
            "vocabulary": self.vocabulary.digest,
            "catalogue": self.catalogue.digest,
            "reader": self.reading.reader,
            "rules": RULES,
        }

    def run(self, generations: Generations) -> BuildReport:
        parent, key = self.parent, self.key()
        if parent is not None and parent.meta.get("key") == key:
            self.state.before = load_records(parent)
        elif parent is not None:
            self.state.fallback = load_records(parent)
            if self.reader.by_model and parent.meta.get("key", {}).get("reader") == self.reading.reader:
                self.state.said_before = self.state.fallback
            parent = None
        with self.reader:
            self.collector.run(self.state)
        if parent is not None and not self.state.changed:
            return self.unchanged(parent)
        judge = Judge(self.vocabulary, self.catalogue, self.iris)
        old_results = [] if parent is None else load_results(parent)
        results, reopened = judge.run(self.state, old_results, whole=parent is None)
        different: set[Key] = set(self.state.records) if parent is None else self.state.touched | reopened
        with generations.begin(parent, self.iris) as draft:
            writer = Writer(self.vocabulary, self.catalogue, self.iris, self.reading, self.progress)
            writer.run(draft, self.state, different, whole=parent is None)
            writer.write_results(draft, results, changed=parent is None or results != old_results)
            self.write_index(draft, None if parent is None else different)
            report = self.report(results, draft, judge.focus_nodes)
            report.seconds = round(time.monotonic() - self.started, 3)
            draft.write(REPORT_NAME, json.dumps(report.to_json(), ensure_ascii=False, indent=1))
            draft.publish({"key": key, "kb": __version__})
        return report

    def write_index(self, draft: Draft, different: set[Key] | None) -> None:
        """Texts and vectors of the pages that came out different; of all, and of the entities, where that is None."""
        pages = [source for kind, source in self.state.records if kind == "page"]
        changed = None if different is None else {source for kind, source in different if kind == "page"}
        index_draft(draft, pages, changed, self.collector.page, self.catalogue, self.vocabulary, self.parent)

    def report(self, results: list[Result], draft: Draft, focus_nodes: int) -> BuildReport:
        state = self.state
        records = list(state.records.values())
        rejections = rejection_rows(records)
        violations = [r for r in results if r.severity == VIOLATION and not r.rejects]
        relation_names = {relation.iri: name for name, relation in self.vocabulary.relations.items()}
        return BuildReport(
            generation=draft.name,
            changed=True,
            pages=self.page_counts(),
            entities=len(self.catalogue.entities),
            facts=len({edge for kind in ("page", "catalogue", "statements") for edge in state.edges(kind)}),
            statements={
                "read": sum(len(record.readings) for record in records),
                "accepted": sum(1 for record in records for _ in record.accepted()),
                "rejected": len(rejections),
            },
            rejected_by=count_rejections(rejections),
            rejections=rejections,
            repaired=repaired_rows(records),
            contradictions=contradictions(results, records, relation_names),
            violations=[
                *({"focus": r.focus, "message": r.text, "sources": list(r.sources)} for r in violations),
                *refused_by_catalogue(records),
            ],
            hints=sum(r.severity == INFO for r in results),
            quiet_pages=quiet_pages(records),
            unread_lines=unread_lines(records),
            faults=state.faults_in_order(),
            warnings=[*map(str, self.catalogue.warnings), *page_warnings(records), *self.reader.warnings()],
            llm=self.reader.report(records),
            advice=list(self.vocabulary.advice),
            work={
                "pages_read": state.read,
                "focus_nodes": focus_nodes,
                "quads_written": draft.writer.written,
                "quads_removed": draft.writer.removed,
            },
        )

    def page_counts(self) -> dict[str, int]:
        pages = list(self.state.of_kind("page"))
        failing = {fault.file for fault in self.state.faults}
        # A page that is read in part has failed as well; one that never was read has no record.
        kept = sum(record.path not in failing for record in pages) - self.state.read_whole
        return {
            "total": len(pages) + len(failing - {record.path for record in pages}),
            "read": self.state.read_whole,
            "kept": kept,
            "removed": sum(kind == "page" for kind, _ in self.state.removed),
            "failed": len(failing),
        }

    def unchanged(self, parent: Generation) -> BuildReport:
        """The report of a build that has nothing to do: the published one's, with the work of this one."""
        data = json.loads(parent.read(REPORT_NAME))
        data.pop("exit_code", None)
        report = BuildReport(**data)
        report.generation, report.changed = parent.name, False
        report.pages = self.page_counts()
        report.faults = self.state.faults_in_order()
        report.work = dict.fromkeys(report.work, 0)
        report.llm = None if report.llm is None else self.reader.report(list(self.state.records.values()))
        return report
