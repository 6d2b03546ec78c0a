"""From pages and catalogue to a published generation.

Data flows one way: sources -> statements -> resolution -> gate -> graph -> publication. A source whose bytes did not
change is neither read nor resolved again, the gate looks at the neighbourhood of what changed, graphs that stay the same
are not written, and a build that changes nothing publishes nothing.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox

from kb import __version__
from kb.config import Config
from kb.errors import Fault, GenerationError, KbError, PageError
from kb.extract import Reader
from kb.generations import Draft, Generation, Generations
from kb.graph import assemble
from kb.graph.candidates import Candidate, Rejected, candidates
from kb.graph.resolve import Resolver
from kb.graph.validation import INFO, VIOLATION, Result, result_order
from kb.iris import Iris
from kb.model import Page, Statement
from kb.records import RECORDS_NAME, Reading, SourceRecord, dump_records, load_records, result_from_json
from kb.report import BuildReport, contradictions, count_rejections, rejection_rows
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.sources.pages import PageFile, read_page, scan_pages
from kb.sources.statements import load_statements
from kb.vocabulary import Vocabulary, load_vocabulary

__all__ = ["build"]

RULES = "1"
"""Bump when resolution, gate or assembly decide differently, so that old generations are not built upon."""
RESULTS_NAME = "results.jsonl"
REPORT_NAME = "build_report.json"

Progress = Callable[[str, int, int], None]
Key = tuple[str, str]
"""(kind, source) of a record"""


def build(
    config: Config,
    *,
    force: bool = False,
    statements: Path | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Builds and publishes a generation when anything changed.

    `force` starts from nothing, whatever is published. `statements` takes statements as given in a JSON-lines file
    instead of reading pages. `progress(stage, done, total)` is called as pages are read.

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


@dataclass
class _State:
    """Records by key, and which of them are new, changed or gone against the parent."""

    records: dict[Key, SourceRecord] = field(default_factory=dict)
    before: dict[Key, SourceRecord] = field(default_factory=dict)
    touched: set[Key] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    read: int = 0

    @property
    def removed(self) -> set[Key]:
        return set(self.before) - set(self.records)

    @property
    def changed(self) -> bool:
        return bool(self.touched or self.removed)


class _Build:
    def __init__(self, config: Config, parent: Generation | None, statements: Path | None, progress: Progress) -> None:
        self.config, self.parent, self.progress = config, parent, progress
        self.iris = Iris(config.base)
        self.vocabulary = load_vocabulary(config.ontology, config.shapes)
        self.catalogue = load_catalogue(config.catalogue, self.vocabulary, config)
        self.given = None if statements is None else _grouped(load_statements(statements))
        self.resolver = Resolver(self.catalogue, self.vocabulary)
        self.reader = _LazyReader(config, self.vocabulary, self.catalogue)
        self.state = _State()
        self.focus_nodes = 0

    # -- what the generation depends on ------------------------------------

    def key(self) -> dict[str, str]:
        """What, when different, makes every source be read anew."""
        return {
            "base": self.config.base,
            "vocabulary": self.vocabulary.digest,
            "catalogue": self.catalogue.digest,
            "reader": self.reader_identity,
            "rules": RULES,
        }

    @property
    def reader_identity(self) -> str:
        return "statements/1" if self.given is not None else self.reader.identity

    def run(self, generations: Generations) -> BuildReport:
        key = self.key()
        whole = self.parent is None or self.parent.meta.get("key") != key
        if not whole and self.parent is not None:
            self.state.before = load_records(self.parent.path)
        self.collect()
        if not whole and not self.state.changed and self.parent is not None:
            return self.unchanged(self.parent)
        old_results = [] if whole or self.parent is None else _load_results(self.parent.path)
        results, reopened = self.judge(old_results, whole=whole)
        with generations.begin(None if whole else self.parent, self.iris) as draft:
            self.write(draft, results, reopened, whole=whole)
            report = self.report(results, draft)
            draft.write(REPORT_NAME, json.dumps(report.to_json(), ensure_ascii=False, indent=1))
            generation = draft.publish({"key": key, "kb": __version__})
            report.generation, report.changed = generation.name, True
        return report

    # -- sources -> statements ----------------------------------------------

    def collect(self) -> None:
        """Fills the state with a record for every source; reads those that changed."""
        self.collect_catalogue()
        files, faults = self.page_files()
        self.state.faults.extend(faults)
        wanted = [file.id for file in files]
        if self.given is not None:
            wanted = sorted({page for kind, page in self.given if kind == "page"} | set(wanted))
        by_id = {file.id: file for file in files}
        for number, page_id in enumerate(wanted):
            self.progress("pages", number, len(wanted))
            self.collect_page(page_id, by_id.get(page_id))
        self.progress("pages", len(wanted), len(wanted))
        for (kind, source), rows in (self.given or {}).items():
            if kind == "statements":
                self.collect_rows((kind, source), rows)
        self.keep_unreadable(files)

    def keep_unreadable(self, files: Sequence[PageFile]) -> None:
        """Pages that are still there, but can no longer be opened as pages, keep what was read from them before."""
        failing = {fault.file for fault in self.state.faults} - {file.shown for file in files}
        for key, record in self.state.before.items():
            if record.path in failing:
                self.keep(key)

    def page_files(self) -> tuple[Sequence[PageFile], Sequence[Fault]]:
        if self.config.pages is None:
            return (), ()
        scan = scan_pages(self.config.pages, self.config)
        return scan.files, scan.faults

    def collect_page(self, page_id: str, file: PageFile | None) -> None:
        rows = None if self.given is None else self.given.get(("page", page_id), ())
        try:
            page = None if file is None else read_page(file)
        except PageError as err:
            self.state.faults.extend(err.faults)
            self.keep(("page", page_id))
            return
        digest = page.digest if page is not None else ""
        if rows is not None:
            digest = hashlib.sha256(f"{digest} {_rows_digest(rows)}".encode()).hexdigest()
        key = ("page", page_id)
        before = self.state.before.get(key)
        if before is not None and before.digest == digest:
            self.state.records[key] = before
            return
        try:
            said = self.reader.read(page) if rows is None and page is not None else rows or ()
        except KbError as err:
            self.state.faults.append(Fault(file.shown if file else page_id, None, str(err)))
            self.keep(key)
            return
        self.state.read += 1
        self.settle(key, digest, said, page)

    def collect_catalogue(self) -> None:
        by_source: dict[str, list[Statement]] = {}
        for said in self.catalogue.statements:
            by_source.setdefault(said.source, []).append(said)
        for source, rows in by_source.items():
            self.collect_rows(("catalogue", source), rows)

    def collect_rows(self, key: Key, rows: Sequence[Statement]) -> None:
        digest = _rows_digest(rows)
        before = self.state.before.get(key)
        if before is not None and before.digest == digest:
            self.state.records[key] = before
        else:
            self.settle(key, digest, rows, None)

    def settle(self, key: Key, digest: str, said: Iterable[Statement], page: Page | None) -> None:
        """Resolves what a source says, and makes its record. The gate has yet to judge it."""
        kind, source = key
        pages = {} if page is None else {page.id: page}
        found, refused = candidates(list(said), self.resolver, self.vocabulary, pages)
        readings = [Reading(c.statement, (c.subject, c.relation, c.object)) for c in found]
        readings += [Reading(r.statement, None, r.code, r.reason) for r in refused]
        title = assemble.page_title(page) if page is not None else source
        path = page.path if page is not None else ""
        self.state.records[key] = SourceRecord(source, kind, digest, title, path, tuple(sorted(readings, key=_place)))
        self.state.touched.add(key)

    def keep(self, key: Key) -> None:
        """A page that cannot be read now keeps what was read from it before."""
        if key in self.state.before:
            self.state.records[key] = self.state.before[key]

    # -- the gate ------------------------------------------------------------

    def judge(self, old_results: list[Result], *, whole: bool) -> tuple[list[Result], set[Key]]:
        """Decides what is a fact. Returns all results, and the keys of records whose readings changed by it."""
        state = self.state
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
        report = gate.check([_candidate(reading) for _, reading in edges], focus)
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

    # -- graph ---------------------------------------------------------------

    def write(self, draft: Draft, results: list[Result], reopened: set[Key], *, whole: bool) -> None:
        """Writes the graphs that came out different, and the files beside the graph."""
        state, iris, writer = self.state, self.iris, draft.writer
        different = set(state.records) if whole else state.touched | reopened
        if whole or any(kind == "catalogue" for kind, _ in different | state.removed):
            facts = [edge for key, record in state.records.items() if key[0] == "catalogue" for edge in _edges(record)]
            catalogue = assemble.catalogue_quads(self.catalogue, self.vocabulary, iris, facts)
            writer.replace(iris.catalogue_graph, catalogue)
        if whole or any(kind == "statements" for kind, _ in different | state.removed):
            facts = [edge for key, record in state.records.items() if key[0] == "statements" for edge in _edges(record)]
            writer.replace(
                iris.statements_graph, assemble.fact_quads(iris.statements_graph, facts, self.vocabulary, iris)
            )
        for number, key in enumerate(sorted(different)):
            self.progress("graph", number, len(different))
            self.write_source(draft, key, state.records[key])
        for kind, source in sorted(state.removed):
            if kind == "page":
                writer.drop(iris.page_graph(source))
            writer.replace_records(iris.page(source) if kind == "page" else iris.source(source), ())
        self.progress("graph", len(different), len(different))
        writer.replace(iris.report_graph, assemble.report_quads(results, iris))
        draft.write(RECORDS_NAME, dump_records(state.records.values()))
        draft.write(RESULTS_NAME, "".join(json.dumps(asdict(r), ensure_ascii=False) + "\n" for r in results))
        draft.write("catalogue.json", json.dumps(self.catalogue.to_json(), ensure_ascii=False))
        draft.write("vocabulary/ontology.nt", _ntriples(self.vocabulary.ontology))
        draft.write("vocabulary/shapes.nt", _ntriples(self.vocabulary.shapes))

    def write_source(self, draft: Draft, key: Key, record: SourceRecord) -> None:
        """One source: its facts if it is a page, and the records of what it says."""
        kind, source = key
        iris, writer = self.iris, draft.writer
        info = assemble.ReadingInfo(
            self.reader_identity if kind != "catalogue" else "catalogue/1", ontology_digest=self.vocabulary.digest
        )
        if kind == "page":
            facts = assemble.page_fact_quads(source, _edges(record), self.vocabulary, iris)
            writer.replace(iris.page_graph(source), facts)
            about, iri = assemble.page_quads(source, record.title, record.digest, iris), iris.page(source)
        else:
            about, iri = assemble.source_quads(source, record.digest, iris), iris.source(source)
        accepted = [_candidate(reading) for reading in record.accepted()]
        rejected = [
            Rejected(r.statement, r.code or "", r.reason or "", r.result) for r in record.readings if not r.accepted
        ]
        records = [
            *about,
            *(assemble.statement_quads(accepted, info, self.vocabulary, iris) if accepted else ()),
            *assemble.rejection_quads(rejected, info, iris),
        ]
        writer.replace_records(iri, records)

    # -- report --------------------------------------------------------------

    def report(self, results: list[Result], draft: Draft) -> BuildReport:
        records = list(self.state.records.values())
        rejections = rejection_rows(records)
        kept = sum(key[0] == "page" for key in self.state.records) - self.state.read
        violations = [r for r in results if r.severity == VIOLATION and not r.rejects]
        return BuildReport(
            pages={
                "total": sum(key[0] == "page" for key in self.state.records),
                "read": self.state.read,
                "kept": max(kept, 0),
                "removed": sum(key[0] == "page" for key in self.state.removed),
                "failed": len(self.state.faults),
            },
            entities=len(self.catalogue.entities),
            facts=len({edge for record in records for edge in _edges(record)}),
            statements={
                "read": sum(len(record.readings) for record in records),
                "accepted": sum(1 for record in records for _ in record.accepted()),
                "rejected": len(rejections),
            },
            rejected_by=count_rejections(rejections),
            rejections=rejections,
            contradictions=contradictions(results, records, self.relation_names()),
            violations=[{"focus": r.focus, "message": r.text, "sources": list(r.sources)} for r in violations],
            hints=sum(r.severity == INFO for r in results),
            faults=[str(fault) for fault in self.state.faults],
            warnings=[str(fault) for fault in self.catalogue.warnings],
            advice=list(self.vocabulary.advice),
            work={
                "pages_read": self.state.read,
                "focus_nodes": self.focus_nodes,
                "quads_written": draft.writer.written,
                "quads_removed": draft.writer.removed,
            },
        )

    def relation_names(self) -> dict[str, str]:
        return {relation.iri: name for name, relation in self.vocabulary.relations.items()}

    def unchanged(self, parent: Generation) -> BuildReport:
        """The report of a build that has nothing to do: the published one's, with the work of this one."""
        data = json.loads((parent.path / REPORT_NAME).read_text(encoding="utf-8"))
        data.pop("exit_code", None)
        report = BuildReport(**data)
        report.generation, report.changed = parent.name, False
        report.pages |= {"read": 0, "removed": 0, "kept": report.pages["total"], "failed": len(self.state.faults)}
        report.faults = [str(fault) for fault in self.state.faults]
        report.work = {"pages_read": 0, "focus_nodes": 0, "quads_written": 0, "quads_removed": 0}
        return report


