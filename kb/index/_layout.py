"""Files of an index: their names, their sums, and how one becomes an array that is mapped into memory."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.errors import IndexDamagedError

__all__ = [
    "BASE",
    "DELTA",
    "FORMAT",
    "INDEX_NAME",
    "KINDS_NAME",
    "LINE_SUMS_NAME",
    "NODES_NAME",
    "OFFSETS_NAME",
    "PARTITIONS_NAME",
    "SCAN_FACTS_NAME",
    "SCAN_NAME",
    "TERM_NAMES",
    "VECTORS_NAME",
    "VECTOR_SUMS_NAME",
    "Fact",
    "Mapped",
    "all_names",
    "damaged",
    "npy_header",
    "read_json",
    "sealed",
    "segment_names",
    "sum_of",
]

FORMAT = 2
"""The number that `index.json` carries. It rises when a reader of the old layout would misread the new one."""
INDEX_NAME, NODES_NAME, PARTITIONS_NAME, VECTORS_NAME = "index.json", "nodes.jsonl", "partitions.json", "vectors.npy"
OFFSETS_NAME, KINDS_NAME = "offsets.npy", "kinds.npy"
VECTOR_SUMS_NAME, LINE_SUMS_NAME = "vector-sums.npy", "line-sums.npy"
SCAN_NAME, SCAN_FACTS_NAME = "scan.npy", "scan-facts.npy"
TERM_NAMES = ("term-runs.txt", "term-starts.npy", "term-suffixes.npy", "term-slots.npy", "term-rows.npy")
BASE, DELTA = "", "delta-"
"""What the names of a segment's files begin with."""
_OF_ROWS = (VECTORS_NAME, NODES_NAME)
_BESIDE = (OFFSETS_NAME, KINDS_NAME, VECTOR_SUMS_NAME, LINE_SUMS_NAME)
_HEADER = 128
_WORD = 8


def segment_names(prefix: str) -> tuple[str, ...]:
    """The files that rows stand in. A delta is small enough to need no others."""
    return (*_OF_ROWS, *_BESIDE) if prefix == BASE else tuple(prefix + name for name in _OF_ROWS)


def all_names() -> tuple[str, ...]:
    """Every file that an index may have."""
    derived = (SCAN_NAME, SCAN_FACTS_NAME, *TERM_NAMES)
    return (*segment_names(BASE), *segment_names(DELTA), *derived, PARTITIONS_NAME, INDEX_NAME)


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a file: its bytes, and their sum as `sum_of` has it."""

    size: int
    sum: int

    @classmethod
    def of(cls, path: Path) -> Fact:
        """Of a file as it is; maps it into memory for that."""
        data = Mapped.open(path).data
        return cls(len(data), sum_of(data))

    def to_json(self) -> dict[str, Any]:
        """As `index.json` has it."""
        return {"size": self.size, "sum": f"{self.sum:016x}"}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fact:
        """Raises KeyError, TypeError or ValueError for anything else."""
        return cls(int(data["size"]), int(data["sum"], 16))


def sum_of(data: bytes | mmap.mmap | memoryview) -> int:
    """The sum of the 64-bit little-endian words of some bytes, modulo 2**64; zeros fill up the last word.

    It finds every damage to a single word, at the speed of the memory.
    """
    whole = len(data) // _WORD
    words = np.frombuffer(data, dtype="<u8", count=whole)
    rest = int.from_bytes(bytes(memoryview(data)[whole * _WORD :]), "little")
    return (int(words.sum(dtype=np.uint64)) + rest) % 2**64


class Mapped:
    """A file in memory as far as it is used, read-only. It stays readable when the file is removed."""

    def __init__(self, path: Path, data: mmap.mmap | bytes) -> None:
        self.path, self.data = path, data
        self._sound = False

    @classmethod
    def open(cls, path: Path, fact: Fact | None = None) -> Mapped:
        """Raises GenerationError where the file is missing or does not have its size."""
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        except (OSError, ValueError) as err:
            raise damaged(path, (err.strerror if isinstance(err, OSError) else None) or str(err)) from err
        if fact is not None and size != fact.size:
            raise damaged(path, f"it has {size:,} bytes instead of {fact.size:,}")
        return cls(path, data)

    def check(self, fact: Fact) -> None:
        """Raises GenerationError where the bytes are not those that were written. Reads them once."""
        if not self._sound and sum_of(self.data) != fact.sum:
            raise damaged(self.path, "its bytes are not those that were written")
        self._sound = True

    def array(self, dtype: npt.DTypeLike, *shape: int) -> npt.NDArray[Any]:
        """What an .npy file of this type and shape holds; nothing is copied."""
        if bytes(self.data[:_HEADER]) != npy_header(dtype, *shape):
            raise damaged(self.path, f"it does not begin as a matrix of shape {shape}")
        size = int(np.prod(shape))
        if len(self.data) != _HEADER + size * np.dtype(dtype).itemsize:
            raise damaged(self.path, f"its size does not fit its shape {shape}")
        # An empty array cannot be taken out of a buffer beyond its end.
        if not size:
            return np.zeros(shape, dtype=dtype)
        return np.frombuffer(self.data, dtype=dtype, count=size, offset=_HEADER).reshape(shape)


def npy_header(dtype: npt.DTypeLike, *shape: int) -> bytes:
    """The header of an .npy file, always of the same length; see NumPy's format description, version 1.0."""
    said = f"{{'descr': {np.dtype(dtype).str!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    magic = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return magic + said.ljust(_HEADER - 11).encode("latin1") + b"\n"


def sealed(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What `index.json` says, with a digest over it."""
    body = {key: value for key, value in meta.items() if key != "digest"}
    said = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "digest": hashlib.sha256(said.encode()).hexdigest()}


def read_json(path: Path) -> tuple[dict[str, Any], bytes]:
    """A JSON object and its bytes; raises GenerationError for anything else."""
    try:
        raw = path.read_bytes()
        data = json.loads(raw)
    except (OSError, ValueError, RecursionError) as err:
        raise damaged(path, (err.strerror if isinstance(err, OSError) else None) or str(err)) from err
    if not isinstance(data, dict):
        raise damaged(path, "it is no JSON object")
    return data, raw


def damaged(path: Path, why: str) -> IndexDamagedError:
    """The error that names a file of an index and the remedy."""
    return IndexDamagedError(f"{path}: the index cannot be read: {why}; run `kb build --force` to make it anew")
