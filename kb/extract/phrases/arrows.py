"""Arrows between names in lists and plain text: "Heron -> Auth, Ledger", where the page says what an arrow means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb.extract.phrases.context import Ref
from kb.extract.phrases.denials import SENTENCE_OUT
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.lexicon import Sense
from kb.extract.phrases.tokens import Tokens
from kb.extract.phrases.values import value_names
from kb.sources.inline import flatten
from kb.sources.markdown import Block

__all__ = ["ArrowReader"]

_ARROW = re.compile(r"\s{0,20}(?:(?<![<-])-{1,3}>|(?<!<)=>|[→⟶➜➔⇒])\s*")
_PLAIN = ("", "text", "txt", "plain", "plaintext")


class ArrowReader:
    """Reads lines of names with arrows between them."""

    def __init__(self, tokens: Tokens, facts: Facts) -> None:
        self.tokens = tokens
        self.facts = facts

    def present(self, text: str) -> bool:
        """Whether every line of a text holds an arrow."""
        return bool(text.strip()) and all(_ARROW.search(line) for line in text.strip().split("\n"))

    def read(self, text: str, senses: Sequence[Sense]) -> list[Edge]:
        """Read one line; none of it if one of its parts is no name."""
        parts = [self._names(part) for part in _ARROW.split(text)]
        if not senses or len(parts) < 2 or not all(parts) or SENTENCE_OUT.search(text):
            return []
        return [edge for left, right in pairwise(parts) for edge in self.facts.edges(left, senses, right)]

    def block(self, page: str, block: Block, senses: Sequence[Sense]) -> Iterator[tuple[Edge, int, int]]:
        """Read a fenced block of such lines: (edge, start, end of its line in the page)."""
        if block.info not in _PLAIN or not senses or len(block.literal) > 20_000 or not self.present(block.literal):
            return
        at = block.start
        for line in page[block.start : block.end].split("\n"):
            body = line.strip()
            left = at + len(line) - len(line.lstrip())
            at += len(line) + 1
            if _ARROW.search(body):
                for edge in self.read(body, senses):
                    yield edge, left, left + len(body)

    def _names(self, part: str) -> list[Ref]:
        inline = flatten(part, [(0, len(part))])
        return value_names(self.tokens.sentences(inline, value=True), inline.text)
