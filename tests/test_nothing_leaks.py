"""No Python in `kb/` names a class, relation or attribute of a subject area."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kb.config import SCHEMA_MODULE, packaged
from kb.vocabulary import load_vocabulary

ROOT = Path(__file__).resolve().parent.parent
MUSEUM = Path(__file__).parent / "domains" / "museum"


@cache
def term_names() -> set[str]:
    """Names of terms that are no plain English word: `depends_on`, `dependsOn`, but not `team`."""
    found = set()
    # Schema notes are a format of ours, which code reads by its keys: their module is no subject area.
    own, checked = (
        [path for path in sorted(packaged(folder).glob("*.ttl")) if path.name != SCHEMA_MODULE]
        for folder in ("ontology", "shapes")
    )
    for ontology, shapes in ((own, checked), ([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])):
        vocabulary = load_vocabulary(ontology, shapes)
        inverses = [r.inverse for r in vocabulary.relations.values() if r.inverse is not None]
        for group in (vocabulary.classes, vocabulary.relations, vocabulary.attributes):
            found |= {name for term in group.values() for name in (term.name, term.iri.rpartition("#")[2])}
        found |= {name for term in inverses for name in (term.name, term.iri.rpartition("#")[2])}
    return {name for name in found if "_" in name or name[1:] != name[1:].lower()} - {"API"}


def words_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Names, attributes and the words of strings in the code; docstrings are for people and may give examples."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from ((node.lineno, word.strip("~*\"'`,.;:(){}[]")) for word in node.value.split())


@pytest.mark.parametrize(
    "path", sorted((ROOT / "kb").rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_code_names_no_term_of_a_subject_area(path: Path) -> None:
    names = term_names()
    assert [f"line {line}: {word}" for line, word in words_of_code(path) if word in names] == []


def test_there_are_names_to_look_for() -> None:
    assert {"depends_on", "dependsOn", "owned_by", "on_loan_from", "onDisplay"} <= term_names()
