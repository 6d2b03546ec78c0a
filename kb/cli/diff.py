"""`kb diff`."""

from __future__ import annotations

from pathlib import Path

import click

from kb.cli._options import kb_option
from kb.cli._output import echo_bytes, echo_json

__all__ = ["command"]

_FORMATS = ("table", "json", "markdown", "update")


@click.command()
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option(
    "--format",
    "syntax",
    type=click.Choice(_FORMATS),
    default="table",
    show_default=True,
    help="markdown: a comment for a pull request; update: SPARQL that turns the old facts into the new ones.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--fail", is_flag=True, help="Exit with 1 when something differs.")
@kb_option
def command(old: str | None, new: str | None, syntax: str, as_json: bool, fail: bool, folder: Path) -> int:
    """Show what a build changed: facts with page and quote, and more.

    OLD and NEW are generations, by name or number (see kb generations); without them, the one in use is compared with
    the one before it.

    Besides facts: entities, schema notes, contradictions, refused statements and pages that came, went or changed.
    """
    import kb
    from kb.config import load_config
    from kb.diff import chosen, difference, facts_changed
    from kb.generations import Generations

    before, after = chosen(Generations(load_config(folder).store), old, new)
    with kb.open(folder, generation=before) as one, kb.open(folder, generation=after) as other:
        found = difference(one, other)
        if as_json or syntax == "json":
            echo_json(found.to_json())
        elif syntax == "update":
            from kb.export.update import write_update

            echo_bytes(write_update(*facts_changed(one, other)))
        else:
            from kb.cli._diff_text import echo_difference, markdown

            if syntax == "markdown":
                echo_bytes(markdown(found).encode())
            else:
                echo_difference(found)
    return 1 if fail and found else 0
