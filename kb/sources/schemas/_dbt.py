"""dbt's properties files: models, seeds, snapshots and the tables of sources.

A model, seed or snapshot is the concept of its own name, for these share their names in dbt. A table of a source is
`source/table`: no file name, so no model, can hold the stroke.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb.model import Caveat, SchemaField, SchemaNote
from kb.sources._text import clipped, unstorable
from kb.sources.schemas._dbt_checks import checks, constraints, freshness, told_in_meta
from kb.sources.schemas._dbt_docs import DocsBlocks
from kb.sources.schemas._reading import FileReading, Ids, listed, one_line, value_text
from kb.sources.yaml_files import Fields, Items, Node

__all__ = ["looks_like_properties", "read_notes"]

_NODES = {"models": "model", "seeds": "seed", "snapshots": "snapshot"}
_NOT_IN_NAME = re.compile(r"[^\w.-]+")


def looks_like_properties(root: Node) -> bool:
    """Whether a document lists models, seeds, snapshots or sources. A project file has these as mappings."""
    if not isinstance(root, Fields):
        return False
    listed_ = [one for key in (*_NODES, "sources") for one in _mappings(root, key)]
    return any("name" in one.fields for one in listed_) and (
        "version" in root.fields or any({"columns", "tables", "description"} & one.fields.keys() for one in listed_)
    )


def read_notes(roots: Iterable[Node], reading: FileReading, docs: DocsBlocks, path: Path) -> list[SchemaNote]:
    """The notes of a file. What cannot be used is left out with a warning: dbt has its own checks."""
    reader = _Reader(reading, docs, path.parent)
    for root in roots:
        if isinstance(root, Fields):
            reader.document(root)
    if reader.missing:
        names = list(dict.fromkeys(reader.missing))
        what = "a documentation block that is" if len(names) == 1 else "documentation blocks that are"
        reading.warn(
            None,
            f"names {what} in no Markdown file of the schemas' folder: {listed(names)}; these descriptions are left "
            "out, put the .md files there as well",
        )
    return list(reader.notes.values())


class _Reader:
    def __init__(self, reading: FileReading, docs: DocsBlocks, folder: Path) -> None:
        self.reading, self.docs, self.folder = reading, docs, folder
        self.notes: dict[str, SchemaNote] = {}
        self.missing: list[str] = []

    def document(self, root: Fields) -> None:
        for key, kind in _NODES.items():
            for node in _mappings(root, key):
                name = self.name(node, kind)
                if name:
                    self.add(name, node, [node])
        for source in _mappings(root, "sources"):
            name = self.name(source, "source")
            if name:
                for table in _mappings(source, "tables"):
                    called = self.name(table, "table")
                    if called:
                        self.add(f"{name}/{called}", table, [source, table])

    def name(self, node: Fields, kind: str) -> str:
        name = value_text(node.fields.get("name"))
        if not name:
            self.reading.warn(node.line, f"a {kind} without name is left out; give it one")
            return ""
        return _NOT_IN_NAME.sub("_", name)

    def add(self, concept: str, node: Fields, owners: list[Fields]) -> None:
        """`owners` are what settings come from, the nearest last."""
        if concept in self.notes:
            self.reading.warn(node.line, f"{clipped(concept)} stands twice in this file; the second is left out")
            return
        ids = Ids()
        columns = self.columns(node)
        fields = [
            SchemaField(ids.take(name), name, _type(one), self.description(one), one.line)
            for name, one in columns.items()
        ]
        caveats = list(self.caveats(node, None, columns, ids))
        caveats += self.told(freshness(owners), None, columns, ids)
        for name, one in columns.items():
            caveats += self.caveats(one, name, columns, ids)
        self.notes[concept] = SchemaNote(
            concept, self.description(node), tuple(fields), tuple(caveats), {}, self.reading.shown, node.line
        )

    def columns(self, node: Fields) -> dict[str, Fields]:
        found: dict[str, Fields] = {}
        for column in _mappings(node, "columns"):
            if "include" in column.fields:
                # In a version of a model: which columns it takes from the model itself.
                continue
            called = one_line(value_text(column.fields.get("name")))
            if not called:
                self.reading.warn(column.line, "a column without name is left out; give it one")
            elif called in found:
                self.reading.warn(column.line, f"column {clipped(called)} stands twice; the second is left out")
            else:
                found[called] = column
        return found

    def description(self, node: Fields) -> str | None:
        return self.docs.resolved(value_text(node.fields.get("description")), self.folder, self.missing)

    def caveats(self, node: Fields, column: str | None, columns: dict[str, Fields], ids: Ids) -> Iterator[Caveat]:
        """What is tested, demanded or told of a column, or of a whole table where `column` is None."""
        for found in (checks(node, column), constraints(node, column), told_in_meta(node, column)):
            yield from self.told(found, column, columns, ids)

    def told(
        self,
        found: Iterable[tuple[str, str, str, tuple[str, ...], int]],
        column: str | None,
        columns: dict[str, Fields],
        ids: Ids,
    ) -> Iterator[Caveat]:
        for id, severity, said, about, line in found:
            summary = self.docs.resolved(said, self.folder, self.missing)
            if summary is None or unstorable(summary) is not None:
                self.reading.warn(line, f"{id} says nothing that could be kept; it is left out")
                continue
            before = "" if column is None else f"{column}."
            named = (column,) if column is not None else tuple(one for one in about if one in columns)
            yield Caveat(ids.take(f"{before}{id}"), severity, one_line(summary), None, named, line)


def _type(column: Fields) -> str | None:
    return one_line(value_text(column.fields.get("data_type"))) or None


def _mappings(owner: Fields, key: str) -> list[Fields]:
    node = owner.fields.get(key)
    return [one for one in node.items if isinstance(one, Fields)] if isinstance(node, Items) else []
