"""What every SQLite file of ours needs that several processes write."""

from __future__ import annotations

import sqlite3
import time

__all__ = ["BUSY", "log_ahead"]

BUSY = 30.0
"""Seconds to wait for another process."""
_SHORT = 0.01


def log_ahead(connection: sqlite3.Connection) -> None:
    """Turns the write-ahead log on. Where another process does so at the same time, SQLite gives up without waiting."""
    end = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as err:
            if "locked" not in str(err) or time.monotonic() > end:
                raise
            time.sleep(_SHORT)
        else:
            return
