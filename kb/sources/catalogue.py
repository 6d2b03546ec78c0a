"""The catalogue: every entity there is, and what catalogue files state about them.

Files may be in the own format (`entities:` with records) or Backstage's, in YAML or JSON, mixed as one likes. A folder
is searched; a Backstage Location brings in what it points at, as long as that lies in the folder of the path that was
named.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb.config import Config
from kb.errors import CatalogueError, Fault
from kb.model import Entity, Statement
from kb.sources._collect import Gathered, Place
from kb.sources._records import RecordReader, looks_like_records
from kb.sources._shared import shared_name_warnings
from kb.sources._targets import target_files
from kb.sources._text import clipped, printable
from kb.sources._walk import walk
from kb.sources.backstage import EntityReader, looks_like_entity, targets
from kb.sources.yaml_files import Document, Fields, Items, Node, Scalar, read_file
from kb.vocabulary import Vocabulary

__all__ = ["CATALOGUE_SUFFIXES", "Catalogue", "load_catalogue"]

CATALOGUE_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Catalogue:
    """What catalogue files hold.

    `entities` by id in the order of the files. `statements` name ids, have the file as `source` and no evidence; the
    relation is always the stored one, never an inverse. `warnings` are names that
    several entities share, and what was left out: dangling and repeated references, ignored keys, kinds without a
    class. `digest` is the SHA-256 of what was read, in hexadecimal. `followed` says that a Location brought files in.
    """

    entities: dict[str, Entity]
    statements: tuple[Statement, ...] = ()
    warnings: tuple[Fault, ...] = ()
    digest: str = ""
    followed: bool = field(default=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """A structure of lists, mappings and plain values that `from_json` turns back into an equal catalogue."""
        return {
            "digest": self.digest,
            "entities": [
                {
                    "id": one.id,
                    "type": one.type,
                    "name": one.name,
                    "aliases": list(one.aliases),
                    "description": one.description,
                    "attributes": dict(one.attributes),
                    "source": one.source,
                }
                for one in self.entities.values()
            ],
            "statements": [
                {"subject": one.subject, "relation": one.relation, "object": one.object, "source": one.source}
                for one in self.statements
            ],
            "warnings": [{"file": one.file, "line": one.line, "message": one.message} for one in self.warnings],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes) -> Catalogue:
        """The catalogue that `to_json` wrote down, as a structure or as JSON text. Raises CatalogueError."""
        try:
            found = json.loads(data) if isinstance(data, (str, bytes)) else data
            entities = [Entity(**{**one, "aliases": tuple(one["aliases"])}) for one in found["entities"]]
            return cls(
                entities={one.id: one for one in entities},
                statements=tuple(Statement(**one, from_page=False) for one in found["statements"]),
                warnings=tuple(Fault(**one) for one in found["warnings"]),
                digest=found["digest"],
            )
        except (ValueError, KeyError, TypeError, RecursionError) as err:
            raise CatalogueError(
                f"the catalogue of this build cannot be read ({err}); build again with `kb build --force`"
            ) from err


def load_catalogue(paths: Sequence[Path], vocabulary: Vocabulary, config: Config) -> Catalogue:
    """Reads catalogue files and folders.

    Raises CatalogueError listing every fault of every file: what does not parse, has two entities of one id (in the own
    format), lacks id, type or name, has a type or a value that the ontology does not know.
    """
    loader = _Loader(vocabulary, config)
    for path in paths:
        loader.load(path)
    gathered = loader.gathered
    if gathered.faults:
        faults = sorted(set(gathered.faults), key=lambda fault: (fault.file, fault.line or 0, fault.message))
        count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise CatalogueError(f"the catalogue has {count}, nothing was built:", faults)
    statements = gathered.statements()
    loader.records.tell_known_keys()
    # First, because a name that means two things costs statements on any page.
    warnings = shared_name_warnings(gathered.entities, gathered.places, gathered.spelt)
    told = (*warnings, *gathered.all_warnings())
    return Catalogue(gathered.entities, statements, told, loader.digest.hexdigest(), followed=loader.followed)


@dataclass(frozen=True, slots=True)
class _Todo:
    """A file to read.

    `folder` is the real path that Locations must not lead out of; `named` as in looks_like_records; `target` is where a
    Location names the file.
    """

    path: Path
    folder: str
    named: bool
    target: Place | None = None


class _Loader:
    def __init__(self, vocabulary: Vocabulary, config: Config) -> None:
        self.config = config
        self.gathered = Gathered()
        self.records = RecordReader(vocabulary, self.gathered)
        self.entities = EntityReader(vocabulary, self.gathered)
        self.digest = hashlib.sha256()
        self.seen: set[str] = set()
        self.todo: deque[_Todo] = deque()
        self.followed = False

    def load(self, path: Path) -> None:
        shown = printable(self.config.shown(path))
        is_folder = os.path.isdir(path)  # noqa: PTH112 (Path.is_dir raises for paths that may not be looked at)
        if is_folder:
            found = walk(path, CATALOGUE_SUFFIXES)
            for name, message in found.faults:
                self.gathered.warnings.append(Fault(f"{shown}/{name}", None, message))
            self.todo.extend(_Todo(file.path, os.path.realpath(path), named=False) for file in found.files)
        elif os.path.isfile(path):  # noqa: PTH113
            self.todo.append(_Todo(path, os.path.realpath(path.parent), named=True))
        else:
            self.gathered.faults.append(Fault(shown, None, "no such catalogue file or folder; correct it in kb.toml"))
            return
        recognised = 0
        while self.todo:
            recognised += self.read(self.todo.popleft())
        if not recognised and is_folder:
            message = "no catalogue in this folder: no `entities:` and no documents with `kind` and `metadata`"
            self.gathered.faults.append(Fault(shown, None, message))

    def read(self, todo: _Todo) -> bool:
        """Reads one file unless it was read before. Whether it is part of a catalogue."""
        real = os.path.realpath(todo.path)
        if real in self.seen:
            return True
        self.seen.add(real)
        document = read_file(todo.path, printable(self.config.shown(todo.path)))
        recognised = False
        for root in document.roots:
            recognised |= self.take(root, document, todo)
        if document.faults and not todo.named and _is_template(document):
            message = "skipped: it is a template, not YAML; move it out of the catalogue's folder"
            self.gathered.warnings.append(Fault(document.shown, document.faults[0].line, message))
            return recognised
        self.gathered.faults.extend(document.faults)
        if recognised or document.faults:
            self.digest.update(f"{document.shown}\0{len(document.data)}\0".encode())
            self.digest.update(document.data)
        elif todo.named:
            message = (
                "holds no catalogue: write `entities:` with a list of records (id, type, name), or Backstage documents "
                "with `kind` and `metadata`"
            )
            self.gathered.faults.append(Fault(document.shown, None, message))
        elif todo.target is not None:
            self.gathered.warn(todo.target, f"target {document.shown} holds no entities; remove it")
        return recognised or bool(document.faults)

    def take(self, root: Node, document: Document, todo: _Todo) -> bool:
        """Reads one document of a file. Whether it is part of a catalogue."""
        # What Backstage's own API gives out: entities in a list, or under `items`.
        items = root.fields.get("items") if isinstance(root, Fields) else root
        if isinstance(items, Items) and items.items and all(looks_like_entity(one) for one in items.items):
            for one in items.items:
                self.take(one, document, todo)
            return True
        if isinstance(root, Fields) and looks_like_entity(root):
            self.entities.read(root, document.shown)
            for target in targets(root):
                self.follow(target, document.shown, todo)
            return True
        if looks_like_records(root, named=todo.named):
            self.records.read(root, document.shown)
            return True
        if todo.named and len(document.roots) > 1 and not (isinstance(root, Scalar) and root.empty):
            self.gathered.fault(Place(document.shown, root.line), "this document is no part of a catalogue; remove it")
        return False

    # -- Locations --------------------------------------------------------

    def follow(self, target: Scalar, file: str, todo: _Todo) -> None:
        """Queues the files that a Location names."""
        self.followed = True
        place, text = Place(file, target.line), target.text.strip()
        try:
            found = target_files(text, todo.path.parent, todo.folder)
        except (ValueError, OSError) as err:
            self.gathered.warn(place, f"target {clipped(text)} {err}")
            return
        self.todo.extend(
            _Todo(path, todo.folder, named=False, target=place if len(found) == 1 else None) for path in found
        )


def _is_template(document: Document) -> bool:
    return "{{" in document.text or "{%" in document.text
