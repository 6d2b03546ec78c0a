"""What a search finds, as plain values."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from kb.index.chunks import CAVEAT, ENTITY, FIELD, KINDS, SECTION, Chunk
from kb.lookup.names import unknown

if TYPE_CHECKING:
    from kb.index.search import Hit, Index

__all__ = ["chunk_dict", "hit_dict", "search", "several"]

_ADDED = {
    FIELD: ("value_type",),
    CAVEAT: ("severity", "applies_to"),
    SECTION: ("page", "start", "end"),
    ENTITY: ("entity",),
}
"""What chunks of a kind have that others lack."""


def search(
    index: Index,
    query: str,
    top_k: int,
    *,
    concepts: Collection[str] | None = None,
    kinds: Collection[str] | None = None,
) -> list[dict[str, Any]]:
    """The best chunks as mappings, best first; empty for an index without rows, whatever the concepts.

    Raises UnknownNameError, with near names, for a kind or a concept that there is not.
    """
    _check("kind", kinds, KINDS)
    if not index.files.rows:
        return []
    _check("concept", concepts, index.files.partitions)
    return [hit_dict(one) for one in index.search(query, top_k, kinds=kinds, concepts=concepts)]


def hit_dict(hit: Hit) -> dict[str, Any]:
    """A hit; `degraded` says that it was found by its words alone, since the query could not be embedded."""
    scores: dict[str, Any] = {"cosine_score": hit.cosine, "lexical_score": hit.lexical, "degraded": hit.degraded}
    if hit.degraded:
        scores["degraded_reason"] = hit.degraded_reason
    return chunk_dict(hit.chunk, score=hit.score, **scores)


def chunk_dict(chunk: Chunk, **scores: Any) -> dict[str, Any]:
    """A chunk with its scores, and with what its kind adds."""
    found: dict[str, Any] = {"node_id": chunk.id, **scores, "kind": chunk.kind, "concept": chunk.concept}
    found |= {"label": chunk.label, "text": chunk.text}
    if chunk.kind == FIELD:
        found["field"] = chunk.id.removeprefix(f"{FIELD}:{chunk.concept}:")
    for name in _ADDED.get(chunk.kind, ()):
        value = getattr(chunk, name)
        found[name] = list(value) if isinstance(value, tuple) else value
    return found


def several(what: str, given: Collection[str] | None) -> Collection[str]:
    """What was given as a collection; raises TypeError for one text, whose letters would be taken for names."""
    if isinstance(given, str):
        raise TypeError(f"{what}s must be a collection of texts, not one text: [{given!r}]")
    return given or ()


def _check(what: str, given: Collection[str] | None, known: Collection[str]) -> None:
    for name in several(what, given):
        if name in known:
            continue
        near = difflib.get_close_matches(name, sorted(known), n=3)
        listed = near or (sorted(known) if len(known) <= 12 else [])
        raise unknown(f"there is no {what} {name!r} in the index", name, listed)
