"""What people said of pairs that are alike: `reviews.jsonl` beside kb.toml, meant to be committed.

One JSON object a line, and lines are only ever added:

    {"a": id, "b": id, "texts": [SHA-256 of a, SHA-256 of b], "verdict": "accept" or "dismiss",
     "by": who, "on": when (ISO 8601), "note": why}

A verdict counts as long as both texts are those that were judged. Of several on one pair the latest counts, by `on`;
of two of the same moment, the one that stands further down. So two people's files can be merged line by line, in any
order.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kb.errors import Fault, ReviewError

__all__ = [
    "ACCEPT",
    "DISMISS",
    "REVIEWS_NAME",
    "VERDICTS",
    "Review",
    "Reviews",
    "add_review",
    "load_reviews",
    "now",
]

REVIEWS_NAME = "reviews.jsonl"
ACCEPT, DISMISS = "accept", "dismiss"
VERDICTS = (ACCEPT, DISMISS)
_TEXT_KEYS = ("a", "b", "verdict", "by", "on")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Review:
    """One verdict. `texts` are the SHA-256 of what was judged, of `a` and of `b`; `on` is ISO 8601."""

    a: str
    b: str
    texts: tuple[str, str]
    verdict: str
    by: str
    on: str
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """A line of the file, as plain values."""
        return {**asdict(self), "texts": list(self.texts)}


class Reviews:
    """The verdicts that count. `faults` are the lines of the file that are none."""

    def __init__(self, reviews: Iterable[Review], faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        # Sorting keeps the order of the file where two are of the same moment.
        self._latest = {_key(one.a, one.b, one.texts): one for one in sorted(reviews, key=lambda one: _moment(one.on))}

    def of(self, a: str, b: str, texts: tuple[str, str]) -> Review | None:
        """The verdict on two things with these texts, in whatever order they are named; None where there is none."""
        return self._latest.get(_key(a, b, texts))

    def __len__(self) -> int:
        return len(self._latest)


def load_reviews(path: Path) -> Reviews:
    """Reads a file of reviews; one that is not there has none. Raises ReviewError where it cannot be read.

    Lines that are no review are passed over and told in `faults`, with the line and what to do.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Reviews([])
    except OSError as err:
        raise ReviewError(f"{path}: cannot be read: {err.strerror or err}; check who may read it") from err
    found: list[Review] = []
    faults: list[Fault] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_review(line))
        except ValueError as err:
            faults.append(Fault(path.name, number, f"{err}; the line is passed over"))
    return Reviews(found, faults)


def add_review(path: Path, review: Review) -> None:
    """Adds a line at the end, and waits until the disk has it. Raises ReviewError where it cannot be written.

    Whatever stands in the file stays; several processes may add lines at once.
    """
    line = json.dumps(review.to_json(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    created = not path.exists()
    try:
        # One write to the end of the file is never mixed with another one's.
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            # An editor, or somebody who was killed, may have left the last line without its end.
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(descriptor, line) < len(line):
                raise OSError(None, "the disk is full")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if created:
            _fsync_folder(path.parent)
    except OSError as err:
        raise ReviewError(
            f"{path}: the review cannot be kept: {err.strerror or err}; check who may write it, and the disk"
        ) from err


def now() -> str:
    """The present moment, as `on` has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _key(a: str, b: str, texts: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(((a, texts[0]), (b, texts[1]))))


def _moment(on: str) -> datetime:
    found = datetime.fromisoformat(on)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _review(line: bytes) -> Review:
    """Raises ValueError saying what is wrong."""
    if line.startswith(tuple(mark.encode() for mark in _CONFLICT)):
        raise ValueError("a mark of a merge that was not finished: keep the lines of both sides and delete the mark")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as err:
        shown = line.decode("utf-8", "replace").strip()
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        raise ValueError(f"no JSON ({shown!r}): correct or delete it") from err
    if not isinstance(data, Mapping):
        raise ValueError("no JSON object: correct or delete it")  # noqa: TRY004 (told like all other faults)
    for key in _TEXT_KEYS:
        if not isinstance(data.get(key), str) or not data[key]:
            raise ValueError(f"{key!r} must be text: add or correct it")
    texts = data.get("texts")
    if not isinstance(texts, list) or len(texts) != 2 or not all(_is_digest(one) for one in texts):
        raise ValueError("'texts' must be two SHA-256 digests: let `kb dedup` write the line")
    if data["verdict"] not in VERDICTS:
        raise ValueError(f"verdict {data['verdict']!r} is unknown: write {ACCEPT!r} or {DISMISS!r}")
    note = data.get("note", "")
    if not isinstance(note, str):
        raise ValueError("'note' must be text: correct it")  # noqa: TRY004
    try:
        _moment(data["on"])
    except ValueError:
        raise ValueError(f"'on' is no moment ({data['on']!r}): write it like 2026-01-31T12:00:00+00:00") from None
    return Review(data["a"], data["b"], (texts[0], texts[1]), data["verdict"], data["by"], data["on"], note)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
