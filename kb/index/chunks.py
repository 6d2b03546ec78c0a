"""What is embedded: the sections of pages, and the entities of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from kb.model import Entity, Page
from kb.sources.markdown import Block, parse_markdown
from kb.vocabulary import Vocabulary

__all__ = ["ENTITY", "SECTION", "Chunk", "entity_chunk", "page_chunks"]

SECTION, ENTITY = "section", "entity"
_LONG = 1200
"""Characters from which on a section is parted; shorter ones in a row go together."""
_SLUG = re.compile(r"[^\w]+")


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
    """The sections of a page, in order. Their texts are without Markdown, and begin with title and headings."""
    found: list[Chunk] = []
    seen: dict[str, int] = {}
    for trail, blocks in _sections(page.text):
        body = "\n".join(line for line in _lines(blocks) if line)
        if not body:
            continue
        slug = "/".join(_SLUG.sub("-", words.lower()).strip("-") for words in trail) or "-"
        seen[slug] = number = seen.get(slug, 0) + 1
        name = slug if number == 1 else f"{slug}~{number}"
        label = " > ".join(dict.fromkeys((title, *trail)))
        text = f"{label}\n{body}"
        span = blocks[0].start, blocks[-1].end
        found.append(Chunk(f"{SECTION}:{page.id}:{name}", SECTION, page.id, text, label, page.id, *span))
    return found


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """(headings above, blocks) of each section."""
    trail: list[tuple[int, str]] = []
    held: list[Block] = []
    size = 0
    for block in parse_markdown(text).blocks:
        if block.kind == "heading":
            if held:
                yield tuple(words for _, words in trail), held
            held, size = [], 0
            trail = [one for one in trail if one[0] < block.level]
            trail.append((block.level, block.inline.text.strip() if block.inline is not None else ""))
            continue
        length = block.end - block.start
        if held and size + length > _LONG:
            yield tuple(words for _, words in trail), held
            held, size = [], 0
        held.append(block)
        size += length
    if held:
        yield tuple(words for _, words in trail), held


def _lines(blocks: list[Block]) -> Iterator[str]:
    headings: list[str] = []
    for block in blocks:
        if block.kind == "row":
            cells = [" ".join(cell.text.split()) for cell in block.cells]
            if block.header:
                headings = cells
                yield " | ".join(cell for cell in cells if cell)
            else:
                named = [
                    f"{head}: {cell}" if head else cell for head, cell in zip(headings, cells, strict=False) if cell
                ]
                yield "; ".join(named or cells)
        elif block.inline is not None:
            yield " ".join(block.inline.text.split())
        elif block.literal:
            yield block.literal.strip()[:_LONG]


def entity_chunk(entity: Entity, vocabulary: Vocabulary) -> Chunk:
    """An entity in words: what it is, what it is called, what is said of it."""
    known = vocabulary.classes.get(entity.type)
    parts = [f"{entity.name} ({known.label if known is not None else entity.type})"]
    if entity.aliases:
        parts.append(f"also called {', '.join(entity.aliases)}")
    for name, value in entity.attributes.items():
        attribute = vocabulary.attributes.get(name)
        label = attribute.label if attribute is not None else name
        if value is False and attribute is not None and attribute.phrases_false:
            parts.append(attribute.phrases_false[0])
        elif isinstance(value, bool):
            parts.append(label if value else f"not {label}")
        else:
            parts.append(f"{label}: {value}")
    if entity.description:
        parts.append(" ".join(entity.description.split()))
    identifier = f"{ENTITY}:{entity.type}:{entity.id}"
    return Chunk(identifier, ENTITY, entity.type, ". ".join(parts), entity.name, entity=entity.id)
