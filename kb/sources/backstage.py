"""Backstage `catalog-info.yaml` sets and dialects of theirs.

The format knows kinds, metadata, references and Locations; that much stands here. Which kind is which class, and which
field states which relation, the ontology says by `kb:importKey`: "backstage:Component" on a class,
"backstage:spec.owner" on a relation, an inverse or an attribute. A reference without a kind means one that the relation
allows.

Reading is tolerant: what is no entity of the ontology, dangles or stands twice is left out with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyoxigraph as ox

from kb.model import Entity
from kb.names import snake_case
from kb.namespaces import KB
from kb.sources._collect import Gathered, Link, Place
from kb.sources._text import clipped, unstorable
from kb.sources._values import Value, attribute_value
from kb.sources.yaml_files import Fields, Items, Node, Scalar
from kb.vocabulary import Vocabulary

__all__ = ["DEFAULT_NAMESPACE", "EntityReader", "Reference", "looks_like_entity", "parse_reference", "targets"]

DEFAULT_NAMESPACE = "default"

_FORMAT = "backstage:"
_REFERENCE = re.compile(r"(?:(?P<kind>[^:/]+):)?(?:(?P<namespace>[^:/]+)/)?(?P<name>[^:/]+)")
_LABEL = re.compile(r"""\s+(?:"[^"]*"|'[^']*')\s*\Z""")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to an entity as written: `[kind:][namespace/]name`."""

    name: str
    namespace: str | None = None
    kind: str | None = None

    def __str__(self) -> str:
        kind = "" if self.kind is None else f"{self.kind}:"
        return kind + ("" if self.namespace is None else f"{self.namespace}/") + self.name

    def id(self, kind: str, namespace: str) -> str:
        """The id of the entity, with kind and namespace where the reference has none. Ids are all lower case."""
        return f"{self.kind or kind}:{self.namespace or namespace}/{self.name}".lower()


def parse_reference(text: str) -> Reference | None:
    """Reads a reference; a label in quotes behind it is dropped. None for a text that is no reference.

    >>> parse_reference('resource:flights-cache "populate"')
    Reference(name='flights-cache', namespace=None, kind='resource')
    """
    found = _REFERENCE.fullmatch(_LABEL.sub("", text).strip())
    if found is None:
        return None
    parts = {key: None if value is None else value.strip() for key, value in found.groupdict().items()}
    name = parts["name"]
    if not name or "" in parts.values():
        return None
    return Reference(name, parts["namespace"], parts["kind"])


def looks_like_entity(root: Node) -> bool:
    """Whether a document describes an entity or a Location."""
    return (
        isinstance(root, Fields)
        and root.scalar("kind") is not None
        and (root.mapping("metadata") is not None or root.scalar("apiVersion") is not None)
    )


@dataclass(slots=True)
class _Keys:
    """What the ontology's import keys say."""

    kinds: dict[str, str] = field(default_factory=dict)
    relations: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    attributes: dict[str, list[str]] = field(default_factory=dict)


def import_keys(vocabulary: Vocabulary) -> _Keys:
    """Kind (lower case) -> type; field -> (relation, whether it reads backwards); field -> attribute."""
    keys = _Keys()
    classes = {c.iri: c.name for c in vocabulary.classes.values()}
    attributes = {a.iri: a.name for a in vocabulary.attributes.values()}
    stated = sorted(
        (triple.object.value.removeprefix(_FORMAT), triple.subject.value)
        for triple in vocabulary.ontology
        if triple.predicate.value == KB + "importKey"
        and isinstance(triple.object, ox.Literal)
        and isinstance(triple.subject, ox.NamedNode)
        and triple.object.value.startswith(_FORMAT)
    )
    for key, iri in stated:
        if iri in classes:
            keys.kinds[key.lower()] = classes[iri]
        elif iri in attributes:
            keys.attributes.setdefault(key, []).append(attributes[iri])
        elif (name := vocabulary.name_of(iri)) is not None and (found := vocabulary.relation(name)) is not None:
            keys.relations.setdefault(key, []).append((found[0].name, found[1]))
    return keys


