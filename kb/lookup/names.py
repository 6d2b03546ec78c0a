"""What people may call a node, and what to propose for a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.errors import UnknownNameError
from kb.names import normalised

__all__ = ["Name", "near_names", "unknown"]

_SHOWN = 6
_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a node, and what to write so that no other can be meant."""

    text: str
    node_id: str


def near_names(name: str, options: Iterable[Name]) -> list[str]:
    """What to write instead of a name that nothing has, most alike first: similar names, then those that hold it."""
    wanted = normalised(name)
    by_text: dict[str, dict[str, None]] = {}
    for one in options:
        by_text.setdefault(normalised(one.text), {})[one.node_id] = None
    alike = difflib.get_close_matches(wanted, by_text, n=_SHOWN, cutoff=_ALIKE)
    holding = sorted((text for text in by_text if len(wanted) > 2 and wanted in text), key=lambda one: (len(one), one))
    return list(dict.fromkeys(node_id for text in (*alike, *holding) for node_id in by_text[text]))[:_SHOWN]


def unknown(message: str, value: str, near: Sequence[str]) -> UnknownNameError:
    """The error for a name, with what to write instead."""
    shown = [repr(one) for one in near[:_SHOWN]]
    more = f" or {len(near) - _SHOWN} more" if len(near) > _SHOWN else ""
    if not shown:
        return UnknownNameError(message, value)
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
    if more:
        listed = f"{', '.join(shown)}{more}"
    return UnknownNameError(f"{message}; did you mean {listed}?", value, tuple(near))
