"""Options that several commands share, declared once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

__all__ = ["json_option", "kb_option", "ontology_option", "shapes_option"]


def _folder(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path:
    """The folder that was named; else the nearest one with kb.toml, from the current folder upwards."""
    if value is not None:
        return value
    from kb.config import CONFIG_NAME, enclosing

    if Path(CONFIG_NAME).is_file():
        return Path()
    found = enclosing(Path())
    return Path() if found is None else Path(os.path.relpath(found))


kb_option = click.option(
    "--kb",
    "folder",
    type=click.Path(path_type=Path),
    callback=_folder,
    metavar="DIR",
    help="Folder of the knowledge base, the one with kb.toml.  [default: the current or nearest parent folder]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def ontology_option(said: str) -> Callable[[Any], Any]:
    """`--ontology FILE`, files or folders that are there; `said` is its help."""
    return _files_option("--ontology", said)


def shapes_option(said: str) -> Callable[[Any], Any]:
    """`--shapes FILE`, files or folders that are there; `said` is its help."""
    return _files_option("--shapes", said)


def _files_option(name: str, said: str) -> Callable[[Any], Any]:
    return click.option(name, multiple=True, type=click.Path(path_type=Path, exists=True), metavar="FILE", help=said)
