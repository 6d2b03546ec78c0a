"""Words for messages about plans, and the values that conditions take."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from kb.ask.plan_model import Value
from kb.ask.plan_schema import INTEGERS, NUMBERS
from kb.errors import PlanError
from kb.vocabulary import Attribute, Vocabulary

__all__ = [
    "attribute_value",
    "is_list",
    "listed",
    "relation_names",
    "relations_in_words",
    "several",
    "shown",
    "suggest",
    "whole_text",
]


def attribute_value(attribute: Attribute, value: object, place: str) -> Value:
    """A value of the JSON type that the attribute's datatype calls for."""
    if attribute.boolean:
        if isinstance(value, bool):
            return value
        raise PlanError(f"{place}: must be true or false, not {shown(value)}", value)
    if attribute.datatype in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise PlanError(f"{place}: must be a number, not {shown(value)}", value)
        if not -(2**63) < value < 2**63:  # False for NaN, too.
            raise PlanError(f"{place}: is out of the range of numbers that can be stored", value)
        if attribute.datatype in INTEGERS and isinstance(value, float) and not value.is_integer():
            raise PlanError(f"{place}: must be a whole number, not {value!r}", value)
        return value
    if isinstance(value, int) and not isinstance(value, bool) and not attribute.datatype.endswith("#string"):
        return str(value)  # A year or the like, written without quotes.
    if isinstance(value, str):
        return whole_text(value, place)
    raise PlanError(f"{place}: must be text, not {shown(value)}", value)


def whole_text(value: str, place: str) -> str:
    """The text itself. Raises PlanError where it could not be written in UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as err:
        raise PlanError(f"{place}: holds half of a character (a lone surrogate)", value) from err
    return value


def several(data: object, place: str) -> tuple[Any, ...]:
    """The values of a condition, given alone or in a list; a text that comes twice counts once."""
    if not is_list(data):
        return (data,)
    values = list(cast("Sequence[Any]", data))
    if not values:
        raise PlanError(f"{place}: an empty list keeps nothing; leave it out, or write null for 'has none'", data)
    return tuple(dict.fromkeys(values) if all(isinstance(one, str) for one in values) else values)


def is_list(data: object) -> bool:
    """Whether it is a list in JSON."""
    return isinstance(data, Sequence) and not isinstance(data, (str, bytes))


def shown(value: object) -> str:
    """A value as JSON would call it, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "an object" if value else "an empty object"
    if is_list(value):
        return "a list" if value else "an empty list"
    if isinstance(value, int) and abs(value) >= 2**63:
        return "a very large number"  # Python refuses to write out some of these.
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: Iterable[str]) -> str:
    """Names in quotes with commas."""
    return ", ".join(f'"{name}"' for name in names)


def suggest(word: str, options: Iterable[str], *, several: bool = False) -> str:
    """The nearest of `options`, up to three with `several`, as a part of a sentence; empty where none is near."""
    folded = {option.casefold(): option for option in options}
    close = difflib.get_close_matches(word.casefold(), folded, n=3 if several else 1, cutoff=0.6)
    return f" (did you mean {' or '.join(repr(folded[one]) for one in close)}?)" if close else ""


def relation_names(vocabulary: Vocabulary) -> list[str]:
    """Relations, then inverses."""
    inverses = [r.inverse.name for r in vocabulary.relations.values() if r.inverse is not None]
    return [*vocabulary.relations, *inverses]


def relations_in_words(vocabulary: Vocabulary) -> str:
    """All relations with their inverses."""
    return ", ".join(
        f"{r.name} (backwards: {r.inverse.name})" if r.inverse else r.name for r in vocabulary.relations.values()
    )
