"""SPARQL text as tokens, with line and column: for messages about a query, and for putting parameters into one.

Follows the terminals of https://www.w3.org/TR/sparql11-query/#sparqlGrammar. Nothing here decides whether a query is
safe to run: the engine's own parser does (`kb.graph.guard`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Token", "place", "tokens"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query.

    `kind`: comment, string, iri, variable, name (a prefixed name), word, number, space, other, or broken (a string
    without an end, up to the end of the text).
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next token starts."""
        return self.start + len(self.text)


_LOCAL = r"(?:[\w:\-·]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]|\.(?=[\w:\-·.%\\]))*"
_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\r\n]*)
  | (?P<string>\"\"\"(?:\"{0,2}(?:[^\"\\]|\\.))*\"\"\" | '''(?:'{0,2}(?:[^'\\]|\\.))*'''
      | \"(?!\"\")(?:[^\"\\\r\n]|\\.)*\" | '(?!'')(?:[^'\\\r\n]|\\.)*')
  | (?P<broken>[\"'])
  | (?P<iri><[^<>\"{}|^`\\\x00-\x20]*>)
  | (?P<variable>[?$]\w+)
  | (?P<name>(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?:"""
    + _LOCAL
    + r"""|_:\w(?:[\w.\-]*[\w\-])?)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
  | (?P<word>@?[^\W\d]\w*)
  | (?P<space>\s+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> Iterator[Token]:
    """All of `text`, in order: joined again, the tokens give it back."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "broken":
            # What follows an open quote is all inside the string; looking for its end again and again would be slow.
            yield Token("broken", text[match.start() :], match.start())
            return
        yield Token(match.lastgroup or "other", match.group(), match.start())


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both counted from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1
