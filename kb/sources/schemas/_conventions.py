"""All semantic conventions of a folder: where attributes are defined, and what registries are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.sources.schemas._conventions_text import plain
from kb.sources.schemas._reading import value_text
from kb.sources.yaml_files import Fields, Items, Node, Scalar

__all__ = ["SIGNALS", "Conventions", "attribute_name", "mappings", "registry_attributes"]

# Lists of `definition/2` files: the key that names an item, and what stands before the name in the older format.
SIGNALS = {
    "attribute_groups": ("id", ""),
    "spans": ("type", "span."),
    "metrics": ("name", "metric."),
    "events": ("name", "event."),
    "entities": ("type", "entity."),
    "span_refinements": ("id", ""),
    "metric_refinements": ("id", ""),
    "event_refinements": ("id", ""),
    "entity_refinements": ("id", ""),
}
_MEMBERS_TOLD = 20
_EXAMPLES, _LONGEST_EXAMPLE = 5, 80


class Conventions:
    """Attributes by name, for references that cross files. `files` are (name for messages, documents) in order."""

    def __init__(self, files: Iterable[tuple[str, tuple[Node, ...]]]) -> None:
        self._definitions: dict[str, Fields] = {}
        self._registries: dict[tuple[str, str], str] = {}
        self._signals: dict[str, Fields] = {}
        taken: set[str] = set()
        registries: list[tuple[str, str]] = []
        for shown, roots in files:
            for root in roots:
                if not isinstance(root, Fields):
                    continue
                taken.update(value_text(group.fields.get("id")) for group in mappings(root, "groups"))
                for key, (naming, before) in SIGNALS.items():
                    for one in mappings(root, key):
                        name = value_text(one.fields.get(naming))
                        taken.add(f"{before}{name}")
                        if before:
                            self._signals.setdefault(name, one)
                for name, node in _defined(root):
                    self._define(name, node)
                registries += [(shown, namespace) for namespace in registry_attributes(root)]
        for shown, namespace in registries:
            if (shown, namespace) not in self._registries:
                self._registries[shown, namespace] = _free(namespace, shown, taken)

    def _define(self, name: str, node: Fields) -> None:
        before = self._definitions.setdefault(name, node)
        if before is not node and "deprecated" in before.fields and "deprecated" not in node.fields:
            self._definitions[name] = node

    def definition(self, name: str) -> Fields | None:
        """The mapping that defines an attribute; None where no file does."""
        return self._definitions.get(name)

    def refined(self, node: Fields) -> Fields | None:
        """The span, metric, event or entity that a mapping refines; None where it refines none, or no file has it."""
        return self._signals.get(value_text(node.fields.get("ref")))

    def registry(self, shown: str, namespace: str) -> str:
        """The concept of the attributes of one namespace that a `definition/2` file defines."""
        return self._registries.get((shown, namespace), f"registry.{namespace}")

    def value_type(self, node: Fields, name: str) -> str | None:
        """What an attribute holds: its own words, or those of its definition; `enum` for a choice."""
        found = self._own_or_defined(node, name, "type")
        return "enum" if isinstance(found, Fields) else value_text(found) or None

    def description(self, node: Fields, name: str) -> str | None:
        """What an attribute is, which values it may have, examples."""
        said = [plain(value_text(self._own_or_defined(node, name, "brief")))]
        members = self._own_or_defined(node, name, "type")
        members = members if isinstance(members, Fields) else self._own_or_defined(node, name, "members")
        choices = list(_choices(members))
        if choices:
            said.append(f"One of: {', '.join(choices)}")
        examples = [] if choices else _examples(self._own_or_defined(node, name, "examples"))
        if examples:
            said.append(f"For example: {', '.join(examples)}")
        return " ".join(one if one.endswith((".", "!", "?")) else f"{one}." for one in said if one) or None

    def _own_or_defined(self, node: Fields, name: str, key: str) -> Node | None:
        own = node.fields.get(key)
        if own is not None and not (isinstance(own, Scalar) and not own.text.strip()):
            return own
        defined = self._definitions.get(name)
        return None if defined is None else defined.fields.get(key)


def mappings(owner: Fields, key: str) -> list[Fields]:
    """The mappings in the list under a key; what else is there is passed over."""
    node = owner.fields.get(key)
    return [one for one in node.items if isinstance(one, Fields)] if isinstance(node, Items) else []


def attribute_name(node: Fields, prefix: str = "") -> tuple[str, bool]:
    """(name, whether it is defined here) of an attribute; an empty name where there is none."""
    for key in ("key", "id", "ref"):
        name = value_text(node.fields.get(key))
        if name:
            return (f"{prefix}.{name}" if prefix and key == "id" else name), key != "ref"
    return "", False


def registry_attributes(root: Fields) -> dict[str, list[Fields]]:
    """The attributes that a `definition/2` file defines, by the first part of their names."""
    found: dict[str, list[Fields]] = {}
    for node in mappings(root, "attributes"):
        name, _ = attribute_name(node)
        if name:
            found.setdefault(name.partition(".")[0], []).append(node)
    return found


def _defined(root: Fields) -> Iterator[tuple[str, Fields]]:
    for owner in (root, *mappings(root, "groups"), *mappings(root, "attribute_groups")):
        prefix = value_text(owner.fields.get("prefix"))
        for node in mappings(owner, "attributes"):
            name, here = attribute_name(node, prefix)
            if name and here:
                yield name, node


def _free(namespace: str, shown: str, taken: set[str]) -> str:
    """A name for a registry that nothing else has: the second of a namespace is told by its file."""
    name = f"registry.{namespace}"
    stem = shown.rpartition(".")[0]
    for candidate in (name, f"{name}.{stem.rpartition('/')[2]}", f"{name}.{stem}"):
        if candidate not in taken:
            taken.add(candidate)
            return candidate
    return f"{name}.{stem}"


def _choices(node: Node | None) -> Iterator[str]:
    members = mappings(node, "members") if isinstance(node, Fields) else []
    if isinstance(node, Items):
        members = [one for one in node.items if isinstance(one, Fields)]
    told = len(members) <= _MEMBERS_TOLD
    for member in members:
        value = value_text(member.fields.get("value")) or value_text(member.fields.get("id"))
        brief = plain(value_text(member.fields.get("brief"))).rstrip(".")
        if value:
            yield f"{value} ({brief})" if told and brief and brief.lower() != value.lower() else value


def _examples(node: Node | None) -> list[str]:
    nodes = node.items if isinstance(node, Items) else [node]
    found = [plain(value_text(one)) for one in nodes]
    return [one for one in found if one and len(one) <= _LONGEST_EXAMPLE][:_EXAMPLES]
