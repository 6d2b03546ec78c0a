"""Reading RDF files: syntax by suffix, errors by file and line, nothing ever fetched."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph as ox

from kb._rdf_places import unusable_iris, xml_line
from kb.errors import OntologyError
from kb.names import local_name
from kb.namespaces import RDF

__all__ = ["RDF_SUFFIXES", "RdfFile", "Term", "Triples", "canonical", "rdf_files", "read_rdf"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

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
# Taken as RDF when named, but not when merely lying in a folder: anything may be in there.
_ONLY_WHEN_NAMED = (".xml", ".json")


@dataclass(frozen=True, slots=True)
class RdfFile:
    """A parsed file. `triples` leave out which named graph a quad was in."""

    path: Path
    text: str
    triples: tuple[ox.Triple, ...]

    def line_of(self, iri: str) -> int | None:
        """The first line that seems to name `iri`, by its local name; lines count from 1."""
        local = local_name(iri)
        if not local:
            return None
        named = re.compile(rf"(?<![\w-]){re.escape(local)}(?![\w-])")
        for number, line in enumerate(self.text.splitlines(), 1):
            if named.search(line):
                return number
        return None

    def place_of(self, iri: str) -> str:
        """File and line that name `iri`, for messages."""
        line = self.line_of(iri)
        return f"{self.path}:{line}" if line else str(self.path)


def rdf_files(paths: Sequence[Path], what: str) -> list[Path]:
    """The RDF files among files and folders, in a stable order. Hidden files and folders are left out.

    Raises OntologyError for a path that is not there and for a folder without RDF files.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if _belongs(p, path))
            if not inside:
                known = ", ".join(s for s in RDF_SUFFIXES if s not in _ONLY_WHEN_NAMED)
                raise OntologyError(f"{path}: no {what} files in this folder; suffixes looked for: {known}")
            found.extend(inside)
        elif path.is_file():
            found.append(path)
        else:
            raise OntologyError(f"{path}: no such {what} file or folder")
    return list(dict.fromkeys(found))


def _belongs(path: Path, folder: Path) -> bool:
    suffix = path.suffix.lower()
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return suffix in RDF_SUFFIXES and suffix not in _ONLY_WHEN_NAMED and not hidden and path.is_file()


