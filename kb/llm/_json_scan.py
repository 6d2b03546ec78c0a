"""Lists and objects in a text that is JSON more or less: with comments, other quotes, commas too many or too few.

One pass from left to right, without recursion: what was looked at is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Block", "blocks"]

_DEEPEST = 64
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_WORDS = {"true": True, "false": False, "True": True, "False": False}
_WORDS_FOR_NOTHING = frozenset(("null", "None", "NaN", "nan", "undefined", "Infinity", "inf"))
_CLOSING = {'"': '"', "'": "'", "“": '”“"', "„": '”“"', "‘": "’'"}
_PLAIN = {closing: re.compile(rf"[^\\{closing}]*") for closing in _CLOSING.values()}
_OPENING = re.compile(r"[\[{]")
_BLANK = re.compile(r"(?:[\s,]+|//[^\n]*|/\*.*?(?:\*/|\Z)|\.\.\.|…)*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
_COLON = re.compile(r"\s*[:=]\s*")
_HEX = re.compile(r"[uU]([0-9a-fA-F]{4})")
# What may follow a quote that closes; any other stands in the text that is quoted.
_KEY = r"(?:[\"'“„‘][\w .-]{1,60}[\"'”“’]|[A-Za-z_][\w-]{0,60})\s*:"
_REMARK = r"//|/\*"
_ANYTHING = re.compile("")
_AFTER_VALUE = re.compile(rf"\s*(?:[\]}}]|\Z|{_REMARK}|,\s*(?:[\"'“„‘}}]|\Z|{_REMARK}|{_KEY})|{_KEY})")
_AFTER_ITEM = re.compile(rf"\s*(?:\]|\Z|{_REMARK}|,|\n\s*[\"'\[{{])")
# The end of an item that is no JSON, before the next one or the end of the list.
_NEXT_ITEM = re.compile(r"\}(?=\s*(?:,\s*\{|\]|\{|\Z))")


@dataclass(frozen=True, slots=True)
class Block:
    """A list or an object. `end`: it is `whole`; `cut` where the text ends inside it; `broken` where it goes wrong.

    `partial` is the object in it that the text ends in. An item of a list that was no JSON is None.
    """

    value: Any
    end: str
    partial: dict[str, Any] | None = None


def blocks(text: str) -> Iterator[Block]:
    """Every list and object in a text, outermost ones only. Never raises; the time is linear in the text's length."""
    scan = _Scan(text)
    while (match := _OPENING.search(text, scan.at)) is not None:
        yield scan.block(match.start())


class _CutOffError(Exception):
    """The text ends inside a value."""


class _WrongError(Exception):
    """No JSON from here on."""


