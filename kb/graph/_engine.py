"""pySHACL as a function from two graphs to findings.

Asserted data only: no inference, no rules, no imports, nothing fetched.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.errors import OntologyError
from kb.graph._blame import Finding
from kb.iris import Iris
from kb.namespaces import SH, XSD

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

__all__ = ["oxigraph_graph", "quiet", "report", "results_of", "run", "to_rdflib"]

_LOGGERS = ("pyshacl-validate", "rdflib.term")


def run(data: Graph, shapes: Graph, iris: Iris) -> list[Finding]:
    """All validation results. Raises OntologyError where the shapes cannot be used."""
    return _findings(report(data, shapes), iris)


def report(data: Graph, shapes: Graph) -> Graph:
    """The report graph of pySHACL. Raises OntologyError where the shapes cannot be used."""
    import pyshacl
    from pyshacl.errors import ReportableRuntimeError

    try:
        with quiet():
            _, found, _ = pyshacl.validate(
                data, shacl_graph=shapes, inference="none", advanced=False, js=False, do_owl_imports=False
            )
    except (ReportableRuntimeError, re.error, SyntaxError, ValueError, RecursionError) as err:
        raise _unusable(err) from err
    if isinstance(found, Exception):
        raise _unusable(found)
    graph: Graph = found
    return graph


def results_of(report: Graph) -> tuple[list[Node], Mapping[Node, Mapping[str, list[Node]]]]:
    """The results of a report graph, in no order, and the values of every node in it by property."""
    about: dict[Node, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
    tops: list[Node] = []
    for subject, predicate, value in report:
        if str(predicate) == SH + "result":
            tops.append(value)
        else:
            about[subject][str(predicate)].append(value)
    return tops, about


def _findings(report: Graph, iris: Iris) -> list[Finding]:
    tops, about = results_of(report)
    return [_finding(node, about, iris, 0) for node in tops]


def _finding(node: Node, about: Mapping[Node, Mapping[str, list[Node]]], iris: Iris, depth: int) -> Finding:
    from rdflib import Literal, URIRef

    row = about[node]

    def first(name: str) -> Node | None:
        values = row.get(SH + name)
        return values[0] if values else None

    value, path, focus = first("value"), first("resultPath"), first("focusNode")
    literal = (str(value), str(value.datatype or XSD + "string")) if isinstance(value, Literal) else None
    value_iri = str(value) if isinstance(value, URIRef) else None
    return Finding(
        focus_iri=str(focus),
        focus=iris.entity_id(str(focus)) if isinstance(focus, URIRef) else None,
        shape=str(first("sourceShape")),
        component=str(first("sourceConstraintComponent")),
        severity=str(first("resultSeverity")).removeprefix(SH),
        path=str(path) if isinstance(path, URIRef) else None,
        value=None if value_iri is None else iris.entity_id(value_iri),
        value_iri=value_iri,
        literal=literal,
        messages=tuple(sorted(_messages(row.get(SH + "resultMessage", [])))),
        details=tuple(_finding(one, about, iris, depth + 1) for one in row.get(SH + "detail", []) if depth < 8),
    )


def _messages(values: Iterable[Any]) -> Iterator[str]:
    """English and untagged messages; all of them where there are none of these."""
    found = list(values)
    english = [one for one in found if not one.language or one.language.lower().split("-")[0] == "en"]
    return (str(one) for one in english or found)


def to_rdflib(term: ox.NamedNode | ox.BlankNode | ox.Literal) -> Node:
    """A term of Oxigraph's as rdflib's; literals keep their lexical form, so that ill-typed ones are found."""
    from rdflib import BNode, Literal, URIRef

    if isinstance(term, ox.NamedNode):
        return URIRef(term.value)
    if isinstance(term, ox.BlankNode):
        return BNode(term.value)
    if term.language:
        return Literal(term.value, lang=term.language)
    return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)


def oxigraph_graph(triples: Iterable[ox.Triple]) -> Graph:
    """A read-only rdflib graph over Oxigraph."""
    import oxrdflib
    from rdflib import Graph
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

    class Counted(oxrdflib.OxigraphStore):
        """Counts once: pySHACL asks a graph for its truth, and so for its length, at every result."""

        _length: int | None = None

        def __len__(self, context: Any = None) -> int:
            if self._length is None:
                self._length = int(super().__len__(context))
            return self._length

    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in triples)
    return Graph(store=Counted(store=store), identifier=DATASET_DEFAULT_GRAPH_ID)


@contextmanager
def quiet() -> Iterator[None]:
    """PySHACL and rdflib write to the terminal what they find odd in shapes; only commands may."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _unusable(err: Exception) -> OntologyError:
    text = " ".join(str(err).split()) or type(err).__name__
    return OntologyError(f"the shapes cannot be used: {text}; correct them in their files")
