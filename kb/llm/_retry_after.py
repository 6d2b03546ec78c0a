"""Retry-After, in the three forms in which endpoints send it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["LONGEST_WAIT", "retry_after"]

LONGEST_WAIT = 120.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, at least 0; None where the endpoint asks for nothing that can be understood."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name, ""), scale)
        if seconds is not None:
            return seconds
    return None


def _seconds(text: str, scale: float) -> float | None:
    try:
        seconds = float(text) / scale
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
