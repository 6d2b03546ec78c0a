"""What catalogue files say, gathered first and joined afterwards: an entity may be named before it is defined."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.errors import Fault
from kb.model import Entity, Statement
from kb.names import snake_case
from kb.sources._text import clipped

__all__ = ["Gathered", "Link", "Place", "meant"]

_PLACES_NAMED = 5
_ALIKE = 0.75
_HINTS = 50
# A hint compares a name with every id. Past so many, the catalogue is not mistyped but incomplete.


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands. `line` counts from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from an entity to another.

    `ids` are the entities that the text may mean, the likeliest first; the one that exists is meant. `backwards` says
    that the field reads from object to subject.
    """

    entity: str
    field: str
    relation: str
    backwards: bool
    ids: tuple[str, ...]
    place: Place


@dataclass(slots=True)
class Gathered:
    """The catalogue while its files are read."""

    entities: dict[str, Entity] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    repeated: dict[tuple[str, str], list[Place]] = field(default_factory=dict)
    spelt: dict[tuple[str, str], Place] = field(default_factory=dict)
    """(entity, name or alias) -> the line that gives it, where a line does."""
    closing: list[Fault] = field(default_factory=list)
    """What is told once, after everything else."""

    def fault(self, place: Place, message: str) -> None:
        """Something that stops the import."""
        self.faults.append(Fault(place.file, place.line, message))

    def warn(self, place: Place, message: str) -> None:
        """Something that is left out."""
        self.warnings.append(Fault(place.file, place.line, message))

    def note(self, what: str, advice: str, place: Place) -> None:
        """A warning that many places may share; it is given once, with its places."""
        self.repeated.setdefault((what, advice), []).append(place)

    def add(self, entity: Entity, place: Place) -> None:
        """Takes in an entity whose id is not taken."""
        self.entities[entity.id] = entity
        self.places[entity.id] = place

    def statements(self) -> tuple[Statement, ...]:
        """Links whose ends exist, each once per file; the others become warnings."""
        found: dict[Statement, None] = {}
        in_field: set[tuple[str, str, str, str]] = set()
        dangling: dict[str, list[Link]] = {}
        for link in self.links:
            there = [one for one in link.ids if one in self.entities]
            if len(there) > 1:
                names = ", ".join(there)
                self.warn(link.place, f"{link.field} of {clipped(link.entity)} may mean {names}; left out, write which")
                continue
            target = there[0] if there else link.ids[0]
            if (link.entity, link.field, link.relation, target) in in_field:
                self.warn(
                    link.place,
                    f"{link.field} of {clipped(link.entity)} names {clipped(target)} more than once; keep one",
                )
                continue
            in_field.add((link.entity, link.field, link.relation, target))
            if not there:
                dangling.setdefault(target, []).append(link)
                continue
            subject, object_ = (target, link.entity) if link.backwards else (link.entity, target)
            found[Statement(subject, link.relation, object_, link.place.file, from_page=False)] = None
        self.report_dangling(dangling)
        return tuple(found)

    def report_dangling(self, dangling: dict[str, list[Link]]) -> None:
        hints = len(dangling) <= _HINTS
        for target, links in dangling.items():
            close = self.closest(target) if hints else None
            hint = f"did you mean {clipped(close)}? Otherwise add it" if close else "add it, or remove the reference"
            named = places((f"{link.field} of {clipped(link.entity)}", link.place) for link in links)
            what = "the statement is" if len(links) == 1 else f"{len(links)} statements are"
            self.warn(
                links[0].place, f"{clipped(target)} is not in the catalogue, so {what} left out ({named}); {hint}"
            )

    def closest(self, target: str) -> str | None:
        """The id that was probably meant. What ids share before the last `/` makes none of them alike."""
        tail = target.rpartition("/")[2]
        for one in difflib.get_close_matches(target, self.entities, n=3, cutoff=0.8):
            if difflib.SequenceMatcher(None, tail, one.rpartition("/")[2]).ratio() >= _ALIKE:
                return one
        return None

    def all_warnings(self) -> tuple[Fault, ...]:
        """Every warning in the order of files and lines."""
        shared = [
            Fault(where[0].file, where[0].line, f"{what}{_also(where[1:])}; {advice}")
            for (what, advice), where in self.repeated.items()
        ]
        found = sorted([*self.warnings, *shared], key=lambda f: (f.file, f.line or 0, f.message))
        return (*found, *self.closing)


def places(named: Iterable[tuple[str, Place]]) -> str:
    """The first few of many places, and how many more there are."""
    every = [f"{what}, {place}" for what, place in named]
    more = len(every) - _PLACES_NAMED
    return "; ".join(every[:_PLACES_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _also(where: list[Place]) -> str:
    more = len(where) - _PLACES_NAMED
    named = ", ".join(str(place) for place in where[:_PLACES_NAMED])
    return "" if not where else f" (also {named}{f' and {more} more' if more > 0 else ''})"


def meant(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: what was probably meant, and all that is known."""
    names = sorted(known)
    close = difflib.get_close_matches(snake_case(word), names, n=1)
    hint = f"did you mean {clipped(close[0])}? " if close else ""
    return f"{hint}Known: {', '.join(names)}"
