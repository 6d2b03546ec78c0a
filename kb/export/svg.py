"""Pictures as SVG 1.1 (https://www.w3.org/TR/SVG11/) without scripts, styles from elsewhere or fonts of its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from xml.sax.saxutils import escape

from kb.export.layout import Place, layered
from kb.export.picture import Arrow, Box, Picture

__all__ = ["write_svg"]

_SIZE = 13
"""Height of the letters in pixels."""
_LINE = 17
_MARGIN = 20
_PADDING = 10
_WRAP = 170.0
"""Pixels from which on a label takes another line."""
_MOST_LINES = 3
_INK = "#1b1b1b"
_STROKES = ("#4d4d4d", "#0b62a4", "#b04a00", "#00795c", "#9b2d7f", "#6b5900", "#5b4bb5", "#a02c2c")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]")
_NARROW, _WIDE = frozenset("iljItf.,:;'|!()[]{}/\\ -\"`"), frozenset("mwMWQ@%&—…")


def write_svg(drawn: Picture) -> bytes:
    """Boxes in layers from left to right, arrows by relation, and a legend below."""
    labels = {box.id: _lines(box.label) for box in drawn.boxes}
    sizes = {
        one: (max(_width(line) for line in lines) + 2 * _PADDING, len(lines) * _LINE + 2 * _PADDING - 3)
        for one, lines in labels.items()
    }
    placed = layered(sizes, [(arrow.source, arrow.target) for arrow in drawn.arrows])
    legend, legend_width, legend_height = _legend(drawn, max(placed.width, 320.0))
    width = max(placed.width, legend_width) + 2 * _MARGIN
    top = min([0.0, *(y for points in placed.routes.values() for _, y in points)])
    height = placed.height - top + legend_height + 3 * _MARGIN
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    font = f'font-family="Helvetica, Arial, sans-serif" font-size="{_SIZE}"'
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {font}>',
        f"<title>{_text(drawn.title)}</title>",
        "<defs>",
        *(_marker(number) for number in range(min(len(drawn.relations), len(_STROKES)))),
        "</defs>",
        f'<rect width="{_n(width)}" height="{_n(height)}" fill="#ffffff"/>',
        f'<g transform="translate({_MARGIN} {_n(_MARGIN - top)})">',
        *(_arrow(arrow, placed.routes[number]) for number, arrow in enumerate(drawn.arrows)),
        *(_box(box, placed.places[box.id], labels[box.id]) for box in drawn.boxes),
        "</g>",
        f'<g transform="translate({_MARGIN} {_n(placed.height - top + 2 * _MARGIN)})">',
        *legend,
        "</g>",
        "</svg>",
        "",
    ]
    return "\n".join(body).encode()


def _box(box: Box, place: Place, lines: Sequence[str]) -> str:
    middle = place.x + place.width / 2
    first = place.y + (place.height - len(lines) * _LINE) / 2 + _SIZE
    weight = ' font-weight="bold"' if box.focus else ""
    words = "".join(
        f'<text x="{_n(middle)}" y="{_n(first + i * _LINE)}" text-anchor="middle" fill="{_INK}"{weight}>'
        f"{_text(line)}</text>"
        for i, line in enumerate(lines)
    )
    return (
        f"<g><title>{_text(box.hint)}</title>"
        f'<rect x="{_n(place.x)}" y="{_n(place.y)}" width="{_n(place.width)}" height="{_n(place.height)}" rx="5" '
        f'fill="{box.fill}" stroke="#444444" stroke-width="{3 if box.focus else 1}"/>{words}</g>'
    )


def _arrow(arrow: Arrow, points: Sequence[tuple[float, float]]) -> str:
    """A smooth line through the points: straight beside boxes, curved between layers."""
    x, y = points[0]
    path = [f"M{_n(x)} {_n(y)}"]
    if arrow.source == arrow.target:
        (a, b), (c, d), (e, f) = points[1:]
        path.append(f"C{_n(a)} {_n(b)} {_n(c)} {_n(d)} {_n(e)} {_n(f)}")
    else:
        for number, (to_x, to_y) in enumerate(points[1:]):
            if number % 2:
                path.append(f"L{_n(to_x)} {_n(to_y)}")
            else:
                bend = (to_x - x) / 2
                path.append(f"C{_n(x + bend)} {_n(y)} {_n(to_x - bend)} {_n(to_y)} {_n(to_x)} {_n(to_y)}")
            x, y = to_x, to_y
    return f'<path d="{"".join(path)}" {_stroke(arrow.style)}><title>{_text(arrow.hint)}</title></path>'


def _stroke(style: int) -> str:
    colour, dash = style % len(_STROKES), _DASHES[style % len(_DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{_STROKES[colour]}" stroke-width="1.3"{dashed} marker-end="url(#a{colour})"'


def _marker(number: int) -> str:
    return (
        f'<marker id="a{number}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{_STROKES[number]}"/></marker>'
    )


def _legend(drawn: Picture, room: float) -> tuple[list[str], float, float]:
    """What colours and lines stand for, in rows as wide as there is room; with width and height."""
    items: list[tuple[str, str, float]] = [
        (label, f'<rect y="-11" width="22" height="14" rx="3" fill="{fill}" stroke="#444444"/>', 22.0)
        for label, fill in drawn.types
    ]
    items += [
        (label, f'<path d="M0 -4L34 -4" {_stroke(number)}/>', 34.0) for number, label in enumerate(drawn.relations)
    ]
    parts: list[str] = []
    x, y, widest = 0.0, 12.0, 0.0
    for label, sign, size in items:
        shown = _cut(label, 300.0)
        needed = size + 6 + _width(shown) + 18
        if x and x + needed > room:
            x, y = 0.0, y + 22
        words = f'<text x="{_n(size + 6)}" fill="{_INK}">{_text(shown)}</text>'
        parts.append(f'<g transform="translate({_n(x)} {_n(y)})">{sign}{words}</g>')
        x += needed
        widest = max(widest, x)
    return parts, widest, y + 6 if items else 0.0


# -- text ----------------------------------------------------------------------------


def _lines(label: str) -> list[str]:
    """A label in at most three lines; what does not fit is cut, and told whole on hovering."""
    lines = [""]
    for word in label.split():
        if lines[-1] and _width(f"{lines[-1]} {word}") > _WRAP:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1] + " …"]
    return [_cut(line, _WRAP + 60) for line in lines]


def _cut(text: str, room: float) -> str:
    if _width(text) <= room:
        return text
    while text and _width(text + "…") > room:
        text = text[:-1]
    return text + "…"


def _width(text: str) -> float:
    """Pixels that a text takes at most in common sans-serif fonts, bold included."""
    total = 0.0
    for char in text:
        if unicodedata.east_asian_width(char) in "WF":
            total += 1.05
        elif char in _NARROW:
            total += 0.40
        elif char in _WIDE:
            total += 0.98
        elif char.isupper():
            total += 0.76
        elif not unicodedata.combining(char):
            total += 0.63
    return total * _SIZE


def _text(text: str) -> str:
    # A picture with a mark in the place of a character that XML forbids is better than none.
    return escape(_NOT_XML.sub("\ufffd", text))


def _n(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
