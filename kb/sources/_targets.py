"""Which files a Backstage Location names: paths and patterns, never anything outside the catalogue's folder."""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

from kb.sources._text import unstorable
from kb.sources._walk import walk

__all__ = ["target_files"]

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def target_files(text: str, base: Path, folder: str) -> tuple[Path, ...]:
    """The files below the real path `folder` that a target in a file of the folder `base` names.

    Raises ValueError saying why it names none.
    """
    if _ADDRESS.match(text):
        raise ValueError("is an address; it is not fetched, put a copy beside the catalogue")
    if unstorable(text) is not None:
        raise ValueError("is no path; correct it")
    fixed, wild = _split(os.path.normpath(text))
    start = base / fixed
    if not _inside(os.path.realpath(start), folder):
        raise ValueError("lies outside the catalogue's folder and is not read; move it inside")
    if wild:
        found = tuple(file.path for file in walk(start, ("",)).files if _matches(file.name, wild))
    else:
        found = (start,) if start.is_file() else ()
    if not found:
        raise ValueError("is no file; correct the path")
    return found


def _split(pattern: str) -> tuple[str, str]:
    """A path before its first part with a wildcard, and the rest."""
    parts = pattern.split("/")
    first = next((i for i, part in enumerate(parts) if any(char in part for char in "*?[")), len(parts))
    return "/".join(parts[:first]) or ("/" if pattern.startswith("/") else "."), "/".join(parts[first:])


def _matches(name: str, pattern: str) -> bool:
    """Whether a path matches a pattern in which `**` stands for any number of folders. Linear in both."""
    wanted = pattern.split("/")

    def skipped(at: set[int]) -> set[int]:
        for i in sorted(at):
            while i < len(wanted) and wanted[i] == "**":
                i += 1
                at.add(i)
        return at

    states = skipped({0})
    for part in name.split("/"):
        inside = {i for i in states if i < len(wanted)}
        states = skipped(
            {i for i in inside if wanted[i] == "**"} | {i + 1 for i in inside if fnmatch.fnmatchcase(part, wanted[i])}
        )
    return len(wanted) in states


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
