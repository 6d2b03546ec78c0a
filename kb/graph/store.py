"""Writing the graph: named graphs replaced as wholes, what questions see kept as their exact union.

The store's default graph always holds the union of the *asserted* graphs (catalogue, statements, one per page), each
triple once. Questions and plain SPARQL run on it: a union computed at query time returns a triple once per graph that
holds it, and engines differ in whether they offer one at all. Provenance, rejections, the report and inferences stay
out of it; `GRAPH <…>` reaches them.

Every change is a difference. Replacing a graph by what it already holds writes nothing, so a build costs what changed.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyoxigraph as ox

from kb.errors import GenerationError
from kb.iris import Iris
from kb.namespaces import KB, XSD

__all__ = ["Change", "GraphWriter", "add_digest", "content_digest", "refusal"]

_ON_PAGE = ox.NamedNode(KB + "onPage")
_STRING = XSD + "string"
_MODULUS = 1 << 256
_NEXT_STEPS = {
    errno.ENOSPC: "free some space and build again",
    errno.EDQUOT: "free some space and build again",
    errno.EFBIG: "allow larger files and build again",
    errno.EROFS: "the folder is on a read-only disk",
    errno.EACCES: "give yourself the right to write there",
    errno.EPERM: "give yourself the right to write there",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a replacement did to one named graph. False when it did nothing."""

    added: frozenset[ox.Triple]
    removed: frozenset[ox.Triple]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def refusal(err: OSError | RuntimeError) -> tuple[str, bool]:
    """Why the disk or the store refused, and whether it says what to do about it.

    The store wraps what the system says into a paragraph about its files, so known causes are looked for in the text.
    """
    for number, step in _NEXT_STEPS.items():
        if os.strerror(number) in str(err):
            return f"{os.strerror(number)}; {step}", True
    if str(err).startswith("Corruption:"):
        return f"the graph that it starts from is damaged ({err}); run `kb build --force`", True
    return getattr(err, "strerror", None) or str(err), False


def add_digest(total: int, quad: ox.Quad, sign: int = 1) -> int:
    """The digest of a set of quads after one joined it (`sign` 1) or left it (-1)."""
    return (total + sign * int.from_bytes(hashlib.sha256(str(quad).encode()).digest(), "big")) % _MODULUS


def content_digest(quads: Iterable[ox.Quad]) -> tuple[int, int]:
    """(number of quads, digest) of a set of quads in any order.

    The digest is the sum of the quads' SHA-256 modulo 2**256, so a build keeps it up by what it adds and removes
    instead of reading the whole graph again. It guards against accidents, not against forgers.
    """
    count = total = 0
    for quad in quads:
        count += 1
        total = add_digest(total, quad)
    return count, total


