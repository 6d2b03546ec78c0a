"""The catalogue as Backstage `catalog-info.yaml`, back through the keys by which `kb.sources.backstage` reads one.

https://backstage.io/docs/features/software-catalog/descriptor-format. Which class is which kind, and which relation
stands in which field, the ontology says by `kb:importKey`. What has no key is left out, and told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kb.errors import ExportError
from kb.export.network import Network
from kb.model import Entity
from kb.names import snake_case
from kb.namespaces import KB
from kb.sources._collect import Gathered
from kb.sources.backstage import DEFAULT_NAMESPACE, EntityReader
from kb.vocabulary import Vocabulary

__all__ = ["write_backstage"]

_FORMAT = "backstage:"
_API_VERSION = "backstage.io/v1alpha1"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_FLAT = ("metadata.annotations.", "metadata.labels.")
"""Fields whose keys hold dots themselves, and whose values are texts."""


@dataclass(frozen=True, slots=True)
class _Card:
    """An entity as it is written: `kind` as the ontology's key spells it."""

    kind: str
    namespace: str
    name: str

    def reference(self, namespace: str) -> str:
        """How an entity of that namespace refers to it."""
        place = "" if self.namespace == namespace else f"{self.namespace}/"
        return f"{self.kind.lower()}:{place}{self.name}"


def write_backstage(network: Network, vocabulary: Vocabulary, entities: Iterable[Entity]) -> tuple[bytes, list[str]]:
    """Descriptors of the entities with their facts, as YAML documents in order of their ids, and what was left out.

    Names that Backstage does not allow are spelt with dashes. Raises ExportError where no class has a key, and for two
    entities that would be one.
    """
    return _Writer(network, vocabulary, entities).write()


