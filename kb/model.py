"""The words that every layer shares: page, entity, statement, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Entity", "Evidence", "Page", "Statement"]


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
