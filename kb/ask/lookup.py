"""Batched look-ups behind an answer: edges of many nodes, sources of many facts, names of many entities.

Each is a SPARQL query with the nodes as VALUES, so the number of queries follows the depth of a search, never the
number of answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import unquote

import pyoxigraph as ox

from kb.ask.compile import compile_plan
from kb.ask.plan_model import Hop, Plan
from kb.iris import Iris
from kb.namespaces import DCTERMS, KB, RDF, RDFS
from kb.vocabulary import Vocabulary

__all__ = ["Fact", "Lookup", "Source"]

Fact = tuple[str, str, str]
"""(subject, predicate, object) of a stored triple, as IRIs."""

_T = TypeVar("_T")

_BATCH = 1000
"""Nodes or facts that one query asks about."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact is stated: the id of a page with the words that state it, or a file, whose words are not kept."""

    page: str
    quote: str | None


class Lookup:
    """Look-ups in one store, in its default graph or in `graphs`, which must not overlap. `queries` counts them."""

    def __init__(
        self,
        store: ox.Store,
        vocabulary: Vocabulary,
        iris: Iris,
        graphs: Sequence[ox.DefaultGraph | ox.NamedNode | ox.BlankNode] | None = None,
    ) -> None:
        self.store, self.vocabulary, self.iris = store, vocabulary, iris
        self.graphs = None if graphs is None else list(graphs)
        self.queries = 0

    def rows(self, query: str) -> Iterator[list[ox.NamedNode | ox.Literal | None]]:
        """The rows of a SELECT query, terms in the order of its variables; blank nodes are left out as None."""
        self.queries += 1
        if self.graphs is None:
            solutions = self.store.query(query)
        else:
            solutions = self.store.query(query, default_graph=self.graphs)
        assert isinstance(solutions, ox.QuerySolutions)
        for row in solutions:
            yield [term if isinstance(term, (ox.NamedNode, ox.Literal)) else None for term in row]

    def members(self, plan: Plan) -> list[str]:
        """IRIs of a plan's answers, sorted."""
        rows = self.rows(compile_plan(plan, self.vocabulary, self.iris))
        return sorted(row[0].value for row in rows if row[0] is not None)

    def edges(self, nodes: Collection[str], hop: Hop) -> list[tuple[str, str, Fact]]:
        """(node, what one step along `hop` leads to, the fact that says so) for all of `nodes`, sorted."""
        relation = self.vocabulary.relations[hop.relation]
        found: list[tuple[str, str, Fact]] = []
        for backwards in (False, True) if relation.symmetric else (hop.backwards,):
            pattern = f"?far {_iri(relation.iri)} ?near" if backwards else f"?near {_iri(relation.iri)} ?far"
            for batch in _batches(sorted(nodes)):
                values = " ".join(map(_iri, batch))
                for row in self.rows(f"SELECT ?near ?far WHERE {{ VALUES ?near {{ {values} }} {pattern} }}"):
                    near, far = _values(row)
                    fact = (far, relation.iri, near) if backwards else (near, relation.iri, far)
                    found.append((near, far, fact))
        return sorted(found)

    def existing(self, facts: Iterable[Fact]) -> set[Fact]:
        """Those of `facts` that the graph holds."""
        by_predicate: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for subject, predicate, object_ in facts:
            by_predicate[predicate].add((subject, object_))
        found: set[Fact] = set()
        for predicate, pairs in sorted(by_predicate.items()):
            for batch in _batches(sorted(pairs)):
                values = " ".join(f"({_iri(s)} {_iri(o)})" for s, o in batch)
                rows = self.rows(f"SELECT ?s ?o WHERE {{ VALUES (?s ?o) {{ {values} }} ?s {_iri(predicate)} ?o }}")
                found.update((s, predicate, o) for s, o in map(_values, rows))
        return found

    def sources(self, facts: Iterable[Fact]) -> dict[Fact, tuple[Source, ...]]:
        """Every source of each fact: pages with their words first, then files, each in order of its id."""
        found: dict[Fact, set[tuple[bool, bool, str, str]]] = defaultdict(set)
        facts = set(facts)
        for batch in _batches(sorted(facts)):
            values = " ".join(f"({' '.join(map(_iri, fact))})" for fact in batch)
            rows = self.rows(
                f"SELECT ?s ?p ?o ?page ?id ?quote WHERE {{ VALUES (?s ?p ?o) {{ {values} }} "
                f"GRAPH {_iri(self.iris.provenance_graph)} {{ ?statement {_iri(RDF + 'subject')} ?s ; "
                f"{_iri(RDF + 'predicate')} ?p ; {_iri(RDF + 'object')} ?o ; {_iri(KB + 'onPage')} ?page . "
                f"OPTIONAL {{ ?statement {_iri(KB + 'quote')} ?quote }} "
                f"OPTIONAL {{ ?page {_iri(DCTERMS + 'identifier')} ?id }} }} }}"
            )
            for s, p, o, page, name, quote in rows:
                if s is None or p is None or o is None or page is None:
                    continue
                page_id = self.iris.page_id(page.value)
                shown = page_id or (name.value if name else unquote(page.value.rpartition("/")[2]))
                key = (quote is None, page_id is None, shown, quote.value if quote else "")
                found[s.value, p.value, o.value].add(key)
        self._add_files(sorted(facts - found.keys()), found)
        return {
            fact: tuple(Source(shown, quote or None) for _, _, shown, quote in sorted(keys))
            for fact, keys in found.items()
        }

    def _add_files(self, facts: Sequence[Fact], found: dict[Fact, set[tuple[bool, bool, str, str]]]) -> None:
        """The files behind facts that have no record of their own, but a graph that comes from one file."""
        for batch in _batches(facts):
            values = " ".join(f"({' '.join(map(_iri, fact))})" for fact in batch)
            rows = self.rows(
                f"SELECT ?s ?p ?o ?id WHERE {{ VALUES (?s ?p ?o) {{ {values} }} GRAPH ?graph {{ ?s ?p ?o }} "
                f"GRAPH {_iri(self.iris.provenance_graph)} {{ ?graph {_iri(KB + 'onPage')} ?file . "
                f"?file {_iri(DCTERMS + 'identifier')} ?id }} }}"
            )
            for s, p, o, name in rows:
                if s is not None and p is not None and o is not None and name is not None:
                    found[s.value, p.value, o.value].add((True, True, name.value, ""))

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """The label of each node that has one; the first in order where it has several."""
        return self._first(nodes, f"?x {_iri(RDFS + 'label')} ?v")

    def types(self, nodes: Collection[str]) -> dict[str, str]:
        """The name of each node's type, where the vocabulary knows it."""
        found = self._first(nodes, "?x a ?v")
        return {node: name for node, iri in found.items() if (name := self.vocabulary.name_of(iri))}

    def _first(self, nodes: Collection[str], pattern: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for batch in _batches(sorted(nodes)):
            values = " ".join(map(_iri, batch))
            for row in self.rows(f"SELECT ?x ?v WHERE {{ VALUES ?x {{ {values} }} {pattern} }}"):
                node, value = _values(row)
                found[node] = min(found.get(node, value), value)
        return found


def _iri(iri: str) -> str:
    return str(ox.NamedNode(iri))


def _values(row: Sequence[ox.NamedNode | ox.Literal | None]) -> tuple[str, str]:
    first, second = (term.value if term is not None else "" for term in row)
    return first, second


def _batches(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
