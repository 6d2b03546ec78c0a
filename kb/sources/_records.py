"""The catalogue's own format: records with id, type, name, aliases, description, and the ontology's names as keys."""

from __future__ import annotations

from collections.abc import Iterable

from kb.errors import Fault
from kb.model import Entity
from kb.names import snake_case
from kb.sources._collect import Gathered, Link, Place, meant
from kb.sources._keys import KnownKeys
from kb.sources._text import clipped, unstorable
from kb.sources._values import Value, attribute_value
from kb.sources.yaml_files import Fields, Items, Node, Scalar
from kb.vocabulary import Vocabulary

__all__ = ["RecordReader", "looks_like_records"]

_OWN_KEYS = ("id", "type", "name", "aliases", "description")


def looks_like_records(root: Node, *, named: bool) -> bool:
    """Whether a document is in the own format.

    `named` says that somebody named the file as a catalogue; in files that were only found in a folder, a list or
    mapping without the key `entities` must show ids and types to count.
    """
    if isinstance(root, Items):
        records = [item for item in root.items if isinstance(item, Fields)]
        if named:
            return bool(records) or not root.items
        return bool(records) and all("id" in one.fields and "type" in one.fields for one in records)
    if not isinstance(root, Fields):
        return False
    if "entities" in root.fields:
        return True
    records = [one for one in root.fields.values() if isinstance(one, Fields)]
    if not records or len(records) < len(root.fields):
        return False
    typed = ["type" in one.fields and (named or "name" in one.fields) for one in records]
    return any(typed) if named else all(typed)


