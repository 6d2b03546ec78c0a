"""`kb generations`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, table

if TYPE_CHECKING:
    from kb.generations import Generations

__all__ = ["command"]


def _generations(folder: Path) -> Generations:
    from kb.config import load_config
    from kb.generations import Generations

    return Generations(load_config(folder).store)


@click.group(invoke_without_command=True)
@kb_option
@json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """List, verify, prune and roll back the builds that are kept.

    Each build that changes something is a generation: complete, never altered, in use until the next one replaces it.
    Without a subcommand, they are listed.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = folder if ctx.get_parameter_source("folder") is not ParameterSource.DEFAULT else None
        return
    _list(folder, as_json=as_json)


def _list(folder: Path, *, as_json: bool) -> None:
    rows = _generations(folder).describe()
    if as_json:
        echo_json(rows)
        return
    if not rows:
        echo("None yet; run kb build.")
        return
    cells = []
    for row in rows:
        states = ["current"] if row["current"] else []
        states += [f"read by {counted(len(row['pinned']), 'process', 'processes')}"] if row["pinned"] else []
        states += [f"damaged: {row['problem']}"] if row["problem"] else []
        quads = "" if row["quads"] is None else f"{row['quads']:,}"
        cells.append([row["name"], row["created"] or "", quads, ", ".join(states)])
    table(["generation", "built", "quads", ""], cells, right=[2])


def _folder_of(ctx: click.Context, folder: Path) -> Path:
    """The folder named after the subcommand, else the one named before it, else the one that is found."""
    named_here = ctx.get_parameter_source("folder") is not ParameterSource.DEFAULT
    return ctx.obj if isinstance(ctx.obj, Path) and not named_here else folder


@command.command("list")
@kb_option
@json_option
@click.pass_context
def list_(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """List the builds that are kept, oldest first: which is current, read by somebody, or damaged."""
    _list(_folder_of(ctx, folder), as_json=as_json)


@command.command()
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="How many of the newest to keep.",
)
@kb_option
@json_option
@click.pass_context
def prune(ctx: click.Context, keep: int, folder: Path, as_json: bool) -> None:
    """Remove old generations that nobody reads.

    The current one is always kept.
    """
    removed = _generations(_folder_of(ctx, folder)).prune(keep)
    if as_json:
        echo_json({"removed": removed})
    else:
        echo(f"Removed {counted(len(removed), 'generation')}{': ' if removed else ''}{', '.join(removed)}")


@command.command()
@click.argument("name")
@kb_option
@json_option
@click.pass_context
def rollback(ctx: click.Context, name: str, folder: Path, as_json: bool) -> None:
    """Make an older generation the current one.

    The next build starts from what is on disk, so put the pages back as well.
    """
    generation = _generations(_folder_of(ctx, folder)).rollback(name)
    if as_json:
        echo_json({"current": generation.name})
    else:
        echo(f"{generation.name} is current")


@command.command()
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Leave out the tables of the graph, which are most of a generation.")
@kb_option
@json_option
@click.pass_context
def verify(ctx: click.Context, name: str | None, quick: bool, folder: Path, as_json: bool) -> int:
    """Check that files and graph of a generation are as they were published.

    Without NAME, all are checked. Exit code 1: one is damaged.
    """
    from kb.errors import GenerationError

    generations = _generations(_folder_of(ctx, folder))
    found = [generations.get(name)] if name else generations.list()
    problems: dict[str, str | None] = {}
    for generation in found:
        try:
            generations.verify(generation, deep=not quick)
            problems[generation.name] = None
        except GenerationError as err:
            problems[generation.name] = str(err)
    if as_json:
        echo_json([{"name": one, "problem": problem} for one, problem in problems.items()])
    else:
        for one, problem in problems.items():
            echo(f"{one}: {'damaged' if problem else 'sound'}")
            if problem:
                note(f"Error: {problem}")
    return 1 if any(problems.values()) else 0