class GraphWriter:
    """Replaces and drops the named graphs of a store, and keeps the default graph their union.

    All writing must go through one writer: it counts `quads` and keeps `digest` (see `content_digest`) as it goes.
    `written` and `removed` count the quads of this session, those of the default graph included. Raises
    GenerationError when the disk refuses.

    >>> iris, store = Iris("https://kb.example/"), ox.Store()
    >>> writer = GraphWriter(store, iris)
    >>> fact = ox.Triple(*(ox.NamedNode(f"https://kb.example/{name}") for name in ("s", "p", "o")))
    >>> for page in ("a", "b"):
    ...     _ = writer.replace(iris.page_graph(page), [fact])
    >>> len(list(store.quads_for_pattern(None, None, None, ox.DefaultGraph())))
    1
    >>> _ = writer.drop(iris.page_graph("a"))
    >>> len(list(store.quads_for_pattern(None, None, None, ox.DefaultGraph())))
    1
    """

    def __init__(self, store: ox.Store, iris: Iris, *, quads: int = 0, digest: int = 0) -> None:
        self.store, self.iris = store, iris
        self.quads, self.digest = quads, digest
        self.written = self.removed = 0
        self._graphs = iris.base + "graph/"
        self._records = (ox.NamedNode(iris.provenance_graph), ox.NamedNode(iris.rejections_graph))
        self._sources = (iris.base + "page/", iris.base + "source/")
        self._derived = {iris.provenance_graph, iris.rejections_graph, iris.report_graph, iris.inferences_graph}

    def asserted(self, graph_iri: str) -> bool:
        """Whether a named graph holds facts that sources state, and so counts for the default graph."""
        return graph_iri.startswith(self._graphs) and graph_iri not in self._derived

    def replace(self, graph_iri: str, triples: Iterable[ox.Triple | ox.Quad]) -> Change:
        """Makes a named graph hold exactly these triples. Quads count by their triple and must be of this graph."""
        graph = ox.NamedNode(graph_iri)
        new = set(_normalised(_triples(triples, graph)))
        old = {quad.triple for quad in self._matching(graph=graph)}
        added, removed = new - old, old - new
        if added or removed:
            additions = [_quad(triple, graph) for triple in added]
            removals = [_quad(triple, graph) for triple in removed]
            if self.asserted(graph_iri):
                mirrored = (ox.Quad(*triple) for triple in added)
                additions += [quad for quad in mirrored if quad not in self.store]
                removals += [ox.Quad(*triple) for triple in removed if not self._held_beside(triple, graph)]
            self._apply(removals, additions)
            if not new:
                self._forget(graph)
        return Change(frozenset(added), frozenset(removed))

    def drop(self, graph_iri: str) -> Change:
        """Removes a named graph; a fact stays in the default graph while another asserted graph holds it."""
        return self.replace(graph_iri, ())

    def replace_records(self, source_iri: str, quads: Iterable[ox.Quad]) -> int:
        """Replaces what the provenance and rejections graphs say about one page or file; returns how many quads moved.

        Its records are the resources whose `kb:onPage` is the source, the source itself, and what these point at, such
        as a reading or a validation result. A resource on several pages loses only this page, and what records of
        several pages point at goes with the last of them. What no record of its graph points at is not written.
        """
        source = ox.NamedNode(source_iri)
        by_graph: dict[ox.NamedNode, list[ox.Triple]] = defaultdict(list)
        for quad in quads:
            graph = quad.graph_name
            if not isinstance(graph, ox.NamedNode) or graph not in self._records:
                raise ValueError(f"records go to the provenance or rejections graph, not to {graph}")
            by_graph[graph].append(quad.triple)
        given = {_quad(triple, graph) for graph, group in by_graph.items() for triple in _normalised(group)}
        new = _reachable(source, given)
        old = {quad for graph in self._records for quad in self._records_of(source, graph)}
        gone = old - new
        come = [quad for quad in new - old if quad not in self.store]
        self._apply(gone, come)
        orphans = self._drop_orphans(gone)
        for graph in self._records:
            if gone and next(self._matching(graph=graph), None) is None:
                self._forget(graph)
        return len(gone) + len(come) + orphans

    # -- helpers ----------------------------------------------------------

    def _matching(
        self,
        subject: ox.NamedNode | ox.BlankNode | ox.Triple | None = None,
        predicate: ox.NamedNode | None = None,
        value: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | None = None,
        graph: ox.NamedNode | None = None,
    ) -> Iterator[ox.Quad]:
        return iter(self.store.quads_for_pattern(subject, predicate, value, graph))

    def _held_beside(self, triple: ox.Triple, graph: ox.NamedNode) -> bool:
        """Whether another asserted graph holds this triple."""
        names = (quad.graph_name for quad in self._matching(triple.subject, triple.predicate, triple.object))
        return any(isinstance(name, ox.NamedNode) and name != graph and self.asserted(name.value) for name in names)

    def _records_of(self, source: ox.NamedNode, graph: ox.NamedNode) -> Iterator[ox.Quad]:
        yield from self._matching(source, graph=graph)
        for found in list(self._matching(None, _ON_PAGE, source, graph)):
            about = list(self._matching(found.subject, graph=graph))
            alone = all(quad.object == source for quad in about if quad.predicate == _ON_PAGE)
            yield from about if alone else [found]

    def _drop_orphans(self, gone: Iterable[ox.Quad]) -> int:
        """Removes resources that the last record pointing at them left behind; returns how many quads."""
        total = 0
        while gone:
            orphans: list[ox.Quad] = []
            targets = {(quad.object, quad.graph_name) for quad in gone if quad.predicate != _ON_PAGE}
            for target, graph in targets:
                if not isinstance(target, ox.NamedNode) or target.value.startswith(self._sources):
                    continue
                assert isinstance(graph, ox.NamedNode)
                about = list(self._matching(target, graph=graph))
                pointed_at = next(self._matching(value=target, graph=graph), None) is not None
                if not pointed_at and all(quad.predicate != _ON_PAGE for quad in about):
                    orphans += about
            self._apply(orphans, ())
            total += len(orphans)
            gone = orphans
        return total

    def _apply(self, removals: Iterable[ox.Quad], additions: Iterable[ox.Quad]) -> None:
        removals, additions = list(removals), list(additions)
        try:
            for quad in removals:
                self.store.remove(quad)
            if additions:
                self.store.extend(additions)
        except (OSError, RuntimeError) as err:
            raise GenerationError(
                f"the graph cannot be written; the previous generation stays in use: {refusal(err)[0]}"
            ) from err
        for quad in removals:
            self.digest = add_digest(self.digest, quad, -1)
        for quad in additions:
            self.digest = add_digest(self.digest, quad)
        self.written += len(additions)
        self.removed += len(removals)
        self.quads += len(additions) - len(removals)

    def _forget(self, graph: ox.NamedNode) -> None:
        # An emptied graph would keep its name in the store, unlike in a build from nothing.
        self.store.remove_graph(graph)


