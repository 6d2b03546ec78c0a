"""OpenTelemetry's semantic conventions: `groups:` with attributes, and the newer `file_format: definition/2`.

A concept is a group, a span, a metric, an event, an entity, or what one file defines of a namespace. Attributes that
are only referred to get type and description from their definition, in whichever file it stands; what a parent group
has is named, not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kb.model import Caveat, SchemaField, SchemaNote
from kb.sources._text import clipped
from kb.sources.schemas._conventions import SIGNALS, Conventions, attribute_name, mappings, registry_attributes
from kb.sources.schemas._conventions_text import demanded, deprecation, plain, requirement, split_note
from kb.sources.schemas._reading import FileReading, Ids, listed, value_text
from kb.sources.yaml_files import Fields, Items, Node

__all__ = ["Conventions", "looks_like_conventions", "may_be_conventions", "read_notes"]

_FORMAT = "file_format"
_KEY = re.compile(rb"(?:\A|[\r\n])(?:\xef\xbb\xbf)?[\s{]*[\"']?(?:groups|file_format)[\"']?[ \t]*:")
_JSON_KEY = re.compile(rb"\"(?:groups|file_format)\"\s*:")
_NOT_IN_CONCEPT = re.compile(r"[^\w./-]+")
_QUOTED = re.compile(r"`([^`\s]+)`")


def may_be_conventions(data: bytes, suffix: str) -> bool:
    """Whether a file has a key that every such file has; told from its bytes, so that nothing need be parsed."""
    if b"groups" not in data and b"file_format" not in data:
        return False
    return (_JSON_KEY if suffix.lower() == ".json" else _KEY).search(data) is not None


def looks_like_conventions(root: Node) -> bool:
    """Whether a document holds semantic conventions."""
    if not isinstance(root, Fields):
        return False
    if value_text(root.fields.get(_FORMAT)).startswith("definition/"):
        return True
    # Alerting rules have groups as well, but no ids.
    groups = mappings(root, "groups")
    return bool(groups) and "id" in groups[0].fields


def read_notes(roots: Iterable[Node], reading: FileReading, conventions: Conventions) -> list[SchemaNote]:
    """The notes of a file. What cannot be used is left out with a warning: these files are not ours to correct."""
    reader = _Reader(reading, conventions)
    for root in roots:
        if isinstance(root, Fields):
            reader.document(root)
    if reader.undefined:
        names = list(reader.undefined)
        one = len(names) == 1
        what = "an attribute that no file here defines" if one else "attributes that no file here defines"
        lacks = "it has no type and description" if one else "they have no type and description"
        reading.warn(
            next(iter(reader.undefined.values())),
            f"refers to {what}: {listed(names)}; {lacks}, add the files that define {'it' if one else 'them'}",
        )
    return list(reader.notes.values())


class _Reader:
    def __init__(self, reading: FileReading, conventions: Conventions) -> None:
        self.reading, self.conventions = reading, conventions
        self.notes: dict[str, SchemaNote] = {}
        self.undefined: dict[str, int] = {}

    def document(self, root: Fields) -> None:
        for namespace, nodes in registry_attributes(root).items():
            concept = self.conventions.registry(self.reading.shown, namespace)
            self.add(concept, root, nodes, f"Attributes whose names begin with {namespace}.")
        for group in mappings(root, "groups"):
            self.group(group, value_text(group.fields.get("id")))
        for key, (naming, before) in SIGNALS.items():
            for signal in mappings(root, key):
                name = value_text(signal.fields.get(naming))
                self.group(signal, name and f"{before}{name}")

    def group(self, node: Fields, concept: str) -> None:
        if not concept:
            self.reading.warn(node.line, "a group without id or name is left out; give it one")
            return
        attributes = [one for key in ("attributes", "identity", "description") for one in mappings(node, key)]
        self.add(concept, node, attributes, _description(node, attributes, self.conventions.refined(node)))

    def add(self, concept: str, node: Fields, attributes: list[Fields], description: str) -> None:
        concept = _NOT_IN_CONCEPT.sub("_", concept)
        if concept in self.notes:
            self.reading.warn(node.line, f"{clipped(concept)} stands twice in this file; the second is left out")
            return
        ids = Ids()
        named = list(self.named(node, attributes))
        fields = [
            SchemaField(
                ids.take(name),
                name,
                self.conventions.value_type(one, name),
                self.conventions.description(one, name),
                one.line,
            )
            for name, one in named
        ]
        caveats = list(self.caveats(node, concept, None, fields, ids))
        for name, one in named:
            caveats += self.caveats(one, name, name, fields, ids)
        self.notes[concept] = SchemaNote(
            concept, description or None, tuple(fields), tuple(caveats), {}, self.reading.shown, node.line
        )

    def named(self, group: Fields, attributes: list[Fields]) -> Iterator[tuple[str, Fields]]:
        """The attributes that are used, each once, and what an event's body holds."""
        prefix = value_text(group.fields.get("prefix"))
        seen: set[str] = set()
        for node in attributes:
            name, defined = attribute_name(node, prefix)
            if not name:
                if "ref_group" not in node.fields:
                    self.reading.warn(node.line, "an attribute without id, key or ref is left out; give it one")
                continue
            if name in seen:
                self.reading.warn(node.line, f"attribute {clipped(name)} stands twice; the second is left out")
                continue
            seen.add(name)
            if not defined and self.conventions.definition(name) is None:
                self.undefined.setdefault(name, node.line)
            yield name, node
        body = group.mapping("body")
        if body is not None:
            yield from _body_fields(body, "body", seen)

    def caveats(
        self, node: Fields, called: str, field: str | None, fields: list[SchemaField], ids: Ids
    ) -> Iterator[Caveat]:
        """What must be known about an attribute, or about a group where `field` is None."""
        before = "" if field is None else f"{field}."
        known = {one.id for one in fields}

        def caveat(what: str, severity: str, summary: str, line: int) -> Iterator[Caveat]:
            about = (field,) if field else tuple(dict.fromkeys(one for one in _QUOTED.findall(summary) if one in known))
            yield Caveat(ids.take(f"{before}{what}"), severity, summary, None, about, line)

        naming = node.mapping("name")
        for what, owner in (("note", node), ("name.note", naming)):
            note = value_text(owner.fields.get("note")) if owner is not None else ""
            if note and owner is not None:
                for piece in split_note(note):
                    yield from caveat(what, demanded(piece), piece, owner.lines["note"])
        for key, found in (
            ("deprecated", deprecation(node.fields.get("deprecated"))),
            ("requirement_level", requirement(node.fields.get("requirement_level"))),
        ):
            if found is not None:
                severity, words = found
                yield from caveat(key.partition("_")[0], severity, f"`{called}` is {words}", node.lines[key])


