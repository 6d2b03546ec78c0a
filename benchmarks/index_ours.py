"""`kb.index` on the notes of `index_data`: their chunks, parts of an index, generations that hold nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import index_peer as peer
from index_data import Note


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
    """Generations that hold an index of `kb` and nothing else, published as `kb build` publishes: all on the disk, in
    one step, what the parent has as well neither read nor synced again.
    """

    def __init__(self, folder: Path, provider: Any) -> None:
        self.folder, self.provider = folder, provider

    @property
    def path(self) -> Path:
        found = peer.current(self.folder)
        assert found is not None
        return found

    def publish(self, parts: Sequence[Any]) -> None:
        from kb.index.vectors import IndexFiles
        from kb.index.writer import write_index

        generations = self.folder / "generations"
        generations.mkdir(parents=True, exist_ok=True)
        before = peer.current(self.folder)
        draft = generations / f".draft-{secrets.token_hex(4)}"
        draft.mkdir()
        write_index(draft, parts, self.provider, None if before is None else IndexFiles(before))
        known = set() if before is None else {path.stat().st_ino for path in before.iterdir()}
        digests: dict[str, str] = {}
        for path in sorted(draft.iterdir()):
            if path.stat().st_ino not in known:
                with path.open("rb") as file:
                    digests[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
                    os.fsync(file.fileno())
        with (draft / "meta.json").open("w", encoding="utf-8") as file:
            json.dump(digests, file)
            file.flush()
            os.fsync(file.fileno())
        peer.name_current(self.folder, draft, f"gen-{secrets.token_hex(8)}")


def only_current(folder: Path) -> None:
    """Removes older generations."""
    current = peer.current(folder)
    for path in (folder / "generations").iterdir():
        if path != current:
            shutil.rmtree(path)


def opened(path: Path, provider: Any, threads: int = 1) -> Any:
    from kb.index.search import Index

    return Index.open(path, provider, threads)
