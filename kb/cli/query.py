"""`kb query`."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._input import read_text
from kb.cli._options import json_option, kb_option
from kb.cli._output import echo, echo_bytes, echo_json, note, width, wrapped

if TYPE_CHECKING:
    from kb.graph.fitting import Fitting
    from kb.graph.library import NamedQuery, Parameter
    from kb.graph.results import QueryResult, Term
    from kb.knowledge_base import KnowledgeBase

__all__ = ["command"]

_ROWS = ("table", "csv", "tsv", "json", "xml")
_GRAPHS = ("turtle", "ntriples", "rdfxml", "jsonld")


@click.command()
@click.argument("query", metavar="[NAME|FILE|-]", required=False)
@click.option(
    "-p",
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the query. Repeatable.",
)
@click.option("--list", "as_list", is_flag=True, help="List the named queries; with NAME, those with this word.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="With --list: only queries with this tag. Repeatable."
)
@click.option(
    "--format",
    "syntax",
    type=click.Choice([*_ROWS, *_GRAPHS]),
    help="How to print.  [default: table for rows, turtle for triples]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=86_400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Stop it after this time, a day at most.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=0),
    default=100_000,
    show_default=True,
    metavar="N",
    help="Rows to return at most.",
)
@click.option("--allow-service", is_flag=True, help="Let the query ask other servers, within the same bounds.")
@kb_option
@json_option
def command(
    query: str | None,
    parameters: tuple[str, ...],
    as_list: bool,
    tags: tuple[str, ...],
    syntax: str | None,
    timeout: float,
    max_rows: int,
    allow_service: bool,
    folder: Path,
    as_json: bool,
) -> None:
    """Run SPARQL: a named query, a file or standard input.

    \b
    kb query --list
    kb query --list --tag upkeep
    kb query find_impact -p entity=ledger-db
    kb query mine.rq --format csv
    echo 'SELECT ?x { ?x a :Service }' | kb query -

    Named queries come with kb; a folder queries/ beside kb.toml adds to them. The facts are the default graph, and
    GRAPH ?g { … } reaches pages, provenance, rejections and the report. The usual prefixes and entity:, page: and
    graph: need not be declared. Queries only read, and never reach the network unless --allow-service is given.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    from kb.config import packaged

    folders = [packaged("queries"), folder / "queries"]
    if as_list:
        _list(folders, folder, word=query or "", tags=tags, as_json=as_json)
        return
    if tags:
        raise click.UsageError("--tag chooses what --list shows; add --list.")
    if query is None:
        raise click.UsageError("Name a query, a .rq file, or - for standard input; --list shows the named ones.")
    from kb.graph.library import load_query, parse_header

    chosen = parse_header(read_text("-"), "-") if query == "-" else load_query(query, folders)
    import kb

    with kb.open(folder) as base:
        prefixes = _prefixes(base, chosen.text)
        pairs = _pairs(parameters)
        if any(one.required and one.name not in pairs for one in chosen.parameters):
            chosen = _fitting(base).with_examples(chosen, prefixes)
        _warn(base, chosen, prefixes)
        terms = _terms(base, chosen, pairs, prefixes)
        bounds = {"timeout": timeout, "max_rows": max_rows, "allow_service": allow_service}
        result = _run(base, chosen, terms, prefixes, **bounds)
        _print(result, base, prefixes, "json" if as_json and syntax is None else syntax)
    if result.truncated:
        note(_cut(result, max_rows))


def _cut(result: QueryResult, max_rows: int) -> str:
    """What is said of a result that is not all."""
    from kb.graph.worker import MAX_BYTES

    there = len(result.triples) if result.kind == "graph" else len(result.rows)
    what = ("triple" if result.kind == "graph" else "row") + ("s" if there != 1 else "")
    first = f"first {there:,} {what}" if there != 1 else f"first {what}"
    if there == max_rows:
        return f"Note: only the {first}; --max-rows allows more."
    return (
        f"Note: only the {first}, since more would be over {MAX_BYTES >> 20} MiB; select fewer variables, "
        "or take the rest with LIMIT and OFFSET."
    )


def _fitting(kb: KnowledgeBase) -> Fitting:
    from kb.graph.fitting import Fitting

    return Fitting(kb.iris, lambda: kb.vocabulary, lambda: kb.entities, lambda: kb.store)


def _warn(kb: KnowledgeBase, query: NamedQuery, prefixes: Mapping[str, str]) -> None:
    """Hints on standard error about terms that nothing knows: what they match is nothing."""
    fitting = _fitting(kb)
    with kb.generation.reading():
        for iri in fitting.unknown(query.text, prefixes):
            note(f"Warning: {fitting.hint(iri)}")


