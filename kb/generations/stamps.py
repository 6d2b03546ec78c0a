"""Whether the files of a generation are still those that were published, without reading them all.

Their sizes and times stand in a file beside the generations. Where they differ, or are not known, as after the folder
was copied, every file is checked by its digest, and the new stamps are kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from kb.errors import GenerationError
from kb.generations._files import replace_file
from kb.generations.generation import Generation

__all__ = ["STAMPS_NAME", "check_sound", "keep_stamps"]

STAMPS_NAME = "stamps.json"
_Stamps = dict[str, list[int]]


def check_sound(generation: Generation, store: Path) -> None:
    """Raises GenerationError naming a file that is missing or damaged."""
    stamps = _take(generation)
    if stamps == _kept(generation, store):
        return
    generation.verify(deep=True)
    keep_stamps(generation, store)


def keep_stamps(generation: Generation, store: Path) -> None:
    """Remembers how the files of a generation look that is known to be sound. A disk that refuses does not matter."""
    data = {"generation": generation.name, "files": _take(generation)}
    with contextlib.suppress(OSError):
        replace_file(store / STAMPS_NAME, json.dumps(data, separators=(",", ":")).encode())


def _take(generation: Generation) -> _Stamps:
    """Path -> size, time of the last change, inode. Hard links from later generations change neither."""
    names = [*generation.meta["files"], *(f"graph/{name}" for name in generation.meta["graph"]["files"])]
    found: _Stamps = {}
    for name in names:
        try:
            stat = os.stat(generation.path / name)  # noqa: PTH116 (hundreds of files, on every build)
        except OSError as err:
            raise GenerationError(
                f"{generation.path / name}: {err.strerror or err}; run `kb build --force` to make it anew, or go back "
                "to an older one that `kb generations` lists"
            ) from err
        found[name] = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
    return found


def _kept(generation: Generation, store: Path) -> _Stamps | None:
    try:
        data = json.loads((store / STAMPS_NAME).read_bytes())
        return data["files"] if data["generation"] == generation.name else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
