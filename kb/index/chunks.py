"""What is embedded: the sections of pages, and the entities of the catalogue."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass
from typing import Any

from kb.index._passages import passages
from kb.model import Entity, Page
from kb.vocabulary import Attribute, Vocabulary

__all__ = ["ENTITY", "SECTION", "Chunk", "entity_chunk", "page_chunks"]

SECTION, ENTITY = "section", "entity"
_NO_WORD = re.compile(r"\W+")
_SLUG = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """One row of the index. `text` is what is embedded, `label` what people call it.

    `id` is `{kind}:{concept}:{id}`: of a section the page's id is the concept, of an entity its type. A section's
    `start` and `end` are offsets in its page.
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

    def to_json(self) -> dict[str, Any]:
        """The fields that are set."""
        return {key: value for key, value in asdict(self).items() if value is not None}


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


def _attribute(name: str, value: bool | float | str, attribute: Attribute | None) -> str:
    label = name if attribute is None else attribute.label
    if not isinstance(value, bool):
        return f"{label}: {value}"
    if value:
        return label
    return attribute.phrases_false[0] if attribute is not None and attribute.phrases_false else f"not {label}"
