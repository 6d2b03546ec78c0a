"""`kb validate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_bytes, note, wrapped

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase
    from kb.validate import Report, Row, Rules

__all__ = ["command"]

_SEVERITIES = ("Violation", "Warning", "Info")
_FORMATS = ("table", "json", "turtle", "jsonld", "junit", "sarif")
_MOST_PLACES = 6
_MOST_WORDS = 160


@click.command()
@click.argument("data", nargs=-1, type=click.Path(path_type=Path), metavar="[DATA]...")
@click.option(
    "--shapes",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Shapes for DATA. Repeatable.",
)
@click.option(
    "--ontology",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Ontology with the classes above those in DATA. Repeatable.",
)
@click.option(
    "--severity",
    type=click.Choice([name.lower() for name in _SEVERITIES]),
    default="warning",
    show_default=True,
    help="The mildest results to print.",
)
@click.option("--only-new", is_flag=True, help="Only what the generation before the current one did not have.")
@click.option("--since", metavar="NAME", help="Only what this older generation did not have; see kb generations.")
@click.option(
    "--fail-on",
    type=click.Choice([name.lower() for name in _SEVERITIES]),
    default="violation",
    show_default=True,
    help="The mildest results that make the exit code 1.",
)
@click.option("--rejections", is_flag=True, help="Report on the statements that the build rejected instead.")
@click.option(
    "--format",
    "syntax",
    type=click.Choice(_FORMATS),
    default="table",
    show_default=True,
    help="turtle and jsonld are the report graph of the W3C; junit and sarif are for CI.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@kb_option
@json_option
def command(
    data: tuple[Path, ...],
    shapes: tuple[Path, ...],
    ontology: tuple[Path, ...],
    severity: str,
    only_new: bool,
    since: str | None,
    fail_on: str,
    rejections: bool,
    syntax: str,
    output: Path | None,
    folder: Path,
    as_json: bool,
) -> int:
    """Check the graph against its shapes.

    All facts and the catalogue are checked with SHACL, against the shapes that the graph was built with. A violation
    is a broken rule, a warning a contradiction that was kept, an info a hint about what is missing.

    With DATA, RDF files or folders, those are checked instead: against --shapes, or else the shapes and the ontology
    that kb.toml names. Nothing is fetched: neither owl:imports nor contexts of JSON-LD.

    Exit code 1: there is a violation, or a result of --fail-on.
    """
    if data and (only_new or since or rejections):
        raise click.UsageError("--only-new, --since and --rejections are about the published graph, not about files")
    if not data and (shapes or ontology):
        raise click.UsageError(
            "--shapes and --ontology are for files; to try other shapes on the graph, "
            "run kb export -o facts.ttl, and then kb validate facts.ttl --shapes …"
        )
    from kb.validate import validate_files, write_report

    if data:
        report = validate_files(data, _rules(shapes, ontology, folder))
    else:
        report = _published(folder, since, only_new=only_new or since is not None, rejections=rejections)
    shown = report.at_least(severity.capitalize())
    syntax = "json" if as_json and syntax == "table" else syntax
    if syntax == "table":
        text = "\n".join(_lines(report, shown)) + "\n"
        written = text.encode("utf-8", "replace")
    else:
        written = write_report(report, syntax, shown)
    if output is not None:
        output.write_bytes(written)
        note(f"{counted(len(shown.rows), 'result')} written to {output}")
    elif syntax == "table":
        echo(text.rstrip("\n"))
    else:
        echo_bytes(written)
    for one in report.notes:
        note(wrapped(f"Note: {one}"))
    return 1 if report.at_least(fail_on.capitalize()).rows else 0


def _rules(shapes: tuple[Path, ...], ontology: tuple[Path, ...], folder: Path) -> Rules:
    from kb.config import CONFIG_NAME, load_config
    from kb.validate import Rules
    from kb.vocabulary import load_vocabulary

    if shapes:
        return Rules.read(shapes, ontology)
    if not (folder / CONFIG_NAME).is_file():
        raise click.UsageError("what should DATA be checked against? Name the shapes with --shapes")
    config = load_config(folder)
    words = load_vocabulary(config.ontology, config.shapes)
    more = Rules.read(config.shapes, ontology) if ontology else Rules(())
    return Rules(words.shapes, (*words.ontology, *more.ontology), more.notes)


def _published(folder: Path, since: str | None, *, only_new: bool, rejections: bool) -> Report:
    from dataclasses import replace

    import kb
    from kb.validate import new_rows, newest_first, rejections_report, validate_published

    made = rejections_report if rejections else validate_published
    with kb.open(folder) as base:
        report = made(base)
        notes = list(report.notes)
        if _shapes_changed(base):
            notes.append(
                "ontology or shapes have changed since this graph was built; kb build checks it against the new ones."
            )
        if only_new:
            parent = since or base.generation.meta.get("parent")
            if parent is None:
                notes.append("this is the first generation, so everything in it is new.")
            else:
                with kb.open(folder, generation=parent) as before:
                    report = newest_first(new_rows(report, made(before)), before)
            report = replace(report, what=f"{report.what}, as far as it is new,")
    return replace(report, notes=tuple(notes))


def _shapes_changed(kb: KnowledgeBase) -> bool:
    from kb.errors import KbError
    from kb.vocabulary import load_vocabulary

    try:
        return load_vocabulary(kb.config.ontology, kb.config.shapes).digest != kb.vocabulary.digest
    except KbError:
        return True


# -- for people -----------------------------------------------------------------


def _lines(report: Report, shown: Report) -> list[str]:
    words = {"Violation": "violation", "Warning": "warning", "Info": "hint"}
    counts = report.counts
    verdict = "does not conform" if report.violated else "conforms"
    lines = [f"{report.what} {verdict} to its shapes."]
    lines.append(", ".join(counted(counts[name], words[name]) for name in _SEVERITIES))
    for row in shown.rows:
        lines += ["", *_row_lines(row)]
    hidden = len(report.rows) - len(shown.rows)
    if hidden:
        mildest = "info" if counts["Info"] else "warning"
        lines += ["", f"… and {hidden:,} milder: --severity {mildest} prints them"]
    return lines


def _row_lines(row: Row) -> list[str]:
    name = row.label if row.label == row.focus or row.statement == row.label else f"{row.label} ({row.focus})"
    value = None if row.path is None and row.value == row.focus else row.value
    what = " ".join(part for part in (row.path, value) if part is not None)
    lines = [wrapped(f"{row.severity}: {name}{f' · {what}' if what else ''}", hanging="  ")]
    lines.append(wrapped(row.text, indent="  "))
    if row.code is not None:
        lines.append(wrapped(f"rejected: {row.statement} ({row.code})", indent="  ", hanging="    "))
    for place in row.places[:_MOST_PLACES]:
        said = " ".join(place.quote.split())
        said = said if len(said) <= _MOST_WORDS else said[: _MOST_WORDS - 1] + "…"
        lines.append(wrapped(f"{place}{f': “{said}”' if said else ''}", indent="  ", hanging="    "))
    if len(row.places) > _MOST_PLACES:
        lines.append(f"  … and {len(row.places) - _MOST_PLACES} more places")
    if row.sources:
        lines.append(wrapped(f"pages: {', '.join(row.sources)}", indent="  ", hanging="    "))
    if row.shape:
        lines.append(wrapped(f"shape: {row.shape}", indent="  ", hanging="    "))
    return lines
