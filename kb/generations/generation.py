"""One generation: an immutable folder with everything that one build made."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kb.errors import GenerationError
from kb.generations._files import REPAIR, disk_errors, file_digest
from kb.generations.stamps import check_graph
from kb.graph.store import content_digest

__all__ = ["FORMAT", "GRAPH_NAME", "META_NAME", "NAME_PATTERN", "RESERVED", "Generation", "sealed"]

FORMAT = 1
"""The number that `meta.json` carries. It rises when a reader of the old layout would misread the new one."""
GRAPH_NAME = "graph"
META_NAME = "meta.json"
NAME_PATTERN = re.compile(r"gen-(\d{6,})-[0-9a-f]{6}")
RESERVED = frozenset({"created", "digest", "files", "format", "graph", "name", "parent"})
"""Keys of `meta.json` that belong to the layout; the others are the builder's."""


def sealed(meta: dict[str, Any]) -> bytes:
    """`meta.json` with a digest over its own content."""
    return (json.dumps({**meta, "digest": _meta_digest(meta)}, indent=1, sort_keys=True) + "\n").encode()


def _meta_digest(meta: dict[str, Any]) -> str:
    body = {key: value for key, value in meta.items() if key != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Generation:
    """A published generation by name and folder. Nothing is read before it is asked for."""

    name: str
    path: Path

    @property
    def number(self) -> int:
        """Its place in the order of builds; -1 for a folder with a foreign name."""
        match = NAME_PATTERN.fullmatch(self.name)
        return int(match[1]) if match else -1

    @property
    def graph_path(self) -> Path:
        """The folder of the Oxigraph store. Open it read-only, or its files change."""
        return self.path / GRAPH_NAME

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What `meta.json` says; raises GenerationError for a missing or damaged one.

        Keys: `format`, `name`, `created` (ISO 8601, UTC), `parent`, `graph` (`quads`, `digest`, `files`), `files` (path
        -> SHA-256), and what the builder added.
        """
        path = self.path / META_NAME
        try:
            meta = json.loads(path.read_bytes())
        except (OSError, ValueError) as err:
            raise GenerationError(f"{path}: missing or damaged ({err}); {REPAIR}") from err
        if not isinstance(meta, dict) or "format" not in meta:
            raise GenerationError(f"{path}: damaged (it names no format); {REPAIR}")
        if meta["format"] != FORMAT:
            raise GenerationError(
                f"{path}: format {meta['format']!r} is unknown, this version of kb reads format {FORMAT}; "
                "use the version that wrote it, or run `kb build --force` to make it anew"
            )
        if meta.get("digest") != _meta_digest(meta) or meta.get("name") != self.name:
            raise GenerationError(f"{path}: damaged (its digest or name does not match); {REPAIR}")
        return meta

    def read(self, name: str) -> bytes:
        """The bytes of one of its files, checked against the digest taken when it was published."""
        expected = self.meta["files"].get(name)
        path = self.path / name
        if expected is None:
            raise GenerationError(f"{path}: not a file of this generation; {REPAIR}")
        try:
            data = path.read_bytes()
        except OSError as err:
            raise GenerationError(f"{path}: {err.strerror or err}; {REPAIR}") from err
        if hashlib.sha256(data).hexdigest() != expected:
            raise GenerationError(f"{path}: damaged (its bytes are not those that were published); {REPAIR}")
        return data

    def check_graph(self) -> None:
        """Raises GenerationError where a file of the graph is not what was published.

        What looks as it did is not read. The store itself does not notice all damage: it would leave out facts.
        """
        if not self.graph_path.is_dir():
            raise GenerationError(f"{self.graph_path}: missing; {REPAIR}")
        check_graph(self)

    def open_store(self) -> ox.Store:
        """The graph, read-only. Any number of processes may hold it open. Raises GenerationError for a damaged one."""
        self.check_graph()
        try:
            return ox.Store.read_only(str(self.graph_path))
        except (OSError, RuntimeError, ValueError) as err:
            raise GenerationError(f"{self.graph_path}: does not open ({err}); {REPAIR}") from err

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Turns what the graph's files raise inside it, when they are damaged or gone, into GenerationError."""
        try:
            yield
        except (OSError, RuntimeError) as err:
            if not any(sign in str(err) for sign in ("Corruption", "IO error")):
                raise
            raise GenerationError(f"{self.graph_path}: damaged or removed ({err}); {REPAIR}") from err

    def verify(self, *, deep: bool = False) -> None:
        """Raises GenerationError naming what is missing or damaged.

        Checks `meta.json`, every file by its digest and that the graph opens; `deep` also every byte of the graph.
        """
        for name in self.meta["files"]:
            self.read(name)
        store = self.open_store()
        try:
            next(iter(store.quads_for_pattern(None, None, None, None)), None)
        except (OSError, RuntimeError) as err:
            raise GenerationError(f"{self.graph_path}: damaged ({err}); {REPAIR}") from err
        if deep:
            self.verify_graph()

    def verify_graph(self) -> None:
        """Raises GenerationError naming a file of the graph whose bytes are not those that were published."""
        recorded = self.meta["graph"]
        rewritten = False
        for name, expected in recorded["files"].items():
            path = self.graph_path / name
            matches = path.is_file() and file_digest(path) == expected
            # RocksDB never changes a table in place. Whatever else differs, another program opened it for writing.
            if not matches and path.is_file() and path.suffix == ".sst":
                raise GenerationError(f"{path}: damaged (its bytes are not those that were published); {REPAIR}")
            rewritten = rewritten or not matches
        if not rewritten:
            return
        try:
            content = content_digest(ox.Store.read_only(str(self.graph_path)))
        except (OSError, RuntimeError, ValueError) as err:
            raise GenerationError(f"{self.graph_path}: damaged ({err}); {REPAIR}") from err
        if content != (recorded["quads"], int(recorded["digest"], 16)):
            raise GenerationError(f"{self.graph_path}: holds other quads than were published; {REPAIR}")

    @property
    def problem(self) -> str | None:
        """What `verify` finds wrong, in words; None for a sound generation."""
        try:
            with disk_errors(str(self.path)):
                self.verify()
        except GenerationError as err:
            return str(err)
        return None
