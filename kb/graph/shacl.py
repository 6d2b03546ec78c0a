"""SHACL over any RDF graph: what pySHACL reports, in a fraction of its time.

https://www.w3.org/TR/shacl/. Asserted data only: no inference, no rules, no imports, nothing fetched. Focus nodes that
surely have no result are left out beforehand (`kb.graph._screen`); every result is pySHACL's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.graph._recursion import check_data, check_shapes
from kb.graph._tokens import tokens
from kb.graph.shacl_report import Outcome, outcome_order, outcomes_of
from kb.namespaces import SH, XSD

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

    from kb.graph._screen import Screen

__all__ = ["ShaclReport", "check_graph", "narrowed"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_TARGETS = tuple(SH + name for name in ("targetNode", "targetClass", "targetSubjectsOf", "targetObjectsOf"))
_QUERIES = tuple(SH + name for name in ("select", "ask", "construct"))


@dataclass(frozen=True, slots=True)
class ShaclReport:
    """What validation found: all results, in a stable order.

    `focus_nodes` counts pairs of shape and focus node, `looked_at` those of them that pySHACL had to look at.
    """

    outcomes: tuple[Outcome, ...]
    focus_nodes: int
    looked_at: int

    @property
    def conforms(self) -> bool:
        """Whether there is no result of any severity (https://www.w3.org/TR/shacl/#conformance-checking)."""
        return not self.outcomes


def check_graph(data: Iterable[ox.Triple], shapes: Iterable[ox.Triple], *, screened: bool = True) -> ShaclReport:
    """Validates a data graph, class hierarchy included, against a shapes graph.

    Without `screened` pySHACL looks at every focus node; the results are the same. Raises OntologyError where the
    shapes cannot be used (what pySHACL refuses, shapes that hold themselves, queries that would reach the network) or
    the data cannot (RDF 1.2 triple terms, blank nodes tied up in more ways than can be written down).
    """
    from kb.graph._engine import quiet

    with quiet():
        return _checked(data, shapes, screened)


def _checked(data: Iterable[ox.Triple], shapes: Iterable[ox.Triple], screened: bool) -> ShaclReport:
    from kb.graph._screen import Index, Screen, mentioned

    rules = list(dict.fromkeys(shapes))
    check_shapes(rules)
    terms: dict[Any, Node] = {}
    shape_graph = _memory_graph(rules, terms)
    facts = list(dict.fromkeys(data))
    check_data(facts)
    rows = [(_term(t.subject, terms), _term(t.predicate, terms), _term(t.object, terms)) for t in facts]
    index = Index(rows, mentioned(shape_graph))
    screen = Screen(shape_graph, index)
    targets = {shape: screen.focus_nodes(shape) for shape in sorted(_roots(shape_graph, screen), key=_key)}
    plain: dict[Node, list[Node] | None] = {}
    queried: dict[Node, list[Node] | None] = {}
    asking = _asking(shape_graph)
    for shape, focus in targets.items():
        if shape in asking:
            queried[shape] = None
        else:
            plain[shape] = _chosen(screen, shape, focus) if screened else None
    looked_at = sum(
        len(targets[shape]) if chosen is None else len(chosen) for shape, chosen in (plain | queried).items()
    )
    reports = []
    # Classes that are not called shapes may be some all the same, where another refers to them: pySHACL decides, once.
    loose: dict[Node, list[Node] | None] = {
        shape: None for shape in shape_graph.subjects(unique=True) if shape not in targets and screen.class_types(shape)
    }
    if not queried or loose or any(targets[shape] for shape in plain):
        reports.append(_run(_data_graph(rows), _aimed(shape_graph, screen, plain, queried)))
    if queried:
        graph = _oxigraph(facts, rules) or _data_graph(rows)
        reports.append(_run(graph, _aimed(shape_graph, screen, queried, plain | loose)))
    outcomes = [one for report in reports for one in outcomes_of(report)]
    return ShaclReport(
        tuple(sorted(outcomes, key=outcome_order)),
        sum(map(len, targets.values())),
        looked_at,
    )


def narrowed(data: Graph, shapes: Graph) -> Graph:
    """The shapes with only those focus nodes that may have results in `data`: the same report in less time."""
    from kb.graph._screen import Index, Screen, mentioned

    screen = Screen(shapes, Index(data, mentioned(shapes)))
    chosen = {shape: _chosen(screen, shape, screen.focus_nodes(shape)) for shape in _roots(shapes, screen)}
    return _aimed(shapes, screen, chosen, {})


# -- targets ------------------------------------------------------------------


def _roots(shapes: Graph, screen: Screen) -> set[Node]:
    """The shapes that have targets."""
    from rdflib import RDF as TYPES
    from rdflib import SH as SHACL
    from rdflib import URIRef

    found = {shape for name in _TARGETS for shape in shapes.subjects(URIRef(name))}
    for kind in (SHACL.NodeShape, SHACL.PropertyShape):
        found.update(shape for shape in shapes.subjects(TYPES.type, kind) if screen.class_types(shape))
    return found


def _chosen(screen: Screen, shape: Node, focus: set[Node]) -> list[Node] | None:
    if not focus:
        return None
    doubtful = screen.doubtful(shape, focus)
    # One node is always looked at, so that a shape that pySHACL refuses is refused.
    return doubtful if doubtful is None or doubtful else [min(focus, key=_key)]


def _asking(shapes: Graph) -> set[Node]:
    """Every node from which queries, or components that may hold queries, can be reached."""
    from rdflib import RDF as TYPES
    from rdflib import RDFS, URIRef
    from rdflib import SH as SHACL

    above = {SHACL.ConstraintComponent, *shapes.subjects(RDFS.subClassOf, SHACL.ConstraintComponent)}
    if any((None, TYPES.type, kind) in shapes for kind in above):
        return set(shapes.subjects())
    found: set[Node] = set()
    todo = [node for name in _QUERIES for node in shapes.subjects(URIRef(name))]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo.extend(shapes.subjects(None, one))
    return found


def _aimed(
    shapes: Graph, screen: Screen, wanted: dict[Node, list[Node] | None], others: dict[Node, list[Node] | None]
) -> Graph:
    """The shapes graph in which `wanted` have the focus nodes given (None: their own), and `others` none."""
    from rdflib import RDF as TYPES
    from rdflib import Graph, URIRef

    changed = {shape for shape, focus in wanted.items() if focus is not None} | others.keys()
    targets = {URIRef(name) for name in _TARGETS}
    classes = {(shape, kind) for shape in changed for kind in screen.class_types(shape)}
    graph = Graph(bind_namespaces="none")
    for row in shapes:
        aims = row[0] in changed and (row[1] in targets or (row[1] == TYPES.type and (row[0], row[2]) in classes))
        if not aims:
            graph.add(row)
    node = URIRef(SH + "targetNode")
    for shape, focus in wanted.items():
        for one in focus or ():
            graph.add((shape, node, one))
    return graph


# -- running ------------------------------------------------------------------


def _run(data: Graph, shapes: Graph) -> Graph:
    from kb.graph._engine import report

    return report(data, shapes)


def _term(term: Any, terms: dict[Any, Node]) -> Node:
    from rdflib import Literal

    from kb.graph._engine import to_rdflib

    found = terms.get(term)
    if found is None:
        # rdflib takes "a" and "a"^^xsd:string for two terms, and its parsers make the first of what RDF 1.1 calls one.
        simple = isinstance(term, ox.Literal) and not term.language and term.datatype.value == XSD + "string"
        found = terms[term] = Literal(term.value) if simple else to_rdflib(term)
    return found


def _memory_graph(triples: Iterable[ox.Triple], terms: dict[Any, Node]) -> Graph:
    return _data_graph((_term(t.subject, terms), _term(t.predicate, terms), _term(t.object, terms)) for t in triples)


def _data_graph(rows: Iterable[tuple[Node, Node, Node]]) -> Graph:
    from rdflib import Graph

    graph = Graph(bind_namespaces="none")
    add, store = graph.store.add, graph
    for row in rows:
        add(row, store)
    return graph


def _oxigraph(facts: Sequence[ox.Triple], rules: Sequence[ox.Triple]) -> Graph | None:
    """The data on Oxigraph, which runs queries seven times faster; None where it would answer otherwise than rdflib.

    It cannot be asked about a single blank node, sets no variable inside a query's inner ones or that is not among its
    results, and writes literals anew.
    """
    from kb.graph._engine import oxigraph_graph

    texts = [t.object.value for t in rules if t.predicate.value in _QUERIES and isinstance(t.object, ox.Literal)]
    if not all(_is_simple(text) for text in texts):
        return None
    if any(isinstance(node, ox.BlankNode) for t in facts for node in (t.subject, t.object)):
        return None
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in facts)
    literals = {t.object for t in facts if isinstance(t.object, ox.Literal)}
    kept = {quad.object for quad in store if isinstance(quad.object, ox.Literal)}
    return oxigraph_graph(facts) if literals == kept else None


def _is_simple(text: str) -> bool:
    words = [token.text.lower() for token in tokens(text) if token.kind in ("word", "variable")]
    bound = {"$path", "?path", "$currentshape", "?currentshape", "$shapesgraph", "?shapesgraph"}
    return words.count("select") == 1 and "ask" not in words and bound.isdisjoint(words)


def _key(node: Node) -> tuple[str, str]:
    return type(node).__name__, str(node)
