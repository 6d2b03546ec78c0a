"""Which quads of a store are exported: whole graphs, what is known about single things, and who states it.

`entities` gives their concise bounded descriptions (https://www.w3.org/submissions/CBD/): every fact whose subject the
thing is, what blank nodes in them stand for and, with provenance, the records of the statements that they rest on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyoxigraph as ox

from kb.errors import ExportError, UnknownNameError
from kb.iris import Iris
from kb.namespaces import KB, PROV, RDF

__all__ = ["graph_iris", "inferences_graph", "selected", "source_graphs"]

_ON_PAGE = ox.NamedNode(KB + "onPage")
_GENERATED_BY = ox.NamedNode(PROV + "wasGeneratedBy")
_SUBJECT, _PREDICATE, _OBJECT = (ox.NamedNode(RDF + name) for name in ("subject", "predicate", "object"))
_EVERYTHING = ox.DefaultGraph()

_Graph = ox.NamedNode | ox.DefaultGraph


def selected(
    store: ox.Store,
    iris: Iris,
    *,
    several: bool,
    graphs: Sequence[str] = (),
    entities: Sequence[str] = (),
    facts_only: bool = False,
    provenance: bool = False,
    inferences: bool = False,
) -> Iterator[ox.Quad]:
    """The quads to export, some of them perhaps twice.

    `graphs` names graphs as `graph_iris` does; `facts` is the default graph, `page:ID` what one page states,
    `schema:CONCEPT` what one schema note does. `entities` are ids. Without either, what can hold `several` graphs gets
    everything, or with `facts_only` the default graph alone, and what holds one graph gets the default graph.

    `provenance` adds the records of statements: all of them, or those that the chosen graphs or entities rest on.
    `inferences` adds what was inferred. Raises ExportError for a graph that is not there, UnknownNameError for an
    entity.
    """
    chosen = source_graphs(store, iris, graphs)
    inferred = inferences_graph(store, iris) if inferences else None
    if entities:
        yield from _described(store, iris, entities, chosen, several=several and not facts_only, provenance=provenance)
        if inferred is not None:
            for node in _nodes(store, iris, entities):
                yield from _bounded(store, node, inferred)
        return
    if graphs:
        for graph in chosen:
            yield from store.quads_for_pattern(None, None, None, graph)
            if provenance:
                yield from _records_of_graph(store, iris, graph)
    elif several and not facts_only:
        yield from store
        return
    else:
        yield from store.quads_for_pattern(None, None, None, _EVERYTHING)
        if provenance:
            yield from store.quads_for_pattern(None, None, None, _node(iris.provenance_graph))
    if inferred is not None:
        yield from store.quads_for_pattern(None, None, None, inferred)


def inferences_graph(store: ox.Store, iris: Iris) -> ox.NamedNode:
    """The graph of what was inferred. Raises ExportError where there is none."""
    graph = _node(iris.inferences_graph)
    if graph not in set(store.named_graphs()):
        raise ExportError(
            "nothing has been inferred in this generation; add a section [reason] to kb.toml and run `kb build`"
        )
    return graph


def graph_iris(store: ox.Store, iris: Iris) -> dict[str, str]:
    """Short name -> IRI of each named graph: what follows `graph/` in the IRI, or the whole of a foreign one."""
    start = iris.base + "graph/"
    found = sorted(graph.value for graph in store.named_graphs() if isinstance(graph, ox.NamedNode))
    return {(iri[len(start) :] if iri.startswith(start) else iri): iri for iri in found}


def source_graphs(store: ox.Store, iris: Iris, names: Sequence[str]) -> list[_Graph]:
    """The graphs of these names, each once. Raises ExportError naming those that there are."""
    if not names:
        return []
    known = graph_iris(store, iris)
    return list(dict.fromkeys(_graph(name, known, iris) for name in names))


def _graph(name: str, known: Mapping[str, str], iris: Iris) -> _Graph:
    if name == "facts":
        return _EVERYTHING
    start = len(iris.base + "graph/")
    page = name.removeprefix("page:").removeprefix("page/")
    concept = name.removeprefix("schema:").removeprefix("schema/")
    tried = [name, name.strip("<>")]
    if not name.startswith("schema:"):
        tried.append(iris.page_graph(page)[start:])
    if not name.startswith("page:"):
        tried.append(iris.schema_graph(concept)[start:])
    for one in tried:
        if one in known:
            return ox.NamedNode(known[one])
        if one in known.values():
            return ox.NamedNode(one)
    few = ["facts", *(one for one in known if not one.startswith(("page/", "schema/")))]
    more = [
        words
        for kind, words in (("page", "page:ID for the facts of one page"), ("schema", "schema:CONCEPT for one note"))
        if any(one.startswith(f"{kind}/") for one in known)
    ]
    raise ExportError(f"there is no graph {name!r}; there are {', '.join([*few, *more])}")


# -- single things ---------------------------------------------------------------


def _nodes(store: ox.Store, iris: Iris, entities: Iterable[str]) -> Iterator[ox.NamedNode]:
    for entity in dict.fromkeys(entities):
        node = _node(iris.entity(entity))
        if next(iter(store.quads_for_pattern(node, None, None, _EVERYTHING)), None) is None:
            raise UnknownNameError(f"no entity has the id {entity!r}; `kb search` finds ids by names", entity)
        yield node


def _described(
    store: ox.Store,
    iris: Iris,
    entities: Sequence[str],
    graphs: Sequence[_Graph],
    *,
    several: bool,
    provenance: bool,
) -> Iterator[ox.Quad]:
    derived = {iris.provenance_graph, iris.rejections_graph, iris.report_graph, iris.inferences_graph}
    for node in _nodes(store, iris, entities):
        among: list[_Graph] = list(graphs)
        if not among:
            among = [_EVERYTHING]
            if several:
                among += sorted(
                    {
                        quad.graph_name
                        for quad in store.quads_for_pattern(node, None, None, None)
                        if isinstance(quad.graph_name, ox.NamedNode) and quad.graph_name.value not in derived
                    },
                    key=str,
                )
        for graph in among:
            yield from _bounded(store, node, graph)
        if provenance or (several and not graphs):
            where = _node(iris.provenance_graph)
            for quad in store.quads_for_pattern(None, _SUBJECT, node, where):
                yield from _record(store, quad.subject, where)


def _bounded(store: ox.Store, start: ox.NamedNode, graph: _Graph) -> Iterator[ox.Quad]:
    todo: list[ox.NamedNode | ox.BlankNode] = [start]
    seen = set(todo)
    while todo:
        for quad in store.quads_for_pattern(todo.pop(), None, None, graph):
            yield quad
            if isinstance(quad.object, ox.BlankNode) and quad.object not in seen:
                seen.add(quad.object)
                todo.append(quad.object)


# -- records of statements ---------------------------------------------------------


def _records_of_graph(store: ox.Store, iris: Iris, graph: _Graph) -> Iterator[ox.Quad]:
    """The records of the statements that stand in a graph of facts; of the default graph, all records."""
    where = _node(iris.provenance_graph)
    if isinstance(graph, ox.DefaultGraph):
        yield from store.quads_for_pattern(None, None, None, where)
        return
    start = iris.page_graph("")
    page = iris.base + "page/" + graph.value[len(start) :] if graph.value.startswith(start) else None
    if page is not None:
        yield from store.quads_for_pattern(_node(page), None, None, where)
        for quad in store.quads_for_pattern(None, _ON_PAGE, _node(page), where):
            yield from _record(store, quad.subject, where)
        return
    # A schema note's graph says itself which file it comes from.
    for quad in store.quads_for_pattern(graph, None, None, where):
        yield quad
        if isinstance(quad.object, ox.NamedNode):
            yield from store.quads_for_pattern(quad.object, None, None, where)
    for fact in store.quads_for_pattern(None, None, None, graph):
        for quad in store.quads_for_pattern(None, _SUBJECT, fact.subject, where):
            record = quad.subject
            same = all(
                next(iter(store.quads_for_pattern(record, name, value, where)), None) is not None
                for name, value in ((_PREDICATE, fact.predicate), (_OBJECT, fact.object))
            )
            sources = [one.object for one in store.quads_for_pattern(record, _ON_PAGE, None, where)]
            of_page = any(isinstance(one, ox.NamedNode) and iris.page_id(one.value) is not None for one in sources)
            if same and not of_page:
                yield from _record(store, record, where)


def _record(store: ox.Store, record: ox.NamedNode | ox.BlankNode | ox.Triple, graph: _Graph) -> Iterator[ox.Quad]:
    """A record, its page or file, and the reading that it comes from."""
    for quad in store.quads_for_pattern(record, None, None, graph):
        yield quad
        if quad.predicate in (_ON_PAGE, _GENERATED_BY) and isinstance(quad.object, ox.NamedNode):
            yield from store.quads_for_pattern(quad.object, None, None, graph)


def _node(iri: str) -> ox.NamedNode:
    return ox.NamedNode(iri)
