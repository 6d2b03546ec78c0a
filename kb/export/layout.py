"""Places for boxes and arrows: a layered drawing from left to right, in four steps.

After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): arrows of
cycles are turned, boxes are put into layers so that arrows lead to the right, boxes of a layer are ordered so that few
arrows cross, and each is put as near to its neighbours' middle as those beside it allow. An arrow over several layers
gets a free lane in each of them, so none runs through a box. Nothing is drawn by lot.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Place", "Placed", "layered"]

_SWEEPS = 12
_GAP = 18.0
"""Between two boxes of a layer."""
_LANE = 10.0
"""What an arrow takes that passes a layer."""
_BETWEEN_LAYERS = 70.0
_BETWEEN_PARTS = 34.0


@dataclass(frozen=True, slots=True)
class Place:
    """A box: its left upper corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Placed:
    """Places by node, and for each edge, by its number, the points through which it goes, from its source on."""

    places: dict[str, Place] = field(default_factory=dict)
    routes: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class _Part:
    """One connected part. `layers` hold nodes and lanes; a lane is (edge number, layer)."""

    layers: list[list[str | tuple[int, int]]]
    links: list[tuple[str | tuple[int, int], str | tuple[int, int]]]
    chains: dict[int, list[str | tuple[int, int]]]


def layered(sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]]) -> Placed:
    """Places for nodes of these sizes (width, height). Connected parts stand below each other, single boxes in rows."""
    placed = Placed()
    parts, single = _parts(list(sizes), edges)
    for nodes in parts:
        _place_part(_ordered(_layers(nodes, edges)), sizes, placed)
    _place_single(single, sizes, placed)
    for number, (source, target) in enumerate(edges):
        if source == target:
            box = placed.places[source]
            top, right = box.y, box.x + box.width
            placed.routes[number] = [
                (right, top + 12),
                (right + 26, top + 12),
                (right + 26, top - 8),
                (right - 14, top),
            ]
            placed.width = max(placed.width, right + 28)
    return placed


# -- parts and layers --------------------------------------------------------------


def _parts(nodes: list[str], edges: Sequence[tuple[str, str]]) -> tuple[list[list[str]], list[str]]:
    """Connected parts, the largest first, and the nodes without edges to others."""
    near: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        if source != target:
            near[source].append(target)
            near[target].append(source)
    seen: set[str] = set()
    parts = []
    for node in nodes:
        if node in seen or not near[node]:
            continue
        todo, found = [node], {node}
        while todo:
            for other in near[todo.pop()]:
                if other not in found:
                    found.add(other)
                    todo.append(other)
        seen |= found
        parts.append([one for one in nodes if one in found])
    parts.sort(key=lambda part: -len(part))
    return parts, [node for node in nodes if not near[node]]


def _layers(nodes: list[str], edges: Sequence[tuple[str, str]]) -> _Part:
    inside = set(nodes)
    mine = [(i, s, t) for i, (s, t) in enumerate(edges) if s in inside and s != t]
    turned = _turned(nodes, mine)
    ends = {i: (t, s) if i in turned else (s, t) for i, s, t in mine}
    rank = _ranks(nodes, list(ends.values()))
    layers: list[list[str | tuple[int, int]]] = [[] for _ in range(max(rank.values()) + 1)]
    for node in nodes:
        layers[rank[node]].append(node)
    links: list[tuple[str | tuple[int, int], str | tuple[int, int]]] = []
    chains: dict[int, list[str | tuple[int, int]]] = {}
    for i, (left, right) in sorted(ends.items()):
        chain: list[str | tuple[int, int]] = [left]
        for layer in range(rank[left] + 1, rank[right]):
            layers[layer].append((i, layer))
            chain.append((i, layer))
        chain.append(right)
        links += pairwise(chain)
        chains[i] = chain[::-1] if i in turned else chain
    return _Part(layers, links, chains)


