"""JSON as language models give it: fenced, after a sentence, cut off, with a comma too many.

Nothing here raises on any text, and the time is linear in its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from kb.llm._json_scan import Block, blocks

__all__ = ["Items", "json_items", "json_object"]

_MOST = 2_000_000
_NESTED = 4
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Items:
    """What was found. `found` is false where the text has no list and no item at all.

    `complete` is false where it was cut off: the `items` before the cut are whole. An item that was no JSON is None.
    """

    items: list[Any]
    found: bool = True
    complete: bool = True


def json_items(text: str, keys: Collection[str]) -> Items:
    """The items of the list in a text: objects with at least half of `keys`, whatever else stands among them.

    The list may stand by itself or inside of objects; objects one after the other are a list too, and so is a single
    one. Several lists are one, in their order.
    """
    wanted = frozenset(key.casefold() for key in keys)
    items: list[Any] = []
    found, complete = False, len(text) <= _MOST
    for block in _blocks(text):
        lists = list(_lists(block.value, wanted, _NESTED))
        if block.end != "whole":
            if not _begun(block):
                continue
            complete = complete and block.end == "broken" and not lists
        for one in lists:
            found = True
            items += (item for item in one if item is None or item is not block.partial)
    return Items(items, complete=complete) if found else Items([], found=False, complete=False)


def json_object(text: str, keys: Collection[str] = ()) -> tuple[dict[str, Any] | None, bool]:
    """(the first object in a text, whether it is whole); (None, False) where there is none.

    An object with any of `keys` is preferred to one without.
    """
    first: tuple[dict[str, Any] | None, bool] = (None, False)
    for block in _blocks(text):
        value = block.value
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict) and (value or block.end == "whole"):
            if not keys or not set(keys).isdisjoint(value):
                return value, block.end == "whole"
            if first[0] is None:
                first = value, block.end == "whole"
    return first


def _blocks(text: str) -> Iterator[Block]:
    cut = len(text) > _MOST
    text = text[:_MOST]
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    if not cut and not _SURROGATE_ESCAPE.search(text):
        try:
            # Nearly every reply is plain JSON, which the library reads faster than anything here.
            value = json.loads(text, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            pass
        else:
            if isinstance(value, list | dict):
                yield Block(value, "whole")
            return
    yield from blocks(text)


def _begun(block: Block) -> bool:
    """Whether a block that does not end was one of JSON: a bracket in a sentence is none."""
    value = block.value
    if isinstance(value, dict):
        return bool(value) or block.end == "cut"
    return any(isinstance(one, dict) for one in value)


def _lists(value: Any, wanted: frozenset[str], depth: int) -> Iterator[list[Any]]:
    """The lists of items in a value; an empty list or object may be one of no items."""
    if isinstance(value, dict):
        if _is_item(value, wanted):
            yield [value]
        elif not value:
            yield []
        elif depth:
            for inner in value.values():
                if isinstance(inner, list | dict) or (inner is None and len(value) == 1):
                    yield from _lists(inner, wanted, depth - 1)
    elif value is None or not value:
        yield []
    elif any(isinstance(one, dict) and _is_item(one, wanted) for one in value):
        yield value
    elif depth:
        for inner in value:
            if isinstance(inner, list | dict):
                yield from _lists(inner, wanted, depth - 1)


def _is_item(value: dict[Any, Any], wanted: frozenset[str]) -> bool:
    found = sum(str(key).casefold() in wanted for key in value)
    return found >= max(1, len(wanted) // 2)
