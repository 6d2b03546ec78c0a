"""Hops that nobody says, between sets that the words do name: "a concert with a piece by X" features the piece."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kb.ask.planner.sequences import Steps

__all__ = ["Gaps"]

_Path = tuple[int, ...]


class Gaps:
    """Fills gaps between types where only one way through the ontology is shortest.

    `inside` has the hops from parts to wholes, `affiliation` the hops from members to groups.
    """

    def __init__(self, steps: Steps, inside: Mapping[int, int], affiliation: Collection[int]) -> None:
        self._steps, self._inside, self._affiliation = steps, inside, affiliation
        self._filled: dict[tuple[int, int, int], _Path | None] = {}

    def fill(self, mask: int, goal: int, longest: int = 2) -> _Path | None:
        """The hops from types in `mask` to types in `goal`; None where several ways are as short, or none is."""
        key = (mask, goal, longest)
        if key not in self._filled:
            self._filled[key] = self._only(list(self._steps.between(mask, goal, longest)))
        return self._filled[key]

    def _only(self, paths: list[_Path]) -> _Path | None:
        # What is in a part is in the whole, not the other way round.
        paths = [path for path in paths if not self._downwards(path, paths)]
        if len(paths) > 1:
            # Things stand for what they are part of, members for their group.
            paths = [path for path in paths if all(code in self._affiliation for code in path)] or paths
        return paths[0] if len(paths) == 1 else None  # Taking one of several would be a guess.

    def _downwards(self, path: _Path, paths: Collection[_Path]) -> bool:
        """Whether a path goes from a whole to its parts where another one goes the other way."""
        return any(
            self._inside.get(code ^ 1) and (*path[:at], code ^ 1, *path[at + 1 :]) in paths
            for at, code in enumerate(path)
        )
