"""`kb related`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kb.cli._nodes import clipped, show_caveats, show_facts, show_left, show_stated
from kb.cli._options import json_option, kb_option
from kb.cli._output import echo, echo_json, table, wrapped

__all__ = ["command"]


@click.command()
@click.argument("node")
@click.argument("part", metavar="[FIELD]", required=False)
@click.option(
    "--similar", type=click.IntRange(min=0), default=5, show_default=True, metavar="N", help="Similar texts to print."
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Facts to print; 0: all."
)
@kb_option
@json_option
def command(node: str, part: str | None, similar: int, limit: int, folder: Path, as_json: bool) -> None:
    """Show what is linked to a field, concept, caveat, entity or page.

    \b
    kb related deployment_config values    the caveats that apply to a field
    kb related deployment_config           all caveats of a concept
    kb related ledger-db                   the neighbours of an entity, both ways

    What is linked is a fact of the graph, with page and quote where one states it. The texts of the index that are most
    like it follow apart: they are similar, and nothing more is claimed.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    import kb

    with kb.open(folder) as base:
        found = base.related(node, part, similar=similar)
    if as_json:
        echo_json(found)
    else:
        _show(found, limit)


def _show(found: dict[str, Any], limit: int) -> None:
    echo(wrapped(found["label"]))
    echo(f"  {found['node_id']}")
    echo()
    if "caveats" in found:
        of_field = found["kind"] == "field"
        some = "Caveats that apply" if of_field else "Caveats"
        echo(some if found["caveats"] else "No caveat applies." if of_field else "No caveats.")
        show_caveats(found["caveats"], limit, about=not of_field)
    elif "fields" in found:
        echo("Applies to" if found["fields"] else f"Applies to {found['concept']} as a whole.")
        cells = [[one["node_id"], one["value_type"] or ""] for one in found["fields"][: limit or None]]
        if cells:
            table(["", ""], cells, indent=2)
        show_left(len(found["fields"]), limit)
    else:
        echo("Linked by facts" if found["facts"] else "No facts.")
        (show_facts if found["kind"] == "entity" else show_stated)(found["facts"], limit)
    if found["similar"]:
        echo()
        echo("Similar texts (no facts)")
        for hit in found["similar"]:
            echo(f"  {hit['score']:.2f}  {hit['node_id']}")
            echo(wrapped(clipped(hit["text"], 2, 10), indent="        "))
