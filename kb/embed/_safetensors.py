"""Files of tensors in the safetensors format, mapped into memory.

The format: eight bytes with the length of a JSON header (little endian), the header, and the numbers, whose places the
header gives (https://huggingface.co/docs/safetensors).
"""

from __future__ import annotations

import json
import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.errors import EmbeddingError

__all__ = ["Tensors", "load_tensors"]

Tensors = dict[str, npt.NDArray[np.float32]]
_MOST_HEADER = 100_000_000
_FLOAT32 = "F32"


def load_tensors(path: Path) -> Tensors:
    """Name -> float32 array, read-only, of those tensors that are such.

    Raises EmbeddingError for a file that is none of this format, OSError for one that cannot be read.
    """
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise EmbeddingError(f"{path}: is empty; fetch the model again") from None
    try:
        [length] = struct.unpack_from("<Q", data)
        start = 8 + min(length, _MOST_HEADER)
        header = json.loads(data[8:start])
        return {
            name: _tensor(data, start, about)
            for name, about in header.items()
            if name != "__metadata__" and about["dtype"] == _FLOAT32
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error) as err:
        raise EmbeddingError(f"{path}: not a safetensors file: {err}; fetch the model again") from err


def _tensor(data: mmap.mmap, start: int, about: dict[str, Any]) -> npt.NDArray[np.float32]:
    shape = tuple(about["shape"])
    first, last = about["data_offsets"]
    if min(first, *shape, 0) < 0 or start + last > len(data) or last - first != 4 * int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"a tensor of shape {shape} does not fit bytes {first} to {last}")
    count = (last - first) // 4
    return np.frombuffer(data, dtype="<f4", count=count, offset=start + first).reshape(shape)
