"""What a query gave back, and how it is written: SPARQL 1.1 results in JSON, XML, CSV and TSV.

https://www.w3.org/TR/sparql11-results-json/, https://www.w3.org/TR/rdf-sparql-XMLres/ and
https://www.w3.org/TR/sparql11-results-csv-tsv/.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox

from kb.errors import QueryError
from kb.namespaces import XSD

__all__ = ["QueryResult", "Term", "to_csv", "to_json", "to_tsv", "to_xml"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer of one query.

    `kind` is `select` (then `variables` and `rows`, one term or None for each variable), `ask` (then `boolean`) or
    `graph` (then `triples`). `truncated` says that there was more than the caller wanted.
    """

    kind: str
    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Term | None, ...], ...] = ()
    boolean: bool | None = None
    triples: tuple[ox.Triple, ...] = ()
    truncated: bool = False

    def to_json(self) -> dict[str, Any]:
        """SPARQL 1.1 Query Results JSON. Raises ValueError for a graph, which has other formats."""
        if self.kind == "graph":
            raise ValueError("triples have no SPARQL results format; serialise them as RDF")
        if self.kind == "ask":
            return {"head": {}, "boolean": bool(self.boolean)}
        bindings = [
            {name: _json_term(term) for name, term in zip(self.variables, row, strict=True) if term is not None}
            for row in self.rows
        ]
        return {"head": {"vars": list(self.variables)}, "results": {"bindings": bindings}}


def to_json(result: QueryResult) -> str:
    """SPARQL 1.1 Query Results JSON as text."""
    return json.dumps(result.to_json(), ensure_ascii=False, indent=2) + "\n"


def to_csv(result: QueryResult) -> str:
    """CSV: values alone, without types or languages; lines end as RFC 4180 asks."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    if result.kind == "ask":
        return f"{'true' if result.boolean else 'false'}\r\n"
    writer.writerow(result.variables)
    for row in result.rows:
        if len(row) == 1 and row[0] is None:
            out.write('""\r\n')  # an empty line would be no record
        else:
            writer.writerow(["" if term is None else _plain(term) for term in row])
    return out.getvalue()


def to_tsv(result: QueryResult) -> str:
    """TSV: terms as in Turtle, so that nothing is lost."""
    if result.kind == "ask":
        return f"{'true' if result.boolean else 'false'}\n"
    lines = ["\t".join(f"?{name}" for name in result.variables)]
    lines.extend("\t".join("" if term is None else _tsv_term(term) for term in row) for row in result.rows)
    return "\n".join(lines) + "\n"


def to_xml(result: QueryResult) -> str:
    """SPARQL Query Results XML. Raises QueryError for a character that XML 1.0 cannot hold, such as U+0001."""
    head = "".join(f"    <variable name={quoteattr(name)}/>\n" for name in result.variables)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<sparql xmlns="http://www.w3.org/2005/sparql-results#">']
    if result.kind == "ask":
        lines += ["  <head/>", f"  <boolean>{'true' if result.boolean else 'false'}</boolean>"]
    else:
        lines += [f"  <head>\n{head}  </head>" if head else "  <head/>", "  <results>"]
        for row in result.rows:
            lines.append("    <result>")
            for name, term in zip(result.variables, row, strict=True):
                if term is not None:
                    lines.append(f"      <binding name={quoteattr(name)}>{_xml_term(term)}</binding>")
            lines.append("    </result>")
        lines.append("  </results>")
    text = "\n".join([*lines, "</sparql>"]) + "\n"
    if found := _NOT_XML.search(text):
        raise QueryError(f"a value holds the character U+{ord(found[0]):04X}, which XML cannot; use --format json")
    return text


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""https://www.w3.org/TR/xml/#charsets"""


def _xml_term(term: Term) -> str:
    if isinstance(term, ox.NamedNode):
        return f"<uri>{_xml_text(term.value)}</uri>"
    if isinstance(term, ox.BlankNode):
        return f"<bnode>{_xml_text(term.value)}</bnode>"
    if isinstance(term, ox.Triple):
        ends = (("subject", term.subject), ("predicate", term.predicate), ("object", term.object))
        inside = "".join(f"<{name}>{_xml_term(end)}</{name}>" for name, end in ends)
        return f"<triple>{inside}</triple>"
    kind = ""
    if term.language:
        kind = f" xml:lang={quoteattr(term.language)}"
    elif term.datatype.value != XSD + "string":
        kind = f" datatype={quoteattr(term.datatype.value)}"
    return f"<literal{kind}>{_xml_text(term.value)}</literal>"


def _xml_text(text: str) -> str:
    # A carriage return as it stands would be read back as a line feed.
    return escape(text, {"\r": "&#13;"})


def _json_term(term: Term) -> dict[str, Any]:
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, ox.Triple):
        ends = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
        return {"type": "triple", "value": {name: _json_term(end) for name, end in ends.items()}}
    data: dict[str, Any] = {"type": "literal", "value": term.value}
    if term.language:
        data["xml:lang"] = term.language
    elif term.datatype.value != XSD + "string":
        data["datatype"] = term.datatype.value
    return data


def _plain(term: Term) -> str:
    if isinstance(term, ox.NamedNode | ox.Literal):
        return term.value
    return str(term)


def _tsv_term(term: Term) -> str:
    if isinstance(term, ox.Literal) and not term.language and term.datatype.value in (XSD + "integer", XSD + "boolean"):
        return term.value
    return str(term).replace("\t", "\\t")