class RecordReader:
    """Reads records of documents into what is gathered."""

    def __init__(self, vocabulary: Vocabulary, gathered: Gathered) -> None:
        self.vocabulary, self.gathered = vocabulary, gathered
        inverses = [r.inverse.name for r in vocabulary.relations.values() if r.inverse is not None]
        self.keys = frozenset((*_OWN_KEYS, *vocabulary.attributes, *vocabulary.relations, *inverses))
        self.keys_of = KnownKeys(vocabulary, _OWN_KEYS)
        self.types: dict[str, str | None] = {}
        self.unknown: dict[str, str] = {}

    def read(self, root: Node, file: str) -> None:
        """Takes in one document."""
        if isinstance(root, Fields) and "entities" in root.fields:
            for key, line in root.lines.items():
                if key != "entities" and not key.startswith(("$", ".", "x-")):
                    self.gathered.note(f"ignored key {clipped(key)} beside 'entities'", "remove it", Place(file, line))
            root = root.fields["entities"]
        if isinstance(root, Items):
            for item in root.items:
                self.record(item, None, Place(file, item.line))
        elif isinstance(root, Fields):
            for key, item in root.fields.items():
                self.record(item, Scalar(root.lines[key], key, plain=False), Place(file, root.lines[key]))
        elif not root.empty:
            self.gathered.fault(Place(file, root.line), "'entities' must be a list of records, or records by their id")

    def tell_known_keys(self) -> None:
        """Adds to the warnings, once, which keys there are, if any was ignored."""
        ignored = [where[0] for (what, _), where in self.gathered.repeated.items() if what.startswith("ignored key")]
        known = self.keys_of.known()
        if ignored and known:
            self.gathered.closing.append(Fault(min(ignored).file, None, known))

    def record(self, node: Node, key: Scalar | None, place: Place) -> None:
        if not isinstance(node, Fields):
            self.gathered.fault(place, "must be a record with at least id, type and name")
            return
        entity_id = self.id(node, key, place)
        type_name = self.type(node, place, entity_id)
        name = " ".join((self.text(node, "name", place, entity_id, required=True) or "").split())
        aliases = self.aliases(node, place, entity_id)
        description = self.text(node, "description", place, entity_id)
        attributes = self.others(node, place, entity_id, type_name)
        if entity_id is None:
            return
        other = self.gathered.places.get(entity_id)
        if other is not None:
            self.gathered.fault(place, f"id {clipped(entity_id)} stands at {other} already; ids are unique, change one")
            return
        # A faulty record takes its id too, so that a second one of that id is reported in the same run.
        aliases = tuple(alias for alias in dict.fromkeys(aliases) if alias != name)
        if name and "name" in node.fields:
            self.gathered.spelt[entity_id, name] = Place(place.file, node.fields["name"].line)
        entity = Entity(entity_id, type_name or "", name, aliases, description, attributes, place.file)
        self.gathered.add(entity, place)

    # -- values -----------------------------------------------------------

    def scalar_text(self, node: Node, key: str, file: str) -> str | None:
        """The text of a scalar as it was written, white space around it cut off; None with a fault if it is none."""
        if not isinstance(node, Scalar):
            self.gathered.fault(Place(file, node.line), f"{key} must be a text, not a {_kind(node)}")
            return None
        bad = unstorable(node.text)
        if bad is not None:
            self.gathered.fault(Place(file, node.line), f"{key} holds the character {bad}, which no RDF file can hold")
            return None
        return node.text.strip()

    def text(self, node: Fields, key: str, place: Place, owner: str | None, *, required: bool = False) -> str | None:
        value = node.fields.get(key)
        absent = value is None or (isinstance(value, Scalar) and (value.empty or not value.text.strip()))
        if value is not None and not absent:
            return self.scalar_text(value, key, place.file)
        if required:
            whose = "" if owner is None or key == "id" else f" of {clipped(owner)}"
            word = value.text.strip("~ ") if isinstance(value, Scalar) else ""
            hint = f"; put quotes around {word} if it is meant as a word" if word else ""
            self.gathered.fault(place, f"{key}{whose} is missing; add it{hint}")
        return None

    def id(self, node: Fields, key: Scalar | None, place: Place) -> str | None:
        if key is None:
            return self.text(node, "id", place, None, required=True)
        found = self.scalar_text(key, "id", place.file)
        stated = self.text(node, "id", place, None)
        if found and stated is not None and stated != found:
            self.gathered.fault(
                place, f"the record under {clipped(found)} gives the id {clipped(stated)}; make them the same"
            )
        if found == "":
            self.gathered.fault(place, "id is missing; add it")
        return found or None

    def type(self, node: Fields, place: Place, owner: str | None) -> str | None:
        found = self.text(node, "type", place, owner, required=True)
        if found is None:
            return None
        if found not in self.types:
            name = found if found in self.vocabulary.classes else snake_case(found)
            self.types[found] = name if name in self.vocabulary.classes else None
        if self.types[found] is None:
            hint = self.hint(found, self.vocabulary.classes)
            self.gathered.fault(
                Place(place.file, node.fields["type"].line), f"type {clipped(found)} is unknown; {hint}"
            )
        return self.types[found]

    def aliases(self, node: Fields, place: Place, entity_id: str | None) -> tuple[str, ...]:
        value = node.fields.get("aliases")
        if value is None or (isinstance(value, Scalar) and value.empty):
            return ()
        if not isinstance(value, Items):
            self.gathered.fault(Place(place.file, value.line), f"aliases must be a list of texts, not a {_kind(value)}")
            return ()
        found: list[str] = []
        for item in value.items:
            text = self.scalar_text(item, "an alias", place.file)
            if text == "" or (isinstance(item, Scalar) and item.empty):
                self.gathered.fault(Place(place.file, item.line), "an alias is empty; remove it")
            elif text:
                found.append(" ".join(text.split()))
                if entity_id is not None:
                    self.gathered.spelt.setdefault((entity_id, found[-1]), Place(place.file, item.line))
        return tuple(found)

    # -- keys that the ontology names ---------------------------------------

    def others(self, node: Fields, place: Place, entity_id: str | None, type_name: str | None) -> dict[str, Value]:
        """The attributes; relations are gathered as links."""
        found: dict[str, Value] = {}
        for key, value in node.fields.items():
            if key in _OWN_KEYS or (isinstance(value, Scalar) and value.empty and key in self.keys):
                continue
            where = Place(place.file, value.line)
            if key in self.vocabulary.attributes:
                if not isinstance(value, Scalar):
                    self.gathered.fault(where, f"{key} must be a single value, not a {_kind(value)}")
                    continue
                try:
                    found[key] = attribute_value(value, self.vocabulary.attributes[key].datatype)
                except ValueError as err:
                    self.gathered.fault(where, f"{key} {err}")
            elif (relation := self.vocabulary.relation(key)) is not None:
                self.links(value, key, relation[0].name, relation[1], entity_id, place.file)
            else:
                where = Place(place.file, node.lines[key])
                self.gathered.note(f"ignored key {clipped(key)}", self.keys_of.hint(key, type_name), where)
        return found

    def links(self, value: Node, key: str, relation: str, backwards: bool, entity_id: str | None, file: str) -> None:
        for item in value.items if isinstance(value, Items) else [value]:
            text = self.scalar_text(item, key, file)
            if text == "" or (isinstance(item, Scalar) and item.empty):
                self.gathered.fault(Place(file, item.line), f"{key} holds an empty id; remove it")
            elif text and entity_id is not None:
                link = Link(entity_id, key, relation, backwards, (text,), Place(file, item.line))
                self.gathered.links.append(link)

    def hint(self, word: str, known: Iterable[str]) -> str:
        if word not in self.unknown:
            self.unknown[word] = meant(word, known)
        return self.unknown[word]


def _kind(node: Node) -> str:
    return "list" if isinstance(node, Items) else "mapping" if isinstance(node, Fields) else "single value"
