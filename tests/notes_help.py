"""Knowledge bases with schema notes, and what is in the ones that were built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kb.embed.hashing import HashingProvider
from kb.embed.provider import Vectors
from kb.generations import Generation, Generations
from kb.index.vectors import IndexFiles

BASE = "https://kb.notes.test/"


def note(
    concept: str,
    fields: Sequence[str] = ("size", "colour"),
    caveats: Sequence[tuple[str, str]] = (("slow", "Grows slowly."),),
    *,
    status: str = "draft",
    severity: str = "high",
) -> str:
    """A note whose caveats, (id, summary), apply to its first field."""
    lines = [f"concept: {concept}", f"description: What {concept} is.", f"review: {{status: {status}}}", "fields:"]
    lines += [f"  - {{id: {name}, type: text, description: The {name} of it.}}" for name in fields]
    lines += ["caveats:"] if caveats else []
    for name, summary in caveats:
        lines += [
            f"  - id: {name}",
            f"    severity: {severity}",
            f"    summary: {summary}",
            f"    applies_to: {fields[0]}",
        ]
    return "\n".join(lines) + "\n"


def notes_base(folder: Path, notes: Sequence[str] = ("garden", "pond")) -> Path:
    """A knowledge base with notes on these concepts, and nothing else."""
    (folder / "schemas").mkdir(parents=True)
    (folder / "kb.toml").write_text(f'[kb]\nbase = "{BASE}"\n', encoding="utf-8")
    for concept in notes:
        write_note(folder, concept, note(concept))
    return folder


def write_note(folder: Path, name: str, text: str) -> Path:
    path = folder / "schemas" / f"{name}.schema.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def published(folder: Path) -> Generation:
    found = Generations(folder / "kg").current()
    assert found is not None
    return found


def rows(folder: Path) -> list[tuple[str, str]]:
    """(node id, text) of every row, in order."""
    files = IndexFiles(published(folder).path)
    return [(chunk.id, chunk.text) for chunk in map(files.chunk, range(files.rows))]


class Embedded:
    """The texts that were embedded since `take` was last called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        real = HashingProvider.embed

        def embed(provider: HashingProvider, texts: Sequence[str], *, query: bool = False) -> Vectors:
            self.texts += texts
            return real(provider, texts, query=query)

        monkeypatch.setattr(HashingProvider, "embed", embed)

    def take(self) -> list[str]:
        found, self.texts = self.texts, []
        return found