def _quad(triple: ox.Triple, graph: ox.NamedNode) -> ox.Quad:
    return ox.Quad(triple.subject, triple.predicate, triple.object, graph)


def _reachable(source: ox.NamedNode, quads: set[ox.Quad]) -> set[ox.Quad]:
    """The quads about a source, its records, and what these point at within their graph."""
    about: dict[object, list[ox.Quad]] = defaultdict(list)
    for quad in quads:
        about[quad.subject, quad.graph_name].append(quad)
    todo: list[object] = [(source, quad.graph_name) for quad in quads]
    todo += [(quad.subject, quad.graph_name) for quad in quads if quad.predicate == _ON_PAGE]
    found: set[ox.Quad] = set()
    while todo:
        rows = about.pop(todo.pop(), [])
        found.update(rows)
        todo.extend((quad.object, quad.graph_name) for quad in rows if quad.predicate != _ON_PAGE)
    return found


def _triples(items: Iterable[ox.Triple | ox.Quad], graph: ox.NamedNode) -> Iterator[ox.Triple]:
    for item in items:
        if isinstance(item, ox.Quad):
            if item.graph_name != graph:
                raise ValueError(f"{item} is not of the graph {graph}")
            yield item.triple
        else:
            yield item


def _normalised(triples: Iterable[ox.Triple]) -> Iterator[ox.Triple]:
    """The triples as the store will give them back: it writes "01"^^xsd:integer as 1, and language tags in lower case.

    Compared as they come, such a literal would look new at every build.
    """
    odd: list[ox.Quad] = []
    for triple in triples:
        value = triple.object
        if isinstance(value, ox.NamedNode) or (
            isinstance(value, ox.Literal) and value.language is None and value.datatype.value == _STRING
        ):
            yield triple
        else:
            odd.append(ox.Quad(*triple))
    if odd:
        scratch = ox.Store()
        scratch.extend(odd)
        yield from (quad.triple for quad in scratch)