class _Scan:
    """Reads one block after the other; `at` is the place behind the last."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.open: list[Any] = []
        self.keys: list[str | None] = []  # of each open object, the key whose value is awaited
        self.root: Any = None
        self.more_items = True

    def block(self, at: int) -> Block:
        self.at, self.open, self.keys = at, [], []
        self.enter()
        while self.open:
            try:
                self.step()
            except _CutOffError:
                inmost = self.open[-1]
                self.at = len(self.text)
                return Block(self.root, "cut", inmost if isinstance(inmost, dict) else None)
            except _WrongError:
                if not self.skip_item():
                    return Block(self.root, "broken", self.open[-1] if isinstance(self.open[-1], dict) else None)
        return Block(self.root, "whole")

    def step(self) -> None:
        """Reads one value, with its key in an object; or the end of what is open."""
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        self.at = blank.end()
        if self.at >= len(self.text):
            raise _CutOffError
        mark, inmost = self.text[self.at], self.open[-1]
        if mark in "]}":
            self.leave(list if mark == "]" else dict)
            return
        if isinstance(inmost, dict):
            self.keys[-1] = None
            self.keys[-1] = self.key(mark)
            mark = self.text[self.at]
        if mark in "[{":
            self.enter()
        else:
            self.put(self.scalar(mark))

    def enter(self) -> None:
        if len(self.open) >= _DEEPEST:
            raise _WrongError
        made: Any = [] if self.text[self.at] == "[" else {}
        self.at += 1
        if self.open:
            self.put(made)
        else:
            self.root = made
        self.open.append(made)
        self.keys.append(None)

    def leave(self, kind: type) -> None:
        """Closes the inmost list or object, and what is in it and should have been closed before."""
        depth = next((i for i in range(len(self.open) - 1, -1, -1) if isinstance(self.open[i], kind)), None)
        if depth is None:
            raise _WrongError
        self.at += 1
        del self.open[depth:], self.keys[depth:]

    def put(self, value: Any) -> None:
        inmost = self.open[-1]
        if isinstance(inmost, list):
            inmost.append(value)
        else:
            inmost[self.keys[-1]] = value

    def skip_item(self) -> bool:
        """Goes on behind an item that is no JSON; False where no item of a list is open."""
        depth = next((i for i in range(len(self.open) - 2, -1, -1) if isinstance(self.open[i], list)), None)
        if depth is None or not (self.open[depth + 1] or self.keys[depth + 1]):
            return False
        end = _NEXT_ITEM.search(self.text, self.at) if self.more_items else None
        if end is None:
            self.more_items = False
            return False
        self.at = end.end()
        self.open[depth][-1] = None
        del self.open[depth + 1 :], self.keys[depth + 1 :]
        return True

    # -- what stands for itself --------------------------------------------------

    def key(self, mark: str) -> str:
        """The key, and the place behind its colon."""
        if mark in _CLOSING:
            found = self.string(mark, _ANYTHING)
        elif (match := _WORD.match(self.text, self.at)) is not None:
            found, self.at = match.group(), match.end()
        else:
            raise _WrongError
        colon = _COLON.match(self.text, self.at)
        if colon is None:
            if self.at >= len(self.text):
                raise _CutOffError
            raise _WrongError
        self.at = colon.end()
        if self.at >= len(self.text):
            raise _CutOffError
        return found

    def scalar(self, mark: str) -> Any:
        if mark in _CLOSING:
            return self.string(mark, _AFTER_ITEM if isinstance(self.open[-1], list) else _AFTER_VALUE)
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            return _number(match.group())
        match = _WORD.match(self.text, self.at)
        if match is not None and match.end() == len(self.text):
            raise _CutOffError
        if match is None or not (match.group() in _WORDS or match.group() in _WORDS_FOR_NOTHING):
            raise _WrongError
        self.at = match.end()
        return _WORDS.get(match.group())

    def string(self, mark: str, after: re.Pattern[str]) -> str:
        """The text in quotes. A quote inside it that should have been escaped is seen by what follows it."""
        text, parts, at, closing = self.text, list[str](), self.at + 1, _CLOSING[mark]
        plain = _PLAIN[closing]
        while True:
            match = plain.match(text, at)
            assert match is not None
            parts.append(match.group())
            at = match.end()
            if at >= len(text):
                raise _CutOffError
            if text[at] != "\\":
                if after.match(text, at + 1):
                    self.at = at + 1
                    return "".join(parts)
                parts.append(text[at])
                at += 1
            elif at + 1 >= len(text):
                raise _CutOffError
            else:
                said, at = _escaped(text, at + 1)
                parts.append(said)


def _escaped(text: str, at: int) -> tuple[str, int]:
    """What follows a backslash, and the place behind it."""
    code = _HEX.match(text, at)
    if code is None:
        # An escape that JSON does not know, as in a regular expression, means itself.
        return _ESCAPES.get(text[at], "\\" + text[at]), at + 1
    value = int(code.group(1), 16)
    if 0xD800 <= value < 0xDC00 and (low := _HEX.match(text, code.end() + 1)) and text[code.end()] == "\\":
        second = int(low.group(1), 16)
        if 0xDC00 <= second < 0xE000:
            return chr(0x10000 + ((value - 0xD800) << 10) + (second - 0xDC00)), low.end()
    return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value), code.end()


def _number(text: str) -> int | float:
    if len(text) <= 30 and text.lstrip("+-").isdecimal():
        return int(text)
    return float(text)
