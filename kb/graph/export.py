"""The graph as a file: Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD.

The same graph gives the same bytes, whatever the order in which it was made: everything is sorted, and foreign blank
nodes get the labels of RDFC-1.0 (https://www.w3.org/TR/rdf-canon/); ours there are none.

Formats for one graph hold the facts: the default graph. Formats for several hold everything: the default graph with the
facts, so that whatever loads the file answers the same queries, and beside it each named graph: which page states what,
quotes, rejections, the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kb.errors import ExportError
from kb.graph._jsonld import write_jsonld
from kb.graph._rdfxml import write_rdfxml
from kb.graph._turtle import write_turtle
from kb.graph.prefixes import base_prefixes, vocabulary_prefixes
from kb.graph.selection import graph_iris, selected
from kb.iris import Iris
from kb.namespaces import PREFIXES, RDF, RDFS
from kb.vocabulary import Vocabulary

__all__ = ["FORMATS", "Format", "export", "format_of", "graph_iris", "selected", "serialise"]


@dataclass(frozen=True, slots=True)
class Format:
    """A syntax. `graphs`: whether it holds several graphs; `suffixes`: those of its files, the usual one first."""

    name: str
    rdf: ox.RdfFormat
    graphs: bool
    suffixes: tuple[str, ...]


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("turtle", ox.RdfFormat.TURTLE, False, (".ttl", ".turtle")),
        Format("trig", ox.RdfFormat.TRIG, True, (".trig",)),
        Format("ntriples", ox.RdfFormat.N_TRIPLES, False, (".nt", ".ntriples")),
        Format("nquads", ox.RdfFormat.N_QUADS, True, (".nq", ".nquads")),
        Format("rdfxml", ox.RdfFormat.RDF_XML, False, (".rdf", ".xml", ".owl")),
        Format("jsonld", ox.RdfFormat.JSON_LD, False, (".jsonld", ".json")),
    )
}

_TYPE = RDF + "type"
_RANK = {_TYPE: "0", RDFS + "label": "1"}


def format_of(path: Path) -> Format | None:
    """The format that a file's suffix stands for; None for a suffix that stands for none."""
    suffix = path.suffix.lower()
    return next((one for one in FORMATS.values() if suffix in one.suffixes), None)


def export(
    store: ox.Store,
    syntax: str,
    iris: Iris,
    vocabulary: Vocabulary | None = None,
    *,
    graphs: Sequence[str] = (),
    entities: Sequence[str] = (),
    facts_only: bool = False,
    provenance: bool = False,
    inferences: bool = False,
) -> bytes:
    """What `selected` selects, in the format named `syntax`, in UTF-8.

    Raises ExportError for an unknown format or graph, and for what the format cannot hold, UnknownNameError for an
    unknown entity.
    """
    quads = selected(
        store,
        iris,
        several=_format(syntax).graphs,
        graphs=graphs,
        entities=entities,
        facts_only=facts_only,
        provenance=provenance,
        inferences=inferences,
    )
    prefixes = {**PREFIXES, **base_prefixes(iris), **(vocabulary_prefixes(vocabulary) if vocabulary else {})}
    preferred: list[str] = []
    if vocabulary is not None:
        kinds: tuple[Mapping[str, Any], ...] = (vocabulary.relations, vocabulary.attributes, vocabulary.classes)
        preferred = [term.iri for kind in kinds for term in kind.values()]
    return serialise(quads, syntax, prefixes, preferred=preferred)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise ExportError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return FORMATS[name]


def serialise(
    quads: Iterable[ox.Quad | ox.Triple],
    syntax: str,
    prefixes: Mapping[str, str] = PREFIXES,
    *,
    preferred: Iterable[str] = (),
) -> bytes:
    """Quads in the format named `syntax`, the same bytes for the same set of them.

    A format of one graph gets the triples of all. `preferred`: see `write_jsonld`. Raises ExportError for what the
    format cannot hold.
    """
    form = _format(syntax)
    merge = not form.graphs
    distinct = {
        ox.Quad(*one) if isinstance(one, ox.Triple) else (ox.Quad(*one.triple) if merge else one) for one in quads
    }
    ordered = _sorted(_canonical(distinct), by_line=form.rdf in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS))
    if form.rdf in (ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG):
        return write_turtle(ordered, prefixes)
    if form.graphs:
        return ox.serialize(ordered, format=form.rdf) or b""
    triples = [quad.triple for quad in ordered]
    if form.rdf == ox.RdfFormat.JSON_LD:
        return write_jsonld(triples, prefixes, preferred)
    if form.rdf == ox.RdfFormat.RDF_XML:
        return write_rdfxml(triples, prefixes)
    return ox.serialize(triples, format=form.rdf) or b""


def _canonical(quads: set[ox.Quad]) -> Iterable[ox.Quad]:
    may_hold = (ox.BlankNode, ox.Triple)
    if not any(isinstance(t, may_hold) for quad in quads for t in (quad.subject, quad.object, quad.graph_name)):
        return quads
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


def _sorted(quads: Iterable[ox.Quad], *, by_line: bool) -> list[ox.Quad]:
    """In the order of lines, or by graph (the default one first) and subject, what a thing is before what it has."""
    if by_line:
        return sorted(quads, key=str)

    def key(quad: ox.Quad) -> tuple[str, str, str, str, str]:
        graph = "" if isinstance(quad.graph_name, ox.DefaultGraph) else str(quad.graph_name)
        predicate = quad.predicate.value
        # Without the bracket at its end, an IRI comes before those that it begins.
        subject, value = str(quad.subject).removesuffix(">"), str(quad.object).removesuffix(">")
        return graph, subject, _RANK.get(predicate, "2"), predicate, value

    return sorted(quads, key=key)
