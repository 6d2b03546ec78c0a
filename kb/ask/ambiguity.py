"""Names in a question that several entities share, and which of these a plan takes them for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kb.model import Entity
from kb.names import normalised

__all__ = ["SharedName", "shared_names"]

_WORD = re.compile(r"[^\s?!,;:()\"“”„«»`]+")
_ENDINGS = re.compile(r"(?:['’]s|['’]|\.)$")
_LONGEST = 8
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SharedName:
    """A name as the question writes it, all entities that it may mean, and those of them that the plan asks about."""

    name: str
    entities: tuple[str, ...]
    taken: tuple[str, ...]

    def __str__(self) -> str:
        more = len(self.entities) - _SHOWN
        named = [*self.entities[:_SHOWN], *([f"{more} more"] if more > 0 else [])]
        means = f"{self.name!r} may mean {', '.join(named[:-1])} or {named[-1]}"
        taken = f"; here it is taken for {' and '.join(self.taken)}" if self.taken else ""
        return f"{means}{taken}. Write the id of the one that is meant"


def shared_names(question: str, entities: Mapping[str, Entity], plan: Mapping[str, Any] | None) -> list[SharedName]:
    """The shared names in a question, in its order. Without a plan nothing is taken.

    A name whose entities the plan asks about all, or that is part of a longer name, is none.
    """
    owners: dict[str, dict[str, None]] = {}
    for entity in entities.values():
        for name in (entity.id, entity.name, *entity.aliases):
            owners.setdefault(normalised(name), {})[entity.id] = None
    asked = set(_texts(plan))
    found: dict[tuple[str, ...], SharedName] = {}
    places = [(match.start(), match.end()) for match in _WORD.finditer(question)]
    position = 0
    while position < len(places):
        for size in range(min(_LONGEST, len(places) - position), 0, -1):
            written = question[places[position][0] : places[position + size - 1][1]]
            written = written if normalised(written) in owners else _ENDINGS.sub("", written)
            ids = tuple(owners.get(normalised(written), ()))
            if ids:
                taken = tuple(one for one in ids if one in asked)
                if len(ids) > 1 and len(taken) < len(ids):
                    found.setdefault(ids, SharedName(written, ids, taken))
                position += size
                break
        else:
            position += 1
    # Where the plan takes nothing of the name, the words were no name to it, or it asks about something else.
    return [one for one in found.values() if one.taken or plan is None]


def _texts(data: object) -> Iterator[str]:
    """All texts in a structure."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, Iterable):
        for value in data:
            yield from _texts(value)
