"""`kb get`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kb.cli._nodes import show_caveats, show_facts, show_left, show_stated, yes_or_no
from kb.cli._options import json_option, kb_option
from kb.cli._output import echo, echo_json, table, wrapped

__all__ = ["command"]

Found = dict[str, Any]


@click.command()
@click.argument("node")
@click.argument("part", metavar="[ID]", required=False)
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Lines to print; 0: all."
)
@kb_option
@json_option
def command(node: str, part: str | None, limit: int, folder: Path, as_json: bool) -> None:
    """Show everything that is known about one thing.

    \b
    kb get deployment_config               a concept of the schema notes
    kb get deployment_config values        a field or caveat of it
    kb get field:deployment_config:values  the same, by its node id
    kb get ledger-db                       an entity, by id or name
    kb get page:ledger-db                  a page

    A name that nothing has is answered with near ones, one that several things share with all of them (exit code 2).
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    import kb

    with kb.open(folder) as base:
        found = base.get(node, part)
    if as_json:
        echo_json(found)
    else:
        _SHOWN[found["kind"]](found, limit)


def _concept(found: Found, limit: int) -> None:
    _head(found["concept"], found["node_id"], found["description"], found["source"])
    for key, value in found["review"].items():
        echo(wrapped(f"Review {key}: {value}", indent="  "))
    if found["fields"]:
        _heading("Fields")
        _fields(found["fields"], limit)
    if found["caveats"]:
        _heading("Caveats")
        show_caveats(found["caveats"], limit)


def _field(found: Found, limit: int) -> None:
    _head(found["name"], found["node_id"], found["description"], found["source"])
    if found["value_type"]:
        echo(wrapped(f"Value type: {found['value_type']}", indent="  ", hanging="    "))
    _heading("Caveats that apply" if found["caveats"] else "No caveat applies.")
    show_caveats(found["caveats"], limit, about=False)


def _caveat(found: Found, limit: int) -> None:
    _head(found["summary"], found["node_id"], None, found["source"])
    for key in ("severity", "evidence"):
        if found[key]:
            echo(wrapped(f"{key.capitalize()}: {found[key]}", indent="  ", hanging="    "))
    _heading("Applies to" if found["fields"] else f"Applies to {found['concept']} as a whole.")
    _fields(found["fields"], limit)


def _entity(found: Found, limit: int) -> None:
    names = f", also called {', '.join(found['aliases'])}" if found["aliases"] else ""
    _head(found["name"], found["node_id"], f"{found['type_label']}{names}")
    if found["description"]:
        echo(wrapped(found["description"], indent="  "))
    for name, value in found["attributes"].items():
        echo(wrapped(f"{name}: {yes_or_no(value)}", indent="  ", hanging="    "))
    _heading("Facts" if found["facts"] else "No facts.")
    show_facts(found["facts"], limit)


def _page(found: Found, limit: int) -> None:
    _head(found["title"], found["node_id"], None)
    if found["sections"]:
        _heading("Sections")
        for one in found["sections"][: limit or None]:
            echo(wrapped(one["node_id"], indent="  "))
        show_left(len(found["sections"]), limit)
    _heading("States" if found["facts"] else "States no fact.")
    show_stated(found["facts"], limit)


def _section(found: Found, limit: int) -> None:
    _head(found["label"], found["node_id"], None)
    echo()
    for line in found["text"].removeprefix(found["label"]).strip("\n").split("\n"):
        echo(wrapped(line, indent="  "))
    _heading("States" if found["facts"] else "States no fact.")
    show_stated(found["facts"], limit)


_SHOWN = {
    "concept": _concept,
    "field": _field,
    "caveat": _caveat,
    "entity": _entity,
    "page": _page,
    "section": _section,
}


def _head(title: str, node_id: str, said: str | None, source: str | None = None) -> None:
    echo(wrapped(title))
    echo(f"  {node_id}")
    if source:
        echo(f"  {source}")
    if said:
        echo(wrapped(said, indent="  "))


def _heading(text: str) -> None:
    echo()
    echo(text)


def _fields(fields: list[Found], limit: int) -> None:
    names = [one["id"] if one["name"] == one["id"] else f"{one['id']} ({one['name']})" for one in fields]
    cells = [
        [name, one["value_type"] or "", one["description"] or ""]
        for name, one in list(zip(names, fields, strict=True))[: limit or None]
    ]
    if cells:
        table(["", "", ""], cells, indent=2)
    show_left(len(fields), limit)
