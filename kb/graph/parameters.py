"""Parameters of a query: terms that take the place of its variables.

A value is an RDF term before it meets the query, and is written there as one complete token in the engine's own
notation, wherever the variable stood: in a sub-select, in a path, after LIMIT. So no value can end a string, close a
bracket or add a keyword.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyoxigraph as ox

from kb.errors import QueryError
from kb.graph._tokens import place, tokens
from kb.graph.results import Term
from kb.namespaces import XSD

__all__ = ["bind", "written"]


def bind(text: str, parameters: Mapping[str, Term]) -> str:
    """`text` with every variable that `parameters` names replaced by its term.

    A replaced variable that the query selects stays a column. Raises QueryError for a name that the query does not
    have, or that it binds itself.

    >>> bind("SELECT ?x { ?x ?p ?y } LIMIT ?n", {"p": ox.NamedNode("urn:p"), "n": ox.Literal(5)})
    'SELECT ?x { ?x <urn:p> ?y } LIMIT 5'
    """
    out: list[str] = []
    used: set[str] = set()
    clause, previous, depth = "", "", 0
    for token in tokens(text):
        if token.kind in ("space", "comment"):
            out.append(token.text)
            continue
        shown = token.text
        if token.kind == "variable" and token.text[1:] in parameters:
            name = token.text[1:]
            used.add(name)
            if previous in ("as", "values") or clause == "values":
                line, column = place(text, token.start)
                raise QueryError(
                    f"?{name} cannot be a parameter: line {line}, column {column} of the query binds it itself"
                )
            shown = _in_clause(name, written(parameters[name]), clause if depth == 0 else "")
        elif token.kind == "word":
            clause = _clause(clause, token.text.lower(), depth)
        elif token.kind == "other":
            depth = depth + (token.text == "(") - (token.text == ")")
            if token.text in "{}":
                clause = ""
        previous = token.text.lower()
        out.append(shown)
    unknown = sorted(set(parameters) - used)
    if unknown:
        raise QueryError(
            f"the query has no variable {', '.join(f'?{name}' for name in unknown)}, so it cannot take such a parameter"
        )
    return "".join(out)


def written(term: Term) -> str:
    """A term as one SPARQL token. Raises QueryError for a blank node, which in a query is a variable."""
    if isinstance(term, ox.NamedNode):
        return str(term)
    if isinstance(term, ox.Literal):
        kind = term.datatype.value
        if kind == XSD + "integer" and term.value.lstrip("+-").isascii() and term.value.lstrip("+-").isdigit():
            return str(int(term.value))
        if kind == XSD + "boolean" and term.value in ("true", "false"):
            return term.value
        return str(term)
    raise QueryError(f"{term} cannot be a parameter of a query; give an IRI or a literal")


def _clause(current: str, word: str, depth: int) -> str:
    """The clause that a keyword opens, as far as a bare term cannot stand in it."""
    if word in ("select", "values"):
        return word
    if depth == 0 and word in ("group", "order", "having"):
        return "modifier"
    if word in ("where", "limit", "offset", "construct", "describe", "ask"):
        return ""
    return current


def _in_clause(name: str, term: str, clause: str) -> str:
    if clause == "select":
        return f"({term} AS ?{name})"
    return f"({term})" if clause == "modifier" else f"{term}"
