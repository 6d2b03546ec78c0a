"""A generation in the making: private until it is published in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.errors import GenerationError
from kb.generations._files import REPAIR, disk_errors, file_digest, fsync_path, write_file
from kb.generations.generation import FORMAT, GRAPH_NAME, META_NAME, RESERVED, Generation, sealed
from kb.graph.store import GraphWriter
from kb.iris import Iris

if TYPE_CHECKING:
    from kb.generations.folder import Generations

__all__ = ["STEPS", "Draft"]

STEPS = ("begun", "copied", "graph", "synced", "meta", "renamed", "current", "published")
"""What a build goes through. `Generations(hook=…)` is told after each; tests stop builds there."""

_OF_THE_MACHINE = frozenset({"LOCK", "LOG", "IDENTITY"})


class Draft:
    """Made by `Generations.begin`. A context manager that abandons what was not published.

    `writer` writes the graph, a private copy of the parent's that shares its unchanged files; `store` reads it.
    """

    def __init__(self, owner: Generations, name: str, parent: Generation | None, iris: Iris) -> None:
        self.name, self.parent, self.iris = name, parent, iris
        self.path = owner.folder / f".draft-{name}"
        self._work = owner.folder / f".work-{name}"
        self._owner = owner
        self._writer: GraphWriter | None = None
        self._done = False
        with disk_errors(f"{self.path}: cannot be made"):
            self.path.mkdir(parents=True)
        try:
            self._step("begun")
        except BaseException:
            self.abandon()
            raise

    @property
    def store(self) -> ox.Store:
        """The draft's graph, for reading. Everything written goes through `writer`, which keeps count."""
        return self.writer.store

    @property
    def writer(self) -> GraphWriter:
        """Writes the draft's graph. Copying the parent's waits until this is first used."""
        if self._done:
            raise GenerationError(f"{self.name}: already published or abandoned")
        if self._writer is None:
            graph: dict[str, Any] = {"quads": 0, "digest": "0"}
            if self.parent is not None:
                graph = self.parent.meta["graph"]
                with disk_errors(f"{self.parent.graph_path}: cannot be copied", REPAIR):
                    self.parent.open_store().backup(str(self._work))
            self._step("copied")
            with disk_errors(f"{self._work}: the graph cannot be opened for writing"):
                store = ox.Store(str(self._work))
            self._writer = GraphWriter(store, self.iris, quads=graph["quads"], digest=int(graph["digest"], 16))
        return self._writer

    def write(self, name: str, data: bytes | str) -> None:
        """Writes one file of the generation; `name` may hold `/`. Text is written as UTF-8."""
        path = self.path / name
        first = Path(name).parts[0] if Path(name).parts else ""
        if Path(name).is_absolute() or ".." in Path(name).parts or first in {"", GRAPH_NAME, META_NAME}:
            raise ValueError(f"{name!r} is not a name for a file of a generation")
        with disk_errors(f"{path}: cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Publishing waits until the disk has all of them.
            path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)

    def publish(self, meta: dict[str, Any]) -> Generation:
        """Makes the draft the current generation, in one step for every reader.

        `meta` goes into `meta.json` beside the layout's own keys (`RESERVED`). Whatever fails raises GenerationError
        and leaves the previous generation current.
        """
        if taken := RESERVED & meta.keys():
            raise ValueError(f"meta.json keeps {', '.join(sorted(taken))} for itself")
        try:
            generation = self._publish(meta)
        except BaseException:
            self.abandon()
            raise
        self._done = True
        shutil.rmtree(self._work, ignore_errors=True)
        return generation

    def _publish(self, meta: dict[str, Any]) -> Generation:
        owner, final = self._owner, self._owner.folder / self.name
        with disk_errors(f"{self.path}: cannot be published; the previous generation stays in use"):
            graph = self._close_graph()
            self._step("graph")
            files = self._sync_files()
            graph["files"] = self._sync_graph()
            self._step("synced")
            own = {
                "format": FORMAT,
                "name": self.name,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "parent": self.parent.name if self.parent else None,
                "graph": graph,
                "files": files,
            }
            write_file(self.path / META_NAME, sealed({**meta, **own}))
            fsync_path(self.path)
            self._step("meta")
            try:
                self.path.rename(final)
                fsync_path(owner.folder)
                self._step("renamed")
                owner._set_current(self.name)
                self._step("current")
            except BaseException:
                if not owner._is_current(self.name):
                    shutil.rmtree(final, ignore_errors=True)
                raise
        self._step("published")
        return Generation(self.name, final)

    def abandon(self) -> None:
        """Removes the draft. Harmless after publishing."""
        self._writer = None
        self._done = True
        for folder in (self.path, self._work):
            shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        if not self._done:
            self.abandon()

    # -- helpers ----------------------------------------------------------

    def _step(self, name: str) -> None:
        hook: Callable[[str], None] | None = self._owner.hook
        if hook is not None:
            hook(name)

    def _close_graph(self) -> dict[str, Any]:
        # What is published is a backup of the store that was written. So no handle that is still open somewhere can
        # write to it, and no log of unflushed writes, which a read-only handle would not copy on, is in it.
        writer = self.writer
        writer.store.flush()
        writer.store.backup(str(self.path / GRAPH_NAME))
        self._writer = None
        return {"quads": writer.quads, "digest": f"{writer.digest:064x}"}

    def _sync_files(self) -> dict[str, str]:
        """Path -> digest of every file but the graph's; all of them on disk."""
        known = {} if self.parent is None else _inodes(self.parent.path, self.parent.meta["files"])
        found: dict[str, str] = {}
        for path in sorted(self.path.rglob("*")):
            inside = path.relative_to(self.path)
            if inside.parts[0] == GRAPH_NAME:
                continue
            if path.is_file():
                found[inside.as_posix()] = _synced(path, known)
            else:
                fsync_path(path)
        return found

    def _sync_graph(self) -> dict[str, str]:
        """Name -> digest of the graph's files."""
        known = {} if self.parent is None else _inodes(self.parent.graph_path, self.parent.meta["graph"]["files"])
        paths = sorted((self.path / GRAPH_NAME).iterdir())
        found = {path.name: _synced(path, known) for path in paths if path.name not in _OF_THE_MACHINE}
        fsync_path(self.path / GRAPH_NAME)
        return found


def _inodes(folder: Path, files: Mapping[str, str]) -> dict[tuple[int, int], str]:
    """Device and number of the parent's files -> digest."""
    known: dict[tuple[int, int], str] = {}
    for name, digest in files.items():
        path = folder / name
        if path.is_file():
            stat = path.stat()
            known[stat.st_dev, stat.st_ino] = digest
    return known


def _synced(path: Path, known: Mapping[tuple[int, int], str]) -> str:
    """The digest of a file that the disk has. One that it shares with the parent is neither read nor synced again."""
    stat = path.stat()
    digest = known.get((stat.st_dev, stat.st_ino))
    if digest is None:
        fsync_path(path)
        digest = file_digest(path)
    return digest
