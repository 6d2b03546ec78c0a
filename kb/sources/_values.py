"""Attribute values as the datatypes of XML Schema part 2 take them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal

from kb.namespaces import XSD
from kb.sources._text import clipped, unstorable
from kb.sources.yaml_files import Scalar

__all__ = ["Value", "attribute_value"]

Value = bool | int | float | str

# YAML 1.1's words; JSON has the first two of them only.
_BOOLEANS = {
    spelt: value
    for word, value in (("true", True), ("yes", True), ("on", True), ("false", False), ("no", False), ("off", False))
    for spelt in (word, word.capitalize(), word.upper())
}

_INT_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    **{name: (-(2**bits), 2**bits - 1) for name, bits in (("long", 63), ("int", 31), ("short", 15), ("byte", 7))},
    **{f"unsigned{name}": (0, 2**bits - 1) for name, bits in (("Long", 64), ("Int", 32), ("Short", 16), ("Byte", 8))},
}
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ZONE = r"(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)?"
_TEXT_FORMS = {
    "gYear": ("a year such as 2024", re.compile(rf"-?([1-9]\d{{3,}}|0\d{{3}}){_ZONE}", re.ASCII)),
    "gYearMonth": (
        "a month such as 2024-05",
        re.compile(rf"-?([1-9]\d{{3,}}|0\d{{3}})-(0[1-9]|1[0-2]){_ZONE}", re.ASCII),
    ),
    "gMonthDay": ("a day such as --05-31", re.compile(rf"--(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]){_ZONE}", re.ASCII)),
    "gMonth": ("a month such as --05", re.compile(rf"--(0[1-9]|1[0-2]){_ZONE}", re.ASCII)),
    "gDay": ("a day such as ---31", re.compile(rf"---(0[1-9]|[12]\d|3[01]){_ZONE}", re.ASCII)),
    "duration": (
        "a duration such as P1DT2H",
        re.compile(r"-?P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.ASCII),
    ),
    "anyURI": ("an address without spaces", re.compile(r"[^\x00-\x20<>\"{}|^`\\]*")),
}


def attribute_value(node: Scalar, datatype: str) -> Value:
    """The value of a scalar for an attribute of this datatype (an IRI).

    Booleans and numbers come as Python values, except those that a float cannot hold exactly or at all: these, dates
    and everything else come as their lexical form. Datatypes other than XML Schema's take any text. Raises ValueError
    saying what would be right.
    """
    bad = unstorable(node.text)
    if bad is not None:
        raise ValueError(f"must not hold the character {bad}")
    name = datatype.removeprefix(XSD)
    if name == "boolean":
        return _boolean(node)
    if name in _INT_BOUNDS or name in ("decimal", "double", "float"):
        return _number(node, name)
    text = node.text.strip()
    if name in _CALENDAR:
        return _calendar(text, name)
    if name in _TEXT_FORMS:
        form, pattern = _TEXT_FORMS[name]
        if not pattern.fullmatch(text):
            raise ValueError(f"must be {form}, not {clipped(node.text)}")
        return text
    return text


def _boolean(node: Scalar) -> bool:
    if node.plain and node.text in _BOOLEANS:
        return _BOOLEANS[node.text]
    # A quoted word is a text in both syntaxes.
    raise ValueError(
        f"must be true or false, not {clipped(node.text)}" if node.plain else "must be true or false, without quotes"
    )


def _number(node: Scalar, name: str) -> Value:
    text = node.text.strip()
    if not node.plain:
        raise ValueError(f"must be a number without quotes, not the text {clipped(node.text)}")
    if name in _INT_BOUNDS:
        # Python refuses to convert more digits than this at a time.
        if not _INTEGER.fullmatch(text) or len(text) > 4000:
            raise ValueError(f"must be a whole number, not {clipped(node.text)}")
        low, high = _INT_BOUNDS[name]
        number = int(text)
        if (low is not None and number < low) or (high is not None and number > high):
            limits = " and ".join([f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None))
            raise ValueError(f"must be {limits}, not {clipped(node.text)}")
        return number
    if name == "decimal":
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"must be a number such as 12.5, not {clipped(node.text)}")
        as_float = float(text)
        plain = repr(as_float)
        exact = _DECIMAL.fullmatch(plain) and Decimal(plain) == Decimal(text)
        return as_float if exact else text
    if text.lstrip("+-").lower() in (".inf", ".nan", "inf", "nan"):
        word = text.lstrip("+-.").lower()
        return "NaN" if word == "nan" else ("-INF" if text.startswith("-") else "INF")
    if not _DOUBLE.fullmatch(text):
        raise ValueError(f"must be a number such as 1.5e3, not {clipped(node.text)}")
    number_ = float(text)
    return number_ if number_ not in (float("inf"), float("-inf")) else ("INF" if number_ > 0 else "-INF")


_ZONE_AT_END = re.compile(r"(Z|[+-]\d\d:\d\d)$", re.ASCII)
_CALENDAR: dict[str, tuple[str, re.Pattern[str], Callable[[str], object]]] = {
    "date": (
        "a date such as 2024-05-31",
        re.compile(rf"\d{{4}}-\d\d-\d\d{_ZONE}", re.ASCII),
        lambda text: date.fromisoformat(_ZONE_AT_END.sub("", text)),
    ),
    "dateTime": (
        "a date and time such as 2024-05-31T10:00:00Z",
        re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?{_ZONE}", re.ASCII),
        lambda text: datetime.fromisoformat(text[:19]),
    ),
    "time": (
        "a time such as 10:00:00",
        re.compile(rf"\d\d:\d\d:\d\d(\.\d+)?{_ZONE}", re.ASCII),
        lambda text: time.fromisoformat(text[:8]),
    ),
}


def _calendar(text: str, name: str) -> str:
    form, pattern, check = _CALENDAR[name]
    if pattern.fullmatch(text):
        try:
            check(text)
        except ValueError:
            pass
        else:
            return text
    raise ValueError(f"must be {form}, not {clipped(text)}")