class _LazyReader:
    """The configured reader, made when the first page needs it: a build without changes pays nothing for it."""

    def __init__(self, config: Config, vocabulary: Vocabulary, catalogue: Catalogue) -> None:
        self.config, self.vocabulary, self.catalogue = config, vocabulary, catalogue

    @property
    def identity(self) -> str:
        from kb.extract.phrases import IDENTITY

        return IDENTITY

    @cached_property
    def _reader(self) -> Reader:
        from kb.extract.phrases import PhraseReader

        return PhraseReader(self.vocabulary, self.catalogue)

    def read(self, page: Page) -> list[Statement]:
        return self._reader.read(page)


# -- helpers ------------------------------------------------------------------


def _grouped(rows: Iterable[Statement]) -> dict[Key, tuple[Statement, ...]]:
    """Given statements by page or file."""
    found: dict[Key, list[Statement]] = {}
    for said in rows:
        found.setdefault(("page" if said.from_page else "statements", said.source), []).append(said)
    return {key: tuple(group) for key, group in found.items()}


def _rows_digest(rows: Iterable[Statement]) -> str:
    lines = sorted(repr((s.subject, s.relation, s.object, s.evidence and astuple(s.evidence))) for s in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _place(reading: Reading) -> tuple[int, int, str, str, str]:
    said = reading.statement
    start, end = (said.evidence.start, said.evidence.end) if said.evidence else (-1, -1)
    return start, end, said.subject, said.relation, said.object


def _edges(record: SourceRecord) -> list[tuple[str, str, str]]:
    return [reading.edge for reading in record.accepted() if reading.edge is not None]


def _candidate(reading: Reading) -> Candidate:
    assert reading.edge is not None
    return Candidate(reading.statement, *reading.edge)


def _judged(reading: Reading, verdict: Rejected | None) -> Reading:
    if verdict is None:
        return Reading(reading.statement, reading.edge)
    return Reading(reading.statement, reading.edge, verdict.code, verdict.reason, verdict.result)


def _ntriples(triples: Iterable[ox.Triple]) -> str:
    return "".join(f"{triple} .\n" for triple in triples)


def _load_results(folder: Path) -> list[Result]:
    path = folder / RESULTS_NAME
    try:
        with path.open(encoding="utf-8") as lines:
            return [result_from_json(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise GenerationError(f"{path}: damaged or missing ({err}); run `kb build --force` to make it anew") from err
