"""What a query of a user may not do, refused in words before anything runs.

A query must only read the knowledge base. `SERVICE` makes Oxigraph call any address, `FROM <…>` makes other engines
load one, and updates write: all are refused, but `SERVICE` only where the caller does not allow it.

Whether such a word is a keyword or part of a name, string or comment is for the engine's own parser to say, because a
second grammar would disagree with it somewhere, and there the hole would be. So the parser is asked twice: once about
the query as it stands, once with every spelling of the word replaced by letters that mean nothing. If it takes both,
the word was no keyword. The parser is asked without running anything, which costs well under a millisecond.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from enum import StrEnum

import pyoxigraph as ox

from kb.errors import QueryError
from kb.graph._tokens import Token, place, tokens
from kb.namespaces import KB, PREFIXES

__all__ = ["MAX_LENGTH", "MAX_NESTING", "QUERY_PREFIXES", "QueryKind", "check_query"]

QUERY_PREFIXES: dict[str, str] = {**PREFIXES, "": KB}
"""What a query need not declare itself."""

MAX_NESTING = 100
"""Brackets inside brackets. The engine's parser recurses, and a stack that overflows takes the process with it."""

MAX_LENGTH = 1_000_000
"""Characters of a query, for the same reason."""

_FORBIDDEN: dict[str, str] = {
    "service": (
        "SERVICE would send parts of the query to another server, and queries here never reach the network; "
        "ask that server yourself, and put what it answers into a VALUES block, or allow it with --allow-service"
    ),
    "from": (
        "FROM would choose, and in some engines fetch, other data; the facts are the default graph here, "
        "and GRAPH <…> { … } reaches each named graph"
    ),
}
_UPDATES = ("insert", "delete", "load", "clear", "drop", "create", "copy", "move", "add", "with")
_KINDS = ("select", "ask", "construct", "describe")


class QueryKind(StrEnum):
    """What a query gives back: rows, yes or no, or triples."""

    SELECT = "select"
    ASK = "ask"
    CONSTRUCT = "construct"
    DESCRIBE = "describe"


def check_query(text: str, *, prefixes: Mapping[str, str] = QUERY_PREFIXES, allow_service: bool = False) -> QueryKind:
    """The kind of a query that is safe to run. With `allow_service` it may ask other servers.

    Raises QueryError for one that would write or reach the network, and for a syntax error, with line, column and the
    text found there.
    """
    found = [token for token in tokens(text) if token.kind not in ("space", "comment")]
    _check_size(text, found)
    error = _parse_error(text, prefixes)
    if error is not None:
        raise QueryError(_diagnosis(text, found, error, prefixes))
    for word, why in _FORBIDDEN.items():
        if word == "service" and allow_service:
            continue
        at = _keyword(text, word, prefixes)
        if at is not None:
            raise QueryError(f"the query is refused: {_where(text, at)}: {why}")
    kind = _first_word(found)
    if kind not in _KINDS:  # the parser took it, so there is one
        raise QueryError(f"the query is refused: it starts with {kind!r}, not with {', '.join(_KINDS).upper()}")
    return QueryKind(kind)