def _turned(nodes: list[str], edges: list[tuple[int, str, str]]) -> set[int]:
    """The edges that lead back to where a walk along the arrows came from. Without them there is no cycle."""
    leaving: dict[str, list[tuple[int, str]]] = defaultdict(list)
    coming: set[str] = set()
    for number, source, target in edges:
        leaving[source].append((number, target))
        coming.add(target)
    turned: set[int] = set()
    state: dict[str, int] = {}  # 1 while on the way, 2 when done
    for start in sorted(nodes, key=lambda node: (node in coming, nodes.index(node))):
        if start in state:
            continue
        state[start] = 1
        stack = [(start, iter(leaving[start]))]
        while stack:
            node, rest = stack[-1]
            for number, target in rest:
                if state.get(target) == 1:
                    turned.add(number)
                elif target not in state:
                    state[target] = 1
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return turned


def _ranks(nodes: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """The layer of each node: as far left as its sources allow, then as near to its targets as they allow."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        before[target].append(source)
        after[source].append(target)
    waiting = {node: len(before[node]) for node in nodes}
    order = [node for node in nodes if not waiting[node]]
    for node in order:
        for target in after[node]:
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    rank: dict[str, int] = {}
    for node in order:
        rank[node] = max((rank[source] + 1 for source in before[node]), default=0)
    for node in reversed(order):
        if after[node] and len(after[node]) >= len(before[node]):
            rank[node] = min(rank[target] for target in after[node]) - 1
    lowest = min(rank.values())
    return {node: value - lowest for node, value in rank.items()}


# -- order within layers -----------------------------------------------------------


def _ordered(part: _Part) -> _Part:
    left: dict[object, list[object]] = defaultdict(list)
    right: dict[object, list[object]] = defaultdict(list)
    for one, other in part.links:
        right[one].append(other)
        left[other].append(one)
    best, fewest = [list(layer) for layer in part.layers], _crossings(part.layers, right)
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        layers = range(1, len(part.layers)) if forwards else range(len(part.layers) - 2, -1, -1)
        for number in layers:
            beside = part.layers[number - 1 if forwards else number + 1]
            position: dict[object, float] = {item: float(i) for i, item in enumerate(beside)}
            near = left if forwards else right
            middles = [_middle(near[item], position, i) for i, item in enumerate(part.layers[number])]
            order = sorted(range(len(middles)), key=middles.__getitem__)
            part.layers[number] = [part.layers[number][i] for i in order]
        crossings = _crossings(part.layers, right)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in part.layers], crossings
    part.layers = best
    return part


def _middle(near: list[object], position: Mapping[object, float], otherwise: float) -> float:
    found = [position[one] for one in near if one in position]
    return sum(found) / len(found) if found else otherwise


def _crossings(layers: Sequence[Sequence[object]], right: Mapping[object, list[object]]) -> int:
    total = 0
    for one, other in pairwise(layers):
        position = {item: i for i, item in enumerate(other)}
        ends = [sorted(position[to] for to in right.get(item, ())) for item in one]
        seen: list[int] = []
        for targets in ends:
            total += sum(len(seen) - bisect_right(seen, target) for target in targets)
            for target in targets:
                insort(seen, target)
    return total


# -- coordinates -------------------------------------------------------------------


def _place_part(part: _Part, sizes: Mapping[str, tuple[float, float]], placed: Placed) -> None:
    heights = {item: sizes[item][1] if isinstance(item, str) else _LANE for layer in part.layers for item in layer}
    middles = _middles(part, heights)
    top = placed.height + (_BETWEEN_PARTS if placed.height else 0.0)
    shift = top - min(middles[item] - heights[item] / 2 for item in middles)
    x, lefts, widths = 0.0, [], []
    for layer in part.layers:
        width = max((sizes[item][0] for item in layer if isinstance(item, str)), default=_LANE)
        lefts.append(x)
        widths.append(width)
        # The more arrows there are between two layers, the more room they need.
        x += width + _BETWEEN_LAYERS + 2.0 * min(len(layer), 30)
    layer_of = {item: number for number, layer in enumerate(part.layers) for item in layer}
    for item, middle in middles.items():
        if isinstance(item, str):
            number = layer_of[item]
            placed.places[item] = Place(
                lefts[number], middle + shift - heights[item] / 2, widths[number], heights[item]
            )
    ports = _ports(part, middles, heights)
    for edge, chain in part.chains.items():
        points: list[tuple[float, float]] = []
        rising = layer_of[chain[0]] < layer_of[chain[-1]]
        for step, item in enumerate(chain):
            number, y = layer_of[item], middles[item] + shift
            if isinstance(item, str):
                y += ports[edge, step == 0]
            sides = [lefts[number], lefts[number] + widths[number]]
            sides = sides if rising else sides[::-1]
            points += [(side, y) for side in (sides[1:] if step == 0 else sides[:1] if item == chain[-1] else sides)]
        placed.routes[edge] = points
    placed.width = max(placed.width, lefts[-1] + widths[-1])
    placed.height = max(middles[item] + heights[item] / 2 for item in middles) + shift


def _ports(
    part: _Part, middles: Mapping[str | tuple[int, int], float], heights: Mapping[str | tuple[int, int], float]
) -> dict[tuple[int, bool], float]:
    """Where on its boxes' sides each edge begins and ends, above (negative) or below the middle.

    Arrows of one side are spread in the order in which they arrive, so that they do not merge or cross at the box.
    """
    layer_of = {item: number for number, layer in enumerate(part.layers) for item in layer}
    sides: dict[tuple[str, bool], list[tuple[float, int, bool]]] = defaultdict(list)
    for edge, chain in part.chains.items():
        for begins, item, beside in ((True, chain[0], chain[1]), (False, chain[-1], chain[-2])):
            assert isinstance(item, str)
            sides[item, layer_of[beside] > layer_of[item]].append((middles[beside], edge, begins))
    found: dict[tuple[int, bool], float] = {}
    for (item, _), ends in sides.items():
        ends.sort()
        step = min(9.0, (heights[item] - 12.0) / max(len(ends) - 1, 1))
        for number, (_, edge, begins) in enumerate(ends):
            found[edge, begins] = (number - (len(ends) - 1) / 2) * step
    return found


def _middles(part: _Part, heights: Mapping[str | tuple[int, int], float]) -> dict[str | tuple[int, int], float]:
    near: dict[object, list[str | tuple[int, int]]] = defaultdict(list)
    for one, other in part.links:
        near[one].append(other)
        near[other].append(one)
    middles: dict[str | tuple[int, int], float] = {}
    for layer in part.layers:
        middles.update(zip(layer, _spread([0.0] * len(layer), layer, heights), strict=True))
    for sweep in range(_SWEEPS):
        numbers = range(len(part.layers)) if sweep % 2 == 0 else range(len(part.layers) - 1, -1, -1)
        for number in numbers:
            layer = part.layers[number]
            wanted = [sum(middles[one] for one in near[item]) / len(near[item]) for item in layer]
            middles.update(zip(layer, _spread(wanted, layer, heights), strict=True))
    return middles


def _spread(
    wanted: Sequence[float],
    layer: Sequence[str | tuple[int, int]],
    heights: Mapping[str | tuple[int, int], float],
) -> list[float]:
    """The middles nearest to those wanted (least squares) that keep order and distance.

    Isotonic regression by pooling adjacent violators: without the distances, wanted middles must not fall.
    """
    offsets = [0.0]
    for one, other in pairwise(layer):
        # Two lanes of arrows may be close together.
        gap = _GAP if isinstance(one, str) or isinstance(other, str) else 2.0
        offsets.append(offsets[-1] + heights[one] / 2 + gap + heights[other] / 2)
    blocks: list[tuple[float, int]] = []  # sum of what is wanted, how many
    for value, offset in zip(wanted, offsets, strict=True):
        blocks.append((value - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1] = (blocks[-1][0] + total, blocks[-1][1] + count)
    levels = [total / count for total, count in blocks for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _place_single(nodes: list[str], sizes: Mapping[str, tuple[float, float]], placed: Placed) -> None:
    """Boxes without arrows: rows below the rest, as wide as it, or about as wide as they are high."""
    if not nodes:
        return
    widest = max(sizes[node][0] for node in nodes)
    columns = max(int((placed.width + _GAP) // (widest + _GAP)), round(len(nodes) ** 0.5), 1)
    y = placed.height + (_BETWEEN_PARTS if placed.height else 0.0)
    for start in range(0, len(nodes), columns):
        row = nodes[start : start + columns]
        height = max(sizes[node][1] for node in row)
        for number, node in enumerate(row):
            placed.places[node] = Place(number * (widest + _GAP), y, widest, sizes[node][1])
        placed.width = max(placed.width, len(row) * (widest + _GAP) - _GAP)
        placed.height = y + height
        y += height + _GAP
