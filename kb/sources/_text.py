"""Bytes of an input file as text, with a fault that says where and why when they are none."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from kb.errors import Fault

__all__ = ["clipped", "decode", "megabytes", "printable", "read_bytes", "unstorable"]

# UTF-32 first: its little-endian mark starts with UTF-16's.
_FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Lone surrogates have no UTF-8 form; the others have none in XML, so no RDF/XML export could hold them.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def printable(name: str) -> str:
    r"""A file name for messages: bytes that are no UTF-8 appear as `\xNN`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def clipped(text: str, most: int = 80) -> str:
    """A text from a file for messages, in quotes; what goes on for pages is cut."""
    return repr(text if len(text) <= most else text[:most] + "…")


def megabytes(size: int) -> str:
    """A size in bytes as people say it."""
    return f"{size / 1_000_000:.1f} MB".replace(".0 MB", " MB")


def unstorable(text: str) -> str | None:
    """The first character of `text` that no RDF file could hold, as U+XXXX; None where there is none."""
    found = _UNSTORABLE.search(text)
    return None if found is None else f"U+{ord(found.group()):04X}"


def read_bytes(path: Path, shown: str, limit: int, what: str) -> bytes | Fault:
    """The bytes of a file. Never takes in more than `limit` + 1 of them, however large the file is."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as err:
        return Fault(shown, None, f"cannot be read: {err.strerror or err}; check its permissions, or remove it")
    if len(data) > limit:
        return Fault(shown, None, f"is over {megabytes(limit)}, the most that is read of one {what}; split it")
    return data


def decode(data: bytes, shown: str) -> str | Fault:
    """UTF-8 with or without byte order mark as text, line ends as they are."""
    for mark, encoding in _FOREIGN_MARKS:
        if data.startswith(mark):
            return Fault(shown, 1, f"is {encoding}; save it as UTF-8")
    zero = data.find(b"\x00")
    if zero >= 0:
        return Fault(
            shown,
            data.count(b"\n", 0, zero) + 1,
            f"is binary (byte {zero} is zero); save it as UTF-8 text, or remove it",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        # The codec counts from behind the byte order mark.
        at = err.start + (3 if data.startswith(codecs.BOM_UTF8) else 0)
        return Fault(
            shown, data.count(b"\n", 0, at) + 1, f"is not UTF-8 (byte {at} is 0x{data[at]:02X}); save it as UTF-8"
        )
