"""Any RDF file or folder against shapes. What is not in the files that were named is never fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kb._rdf import RdfFile, Triples, rdf_files, read_rdf
from kb._shape_checks import check_shape_values, unknown_terms
from kb.errors import OntologyError
from kb.graph.shacl import check_graph
from kb.graph.shacl_report import Outcome, result_triples
from kb.names import local_name
from kb.namespaces import DCTERMS, FOAF, OWL, PREFIXES, RDFS, SCHEMA, SH, SKOS
from kb.validate.report import SEVERITIES, Place, Report, Row

__all__ = ["Rules", "validate_files"]

_LABELS = (RDFS + "label", SKOS + "prefLabel", DCTERMS + "title", FOAF + "name", SCHEMA + "name")
_PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst", ".7z", ".tgz")
_SHOWN = 3
_IDLE = "nothing was checked: the data hold none of the nodes that the shapes are about"


@dataclass(frozen=True, slots=True)
class Rules:
    """What data are checked against, as triples: shapes, and an ontology whose class hierarchy they may rest on."""

    shapes: tuple[ox.Triple, ...]
    ontology: tuple[ox.Triple, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def read(cls, shapes: Sequence[Path], ontology: Sequence[Path] = ()) -> Rules:
        """Reads files and folders. Raises OntologyError that names all files and values which cannot be used."""
        read_shapes, packed = _read(shapes, "shapes", "s")
        read_ontology, more = _read(ontology, "ontology", "o")
        triples = tuple(t for file in read_shapes for t in file.triples)
        if not any(t.predicate.value.startswith(SH) for t in triples):
            raise OntologyError(f"{', '.join(map(str, shapes))}: there are no SHACL shapes in this")
        check_shape_values(read_shapes)
        notes = (*unknown_terms(read_shapes), *_left_out([*read_shapes, *read_ontology]), *packed, *more)
        return cls(triples, tuple(t for file in read_ontology for t in file.triples), notes)


def validate_files(data: Sequence[Path], rules: Rules) -> Report:
    """A report on RDF files and folders, all of them as one graph; named graphs make no difference.

    The syntax follows from the suffix (`kb._rdf`). Raises OntologyError that names every file which cannot be read,
    with the line where that is known, and for shapes that cannot be used.
    """
    files, packed = _read(data, "RDF", "f")
    triples = [triple for file in files for triple in file.triples]
    found = check_graph([*triples, *rules.ontology], rules.shapes)
    labels = _labels(triples)
    lines = _Lines(files, {one.focus.value for one in found.outcomes if isinstance(one.focus, ox.NamedNode)})
    hosts = _Hosts(rules.shapes)
    rows = [_row(outcome, f"result{number}", labels, lines, hosts) for number, outcome in enumerate(found.outcomes, 1)]
    rows.sort(key=lambda row: SEVERITIES.index(row.level))
    idle = () if found.focus_nodes else (_IDLE,)
    notes = dict.fromkeys((*idle, *_left_out(files), *packed, *rules.notes))
    what = str(data[0]) if len(data) == 1 else f"{len(files):,} files"
    return Report(tuple(rows), what, str(Path.cwd()), dict(PREFIXES), tuple(notes))


# -- reading --------------------------------------------------------------------


def _read(paths: Sequence[Path], what: str, mark: str) -> tuple[list[RdfFile], list[str]]:
    """The files, and notes about packed ones that lie in the folders."""
    packed = [str(path) for path in paths if path.is_file() and path.suffix.lower() in _PACKED]
    if packed:
        raise OntologyError(
            f"{', '.join(packed)}: packed files are not read, because a small one may hold more than fits in memory; "
            "unpack it first"
        )
    read, faults = [], []
    for number, path in enumerate(rdf_files(paths, what)):
        try:
            file = read_rdf(path)
        except OntologyError as err:
            faults.append(str(err))
        else:
            read.append(RdfFile(file.path, file.text, _numbered(file.triples, f"{mark}{number}b")))
    if faults:
        raise OntologyError("\n".join(faults))
    inside = sorted(
        str(file) for path in paths if path.is_dir() for file in path.rglob("*") if file.suffix.lower() in _PACKED
    )
    return read, [f"left out, because it is packed: {file}" for file in inside]


def _numbered(triples: Iterable[ox.Triple], start: str) -> tuple[ox.Triple, ...]:
    """Blank nodes by the order in which the file has them, so that every run calls them the same."""
    labels: dict[str, ox.BlankNode] = {}

    def named(term: Any) -> Any:
        if isinstance(term, ox.BlankNode):
            return labels.setdefault(term.value, ox.BlankNode(f"{start}{len(labels)}"))
        return term

    return tuple(ox.Triple(named(t.subject), t.predicate, named(t.object)) for t in triples)


def _left_out(files: Iterable[RdfFile]) -> list[str]:
    """One note about all that the files import."""
    wanted = {
        t.object.value
        for file in files
        for t in file.triples
        if t.predicate.value == OWL + "imports" and isinstance(t.object, ox.NamedNode)
    }
    declared = {t.subject.value for file in files for t in file.triples if isinstance(t.subject, ox.NamedNode)}
    missing = sorted(wanted - declared)
    if not missing:
        return []
    shown = ", ".join(f"<{one}>" for one in missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return [f"owl:imports are not followed, nothing is fetched: {shown}{more}; name a copy with --ontology"]


# -- rows -----------------------------------------------------------------------


def _row(outcome: Outcome, name: str, labels: Mapping[str, str], lines: _Lines, hosts: _Hosts) -> Row:
    focus = _text(outcome.focus)
    iri = outcome.focus.value if isinstance(outcome.focus, ox.NamedNode) else None
    message = "; ".join(outcome.texts) or f"It does not fulfil {local_name(outcome.component)}."
    inner = [one for one in dict.fromkeys(" ".join(detail.texts) for detail in outcome.details) if one]
    text = message if not inner else f"{message} ({'; '.join(inner[:_SHOWN])})"
    return Row(
        severity=outcome.severity.removeprefix(SH),
        focus=focus,
        label=labels.get(iri, focus) if iri is not None else focus,
        path=_path_text(outcome),
        value=None if outcome.value is None else _text(outcome.value),
        message=message,
        text=text,
        component=outcome.component,
        shape=hosts.shown(outcome.shape),
        places=() if iri is None else lines.of(iri),
        node=ox.BlankNode(name),
        triples=tuple(result_triples(outcome, name)),
    )


def _text(term: Any) -> str:
    return f"_:{term.value}" if isinstance(term, ox.BlankNode) else str(term.value)


def _path_text(outcome: Outcome) -> str | None:
    """The path as SPARQL would write it."""
    if outcome.path is None:
        return None
    graph = Triples(outcome.path_triples)
    marks = {"inversePath": "^{}", "zeroOrMorePath": "{}*", "oneOrMorePath": "{}+", "zeroOrOnePath": "{}?"}

    def written(node: Any, depth: int = 0) -> str:
        if isinstance(node, ox.NamedNode) or depth > 8:
            return str(node)
        for name, form in marks.items():
            for inside in graph.objects(node, SH + name):
                return form.format(written(inside, depth + 1))
        for head in graph.objects(node, SH + "alternativePath"):
            return f"({'|'.join(written(one, depth + 1) for one in graph.members(head))})"
        return "/".join(written(one, depth + 1) for one in graph.members(node))

    return outcome.path.value if isinstance(outcome.path, ox.NamedNode) else written(outcome.path)


def _labels(triples: Iterable[ox.Triple]) -> dict[str, str]:
    """IRI -> what the data call it: English or untagged before others, then the first in order."""
    found: dict[str, tuple[tuple[int, bool, str], str]] = {}
    ranks = {name: rank for rank, name in enumerate(_LABELS)}
    for triple in triples:
        rank = ranks.get(triple.predicate.value)
        if rank is not None and isinstance(triple.object, ox.Literal) and isinstance(triple.subject, ox.NamedNode):
            language = (triple.object.language or "en").lower().split("-")[0]
            key = (rank, language != "en", triple.object.value)
            if triple.subject.value not in found or key < found[triple.subject.value][0]:
                found[triple.subject.value] = (key, triple.object.value)
    return {iri: label for iri, (_, label) in found.items()}


class _Lines:
    """Where IRIs stand in files, by their last part: the line that begins with it, else the first that names it."""

    def __init__(self, files: Sequence[RdfFile], wanted: Iterable[str]) -> None:
        self._names = {iri: local_name(iri) for iri in wanted}
        names = set(self._names.values()) - {""}
        self._found: dict[str, tuple[bool, Place]] = {}
        for file in files if names else ():
            try:
                shown = str(file.path.resolve().relative_to(Path.cwd()))
            except ValueError:
                shown = str(file.path.resolve())
            for number, line in enumerate(file.text.splitlines(), 1):
                first = re.match(r"\S+", line)
                for word in re.finditer(r"[\w.-]*\w", line):
                    name = word.group()
                    if name in names:
                        leads = first is not None and word.start() < first.end()
                        if name not in self._found or (leads and not self._found[name][0]):
                            self._found[name] = (leads, Place(shown, number))

    def of(self, iri: str) -> tuple[Place, ...]:
        found = self._found.get(self._names.get(iri, ""))
        return () if found is None else (found[1],)


class _Hosts:
    """The named shapes that hold blank ones."""

    def __init__(self, shapes: Iterable[ox.Triple]) -> None:
        self._above: dict[Any, list[Any]] = {}
        for triple in shapes:
            if isinstance(triple.object, ox.BlankNode):
                self._above.setdefault(triple.object, []).append(triple.subject)

    def shown(self, shape: Any) -> str:
        """The IRI of a shape, or of the nearest named one above it."""
        todo, seen = [shape], set[Any]()
        while todo:
            one = todo.pop(0)
            if isinstance(one, ox.NamedNode):
                return one.value
            if one not in seen:
                seen.add(one)
                todo += self._above.get(one, [])
        return _text(shape)
