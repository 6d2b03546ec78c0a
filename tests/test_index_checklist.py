"""The checklist in docs/index.md names, for every item, tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
DOCUMENT = TESTS.parent / "docs" / "index.md"
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows() -> list[list[str]]:
    """The cells of the checklist's rows: number, item, where ours differs, tests."""
    section = DOCUMENT.read_text(encoding="utf-8").split("\n## Checklist\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if re.match(r"\| \d+ \|", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@cache
def functions_of(file: str) -> frozenset[str]:
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_the_checklist_is_complete_and_numbered() -> None:
    assert [int(row[0]) for row in rows()] == list(range(1, len(rows()) + 1))
    assert len(rows()) >= 50
    assert {len(row) for row in rows()} == {4}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_item_names_tests_and_all_of_them_exist(row: list[str]) -> None:
    named = NAMED.findall(row[3])
    assert named, row[1]
    assert [f"{file}::{test}" for file, test in named if test not in functions_of(file)] == []
    assert re.sub(r"[\s,]", "", NAMED.sub("", row[3])) == ""


def test_every_item_says_what_it_is() -> None:
    items = [row[1] for row in rows()]
    assert all(len(item) > 10 for item in items)
    assert len(set(items)) == len(items)
