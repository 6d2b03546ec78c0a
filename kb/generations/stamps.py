"""Whether the files of a generation are still those that were published, without reading them all.

Their sizes and times stand in a file beside the generations. Where they differ, or are not known, as after the folder
was copied, the files are checked by their digests, and the new stamps are kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.generations.generation import Generation

__all__ = ["STAMPS_NAME", "check_graph", "check_sound", "keep_stamps"]

STAMPS_NAME = "stamps.json"
_Stamps = dict[str, list[int]]


def check_sound(generation: Generation) -> None:
    """Raises GenerationError naming a file that is missing or damaged."""
    _check(generation, _names(generation), lambda: generation.verify(deep=True))


def check_graph(generation: Generation) -> None:
    """Raises GenerationError naming a file of the graph that is missing or damaged."""
    _check(generation, _graph_names(generation), generation.verify_graph)


def keep_stamps(generation: Generation) -> None:
    """Remembers how the files of a generation look that is known to be sound. A disk that refuses does not matter."""
    _keep(generation, _take(generation, _names(generation)))


def _check(generation: Generation, names: Collection[str], verify: Callable[[], None]) -> None:
    stamps, kept = _take(generation, names), _kept(generation)
    if all(stamp and kept.get(name) == stamp for name, stamp in stamps.items()):
        return
    verify()
    _keep(generation, {**kept, **stamps})


def _names(generation: Generation) -> list[str]:
    return [*generation.meta["files"], *_graph_names(generation)]


def _graph_names(generation: Generation) -> list[str]:
    return [f"graph/{name}" for name in generation.meta["graph"]["files"]]


def _take(generation: Generation, names: Collection[str]) -> _Stamps:
    """Path -> size, time of the last change, inode. Hard links from later generations change neither."""
    found: _Stamps = {}
    for name in names:
        try:
            stat = os.stat(generation.path / name)  # noqa: PTH116 (hundreds of files, on every build)
        except OSError:
            found[name] = []  # looks like nothing that was ever kept
        else:
            found[name] = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
    return found


def _path(generation: Generation) -> Path:
    return generation.path.parent.parent / STAMPS_NAME


def _kept(generation: Generation) -> _Stamps:
    found = _all_kept(generation).get(generation.name)
    return found if isinstance(found, dict) else {}


def _all_kept(generation: Generation) -> dict[str, _Stamps]:
    try:
        data = json.loads(_path(generation).read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _keep(generation: Generation, stamps: _Stamps) -> None:
    others = {name: one for name, one in _all_kept(generation).items() if (generation.path.parent / name).is_dir()}
    data = {**others, generation.name: stamps}
    # Whoever finds half of it checks the files themselves.
    with contextlib.suppress(OSError):
        _path(generation).write_bytes(json.dumps(data, separators=(",", ":")).encode())
