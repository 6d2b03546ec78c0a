"""`kb init`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli._options import json_option, ontology_option, shapes_option
from kb.cli._output import echo, echo_json, first_advice, note

if TYPE_CHECKING:
    from kb.cli._starter import Starter

__all__ = ["command"]

_TOML = """\
[kb]
# The address below which the IRIs of your entities are minted. Choose it before others use the graph.
base = {base}
{files}
[sources]
pages = "pages"
catalogue = ["catalogue.yaml"]
"""


@click.command()
@click.argument("target", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--base", metavar="IRI", help="Address below which entity IRIs are minted.  [default: made of DIR's name]"
)
@ontology_option("Your own ontology, a file or folder in any RDF syntax. Repeatable.  [default: the one for systems]")
@shapes_option("SHACL shapes for it, a file or folder. Repeatable.")
@json_option
def command(
    target: Path, base: str | None, ontology: tuple[Path, ...], shapes: tuple[Path, ...], as_json: bool
) -> None:
    """Make a folder a knowledge base, with something to start from.

    Writes kb.toml, a catalogue with a few entities and a page about them. Beside pages or schema notes of yours, the
    catalogue is empty. What is there already is left as it is, and a kb.toml is never replaced.
    """
    from kb.cli._starter import starter
    from kb.config import CONFIG_NAME, packaged
    from kb.errors import ConfigError
    from kb.iris import Iris
    from kb.vocabulary import load_vocabulary

    if (target / CONFIG_NAME).exists():
        raise ConfigError(f"{target / CONFIG_NAME}: this folder is a knowledge base already; nothing was changed")
    chosen = base or _base_for(target)
    Iris(chosen)  # raises for one that is no IRI
    defaults = [packaged("ontology") / name for name in ("systems.ttl", "schemas.ttl")]
    default_shapes = [packaged("shapes") / name for name in ("systems.ttl", "schemas.ttl")]
    own_shapes = list(shapes) or ([] if ontology else default_shapes)
    vocabulary = load_vocabulary(list(ontology) or defaults, own_shapes)
    target.mkdir(parents=True, exist_ok=True)
    start = starter(vocabulary)
    made = _write(target, chosen, ontology, shapes, start)
    for line in first_advice(vocabulary.advice):
        note(f"Advice: {line}")
    steps = [] if base else [f"choose base in {target / CONFIG_NAME}: {chosen} is a placeholder"]
    steps += _steps(target, start.question if len(made) == 3 else None)
    if as_json:
        echo_json({"base": chosen, "made": [str(path) for path in made], "next": steps})
        return
    for path in made:
        echo(f"made {path}")
    echo()
    echo("Next:")
    for step in steps:
        echo(f"  {step}")


def _base_for(target: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", target.resolve().name.lower()).strip("-") or "kb"
    return f"https://{name}.example/"


def _write(target: Path, base: str, ontology: tuple[Path, ...], shapes: tuple[Path, ...], start: Starter) -> list[Path]:
    from kb.config import CONFIG_NAME

    made: list[Path] = []
    pages, notes = target / "pages", target / "schemas"
    bare = not pages.exists() or _empty(pages)
    # Made-up entities have no place among what is somebody's own.
    own = not bare or (notes.is_dir() and not _empty(notes))
    if not own:
        pages.mkdir(exist_ok=True)
        made.append(_new(pages / "start.md", start.page))
    if not (target / "catalogue.yaml").exists():
        made.append(_new(target / "catalogue.yaml", start.empty_catalogue if own else start.catalogue))
    files = ""
    for key, paths in (("ontology", ontology), ("shapes", shapes)):
        if paths:
            files += f"{key} = [{', '.join(json.dumps(_from(target, path), ensure_ascii=False) for path in paths)}]\n"
    # Last, because with it the folder is a knowledge base.
    text = _TOML.format(base=json.dumps(base, ensure_ascii=False), files=files)
    if not pages.exists():
        # A folder that git would not keep is not named; one that is made later is found all the same.
        text = text.replace('pages = "pages"\n', "")
    made.append(_new(target / CONFIG_NAME, text))
    return made


def _empty(folder: Path) -> bool:
    """Whether a folder holds nothing but what tools put there so that it is kept (.gitkeep, .DS_Store)."""
    return folder.is_dir() and all(path.name.startswith(".") and path.is_file() for path in folder.iterdir())


def _new(path: Path, text: str) -> Path:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path


def _from(target: Path, path: Path) -> str:
    """A path as kb.toml in the target folder should name it: relative inside it, else in full."""
    full = path.resolve()
    root = target.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else full.as_posix()


def _steps(target: Path, question: str | None) -> list[str]:
    where = "" if target.resolve() == Path.cwd() else f" --kb {shlex.quote(str(target))}"
    steps = [
        "list what your pages talk about in catalogue.yaml, and put the pages into pages/",
        "put schema notes, if you have any, into schemas/",
        f"kb build{where}",
    ]
    return [*steps, f'kb ask{where} "{question}"'] if question else steps
