"""`kb.index` on the notes of `index_data`: their chunks, parts of an index, generations that hold nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from index_data import Note

IRI = "https://kb.bench.example/"


def chunks_of(note: Note) -> list[Any]:
    """The chunks of a note as `kb` makes them."""
    from kb.index.chunks import schema_chunks
    from kb.model import Caveat, SchemaField, SchemaNote

    fields = tuple(SchemaField(**field) for field in note["fields"])
    caveats = tuple(Caveat(**{**caveat, "applies_to": tuple(caveat["applies_to"])}) for caveat in note["caveats"])
    return schema_chunks(SchemaNote(note["concept"], None, fields, caveats))


def parts_of(concepts: Iterable[str], changed: dict[str, Note]) -> list[Any]:
    """Parts of an index: those of notes that changed make their chunks, others are taken over."""
    from kb.index.chunks import CAVEAT, CONCEPT, FIELD
    from kb.index.writer import Part

    def of_kind(note: Note, kind: str) -> list[Any]:
        return [chunk for chunk in chunks_of(note) if chunk.kind == kind]

    return [
        Part(concept, kind, partial(of_kind, changed[concept], kind) if concept in changed else None)
        for concept in concepts
        for kind in (CONCEPT, FIELD, CAVEAT)
    ]


class OurFolder:
    """Generations of `kb` that hold an index and an empty graph: what is published is published as `kb build` does."""

    def __init__(self, folder: Path, provider: Any) -> None:
        from kb.generations import Generations

        self.generations, self.provider = Generations(folder), provider

    @property
    def path(self) -> Path:
        found = self.generations.current()
        assert found is not None
        return found.path

    def publish(self, parts: Sequence[Any]) -> None:
        from kb.index.vectors import IndexFiles
        from kb.index.writer import write_index
        from kb.iris import Iris

        with self.generations.lock():
            parent = self.generations.current()
            with self.generations.begin(parent, Iris(IRI)) as draft:
                before = None if parent is None else IndexFiles(parent.path)
                write_index(draft.path, parts, self.provider, before)
                draft.publish({})


def opened(path: Path, provider: Any, threads: int = 1) -> Any:
    from kb.index.search import Index

    return Index.open(path, provider, threads)
