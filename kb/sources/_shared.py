"""Names that several entities of a catalogue share: whoever writes one of them has not said which is meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb.errors import Fault
from kb.model import Entity
from kb.names import normalised
from kb.sources._collect import Place
from kb.sources._text import clipped

__all__ = ["shared_name_warnings"]

_SHOWN = 5


def shared_name_warnings(
    entities: Mapping[str, Entity], places: Mapping[str, Place], spelt: Mapping[tuple[str, str], Place]
) -> list[Fault]:
    """A warning for each name that means several entities, in the order of the catalogue.

    `places` say where entities stand, `spelt` where (entity, name) does. Names are compared as pages' are. Where no
    line of its own gives the name (Backstage, whose kinds share names as a rule), many become one warning.
    """
    owners: dict[str, dict[str, str]] = {}
    for entity in entities.values():
        for name in (entity.id, entity.name, *entity.aliases):
            key = normalised(name)
            if key:
                owners.setdefault(key, {}).setdefault(entity.id, name)
    shared = [called for called in owners.values() if len(called) > 1]
    written = [called for called in shared if any((one, name) in spelt for one, name in called.items())]
    others = [called for called in shared if called not in written]
    warnings = [_warning(called, entities, places, spelt) for called in written]
    if len(others) <= _SHOWN:
        return [*warnings, *(_warning(called, entities, places, spelt) for called in others)]
    first = places[next(iter(others[0]))]
    named = "; ".join(f"{clipped(next(iter(one.values())))} of {_listed(one, places)}" for one in others[:_SHOWN])
    message = (
        f"{len(others):,} names are those of several entities: statements that use them are ambiguous where the "
        f"relation does not tell which is meant ({named}; and {len(others) - _SHOWN:,} more)"
    )
    return [*warnings, Fault(first.file, first.line, message)]


def _warning(
    called: Mapping[str, str],
    entities: Mapping[str, Entity],
    places: Mapping[str, Place],
    spelt: Mapping[tuple[str, str], Place],
) -> Fault:
    """One shared name; it is told of the entity that least needs it, since that one is easiest to rename."""
    ranked = sorted(called, key=lambda one: _weight(entities[one], called[one]))
    teller = ranked[-1]
    name, rest = called[teller], [one for one in called if one != teller]
    place = spelt.get((teller, name), places[teller])
    what = ("the id", "the name", "an alias")[_weight(entities[teller], name)]
    return Fault(
        place.file,
        place.line,
        f"{clipped(name)}, {what} of {teller}, also names {_listed(rest, places)}: statements that use it are "
        "ambiguous where the relation does not tell which is meant; rename one",
    )


def _weight(entity: Entity, name: str) -> int:
    return 0 if name == entity.id else 1 if name == entity.name else 2


def _listed(ids: Iterable[str], places: Mapping[str, Place]) -> str:
    found = [f"{one} ({places[one]})" for one in ids]
    more = len(found) - _SHOWN
    return " and ".join(found[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
