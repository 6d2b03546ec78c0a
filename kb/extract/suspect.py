"""Where a page says what no fact should rest on, however a reader takes it: commands to programs, and hidden text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.extract.phrases.screening import poisoned
from kb.model import Evidence
from kb.sources.markdown import parse_markdown

__all__ = ["Suspect", "suspect_spans", "suspicion"]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_COMMANDS = "the quote stands in text that tells whatever program reads it what to take down"
_HIDDEN = "the quote stands in a comment, which nobody who reads the page gets to see"

Suspect = tuple[int, int, str]
"""(start, end, why) of a part of a page."""


def suspect_spans(text: str) -> list[Suspect]:
    """The parts of a page whose statements are not taken as facts, in order of place.

    They are found by their wording, so a plain false sentence is not among them.
    """
    document = parse_markdown(text)
    blocks = [document.blocks[index] for index in sorted(poisoned(document, text))]
    found = [(block.start, block.end, _COMMANDS) for block in blocks]
    found += [(match.start(), match.end(), _HIDDEN) for match in _COMMENT.finditer(text)]
    return sorted(found)


def suspicion(evidence: Evidence, spans: Sequence[Suspect]) -> str | None:
    """Why a statement with this evidence is not to be taken; None where nothing is wrong with its place."""
    return next((why for start, end, why in spans if evidence.start < end and start < evidence.end), None)
