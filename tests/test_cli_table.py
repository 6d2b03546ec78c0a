"""Tables stay inside the terminal, lose nothing, and keep names and ids whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.cli._table import columns_of, table_lines

WORDS = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=12)
CELLS = st.lists(WORDS, max_size=12).map(" ".join)
TABLES = st.integers(1, 4).flatmap(
    lambda count: st.tuples(
        st.lists(st.from_regex("[a-z]{1,8}", fullmatch=True), min_size=count, max_size=count),
        st.lists(st.lists(CELLS, min_size=count, max_size=count), max_size=6),
    )
)


def letters(texts: Iterable[str]) -> Counter[str]:
    return Counter("".join("".join(texts).split()))


@given(table=TABLES, width=st.integers(60, 120))
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(
    table: tuple[list[str], list[list[str]]], width: int
) -> None:
    headings, rows = table
    lines = table_lines(headings, rows, width=width)
    assert all(columns_of(line) <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert letters(cell for row in rows for cell in row) <= letters(lines)


@given(table=TABLES)
def test_without_a_width_every_row_is_one_line(table: tuple[list[str], list[list[str]]]) -> None:
    headings, rows = table
    assert len(table_lines(headings, rows)) == 1 + len(rows)


def test_columns_are_aligned_and_numbers_stand_to_the_right() -> None:
    assert table_lines(["id", "n"], [["ledger", "5"], ["a", "1,000"]], right=[1]) == [
        "id          n",
        "ledger      5",
        "a       1,000",
    ]


def test_prose_is_wrapped_and_ids_are_left_whole() -> None:
    rows = [["component:default/ledger-db", "one two three four five six seven eight nine ten eleven"]]
    assert table_lines(["entity", "why"], rows, width=60) == [
        "entity                       why",
        "component:default/ledger-db  one two three four five six",
        "                             seven eight nine ten eleven",
    ]


def test_rows_that_leave_no_room_for_prose_become_blocks() -> None:
    rows = [["a" * 30, "b" * 30, "some words that say why it is so"], ["c", "d", ""]]
    assert table_lines(["first", "second", "reason"], rows, width=60) == [
        "first   " + "a" * 30,
        "second  " + "b" * 30,
        "reason  some words that say why it is so",
        "",
        "first   c",
        "second  d",
        "reason",
    ]


def test_a_table_without_headings_has_no_line_for_them() -> None:
    assert table_lines(["", ""], [["a", "b"]]) == ["a  b"]
    assert table_lines(["x"], []) == ["x"]
    assert table_lines(["", ""], []) == []


def test_without_headings_rows_that_leave_no_room_are_a_name_and_what_is_below_it() -> None:
    long, words = "a" * 40, "what it is, in words"
    assert table_lines(["", "", ""], [[long, "", words], ["b", "int", "short"]], width=50) == [
        long,
        f"    {words}",
        "b",
        "    int",
        "    short",
    ]


def test_line_breaks_inside_a_cell_do_not_break_the_table() -> None:
    assert table_lines(["a", "b"], [["one\ntwo\tthree", "x"]]) == ["a              b", "one two three  x"]


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("größe", 5), ("日本", 4), ("é", 1), ("", 0)])
def test_wide_and_combining_letters_are_counted_as_terminals_show_them(text: str, columns: int) -> None:
    assert columns_of(text) == columns


def test_wide_letters_keep_the_columns_aligned() -> None:
    lines = table_lines(["name", "n"], [["日本", "1"], ["abcd", "2"]])
    assert lines == ["name  n", "日本  1", "abcd  2"]
