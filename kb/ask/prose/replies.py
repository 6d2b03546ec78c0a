"""A model's reply as claims, whatever it put around them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kb.ask.prose.checks import Written
from kb.llm.json_text import json_items

__all__ = ["claims_of"]

_MARK = re.compile(r"(?<!\s)\s{0,9}\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


def claims_of(text: str) -> tuple[list[Written], str]:
    """The claims of a reply, and what is wrong with its form, or "". Marks such as [2] in a claim's text are cites."""
    items = json_items(text, ("text", "cites"))
    if not items.found:
        return [], 'it holds no JSON list "claims"'
    if not items.complete:
        return [], "its JSON is cut off"
    found = [_claim(row) for row in items.items if isinstance(row, Mapping)]
    return found, "" if len(found) == len(items.items) else "a claim is no object"


def _claim(row: Mapping[str, Any]) -> Written:
    text = row.get("text")
    shown = text if isinstance(text, str) else ""
    given = row.get("cites")
    cites = [one for one in (given if isinstance(given, list) else []) if type(one) is int]
    for match in _MARK.finditer(shown):
        cites += [int(number) for number in match[1].split(",")]
    return Written(_MARK.sub("", shown).strip(), tuple(dict.fromkeys(cites)))
