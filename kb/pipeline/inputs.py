"""What a build was made from: every file that it looked at, so that the next one sees at a glance whether to begin.

A file whose stamp (size, times, inode) is as it was is not opened. One that was changed about when the table was made,
or that only looks changed, as after a fresh checkout, is read and compared by its digest.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb._rdf import rdf_files
from kb.config import CONFIG_NAME, Config
from kb.errors import GenerationError, KbError
from kb.generations import Generation
from kb.sources._walk import Stamp, stamp_of, walk
from kb.sources.catalogue import CATALOGUE_SUFFIXES
from kb.sources.pages import PAGE_SUFFIXES

__all__ = ["INPUTS_NAME", "Inputs", "load_inputs", "take_inputs"]

INPUTS_NAME = "inputs.json"
_ANY_SUFFIX = ("",)
_GRAIN = 2_000_000_000
"""Nanoseconds within which a change may leave the times of a file as they were, on the coarsest file systems."""


@dataclass(frozen=True, slots=True)
class _File:
    stamp: Stamp
    digest: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files by path, when they were looked at (nanoseconds since 1970), and what else decides what a build makes.

    `complete` is false where some file could not be looked at, or others may come in that no one knows of.
    """

    key: Mapping[str, str]
    taken: int
    files: Mapping[str, _File] = field(repr=False)
    complete: bool = True

    def same_as(self, before: Inputs | None) -> bool:
        """Whether a build from these makes what one from `before` made."""
        if before is None or not (self.complete and before.complete) or self.key != before.key:
            return False
        return {path: file.digest for path, file in self.files.items()} == {
            path: file.digest for path, file in before.files.items()
        }

    def to_json(self, *, complete: bool) -> str:
        """What `load_inputs` reads."""
        files = {path: [*file.stamp, file.digest] for path, file in self.files.items()}
        data = {"key": self.key, "taken": self.taken, "complete": self.complete and complete, "files": files}
        return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def load_inputs(generation: Generation) -> Inputs | None:
    """What a generation was made from; None where it does not tell."""
    if INPUTS_NAME not in generation.meta["files"]:
        return None
    try:
        data: dict[str, Any] = json.loads(generation.read(INPUTS_NAME))
        files = {path: _File((row[0], row[1], row[2], row[3]), row[4]) for path, row in data["files"].items()}
        return Inputs(data["key"], data["taken"], files, data["complete"])
    except (GenerationError, ValueError, KeyError, TypeError, IndexError):
        return None


def take_inputs(config: Config, key: Mapping[str, str], before: Inputs | None) -> Inputs:
    """Looks at every file that a build of this configuration reads; opens those that may differ from `before`."""
    taken = time.time_ns()
    known = {} if before is None else before.files
    sure = 0 if before is None else before.taken - _GRAIN
    looker = _Looker(config)
    files: dict[str, _File] = {}
    for path, stamp in looker.files():
        shown = config.shown(path)
        old = known.get(shown)
        digest = old.digest if old is not None and old.stamp == stamp and max(stamp[1], stamp[2]) < sure else None
        if digest is None:
            digest = _digest(path)
        if digest is None:
            looker.complete = False
        else:
            files[shown] = _File(stamp, digest)
    # Paths inside the knowledge base are the same wherever it is moved.
    settings = hashlib.sha256(repr(config).replace(str(config.root), "").encode("utf-8", "surrogatepass")).hexdigest()
    return Inputs({**key, "settings": settings}, taken, files, looker.complete)


class _Looker:
    def __init__(self, config: Config) -> None:
        self.config, self.complete = config, True

    def files(self) -> Iterator[tuple[Path, Stamp]]:
        """Every file, some perhaps twice."""
        config = self.config
        yield from self._one(config.root / CONFIG_NAME, optional=True)
        try:
            for path in (*rdf_files(config.ontology, "ontology"), *rdf_files(config.shapes, "shapes")):
                yield from self._one(path)
        except KbError:
            self.complete = False
        for path in config.catalogue:
            yield from self._folder(path, CATALOGUE_SUFFIXES) if path.is_dir() else self._one(path)
        if config.pages is not None:
            yield from self._folder(config.pages, PAGE_SUFFIXES)
        if config.schemas is not None:
            yield from self._folder(config.schemas, _ANY_SUFFIX)

    def _one(self, path: Path, *, optional: bool = False) -> Iterator[tuple[Path, Stamp]]:
        try:
            yield path, stamp_of(path.stat())
        except OSError:
            self.complete = self.complete and optional

    def _folder(self, folder: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, Stamp]]:
        found = walk(folder, suffixes)
        self.complete = self.complete and not found.faults
        yield from ((one.path, one.stamp) for one in found.files)


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
