"""Schema notes for programs that know two folders and no `kb.toml`: search, get, related.

provider = FileSchemaProvider("schemas", kg_dir="kg")
provider.search("make config immutable", top_k=5)
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kb.errors import GenerationError, NoKnowledgeBaseError
from kb.generations import Generation, Generations
from kb.iris import Iris

if TYPE_CHECKING:
    from kb.embed.provider import Provider
    from kb.index.search import Index
    from kb.lookup import SchemaNodes

__all__ = ["FileSchemaProvider"]


class FileSchemaProvider:
    """The schema notes of what was last built from a folder of them; nothing is ever built here.

    `schema_dir` is the folder of the notes, `kg_dir` the one that `kb build` published into, by default `kg` beside it.
    `provider` embeds queries, where it is not to be the one that the index names; it must be the one that made the
    index, or one of its family.

    The generation is opened when it is first needed, stays the same while later builds publish, and is not pruned
    before `close`. Methods raise NoKnowledgeBaseError where nothing has been built, GenerationError where something is
    damaged, and UnknownNameError, with near names, for a concept or field that there is not. Safe from several threads.
    """

    def __init__(
        self,
        schema_dir: str | os.PathLike[str],
        kg_dir: str | os.PathLike[str] | None = None,
        *,
        provider: Provider | None = None,
    ) -> None:
        self.schema_dir = Path(schema_dir)
        self.kg_dir = self.schema_dir.resolve().parent / "kg" if kg_dir is None else Path(kg_dir)
        self._provider = provider
        self._lock = threading.RLock()
        self._closed = False
        self._opened: Generation | None = None
        self._searched: Index | None = None
        self._read: SchemaNodes | None = None

    def search(self, query: str, top_k: int = 5, concepts: Collection[str] | None = None) -> list[dict[str, Any]]:
        """The `top_k` concepts, fields and caveats that fit a query best, of these concepts or of all.

        The mappings are those of `KnowledgeBase.search`. A concept without a note is an error.
        """
        from kb.lookup.hits import search, several
        from kb.lookup.schema import SCHEMA_KINDS

        index = self.index
        if not index.files.rows:
            return []
        chosen = None if concepts is None else [self._notes.concept_id(one) for one in several("concept", concepts)]
        return search(index, query, top_k, concepts=chosen, kinds=SCHEMA_KINDS)

    def get(self, concept: str, field: str | None = None) -> dict[str, Any]:
        """A concept, or a field (or caveat) of it, with everything that the graph holds about it."""
        with self.generation.reading():
            return self._notes.get(concept, field)

    def related(self, concept: str, field: str | None = None) -> list[dict[str, Any]]:
        """The caveats that apply to a field, or all of a concept's."""
        with self.generation.reading():
            found: list[dict[str, Any]] = self._notes.related(concept, field).get("caveats", [])
        return found

    # -- what was built -----------------------------------------------------

    @property
    def generation(self) -> Generation:
        """The generation that is in use."""
        with self._lock:
            if self._closed:
                raise GenerationError(f"{self.kg_dir}: closed; make another FileSchemaProvider")
            if self._opened is None:
                try:
                    self._opened, pin = Generations(self.kg_dir).acquire()
                except NoKnowledgeBaseError as err:
                    raise NoKnowledgeBaseError(
                        f"{self.kg_dir}: nothing has been built from {self.schema_dir} here; run `kb build`, or give "
                        "the folder that it publishes into as kg_dir"
                    ) from err
                self._release = weakref.finalize(self, pin.close)
            return self._opened

    @property
    def index(self) -> Index:
        """The index of the generation."""
        from kb.index.search import Index
        from kb.index.vectors import INDEX_NAME

        with self._lock:
            generation = self.generation
            if self._searched is None:
                if INDEX_NAME not in generation.meta["files"]:
                    raise GenerationError(f"{generation.path}: has no index; run `kb build --force`")
                self._searched = Index.open(generation.path, self._provider)
            return self._searched

    @property
    def _notes(self) -> SchemaNodes:
        from kb.lookup import SchemaNodes

        with self._lock:
            generation = self.generation
            if self._read is None:
                base = generation.meta.get("key", {}).get("base")
                if base is None:
                    raise GenerationError(f"{generation.path}: does not tell its base; run `kb build --force`")
                self._read = SchemaNodes(generation.open_store(), Iris(base))
            return self._read

    # -- life ---------------------------------------------------------------

    def close(self) -> None:
        """Lets go of the generation. Closing twice is harmless."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._release()
            self._opened = self._searched = self._read = None

    def __enter__(self) -> FileSchemaProvider:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<FileSchemaProvider {self.schema_dir} {self.kg_dir}>"
