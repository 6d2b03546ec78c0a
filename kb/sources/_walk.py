"""Files below a folder, found without ever leaving it.

Real files come first; a symbolic link is followed only when it leads to a file or folder inside that was not found by
its own path, so nothing is read twice and no cycle is walked. Hidden files and folders (`.git`, `.obsidian`) are left
out.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from kb.sources._text import printable

__all__ = ["Found", "Stamp", "Walk", "stamp_of", "walk"]

Stamp = tuple[int, int, int, int]
"""Size in bytes, time of the last change of the bytes and of the entry in nanoseconds, number of the inode."""


def stamp_of(stat: os.stat_result) -> Stamp:
    """What tells a file from the one that it was."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file. `name` is its path below the folder, `/`-separated; `size` is in bytes.

    `stamp` is what the system says about it: a file whose stamp is as it was holds what it held.
    """

    name: str
    path: Path
    size: int
    mtime_ns: int
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Walk:
    """`files` sorted by name. `faults` are pairs (path below the folder as it can be printed, what is wrong)."""

    files: list[Found] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)


def walk(folder: Path, suffixes: Collection[str]) -> Walk:
    """All files below `folder` with one of these lower-case suffixes."""
    walker = _Walker(folder, tuple(suffixes))
    walker.descend(walker.top, "")
    walker.follow_links()
    walker.walk.files.sort(key=lambda found: found.name)
    walker.walk.faults.sort()
    return walker.walk


class _Walker:
    def __init__(self, folder: Path, suffixes: tuple[str, ...]) -> None:
        self.folder, self.suffixes = folder, suffixes
        self.top = os.path.realpath(folder)
        self.walk = Walk()
        self.links: list[tuple[str, str]] = []
        self.folders: set[str] = set()
        self.seen: set[str] = set()

    def fault(self, name: str, message: str) -> None:
        self.walk.faults.append((printable(name) or ".", message))

    def descend(self, real: str, name: str) -> None:
        """Takes in one real folder; `name` is how it is reached below the top."""
        todo = [(real, name)]
        while todo:
            real, name = todo.pop()
            self.folders.add(real)
            try:
                entries = sorted(os.scandir(real), key=lambda entry: entry.name)
            except OSError as err:
                self.fault(name, f"folder cannot be read: {err.strerror or err}; check its permissions")
                continue
            for entry in entries:
                if not entry.name.startswith("."):
                    self.take(entry, f"{name}/{entry.name}" if name else entry.name, todo)

    def take(self, entry: os.DirEntry[str], name: str, todo: list[tuple[str, str]]) -> None:
        try:
            wanted = entry.name.lower().endswith(self.suffixes)
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            if (wanted or is_folder) and printable(entry.name) != entry.name:
                self.fault(name, "the name is not valid Unicode; rename it")
            elif is_link:
                self.links.append((entry.path, name))
            elif is_folder:
                todo.append((entry.path, name))
            elif wanted:
                self.add(entry.path, name, entry.stat(follow_symlinks=False), entry.is_file(follow_symlinks=False))
        except OSError as err:
            self.fault(name, f"cannot be looked at: {err.strerror or err}")

    def add(self, real: str, name: str, stat: os.stat_result, regular: bool) -> None:
        if not regular:
            # Reading a named pipe or a device would wait forever.
            self.fault(name, "is not a regular file; remove it")
            return
        self.seen.add(real)
        self.walk.files.append(Found(name, self.folder / name, stat.st_size, stat.st_mtime_ns, stamp_of(stat)))

    def follow_links(self) -> None:
        while self.links:
            # A link may lead to a hidden folder, which brings links of its own.
            links, self.links = sorted(self.links, key=lambda link: link[1]), []
            for link, name in links:
                self.follow(link, name)

    def follow(self, link: str, name: str) -> None:
        wanted = name.lower().endswith(self.suffixes)
        try:
            target = os.path.realpath(link, strict=True)
            is_folder = os.path.isdir(target)  # noqa: PTH112 (a string serves; thousands of Paths cost)
            if not (wanted or is_folder):
                return
            if target != self.top and not target.startswith(self.top.rstrip(os.sep) + os.sep):
                self.fault(name, "symbolic link leads out of the folder and is not followed; copy the file here")
            elif not is_folder:
                if target not in self.seen:
                    path = Path(target)
                    self.add(target, name, path.stat(), path.is_file())
            elif target not in self.folders:
                self.descend(target, name)
            elif f"{link}{os.sep}".startswith(target.rstrip(os.sep) + os.sep):
                self.fault(name, "symbolic link leads back to a folder that holds it; remove the link")
        except OSError as err:
            if err.errno == errno.ELOOP:
                self.fault(name, "symbolic link leads to itself; remove the link")
            elif wanted:
                self.fault(name, f"symbolic link cannot be followed: {err.strerror or err}; remove or repair it")
