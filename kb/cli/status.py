"""`kb status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, first_advice, table, wrapped

__all__ = ["command"]

_OF_NOTES = ("has_field", "has_caveat", "applies_to")


@click.command()
@kb_option
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Show what the graph holds, and what has changed since."""
    import kb

    with kb.open(folder) as base:
        data = base.status()
    if as_json:
        echo_json(data)
    else:
        _show(data)


def _show(data: dict[str, Any]) -> None:
    echo(f"{data['generation']}, built {data['created']}, read by {data['reader']}")
    echo()
    rejected = sum(data["rejected"].values())
    why = ", ".join(f"{number:,} {code.replace('_', ' ')}" for code, number in data["rejected"].items())
    facts = _other_facts(data)
    rows = [
        ["pages", f"{data['pages']:,}", ""],
        ["entities", f"{data['entities']:,}", ""],
        ["statements", f"{data['statements']:,}", "accepted"],
        ["", f"{rejected:,}", f"rejected{f': {why}' if why else ''}"],
        ["facts", f"{sum(facts.values()):,}", ", ".join(f"{n:,} {name}" for name, n in facts.items())],
    ]
    # As in `kb build`: whoever has schema notes alone need not look at a table of zeros.
    wiki = data["pages"] or data["entities"] or data["statements"] or rejected or facts
    rows = [
        *(rows if wiki or not data["schemas"] else []),
        *_notes(data),
        ["warnings", f"{data['warnings']:,}", "kb validate prints them" if data["warnings"] else ""],
    ]
    table(["", "", ""], rows, right=[1])
    echo()
    changed, unreadable = _changes(data["changes"]), _unreadable(data["changes"])
    if not data["stale"]:
        echo("Nothing has changed since.")
    if changed:
        echo("Changed since, so run kb build:")
        for line in changed:
            echo(wrapped(line, indent="  ", hanging="    "))
    if changed and unreadable:
        echo()
    if unreadable:
        echo("Cannot be read, so correct it first:")
        for line in unreadable:
            echo(wrapped(line, indent="  ", hanging="    "))
    if data["advice"]:
        echo()
        echo("Advice")
        for line in first_advice(data["advice"]):
            echo(wrapped(line, indent="  ", hanging="    "))


def _other_facts(data: dict[str, Any]) -> dict[str, int]:
    """Facts of pages and catalogue by relation: those of notes stand beside the notes, as `kb build` prints them."""
    relations: dict[str, int] = data["relations"]
    others = {name: number for name, number in relations.items() if name not in _OF_NOTES}
    return others if data["facts"] - sum(others.values()) == data["schemas"].get("facts", 0) else relations


def _notes(data: dict[str, Any]) -> list[list[str]]:
    found, index = data["schemas"], data["index"]
    rows = []
    if found:
        parts = [
            counted(found["fields"], "field"),
            counted(found["caveats"], "caveat"),
            counted(found["facts"], "fact"),
        ]
        rows.append(["notes", f"{found['concepts']:,}", ", ".join(parts)])
    if index["identity"]:
        rows.append(["index", f"{index['rows']:,}", f"rows by {index['identity']}"])
    return rows


def _changes(changes: dict[str, Any]) -> list[str]:
    names = ("ontology", "catalogue", "reader", "embedding")
    lines = [f"the {name} differs" for name in names if changes[name]]
    lines += ["the threshold of duplicates differs"] if changes["duplicates"] else []
    for what, by_kind in (("page", changes["pages"]), ("schema file", changes["schemas"])):
        for kind, items in by_kind.items():
            if items and kind != "unreadable":
                shown = ", ".join(items[:8])
                lines.append(f"{counted(len(items), what)} {kind}: {shown}{' …' if len(items) > 8 else ''}")
    return [*lines, *changes["problems"]]


def _unreadable(changes: dict[str, Any]) -> list[str]:
    return [*changes["pages"]["unreadable"], *changes["schemas"]["unreadable"]]
