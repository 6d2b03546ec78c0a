"""What is embedded: sections of pages, entities of the catalogue, and schema notes with their fields and caveats."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields
from typing import Any

from kb.index._passages import passages
from kb.model import Caveat, Entity, Page, SchemaField, SchemaNote
from kb.vocabulary import Attribute, Vocabulary

__all__ = [
    "CAVEAT",
    "CHUNKER",
    "CONCEPT",
    "ENTITY",
    "FIELD",
    "KINDS",
    "SECTION",
    "Chunk",
    "entity_chunk",
    "page_chunks",
    "schema_chunks",
]

SECTION, ENTITY = "section", "entity"
CONCEPT, FIELD, CAVEAT = "concept", "field", "caveat"
KINDS = (CAVEAT, CONCEPT, ENTITY, FIELD, SECTION)
CHUNKER = "2"
"""Rises when the same sources give other texts."""
_NO_WORD = re.compile(r"\W+")
_SLUG = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """One row of the index. `text` is what is embedded, `label` what people call it.

    `id` is `{kind}:{concept}:{id}`, and `concept:{concept}` of a schema note. Of a section the page's id is the
    concept, of an entity its type. A section's `start` and `end` are offsets in its page. `applies_to` are the ids of
    the chunks of fields that a caveat is about.
    """

    id: str
    kind: str
    concept: str
    text: str
    label: str
    page: str | None = None
    start: int | None = None
    end: int | None = None
    entity: str | None = None
    value_type: str | None = None
    severity: str | None = None
    applies_to: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The fields that are set; `from_json` turns them back."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        return {key: value for key, value in found.items() if value is not None and value != ()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Chunk:
        """The chunk that `to_json` wrote down. Raises TypeError for anything else."""
        return cls(**{**data, "applies_to": tuple(data.get("applies_to", ()))})


def page_chunks(page: Page, title: str) -> list[Chunk]:
    """The sections of a page, in order. Their texts are without Markdown, and begin with title and headings.

    A section's id comes from its headings; of several with the same ones, and of the parts of a long one, those after
    the first are numbered. What changes elsewhere in the page changes no id.
    """
    found: list[Chunk] = []
    seen: dict[str, int] = {}
    for passage in passages(page.text, title):
        slug = "/".join(map(_slug, passage.trail)) or "-"
        seen[slug] = number = seen.get(slug, 0) + 1
        name = slug if number == 1 else f"{slug}~{number}"
        # Most pages repeat their title as the first heading.
        trail = passage.trail[1:] if passage.trail[:1] == (title,) else passage.trail
        label = " > ".join(words for words in (title, *trail) if words)
        text = f"{label}\n{passage.text}"
        place = (page.id, passage.start, passage.end)
        found.append(Chunk(f"{SECTION}:{page.id}:{name}", SECTION, page.id, text, label, *place))
    return found


def _slug(heading: str) -> str:
    return _NO_WORD.sub("-", unicodedata.normalize("NFC", heading).lower()).strip("-")[:_SLUG]


def entity_chunk(entity: Entity, vocabulary: Vocabulary) -> Chunk:
    """An entity in words: what it is, what it is called, what is said of it."""
    known = vocabulary.classes.get(entity.type)
    parts = [f"{entity.name} ({known.label if known is not None else entity.type})"]
    if entity.aliases:
        parts.append(f"also called {', '.join(entity.aliases)}")
    for name, value in sorted(entity.attributes.items()):
        parts.append(_attribute(name, value, vocabulary.attributes.get(name)))
    if entity.description:
        parts.append(entity.description)
    text = ". ".join(" ".join(part.split()) for part in parts)
    return Chunk(f"{ENTITY}:{entity.type}:{entity.id}", ENTITY, entity.type, text, entity.name, entity=entity.id)


def schema_chunks(note: SchemaNote) -> list[Chunk]:
    """A schema note in words: the whole of it, then each field, then each caveat, in the order of the note."""
    concept = note.concept
    names = ", ".join(map(_called, note.fields))
    summaries = " ".join(map(_sentence, (one.summary for one in note.caveats)))
    said = [f"Concept: {concept}.", *([_sentence(note.description)] if note.description else [])]
    said += [f"Fields: {names}."] if names else []
    said += [f"Caveats: {summaries}"] if summaries else []
    found = [Chunk(f"{CONCEPT}:{concept}", CONCEPT, concept, _line(" ".join(said)), concept)]
    found += [_field_chunk(concept, one) for one in note.fields]
    found += [_caveat_chunk(concept, one) for one in note.caveats]
    return found


def _field_chunk(concept: str, one: SchemaField) -> Chunk:
    kind = f" ({one.value_type})" if one.value_type else ""
    said = f": {one.description}" if one.description else ""
    text = _line(f"Field {concept}.{_called(one)}{kind}{said}")
    return Chunk(
        f"{FIELD}:{concept}:{one.id}", FIELD, concept, text, f"{concept}.{one.name}", value_type=one.value_type
    )


def _called(one: SchemaField) -> str:
    """A field's name, and the id that code has, where that is another one."""
    return one.name if one.name == one.id else f"{one.name} [{one.id}]"


def _caveat_chunk(concept: str, one: Caveat) -> Chunk:
    evidence = f" Evidence: {one.evidence}" if one.evidence else ""
    text = _line(f"Caveat [{one.severity}] {concept}: {one.summary}{evidence}")
    about = tuple(f"{FIELD}:{concept}:{field}" for field in one.applies_to)
    chunk_id = f"{CAVEAT}:{concept}:{one.id}"
    return Chunk(chunk_id, CAVEAT, concept, text, one.summary, severity=one.severity, applies_to=about)


def _sentence(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."


def _line(text: str) -> str:
    return " ".join(text.split())


def _attribute(name: str, value: bool | float | str, attribute: Attribute | None) -> str:
    label = name if attribute is None else attribute.label
    if not isinstance(value, bool):
        return f"{label}: {value}"
    if value:
        return label
    return attribute.phrases_false[0] if attribute is not None and attribute.phrases_false else f"not {label}"