class EntityReader:
    """Reads entity documents into what is gathered."""

    def __init__(self, vocabulary: Vocabulary, gathered: Gathered) -> None:
        self.vocabulary, self.gathered = vocabulary, gathered
        self.keys = import_keys(vocabulary)
        self.guesses: dict[tuple[str, str, bool, str], tuple[str, ...]] = {}

    def read(self, root: Fields, file: str) -> None:
        """Takes in one document. Locations are somebody else's; see `targets`."""
        place = Place(file, root.line)
        kind, metadata = root.scalar("kind"), root.mapping("metadata") or Fields(root.line)
        assert kind is not None
        type_name = self.keys.kinds.get(kind.text.lower())
        if type_name is None:
            if kind.text.lower() != "location":
                known = ", ".join(sorted(self.keys.kinds)) or "none"
                advice = f'kinds it has: {known}. Give a class kb:importKey "{_FORMAT}{kind.text}" to import it'
                self.gathered.note(
                    f"no class of the ontology stands for kind {clipped(kind.text)}; left out", advice, place
                )
            return
        name = metadata.scalar("name")
        if name is None or not name.text.strip():
            self.gathered.fault(place, f"metadata.name of this {kind.text} is missing; add it")
            return
        if "{{" in name.text:
            self.gathered.warn(place, f"{clipped(name.text)} is a template's placeholder, not an entity; left out")
            return
        texts = self.texts(root, metadata)
        bad = next((bad for text in (kind.text, *texts.values()) if (bad := unstorable(text)) is not None), None)
        if bad is not None:
            self.gathered.fault(
                place, f"{clipped(name.text)} holds the character {bad}, which no RDF file can hold; remove it"
            )
            return
        namespace = texts.get("namespace") or DEFAULT_NAMESPACE
        entity_id = Reference(texts["name"], namespace, kind.text).id("", "")
        other = self.gathered.places.get(entity_id)
        if other is not None:
            self.gathered.warn(
                place, f"entity {clipped(entity_id)} stands at {other} already, and that one counts; remove one"
            )
            return
        aliases = dict.fromkeys(texts[key] for key in ("title", "displayName") if texts.get(key))
        entity = Entity(
            id=entity_id,
            type=type_name,
            name=texts["name"],
            aliases=tuple(alias for alias in aliases if alias != texts["name"]),
            description=texts.get("description") or None,
            attributes=self.attributes(root, file),
            source=file,
        )
        self.gathered.add(entity, place)
        self.links(root, entity, kind.text.lower(), namespace, file)

    def texts(self, root: Fields, metadata: Fields) -> dict[str, str]:
        found = {
            key: node.text.strip()
            for key in ("name", "namespace", "title", "description")
            if (node := metadata.scalar(key)) is not None
        }
        shown = _at(root, "spec.profile.displayName")
        if isinstance(shown, Scalar) and not shown.empty:
            found["displayName"] = shown.text.strip()
        return found

    def attributes(self, root: Fields, file: str) -> Mapping[str, Value]:
        found: dict[str, Value] = {}
        for key, names in self.keys.attributes.items():
            node = _at(root, key)
            if node is None or (isinstance(node, Scalar) and node.empty):
                continue
            for name in names:
                try:
                    if not isinstance(node, Scalar):
                        raise ValueError("must be a single value")  # noqa: TRY004, TRY301 (reported below with the others)
                    found.setdefault(name, attribute_value(node, self.vocabulary.attributes[name].datatype))
                except ValueError as err:
                    self.gathered.warn(Place(file, node.line), f"{key} {err}; left out")
        return found

    def links(self, root: Fields, entity: Entity, kind: str, namespace: str, file: str) -> None:
        for key, relations in self.keys.relations.items():
            node = _at(root, key)
            if node is None or (isinstance(node, Scalar) and node.empty):
                continue
            for item in node.items if isinstance(node, Items) else [node]:
                reference = _reference(item)
                place = Place(file, item.line)
                if reference is None or unstorable(str(reference)) is not None:
                    written = f" {clipped(item.text)}" if isinstance(item, Scalar) else ""
                    form = "write kind:namespace/name, namespace/name or name"
                    self.gathered.warn(
                        place, f"{key} of {clipped(entity.id)} holds no reference{written}; left out, {form}"
                    )
                    continue
                for relation, backwards in relations:
                    kinds = (reference.kind,) if reference.kind else self.kinds_for(key, relation, backwards, kind)
                    ids = tuple(reference.id(one, namespace) for one in kinds)
                    self.gathered.links.append(Link(entity.id, key, relation, backwards, ids, place))

    def kinds_for(self, key: str, relation: str, backwards: bool, kind: str) -> tuple[str, ...]:
        """The kinds that a reference without one may have, the likeliest first.

        The field may name it (`spec.system`, `spec.providesApis`, `spec.subcomponentOf`); else it is any kind that the
        relation allows at that end, the referring entity's own before the others.
        """
        guess = key, relation, backwards, kind
        if guess not in self.guesses:
            words = [word.removesuffix("s") for word in snake_case(key.rsplit(".", 1)[-1]).split("_")]
            named = sorted((k for k in self.keys.kinds if any(word.endswith(k) for word in words)), key=len)
            found = named[-1:] or self.allowed(relation, backwards, [kind]) or self.allowed(relation, backwards, None)
            found = found or sorted(self.keys.kinds)
            self.guesses[guess] = tuple(sorted(found, key=lambda one: (one != kind, one)))
        return self.guesses[guess]

    def allowed(self, relation: str, backwards: bool, kinds: list[str] | None) -> list[str]:
        """The kinds that the relation joins with one of `kinds`, or with any."""
        types, known = self.keys.kinds, self.vocabulary.relations[relation]

        def fits(mine: str, theirs: str) -> bool:
            ends = (theirs, mine) if backwards else (mine, theirs)
            return self.vocabulary.fits(known, *ends)

        mine = [types[kind] for kind in (types if kinds is None else kinds)]
        return [other for other, type_name in types.items() if any(fits(one, type_name) for one in mine)]


