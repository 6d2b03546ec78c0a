"""The facts as a network: things as nodes, relations between them as edges, with the pages that state them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import pyoxigraph as ox

from kb.errors import ExportError, UnknownNameError
from kb.graph.selection import inferences_graph, source_graphs
from kb.iris import Iris
from kb.namespaces import DCTERMS, RDF, RDFS
from kb.vocabulary import Vocabulary

__all__ = ["DIRECTIONS", "Edge", "Network", "Node", "around", "network"]

DIRECTIONS = ("both", "out", "in")

_TYPE, _LABEL, _DESCRIPTION = RDF + "type", RDFS + "label", DCTERMS + "description"


@dataclass(frozen=True, slots=True)
class Node:
    """A thing. `id` is its id, or the IRI of a foreign one; `type` the name of its class, empty where it has none.

    `attributes` maps names of attributes to values as text; several values of one are joined by "; ".
    """

    id: str
    iri: str
    label: str
    type: str = ""
    description: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A fact between two nodes, by ids. `sources` are page ids and `schema:CONCEPT`; none for the catalogue's."""

    source: str
    relation: str
    target: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Network:
    """Nodes by id and edges, both in order. `types` are all types of the whole graph, also those not shown."""

    nodes: dict[str, Node]
    edges: tuple[Edge, ...]
    types: tuple[str, ...]

    def label(self, node: str) -> str:
        """What people call a node."""
        return self.nodes[node].label


def network(
    store: ox.Store,
    vocabulary: Vocabulary,
    iris: Iris,
    *,
    graphs: Sequence[str] = (),
    relations: Collection[str] = (),
    inferences: bool = False,
) -> Network:
    """The facts of the default graph, or of the graphs that are named (see `kb.graph.selection`).

    Only edges of `relations` are taken where some are named; an inverse's name stands for its relation. Raises
    ExportError for a graph that is not there, UnknownNameError for a relation.
    """
    wanted = _relations(vocabulary, relations)
    chosen = source_graphs(store, iris, graphs) or [ox.DefaultGraph()]
    if inferences:
        chosen.append(inferences_graph(store, iris))
    facts = {quad.triple for graph in chosen for quad in store.quads_for_pattern(None, None, None, graph)}
    names = {one.iri: name for name, one in vocabulary.relations.items()}
    ends: set[ox.NamedNode] = set()
    found: list[Edge] = []
    for fact in facts:
        name = names.get(fact.predicate.value)
        if name in wanted and isinstance(fact.subject, ox.NamedNode) and isinstance(fact.object, ox.NamedNode):
            ends |= {fact.subject, fact.object}
            found.append(Edge(_id(fact.subject, iris), name, _id(fact.object, iris), _sources(store, fact, iris)))
        elif _class(fact, vocabulary) is not None and isinstance(fact.subject, ox.NamedNode):
            ends.add(fact.subject)
    nodes = {node.id: node for node in (_node(store, end, vocabulary, iris) for end in ends)}
    types = {name for quad in _types(store) if (name := _class(quad.triple, vocabulary)) is not None}
    return Network(dict(sorted(nodes.items())), tuple(sorted(found)), tuple(sorted(types)))


def around(whole: Network, focus: Iterable[str], depth: int, *, direction: str = "both") -> Network:
    """What is at most `depth` edges away from the nodes in `focus`, along ("out") or against ("in") them or either way.

    Where the way there is "both", edges are followed away from the focus only: what depends on the same thing is no
    neighbour. All edges between the things found are kept. Raises UnknownNameError for a focus that is no node.
    """
    starts = list(dict.fromkeys(focus))
    for one in starts:
        if one not in whole.nodes:
            raise UnknownNameError(f"no thing in the graph has the id {one!r}; `kb search` finds ids by names", one)
    if direction not in DIRECTIONS:
        raise ExportError(f"unknown direction {direction!r}; known: {', '.join(DIRECTIONS)}")
    kept = set(starts)
    if direction in ("both", "out"):
        kept |= _reached(((edge.source, edge.target) for edge in whole.edges), starts, depth)
    if direction in ("both", "in"):
        kept |= _reached(((edge.target, edge.source) for edge in whole.edges), starts, depth)
    edges = tuple(edge for edge in whole.edges if edge.source in kept and edge.target in kept)
    return Network({key: node for key, node in whole.nodes.items() if key in kept}, edges, whole.types)


def _reached(steps: Iterable[tuple[str, str]], starts: Iterable[str], depth: int) -> set[str]:
    after: dict[str, set[str]] = defaultdict(set)
    for one, other in steps:
        after[one].add(other)
    found, level = set(starts), set(starts)
    for _ in range(depth):
        level = {other for one in level for other in after[one]} - found
        if not level:
            break
        found |= level
    return found


def _relations(vocabulary: Vocabulary, names: Collection[str]) -> set[str]:
    found = set()
    for name in names:
        known = vocabulary.relation(name)
        if known is None:
            raise UnknownNameError(
                f"the ontology has no relation {name!r}; there are: {', '.join(sorted(vocabulary.relations))}", name
            )
        found.add(known[0].name)
    return found or set(vocabulary.relations)


def _id(term: ox.NamedNode, iris: Iris) -> str:
    entity = iris.entity_id(term.value)
    return term.value if entity is None else entity


def _sources(store: ox.Store, fact: ox.Triple, iris: Iris) -> tuple[str, ...]:
    pages, notes = iris.page_graph(""), iris.schema_graph("")
    found = set()
    for quad in store.quads_for_pattern(fact.subject, fact.predicate, fact.object, None):
        if isinstance(quad.graph_name, ox.NamedNode):
            name = quad.graph_name.value
            if name.startswith(pages):
                found.add(iris.page_id(iris.page("") + name[len(pages) :]) or "")
            elif name.startswith(notes):
                found.add("schema:" + (iris.page_id(iris.page("") + name[len(notes) :]) or ""))
    return tuple(sorted(found))


def _types(store: ox.Store) -> Iterable[ox.Quad]:
    return store.quads_for_pattern(None, ox.NamedNode(_TYPE), None, ox.DefaultGraph())


def _class(triple: ox.Triple, vocabulary: Vocabulary) -> str | None:
    if triple.predicate.value != _TYPE or not isinstance(triple.object, ox.NamedNode):
        return None
    name = vocabulary.name_of(triple.object.value)
    return name if name in vocabulary.classes else None


def _node(store: ox.Store, term: ox.NamedNode, vocabulary: Vocabulary, iris: Iris) -> Node:
    types, labels, descriptions = list[str](), list[str](), list[str]()
    values: dict[str, list[str]] = defaultdict(list)
    for quad in store.quads_for_pattern(term, None, None, ox.DefaultGraph()):
        predicate, value = quad.predicate.value, quad.object
        name = vocabulary.name_of(predicate)
        if (kind := _class(quad.triple, vocabulary)) is not None:
            types.append(kind)
        elif isinstance(value, ox.Literal):
            if predicate == _LABEL:
                labels.append(value.value)
            elif predicate == _DESCRIPTION:
                descriptions.append(value.value)
            if name in vocabulary.attributes:
                values[name].append(value.value)
    identifier = _id(term, iris)
    # The most special of several types: the one with the most classes above it.
    types.sort(key=lambda one: (-len(vocabulary.ancestors(one)), one))
    return Node(
        identifier,
        term.value,
        min(labels, default=identifier),
        types[0] if types else "",
        min(descriptions, default=""),
        {name: "; ".join(sorted(texts)) for name, texts in sorted(values.items())},
    )
