"""Pages and entities -> the side-car index of a generation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

from kb.errors import GenerationError
from kb.generations import Draft, Generation
from kb.model import Entity, Page
from kb.sources.catalogue import Catalogue
from kb.sources.pages import page_title
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.index.chunks import Chunk
    from kb.index.vectors import IndexFiles
    from kb.index.writer import Written

__all__ = ["index_draft"]


def index_draft(
    draft: Draft,
    pages: Iterable[str],
    changed: Collection[str] | None,
    page: Callable[[str], Page | None],
    catalogue: Catalogue,
    vocabulary: Vocabulary,
    before: Generation | None,
) -> Written:
    """Writes texts and vectors of all pages and entities.

    `changed` are the pages whose text is to be looked at; None for all of them, and for the entities. `page` gives the
    text of one, None where it has no file. Rows of the others, and vectors of texts that are still the same, come from
    the index of the generation `before`.
    """
    # NumPy is loaded when there is something to publish.
    from kb.embed.hashing import HashingProvider
    from kb.index.chunks import ENTITY, SECTION, entity_chunk, page_chunks
    from kb.index.writer import Part, write_index

    parent = _index_of(before)
    if parent is None:
        changed = None
    by_type: dict[str, list[Entity]] = {}
    for entity in catalogue.entities.values():
        by_type.setdefault(entity.type, []).append(entity)

    def sections(page_id: str) -> list[Chunk]:
        found = page(page_id)
        return [] if found is None else page_chunks(found, page_title(found))

    def entities(type_name: str) -> list[Chunk]:
        return [entity_chunk(one, vocabulary) for one in sorted(by_type[type_name], key=lambda one: one.id)]

    parts = [Part(name, ENTITY, partial(entities, name) if changed is None else None) for name in sorted(by_type)]
    for page_id in sorted(pages):
        new = changed is None or page_id in changed
        parts.append(Part(page_id, SECTION, partial(sections, page_id) if new else None))
    return write_index(draft.path, parts, HashingProvider(), parent)


def _index_of(generation: Generation | None) -> IndexFiles | None:
    """The index of a generation; None where there is none that can be read."""
    from kb.index.vectors import INDEX_NAME, IndexFiles

    if generation is None or not (generation.path / INDEX_NAME).is_file():
        return None
    try:
        found = IndexFiles(generation.path)
        # What is taken over from it would get a new digest.
        found.verify()
    except GenerationError:
        return None
    return found
