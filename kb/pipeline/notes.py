"""Schema files -> records, named graphs and chunks of their concepts.

What a note says hangs together by itself: its fields and caveats are nobody else's. So a file is judged on its own, and
one that did not change is neither read nor judged again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.config import Config
from kb.errors import Fault
from kb.generations import Draft, Generation
from kb.graph import assemble
from kb.graph.candidates import Candidate, Rejected
from kb.graph.validation import WARNING, Result
from kb.iris import Iris
from kb.model import Entity, SchemaNote
from kb.pipeline.inputs import Inputs
from kb.pipeline.state import Progress, State
from kb.records import Reading, SourceRecord
from kb.sources.catalogue import Catalogue
from kb.sources.schemas import (
    SchemaDocument,
    SchemaFile,
    SchemaSource,
    schema_entities,
    schema_statements,
    semantic_digest,
)
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.index.chunks import Chunk

__all__ = ["CATALOG_NAME", "SCHEMA", "Notes", "concepts_of", "note_warnings", "schema_counts", "schema_rows"]

SCHEMA = "schema"
"""The kind of a record of a schema file."""
CATALOG_NAME = "catalog.json"
CONCEPTS, FACTS = "concepts", "facts"
"""Where such a record keeps its concepts, and how many facts they make."""
_ALONE = "kb"
"""The dialect whose files refer to no others."""
_BATCH = 2_000
"""Nodes that are judged at a time."""


@dataclass
class _Verdict:
    """What the gate said about one file."""

    accepted: list[Candidate] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


class Notes:
    """The schema notes of one build.

    `parent` is the generation that records of unchanged files come from, or that is left behind as a whole.
    """

    def __init__(
        self,
        config: Config,
        vocabulary: Vocabulary,
        iris: Iris,
        parent: Generation | None,
        inputs: Inputs,
        progress: Progress,
    ) -> None:
        self.config, self.vocabulary, self.iris, self.parent = config, vocabulary, iris, parent
        self.inputs, self.progress = inputs, progress
        self.state = State()
        self.read: dict[str, tuple[SchemaNote, ...]] = {}
        """Path -> notes of the files that were read by this build."""
        self.files: set[str] = set()
        """The paths of all schema files, those that cannot be read included."""
        self.focus_nodes = 0
        self.copied: set[str] = set()
        """Concepts of files that cannot be read now, of which the parent's graph and rows are all there is."""

    # -- collecting ---------------------------------------------------------

    def collect(self, state: State) -> None:
        """Adds a record for every schema file to the state; reads those that changed."""
        self.state = state
        if self.config.schemas is None:
            return
        source = SchemaSource(self.config)
        files, faults = source.scan()
        state.faults.extend(faults)
        self.files = {file.shown for file in files} | {fault.file for fault in faults}
        digests = self.known_digests(files)
        digests |= source.digests([file for file in files if file.shown not in digests])
        changed = []
        for file in files:
            before = state.before.get((SCHEMA, file.shown))
            if before is not None and before.digest and before.digest == digests.get(file.shown):
                state.records[SCHEMA, file.shown] = before
            else:
                changed.append(file)
        claimed = {
            concept: record.source for record in state.of_kind(SCHEMA) for concept in record.extra.get(CONCEPTS, ())
        }
        self.progress("schemas", 0, len(files), "")
        for number, document in enumerate(source.read(changed)):
            self.take(document, claimed)
            self.progress("schemas", len(files) - len(changed) + number + 1, len(files), "")
        failing = {fault.file for fault in faults}
        for key, record in [*state.before.items(), *state.fallback.items()]:
            if key[0] == SCHEMA and key not in state.records and record.path in failing:
                self.keep(key)

    def known_digests(self, files: Iterable[SchemaFile]) -> dict[str, str]:
        """Digests of files that are what they were; of such, that is, whose digest covers nothing but themselves."""
        found: dict[str, str] = {}
        for file in files:
            before, now = self.state.before.get((SCHEMA, file.shown)), self.inputs.files.get(file.shown)
            alone = before is not None and before.extra.get("dialect") == _ALONE
            if alone and before is not None and now is not None and before.digest == now.digest:
                found[file.shown] = now.digest
        return found

    def take(self, document: SchemaDocument, claimed: dict[str, str]) -> None:
        """Makes the record of one file, unless it is faulty."""
        shown, state = document.file.shown, self.state
        state.faults.extend(document.faults)
        if document.faults:
            self.keep((SCHEMA, shown))
            return
        notes, digest = [], document.digest
        for note in document.notes:
            other = claimed.setdefault(note.concept, shown)
            if other == shown:
                notes.append(note)
                continue
            message = f"concept {note.concept!r} has a note in {other} already; rename or remove one of the two"
            state.faults.append(Fault(shown, note.line or None, message))
            digest = ""  # so that the next build looks at it again
        self.read[shown] = tuple(notes)
        extra: dict[str, Any] = {CONCEPTS: {note.concept: self.entry(note) for note in notes}, FACTS: 0}
        if document.dialect is not None:
            extra["dialect"] = document.dialect
        if document.warnings:
            extra["warnings"] = [[one.line, one.message] for one in document.warnings]
        state.records[SCHEMA, shown] = SourceRecord(shown, SCHEMA, digest, shown, shown, (), extra)
        state.touched.add((SCHEMA, shown))

    def failed(self) -> int:
        """How many schema files have faults."""
        return len({fault.file for fault in self.state.faults} & self.files)

    def entry(self, note: SchemaNote) -> dict[str, Any]:
        """What the catalogue of notes says about one."""
        from kb.index.chunks import CHUNKER

        return {
            "semantic": semantic_digest(note),
            "chunker": CHUNKER,
            "chunks": _fingerprint(self.chunks(note)),
            "fields": len(note.fields),
            "caveats": len(note.caveats),
            "review": dict(note.review),
        }

    def keep(self, key: tuple[str, str]) -> None:
        """A file that cannot be read now keeps what was read from it before."""
        if key in self.state.before:
            self.state.records[key] = self.state.before[key]
        elif key in self.state.fallback and self.same_base:
            old = self.state.fallback[key]
            # Without a digest the next build looks at it again.
            self.state.records[key] = replace(old, digest="", line=None)
            self.state.touched.add(key)
            self.copied |= set(old.extra.get(CONCEPTS, ()))

    @property
    def same_base(self) -> bool:
        """Whether the parent's graphs are called as this build's are."""
        return self.parent is not None and self.parent.meta.get("key", {}).get("base") == self.iris.base

    # -- judging ------------------------------------------------------------

    def split(self, results: Iterable[Result]) -> tuple[list[Result], list[Result]]:
        """Results about schema notes, of this build or of the one before, and the others."""
        known = {file for kind, file in self.state.records.keys() | self.state.before.keys() if kind == SCHEMA}
        ours: list[Result] = []
        others: list[Result] = []
        for one in results:
            (ours if one.files and known.issuperset(one.files) else others).append(one)
        return ours, others

    def judge(self, old_results: Iterable[Result]) -> list[Result]:
        """Has the gate look at the files that were read; returns what holds of all schema files now."""
        verdicts: dict[str, _Verdict] = {shown: _Verdict() for shown in self.read}
        for batch in _batches(self.read):
            self._judge(batch, verdicts)
        kept = {file for kind, file in self.state.records if kind == SCHEMA} - self.read.keys()
        results = [one for one in old_results if kept.issuperset(one.files)]
        for shown, verdict in verdicts.items():
            key = (SCHEMA, shown)
            # Without an edge: what a note says is judged here, and not beside the statements of pages.
            readings = tuple(Reading(one.statement, None, one.code, one.reason, one.result) for one in verdict.rejected)
            record = self.state.records[key]
            extra = {**record.extra, FACTS: len({(c.subject, c.relation, c.object) for c in verdict.accepted})}
            self.state.records[key] = replace(record, readings=readings, extra=extra, line=None)
            results += verdict.results
        self.verdicts = verdicts
        return results

    def _judge(self, batch: Mapping[str, Sequence[SchemaNote]], verdicts: Mapping[str, _Verdict]) -> None:
        from kb.graph.gate import Gate  # brings pyshacl, which most builds do not need

        home: dict[str, str] = {}
        entities: dict[str, Entity] = {}
        candidates: list[Candidate] = []
        for shown, notes in batch.items():
            for note in notes:
                for entity in schema_entities(note):
                    entities[entity.id], home[entity.id] = entity, shown
                candidates += [Candidate(one, one.subject, one.relation, one.object) for one in schema_statements(note)]
        report = Gate(self.vocabulary, Catalogue(entities), self.iris).check(candidates)
        self.focus_nodes += report.focus_nodes
        for candidate in report.accepted:
            verdicts[home[candidate.subject]].accepted.append(candidate)
        for rejected in report.rejected:
            verdicts[rejected.statement.source].rejected.append(rejected)
        for result in report.results:
            shown = home[result.focus]
            verdicts[shown].results.append(replace(result, sources=(shown,), files=(shown,)))

    # -- writing ------------------------------------------------------------

    @cached_property
    def verdicts(self) -> dict[str, _Verdict]:
        """Path -> what the gate said, of the files that were read. Set by `judge`."""
        return {}

    def write(self, draft: Draft) -> None:
        """Writes the graphs of concepts that were read, drops those that are gone, and what records say about both."""
        writer, iris, state = draft.writer, self.iris, self.state
        info = assemble.ReadingInfo("schemas/1", ontology_digest=self.vocabulary.digest)
        now = concepts_of(state.records.values())
        for concept in sorted(concepts_of(state.before.values()) - now):
            writer.drop(iris.schema_graph(concept))
        for shown, notes in sorted(self.read.items()):
            verdict, source = self.verdicts[shown], iris.source(shown)
            facts: dict[str, list[assemble.Edge]] = {}
            by_node = {entity.id: note.concept for note in notes for entity in schema_entities(note)}
            for one in verdict.accepted:
                facts.setdefault(by_node[one.subject], []).append((one.subject, one.relation, one.object))
            for note in notes:
                entities = schema_entities(note)
                quads = assemble.schema_quads(
                    note.concept, entities, facts.get(note.concept, ()), self.vocabulary, iris
                )
                writer.replace(iris.schema_graph(note.concept), quads)
            concepts = [note.concept for note in notes]
            records = [
                *assemble.source_quads(shown, state.records[SCHEMA, shown].digest, iris),
                *assemble.schema_graph_quads(concepts, shown, iris),
                *assemble.rejection_quads(verdict.rejected, info, iris),
            ]
            writer.replace_records(source, records)
        for kind, shown in sorted(state.removed):
            if kind == SCHEMA:
                writer.replace_records(iris.source(shown), ())
        self._copy(draft)

    def _copy(self, draft: Draft) -> None:
        if not self.copied or self.parent is None:
            return
        store = self.parent.open_store()
        for concept in sorted(self.copied):
            graph = ox.NamedNode(self.iris.schema_graph(concept))
            with self.parent.reading():
                triples = [quad.triple for quad in store.quads_for_pattern(None, None, None, graph)]
            draft.writer.replace(graph.value, triples)

    # -- chunks -------------------------------------------------------------

    def chunks(self, note: SchemaNote) -> list[Chunk]:
        """The rows of one note."""
        from kb.index.chunks import schema_chunks

        return schema_chunks(note)

    def changed_notes(self, *, everything: bool) -> dict[str, SchemaNote]:
        """Concept -> note, of those whose texts are not what the parent's index has; of all that were read if asked."""
        before = {**_entries(self.state.fallback.values()), **_entries(self.state.before.values())}
        now = _entries(self.state.records.values())
        return {
            note.concept: note
            for notes in self.read.values()
            for note in notes
            if everything or _print_of(now[note.concept]) != _print_of(before.get(note.concept, {}))
        }


