"""Trees of nodes that know their line, and the builder that both YAML and JSON feed.

Scalars keep the text as it was written: `on`, `017` and `1:30` are names in one place and values in another, and only
who asks knows which. The limits on nesting and on aliases hold while a file is read rather than after.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.errors import Fault
from kb.sources._text import clipped

__all__ = ["MAX_DEPTH", "Builder", "Fields", "Items", "Node", "Scalar", "StopReading"]

MAX_DEPTH = 100
"""How deep lists and mappings may nest. People stop at a dozen; what goes on means harm."""

_ALIAS_ALLOWANCE, _ALIAS_FACTOR = 100_000, 10
# A file may expand through aliases to so many times its own nodes, and that many more. Shared defaults stay far below;
# nine levels of nine aliases each, the classic bomb, are at 387 million.


@dataclass(slots=True)
class Scalar:
    """A single value. `plain` says that it stood without quotes, so that it may be a number, a boolean or nothing."""

    line: int
    text: str
    plain: bool

    @property
    def empty(self) -> bool:
        """Whether it is YAML's or JSON's null."""
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(slots=True)
class Items:
    """A list."""

    line: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Fields:
    """A mapping whose keys are texts; `lines` tells where each key stands."""

    line: int
    fields: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def scalar(self, key: str) -> Scalar | None:
        """The single value of a key; None where there is none, or nothing in it."""
        node = self.fields.get(key)
        return node if isinstance(node, Scalar) and not node.empty else None

    def mapping(self, key: str) -> Fields | None:
        """The mapping under a key; None where there is none."""
        node = self.fields.get(key)
        return node if isinstance(node, Fields) else None


Node = Scalar | Items | Fields


class StopReading(Exception):  # noqa: N818 (a signal within this module)
    """The rest of the file is not worth reading; the fault is recorded."""


@dataclass(slots=True)
class _Open:
    """A list or mapping that is still being read."""

    node: Items | Fields
    before: int
    anchor: str | None
    aliased: int = 0
    key: Scalar | None = None
    merges: list[Node] = field(default_factory=list)


class Builder:
    """Puts nodes together: `roots` are the documents that are complete, `faults` what is wrong with them."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.roots: list[Node] = []
        self.faults: list[Fault] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.made = 0

    def fault(self, line: int, message: str) -> None:
        self.faults.append(Fault(self.shown, line, message))

    def stop(self, line: int, message: str) -> None:
        self.fault(line, message)
        raise StopReading

    def scalar(self, line: int, text: str, plain: bool, anchor: str | None = None) -> None:
        self.made += 1
        node = Scalar(line, text, plain)
        if anchor:
            self.anchors[anchor] = node, 1
        self.put(node)

    def open(self, node: Items | Fields, anchor: str | None = None) -> None:
        if len(self.stack) >= MAX_DEPTH:
            self.stop(node.line, f"is nested more than {MAX_DEPTH} levels deep; no catalogue needs that")
        if anchor:
            self.anchors.pop(anchor, None)
        self.stack.append(_Open(node, self.made, anchor))
        self.made += 1

    def close(self) -> None:
        done = self.stack.pop()
        if isinstance(done.node, Fields):
            self.merge(done.node, done.merges)
        size = self.made - done.before + done.aliased
        if done.anchor:
            self.anchors[done.anchor] = done.node, size
        if self.stack:
            self.stack[-1].aliased += done.aliased
        if done.aliased > _ALIAS_ALLOWANCE + _ALIAS_FACTOR * self.made:
            self.stop(
                done.node.line,
                f"its aliases (*name) stand for more than {done.aliased:,} values; it is refused, write them out",
            )
        self.put(done.node)

    def alias(self, line: int, name: str) -> None:
        if any(frame.anchor == name for frame in self.stack) and name not in self.anchors:
            self.stop(line, f"alias *{clipped(name)[1:-1]} stands inside what it stands for; write the value out")
        if name not in self.anchors:
            self.stop(
                line, f"alias *{clipped(name)[1:-1]} has no anchor &{clipped(name)[1:-1]} before it; correct the name"
            )
        node, size = self.anchors[name]
        if self.stack:
            self.stack[-1].aliased += size
        self.put(node)

    def put(self, node: Node) -> None:
        if not self.stack:
            self.roots.append(node)
            return
        frame = self.stack[-1]
        if isinstance(frame.node, Items):
            frame.node.items.append(node)
        elif frame.key is None:
            if not isinstance(node, Scalar):
                self.fault(node.line, "a key is a list or mapping; write a text")
                node = Scalar(node.line, "", plain=False)
            frame.key = node
        else:
            key, frame.key = frame.key, None
            if key.plain and key.text == "<<" and not isinstance(node, Scalar):
                frame.merges.append(node)
            elif key.text in frame.node.fields:
                self.fault(
                    key.line, f"key {clipped(key.text)} stands on line {frame.node.lines[key.text]} already; keep one"
                )
            else:
                frame.node.fields[key.text] = node
                frame.node.lines[key.text] = key.line

    def merge(self, node: Fields, merges: list[Node]) -> None:
        """YAML's `<<`: fields of other mappings where the mapping itself has none of that name."""
        for merged in merges:
            for source in merged.items if isinstance(merged, Items) else [merged]:
                if isinstance(source, Fields):
                    for key, value in source.fields.items():
                        if key not in node.fields:
                            node.fields[key], node.lines[key] = value, source.lines[key]

    def end_document(self) -> None:
        self.anchors = {}
