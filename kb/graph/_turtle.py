"""Turtle and TriG as people write them: prefixes, one block for each thing, `a` first, its name second.

https://www.w3.org/TR/turtle/ and https://www.w3.org/TR/trig/. Only forms are used that every parser reads alike: a
prefixed name never ends in a dot, and a number is written bare only when its text is the usual one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import pyoxigraph as ox

from kb.namespaces import RDF, XSD

__all__ = ["write_turtle"]

_LETTERS = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD"
)
_LOCAL = re.compile(
    f"(?:[{_LETTERS}_0-9]|%[0-9A-Fa-f]{{2}})"
    f"(?:[{_LETTERS}_0-9:/\\-]|%[0-9A-Fa-f]{{2}}|\\.(?=[{_LETTERS}_0-9:/\\-%.]*[{_LETTERS}_0-9:/\\-]))*"
)
_LONG = 100
"""Characters from which on several objects stand on a line each."""
_BARE = {
    XSD + "integer": re.compile(r"0|-?[1-9][0-9]{0,17}"),
    XSD + "decimal": re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,8}[1-9]"),
    XSD + "boolean": re.compile("true|false"),
}


def write_turtle(quads: Sequence[ox.Quad], prefixes: Mapping[str, str]) -> bytes:
    """The quads, in their order; those of named graphs in blocks of their own."""
    terms = _Terms(prefixes)
    blocks: list[str] = []
    for graph, group in groupby(quads, key=lambda quad: quad.graph_name):
        if isinstance(graph, ox.DefaultGraph):
            blocks.extend(_subjects(group, terms, ""))
        else:
            inside = "\n".join(_subjects(group, terms, "    "))
            blocks.append(f"{terms.written(graph)} {{\n{inside}}}\n")
    header = "".join(f"@prefix {name}: <{prefixes[name]}> .\n" for name in sorted(terms.used))
    return "\n".join([header, *blocks] if header else blocks).encode()


def _subjects(quads: Iterator[ox.Quad], terms: _Terms, indent: str) -> Iterator[str]:
    for subject, group in groupby(quads, key=lambda quad: quad.subject):
        lines = []
        for predicate, about in groupby(group, key=lambda quad: quad.predicate):
            values = [terms.written(quad.object) for quad in about]
            line = f"{terms.predicate(predicate)} {' , '.join(values)}"
            if len(line) > _LONG and len(values) > 1:
                line = f"{terms.predicate(predicate)} " + f" ,\n{indent}        ".join(values)
            lines.append(line)
        yield f"{indent}{terms.written(subject)} " + f" ;\n{indent}    ".join(lines) + " .\n"


class _Terms:
    """Terms as text. `used` collects the prefixes to declare."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        # The longest namespace that fits is the right one.
        self.spaces = sorted(((space, name) for name, space in prefixes.items() if name), key=lambda s: -len(s[0]))
        self.used: set[str] = set()
        self._known: dict[str, str] = {}

    def predicate(self, term: ox.NamedNode) -> str:
        return "a" if term.value == RDF + "type" else self.written(term)

    def written(self, term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> str:
        if isinstance(term, ox.NamedNode):
            known = self._known.get(term.value)
            if known is None:
                known = self._known[term.value] = self._name(term.value)
            return known
        if isinstance(term, ox.Triple):
            return f"<<( {self.written(term.subject)} {self.written(term.predicate)} {self.written(term.object)} )>>"
        if isinstance(term, ox.Literal) and not term.language and term.datatype.value != XSD + "string":
            kind = term.datatype.value
            if kind in _BARE and _BARE[kind].fullmatch(term.value):
                return term.value
            return f"{ox.Literal(term.value)}^^{self.written(term.datatype)}"
        return str(term)

    def _name(self, iri: str) -> str:
        for space, name in self.spaces:
            if iri.startswith(space) and _LOCAL.fullmatch(iri, len(space)):
                self.used.add(name)
                return f"{name}:{iri[len(space) :].replace('/', chr(92) + '/')}"
        return f"<{iri}>"
