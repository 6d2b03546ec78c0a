"""Facts as edges between entities, indexed from both ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

__all__ = ["Edge", "Edges"]

Edge = tuple[str, str, str]
"""(subject id, relation IRI, object id)"""


class Edges:
    """A set of edges that finds those at a node."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._out: dict[str, set[Edge]] = defaultdict(set)
        self._in: dict[str, set[Edge]] = defaultdict(set)
        for edge in edges:
            self._out[edge[0]].add(edge)
            self._in[edge[2]].add(edge)

    def __iter__(self) -> Iterator[Edge]:
        return (edge for edges in self._out.values() for edge in edges)

    def __contains__(self, edge: Edge) -> bool:
        return edge in self._out.get(edge[0], ())

    def remove(self, edges: Iterable[Edge]) -> None:
        """Takes edges out."""
        for edge in edges:
            self._out[edge[0]].discard(edge)
            self._in[edge[2]].discard(edge)

    def nodes(self) -> set[str]:
        """Every node that has an edge."""
        return {node for index in (self._out, self._in) for node, edges in index.items() if edges}

    def at(self, node: str, relation: str, *, backward: bool = False) -> set[Edge]:
        """The edges of a relation that leave a node, or reach it."""
        edges = (self._in if backward else self._out).get(node, ())
        return {edge for edge in edges if edge[1] == relation}

    def touching(self, node: str) -> set[Edge]:
        """All edges at a node."""
        return self._out.get(node, set()) | self._in.get(node, set())

    def seen(self, node: str, forward: Collection[str], backward: Collection[str]) -> set[Edge]:
        """The edges at a node that leave it by a `forward` relation or reach it by a `backward` one."""
        leaving = {edge for edge in self._out.get(node, ()) if edge[1] in forward}
        if not backward:
            return leaving
        return leaving | {edge for edge in self._in.get(node, ()) if edge[1] in backward}

    def around(self, nodes: Collection[str], steps: int) -> set[str]:
        """The nodes and all that are at most `steps` edges away, in any direction."""
        found, border = set(nodes), set(nodes)
        for _ in range(steps):
            border = {end for node in border for edge in self.touching(node) for end in (edge[0], edge[2])} - found
            if not border:
                break
            found |= border
        return found

    def across(self, nodes: Collection[str], forward: Collection[str], backward: Collection[str]) -> set[str]:
        """The nodes, the objects of their `forward` relations and the subjects of their `backward` ones."""
        found = set(nodes)
        if forward or backward:
            for node in nodes:
                found.update(edge[2] for edge in self._out.get(node, ()) if edge[1] in forward)
                found.update(edge[0] for edge in self._in.get(node, ()) if edge[1] in backward)
        return found
