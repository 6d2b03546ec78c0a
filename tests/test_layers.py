"""Imports go down only, as docs/architecture.md draws them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "kb").rglob("*.py"))


def drawn_layers() -> list[list[str]]:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = re.search(r"```layers\n(.*?)```", text, re.DOTALL)
    assert drawing is not None
    return [line[:37].split() for line in drawing[1].splitlines()]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room(module: str) -> str:
    """`kb.graph.gate` is in the room `graph`."""
    return module.split(".")[1] if "." in module else ""


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of everything that a file imports, also inside functions and for type checking only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            if node.module == "kb":
                yield from ((node.lineno, f"kb.{alias.name}") for alias in node.names if alias.name != "__version__")
            else:
                yield node.lineno, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


RANKS = {name: rank for rank, layer in enumerate(drawn_layers()) for name in layer}


def test_the_drawing_has_every_room_and_no_other() -> None:
    rooms = {room(module_of(path)) for path in MODULES} - {""}
    assert set(RANKS) - {"cli", "__main__"} == rooms - {"cli", "__main__"}


@pytest.mark.parametrize("path", [path for path in MODULES if room(module_of(path))], ids=module_of)
def test_module_imports_only_downwards(path: Path) -> None:
    here = room(module_of(path))
    upwards = [
        f"line {line}: {module}"
        for line, module in imports(path)
        if module.startswith("kb.") and RANKS[room(module)] < RANKS[here]
    ]
    assert upwards == []


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_no_module_is_too_long_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


@pytest.mark.parametrize("path", [path for path in MODULES if not path.stem.startswith("_")], ids=module_of)
def test_public_modules_say_what_is_public(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert "__all__" in names
    assert ast.get_docstring(tree)


def test_only_commands_print() -> None:
    printing = [
        f"{module_of(path)}:{node.lineno}"
        for path in MODULES
        if room(module_of(path)) != "cli"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []
