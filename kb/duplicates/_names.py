"""Entities of one type whose names are equal, shared or nearly equal, found without comparing all with all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from itertools import combinations, pairwise

from kb.index.differences import contradict
from kb.model import Entity
from kb.names import normalised

__all__ = ["Alike", "alike_names"]

_CUTOFF = 0.85
_WORD_CUTOFF = 0.78
_SHORTEST = 5
_LONGEST = 80
_PREFIX = 5
_WINDOW = 6
_ALL_PAIRS = 8
_DIGITS = re.compile(r"\d+")

Alike = tuple[str, str, str, float]
"""(id, id, why, ratio of the names that are alike)."""
_Named = dict[str, dict[str, tuple[str, bool]]]
"""Normalised name -> id of an entity -> (the name as written, whether it is an alias)."""


def alike_names(entities: Iterable[Entity]) -> list[Alike]:
    """Pairs of entities of one type with the same or nearly the same name; every pair once, the clearest reason."""
    by_type: dict[str, _Named] = {}
    for entity in entities:
        named = by_type.setdefault(entity.type, {})
        for number, name in enumerate((entity.name, *entity.aliases)):
            if key := normalised(name):
                named.setdefault(key, {}).setdefault(entity.id, (name, number > 0))
    found: dict[tuple[str, str], Alike] = {}
    for named in by_type.values():
        for one, two, why, ratio in (*_same(named), *_squeezed(named), *_near(named)):
            pair = (one, two) if one < two else (two, one)
            if one != two and pair not in found:
                found[pair] = (*pair, why, ratio)
    return list(found.values())


def _same(named: _Named) -> Iterator[Alike]:
    for owners in named.values():
        for one, two in _pairs_among(sorted(owners)):
            (name, alias), (other, other_alias) = owners[one], owners[two]
            if alias and other_alias:
                yield one, two, f"both are also called {name!r}", 1.0
            elif alias or other_alias:
                first, second = (two, one) if alias else (one, two)
                yield one, two, f"{owners[first][0]!r} is the name of {first} and an alias of {second}", 1.0
            elif name == other:
                yield one, two, f"both are called {name!r}", 1.0
            else:
                yield one, two, f"{name!r} and {other!r} are the same name but for case and signs", 1.0


def _pairs_among(ids: list[str]) -> Iterable[tuple[str, str]]:
    """All pairs of a few; of many, each with the next one, which is enough to see them all."""
    return combinations(ids, 2) if len(ids) <= _ALL_PAIRS else pairwise(ids)


def _squeezed(named: _Named) -> Iterator[Alike]:
    """Names that differ in their spaces, or in the order of their words."""
    forms: tuple[tuple[Callable[[str], str], str], ...] = (
        (lambda key: key.replace(" ", ""), "are the same name but for spaces"),
        (lambda key: " ".join(sorted(key.split(" "))), "have the same words in another order"),
    )
    for form, said in forms:
        keys: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key in named:
            keys[(form(key), *_DIGITS.findall(key))].append(key)
        for group in keys.values():
            for one, two in _pairs_among(group):
                yield from _owners(named, one, two, said, 1.0)


def _owners(named: _Named, one: str, two: str, said: str, ratio: float) -> Iterator[Alike]:
    mine, other = sorted(named[one].items())[:_ALL_PAIRS], sorted(named[two].items())[:_ALL_PAIRS]
    for first, (name, _) in mine:
        for second, (other_name, _) in other:
            if first != second:
                yield first, second, f"{name!r} and {other_name!r} {said}", ratio


def _near(named: _Named) -> Iterator[Alike]:
    rated = []
    for one, two in _candidates(named):
        ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
        if ratio >= _CUTOFF and _alike_by_word(one, two):
            rated.append((-ratio, one, two))
    for negative, one, two in sorted(rated):
        yield from _owners(named, one, two, "are nearly the same name", round(-negative, 3))


def _candidates(named: _Named) -> set[tuple[str, str]]:
    """Names with the same digits that lack one letter of each other, or begin or end alike."""
    blocks: dict[tuple[str, ...], list[str]] = defaultdict(list)
    by_start: dict[tuple[str, ...], list[str]] = defaultdict(list)
    by_end: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in named:
        if not _SHORTEST <= len(key) <= _LONGEST:
            continue
        digits = tuple(_DIGITS.findall(key))
        by_start[(key[:_PREFIX], *digits)].append(key)
        by_end[(key[-_PREFIX:], *digits)].append(key[::-1])
        blocks[(key, *digits)].append(key)
        for at in range(len(key)):
            if not key[at].isdigit():
                blocks[(key[:at] + key[at + 1 :], *digits)].append(key)
    found: set[tuple[str, str]] = set()
    for keys in blocks.values():
        if len(keys) > 1:
            found.update(_ordered(one, two) for one, two in _pairs_among(sorted(set(keys))))
    for keys, turn in ((keys, turn) for table, turn in ((by_start, 1), (by_end, -1)) for keys in table.values()):
        keys.sort()
        for at, one in enumerate(keys):
            for two in keys[at + 1 : at + _WINDOW]:
                if _may_be_alike(one, two):
                    found.add(_ordered(one[::turn], two[::turn]))
    return found


def _ordered(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)


def _may_be_alike(one: str, two: str) -> bool:
    """Whether lengths and letters allow the ratio; cheaper than computing it."""
    both = len(one) + len(two)
    if 2 * min(len(one), len(two)) < _CUTOFF * both:
        return False
    return len(set(one) ^ set(two)) <= (1 - _CUTOFF) * both


def _alike_by_word(one: str, two: str) -> bool:
    """Whether each word resembles its partner: "db east" is not "db west", "inbound" is not "outbound"."""
    ours, theirs = one.split(" "), two.split(" ")
    if contradict(frozenset(ours), frozenset(theirs)):
        return False
    if len(ours) != len(theirs):
        # A word more makes another thing: "orders" and "orders eu".
        return False
    return all(
        a == b or (min(len(a), len(b)) > 2 and SequenceMatcher(None, a, b, autojunk=False).ratio() >= _WORD_CUTOFF)
        for a, b in zip(ours, theirs, strict=True)
    )
