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
from kb.generations import Draft, Generation, Generations
from kb.graph.validation import INFO, VIOLATION, Result
from kb.iris import Iris
from kb.pipeline.collect import Collector, Progress, grouped
from kb.pipeline.judge import Judge
from kb.pipeline.readers import LazyReader
from kb.pipeline.report import (
    BuildReport,
    contradictions,
    count_rejections,
    page_warnings,
    refused_by_catalogue,
    rejection_rows,
)
from kb.pipeline.state import Key, State
from kb.pipeline.unread import quiet_pages, unread_lines
from kb.pipeline.write import Writer
from kb.records import load_records, load_results
from kb.sources.catalogue import load_catalogue
from kb.sources.statements import load_statements
from kb.vocabulary import load_vocabulary

__all__ = ["REPORT_NAME", "BuildReport", "build"]

RULES = "2"
"""Bump when resolution, gate or assembly decide differently, so that old generations are not built upon."""
REPORT_NAME = "build_report.json"


def build(
    config: Config,
    *,
    force: bool = False,
    statements: Path | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Builds and publishes a generation when anything changed.

    `force` starts from nothing, whatever is published. `statements` takes statements as given in a JSON-lines file
    instead of reading pages. `progress(stage, done, total)` is called as pages are read and graphs are written.

    Raises OntologyError, CatalogueError, StatementsError, BuildLockedError or GenerationError where nothing can be
    built; a page that cannot be read is listed in the report instead, and keeps the facts it had.
    """
    started = time.monotonic()
    generations = Generations(config.store)
    with generations.lock():
        parent = None if force else generations.current()
        report = _Build(config, parent, statements, progress or _silent).run(generations)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _silent(_stage: str, _done: int, _total: int) -> None:
    return


class _Build:
    def __init__(self, config: Config, parent: Generation | None, statements: Path | None, progress: Progress) -> None:
        self.started = time.monotonic()
        self.parent, self.progress = parent, progress
        self.iris = Iris(config.base)
        self.vocabulary = load_vocabulary(config.ontology, config.shapes)
        self.catalogue = load_catalogue(config.catalogue, self.vocabulary, config)
        given = None if statements is None else grouped(load_statements(statements))
        reader = LazyReader(config, self.vocabulary, self.catalogue)
        self.reader_identity = reader.identity if given is None else "statements/1"
        self.collector = Collector(config, self.vocabulary, self.catalogue, reader, given, progress)
        self.state = State()

    def key(self) -> dict[str, str]:
        """What, when different, makes every source be read anew."""
        return {
            "base": self.iris.base,
            "vocabulary": self.vocabulary.digest,
            "catalogue": self.catalogue.digest,
            "reader": self.reader_identity,
            "rules": RULES,
        }

    def run(self, generations: Generations) -> BuildReport:
        parent, key = self.parent, self.key()
        if parent is not None and parent.meta.get("key") == key:
            self.state.before = load_records(parent)
        elif parent is not None:
            self.state.fallback = load_records(parent)
            parent = None
        self.collector.run(self.state)
        if parent is not None and not self.state.changed:
            return self.unchanged(parent)
        judge = Judge(self.vocabulary, self.catalogue, self.iris)
        old_results = [] if parent is None else load_results(parent)
        results, reopened = judge.run(self.state, old_results, whole=parent is None)
        different: set[Key] = set(self.state.records) if parent is None else self.state.touched | reopened
        with generations.begin(parent, self.iris) as draft:
            writer = Writer(self.vocabulary, self.catalogue, self.iris, self.reader_identity, self.progress)
            writer.run(draft, self.state, different, whole=parent is None)
            writer.write_results(draft, results, changed=parent is None or results != old_results)
            report = self.report(results, draft, judge.focus_nodes)
            report.seconds = round(time.monotonic() - self.started, 3)
            draft.write(REPORT_NAME, json.dumps(report.to_json(), ensure_ascii=False, indent=1))
            draft.publish({"key": key, "kb": __version__})
        return report

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
            contradictions=contradictions(results, records, relation_names),
            violations=[
                *({"focus": r.focus, "message": r.text, "sources": list(r.sources)} for r in violations),
                *refused_by_catalogue(records),
            ],
            hints=sum(r.severity == INFO for r in results),
            quiet_pages=quiet_pages(records),
            unread_lines=unread_lines(records),
            faults=[str(fault) for fault in state.faults],
            warnings=[*map(str, self.catalogue.warnings), *page_warnings(records)],
            advice=list(self.vocabulary.advice),
            work={
                "pages_read": state.read,
                "focus_nodes": focus_nodes,
                "quads_written": draft.writer.written,
                "quads_removed": draft.writer.removed,
            },
        )

    def page_counts(self) -> dict[str, int]:
        total = sum(1 for _ in self.state.of_kind("page"))
        return {
            "total": total,
            "read": self.state.read,
            "kept": total - self.state.read,
            "removed": sum(kind == "page" for kind, _ in self.state.removed),
            "failed": len(self.state.faults),
        }

    def unchanged(self, parent: Generation) -> BuildReport:
        """The report of a build that has nothing to do: the published one's, with the work of this one."""
        data = json.loads(parent.read(REPORT_NAME))
        data.pop("exit_code", None)
        report = BuildReport(**data)
        report.generation, report.changed = parent.name, False
        report.pages = self.page_counts()
        report.faults = [str(fault) for fault in self.state.faults]
        report.work = dict.fromkeys(report.work, 0)
        return report
