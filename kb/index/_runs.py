"""Which rows have a term, without their texts: unique runs of word characters and of signs, and the rows of each.

A term is of one class of characters, so it lies inside one run of that class. Runs are few where texts are many. Every
place in a run where a term may begin is in one sorted list, so the runs that hold a term are neighbours in it. Rows
are kept as 16 bits in shards of 65,536 rows.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.index._layout import TERM_NAMES, Fact, Mapped, npy_header
from kb.index._segment import Ints
from kb.index._terms import RUN, fold

__all__ = ["Runs", "write_runs"]

_SHARD = 65_536
_CACHE_BYTES = 4_000_000
_FEW = 64
_END = b"\n"
_ROW_BITS = 32
_LONGEST = 128
"""Bytes of a run whose every place is sorted. What is longer is data rather than a word, and looked through."""


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

    def texts(self) -> list[str]:
        """The runs."""
        self.verify()
        return bytes(self._text).decode("utf-8", "surrogatepass").split("\n")[:-1]

    def pairs(self) -> tuple[Ints, Ints]:
        """(runs, rows): which run each row has."""
        self.verify()
        slots = np.repeat(np.arange(len(self._slots) - 1), np.diff(self._slots))
        shards, runs = np.divmod(slots, max(1, self._counts["runs"]))
        return runs, shards * _SHARD + self._places

    def _bits(self, term: str) -> npt.NDArray[np.uint8]:
        known = self._known.get(term)
        if known is None:
            if len(self._known) * self.rows > 8 * _CACHE_BYTES:
                self._known.clear()
            known = self._known[term] = np.packbits(self._mask(term.encode("utf-8", "surrogatepass")))
        return known

    @cached_property
    def _long(self) -> list[tuple[int, int, int]]:
        """(run, start, stop) of the runs that are too long to be sorted."""
        runs = np.flatnonzero(np.diff(self._starts.astype(np.int64)) > _LONGEST + len(_END))
        return [(run, int(self._starts[run]), int(self._starts[run + 1])) for run in runs.tolist()]

    def _in_long_runs(self, term: bytes) -> Ints:
        found = [run for run, start, stop in self._long if self._text.find(term, start, stop) >= 0]
        return np.array(found, dtype=np.int64)

    def _mask(self, term: bytes) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.rows, dtype=bool)
        size, text, places = len(term), self._text, self._suffixes

        def begin(place: Any) -> bytes:
            at = int(place)
            return bytes(text[at : at + size]).partition(_END)[0]

        first = bisect_left(places, term, key=begin)
        last = bisect_right(places, term, first, key=begin)
        runs = np.searchsorted(self._starts, places[first:last], side="right") - 1
        runs = np.unique(np.concatenate([runs, self._in_long_runs(term)]))
        if not len(runs):
            return mask
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


def write_runs(
    folder: Path, rows: int, lines: Iterable[tuple[int, bytes]], known: Runs | None = None, moved: Ints | None = None
) -> dict[str, int]:
    """Writes the terms of all rows; gives the sizes that `Runs` is opened with.

    `lines` are rows with their lines of `nodes.jsonl`. Rows that are `known` need none: `moved` has for each of them
    where it stands now, -1 where it is gone. The files do not depend on which of the two tell of a row.
    """
    numbers: dict[str, int] = {}
    pairs: list[Ints] = []
    if known is not None and moved is not None:
        numbers = {run: number for number, run in enumerate(known.texts())}
        run_of, row_of = known.pairs()
        row_of = moved[row_of]
        pairs.append(_pair(run_of[row_of >= 0], row_of[row_of >= 0]))
    runs_held, rows_held = array("q"), array("q")
    find = RUN.findall
    for row, line in lines:
        found = set(find(fold(json.loads(line)["text"])))
        runs_held.extend([numbers.setdefault(run, len(numbers)) for run in found])
        rows_held.extend([row] * len(found))
    pairs.append(_pair(np.frombuffer(runs_held, dtype=np.int64), np.frombuffer(rows_held, dtype=np.int64)))
    # One number for a run and a row, sorted in place: there are many times more than rows.
    keys = np.concatenate(pairs)
    pairs.clear()
    used = np.zeros(len(numbers), dtype=bool)
    used[keys >> _ROW_BITS] = True
    ordered = sorted(run for run, number in numbers.items() if used[number])
    renumbered = np.zeros(len(numbers), dtype=np.int64)
    renumbered[[numbers[run] for run in ordered]] = np.arange(len(ordered))
    places = keys & (2**_ROW_BITS - 1)
    slots = renumbered[keys >> _ROW_BITS] + places // _SHARD * len(ordered)
    keys = slots * _SHARD + places % _SHARD
    keys.sort()
    shards = -(-rows // _SHARD)
    ends = np.zeros(shards * len(ordered) + 1, dtype="<i8")
    np.cumsum(np.bincount(keys // _SHARD, minlength=shards * len(ordered)), out=ends[1:])
    encoded = [run.encode("utf-8", "surrogatepass") for run in ordered]
    starts = np.zeros(len(ordered) + 1, dtype="<u4")
    np.cumsum([len(run) + 1 for run in encoded], out=starts[1:])
    arrays = (starts, _suffixes(ordered, encoded, starts), ends, (keys % _SHARD).astype("<u2"))
    with (folder / TERM_NAMES[0]).open("xb") as file:
        file.write(b"".join(run + _END for run in encoded))
    for name, table in zip(TERM_NAMES[1:], arrays, strict=True):
        with (folder / name).open("xb") as file:
            file.write(npy_header(table.dtype, *table.shape))
            file.write(table.tobytes())
    return {"runs": len(ordered), "suffixes": len(arrays[1]), "places": len(keys)}


def _pair(runs: Ints, rows: Ints) -> Ints:
    return (runs << _ROW_BITS) + rows


_WORD = re.compile(r"\w")


def _suffixes(runs: Sequence[str], encoded: Sequence[bytes], starts: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Where in the text of all runs a term may begin, sorted by what stands there."""
    found: list[tuple[bytes, int]] = []
    for run, raw, start in zip(runs, encoded, starts.tolist(), strict=False):
        if len(raw) > _LONGEST:
            continue
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
