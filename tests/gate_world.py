"""A small made-up domain with many kinds of shapes, for tests of the gate."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from kb.graph.candidates import Candidate
from kb.iris import Iris
from kb.model import Entity, Statement
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

IRIS = Iris("https://kb.example/")
NS = "https://garden.example/terms#"
RULE = "https://garden.example/rules#"

_FOLDER = Path(__file__).parent / "garden"
_HEAD, *_BLOCKS = (_FOLDER / "shapes.ttl").read_text(encoding="utf-8").split("\n#: ")
SHAPES: dict[str, str] = dict(block.split("\n", 1) for block in _BLOCKS)
"""Name -> shape in Turtle."""

_KINDS = (
    Entity("oak", "tree", "Oak", attributes={"edible": False}),
    Entity("ash", "tree", "Ash"),
    Entity("pea", "plant", "Pea", attributes={"edible": True}),
    Entity("east bed", "bed", "East Bed"),
    Entity("west bed", "bed", "West Bed"),
    Entity("ines", "gardener", "Ines"),
)
CATALOGUE = Catalogue({one.id: one for one in _KINDS})
"""One garden."""
GARDENS = Catalogue(
    {
        one.id: one
        for kind in _KINDS
        for n in (1, 2, 3)
        for one in (replace(kind, id=f"{kind.id} {n}", name=f"{kind.name} {n}"),)
    }
)
"""Three of everything."""
IDS = tuple(CATALOGUE.entities)
RELATIONS = ("grows_in", "near", "tended_by")


@cache
def vocabulary(shapes: tuple[str, ...]) -> Vocabulary:
    """The domain's vocabulary with some of the shapes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shapes.ttl").write_text("\n".join([_HEAD, *(SHAPES[one] for one in shapes)]), encoding="utf-8")
        return load_vocabulary([_FOLDER / "ontology.ttl"], [folder / "shapes.ttl"])


def candidate(subject: str, relation: str, object_: str, page: str = "page") -> Candidate:
    """A candidate that one page states, by ids."""
    return Candidate(Statement(subject, relation, object_, page), subject, relation, object_)


def candidates(rows: Iterable[tuple[str, str, str, str]]) -> list[Candidate]:
    """Candidates from (subject, relation, object, page)."""
    return [candidate(*row) for row in rows]
