"""What is told while a schema file is read, and the checks that all of its formats share."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.errors import Fault
from kb.sources._collect import meant
from kb.sources._text import clipped, unstorable
from kb.sources.yaml_files import Fields, Items, Node, Scalar

__all__ = ["FileReading", "Ids", "kind_of", "known_key", "listed", "one_line", "value_text"]

_LISTED = 6
# What people call our keys in other formats; too unlike ours to be found by their letters.
_OTHER_WORDS = {
    "data_type": "type",
    "title": "name",
    "label": "name",
    "key": "id",
    "note": "description",
    "text": "summary",
    "message": "summary",
    "level": "severity",
    "priority": "severity",
    "source": "evidence",
    "proof": "evidence",
    "columns": "fields",
    "attributes": "fields",
    "notes": "caveats",
    "warnings": "caveats",
    "reviewer": "by",
    "date": "on",
    "state": "status",
}


@dataclass(slots=True)
class FileReading:
    """The faults and warnings of one file. `shown` is its name in messages."""

    shown: str
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)

    def fault(self, line: int | None, message: str) -> None:
        """Something that leaves out the whole file."""
        self.faults.append(Fault(self.shown, line, message))

    def warn(self, line: int | None, message: str) -> None:
        """Something that is left out alone."""
        self.warnings.append(Fault(self.shown, line, message))

    def text(self, node: Node | None, what: str) -> str | None:
        """The text of a single value without space around it; None where nothing is written, or a fault was told."""
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.fault(node.line, f"{what} must be a text, not {kind_of(node)}")
            return None
        if node.empty:
            return None
        bad = unstorable(node.text)
        if bad is not None:
            self.fault(node.line, f"{what} holds the character {bad}, which no RDF file can hold; remove it")
            return None
        return node.text.strip() or None

    def count(self, node: Node | None, what: str) -> int | None:
        """A whole number from zero; None where nothing is written, or a fault was told."""
        told = len(self.faults)
        text = self.text(node, what)
        if text is None or node is None:
            if node is not None and len(self.faults) == told:
                self.fault(node.line, f"{what} is empty; write a whole number, or remove it")
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            self.fault(node.line, f"{what} must be a whole number such as 3, not {clipped(text)}")
            return None
        return int(text)

    def records(self, owner: Fields, key: str, form: str) -> list[Fields]:
        """The mappings in the list under a key. Everything else in it is a fault that shows `form`."""
        node = owner.fields.get(key)
        if node is None or (isinstance(node, Scalar) and node.empty):
            return []
        if not isinstance(node, Items):
            self.fault(owner.lines[key], f"{key} must be a list of {form}, not {kind_of(node)}")
            return []
        found: list[Fields] = []
        for item in node.items:
            if isinstance(item, Fields):
                found.append(item)
            else:
                self.fault(item.line, f"an item of {key} must be {form}, not {kind_of(item)}")
        return found

    def check_keys(self, node: Fields, known: tuple[str, ...], what: str) -> None:
        """A fault for each key that is not known, with what was probably meant."""
        for key, value in node.fields.items():
            if key in known:
                continue
            # YAML takes what follows a comma within { } for a key, without a colon too.
            if isinstance(value, Scalar) and value.empty and list(node.lines.values()).count(node.lines[key]) > 1:
                meant_key = "is it the rest of a text? A comma within { } ends a text that is not in quotes"
            else:
                meant_key = known_key(key, known)
            self.fault(node.lines[key], f"unknown key {clipped(key)} in {what}; {meant_key}")


class Ids:
    """Ids that are given out once each."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """`wanted`, or where it is taken `wanted~2`, `wanted~3` and so on."""
        found, number = wanted, 1
        while found in self.taken:
            number += 1
            found = f"{wanted}~{number}"
        self.taken.add(found)
        return found


def kind_of(node: Node) -> str:
    """What a node is, in words."""
    if isinstance(node, Scalar):
        return "nothing" if node.empty else f"the text {clipped(node.text, 40)}"
    return "a list" if isinstance(node, Items) else "a mapping"


def known_key(key: str, known: tuple[str, ...]) -> str:
    """The end of a message about an unknown key."""
    other = _OTHER_WORDS.get(key.strip().lower())
    if other in known:
        return f"did you mean '{other}'? Known: {', '.join(sorted(known))}"
    return meant(key, known)


def listed(names: list[str], most: int = _LISTED) -> str:
    """The first few of many names, and how many more there are."""
    more = len(names) - most
    return ", ".join(clipped(one, 60) for one in names[:most]) + (f" and {more:,} more" if more > 0 else "")


def value_text(node: Node | None) -> str:
    """The text of a single value in a file that is not ours to correct; empty where none could be kept."""
    if not isinstance(node, Scalar) or node.empty or unstorable(node.text) is not None:
        return ""
    return node.text.strip()


def one_line(text: str) -> str:
    """A text without line breaks and repeated space."""
    return " ".join(text.split())
