"""What a search of schema notes has to find: brute force in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from index_data import BenchProvider, Note
from index_ours import chunks_of
from index_peer import significant_terms


class Oracle:
    """Every score in float64, straight from notes and provider; ties in the order of concepts, kinds and notes."""

    BLOCK = 4096

    def __init__(self, notes: dict[str, Note], provider: BenchProvider) -> None:
        chunks = [chunk for concept in sorted(notes) for chunk in sorted(chunks_of(notes[concept]), key=_kind)]
        self.provider = provider
        self.ids = [chunk.id for chunk in chunks]
        self.concepts = np.array([chunk.concept for chunk in chunks])
        self.texts = [chunk.text.lower() for chunk in chunks]
        self.vectors = provider.embed([chunk.text for chunk in chunks])

    def search(self, query: str, top_k: int, concept: str | None) -> list[tuple[str, float]]:
        """The best ids and their full scores."""
        rows = np.arange(len(self.ids)) if concept is None else np.flatnonzero(self.concepts == concept)
        vector = self.provider.embed([query], query=True)[0].astype(np.float64)
        terms = significant_terms(query)
        scores = np.zeros(len(rows))
        for at in range(0, len(rows), self.BLOCK):
            block = rows[at : at + self.BLOCK]
            scores[at : at + self.BLOCK] = self.vectors[block].astype(np.float64) @ vector
        if terms:
            held = np.zeros(len(rows))
            for term in terms:
                held += np.array([term in self.texts[row] for row in rows.tolist()])
            scores += self.provider.lexical_weight * held / len(terms)
        best = np.argsort(-np.round(scores, 12), kind="stable")[:top_k]
        return [(self.ids[rows[at]], float(scores[at])) for at in best.tolist() if scores[at] > 0]


def _kind(chunk: Any) -> str:
    return str(chunk.kind)
