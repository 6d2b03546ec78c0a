"""Reading RDF files: syntax by suffix, errors by file and line, nothing ever fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph as ox

from kb.errors import OntologyError

__all__ = ["RDF_SUFFIXES", "RdfFile", "rdf_files", "read_rdf"]

RDF_SUFFIXES: dict[str, ox.RdfFormat] = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".n3": ox.RdfFormat.N3,
    ".trig": ox.RdfFormat.TRIG,
    ".nq": ox.RdfFormat.N_QUADS,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".owl": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".json": ox.RdfFormat.JSON_LD,
}


@dataclass(frozen=True, slots=True)
class RdfFile:
    """A parsed file. `triples` leave out which named graph a quad was in."""

    path: Path
    text: str
    triples: tuple[ox.Triple, ...]

    def line_of(self, word: str) -> int | None:
        """The first line that holds `word`, counted from 1."""
        for number, line in enumerate(self.text.splitlines(), 1):
            if word in line:
                return number
        return None


def rdf_files(paths: Sequence[Path], what: str) -> list[Path]:
    """The RDF files among files and folders, in a stable order."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in RDF_SUFFIXES)
            if not inside:
                raise OntologyError(f"{path}: no {what} files here; known suffixes: {', '.join(RDF_SUFFIXES)}")
            found.extend(inside)
        elif path.is_file():
            found.append(path)
        else:
            raise OntologyError(f"{path}: no such {what} file or folder")
    return list(dict.fromkeys(found))


def read_rdf(path: Path) -> RdfFile:
    """Parses one file. Raises OntologyError with file and line."""
    syntax = RDF_SUFFIXES.get(path.suffix.lower())
    if syntax is None:
        raise OntologyError(f"{path}: unknown RDF syntax; known suffixes: {', '.join(RDF_SUFFIXES)}")
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as err:
        raise OntologyError(f"{path}: cannot be read: {err}") from err
    try:
        # The base makes relative IRIs, such as an empty document IRI, legal without saying where the file lies.
        quads = ox.parse(text, format=syntax, base_iri="urn:kb:file:/")
        triples = tuple(dict.fromkeys(quad.triple for quad in quads))
    except (SyntaxError, ValueError) as err:
        line = getattr(err, "lineno", None)
        place = f"{path}:{line}" if line else str(path)
        hint = (
            "; remote JSON-LD contexts are never fetched: write the context into the file"
            if (syntax == ox.RdfFormat.JSON_LD and "context" in str(err).lower())
            else ""
        )
        raise OntologyError(f"{place}: does not parse: {getattr(err, 'msg', None) or err}{hint}") from err
    return RdfFile(path, text, triples)