def read_rdf(path: Path) -> RdfFile:
    """Parses one file. Raises OntologyError with file and, where the parser knows it, line."""
    syntax = RDF_SUFFIXES.get(path.suffix.lower())
    if syntax is None:
        raise OntologyError(f"{path}: unknown RDF syntax; known suffixes: {', '.join(RDF_SUFFIXES)}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as err:
        raise OntologyError(f"{path}: cannot be read: {err}") from err
    if syntax == ox.RdfFormat.RDF_XML:
        _check_entities(path, text)
    try:
        # The base makes relative IRIs, such as an empty document IRI, legal without saying where the file lies. Blank
        # nodes are renamed, so that the same label in two files does not become one node.
        quads = ox.parse(text, format=syntax, base_iri="urn:kb:file:/", rename_blank_nodes=True)
        triples = tuple(dict.fromkeys(quad.triple for quad in quads))
    except (SyntaxError, ValueError) as err:
        line = getattr(err, "lineno", None) or (xml_line(text, str(err)) if syntax == ox.RdfFormat.RDF_XML else None)
        place = f"{path}:{line}" if line else str(path)
        why = re.sub(r"^Parser error at line \d+ column (\d+):", r"column \1:", str(getattr(err, "msg", None) or err))
        if "LoadDocumentCallback" in why:
            why = "it names a remote JSON-LD context, and those are never fetched; write the context into the file"
        raise OntologyError(f"{place}: does not parse: {why}") from err
    if syntax == ox.RdfFormat.JSON_LD:
        for line, iri in unusable_iris(text):
            raise OntologyError(f"{path}:{line}: does not parse: {iri!r} is no IRI; what it names would be left out")
    return RdfFile(path, text, triples)


def _check_entities(path: Path, text: str) -> None:
    """Refuses XML entities that would expand to many times the file; the parser expands without a limit.

    Those that ontology editors write, one for each namespace, are far from it.
    """
    outside = re.search(r"<!ENTITY\s+(?:%\s*)?(\S+)\s+(?:SYSTEM|PUBLIC)\s", text)
    if outside:
        line = text.count("\n", 0, outside.start()) + 1
        raise OntologyError(f"{path}:{line}: entity {outside[1]!r} is another file, and those are never read")
    size = 0
    for found in re.finditer(r"""<!ENTITY\s+([^\s%]+)\s+(?:"([^"]*)"|'([^']*)')""", text):
        value = found[2] or found[3] or ""
        if re.search(r"&(?!#)(?!amp;|lt;|gt;|quot;|apos;)", value):
            line = text.count("\n", 0, found.start()) + 1
            raise OntologyError(f"{path}:{line}: entity {found[1]!r} is made of other entities, which is refused")
        size += len(value) * text.count(f"&{found[1]};")
    if size > _LARGEST_EXPANSION + len(text):
        raise OntologyError(f"{path}: its XML entities expand to {size:,} characters, which is refused; write them out")


_LARGEST_EXPANSION = 10_000_000
"""Characters."""


def canonical(triples: Iterable[ox.Triple], prefix: str) -> tuple[ox.Triple, ...]:
    """Sorted triples in which blank nodes have the labels of RDFC-1.0 after `prefix`, the same at every run.

    https://www.w3.org/TR/rdf-canon/
    """
    distinct = dict.fromkeys(triples)
    if any(isinstance(end, ox.BlankNode) for triple in distinct for end in (triple.subject, triple.object)):
        _check_blank_nodes(distinct)
        dataset = ox.Dataset(ox.Quad(*triple) for triple in distinct)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        distinct = dict.fromkeys(_relabelled(quad, prefix) for quad in dataset)
    return tuple(sorted(distinct, key=str))


_HARD = 20.0
"""Natural logarithm of the orders that labelling may have to try."""


def _check_blank_nodes(triples: Iterable[ox.Triple]) -> None:
    """Raises OntologyError where blank nodes are so much alike that telling them apart could take for ever.

    RDFC-1.0 tries all orders of neighbours that look the same (https://www.w3.org/TR/rdf-canon/#dataset-poisoning).
    What files hold in earnest, lists and restrictions, forms trees whose branches differ: those have one order.
    """
    around: dict[ox.BlankNode, list[tuple[str, Term]]] = defaultdict(list)
    for triple in triples:
        ends = (
            (triple.subject, f"> {triple.predicate}", triple.object),
            (triple.object, f"< {triple.predicate}", triple.subject),
        )
        for node, way, other in ends:
            if isinstance(node, ox.BlankNode):
                around[node].append((way, other))
    colours = dict.fromkeys(around, "")
    for _ in range(8):
        colours = {
            node: hashlib.sha256(
                "\n".join(
                    sorted(way + (colours[o] if isinstance(o, ox.BlankNode) else str(o)) for way, o in rows)
                ).encode()
            ).hexdigest()
            for node, rows in around.items()
        }
    effort: dict[ox.BlankNode, float] = {}
    for node, rows in around.items():
        alike = Counter((way, colours[other]) for way, other in rows if isinstance(other, ox.BlankNode))
        effort[node] = sum(math.lgamma(number + 1) for number in alike.values())
    done: set[ox.BlankNode] = set()
    for start in around:
        total, todo = 0.0, [start]
        while todo:
            node = todo.pop()
            if node not in done:
                done.add(node)
                total += effort[node]
                todo.extend(other for _, other in around[node] if isinstance(other, ox.BlankNode))
        if total > _HARD:
            named = sorted({way[2:] for way, other in around[start] if isinstance(other, ox.BlankNode)})
            raise OntologyError(
                f"blank nodes that {' and '.join(named)} join are too much alike to be told apart; give them names, "
                "or leave out those that say the same"
            )


def _relabelled(quad: ox.Quad, prefix: str) -> ox.Triple:
    subject, value = quad.subject, quad.object
    if isinstance(subject, ox.BlankNode):
        subject = ox.BlankNode(prefix + subject.value)
    if isinstance(value, ox.BlankNode):
        value = ox.BlankNode(prefix + value.value)
    return ox.Triple(subject, quad.predicate, value)


class Triples:
    """Questions that reading an ontology or shapes asks of their triples. All answers are in a stable order."""

    def __init__(self, triples: Iterable[ox.Triple]) -> None:
        self.store = ox.Store()
        self.store.extend(ox.Quad(*triple) for triple in triples)

    def objects(self, subject: Term | str, predicate: str) -> list[Term]:
        """What stands after subject and predicate."""
        node = ox.NamedNode(subject) if isinstance(subject, str) else subject
        if not isinstance(node, ox.NamedNode | ox.BlankNode):
            return []
        quads = self.store.quads_for_pattern(node, ox.NamedNode(predicate), None)
        return sorted((quad.object for quad in quads), key=str)

    def iris(self, subject: Term | str, *predicates: str) -> list[str]:
        """The IRIs among `objects`."""
        return [o.value for p in predicates for o in self.objects(subject, p) if isinstance(o, ox.NamedNode)]

    def subjects(self, predicate: str, value: Term | None = None) -> list[ox.NamedNode | ox.BlankNode]:
        """What stands before predicate and value."""
        quads = self.store.quads_for_pattern(None, ox.NamedNode(predicate), value)
        found = {q.subject for q in quads if isinstance(q.subject, ox.NamedNode | ox.BlankNode)}
        return sorted(found, key=str)

    def named(self, predicate: str, value: str | None = None) -> list[str]:
        """The IRIs among `subjects`."""
        object_ = None if value is None else ox.NamedNode(value)
        return [s.value for s in self.subjects(predicate, object_) if isinstance(s, ox.NamedNode)]

    def typed(self, *classes: str) -> list[str]:
        """IRIs that have one of these types."""
        return sorted({iri for name in classes for iri in self.named(RDF + "type", name)})

    def members(self, head: Term) -> list[Term]:
        """The members of an RDF list, in its order; a broken or circular list ends where it breaks."""
        found: list[Term] = []
        seen: set[Term] = set()
        while head not in seen:
            seen.add(head)
            found.extend(self.objects(head, RDF + "first"))
            rest = self.objects(head, RDF + "rest")
            if not rest:
                break
            head = rest[0]
        return found

    def closure(self, iri: str, predicate: str) -> set[str]:
        """An IRI and all that `predicate` leads to from it, in any number of steps."""
        found: set[str] = set()
        todo = [iri]
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo.extend(self.iris(one, predicate))
        return found
