"""Every entity that a graph has: those of the catalogue at hand, and nodes of schema notes as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyoxigraph as ox

from kb.iris import Iris
from kb.model import Entity
from kb.namespaces import RDF, RDFS
from kb.vocabulary import Vocabulary

__all__ = ["KnownEntities"]

_TYPE, _LABEL = ox.NamedNode(RDF + "type"), ox.NamedNode(RDFS + "label")


class KnownEntities(Mapping[str, Entity]):
    """Entity by id. Going through all of them shows the catalogue's, and those that were found in the graph so far.

    Schema notes may have a hundred times as many nodes as a wiki has entities, and nobody asks for all.
    """

    def __init__(
        self, catalogue: Mapping[str, Entity], store: Callable[[], ox.Store], vocabulary: Vocabulary, iris: Iris
    ) -> None:
        self._catalogue, self._store, self._vocabulary, self._iris = catalogue, store, vocabulary, iris
        self._found: dict[str, Entity] = {}

    def __getitem__(self, key: str) -> Entity:
        known = self._catalogue.get(key) or self._found.get(key)
        if known is None:
            self._found[key] = known = self._look_up(key)
        return known

    def __iter__(self) -> Iterator[str]:
        yield from self._catalogue
        yield from self._found

    def __len__(self) -> int:
        return len(self._catalogue) + len(self._found)

    def _look_up(self, key: str) -> Entity:
        node, everything = ox.NamedNode(self._iris.entity(key)), ox.DefaultGraph()
        types = {quad.object for quad in self._store().quads_for_pattern(node, _TYPE, None, everything)}
        names = sorted(name for one in types if isinstance(one, ox.NamedNode) and (name := self._name(one)))
        if not names:
            raise KeyError(key)
        labels = {quad.object for quad in self._store().quads_for_pattern(node, _LABEL, None, everything)}
        said = sorted(label.value for label in labels if isinstance(label, ox.Literal))
        return Entity(key, names[0], said[0] if said else key)

    def _name(self, type_: ox.NamedNode) -> str | None:
        name = self._vocabulary.name_of(type_.value)
        return name if name in self._vocabulary.classes else None
