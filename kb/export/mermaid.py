"""Pictures as Mermaid flowcharts, which wikis draw from text: https://mermaid.js.org/syntax/flowchart.html."""

from __future__ import annotations

from kb.export.picture import Picture

__all__ = ["write_mermaid"]

_PLAIN = frozenset(" _-.,:/+=@!?")


def write_mermaid(drawn: Picture) -> bytes:
    """A flowchart from left to right; fence it with ```mermaid in a page.

    Names stand in quotes, and every character but letters, digits and harmless punctuation as a numeric entity, so no
    name can be taken for syntax or for HTML.
    """
    names = {box.id: f"n{number}" for number, box in enumerate(drawn.boxes)}
    fills = list(dict.fromkeys(box.fill for box in drawn.boxes))
    lines = ["flowchart LR"]
    kinds = dict(zip((fill for _, fill in drawn.types), (label for label, _ in drawn.types), strict=True))
    for box in drawn.boxes:
        # A legend would be laid out among the boxes, so each says its type where there are several.
        kind = f"<br/>{_escaped(kinds[box.fill])}" if len(kinds) > 1 and box.fill in kinds else ""
        lines.append(f'    {names[box.id]}["{_escaped(box.label)}{kind}"]:::t{fills.index(box.fill)}')
    lines.extend(
        f'    {names[arrow.source]} -->|"{_escaped(arrow.relation)}"| {names[arrow.target]}' for arrow in drawn.arrows
    )
    for number, fill in enumerate(fills):
        lines.append(f"    classDef t{number} fill:{fill},stroke:#444444,color:#111111")
    focus = [names[box.id] for box in drawn.boxes if box.focus]
    if focus:
        lines.append(f"    style {','.join(focus)} stroke-width:3px")
    return ("\n".join(lines) + "\n").encode()


def _escaped(text: str) -> str:
    folded = " ".join(text.split())
    return "".join(char if char.isalnum() or char in _PLAIN else f"#{ord(char)};" for char in folded) or "#8203;"
