"""From pages and catalogue to a published generation.

Data flows one way: sources -> statements -> resolution -> gate -> graph -> publication. A source whose bytes did not
change is neither read nor resolved again, the gate looks at the neighbourhood of what changed, graphs that stay as they
were are not written, and a build that changes nothing publishes nothing.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from kb import __version__
from kb.config import Config
from kb.embed.opening import identity_of
from kb.errors import ConfigError, GenerationError, IndexDamagedError
from kb.generations import Draft, Generation, Generations
from kb.generations.stamps import check_sound, keep_stamps
from kb.graph.assemble import ReadingInfo
from kb.graph.validation import INFO, VIOLATION, Result, result_order
from kb.index.chunks import CHUNKER
from kb.iris import Iris
from kb.pipeline.collect import Collector, grouped
from kb.pipeline.indexing import Changes, Indexed, Indexing
from kb.pipeline.inputs import INPUTS_NAME, Inputs, load_inputs, take_inputs
from kb.pipeline.judge import Judge
from kb.pipeline.notes import CATALOG_NAME, Notes, concepts_of, note_warnings, schema_counts, schema_rows
from kb.pipeline.readers import LazyReader, ReaderOptions, with_reader
from kb.pipeline.reasoning import META_KEY, Reasoning
from kb.pipeline.report import (
    BuildReport,
    contradictions,
    count_rejections,
    page_warnings,
    refused_by_files,
    rejection_rows,
    repaired_rows,
)
from kb.pipeline.state import Key, Progress, State
from kb.pipeline.unread import quiet_pages, unread_lines
from kb.pipeline.write import Writer
from kb.records import load_records, load_results
from kb.sources.catalogue import load_catalogue
from kb.sources.statements import load_statements
from kb.vocabulary import load_vocabulary

__all__ = ["REPORT_NAME", "BuildReport", "build"]

RULES = "4"
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
        published = _published(generations, force=force)
        parent = None if force else published
        plain = statements is None and not options.all_pages
        known = None if parent is None else load_inputs(parent)
        inputs = take_inputs(config, _input_key(config), known)
        if parent is not None and plain and inputs.same_as(known):
            check_sound(parent)
            report = _untouched(parent)
        else:
            run = _Run(config, parent, published, statements, options, progress or _silent, inputs)
            report = _built(run, generations)
    report.seconds = round(time.monotonic() - started, 3)
    return report


@dataclass(frozen=True)
class _Run:
    """What a build is asked for. `parent` is what it may take over from, `published` what is in use, if anything is."""

    config: Config
    parent: Generation | None
    published: Generation | None
    statements: Path | None
    options: ReaderOptions
    progress: Progress
    inputs: Inputs


def _built(run: _Run, generations: Generations) -> BuildReport:
    try:
        return _Build(run).run(generations)
    except IndexDamagedError:
        if run.parent is None:
            raise
    # What was read stands in other files: only the rows are made anew.
    build = _Build(run)
    build.indexing.parent = None
    return build.run(generations)


def _published(generations: Generations, *, force: bool) -> Generation | None:
    try:
        return generations.current()
    except GenerationError:
        # Starting from nothing is what repairs this.
        if force:
            return None
        raise


def _input_key(config: Config) -> dict[str, str]:
    """What decides, beside files and kb.toml, what a build makes."""
    return {"kb": __version__, "rules": RULES, "chunks": CHUNKER, "embedding": identity_of(config)}


def _untouched(parent: Generation) -> BuildReport:
    """The report of a build that need not begin, since every file is what it was."""
    report = _report_of(parent)
    report.pages = {
        "total": (total := report.pages.get("total", 0)),
        "read": 0,
        "kept": total,
        "removed": 0,
        "failed": 0,
    }
    return report


def _report_of(parent: Generation) -> BuildReport:
    """The published report, with no work done and nothing new."""
    data = json.loads(parent.read(REPORT_NAME))
    for computed in ("exit_code", "edges"):
        data.pop(computed, None)
    report = BuildReport(**data)
    report.generation, report.changed = parent.name, False
    report.skipped = sorted([*report.rebuilt, *report.skipped])
    report.rebuilt, report.new_dedup_candidates = [], 0
    report.work = dict.fromkeys(report.work, 0)
    return report


def _silent(_stage: str, _done: int, _total: int, _spent: str) -> None:
    return


class _Build:
    def __init__(self, asked: _Run) -> None:
        self.started = time.monotonic()
        config, progress = asked.config, asked.progress
        self.parent, self.progress, self.inputs = asked.parent, progress, asked.inputs
        self.iris = Iris(config.base)
        self.vocabulary = load_vocabulary(config.ontology, config.shapes)
        self.catalogue = load_catalogue(config.catalogue, self.vocabulary, config)
        given = None if asked.statements is None else grouped(load_statements(asked.statements))
        self.reader = LazyReader(config, self.vocabulary, self.catalogue, asked.options)
        self.reading = (
            self.reader.info() if given is None else ReadingInfo("statements/1", None, None, self.vocabulary.digest)
        )
        self.collector = Collector(config, self.vocabulary, self.catalogue, self.reader, given, progress)
        self.notes = Notes(config, self.vocabulary, self.iris, asked.parent, asked.inputs, progress)
        page = self.collector.page
        self.indexing = Indexing(config, self.vocabulary, self.catalogue, asked.parent, asked.published, page, progress)
        self.reasoning = Reasoning(config, self.vocabulary, asked.parent)
        self.given = given is not None
        self.state = State()

    def key(self) -> dict[str, str]:
        """What, when different, makes every source be read anew."""
        return {
            "base": self.iris.base,
            "vocabulary": self.vocabulary.digest,
            "catalogue": self.catalogue.digest,
            "reader": self.reading.reader,
            "rules": RULES,
            "chunks": CHUNKER,
        }

    def run(self, generations: Generations) -> BuildReport:
        parent, key = self.parent, self.key()
        if parent is not None and parent.meta.get("key") == key and self.indexing.before is not None:
            self.state.before = load_records(parent)
        elif parent is not None:
            self.state.fallback = load_records(parent)
            if self.reader.by_model and parent.meta.get("key", {}).get("reader") == self.reading.reader:
                self.state.said_before = self.state.fallback
            parent = None
        with self.reader:
            self.collector.run(self.state)
        self.notes.collect(self.state)
        if parent is not None and not (self.state.changed or self.indexing.stale or self.reasoning.stale):
            return self.unchanged(parent)
        judge = Judge(self.vocabulary, self.catalogue, self.iris)
        old_results = [] if parent is None else load_results(parent)
        of_notes, of_others = self.notes.split(old_results)
        results, reopened = judge.run(self.state, of_others, whole=parent is None)
        results = sorted([*results, *self.notes.judge(of_notes)], key=result_order)
        different: set[Key] = set(self.state.records) if parent is None else self.state.touched | reopened
        with generations.begin(parent, self.iris) as draft:
            writer = Writer(self.vocabulary, self.catalogue, self.iris, self.reading, self.progress)
            writer.run(draft, self.state, different, whole=parent is None)
            self.notes.write(draft)
            writer.write_results(draft, results, changed=parent is None or results != old_results)
            self.reasoning.write(draft)
            indexed = self.indexing.write(draft, self.changes(None if parent is None else different))
            report = self.report(results, draft, judge.focus_nodes + self.notes.focus_nodes, indexed)
            report.seconds = round(time.monotonic() - self.started, 3)
            draft.write(REPORT_NAME, json.dumps(report.to_json(), ensure_ascii=False, indent=1))
            # What pages say was given, or not all of it could be read: the next build has to look for itself.
            complete = not (self.given or report.faults or self.catalogue.followed)
            draft.write(INPUTS_NAME, self.inputs.to_json(complete=complete))
            if rows := schema_rows(self.state.records.values()):
                # A line for each file: indenting takes ten times as long.
                lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
                draft.write(CATALOG_NAME, f"[{lines}]\n")
            meta = {"key": key, "kb": __version__, "embedding": dict(indexed.meta)}
            if self.reasoning.meta is not None:
                meta[META_KEY] = self.reasoning.meta
            published = draft.publish(meta)
        keep_stamps(published)
        return report

    def changes(self, different: set[Key] | None) -> Changes:
        """What there is to index, and which of it is new; everything where `different` is None."""
        records = self.state.records
        return Changes(
            pages=[source for kind, source in records if kind == "page"],
            changed_pages=None if different is None else {source for kind, source in different if kind == "page"},
            concepts=concepts_of(records.values()),
            notes=self.notes.changed_notes(everything=self.indexing.before is None),
        )

    def report(self, results: list[Result], draft: Draft, focus_nodes: int, indexed: Indexed) -> BuildReport:
        state = self.state
        records = list(state.records.values())
        of_notes, results = self.notes.split(results)
        concepts = concepts_of(records)
        rejections = rejection_rows(records)
        violations = [r for r in (*results, *of_notes) if r.severity == VIOLATION and not r.rejects]
        relation_names = {relation.iri: name for name, relation in self.vocabulary.relations.items()}
        return BuildReport(
            generation=draft.name,
            changed=True,
            pages=self.page_counts(),
            entities=len(self.catalogue.entities),
            schemas=schema_counts(records, failed=self.notes.failed()),
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
                *refused_by_files(records),
            ],
            hints=sum(r.severity == INFO for r in (*results, *of_notes)),
            rebuilt=list(indexed.rebuilt),
            skipped=sorted(concepts - set(indexed.rebuilt)),
            nodes=indexed.rows,
            dedup_candidates=indexed.duplicates,
            new_dedup_candidates=indexed.new_duplicates,
            embedding={**indexed.meta, "note": indexed.note},
            quiet_pages=quiet_pages(records),
            unread_lines=unread_lines(records),
            faults=state.faults_in_order(),
            warnings=[
                *map(str, self.catalogue.warnings),
                *page_warnings(records),
                *note_warnings(of_notes),
                *self.reader.warnings(),
                *indexed.warnings,
                *self.reasoning.warnings,
            ],
            llm=self.reader.report(records),
            advice=list(self.vocabulary.advice),
            work={
                "pages_read": state.read,
                "schemas_read": len(self.notes.read),
                "texts_embedded": indexed.embedded,
                "vectors_from_cache": indexed.cached,
                "focus_nodes": focus_nodes,
                "quads_written": draft.writer.written,
                "quads_removed": draft.writer.removed,
            },
        )

    def page_counts(self) -> dict[str, int]:
        pages = list(self.state.of_kind("page"))
        failing = {fault.file for fault in self.state.faults} - self.notes.files
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
        report = _report_of(parent)
        report.pages = self.page_counts()
        report.schemas = schema_counts(self.state.records.values(), failed=self.notes.failed())
        report.faults = self.state.faults_in_order()
        report.llm = None if report.llm is None else self.reader.report(list(self.state.records.values()))
        return report