def _at(node: Node | None, key: str) -> Node | None:
    """The node at a dotted path. Keys may hold dots themselves, as those of annotations do; the longest one wins."""
    if not key or node is None:
        return node
    if not isinstance(node, Fields):
        return None
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in node.fields:
            return _at(node.fields[name], ".".join(parts[length:]))
    return None


def _reference(node: Node) -> Reference | None:
    """A reference as a text, or as a mapping with `ref`, or with `name` and what else is known."""
    if isinstance(node, Scalar):
        return None if node.empty else parse_reference(node.text)
    if not isinstance(node, Fields):
        return None
    for key in ("ref", "targetRef", "entityRef"):
        if (text := node.scalar(key)) is not None:
            found = parse_reference(text.text)
            break
    else:
        text = node.scalar("name")
        found = None if text is None else parse_reference(text.text)
    if found is None:
        return None
    kind, namespace = node.scalar("kind"), node.scalar("namespace")
    return Reference(
        found.name,
        found.namespace or (namespace.text.strip() if namespace else None) or None,
        found.kind or (kind.text.strip() if kind else None) or None,
    )


def targets(root: Fields) -> list[Scalar]:
    """Where a Location points; nothing for other documents."""
    kind = root.scalar("kind")
    if kind is None or kind.text.lower() != "location":
        return []
    found: list[Scalar] = []
    for key in ("spec.target", "spec.targets"):
        node = _at(root, key)
        nodes = node.items if isinstance(node, Items) else [node]
        found.extend(one for one in nodes if isinstance(one, Scalar) and not one.empty)
    return found
