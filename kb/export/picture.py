"""What a picture of dependencies shows: boxes coloured by type, arrows, and a legend. Syntaxes are drawn from this.

Colours stand for types in the order of their names, over all types of the graph, so that a type looks the same in every
picture of one generation.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

from kb.errors import ExportError
from kb.export.network import Network
from kb.vocabulary import Vocabulary

__all__ = ["MOST_BOXES", "Arrow", "Box", "Picture", "picture"]

MOST_BOXES = 80
"""Boxes beyond which nobody reads a picture."""

_FILLS = ("#cfe8f7", "#fde0b6", "#cdebdc", "#f6d5e5", "#fbf3b9", "#dcd6f1", "#e3e3e3", "#f5cfc0")
"""Light enough for black text; told apart with the common kinds of colour blindness."""
_NO_TYPE = "#ffffff"


@dataclass(frozen=True, slots=True)
class Box:
    """A thing. `fill` is a colour as #rrggbb; `focus` marks what the picture is about; `hint` is told on hovering."""

    id: str
    label: str
    type: str
    fill: str
    focus: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """From a box to another one, by ids. `relation` is the relation's label, `style` its place in the legend."""

    source: str
    target: str
    relation: str
    style: int
    hint: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and arrows in order; `types` are (label, fill), `relations` labels, both as in the legend."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    types: tuple[tuple[str, str], ...]
    relations: tuple[str, ...]


def picture(shown: Network, vocabulary: Vocabulary, focus: tuple[str, ...] = (), *, most: int = MOST_BOXES) -> Picture:
    """A picture of a network. Raises ExportError for one of more than `most` boxes, or of none."""
    if not shown.nodes:
        raise ExportError("there is nothing to draw; name other graphs or relations")
    if len(shown.nodes) > most:
        raise ExportError(
            f"a picture of {len(shown.nodes):,} boxes cannot be read; name what it is about with --focus, a smaller "
            "--depth or one --relation, or allow more with --most"
        )
    fills = {name: _fill(number, len(shown.types)) for number, name in enumerate(shown.types)}
    relations = sorted({edge.relation for edge in shown.edges}, key=lambda name: vocabulary.relations[name].label)
    labels = {name: vocabulary.relations[name].label for name in relations}
    boxes = tuple(
        Box(
            node.id,
            node.label,
            node.type,
            fills.get(node.type, _NO_TYPE),
            node.id in focus,
            "\n".join(part for part in (_typed(node.label, node.type, vocabulary), node.id, node.description) if part),
        )
        for node in shown.nodes.values()
    )
    arrows = tuple(
        Arrow(
            edge.source,
            edge.target,
            labels[edge.relation],
            relations.index(edge.relation),
            f"{shown.label(edge.source)} {labels[edge.relation]} {shown.label(edge.target)}"
            + (f" ({', '.join(edge.sources)})" if edge.sources else ""),
        )
        for edge in shown.edges
    )
    used = [name for name in shown.types if any(box.type == name for box in boxes)]
    title = ", ".join(shown.label(one) for one in focus) or "all facts"
    return Picture(
        title,
        boxes,
        arrows,
        tuple((vocabulary.classes[name].label, fills[name]) for name in used),
        tuple(labels.values()),
    )


def _typed(label: str, type_name: str, vocabulary: Vocabulary) -> str:
    return f"{label}, {vocabulary.classes[type_name].label}" if type_name in vocabulary.classes else label


def _fill(number: int, count: int) -> str:
    if count <= len(_FILLS):
        return _FILLS[number]
    red, green, blue = colorsys.hls_to_rgb(number / count, 0.86, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