def concepts_of(records: Iterable[SourceRecord]) -> set[str]:
    """The schema concepts that records are about."""
    return {concept for record in records if record.kind == SCHEMA for concept in record.extra.get(CONCEPTS, ())}


def schema_rows(records: Iterable[SourceRecord]) -> list[dict[str, Any]]:
    """What a build knows about each schema file: path, digest of its bytes, and an entry for each concept."""
    return [
        {"path": record.path, "digest": record.digest, **{key: record.extra[key] for key in sorted(record.extra)}}
        for record in sorted(records, key=lambda one: one.source)
        if record.kind == SCHEMA
    ]


def schema_counts(records: Iterable[SourceRecord], failed: int) -> dict[str, int]:
    """How many concepts, fields, caveats and facts there are; nothing where there are no schema files."""
    found = [record for record in records if record.kind == SCHEMA]
    entries = list(_entries(found).values())
    if not found and not failed:
        return {}
    return {
        "files": len(found),
        "failed": failed,
        "concepts": len(entries),
        "fields": sum(entry["fields"] for entry in entries),
        "caveats": sum(entry["caveats"] for entry in entries),
        "facts": sum(record.extra.get(FACTS, 0) for record in found),
    }


def note_warnings(results: Iterable[Result]) -> list[str]:
    """What shapes say about schema notes that are kept all the same."""
    return [
        f"{result.files[0]}: {result.focus}: {result.text}"
        for result in results
        if result.severity == WARNING and not result.rejects
    ]


def _entries(records: Iterable[SourceRecord]) -> dict[str, dict[str, Any]]:
    return {
        concept: entry
        for record in records
        if record.kind == SCHEMA
        for concept, entry in record.extra.get(CONCEPTS, {}).items()
    }


def _print_of(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    return entry.get("chunker"), entry.get("chunks")


def _fingerprint(chunks: Iterable[Chunk]) -> str:
    digest = hashlib.sha256()
    for one in chunks:
        for part in (one.id, one.text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _batches(read: Mapping[str, Sequence[SchemaNote]]) -> Iterator[dict[str, Sequence[SchemaNote]]]:
    batch: dict[str, Sequence[SchemaNote]] = {}
    size = 0
    for shown, notes in read.items():
        batch[shown] = notes
        size += sum(1 + len(note.fields) + len(note.caveats) for note in notes)
        if size >= _BATCH:
            yield batch
            batch, size = {}, 0
    if size:
        yield batch