def _list(folders: list[Path], folder: Path, *, word: str, tags: tuple[str, ...], as_json: bool) -> None:
    from kb.graph.library import list_queries

    known = list_queries(folders)
    _check_tags(tags, {tag for query in known.values() for tag in query.tags})
    found = {name: query for name, query in known.items() if query.matches(word, tags)}
    foreign: dict[str, NamedQuery] = {}
    base = _opened(folder)
    if base is not None:
        with base, base.generation.reading():
            fitting = _fitting(base)
            prefixes = {name: _prefixes(base, query.text) for name, query in found.items()}
            fits = {name: not fitting.unknown(query.text, prefixes[name]) for name, query in found.items()}
            foreign = {name: query for name, query in found.items() if not fits[name]}
            found = {name: fitting.with_examples(q, prefixes[name]) for name, q in found.items() if fits[name]}
    if as_json:
        rows = [{**query.to_json(), "fits": name in found} for name, query in sorted({**found, **foreign}.items())]
        echo_json(rows)
        return
    if not found and not foreign:
        note(f"No query has {word!r} in its name, question or tags." if word else "No query has these tags.")
        return
    _show_queries(found)
    if foreign:
        echo()
        echo("Not for this ontology, which lacks terms that they ask for:")
        echo(wrapped(", ".join(foreign), indent="    "))
    if not word and not tags:
        counted = Counter(tag for query in found.values() for tag in query.tags)
        shown = ", ".join(f"{tag} ({number})" for tag, number in sorted(counted.items()))
        echo()
        echo(wrapped(f"Tags, for --tag: {shown}"))


def _check_tags(tags: tuple[str, ...], known: set[str]) -> None:
    for tag in tags:
        if tag not in known:
            raise click.UsageError(f"No query has the tag {tag!r}; there are: {', '.join(sorted(known))}.")


def _opened(folder: Path) -> KnowledgeBase | None:
    """The knowledge base that a list of queries is for; None where nothing has been built, or it cannot be opened."""
    import kb
    from kb.errors import KbError

    try:
        return kb.open(folder)
    except KbError:
        return None


def _show_queries(found: Mapping[str, NamedQuery]) -> None:
    for query in found.values():
        shown = [f"-p {one.name}={_typed(one)}" for one in query.parameters]
        takes = [text if one.required else f"[{text}]" for one, text in zip(query.parameters, shown, strict=True)]
        line = query.name
        for one_taken in takes:  # a parameter is never cut in two
            if len(line) + 1 + len(one_taken) > width():
                echo(line)
                line = "   "
            line += f" {one_taken}"
        echo(line)
        echo(wrapped(query.question or "(no header that says what it answers)", indent="    "))
        for one in query.parameters:
            default = f" [default: {one.default}]" if one.default is not None else ""
            echo(wrapped(f"{one.name}: {one.type}, {one.about}{default}", indent="      ", hanging="        "))


def _typed(parameter: Parameter) -> str:
    """A value as it would be typed in a shell, to show what a parameter takes."""
    value = parameter.example or parameter.default
    return "…" if value is None else shlex.quote(value)


def _pairs(parameters: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-p {text}: write -p NAME=VALUE.")
        if name in pairs:
            raise click.UsageError(f"-p {name} is given twice.")
        pairs[name.lstrip("?$")] = value
    return pairs


def _prefixes(kb: KnowledgeBase, text: str) -> dict[str, str]:
    """What the query need not declare. The ontology is only loaded for a prefix that nothing else explains."""
    from kb.graph._tokens import tokens
    from kb.graph.prefixes import query_prefixes

    prefixes = query_prefixes(kb.iris)
    used = {token.text.split(":", 1)[0] for token in tokens(text) if token.kind == "name"}
    return prefixes if used <= {*prefixes, "_"} else query_prefixes(kb.iris, kb.vocabulary)


def _terms(
    kb: KnowledgeBase, query: NamedQuery, given: Mapping[str, str], prefixes: Mapping[str, str]
) -> dict[str, Term]:
    from kb.graph.parameter_values import Terms

    return Terms(kb.iris, lambda: kb.vocabulary, lambda: kb.entities, prefixes).of(query, given)


def _run(
    kb: KnowledgeBase, query: NamedQuery, terms: Mapping[str, Term], prefixes: Mapping[str, str], **bounds: Any
) -> QueryResult:
    from kb.errors import QueryError
    from kb.graph.worker import run_query

    try:
        return run_query(kb.generation.graph_path, query.text, parameters=terms, prefixes=prefixes, **bounds)
    except QueryError as err:
        if query.path is None:
            raise
        raise QueryError(f"{query.path}: {err}") from err


def _print(result: QueryResult, kb: KnowledgeBase, prefixes: Mapping[str, str], syntax: str | None) -> None:
    from kb.graph.results import to_csv, to_json, to_tsv, to_xml

    if result.kind == "graph":
        from kb.graph.export import serialise

        chosen = {None: "turtle", "json": "jsonld"}.get(syntax, syntax or "turtle")
        if chosen not in _GRAPHS:
            raise click.UsageError(f"The query gives triples; --format must be one of {', '.join(_GRAPHS)}.")
        echo_bytes(serialise(result.triples, chosen, prefixes))
        return
    if syntax in _GRAPHS:
        raise click.UsageError(f"The query gives no triples; --format must be one of {', '.join(_ROWS)}.")
    writers = {"csv": to_csv, "tsv": to_tsv, "json": to_json, "xml": to_xml}
    if syntax in writers:
        echo_bytes(writers[syntax](result).encode())
    elif result.kind == "ask":
        echo("true" if result.boolean else "false")
    else:
        from kb.cli._rows import print_rows

        print_rows(result, kb, prefixes)
