"""The vocabulary that a generation was built with, as files that any RDF tool reads."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

from kb.graph._shape_graph import canonical
from kb.namespaces import SHAPE
from kb.vocabulary import Vocabulary

__all__ = ["ONTOLOGY_FILE", "SHAPES_FILE", "vocabulary_files"]

ONTOLOGY_FILE = "ontology.nt"
SHAPES_FILE = "shapes.nt"

_DERIVED = f"{SHAPE}derived-"


def vocabulary_files(vocabulary: Vocabulary) -> dict[str, bytes]:
    """File name -> N-Triples, byte for byte the same for the same triples.

    Blank nodes are labelled by RDFC-1.0 and lines sorted. Shapes that were derived from the ontology because a relation
    has none are left out: whoever loads both files derives them again, and still knows that the relation has none.
    """
    shapes = (
        triple
        for triple in vocabulary.shapes
        if not (isinstance(triple.subject, ox.NamedNode) and triple.subject.value.startswith(_DERIVED))
    )
    return {ONTOLOGY_FILE: _n_triples(vocabulary.ontology), SHAPES_FILE: _n_triples(shapes)}


def _n_triples(triples: Iterable[ox.Triple]) -> bytes:
    return b"".join(f"{triple} .\n".encode() for triple in canonical(triples))
