"""The rows of a query as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyoxigraph as ox

from kb.cli._output import counted, note, table
from kb.graph.prefixes import query_prefixes, shortened
from kb.graph.results import QueryResult, Term
from kb.namespaces import XSD

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["print_rows"]

_NUMBERS = {XSD + name for name in ("integer", "decimal", "double", "float")}


def print_rows(result: QueryResult, kb: KnowledgeBase, prefixes: Mapping[str, str]) -> None:
    """Entities by their id, other IRIs with prefixes, literals without types; numbers to the right."""
    iris = {term.value for row in result.rows for term in row if isinstance(term, ox.NamedNode)}
    if not all(iri.startswith(tuple(prefixes.values())) for iri in iris):
        prefixes = query_prefixes(kb.iris, kb.vocabulary)  # for terms of an ontology of the user's own

    def shown(term: Term | None) -> str:
        if isinstance(term, ox.NamedNode):
            return shortened(term.value, kb.iris, prefixes)
        return "" if term is None else term.value if isinstance(term, ox.Literal) else str(term)

    columns = range(len(result.variables))
    right = [i for i in columns if result.rows and all(_is_number(row[i]) for row in result.rows)]
    table(result.variables, [[shown(term) for term in row] for row in result.rows], right=right)
    note(counted(len(result.rows), "row"))


def _is_number(term: Term | None) -> bool:
    return isinstance(term, ox.Literal) and term.datatype.value in _NUMBERS
