"""Pages, entities and schema notes -> the side-car index of a generation, and what in it says the same twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from kb.config import Config
from kb.embed.opening import default_note, open_provider
from kb.errors import GenerationError
from kb.generations import Draft, Generation
from kb.model import Entity, Page, SchemaNote
from kb.pipeline.state import Progress
from kb.sources.catalogue import Catalogue
from kb.sources.pages import page_title
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.embed.cache import VectorCache
    from kb.embed.provider import Provider
    from kb.index.chunks import Chunk
    from kb.index.vectors import IndexFiles
    from kb.index.writer import Part

__all__ = ["DUPLICATES_NAME", "Changes", "Indexed", "Indexing"]

DUPLICATES_NAME = "dedup_report.json"
_CACHE_FOLDER = "journal"


@dataclass(frozen=True, slots=True)
class Changes:
    """What the rows of an index are of: pages by id, entities, concepts of schema notes.

    `changed_pages` are those whose text is to be looked at, None for all of them, and for the entities. `notes` are
    those of the concepts that have other texts than before.
    """

    pages: Collection[str]
    changed_pages: Collection[str] | None
    concepts: Collection[str]
    notes: Mapping[str, SchemaNote]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What was written.

    `rebuilt` are concepts of schema notes with new rows; `duplicates` all pairs that are alike. `note` says what would
    make a better index.
    """

    rows: int
    embedded: int
    cached: int
    rebuilt: tuple[str, ...]
    duplicates: int
    new_duplicates: int
    warnings: tuple[str, ...]
    note: str | None
    meta: Mapping[str, Any]


