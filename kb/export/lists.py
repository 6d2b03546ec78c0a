"""Nodes and edges for graph tools: GraphML (http://graphml.graphdrawing.org/) and lists in CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from kb.errors import ExportError
from kb.export.network import Edge, Network, Node
from kb.namespaces import XSD
from kb.vocabulary import Vocabulary

__all__ = ["edges_csv", "graphml", "nodes_csv"]

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]")
_NODE_COLUMNS = ("id", "label", "type", "iri", "description")
_EDGE_COLUMNS = ("source", "target", "relation", "label", "iri", "sources")
_BETWEEN = " | "
"""What stands between two pages in one cell. No id of a page holds it: ids come from names of files."""
_KINDS = {
    "boolean": ("boolean", re.compile("true|false")),
    "integer": ("long", re.compile(r"[+-]?[0-9]{1,18}")),
    "decimal": ("double", re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")),
    "double": ("double", re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")),
}


def nodes_csv(network: Network) -> bytes:
    """`id,label,type,iri,description` and a column for each attribute that some node has; in UTF-8."""
    names = _attributes(network)
    rows = ([*_node_cells(node), *(node.attributes.get(name, "") for name in names)] for node in network.nodes.values())
    return _csv([*_NODE_COLUMNS, *(_column(name) for name in names)], rows)


def edges_csv(network: Network, vocabulary: Vocabulary) -> bytes:
    """`source,target,relation,label,iri,sources`: the ends by id, and the pages and notes that state the fact."""
    return _csv(_EDGE_COLUMNS, (_edge_cells(edge, vocabulary) for edge in network.edges))


def graphml(network: Network, vocabulary: Vocabulary) -> bytes:
    """One directed graph, with the columns of both lists as keys. Raises ExportError for characters XML forbids."""
    names = _attributes(network)
    keys = [(name, "string") for name in _NODE_COLUMNS[1:]]
    keys += [(_column(name), _kind(network, name, vocabulary)) for name in names]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(_key(f"n{i}", "node", name, kind) for i, (name, kind) in enumerate(keys)),
        *(_key(f"e{i}", "edge", name, "string") for i, name in enumerate(_EDGE_COLUMNS[2:])),
        '  <graph edgedefault="directed">',
    ]
    for node in network.nodes.values():
        cells = [*_node_cells(node)[1:], *(node.attributes.get(name, "") for name in names)]
        data = "".join(_data(f"n{i}", cell) for i, cell in enumerate(cells) if cell)
        lines.append(f"    <node id={_attribute(node.id)}>{data}</node>")
    for number, edge in enumerate(network.edges):
        cells = _edge_cells(edge, vocabulary)[2:]
        data = "".join(_data(f"e{i}", cell) for i, cell in enumerate(cells) if cell)
        ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
        lines.append(f'    <edge id="f{number}" {ends}>{data}</edge>')
    text = "\n".join([*lines, "  </graph>", "</graphml>", ""])
    wrong = _NOT_XML.search(text)
    if wrong is not None:
        near = text[max(0, wrong.start() - 40) : wrong.start()].rpartition(">")[2]
        raise ExportError(
            f"GraphML cannot hold the character U+{ord(wrong.group()):04X}, which stands after {near!r}; remove it "
            "from the catalogue or the note, or export nodes-csv and edges-csv"
        )
    return text.encode()


def _attributes(network: Network) -> list[str]:
    return sorted({name for node in network.nodes.values() for name in node.attributes})


def _column(name: str) -> str:
    """An attribute's column; one that is called like a column of ours gets a mark."""
    return f"{name}_" if name in _NODE_COLUMNS else name


def _node_cells(node: Node) -> list[str]:
    return [node.id, node.label, node.type, node.iri, node.description]


def _edge_cells(edge: Edge, vocabulary: Vocabulary) -> list[str]:
    relation = vocabulary.relations[edge.relation]
    return [edge.source, edge.target, edge.relation, relation.label, relation.iri, _BETWEEN.join(edge.sources)]


def _kind(network: Network, name: str, vocabulary: Vocabulary) -> str:
    """GraphML's type of an attribute; "string" where some value is not one of the type that the ontology says."""
    datatype = vocabulary.attributes[name].datatype
    kind, form = _KINDS.get(datatype.removeprefix(XSD), ("string", None))
    values = (node.attributes[name] for node in network.nodes.values() if name in node.attributes)
    return kind if form is not None and all(form.fullmatch(value) for value in values) else "string"


def _csv(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return file.getvalue().encode()


def _key(key: str, what: str, name: str, kind: str) -> str:
    return f'  <key id="{key}" for="{what}" attr.name={_attribute(name)} attr.type="{kind}"/>'


def _data(key: str, text: str) -> str:
    # A parser would read a bare carriage return as a line feed.
    return f'<data key="{key}">{escape(text, {chr(13): "&#13;"})}</data>'


def _attribute(text: str) -> str:
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
