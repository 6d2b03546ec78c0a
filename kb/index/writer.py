"""Writes an index beside, or upon, the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from kb.embed.provider import Progress, Provider
from kb.errors import GenerationError
from kb.index._assembly import Assembly, Range
from kb.index._layout import FORMAT, INDEX_NAME, PARTITIONS_NAME, all_names, sealed, segment_names
from kb.index._staging import NewRow, OtherSizeError, Staging, rows_of_chunks
from kb.index._written import SegmentWriter, kinds_of
from kb.index.chunks import Chunk
from kb.index.vectors import IndexFiles

if TYPE_CHECKING:
    from kb.embed.cache import VectorCache

__all__ = ["Part", "Written", "write_index"]

_STAGED = "staged-"


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one kind of a concept: what makes its chunks, or None to take over those of the index before."""

    concept: str
    kind: str
    chunks: Callable[[], Sequence[Chunk]] | None


@dataclass(frozen=True, slots=True)
class Written:
    """`rows` that there are; texts that were `embedded` for them, or whose vectors were `cached`.

    `rebuilt` are the concepts that did not come out as they were in the index before. `merged` says that the files
    were written as a whole, not upon those of the parent.
    """

    rows: int
    embedded: int
    cached: int = 0
    rebuilt: tuple[str, ...] = ()
    merged: bool = True


