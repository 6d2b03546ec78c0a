"""The words that every layer shares: page, entity, statement, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Caveat", "Entity", "Evidence", "Page", "SchemaField", "SchemaNote", "Statement"]


@dataclass(frozen=True, slots=True)
class Page:
    r"""One wiki page.

    `id` is its path below the wiki folder, `/`-separated, without suffix. `text` is the decoded file without byte order
    mark and with `\n` line ends; all offsets count its characters (code points). `digest` is the SHA-256 of the file's
    bytes in hexadecimal. `path` is the file relative to the knowledge base, for messages.
    """

    id: str
    text: str
    digest: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing in the catalogue. `type` and the keys of `attributes` are names of the ontology."""

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    attributes: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote: `page.text[start:end] == quote`."""

    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """What one page or file says: names as they were read, not yet ids.

    `relation` is the snake_case name of a relation or of an inverse. `source` is a page id, or the path of a catalogue
    or statements file where `from_page` is false.
    """

    subject: str
    relation: str
    object: str
    source: str
    evidence: Evidence | None = None
    from_page: bool = True


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One named value of a format, table or configuration block. `id` is unique among the fields and caveats of it."""

    id: str
    name: str
    value_type: str | None = None
    description: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something that one must know about a format. `applies_to` are ids of fields of the same note."""

    id: str
    severity: str
    summary: str
    evidence: str | None = None
    applies_to: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class SchemaNote:
    """The note on one format, table or configuration block: `concept` is its id.

    `review` says how far people have looked through it (`status`, and what else a note tells: `by`, `on`, numbers), as
    text. `path` is the file relative to the knowledge base, for messages, `line` where the note begins in it.
    """

    concept: str
    description: str | None = None
    fields: tuple[SchemaField, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    review: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    line: int = 0