class _Writer:
    def __init__(self, network: Network, vocabulary: Vocabulary, entities: Iterable[Entity]) -> None:
        self.network, self.vocabulary = network, vocabulary
        self.entities = {entity.id: entity for entity in entities}
        self.reader = EntityReader(vocabulary, Gathered())
        self.keys: dict[str, list[str]] = defaultdict(list)
        for triple in vocabulary.ontology:
            said = getattr(triple.object, "value", "")
            if triple.predicate.value == KB + "importKey" and said.startswith(_FORMAT):
                self.keys[getattr(triple.subject, "value", "")].append(said.removeprefix(_FORMAT))
        self.left: Counter[str] = Counter()

    def write(self) -> tuple[bytes, list[str]]:
        import yaml

        if not any(self.kind(name) for name in self.vocabulary.classes):
            raise ExportError(
                f'no class of the ontology stands for a kind of Backstage; give one kb:importKey "{_FORMAT}Component"'
            )
        cards = self.cards()
        fields: dict[str, dict[str, Any]] = {one: {} for one in cards}
        for edge in self.network.edges:
            if edge.source in cards and edge.target in cards:
                self.link(edge.source, edge.relation, edge.target, cards, fields)
        documents = [self.document(self.entities[one], card, fields[one]) for one, card in sorted(cards.items())]
        text = yaml.safe_dump_all(
            documents, sort_keys=False, allow_unicode=True, width=120, explicit_start=True, default_flow_style=False
        )
        return text.encode(), [f"{number:,} × {what}" for what, number in sorted(self.left.items())]

    def kind(self, type_name: str, wanted: str = "") -> str | None:
        """The kind of a type, or of the nearest class above it; `wanted` (lower case) where it has several."""
        level = [type_name]
        while level:
            for name in level:
                found = sorted(self.keys.get(self.vocabulary.classes[name].iri, ()))
                if found:
                    return next((one for one in found if one.lower() == wanted), found[0])
            level = [parent for name in level for parent in self.vocabulary.classes[name].parents]
        return None

    def cards(self) -> dict[str, _Card]:
        found: dict[str, _Card] = {}
        taken: dict[_Card, str] = {}
        for one, entity in sorted(self.entities.items()):
            given, _, rest = one.partition(":")
            kind = self.kind(entity.type, given)
            if kind is None:
                self.left[f"{self.vocabulary.classes[entity.type].label}: its class stands for no kind"] += 1
                continue
            namespace, _, name = rest.partition("/")
            if not name or given != kind.lower():
                namespace, name = DEFAULT_NAMESPACE, one
            elif entity.name.lower() == name:
                name = entity.name
            if not _NAME.fullmatch(name):
                name = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:63].strip("-") or "x"
                self.left["name that Backstage does not allow, spelt otherwise"] += 1
            card = _Card(kind, namespace, name)
            key = _Card(kind, namespace, name.lower())
            if key in taken:
                raise ExportError(
                    f"{taken[key]!r} and {one!r} would both be {card.reference('')!r} in Backstage; rename one"
                )
            taken[key], found[one] = one, card
        return found

    # -- facts -----------------------------------------------------------------

    def link(
        self, source: str, relation: str, target: str, cards: dict[str, _Card], fields: dict[str, dict[str, Any]]
    ) -> None:
        """Writes one fact into a field of either end: the first that can hold it and says what kind it refers to."""
        known = self.vocabulary.relations[relation]
        ways = [(source, target, key, False) for key in self.keys.get(known.iri, ())]
        if known.inverse is not None:
            ways += [(target, source, key, True) for key in self.keys.get(known.inverse.iri, ())]
        ranked = sorted(
            (self.rank(cards[at], cards[to], key, relation, back), key, at, to) for at, to, key, back in ways
        )
        for rank, key, at, to in ranked:
            reference = cards[to].reference(cards[at].namespace)
            values = fields[at].setdefault(key, [])
            if rank[0] < 2 and (self.many(key) or not values):
                values.append(reference)
                return
        what = "has no field that holds it" if not ways else "does not fit where it belongs, which holds one value"
        self.left[f"{known.label}: {what}"] += 1

    def rank(self, card: _Card, other: _Card, key: str, relation: str, back: bool) -> tuple[int, int, int]:
        """The lower the better. First: 0 for a key that names the kind of `other`, 2 for one that names another."""
        kind, theirs = card.kind.lower(), other.kind.lower()
        named = self.named(key)
        allowed = self.reader.kinds_for(key, relation, back, kind)
        return (1 if named is None else 0 if named == theirs else 2), int(theirs not in allowed), int(back)

    def named(self, key: str) -> str | None:
        """The kind that a field's name holds: `system` of `spec.system`."""
        words = [word.removesuffix("s") for word in snake_case(key.rsplit(".", 1)[-1]).split("_")]
        kinds = [kind for kind in self.reader.keys.kinds if any(word.endswith(kind) for word in words)]
        return max(kinds, key=len, default=None)

    def many(self, key: str) -> bool:
        """Whether a field holds a list: its name is plural, or ends in a preposition without naming one kind."""
        last = snake_case(key.rsplit(".", 1)[-1]).split("_")
        return last[-1].endswith("s") or (last[-1] in ("of", "on", "to") and self.named(key) is None)

    # -- documents -----------------------------------------------------------------

    def document(self, entity: Entity, card: _Card, fields: dict[str, Any]) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": card.name}
        if card.namespace != DEFAULT_NAMESPACE:
            metadata["namespace"] = card.namespace
        names = [name for name in (entity.name, *entity.aliases) if name != card.name]
        if names:
            metadata["title"] = names[0]
        if len(names) > 1:
            self.left["further name of an entity"] += len(names) - 1
        if entity.description:
            metadata["description"] = entity.description
        found: dict[str, Any] = {
            "apiVersion": _API_VERSION,
            "kind": card.kind,
            "metadata": metadata,
            "spec": {},
        }
        for name, value in sorted(entity.attributes.items()):
            keys = sorted(self.keys.get(self.vocabulary.attributes[name].iri, ()))
            if keys:
                _put(found, keys[0], value)
            else:
                self.left[f"{self.vocabulary.attributes[name].label}: no field stands for it"] += 1
        for key, values in sorted(fields.items()):
            if values:
                _put(found, key, sorted(set(values)) if self.many(key) else values[0])
        return found


def _put(document: dict[str, Any], key: str, value: Any) -> None:
    flat = next((start for start in _FLAT if key.startswith(start)), None)
    parts = [*flat.rstrip(".").split("."), key.removeprefix(flat)] if flat else key.split(".")
    for part in parts[:-1]:
        document = document.setdefault(part, {})
    if flat and not isinstance(value, str):
        value = str(value).lower() if isinstance(value, bool) else str(value)
    document[parts[-1]] = value
