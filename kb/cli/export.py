"""`kb export`."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

import click

from kb.cli._options import kb_option
from kb.cli._output import counted, echo_bytes, note

__all__ = ["command"]

# Named here so that --help need not import the library; a test compares the two.
_FORMATS = ("turtle", "trig", "ntriples", "nquads", "rdfxml", "jsonld")


@click.command()
@click.option(
    "--format",
    "syntax",
    type=click.Choice(_FORMATS),
    help="Syntax.  [default: that of the file's suffix, else turtle]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write to this file instead of standard output.",
)
@click.option(
    "--graph",
    "graphs",
    multiple=True,
    metavar="NAME",
    help="Only this graph: facts, catalogue, provenance, rejections, report, page:ID or an IRI. Repeatable.",
)
@click.option("--facts-only", is_flag=True, help="Only the facts, in formats that hold several graphs too.")
@click.option("--with-provenance", is_flag=True, help="Also who states each fact, in formats of one graph.")
@kb_option
def command(
    syntax: str | None,
    output: Path | None,
    graphs: tuple[str, ...],
    facts_only: bool,
    with_provenance: bool,
    folder: Path,
) -> None:
    """Write the graph as Turtle, JSON-LD, RDF/XML and more.

    Turtle, N-Triples, RDF/XML and JSON-LD hold one graph: the facts, with the entities' names, types and attributes.
    TriG and N-Quads hold everything: the facts as the default graph, and beside it one named graph for the catalogue
    and for each page, and those with provenance, rejections and the report.

    The same graph gives the same bytes.
    """
    if graphs and (facts_only or with_provenance):
        raise click.UsageError("--graph says already what to write: leave out --facts-only and --with-provenance.")
    if facts_only and with_provenance:
        raise click.UsageError("--facts-only and --with-provenance contradict each other.")
    import kb
    from kb.graph.export import FORMATS, export, format_of

    to_file = output is not None and str(output) != "-"
    if syntax is None:
        found = format_of(output) if output is not None and to_file else FORMATS["turtle"]
        if found is None:
            raise click.UsageError(f"The suffix of {output} stands for no format; name one with --format.")
        syntax = found.name
    with kb.open(folder) as base, base.generation.reading():
        data = export(
            base.store,
            syntax,
            base.iris,
            base.vocabulary,
            graphs=graphs,
            facts_only=facts_only,
            provenance=with_provenance,
        )
    if output is None or not to_file:
        echo_bytes(data)
    else:
        _replace(output, data)
        note(f"{output}: {counted(len(data), 'byte')} of {syntax}")


def _replace(path: Path, data: bytes) -> None:
    """Writes a file as a whole: whoever reads it sees the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
