"""The store folder: which generations there are, which one is current, who reads and who builds.

- `kg/CURRENT`: the name of the current generation, replaced in one step
- `kg/generations/gen-…/`: `graph/`, `meta.json`, and the files that the build wrote
- `kg/pins/`: one file for each reader
- `kg/lock`: held by the builder
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from kb.errors import GenerationError, NoKnowledgeBaseError
from kb.generations._files import REPAIR, disk_errors, replace_file
from kb.generations.draft import Draft
from kb.generations.generation import META_NAME, NAME_PATTERN, Generation
from kb.generations.lock import take_build_lock
from kb.generations.pins import Pin, live_pins, take_pin
from kb.iris import Iris

__all__ = ["CURRENT_NAME", "Generations"]

CURRENT_NAME = "CURRENT"
_Names: TypeAlias = list[str]  # inside the class, `list` is a method
_Pins: TypeAlias = dict[str, list[int]]
_Rows: TypeAlias = list[dict[str, Any]]
_LEFTOVERS = (".draft-*", ".work-*", ".trash-*")


class Generations:
    """The generations below one store folder. Making one touches nothing.

    `hook`, for tests, is called with the name of each step of a build (`draft.STEPS`).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     generations = Generations(Path(folder) / "kg")
    ...     with generations.lock(), generations.begin(generations.current(), Iris("https://kb.example/")) as draft:
    ...         draft.write("note.txt", "one more file of the generation")
    ...         published = draft.publish({"made_by": "me"})
    ...     found, pin = generations.acquire()
    ...     with pin:
    ...         found == published, found.meta["made_by"], generations.prune(keep=1)
    (True, 'me', [])
    """

    def __init__(self, store_folder: Path, *, hook: Callable[[str], None] | None = None) -> None:
        self.store_folder = store_folder
        self.folder = store_folder / "generations"
        self.hook = hook
        self._locked = False

    # -- reading ----------------------------------------------------------

    def current(self) -> Generation | None:
        """The generation in use; None before the first build.

        Raises GenerationError where CURRENT or the generation's meta.json is damaged.
        """
        name = self._current_name()
        if name is None:
            return None
        generation = self.get(name)
        _ = generation.meta
        return generation

    def list(self) -> list[Generation]:
        """All retained generations, oldest first; damaged ones too, see `Generation.problem`."""
        with disk_errors(f"{self.folder}: cannot be read"):
            paths = list(self.folder.iterdir()) if self.folder.is_dir() else []
        found = [Generation(path.name, path) for path in paths if NAME_PATTERN.fullmatch(path.name) and path.is_dir()]
        return sorted(found, key=lambda generation: (generation.number, generation.name))

    def get(self, name: str) -> Generation:
        """The retained generation of this name. Raises GenerationError where there is none."""
        path = self.folder / name
        if not NAME_PATTERN.fullmatch(name) or not path.is_dir():
            known = ", ".join(generation.name for generation in self.list()) or "none"
            # Of a name that somebody typed the list is all that helps; of the one in CURRENT the folder is gone.
            repair = f"; CURRENT names it, so {REPAIR}" if self._is_current(name) else ""
            raise GenerationError(f"{path}: no such generation; there are: {known}{repair}")
        return Generation(name, path)

    def acquire(self, name: str | None = None) -> tuple[Generation, Pin]:
        """The current generation, or the named one, with a pin on it.

        Raises NoKnowledgeBaseError where nothing was built, GenerationError where it is damaged.
        """
        for _ in range(10):
            wanted = name if name is not None else self._current_name()
            if wanted is None:
                raise NoKnowledgeBaseError(f"{self.store_folder}: nothing has been built here; run `kb build`")
            # Between reading the name and pinning, a new generation may have come and this one gone.
            try:
                generation = self.get(wanted)
                _ = generation.meta
            except GenerationError:
                if name is None and self._current_name() != wanted:
                    continue
                raise
            pin = self.pin(generation)
            if generation.path.is_dir():
                return generation, pin
            pin.close()
        raise GenerationError(f"{self.folder}: generations come and go faster than they can be opened; try again")

    def pin(self, generation: Generation) -> Pin:
        """Keeps a generation from being pruned until the pin is closed or this process ends."""
        return take_pin(self.store_folder / "pins", generation.name)

    def pins(self) -> _Pins:
        """Generation -> numbers of the processes that read it."""
        return live_pins(self.store_folder / "pins")

    def verify(self, generation: Generation, *, deep: bool = False) -> None:
        """See `Generation.verify`."""
        generation.verify(deep=deep)

    def describe(self) -> _Rows:
        """One record for each retained generation, oldest first.

        Keys: `name`, `created`, `parent`, `quads`, `current`, `pinned` (process numbers), `problem` (None when sound).
        """
        try:
            current = self._current_name()
        except GenerationError:
            current = None
        pins = self.pins()
        rows = []
        for generation in self.list():
            problem = generation.problem
            meta = {} if not _readable(generation) else generation.meta
            rows.append(
                {
                    "name": generation.name,
                    "created": meta.get("created"),
                    "parent": meta.get("parent"),
                    "quads": meta.get("graph", {}).get("quads"),
                    "current": generation.name == current,
                    "pinned": pins.get(generation.name, []),
                    "problem": problem,
                }
            )
        return rows

    # -- building ---------------------------------------------------------

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the folder for one builder, and removes what killed builds left. Raises BuildLockedError."""
        held = take_build_lock(self.store_folder)
        self._locked = True
        try:
            self._remove_leftovers()
            yield
        finally:
            self._locked = False
            held.close()

    def begin(self, parent: Generation | None, iris: Iris) -> Draft:
        """A draft of the next generation, its graph that of `parent`. Only under `lock`."""
        if not self._locked:
            raise RuntimeError("begin() needs lock()")
        return Draft(self, self._next_name(), parent, iris)

    def rollback(self, name: str) -> Generation:
        """Makes a retained generation the current one. Raises GenerationError for an unknown or damaged one."""
        with self._held():
            generation = self.get(name)
            generation.verify()
            with disk_errors(f"{self.store_folder / CURRENT_NAME}: cannot be written"):
                self._set_current(name)
        return generation

    def prune(self, keep: int = 2) -> _Names:
        """Removes old generations; returns their names.

        Kept are the `keep` newest sound ones, the current one, and those that a live reader pins.
        """
        if keep < 1:
            raise ValueError("keep at least one generation")
        with self._held(), disk_errors(f"{self.folder}: cannot be pruned"):
            current = self._current_name()
            sound = [generation.name for generation in self.list() if (generation.path / META_NAME).is_file()]
            kept = {current, *sound[-keep:]}
            kept.update(self.pins())
            old = [generation for generation in self.list() if generation.name not in kept]
            return [generation.name for generation in old if self._remove(generation)]

    # -- helpers ----------------------------------------------------------

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        with contextlib.nullcontext() if self._locked else self.lock():
            yield

    def _current_name(self) -> str | None:
        path = self.store_folder / CURRENT_NAME
        try:
            name = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as err:
            raise GenerationError(f"{path}: cannot be read ({err}); {REPAIR}") from err
        if not NAME_PATTERN.fullmatch(name):
            what = f"{name[:40]!r} is not the name of a generation" if name else "it is empty"
            raise GenerationError(f"{path}: damaged, {what}; {REPAIR}")
        return name

    def _set_current(self, name: str) -> None:
        path = self.store_folder / CURRENT_NAME
        if path.is_dir():
            path.rmdir()  # never ours; one that is not empty is an error for the caller to tell
        replace_file(path, f"{name}\n".encode())

    def _is_current(self, name: str) -> bool:
        try:
            return self._current_name() == name
        except GenerationError:
            return False

    def _next_name(self) -> str:
        # A number above all others, so that names sort by age, and a part that no earlier name had: a reader may
        # still hold a generation that is no longer here.
        numbers = [generation.number for generation in self.list()]
        with contextlib.suppress(GenerationError):
            if name := self._current_name():
                numbers.append(Generation(name, self.folder / name).number)
        return f"gen-{max(numbers, default=0) + 1:06d}-{secrets.token_hex(3)}"

    def _remove(self, generation: Generation) -> bool:
        trash = self.folder / f".trash-{generation.name}"
        generation.path.rename(trash)
        # A reader that pinned it while it was moved finds it gone, or is seen here and gets it back.
        if generation.name in self.pins():
            trash.rename(generation.path)
            return False
        shutil.rmtree(trash)
        return True

    def _remove_leftovers(self) -> None:
        for pattern in _LEFTOVERS:
            for path in self.folder.glob(pattern):
                shutil.rmtree(path, ignore_errors=True)
        for path in self.store_folder.glob(f".{CURRENT_NAME}-*"):
            with contextlib.suppress(OSError):
                path.unlink()


def _readable(generation: Generation) -> bool:
    try:
        return bool(generation.meta)
    except GenerationError:
        return False
