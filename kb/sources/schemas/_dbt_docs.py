"""dbt's documentation blocks: texts in Markdown files that descriptions name with `{{ doc('name') }}`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from kb.errors import Fault
from kb.sources._text import decode, read_bytes, unstorable
from kb.sources._walk import Found

__all__ = ["DocsBlocks", "names_docs"]

_MAX_BYTES = 10_000_000
_NAMES_DOCS = re.compile(rb"doc\s*\(")
_HOLDS_DOCS = re.compile(rb"\{%-?\s*docs\b")
_BLOCK = re.compile(r"\{%-?\s*docs\s+(\w+)\s*-?%\}(.*?)\{%-?\s*enddocs\s*-?%\}", re.DOTALL)
_EXPRESSION = re.compile(r"\{\{-?(.*?)-?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_DOC = re.compile(r"""\s*doc\s*\(\s*(?:(['"])[^'"]*\1\s*,\s*)?(['"])([^'"]*)\2\s*\)\s*""")


def names_docs(data: bytes) -> bool:
    """Whether a file may name documentation blocks."""
    return _NAMES_DOCS.search(data) is not None


class DocsBlocks:
    """The blocks of all Markdown files of a folder; they are read when the first of them is asked for."""

    def __init__(self, files: Iterable[Found]) -> None:
        self.files = tuple(files)

    @cached_property
    def _texts(self) -> list[tuple[Path, bytes]]:
        found = []
        for file in self.files:
            data = read_bytes(file.path, file.name, _MAX_BYTES, "file")
            if not isinstance(data, Fault) and _HOLDS_DOCS.search(data):
                found.append((file.path, data))
        return found

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the files that hold blocks."""
        digest = hashlib.sha256()
        for path, data in self._texts:
            digest.update(f"{hashlib.sha256(data).hexdigest()} {path.as_posix()}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @cached_property
    def _blocks(self) -> dict[str, list[tuple[Path, str]]]:
        found: dict[str, list[tuple[Path, str]]] = {}
        for path, data in self._texts:
            text = decode(data, "")
            if isinstance(text, str):
                for name, words in _BLOCK.findall(text):
                    if unstorable(words) is None:
                        found.setdefault(name, []).append((path.parent, words.strip()))
        return found

    def block(self, name: str, folder: Path) -> str | None:
        """The text of a block; of several of that name, the one whose folder is nearest to this one."""
        there = self._blocks.get(name, [])
        if len(there) < 2:
            return there[0][1] if there else None
        return max(there, key=lambda one: _shared(one[0], folder))[1]

    def resolved(self, text: str, folder: Path, missing: list[str]) -> str | None:
        """A description with its blocks put in and other template code left out; None where no words stay.

        Blocks that are nowhere are added to `missing`.
        """
        if "{" not in text:
            return text.strip() or None

        def put_in(found: re.Match[str]) -> str:
            named = _DOC.fullmatch(found[1] or "")
            if named is None:
                return ""
            block = self.block(named[3], folder)
            if block is None:
                missing.append(named[3])
            return block or ""

        return _EXPRESSION.sub(put_in, text).strip() or None


def _shared(one: Path, other: Path) -> int:
    """How many folders, from the top, two paths share."""
    return len(Path(os.path.commonpath([one, other])).parts)
