"""Knowledge bases of schema files that tests write themselves."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from kb.config import load_config
from kb.errors import Fault
from kb.model import SchemaNote
from kb.sources.schemas import SchemaDocument, SchemaSource


class Notes:
    """A folder with a kb.toml and schema files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "schemas"
        self.folder.mkdir()
        (folder / "kb.toml").write_text('[kb]\nbase = "https://kb.test/"\n', encoding="utf-8")
        self.source = SchemaSource(load_config(folder))

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else dedent(text).lstrip("\n").encode())
        return path

    def read(self) -> dict[str, SchemaDocument]:
        """Every file's document, by its path below the folder of schemas."""
        files, faults = self.source.scan()
        assert faults == []
        return {one.file.shown.removeprefix("schemas/"): one for one in self.source.read(files)}

    def digests(self) -> dict[str, str]:
        found = self.source.digests(self.source.scan()[0])
        return {shown.removeprefix("schemas/"): digest for shown, digest in found.items()}

    def notes(self) -> dict[str, SchemaNote]:
        """Every note by its concept; no file may have a fault."""
        documents = self.read()
        assert [fault for one in documents.values() for fault in one.faults] == []
        return {note.concept: note for one in documents.values() for note in one.notes}


def told(faults: tuple[Fault, ...]) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.message) for fault in faults]
