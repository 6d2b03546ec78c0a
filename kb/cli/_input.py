"""Text that a user hands over in a file or on standard input."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["read_text"]


def read_text(name: str) -> str:
    """The text of a file, or of standard input for `-`. Bytes that are not UTF-8 are wrong usage."""
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        what = "Standard input" if name == "-" else name
        raise click.UsageError(f"{what} is not UTF-8 text: byte {err.start} is {data[err.start]:#04x}.") from err
