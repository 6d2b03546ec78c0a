"""Places where only names are expected: after a key, in a table cell, at the head of a list item."""

from __future__ import annotations

from collections.abc import Sequence

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import PART_NOUNS, PREPOSITIONS, word_set
from kb.extract.phrases.denials import VALUE_OUT
from kb.extract.phrases.tokens import Sentence, Tok

__all__ = ["head_names", "value_names"]

_SEPARATORS = frozenset(",;/|+·•\n")
_LEADING = word_set("the a an our its both and also mainly only directly or plus team service currently now still")
_AFTER_NAME = (
    PREPOSITIONS
    | PART_NOUNS
    | word_set("which who where when and or as only too also because if etc every once team service")
)


def value_names(sentences: Sequence[Sentence], text: str) -> list[Ref]:
    """Read the names that a value consists of. Parts that are more than a name, or take it back, give none."""
    found: list[Ref] = []
    for sentence in sentences:
        for part in _parts(sentence.toks):
            found.extend(_part_names(part, text))
    return found


def head_names(toks: Sequence[Tok]) -> tuple[list[Ref], int]:
    """Read the names at the head of a list item: (the names, the index of the token after them)."""
    refs: list[Ref] = []
    i = end = 0
    while i < len(toks):
        while i < len(toks) and (toks[i].is_word(*_LEADING) or (toks[i].kind == "p" and toks[i].text in "\"“'&")):
            i += 1
        if i >= len(toks) or toks[i].kind != "m":
            break
        refs.append(Ref.of(toks[i], i))
        i += 1
        end = i
        while i < len(toks) and toks[i].kind == "p" and toks[i].text in "\"”'":
            i += 1
        if i < len(toks) and (toks[i].is_word("and", "or") or toks[i].text in (",", "/", "&", ";", "+")):
            i += 1
            continue
        break
    return refs, end


def _parts(toks: Sequence[Tok]) -> list[list[Tok]]:
    """Split at commas and the like outside of parentheses; a parenthesis stays with the part before it."""
    parts: list[list[Tok]] = [[]]
    depth = 0
    for tok in toks:
        if tok.kind == "p" and tok.text in "([":
            depth += 1
        elif tok.kind == "p" and tok.text in ")]":
            depth = max(0, depth - 1)
        if tok.kind == "p" and tok.text in _SEPARATORS and not depth:
            parts.append([])
        else:
            parts[-1].append(tok)
    return [part for part in parts if part]


def _part_names(part: list[Tok], text: str) -> list[Ref]:
    refs, end = head_names(part)
    if not refs:
        return []
    words = text[part[0].start : part[-1].end]
    for tok in part:
        if tok.kind == "m":
            # A name may hold a cue ("Old Harbour"); it is the words around it that count.
            words = words.replace(text[tok.start : tok.end], " ", 1)
    if VALUE_OUT.search(words):
        return []
    if end < len(part) and part[end].kind == "w" and part[end].lower not in _AFTER_NAME:
        return []
    return refs