def _description(node: Fields, attributes: list[Fields], refined: Fields | None) -> str:
    """What a group says of itself, or what it refines does, on one line; with what it measures and takes over."""
    brief = value_text(node.fields.get("brief"))
    if not brief and refined is not None:
        brief = value_text(refined.fields.get("brief"))
    said = [plain(brief).rstrip(".")]
    metric = value_text(node.fields.get("metric_name"))
    instrument, unit = value_text(node.fields.get("instrument")), value_text(node.fields.get("unit"))
    if instrument:
        said.append(f"{f'Metric {metric}' if metric else 'Metric'}: {instrument}{f' in {unit}' if unit else ''}")
    kind = value_text(node.fields.get("span_kind")) or value_text(node.fields.get("kind"))
    if kind:
        said.append(f"Span of kind {kind}")
    taken_over = [
        *(value_text(node.fields.get(key)) for key in ("extends", "ref")),
        *(value_text(one.fields.get("ref_group")) for one in attributes),
    ]
    names = [one for one in taken_over if one]
    if names:
        said.append(f"Has what {' and '.join(names)} has")
    about = node.fields.get("entity_associations")
    if isinstance(about, Items):
        entities = [value_text(one) for one in about.items]
        said.append(f"Reported for {', '.join(one for one in entities if one)}")
    return " ".join(f"{one}." for one in said if one)


def _body_fields(node: Fields, path: str, seen: set[str]) -> Iterator[tuple[str, Fields]]:
    for one in mappings(node, "fields"):
        name, _ = attribute_name(one)
        inner = f"{path}.{name}"
        if name and inner not in seen:
            seen.add(inner)
            yield inner, one
            yield from _body_fields(one, inner, seen)
