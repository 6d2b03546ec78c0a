"""`kb export`."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import kb_option
from kb.cli._output import counted, echo_bytes, note

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["command"]

# Named here so that --help need not import the library; a test compares the two.
_FORMATS = ("turtle", "trig", "ntriples", "nquads", "rdfxml", "jsonld")
_PICTURES = ("mermaid", "svg")
_OTHERS = ("graphml", "nodes-csv", "edges-csv", *_PICTURES, "backstage")
_SUFFIXES = {".graphml": "graphml", ".mmd": "mermaid", ".mermaid": "mermaid", ".svg": "svg"}


@click.command()
@click.option(
    "--format",
    "syntax",
    type=click.Choice([*_FORMATS, *_OTHERS]),
    metavar="FORMAT",
    help=f"{', '.join((*_FORMATS, *_OTHERS))}.  [default: that of the file's suffix, else turtle]",
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
    help="Only this graph: facts, catalogue, provenance, rejections, report, page:ID, schema:CONCEPT or an IRI. "
    "Repeatable.",
)
@click.option(
    "--entity", "entities", multiple=True, metavar="ID", help="Only what is known about this thing. Repeatable."
)
@click.option("--facts-only", is_flag=True, help="Only the facts, in formats that hold several graphs too.")
@click.option("--with-provenance", is_flag=True, help="Also who states each fact, in formats of one graph.")
@click.option("--with-inferences", is_flag=True, help="Also what was inferred from the facts.")
@click.option("--describe", "described", is_flag=True, help="Describe the data set instead: VoID and DCAT.")
@click.option("--focus", multiple=True, metavar="ID", help="Lists and pictures: only around this thing. Repeatable.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="How many steps from the focus.  [default: 2]")
@click.option(
    "--direction",
    type=click.Choice(["both", "out", "in"]),
    help="Along the relations, against them, or both.  [default: both]",
)
@click.option(
    "--relation", "relations", multiple=True, metavar="NAME", help="Lists and pictures: only this one. Repeatable."
)
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Boxes in a picture at most.  [default: 80]")
@kb_option
def command(
    syntax: str | None,
    output: Path | None,
    graphs: tuple[str, ...],
    entities: tuple[str, ...],
    facts_only: bool,
    with_provenance: bool,
    with_inferences: bool,
    described: bool,
    focus: tuple[str, ...],
    depth: int | None,
    direction: str | None,
    relations: tuple[str, ...],
    most: int | None,
    folder: Path,
) -> None:
    """Write the graph for other tools: RDF, lists, pictures.

    Turtle, N-Triples, RDF/XML and JSON-LD hold one graph: the facts, with the entities' names, types and attributes.
    TriG and N-Quads hold everything: the facts as the default graph, and beside it one named graph for the catalogue
    and for each page, and those with provenance, rejections and the report.

    GraphML and the two CSV lists hold things as nodes and relations as edges; Mermaid and SVG draw them, around a
    focus; Backstage gets its catalog-info.yaml back.

    The same graph gives the same bytes.
    """
    if graphs and facts_only:
        raise click.UsageError("--graph says already what to write: leave out --facts-only.")
    if facts_only and with_provenance:
        raise click.UsageError("--facts-only and --with-provenance contradict each other.")
    syntax = syntax or _syntax_of(output)
    rdf, drawn = syntax in _FORMATS, syntax in _PICTURES
    given = {
        "--entity": entities, "--facts-only": facts_only, "--with-provenance": with_provenance, "--describe": described
    }  # fmt: skip
    around = {"--focus": focus, "--relation": relations, "--depth": depth, "--direction": direction}
    wrong = [name for name, value in (around if rdf else given).items() if _said(value)]
    if most is not None and not drawn:
        wrong.append("--most")
    if syntax == "backstage":
        wrong += [name for name, value in around.items() if _said(value)]
    if wrong:
        raise click.UsageError(f"{wrong[0]} does not go with --format {syntax}.")
    if not focus and (depth is not None or direction is not None):
        raise click.UsageError("--depth and --direction say how far to go from something: name it with --focus.")
    if described and (graphs or entities or facts_only or with_provenance or with_inferences):
        raise click.UsageError("--describe is about the whole data set: leave out what chooses parts of it.")
    import kb

    with kb.open(folder) as base, base.generation.reading():
        if described:
            data = _description(base, syntax)
        elif rdf:
            from kb.graph.export import export

            data = export(
                base.store,
                syntax,
                base.iris,
                base.vocabulary,
                graphs=graphs,
                entities=entities,
                facts_only=facts_only,
                provenance=with_provenance,
                inferences=with_inferences,
            )
        else:
            reach = {"depth": 2 if depth is None else depth, "direction": direction or "both"}
            data = _other(base, syntax, focus, reach, most, graphs, relations, with_inferences=with_inferences)
    if output is None or str(output) == "-":
        echo_bytes(data)
    else:
        _replace(output, data)
        note(f"{output}: {counted(len(data), 'byte')} of {syntax}")


def _said(value: object) -> bool:
    """Whether an option was given; a depth of 0 was."""
    return value is not None and value is not False and value != ()


def _syntax_of(output: Path | None) -> str:
    if output is None or str(output) == "-":
        return "turtle"
    from kb.graph.export import format_of

    found = format_of(output)
    if found is not None:
        return found.name
    if output.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[output.suffix.lower()]
    raise click.UsageError(f"The suffix of {output} stands for no format; name one with --format.")


def _description(base: KnowledgeBase, syntax: str) -> bytes:
    from kb.export.describe import describe

    return describe(
        base.store,
        base.vocabulary,
        base.iris,
        syntax,
        generation=base.generation.name,
        created=base.generation.meta["created"],
        about=base.config.dataset,
    )


def _other(
    base: KnowledgeBase,
    syntax: str,
    focus: tuple[str, ...],
    reach: dict[str, Any],
    most: int | None,
    graphs: tuple[str, ...],
    relations: tuple[str, ...],
    *,
    with_inferences: bool,
) -> bytes:
    """A format that is no RDF."""
    from kb.export.network import around, network

    words = base.vocabulary
    found = network(base.store, words, base.iris, graphs=graphs, relations=relations, inferences=with_inferences)
    if focus:
        found = around(found, focus, reach["depth"], direction=reach["direction"])
    if syntax in _PICTURES:
        from kb.export.mermaid import write_mermaid
        from kb.export.picture import MOST_BOXES, picture
        from kb.export.svg import write_svg

        drawn = picture(found, words, focus, most=MOST_BOXES if most is None else most)
        return write_svg(drawn) if syntax == "svg" else write_mermaid(drawn)
    if syntax == "backstage":
        from kb.export.backstage import write_backstage

        data, left_out = write_backstage(found, words, base.catalogue.entities.values())
        if left_out:
            note("Not in the export, since Backstage or the ontology has no place for it:")
            for line in left_out:
                note(f"  {line}")
        return data
    from kb.export.lists import edges_csv, graphml, nodes_csv

    if syntax == "graphml":
        return graphml(found, words)
    return nodes_csv(found) if syntax == "nodes-csv" else edges_csv(found, words)


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
