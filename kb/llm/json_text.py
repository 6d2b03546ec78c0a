"""JSON as language models give it: fenced, after a sentence, cut off, with a comma too many.

Nothing here raises on any text, and the time is linear in its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Items", "json_items", "json_object"]

_MOST = 2_000_000
_DEEPEST = 64
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None, "NaN": None}
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?(?:[eE][-+]?\d{1,3})?")
_BLANK = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_PLAIN = re.compile(r'[^"\\]*')
_HEX = re.compile(r"[0-9a-fA-F]{4}")


@dataclass(frozen=True, slots=True)
class Items:
    """What was found. `found` is false where the text has no list and no item at all.

    `complete` is false where it was cut off: the `items` before the cut are whole.
    """

    items: list[Any]
    found: bool = True
    complete: bool = True


class _CutOffError(Exception):
    """The text ends inside a value. What was complete of the value so far stands in `value`."""

    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


class _WrongError(Exception):
    """No JSON from here on. `value` is what came before, when that is a list or an object."""

    def __init__(self, at: int, value: Any = None) -> None:
        self.at, self.value = at, value
        super().__init__()


def json_items(text: str, keys: Collection[str]) -> Items:
    """The objects of the list in a text: one with any of `keys` is what is looked for.

    The list may stand by itself or under any key of an object; objects one after the other are a list too, and so is a
    single one. Of several lists the first with an object that has one of the keys is taken, else an empty one.
    """
    wanted = frozenset(keys)
    empty: Items | None = None
    loose: list[Any] = []
    for value, complete in _values(text):
        for candidate in _lists(value, wanted):
            if any(isinstance(one, dict) and not wanted.isdisjoint(one) for one in candidate):
                return Items(candidate, complete=complete)
            if not candidate and empty is None:
                empty = Items([], complete=complete)
        if isinstance(value, dict) and not wanted.isdisjoint(value):
            loose.append(value)
            if not complete:
                return Items(loose[:-1], complete=False)
    if loose:
        return Items(loose)
    return empty if empty is not None else Items([], found=False, complete=False)


def json_object(text: str, keys: Collection[str] = ()) -> tuple[dict[str, Any] | None, bool]:
    """(the first object in a text, whether it is whole); (None, False) where there is none.

    An object with any of `keys` is preferred to one without.
    """
    first: tuple[dict[str, Any] | None, bool] = (None, False)
    for value, complete in _values(text):
        if isinstance(value, dict):
            if not keys or not set(keys).isdisjoint(value):
                return value, complete
            if first[0] is None:
                first = value, complete
    return first


def _lists(value: Any, keys: frozenset[str]) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    elif isinstance(value, dict) and keys.isdisjoint(value):
        for inner in value.values():
            if isinstance(inner, list):
                yield inner
            elif isinstance(inner, dict):
                yield from (one for one in inner.values() if isinstance(one, list))


def _values(text: str) -> Iterator[tuple[Any, bool]]:
    """(value, complete) of every list and object in a text, outermost ones only."""
    text = text[:_MOST]
    try:
        # Nearly every reply is plain JSON, which the library reads faster than anything here.
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        pass
    else:
        yield value, True
        return
    position, length = 0, len(text)
    opening = re.compile(r"[\[{]")
    failures = 0
    while position < length and (match := opening.search(text, position)):
        try:
            value, position = _Parser(text).value(match.start(), 0)
        except _CutOffError as err:
            yield err.value, False
            return
        except _WrongError as err:
            if err.value:
                yield err.value, False
            # What was passed over was looked at once; only text that was not is looked at again.
            position = max(match.start() + 1, err.at if err.value else match.start() + 1)
            failures += 1
            if failures > _DEEPEST:
                return
            continue
        yield value, True


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """(value, place behind it)."""
        text = self.text
        if at >= len(text):
            raise _CutOffError(None)
        mark = text[at]
        if mark == '"':
            return self.string(at)
        if mark in "[{":
            if depth >= _DEEPEST:
                raise _WrongError(at)
            return self.list(at, depth) if mark == "[" else self.object(at, depth)
        if match := _NUMBER.match(text, at):
            return json.loads(match.group()), match.end()
        if (match := _WORD.match(text, at)) and match.group() in _WORDS:
            return _WORDS[match.group()], match.end()
        if match is not None and match.end() == len(text):
            raise _CutOffError(None)
        raise _WrongError(at)

    def blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        assert match is not None
        return match.end()

    def list(self, at: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        at = self.blank(at + 1)
        while True:
            if at >= len(self.text):
                raise _CutOffError(found)
            if self.text[at] == "]":
                return found, at + 1
            if self.text[at] == ",":
                at = self.blank(at + 1)
                continue
            try:
                value, at = self.value(at, depth + 1)
            except _CutOffError:
                raise _CutOffError(found) from None
            except _WrongError as err:
                raise _WrongError(err.at, found) from None
            found.append(value)
            at = self.blank(at)

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        at = self.blank(at + 1)
        while True:
            if at >= len(self.text):
                raise _CutOffError(found)
            if self.text[at] == "}":
                return found, at + 1
            if self.text[at] == ",":
                at = self.blank(at + 1)
                continue
            key: Any = None
            try:
                key, at = self.key(at)
                found[key], at = self.value(self.colon(at), depth + 1)
            except _CutOffError as err:
                # Of a list or object that is cut off, what is whole is worth having; of a word nothing is.
                if isinstance(err.value, list | dict) and key is not None:
                    found[key] = err.value
                raise _CutOffError(found) from None
            except _WrongError as err:
                if isinstance(err.value, list | dict) and key is not None:
                    found[key] = err.value
                raise _WrongError(err.at, found) from None
            at = self.blank(at)

    def key(self, at: int) -> tuple[str, int]:
        if self.text[at] == '"':
            return self.string(at)
        if match := _WORD.match(self.text, at):
            return match.group(), match.end()
        raise _WrongError(at)

    def colon(self, at: int) -> int:
        """The place behind a colon and the blanks around it."""
        at = self.blank(at)
        if at >= len(self.text):
            raise _CutOffError(None)
        if self.text[at] != ":":
            raise _WrongError(at)
        return self.blank(at + 1)

    def string(self, at: int) -> tuple[str, int]:
        text, parts = self.text, []
        at += 1
        while True:
            match = _PLAIN.match(text, at)
            assert match is not None
            parts.append(match.group())
            at = match.end()
            if at >= len(text):
                raise _CutOffError(None)
            if text[at] == '"':
                return "".join(parts), at + 1
            escape = text[at + 1 : at + 2]
            if not escape:
                raise _CutOffError(None)
            if escape == "u" and (code := _HEX.match(text, at + 2)):
                parts.append(chr(int(code.group(), 16)))
                at += 6
            else:
                # An escape that JSON does not know, as in a regular expression, means itself.
                parts.append(_ESCAPES.get(escape, "\\" + escape))
                at += 2
