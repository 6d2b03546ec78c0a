"""The folder of schema files: what is in it, what changed, and the notes of what is asked for.

Three formats may be mixed: the own one, dbt's properties files and OpenTelemetry's semantic conventions. What a file
says may hang on others (documentation blocks, attributes that are defined elsewhere), and its digest tells of these
too: as long as it stays, the file says the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from kb.config import Config
from kb.errors import Fault
from kb.model import SchemaNote
from kb.sources._text import printable, read_bytes
from kb.sources._walk import walk
from kb.sources.schemas import _dbt, _opentelemetry, _own
from kb.sources.schemas._dbt_docs import DocsBlocks, names_docs
from kb.sources.schemas._opentelemetry import Conventions, may_be_conventions
from kb.sources.schemas._reading import FileReading
from kb.sources.yaml_files import MAX_FILE_BYTES, Document, Fields, Scalar, read_file

__all__ = ["SCHEMA_SUFFIXES", "SchemaDocument", "SchemaFile", "SchemaSource"]

SCHEMA_SUFFIXES = (".yaml", ".yml", ".json")
# What a file that does not parse was meant to be, as far as a line of it tells.
_MEANT = re.compile(r"^(?:concept|models|sources|seeds|snapshots|groups|file_format)[ \t]*:", re.MULTILINE)
_OWN_SUFFIXES = tuple(f".schema{suffix}" for suffix in SCHEMA_SUFFIXES)

Dialect = Literal["kb", "dbt", "opentelemetry"]


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A file that may hold notes. `shown` is its path for messages; `size` is in bytes."""

    path: Path
    shown: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SchemaDocument:
    """What one file says.

    `digest` is what `SchemaSource.digests` gives, of what was read; empty where the file cannot be read. A file with
    `faults` has no `notes`. `warnings` are what was left out. `dialect` is None for a file that holds no notes.
    """

    file: SchemaFile
    digest: str
    notes: tuple[SchemaNote, ...]
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    dialect: Dialect | None = None


class SchemaSource:
    """The schema files of a knowledge base. Nothing is kept from one call to the next."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def scan(self) -> tuple[list[SchemaFile], list[Fault]]:
        """The files below the folder, sorted by path, and what cannot be looked at. Opens none of them."""
        folder = self.config.schemas
        if folder is None:
            return [], []
        found = walk(folder, SCHEMA_SUFFIXES)
        files = [
            SchemaFile(one.path, printable(self.config.shown(one.path)), one.size, one.mtime_ns) for one in found.files
        ]
        faults = [Fault(printable(self.config.shown(folder / name)), None, message) for name, message in found.faults]
        return files, faults

    def digests(self, files: Iterable[SchemaFile]) -> dict[str, str]:
        """SHA-256, in hexadecimal, by `shown`, of each file and of the others that it hangs on. Parses nothing.

        The digest of a file that cannot be read is empty; `read` says why.
        """
        call = _Call(self)
        return {file.shown: call.digest(file, _bytes(file)) for file in files}

    def read(self, files: Iterable[SchemaFile]) -> Iterator[SchemaDocument]:
        """What each of the files says, one after the other. Others are parsed only as far as these refer to them."""
        call = _Call(self)
        for file in files:
            yield call.read(file)


class _Call:
    """One call of `digests` or `read`: files that others refer to are read once in it, and only when needed."""

    def __init__(self, source: SchemaSource) -> None:
        self.source = source
        self.own: dict[str, str] = {}

    @cached_property
    def docs(self) -> DocsBlocks:
        folder = self.source.config.schemas
        return DocsBlocks(() if folder is None else walk(folder, (".md",)).files)

    @cached_property
    def convention_files(self) -> list[tuple[SchemaFile, bytes]]:
        """The files that attributes may be defined in."""
        found = []
        for file in self.source.scan()[0]:
            data = _bytes(file)
            if data is not None and may_be_conventions(data, file.path.suffix):
                found.append((file, data))
        return found

    @cached_property
    def convention_digest(self) -> str:
        told = "".join(f"{_hash(data)} {file.shown}\n" for file, data in self.convention_files)
        return _hash(told.encode())

    @cached_property
    def conventions(self) -> Conventions:
        return Conventions((file.shown, read_file(file.path, file.shown).roots) for file, _ in self.convention_files)

    def digest(self, file: SchemaFile, data: bytes | None) -> str:
        if data is None:
            return ""
        own = _hash(data)
        if may_be_conventions(data, file.path.suffix):
            return _hash(f"{own} {self.convention_digest}".encode())
        if names_docs(data):
            return _hash(f"{own} {self.docs.digest}".encode())
        return own

    def read(self, file: SchemaFile) -> SchemaDocument:
        document = read_file(file.path, file.shown)
        if not document.data and document.faults and file.size:
            return SchemaDocument(file, "", (), document.faults)
        digest = self.digest(file, document.data)
        reading = FileReading(file.shown, list(document.faults))
        dialect = _dialect(document, file)
        notes: list[SchemaNote] = []
        if dialect == "kb":
            notes = _own.read_notes(document.roots, reading)
        elif dialect == "dbt":
            notes = _dbt.read_notes(document.roots, reading, self.docs, file.path)
        elif dialect == "opentelemetry":
            notes = _opentelemetry.read_notes(document.roots, reading, self.conventions)
        else:
            _tell_foreign(document, file, reading)
        faults = tuple(sorted(set(reading.faults), key=_place))
        warnings = tuple(sorted(set(reading.warnings), key=_place))
        return SchemaDocument(file, digest, () if faults else tuple(notes), faults, warnings, dialect)


def _dialect(document: Document, file: SchemaFile) -> Dialect | None:
    for root in document.roots:
        if _own.looks_like_note(root, named=_is_named(file)):
            return "kb"
        if _opentelemetry.looks_like_conventions(root) and may_be_conventions(document.data, file.path.suffix):
            return "opentelemetry"
        if _dbt.looks_like_properties(root):
            return "dbt"
    return None


def _tell_foreign(document: Document, file: SchemaFile, reading: FileReading) -> None:
    """A file without notes is a fault where its name promises some, else a warning: other files may lie about."""
    named = _is_named(file)
    if document.faults:
        if not named and not _MEANT.search(document.text):
            first = reading.faults[0]
            reading.faults.clear()
            reading.warn(first.line, f"holds no schema note that could be read, and is left out: it {first.message}")
        return
    tell = reading.fault if named else reading.warn
    written = [root for root in document.roots if not (isinstance(root, Scalar) and root.empty)]
    if not written:
        tell(None, "is empty; write `concept:` with description, fields and caveats, or remove the file")
        return
    root = written[0]
    if isinstance(root, Fields) and "$schema" in root.fields:
        what = "is a JSON Schema, which is no schema note"
    else:
        what = "holds no schema note: no `concept:`, no dbt `models:` or `sources:`, no OpenTelemetry `groups:`"
    tell(root.line, f"{what}; write `concept:` with description, fields and caveats, or move the file elsewhere")


def _is_named(file: SchemaFile) -> bool:
    return file.path.name.lower().endswith(_OWN_SUFFIXES)


def _bytes(file: SchemaFile) -> bytes | None:
    data = read_bytes(file.path, file.shown, MAX_FILE_BYTES, "file")
    return None if isinstance(data, Fault) else data


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _place(fault: Fault) -> tuple[int, str]:
    return fault.line or 0, fault.message
