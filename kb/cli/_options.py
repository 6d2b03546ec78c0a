"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["json_option", "kb_option"]

kb_option = click.option(
    "--kb",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Folder of the knowledge base, the one with kb.toml.  [default: the current folder]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