def _check_size(text: str, found: list[Token]) -> None:
    if len(text) > MAX_LENGTH:
        raise QueryError(f"the query is refused: it has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    depth = 0
    for token in found:
        if token.kind == "other":
            depth = max(0, depth + (token.text in "([{") - (token.text in ")]}"))
        elif token.kind == "iri":
            # `<` may be less-than, and what follows up to a `#` code: count what it opens, to be safe.
            depth += sum(max(0, _opened(part)) for part in token.text.split("#", 1))
        if depth > MAX_NESTING:
            raise QueryError(
                f"the query is refused: {_where(text, token.start)}: brackets are nested more than {MAX_NESTING} deep"
            )


def _opened(text: str) -> int:
    return sum(text.count(char) for char in "([") - sum(text.count(char) for char in ")]")


# -- asking the parser ----------------------------------------------------


def _parse_error(text: str, prefixes: Mapping[str, str]) -> str | None:
    """The parser's message; None for a query that it takes. Nothing is run.

    Two arguments that exclude each other stop the engine between parsing and running.
    """
    try:
        ox.Store().query(
            text,
            prefixes=dict(prefixes),
            use_default_graph_as_union=True,
            default_graph=[ox.DefaultGraph()],
        )
    except SyntaxError as err:
        return str(err)
    except ValueError as err:
        if "use_default_graph_as_union" in str(err):
            return None
        return str(err)
    raise AssertionError("pyoxigraph ran a query that it was only to parse")


def _keyword(text: str, word: str, prefixes: Mapping[str, str]) -> int | None:
    """Where `word` is a keyword of a query that parses; None where it is none."""
    spellings = list(re.finditer(word, text, re.IGNORECASE))
    if not spellings:
        return None
    blanks = _meaningless(text, len(word))
    # Different spellings stay different: ?service and ?Service are two variables.
    blank_of = {spelling: next(blanks) for spelling in dict.fromkeys(match.group() for match in spellings)}
    replaced = re.sub(word, lambda match: blank_of[match.group()], text, flags=re.IGNORECASE)
    if _parse_error(replaced, prefixes) is None:
        return None
    for match in spellings[:50]:
        # The first one that alone makes the difference is the one to name.
        one = text[: match.start()] + blank_of[match.group()] + text[match.end() :]
        if _parse_error(one, prefixes) is not None:
            return match.start()
    return spellings[0].start()


def _meaningless(text: str, length: int) -> itertools.chain[str]:
    lowered = text.lower()
    words = ("".join(letters) for letters in itertools.product("qxzjkvw", repeat=length))
    return itertools.chain(word for word in words if word not in lowered)


# -- saying what is wrong --------------------------------------------------


def _diagnosis(text: str, found: list[Token], error: str, prefixes: Mapping[str, str]) -> str:
    unescaped = re.sub(
        r"\\u([0-9A-Fa-f]{4})|\\U(00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4})",
        lambda match: chr(int(match.group(1) or match.group(2), 16)),
        text,
    )
    if unescaped != text and _parse_error(unescaped, prefixes) is None:
        for word, why in _FORBIDDEN.items():
            if _keyword(unescaped, word, prefixes) is not None:
                return f"the query is refused: it spells {word.upper()} with \\u escapes: {why}"
    first = _first_word(found)
    if first in _UPDATES:
        at = next(token.start for token in found if token.text.lower() == first)
        return (
            f"the query is refused: {_where(text, at)}: {first.upper()} is an update, and queries only read; "
            "to change facts, change the pages or the catalogue and run `kb build`"
        )
    if not found:
        return "the query is empty; write one that starts with SELECT, ASK, CONSTRUCT or DESCRIBE"
    return _common_mistake(text, found, prefixes) or _engine_message(text, found, error, prefixes)


def _first_word(found: list[Token]) -> str:
    """The first keyword after the prologue, in lower case."""
    words = iter(found)
    for token in words:
        if token.kind == "word":
            lowered = token.text.lower()
            if lowered not in ("prefix", "base", "version"):
                return lowered
        elif token.kind in ("other", "variable", "broken"):
            return ""
    return ""


def _common_mistake(text: str, found: list[Token], prefixes: Mapping[str, str]) -> str | None:
    declared, based = set(prefixes), False
    brackets: list[Token] = []
    previous = ""
    for token in found:
        if token.kind == "broken":
            return _syntax(text, token.start, "this string has no end")
        if token.kind == "name" and not token.text.startswith("_:"):
            prefix = token.text.split(":", 1)[0]
            if previous == "prefix":
                declared.add(prefix)
            elif prefix not in declared:
                unclosed = re.search(r"<[^<>\n]*\Z", text[: token.start])
                ended = re.match(r"[^<>\n?{}]*>", text[token.end :])
                if unclosed and ended and re.search(r"\s", unclosed[0] + token.text + ended[0]):
                    iri = f"{unclosed[0]}{token.text}{ended[0]}"
                    return _syntax(text, unclosed.start(), f"{iri} is no IRI: it has a space")
                return _syntax(
                    text, token.start, f"the prefix {prefix}: is not declared; add PREFIX {prefix}: <…> at the top"
                )
        elif token.kind == "iri":
            based = based or previous == "base"
            if not based and not re.match(r"<[A-Za-z][A-Za-z0-9+.\-]*:", token.text):
                return _syntax(text, token.start, f"{token.text} is a relative IRI; write it in full")
        elif token.kind == "other" and token.text in "([{":
            brackets.append(token)
        elif token.kind == "other" and token.text in ")]}":
            if not brackets or brackets[-1].text + token.text not in ("()", "[]", "{}"):
                return _syntax(text, token.start, f"this {token.text} closes nothing that is open")
            brackets.pop()
        previous = token.text.lower()
    if brackets:
        return _syntax(text, brackets[-1].start, f"this {brackets[-1].text} is never closed")
    return None


def _engine_message(text: str, found: list[Token], error: str, prefixes: Mapping[str, str]) -> str:
    if "contains a variable that is unbound" in error:
        at = next((token.start for token in found if token.text.lower() == "select"), 0)
        detail = "this SELECT names a variable that the pattern does not bind, GROUP BY does not keep, or two AS bind"
        return _syntax(text, at, detail)
    match = re.match(r"error at (\d+):(\d+): ", error)
    if match is None:
        return f"the query has a syntax error: {error}"
    token = _first_wrong(found, text, prefixes)
    if token is None:
        return _syntax(text, found[-1].end, "the query ends too early")
    return _syntax(text, token.start, f"{_shortened(token.text)} cannot stand here")


def _first_wrong(found: list[Token], text: str, prefixes: Mapping[str, str]) -> Token | None:
    """The first token after which no query can follow; None where all could go on.

    The parser reports how far it looked, which is up to a keyword's length beyond what is wrong. Cut after a token and
    padded with spaces, a text that could go on fails at its very end, and one that could not fails before it.
    """

    def could_go_on(count: int) -> bool:
        cut = text[: found[count - 1].end] + "\n" + " " * 40
        error = _parse_error(cut, prefixes)
        match = re.match(r"error at (\d+):(\d+): ", error or "")
        return match is None or (int(match.group(1)), int(match.group(2))) >= (cut.count("\n") + 1, 41)

    good, bad = 0, len(found) + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if could_go_on(middle):
            good = middle
        else:
            bad = middle
    return found[bad - 1] if bad <= len(found) else None


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _syntax(text: str, offset: int, detail: str) -> str:
    line, column = place(text, offset)
    shown = text.split("\n")[line - 1].rstrip("\r")
    start = max(0, column - 1 - 60)
    excerpt = shown[start : start + 76].replace("\t", " ")
    caret = " " * (column - 1 - start) + "^"
    return f"the query has a syntax error at line {line}, column {column}: {detail}\n  {excerpt}\n  {caret}"


def _where(text: str, offset: int) -> str:
    line, column = place(text, offset)
    return f"line {line}, column {column}"
