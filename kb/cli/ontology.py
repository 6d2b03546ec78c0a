"""`kb ontology`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option, ontology_option, shapes_option
from kb.cli._output import counted, echo, echo_bytes, echo_json, note, table, wrapped

if TYPE_CHECKING:
    from kb.vocabulary import Vocabulary

__all__ = ["command"]


@click.command()
@ontology_option("This ontology, a file or folder, rather than the knowledge base's. Repeatable.")
@shapes_option("SHACL shapes for it, a file or folder. Repeatable.")
@click.option(
    "--check", is_flag=True, help="Only what is missing or wrong, each with Turtle to add; exit code 1 if any."
)
@click.option(
    "--format",
    "syntax",
    type=click.Choice(["table", "markdown", "html", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to this file."
)
@kb_option
@json_option
def command(
    ontology: tuple[Path, ...],
    shapes: tuple[Path, ...],
    check: bool,
    syntax: str,
    output: Path | None,
    folder: Path,
    as_json: bool,
) -> int:
    """Show what kb understands of the ontology, or what it lacks.

    Types, relations with their words and their way back, attributes, and the rules of the shapes. --format markdown
    and html make a page of documentation. Nothing needs to be built, and nothing is ever fetched.
    """
    from kb.describe import describe, to_html, to_markdown

    vocabulary = _vocabulary(ontology, shapes, folder)
    syntax = "json" if as_json else syntax
    if check:
        return _check(vocabulary, as_json=syntax == "json")
    data = describe(vocabulary)
    if syntax in ("markdown", "html"):
        text = to_markdown(data) if syntax == "markdown" else to_html(data)
    elif syntax == "json":
        import json

        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    elif output is not None:
        raise click.UsageError("-o writes a document; choose --format markdown, html or json.")
    else:
        _show(data)
        return 0
    if output is None:
        echo_bytes(text.encode())
    else:
        output.write_text(text, encoding="utf-8")
        note(f"wrote {output}")
    return 0


def _vocabulary(ontology: tuple[Path, ...], shapes: tuple[Path, ...], folder: Path) -> Vocabulary:
    from kb.config import load_config
    from kb.vocabulary import load_vocabulary

    if shapes and not ontology:
        raise click.UsageError("--shapes goes with --ontology.")
    if ontology:
        return load_vocabulary(list(ontology), list(shapes))
    config = load_config(folder)
    return load_vocabulary(config.ontology, config.shapes)


def _check(vocabulary: Vocabulary, *, as_json: bool) -> int:
    from kb.graph._recursion import check_shapes

    check_shapes(vocabulary.shapes)  # raises, as a build would
    if as_json:
        echo_json({"advice": list(vocabulary.advice)})
    for line in () if as_json else vocabulary.advice:
        echo(wrapped(line, hanging="  "))
    found = len(vocabulary.advice)
    there = ", ".join(
        (
            counted(len(vocabulary.classes), "class", "classes"),
            counted(len(vocabulary.relations), "relation"),
            counted(len(vocabulary.attributes), "attribute"),
        )
    )
    note(f"{there}: {counted(found, 'thing') + ' to add or change' if found else 'nothing is missing'}")
    return 1 if found else 0


def _show(data: dict[str, Any]) -> None:
    from kb.describe import datatype, joins

    rows = [[one["name"], ", ".join(one["parents"]), ", ".join(one["phrases"])] for one in data["classes"]]
    _part("Types", ["type", "is a", "words"], rows)
    rows = []
    for one in data["relations"]:
        back = one["inverse"] or {"name": "", "phrases": []}
        kinds = [kind for kind in ("transitive", "symmetric") if one[kind]]
        rows.append([one["name"], "; ".join([joins(one), *kinds]), ", ".join(one["phrases"])])
        if one["inverse"]:
            rows.append([f"  ~ {back['name']}", "", ", ".join(back["phrases"])])
    _part("Relations, each with its way back", ["relation", "joins", "words"], rows)
    rows = []
    for one in data["attributes"]:
        words = ", ".join(one["phrases"]) + (
            f"; not: {', '.join(one['phrases_false'])}" if one["phrases_false"] else ""
        )
        rows.append([one["name"], ", ".join(one["domains"]) or "anything", datatype(one["datatype"]), words])
    _part("Attributes", ["attribute", "of", "values", "words"], rows)
    _part("Rules", ["shape", "severity", "says"], [[o["name"], o["severity"], o["message"]] for o in data["rules"]])
    if data["advice"]:
        note(f"{counted(len(data['advice']), 'thing')} missing: kb ontology --check")


def _part(title: str, headings: list[str], rows: list[list[str]]) -> None:
    if rows:
        echo(title)
        table(headings, rows, indent=2)
        echo()