class Indexing:
    """Writes the index of one build.

    `parent` is the generation before it, whatever else is made anew; `reported` the one that pairs are new beside, also
    where nothing is taken over.
    """

    def __init__(
        self,
        config: Config,
        vocabulary: Vocabulary,
        catalogue: Catalogue,
        parent: Generation | None,
        reported: Generation | None,
        page: Callable[[str], Page | None],
        progress: Progress,
    ) -> None:
        self.config, self.vocabulary, self.catalogue, self.parent = config, vocabulary, catalogue, parent
        self.reported, self.page, self.progress = reported, page, progress

    @cached_property
    def provider(self) -> Provider:
        """What makes the vectors. Raises ConfigError and EmbeddingError where kb.toml names one that cannot be had."""
        return open_provider(self.config)

    @property
    def swapped(self) -> bool:
        """Whether another provider made the parent's vectors."""
        return self.parent is None or _identity(self.parent) != self.provider.identity

    @property
    def stale(self) -> bool:
        """Whether the parent's index, or what it says of duplicates, is not what kb.toml asks for now."""
        report = self._report_before()
        return self.swapped or (report is not None and report.get("threshold") != self._threshold)

    def write(self, draft: Draft, changes: Changes) -> Indexed:
        """Writes texts and vectors of everything, and the report on duplicates.

        Rows of what did not change, and vectors of texts that are still the same, come from the parent's index; other
        vectors from the cache, or else from the provider.
        """
        # NumPy is loaded when there is something to publish.
        from kb.index.vectors import IndexFiles
        from kb.index.writer import write_index

        before = self.before
        rebuilt = sorted(changes.concepts) if before is None or self.swapped else sorted(changes.notes)
        cache = self._cache()
        try:
            written = write_index(
                draft.path,
                self._parts(changes, before),
                self.provider,
                before,
                cache=cache,
                progress=lambda done, total: self.progress("vectors", done, total, ""),
            )
            files = IndexFiles(draft.path)
            pairs = self._duplicates(draft, files, changes.concepts, set(changes.concepts) - set(rebuilt), cache)
        finally:
            if cache is not None:
                cache.close()
        return Indexed(
            rows=written.rows,
            embedded=written.embedded,
            cached=written.cached,
            rebuilt=tuple(rebuilt),
            duplicates=len(pairs),
            new_duplicates=sum(bool(pair["new"]) for pair in pairs),
            warnings=(*self._swap(), *(cache.notes if cache is not None else ())),
            note=default_note(self.config),
            meta={
                "identity": self.provider.identity,
                "family": self.provider.family,
                "dimension": files.dimension,
                "dtype": "float32",
                "lexical_weight": self.provider.lexical_weight,
            },
        )

    def _swap(self) -> list[str]:
        """What is to be known where another provider made the vectors of the build before."""
        before = None if self.reported is None else _identity(self.reported)
        now = self.provider.identity
        if before in (None, now):
            return []
        said = f"all vectors were made anew, by {now} instead of {before}"
        return [f"{said}; name one provider below [embed] in kb.toml to keep to it on every machine"]

    def _parts(self, changes: Changes, before: IndexFiles | None) -> Iterable[Part]:
        from kb.index.chunks import CAVEAT, CONCEPT, ENTITY, FIELD, SECTION, entity_chunk, page_chunks, schema_chunks
        from kb.index.writer import Part

        changed = changes.changed_pages if before is not None else None
        by_type: dict[str, list[Entity]] = {}
        for entity in self.catalogue.entities.values():
            by_type.setdefault(entity.type, []).append(entity)

        def sections(page_id: str) -> list[Chunk]:
            found = self.page(page_id)
            return [] if found is None else page_chunks(found, page_title(found))

        def entities(type_name: str) -> list[Chunk]:
            ordered = sorted(by_type[type_name], key=lambda one: one.id)
            return [entity_chunk(one, self.vocabulary) for one in ordered]

        def of_note(note: SchemaNote, kind: str) -> list[Chunk]:
            return [one for one in schema_chunks(note) if one.kind == kind]

        for name in sorted(by_type):
            yield Part(name, ENTITY, partial(entities, name) if changed is None else None)
        for page_id in changes.pages:
            yield Part(page_id, SECTION, partial(sections, page_id) if changed is None or page_id in changed else None)
        for concept in changes.concepts:
            note = changes.notes.get(concept)
            for kind in (CAVEAT, CONCEPT, FIELD):
                yield Part(concept, kind, None if note is None else partial(of_note, note, kind))

    def _cache(self) -> VectorCache | None:
        from kb.embed.cache import CACHE_NAME, VectorCache

        if not self.provider.costly:
            return None
        folder = self.config.store / _CACHE_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        return VectorCache(folder / CACHE_NAME)

    def _duplicates(
        self,
        draft: Draft,
        files: IndexFiles,
        concepts: Collection[str],
        unchanged: Collection[str],
        cache: VectorCache | None,
    ) -> list[dict[str, Any]]:
        if not concepts:
            return []
        from kb.embed.provider import embedded
        from kb.embed.settings import HOSTED
        from kb.index.duplicates import find_duplicates

        # Small models find all caveats of a concept alike for what they begin with. What runs here may well embed them
        # once more without; what is paid for is compared as it is.
        apart = None
        if self.provider.identity.partition(":")[0] not in HOSTED:
            apart = partial(embedded, self.provider, cache=cache)
        report = find_duplicates(files, self._threshold, self._report_before(), unchanged, apart)
        draft.write(DUPLICATES_NAME, json.dumps(report, ensure_ascii=False))
        pairs: list[dict[str, Any]] = report["pairs"]
        return pairs

    @property
    def _threshold(self) -> float:
        from kb.embed.settings import embed_settings

        return embed_settings(self.config).duplicate_threshold or self.provider.duplicate_threshold

    def _report_before(self) -> dict[str, Any] | None:
        if self.reported is None:
            return None
        try:
            if DUPLICATES_NAME not in self.reported.meta["files"]:
                return None
            found = json.loads(self.reported.read(DUPLICATES_NAME))
        except (GenerationError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    @cached_property
    def before(self) -> IndexFiles | None:
        """The parent's index; None where there is none that can be read."""
        from kb.index.vectors import INDEX_NAME, IndexFiles

        if self.parent is None or not (self.parent.path / INDEX_NAME).is_file():
            return None
        try:
            return IndexFiles(self.parent.path)
        except GenerationError:
            return None


def _identity(generation: Generation) -> str | None:
    found = generation.meta.get("embedding", {}).get("identity")
    return found if isinstance(found, str) else None
