"""Which rows have a term, without their texts: unique runs of word characters and of signs, and the rows of each.

A term is of one class of characters, so it lies inside one run of that class. Runs are few where texts are many. Every
place in a run where a term may begin is in one sorted list, so the runs that hold a term are neighbours in it. Rows
are kept as 16 bits in shards of 65,536 rows.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.index._layout import TERM_NAMES, Fact, Mapped, npy_header
from kb.index._terms import RUN, fold

__all__ = ["Runs", "write_runs"]

_SHARD = 65_536
_CACHE_BYTES = 4_000_000
_FEW = 64
_END = b"\n"


class Runs:
    """The terms of the base's rows. Thread-safe."""

    def __init__(self, folder: Path, rows: int, counts: Mapping[str, int], facts: Mapping[str, Fact]) -> None:
        self.rows, self._counts = rows, counts
        self._facts = [facts[name] for name in TERM_NAMES]
        self._files = [Mapped.open(folder / name, fact) for name, fact in zip(TERM_NAMES, self._facts, strict=True)]
        text, starts, suffixes, slots, places = self._files
        self._text = text.data
        self._shards = -(-rows // _SHARD)
        self._starts = starts.array("<u4", counts["runs"] + 1)
        self._suffixes = suffixes.array("<u4", counts["suffixes"])
        self._slots = slots.array("<i8", self._shards * counts["runs"] + 1)
        self._places = places.array("<u2", counts["places"])
        self._known: dict[str, npt.NDArray[np.uint8]] = {}

    def verify(self) -> None:
        """Raises GenerationError for damaged files. Reads them once."""
        for file, fact in zip(self._files, self._facts, strict=True):
            file.check(fact)

    def counts(self, terms: Sequence[str], rows: slice | npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.uint16]:
        """How many of the terms each row has, or each of some rows; shape (rows,)."""
        self.verify()
        if rows is not None:
            places = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
            found = np.zeros(len(places), dtype=np.uint16)
            byte, bit = places >> 3, (7 - (places & 7)).astype(np.uint8)
            for term in terms:
                found += (self._bits(term)[byte] >> bit) & 1
            return found
        total = np.zeros(self.rows, dtype=np.uint16)
        for first in range(0, len(terms), 255):
            some = np.zeros(self.rows, dtype=np.uint8)
            for term in terms[first : first + 255]:
                some += np.unpackbits(self._bits(term), count=self.rows)
            total += some
        return total

    def _bits(self, term: str) -> npt.NDArray[np.uint8]:
        known = self._known.get(term)
        if known is None:
            if len(self._known) * self.rows > 8 * _CACHE_BYTES:
                self._known.clear()
            known = self._known[term] = np.packbits(self._mask(term.encode("utf-8", "surrogatepass")))
        return known

    def _mask(self, term: bytes) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.rows, dtype=bool)
        size, text, places = len(term), self._text, self._suffixes

        def begin(place: Any) -> bytes:
            at = int(place)
            return bytes(text[at : at + size]).partition(_END)[0]

        first = bisect_left(places, term, key=begin)
        last = bisect_right(places, term, first, key=begin)
        if first == last:
            return mask
        runs = np.unique(np.searchsorted(self._starts, places[first:last], side="right") - 1)
        for shard in range(self._shards):
            slots = runs + shard * self._counts["runs"]
            starts, stops = self._slots[slots], self._slots[slots + 1]
            here = mask[shard * _SHARD : (shard + 1) * _SHARD]
            if len(runs) <= _FEW:
                for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
                    here[self._places[start:stop]] = True
            else:
                sizes = stops - starts
                at = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
                here[self._places[at]] = True
        return mask


def write_runs(folder: Path, lines: Iterable[bytes], rows: int) -> dict[str, int]:
    """Writes the terms of all rows, given as lines of `nodes.jsonl`; gives the sizes that `Runs` is opened with."""
    numbers: dict[str, int] = {}
    of_rows: list[npt.NDArray[np.int32]] = []
    sizes = np.zeros(rows, dtype=np.int64)
    held: list[int] = []
    find = RUN.findall
    for row, line in enumerate(lines):
        found = set(find(fold(json.loads(line)["text"])))
        held += [numbers.setdefault(run, len(numbers)) for run in found]
        sizes[row] = len(found)
        if len(held) > _SHARD:
            of_rows.append(np.array(held, dtype=np.int32))
            held.clear()
    of_rows.append(np.array(held, dtype=np.int32))
    # Sorted, so that the files do not depend on the order in which sets give what they hold.
    ordered = sorted(numbers)
    encoded = [run.encode("utf-8", "surrogatepass") for run in ordered]
    renumbered = np.zeros(len(ordered), dtype=np.int32)
    renumbered[[numbers[run] for run in ordered]] = np.arange(len(ordered), dtype=np.int32)
    runs = renumbered[np.concatenate(of_rows)].astype(np.int64)
    row_of = np.repeat(np.arange(rows, dtype=np.int64), sizes)
    shards = -(-rows // _SHARD)
    slot = runs + (row_of // _SHARD) * len(ordered)
    order = np.lexsort((row_of, slot))
    starts = np.zeros(len(ordered) + 1, dtype="<u4")
    np.cumsum([len(run) + 1 for run in encoded], out=starts[1:])
    slots = np.zeros(shards * len(ordered) + 1, dtype="<i8")
    np.cumsum(np.bincount(slot, minlength=shards * len(ordered)), out=slots[1:])
    text = b"".join(run + _END for run in encoded)
    arrays = (starts, _suffixes(ordered, encoded, starts), slots, (row_of[order] % _SHARD).astype("<u2"))
    with (folder / TERM_NAMES[0]).open("xb") as file:
        file.write(text)
    for name, array in zip(TERM_NAMES[1:], arrays, strict=True):
        with (folder / name).open("xb") as file:
            file.write(npy_header(array.dtype, *array.shape))
            file.write(array.tobytes())
    return {"runs": len(ordered), "suffixes": len(arrays[1]), "places": len(order)}


_WORD = re.compile(r"\w")


def _suffixes(runs: Sequence[str], encoded: Sequence[bytes], starts: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Where in the text of all runs a term may begin, sorted by what stands there."""
    found: list[tuple[bytes, int]] = []
    for run, raw, start in zip(runs, encoded, starts.tolist(), strict=False):
        least = 3 if _WORD.match(run) else 2
        if len(raw) == len(run):
            found += [(raw[at:], start + at) for at in range(len(run) - least + 1)]
            continue
        at = 0
        for place in range(len(run) - least + 1):
            found.append((raw[at:], start + at))
            at += len(run[place].encode("utf-8", "surrogatepass"))
    found.sort()
    return np.array([place for _, place in found], dtype="<u4")
