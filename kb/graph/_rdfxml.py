"""RDF/XML, which can write less than the other formats: https://www.w3.org/TR/rdf-syntax-grammar/."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox

from kb.errors import ExportError
from kb.namespaces import RDF, XSD

__all__ = ["write_rdfxml"]

# What every XML parser takes in a name. Newer editions of XML allow more than common parsers do.
_START = (
    r"A-Za-z_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u00FF\u03A3-\u03CE\u0410-\u044F\u3041-\u3094\u30A1-\u30FA"
    r"\u4E00-\u9FA5\uAC00-\uD7A3"
)
_LOCAL = re.compile(f"[{_START}][{_START}0-9.\\-]*$")
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]")
# Names of the syntax itself, which stand for no term.
_SYNTAX = {
    *(
        RDF + name
        for name in ("RDF", "ID", "Description", "about", "parseType", "resource", "nodeID", "datatype", "li")
    ),
    *(RDF + name for name in ("bagID", "aboutEach", "aboutEachPrefix")),
}


def write_rdfxml(triples: Sequence[ox.Triple], prefixes: Mapping[str, str]) -> bytes:
    """The triples, in their order, one element for each run of the same subject.

    Raises ExportError for a predicate that is no XML name, for characters that XML forbids and for triple terms.
    """
    names = _Names(prefixes)
    body: list[str] = []
    for subject, group in groupby(triples, key=lambda triple: triple.subject):
        rest = list(group)
        element = "rdf:Description"
        first = rest[0]
        if first.predicate.value == RDF + "type" and isinstance(first.object, ox.NamedNode):
            typed = names.qualified(first.object.value)
            if typed is not None:
                element, rest = typed, rest[1:]
        body.append(f"\n  <{element} {_about(subject)}>\n")
        body.extend(_property(triple, names) for triple in rest)
        body.append(f"  </{element}>\n")
    declared = "".join(f"\n    xmlns:{name}={quoteattr(space)}" for name, space in sorted(names.used.items()))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF{declared}>\n{"".join(body)}\n</rdf:RDF>\n'.encode()


class _Names:
    """Element names for IRIs. `used` collects the prefixes to declare."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.spaces = {space: name for name, space in prefixes.items() if name}
        self.used = {"rdf": RDF}

    def qualified(self, iri: str) -> str | None:
        """`prefix:local`; None where the IRI does not end in an XML name."""
        match = _LOCAL.search(iri)
        if match is None or iri in _SYNTAX or match.start() == 0:
            return None
        # A known namespace, if what follows it is one name; else everything before the longest name.
        for space, name in self.spaces.items():
            if iri.startswith(space) and match.start() <= len(space) and _LOCAL.match(iri, len(space)):
                self.used[name] = space
                return f"{name}:{iri[len(space) :]}"
        space = iri[: match.start()]
        name = f"ns{sum(1 for one in self.used if re.fullmatch('ns[0-9]+', one)) + 1}"
        self.spaces[space] = name
        self.used[name] = space
        return f"{name}:{match.group()}"


def _property(triple: ox.Triple, names: _Names) -> str:
    name = names.qualified(triple.predicate.value)
    if name is None:
        raise ExportError(
            f"RDF/XML cannot write the predicate {triple.predicate} of {triple.subject}: its end is no XML name; "
            "use another format, such as turtle"
        )
    value = triple.object
    if isinstance(value, ox.NamedNode):
        return f"    <{name} rdf:resource={quoteattr(value.value)}/>\n"
    if isinstance(value, ox.BlankNode):
        return f'    <{name} rdf:nodeID="{value.value}"/>\n'
    if isinstance(value, ox.Triple) or value.direction is not None:
        raise ExportError(f"RDF/XML cannot write {value}, the {triple.predicate} of {triple.subject}; use turtle")
    wrong = _NOT_XML.search(value.value)
    if wrong is not None:
        raise ExportError(
            f"RDF/XML cannot write the character U+{ord(wrong.group()):04X} in the {triple.predicate} "
            f"of {triple.subject}; use another format, such as turtle"
        )
    kind = ""
    if value.language:
        kind = f" xml:lang={quoteattr(value.language)}"
    elif value.datatype.value != XSD + "string":
        kind = f" rdf:datatype={quoteattr(value.datatype.value)}"
    # A parser would read a bare carriage return as a line feed.
    return f"    <{name}{kind}>{escape(value.value, {chr(13): '&#13;'})}</{name}>\n"


def _about(subject: ox.NamedNode | ox.BlankNode | ox.Triple) -> str:
    if isinstance(subject, ox.NamedNode):
        return f"rdf:about={quoteattr(subject.value)}"
    if isinstance(subject, ox.BlankNode):
        return f'rdf:nodeID="{subject.value}"'
    raise ExportError(f"RDF/XML cannot write statements about {subject}; use turtle")
