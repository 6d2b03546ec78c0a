"""`kb build`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, progress, table, wrapped

if TYPE_CHECKING:
    from kb.pipeline import BuildReport

__all__ = ["command"]


def _rows(_ctx: click.Context, _param: click.Parameter, value: str) -> int:
    if value == "all":
        return sys.maxsize
    if value.isdecimal():
        return int(value)
    raise click.BadParameter(f"{value!r} is neither a number nor 'all'.")


@click.command()
@click.option("--force", is_flag=True, help="Start from nothing, whatever is published.")
@click.option(
    "--statements",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.jsonl",
    help="Take statements as given in this file instead of reading pages.",
)
@click.option(
    "--rejections",
    "most",
    metavar="N|all",
    callback=_rows,
    default="10",
    show_default=True,
    help="Rejected statements to print.",
)
@click.option(
    "--unread", is_flag=True, help="List lines and pages that name two or more entities and gave no statement."
)
@kb_option
@json_option
def command(force: bool, statements: Path | None, most: int, unread: bool, folder: Path, as_json: bool) -> int:
    """Read pages and catalogue and publish the graph of both.

    Only what changed since the last build is read. The old graph stays in use until the new one is complete, and when
    the build fails or is killed.

    Exit code 1: a page could not be read, or given data break a shape; the rest is published all the same.
    """
    import kb

    with progress() as step:
        report = kb.build(folder, force=force, statements=statements, progress=step)
    if as_json:
        echo_json(report.to_json())
    else:
        _show(report, most)
        _unread(report, listed=unread)
    for fault in report.faults:
        note(f"Error: {fault}")
    return report.exit_code


def _show(report: BuildReport, most: int) -> None:
    did = "published" if report.changed else "is still right: nothing has changed"
    echo(f"{report.generation} {did} ({report.seconds:.1f} s)")
    echo()
    pages, said = report.pages, report.statements
    counts = ("read", "kept", "removed", "failed")
    detail = ", ".join(f"{pages[name]:,} {name}" for name in counts if pages.get(name))
    rows = [
        ["pages", f"{pages.get('total', 0):,}", detail],
        ["entities", f"{report.entities:,}", ""],
        ["statements", f"{said.get('read', 0):,}", _said(said)],
        ["facts", f"{report.facts:,}", "distinct statements that were accepted"],
    ]
    table(["", "", ""], rows, right=[1])
    _rejections(report, most)
    _contradictions(report.contradictions)
    _lines("Broken rules in what the catalogue says", [_violation(one) for one in report.violations])
    _lines("Warnings", report.warnings)
    _lines("Advice", report.advice)
    if report.hints:
        echo()
        echo(f"{counted(report.hints, 'hint')} about what is missing: kb validate --severity info")


def _said(said: Mapping[str, int]) -> str:
    return f"{said.get('accepted', 0):,} accepted, {said.get('rejected', 0):,} rejected"


def _rejections(report: BuildReport, most: int) -> None:
    if not report.rejections:
        return
    why = ", ".join(f"{number:,} {code.replace('_', ' ')}" for code, number in report.rejected_by.items())
    _title(f"Rejected statements: {why}")
    for row in report.rejections[:most]:
        said = f"{row['page']}: {row['subject']} {row['relation']} {row['object']}"
        echo(wrapped(said, indent="  ", hanging="    "))
        echo(wrapped(row["reason"], indent="    "))
    if len(report.rejections) > most:
        left = len(report.rejections) - most
        echo(f"  … and {left:,} more: --rejections all, or kb query list_rejections")


def _contradictions(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    _title(f"Contradictions: {len(rows):,}")
    for row in rows:
        echo(wrapped(f"{row['focus']}: {row['message']}", indent="  ", hanging="    "))
        for value, pages in row["values"].items():
            echo(wrapped(f"{row['relation']} {value}: {', '.join(pages)}", indent="    ", hanging="      "))
        if not row["values"] and row["pages"]:
            echo(wrapped(f"pages: {', '.join(row['pages'])}", indent="    ", hanging="      "))


def _unread(report: BuildReport, *, listed: bool) -> None:
    """What names two or more entities and gave no statement: how much of it there is, or all of it."""
    lines, pages = report.unread_lines, report.quiet_pages
    if not lines and not pages:
        if listed:
            echo()
            echo("Every line that names two or more entities gave a statement.")
        return
    found = [counted(len(lines), "line")] if lines else []
    found += [counted(len(pages), "whole page")] if pages else []
    verb = "names" if len(lines) + len(pages) == 1 else "name"
    said = f"{' and '.join(found)} {verb} two or more entities and gave no statement"
    if not listed:
        echo()
        echo(wrapped(f"{said}: kb build --unread"))
        return
    _title(said)
    for row in lines:
        echo(wrapped(f"{row['path']}:{row['line']}: {row['text']}", indent="  ", hanging="    "))
        echo(wrapped(f"names {', '.join(row['names'])}", indent="    "))
    if pages:
        _title("Pages that gave no statement")
        for row in pages:
            echo(wrapped(f"{row['path']}: names {', '.join(row['names'])}", indent="  ", hanging="    "))


def _violation(row: Mapping[str, Any]) -> str:
    where = f" ({', '.join(row['sources'])})" if row["sources"] else ""
    return f"{row['focus']}: {row['message']}{where}"


def _lines(title: str, lines: list[str]) -> None:
    if lines:
        _title(f"{title}: {len(lines):,}")
        for line in lines:
            echo(wrapped(line, indent="  ", hanging="    "))


def _title(text: str) -> None:
    echo()
    echo(text)
