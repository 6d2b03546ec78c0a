"""Pictures show every thing and relation, boxes never overlap, and no name becomes syntax."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_export_lists import IRIS, RELATIONS, VOCABULARY, stored, world

from kb.errors import ExportError
from kb.export.layout import Place, Placed, layered
from kb.export.mermaid import write_mermaid
from kb.export.network import network
from kb.export.picture import Picture, picture
from kb.export.svg import write_svg

_SVG = "{http://www.w3.org/2000/svg}"
_NODES = [f"n{i}" for i in range(9)]
_ENDS = st.lists(st.tuples(st.sampled_from(_NODES), st.sampled_from(_NODES)), max_size=20)


def apart(one: Place, other: Place) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    return beside or one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6


def places(edges: list[tuple[str, str]]) -> Placed:
    sizes = {node: (60.0 + 12 * i, 20.0 + 9 * (i % 3)) for i, node in enumerate(_NODES)}
    return layered(sizes, edges)


@given(edges=_ENDS)
@settings(max_examples=200)
def test_boxes_never_overlap_and_lie_within_the_picture(edges: list[tuple[str, str]]) -> None:
    placed = places(edges)
    assert placed.places.keys() == set(_NODES)
    assert all(apart(one, other) for one, other in combinations(placed.places.values(), 2))
    assert all(
        one.x >= 0
        and one.y >= -1e-6
        and one.x + one.width <= placed.width
        and one.y + one.height <= placed.height + 1e-6
        for one in placed.places.values()
    )


@given(edges=_ENDS)
@settings(max_examples=200)
def test_arrows_begin_and_end_at_their_boxes_and_pass_no_other(edges: list[tuple[str, str]]) -> None:
    placed = places(edges)
    assert placed.routes.keys() == set(range(len(edges)))
    for number, (source, target) in enumerate(edges):
        points = placed.routes[number]
        for point, node in ((points[0], source), (points[-1], target)):
            box = placed.places[node]
            assert box.x - 1e-6 <= point[0] <= box.x + box.width + 1e-6
            assert box.y - 1e-6 <= point[1] <= box.y + box.height + 1e-6
        if source != target:
            for (x1, y1), (x2, y2) in zip(points[1::2], points[2::2], strict=False):  # the straight parts
                assert y1 == y2
                for node, box in placed.places.items():
                    crosses = box.y + 1e-6 < y1 < box.y + box.height - 1e-6
                    crosses = crosses and min(x1, x2) < box.x + box.width and box.x < max(x1, x2)
                    assert node in (source, target) or not crosses


def test_arrows_lead_to_the_right_where_there_is_no_cycle() -> None:
    placed = places([("n0", "n1"), ("n1", "n2"), ("n0", "n2"), ("n3", "n2")])
    assert placed.places["n0"].x < placed.places["n1"].x < placed.places["n2"].x
    assert placed.places["n3"].x < placed.places["n2"].x


def drawn(label: str) -> Picture:
    found = network(stored(world([("a", RELATIONS[0], "b"), ("a", RELATIONS[1], "a")], {"a": label})), VOCABULARY, IRIS)
    return picture(found, VOCABULARY, ("a",))


@pytest.mark.parametrize(
    "label",
    ['"]; click a "x"', "<script>alert(1)</script>", "a & b", "#quot;", "end", "`md`", "x\x00\x0b\ufffe", "  ", "]]>"],
)
def test_names_stay_text_in_svg_and_mermaid(label: str) -> None:
    data = write_svg(drawn(label))
    root = ET.fromstring(data)
    tags = {one.tag.removeprefix(_SVG) for one in root.iter()}
    assert tags <= {"svg", "title", "defs", "marker", "path", "rect", "g", "text"}
    assert not any(name.startswith("on") or "href" in name for one in root.iter() for name in one.attrib)
    text = write_mermaid(drawn(label)).decode()
    box = text.splitlines()[1]
    assert re.fullmatch(r'    n0\["(?:[\w _.,:/+=@!?-]|#\d+;)*"\]:::t\d', box.replace("<br/>", ""))


@given(label=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
@settings(max_examples=100)
def test_svg_is_well_formed_for_any_name_and_tells_it_whole(label: str) -> None:
    root = ET.fromstring(write_svg(drawn(label)))
    hints = [one.text or "" for one in root.iter(f"{_SVG}title")]
    plain = (
        re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", label).replace("\r\n", "\n").replace("\r", "\n")
    )
    assert any(hint.startswith(plain) for hint in hints)


def test_types_have_a_colour_each_and_the_legend_names_types_and_relations() -> None:
    shown = drawn("A")
    text = write_svg(shown).decode()
    for label, fill in shown.types:
        assert f">{label}</text>" in text
        assert fill in text
    assert all(f">{label}</text>" in text for label in shown.relations)
    assert 'stroke-width="3"' in text


def test_a_picture_that_nobody_can_read_is_refused_with_what_to_do() -> None:
    edges = [(f"x{i}", RELATIONS[0], "hub") for i in range(100)]
    found = network(stored(world(edges, {})), VOCABULARY, IRIS)
    with pytest.raises(ExportError, match="a picture of 101 boxes cannot be read; name what it is about with --focus"):
        picture(found, VOCABULARY)
    assert len(picture(found, VOCABULARY, most=101).boxes) == 101
    with pytest.raises(ExportError, match="nothing to draw"):
        picture(network(stored([]), VOCABULARY, IRIS), VOCABULARY)