def write_index(
    folder: Path,
    parts: Iterable[Part],
    provider: Provider,
    parent: IndexFiles | None,
    *,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Written:
    """Writes the index of all `parts`, in the order of concepts and kinds; what is in none of them is gone.

    A text that was embedded for `parent` by a provider of the same identity keeps its vector, wherever it stands now,
    unless it is new beside a concept that is taken over. Then the cache is asked, then the provider. Where little
    changed, the files of the parent are shared by hard links, and only what is new is written. No more than a block of
    rows and one concept's lines are held in memory. The same chunks give the same rows, in the same order, whatever
    the parent.

    A parent that is damaged is not used where every part brings its chunks. Raises GenerationError where the disk
    refuses or what is taken over is damaged, EmbeddingError where there are no vectors,
    ValueError for a part that comes twice and for chunks that share an id or do not belong to their part.
    """
    ordered = sorted(parts, key=lambda part: (part.concept, part.kind))
    if any(one.concept == other.concept and one.kind == other.kind for one, other in pairwise(ordered)):
        raise ValueError("a part of the index comes twice")
    concepts: dict[str, list[Part]] = {}
    for part in ordered:
        concepts.setdefault(part.concept, []).append(part)
    complete = all(part.chunks is not None for part in ordered)
    if parent is not None and complete:
        # Whoever can do without the parent wants no damage of it.
        try:
            parent.verify()
        except GenerationError:
            parent = None
    try:
        try:
            return _write(folder, concepts, provider, parent, cache, progress)
        except OtherSizeError:
            if not complete:
                raise
            return _write(folder, concepts, provider, None, cache, progress)
    except OSError as err:
        raise GenerationError(
            f"{folder}: the index cannot be written: {err.strerror or err}; the previous generation stays in use"
        ) from err


def _write(
    folder: Path,
    concepts: dict[str, list[Part]],
    provider: Provider,
    parent: IndexFiles | None,
    cache: VectorCache | None,
    progress: Progress | None,
) -> Written:
    for name in (*all_names(), *segment_names(_STAGED)):
        # Never through a hard link into the files of another index.
        (folder / name).unlink(missing_ok=True)
    same = (
        parent is not None
        and parent.rows > 0
        and parent.identity == provider.identity
        and provider.dimension in (None, parent.dimension)
    )
    dimension = parent.dimension if same and parent is not None else provider.dimension
    with SegmentWriter(folder, _STAGED, dimension) as writer:
        try:
            staging = Staging(writer, provider, parent, cache, progress)
            return _Build(folder, concepts, provider, parent if same else None, parent, staging).run()
        finally:
            writer.remove()


class _Build:
    def __init__(
        self,
        folder: Path,
        concepts: dict[str, list[Part]],
        provider: Provider,
        same: IndexFiles | None,
        parent: IndexFiles | None,
        staging: Staging,
    ) -> None:
        self.folder, self.concepts, self.provider, self.parent = folder, concepts, provider, parent
        # The parent, where its vectors are of the same provider.
        self.same, self.staging = same, staging
        self.kinds: dict[str, list[str]] = {}
        if parent is not None:
            places = parent.order.places
            self.kinds.update(kinds_of(parent.base, places, 0))
            if parent.delta is not None:
                self.kinds.update(kinds_of(parent.delta, places, parent.base.rows))
        self.kept = dict(self._kept())
        self._knowing = False

    def run(self) -> Written:
        ranges: list[Range] = []
        for concept, parts in self.concepts.items():
            found = self.kept.get(concept) or self._staged(concept, parts)
            if found is not None:
                ranges.append(found)
        self.staging.flush()
        assembly = Assembly(self.folder, self.same)
        staged = self.staging.writer.finish(assembly.staged_facts)
        partitions, described = assembly.write(ranges, staged, self._dimension(staged.dimension))
        said = json.dumps(partitions, ensure_ascii=False).encode("utf-8", "replace")
        (self.folder / PARTITIONS_NAME).write_bytes(said)
        facts: dict[str, object] = {name: fact.to_json() for name, fact in assembly.facts.items()}
        facts[PARTITIONS_NAME] = {"size": len(said), "sha256": hashlib.sha256(said).hexdigest()}
        rows = sum(one.stop - one.start for one in ranges)
        meta = {
            "format": FORMAT,
            "provider": self.provider.identity,
            "family": getattr(self.provider, "family", None),
            "dimension": self._dimension(staged.dimension),
            "dtype": "float32",
            "rows": rows,
            "lexical_weight": self.provider.lexical_weight,
            **described,
            "files": facts,
        }
        said = json.dumps(sealed(meta), ensure_ascii=False, indent=1).encode("utf-8", "replace")
        (self.folder / INDEX_NAME).write_bytes(said + b"\n")
        rebuilt = tuple(one.concept for one in ranges if one.staged)
        return Written(rows, self.staging.embedded, self.staging.cached, rebuilt, assembly.merged)

    def _dimension(self, staged: int) -> int | None:
        return staged or self.provider.dimension

    def _kept(self) -> Iterator[tuple[str, Range]]:
        """The rows of concepts that are taken over as they are."""
        if self.same is None:
            return
        places = self.same.order.places
        for concept, parts in self.concepts.items():
            where = places.get(concept)
            if where is None:
                continue
            gone = set(self.kinds[concept])
            for part in parts:
                if part.chunks is not None:
                    break
                gone.discard(part.kind)
            else:
                if not gone:
                    yield concept, Range(concept, *where, staged=False)

    def _staged(self, concept: str, parts: Sequence[Part]) -> Range | None:
        """The rows of a concept that may have changed; those of the parent where they come out as they were."""
        rows: list[NewRow] = []
        for part in parts:
            if part.chunks is not None:
                rows += rows_of_chunks(concept, part.kind, part.chunks())
            elif self.parent is not None:
                rows += self._taken_over(concept, part.kind)
        if not rows:
            return None
        if self.same is not None:
            start, stop = self.same.order.places.get(concept, (0, 0))
            if stop - start == len(rows) and all(
                self.same.line_at(start + at) == row[0] for at, row in enumerate(rows)
            ):
                return Range(concept, start, stop, staged=False)
            if not self._knowing:
                self.staging.know(self._open_places())
                self._knowing = True
        first = self.staging.rows
        self.staging.add(rows)
        return Range(concept, first, self.staging.rows, staged=True)

    def _taken_over(self, concept: str, kind: str) -> Iterable[NewRow]:
        assert self.parent is not None
        for place in self.parent.places_of(concept, kind):
            line = self.parent.line_at(place)
            yield line, str(json.loads(line)["text"]), kind, None if self.same is None else place

    def _open_places(self) -> Iterable[int]:
        """Of rows that are not taken over as they are: a page that moved, or changed in part."""
        assert self.parent is not None
        for concept, (start, stop) in self.parent.order.places.items():
            if concept not in self.kept:
                yield from range(start, stop)
