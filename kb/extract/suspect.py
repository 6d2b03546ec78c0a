"""Where a page says what no fact should rest on, however a reader takes it: commands to programs, and hidden text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.extract.phrases.addresses import addressed
from kb.extract.phrases.screening import HIDING, poisoned
from kb.model import Evidence
from kb.sources.markdown import Document, parse_markdown

__all__ = ["Suspect", "suspect_spans", "suspicion"]

# A comment that never ends is one to the end of the page where it begins a block, and text anywhere else.
_UNSEEN = re.compile(
    r"<!--(?:-?>|.*?-->)|^ {0,3}<!--.*\Z"
    r"|<(?P<tag>script|style|template)\b.*?(?:</(?P=tag)\s*>|\Z)"
    rf"|<[A-Za-z][\w-]*\b[^<>]*{HIDING}[^<]*"
    r"|<\?.*?\?>|^ {0,3}\[[^\]\n]{1,200}\]:[^\n]*|<[A-Za-z/][^<>\n]{0,1000}>",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,1000}~~|<(?P<tag>del|s|strike)>.*?</(?P=tag)>", re.DOTALL | re.IGNORECASE)
# What ends a span, and what begins one. A comment that begins a block needs no end.
_ENDS = (
    (re.compile("-->"), re.compile(r"(?P<rest>^ {0,3}<!--.*\Z)|<!--", re.DOTALL | re.MULTILINE)),
    (re.compile(r"\?>"), re.compile(r"<\?")),
)
_STRUCK_ENDS = tuple(
    (re.compile(f"</{tag}>", re.IGNORECASE), re.compile(f"<{tag}>", re.IGNORECASE)) for tag in ("del", "s", "strike")
)
_CODE = re.compile(r"`[^`\n]{1,400}`")
_COMMANDS = "the quote stands in text that tells whatever program reads it what to take down"
_HIDDEN = "the quote stands in a comment or a tag, which nobody who reads the page gets to see"
_CROSSED = "the quote is struck out"

Suspect = tuple[int, int, str]
"""(start, end, why) of a part of a page."""


def suspect_spans(text: str) -> list[Suspect]:
    """The parts of a page whose statements are not taken as facts, in order of place.

    They are found by their wording, so a plain false sentence is not among them.
    """
    document = parse_markdown(text)
    blocks = [document.blocks[index] for index in sorted(poisoned(document, text))]
    blocks += [block for block in document.blocks if block.kind == "code" and addressed(text[block.start : block.end])]
    found = [(block.start, block.end, _COMMANDS) for block in blocks]
    if document.front and addressed(text[: document.front[-1].end]):
        found.append((0, document.front[-1].end, _COMMANDS))
    seen = _without_code(text, document)
    found += [(match.start(), match.end(), _HIDDEN) for match in _UNSEEN.finditer(_ended(seen, _ENDS))]
    found += [(match.start(), match.end(), _CROSSED) for match in _STRUCK.finditer(_ended(seen, _STRUCK_ENDS))]
    return sorted(found)


def _without_code(text: str, document: Document) -> str:
    """The text with blanks in the place of code, in which marks mean themselves; of the same length."""
    parts = list(text)
    for block in document.blocks:
        if block.kind == "code":
            parts[block.start : block.end] = " " * (block.end - block.start)
    for match in _CODE.finditer(text):
        parts[match.start() : match.end()] = " " * (match.end() - match.start())
    return "".join(parts)


def _ended(text: str, ends: Sequence[tuple[re.Pattern[str], re.Pattern[str]]]) -> str:
    """The text with openers that nothing ends made unreadable; of the same length.

    To look for its end from every one of them would cost the square of the text's length.
    """
    for closer, opener in ends:
        last = max((match.end() for match in closer.finditer(text)), default=0)
        parts, position = [], 0
        for match in opener.finditer(text, last):
            if match.groupdict().get("rest"):
                break
            parts += [text[position : match.start() + 1], "\0"]
            position = match.start() + 2
        text = "".join([*parts, text[position:]])
    return text


def suspicion(evidence: Evidence, spans: Sequence[Suspect]) -> str | None:
    """Why a statement with this evidence is not to be taken; None where nothing is wrong with its place."""
    return next((why for start, end, why in spans if evidence.start < end and start < evidence.end), None)
