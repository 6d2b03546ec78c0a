"""`kb eval`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, table, wrapped

if TYPE_CHECKING:
    from kb.evaluate import Comparison, Evaluation
    from kb.llm.session import ChatSession

__all__ = ["command"]

_WARNINGS = 20
_WIDEST = 78
_METHODS = ("graph", "vector", "hybrid", "routed")


def _methods(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """The methods that were named, in the order of the tables; None where none was."""
    named = {name.strip() for value in values for name in value.split(",")}
    if unknown := named - {*_METHODS, "all"}:
        raise click.BadParameter(f"{', '.join(sorted(unknown))}: choose from {', '.join(_METHODS)} and all.")
    return [name for name in _METHODS if name in named or "all" in named] or None


@click.command()
@click.option(
    "--gold",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder with any of triples.jsonl, traps.jsonl and questions.jsonl.",
)
@click.option(
    "--method",
    "--methods",
    "methods",
    multiple=True,
    callback=_methods,
    metavar="NAME[,NAME…]",
    help="How questions are answered: graph, vector, hybrid, routed, or all.  [default: all where there is an index]",
)
@click.option("--planner", type=click.Choice(["search", "llm"]), help="What plans questions.  [default: kb.toml]")
@click.option(
    "--plans", is_flag=True, help="Run the plans of the gold questions instead of understanding the questions."
)
@click.option("--readers", is_flag=True, help="Also judge the newest build of every other reader, side by side.")
@click.option(
    "--generation",
    "names",
    multiple=True,
    metavar="NAME",
    help="Judge this build, see kb generations; several are shown side by side.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the model's replies to the questions to this file.",
)
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Take the replies to the questions from this file, without a model.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="AMOUNT",
    help="Stop before the replies to the questions cost more, by the prices in kb.toml.",
)
@click.option("--details", is_flag=True, help="Also list wrong and missed facts, and questions that went wrong.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="How to print the results.",
)
@kb_option
@json_option
def command(
    gold: Path,
    methods: list[str] | None,
    planner: str | None,
    plans: bool,
    readers: bool,
    names: tuple[str, ...],
    record: Path | None,
    replay: Path | None,
    max_cost: float | None,
    details: bool,
    form: str,
    folder: Path,
    as_json: bool,
) -> None:
    """Compare facts and answers with a gold set.

    Facts: precision, recall and F1 over distinct edges and over the lines of each page, edges the wrong way round, and
    traps (statements that must not become facts) that were taken. Answers: mean F1 for each type of question, by each
    method. Where a language model read or was asked, tokens and cost.

    Gold lines that name an entity, relation or page which the knowledge base does not have are warned of.
    """
    form = "json" if as_json else form
    if plans and (methods not in (None, ["graph"]) or planner or record or replay or max_cost):
        raise click.UsageError("--plans runs the gold's own plans: neither method nor planner can be chosen beside it.")
    if readers and names:
        raise click.UsageError("--readers chooses the builds itself; give it or --generation.")
    if record is not None and replay is not None:
        raise click.UsageError("--record and --replay exclude each other.")
    if details and form == "markdown":
        raise click.UsageError("--details goes with tables and JSON.")
    import kb
    from kb.evaluate import Meter, compare

    with contextlib.ExitStack() as stack:
        bases = [stack.enter_context(kb.open(folder, generation=name)) for name in _generations(folder, names, readers)]
        meter = None
        if not plans and (planner or bases[0].config.ask.get("planner")) == "llm":
            session = stack.enter_context(bases[0].open_chat(record=record, replay=replay, max_cost=max_cost))
            meter = Meter(session, session.settings)
        elif record or replay or max_cost:
            raise click.UsageError("--record, --replay and --max-cost are for what a model is asked: --planner llm.")
        found = compare(bases, gold, plans=plans, methods=methods, planner=planner, meter=meter)
        for text in () if meter is None else _remarks(session, replay):
            note(f"Warning: {text}")
    for fault in found.warnings[:_WARNINGS]:
        note(f"Warning: {fault}")
    if len(found.warnings) > _WARNINGS:
        note(f"Warning: … and {len(found.warnings) - _WARNINGS:,} more lines of the gold; --json lists all")
    if form == "json":
        echo_json(found.to_json(details=details))
    elif form == "markdown":
        from kb.evaluate.markdown import markdown

        echo(markdown(found).rstrip("\n"))
    else:
        _show(found, details=details)


def _generations(folder: Path, names: Sequence[str], readers: bool) -> Sequence[str | None]:
    """The builds to judge; None stands for the current one."""
    if not readers:
        return list(dict.fromkeys(names)) or [None]
    from kb.config import load_config
    from kb.evaluate.readers import generations_to_compare
    from kb.generations import Generations

    return [one.name for one in generations_to_compare(Generations(load_config(folder).store))] or [None]


def _remarks(session: ChatSession, replay: Path | None) -> list[str]:
    """What is to be known about the endpoint, and about a recording that holds more than was asked."""
    unused = len(session.unused())
    more = [f"{replay}: {counted(unused, 'reply', 'replies')} of it {'was' if unused == 1 else 'were'} not used"]
    return [*session.usage.warnings, *(more if unused else ())]


def _show(found: Comparison, *, details: bool) -> None:
    from kb.evaluate.tables import notes, tables

    parts = [part for one in tables(found) for part in one.parts(_WIDEST)]
    for number, one in enumerate(parts):
        if number:
            echo()
        echo(one.title)
        table(one.headings, one.rows, right=range(one.names, len(one.headings)), indent=2)
    for text in notes(found):
        echo()
        echo(wrapped(text))
    for reader in found.readers if details else ():
        if len(found.readers) > 1:
            echo()
            echo(f"Details: {reader.label}")
        _details(reader)


def _details(result: Evaluation) -> None:
    wrong = {_ends(row) for row in result.wrong_edges}
    missed = {_ends(row) for row in result.missed_edges}
    _edges("Wrong facts", result.wrong_edges)
    _edges("Missed facts", result.missed_edges)
    _edges(
        "Found on a page that does not state it, though it is a fact",
        [row for row in result.wrong_lines if _ends(row) not in wrong],
    )
    _edges(
        "Missed on a page that states it, though found on another",
        [row for row in result.missed_lines if _ends(row) not in missed],
    )
    failed = [row for row in result.questions if row["f1"] != 1.0]
    if failed:
        echo()
        echo(f"Questions: {len(failed):,}")
        for row in failed:
            _question(row)


def _ends(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["subject"], row["relation"], row["object"]


def _edges(title: str, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        echo()
        echo(f"{title}: {len(rows):,}")
        keys = ["subject", "relation", "object", "page", "quote"]
        table(keys, [[_cell(row.get(key)) for key in keys] for row in rows], indent=2)


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _question(row: dict[str, Any]) -> None:
    name = f"{row['id']}, " if row["id"] is not None else ""
    echo(wrapped(f"{name}F1 {row['f1']:g}: {_cell(row['question'])}", indent="  ", hanging="    "))
    given = "refused" if row["refusal"] is not None else ", ".join(row["answer"] or ()) or "nothing"
    lines = [f"expected: {', '.join(row['gold']) or 'nothing'}", f"given: {given}"]
    lines += [f"plan: {json.dumps(row['plan'], ensure_ascii=False)}"] if row["plan"] is not None else []
    lines += [f"{key}: {_cell(row[key])}" for key in ("refusal", "error") if row[key] is not None]
    others = [f"{name} {one['f1']:g}" for name, one in list(row["methods"].items())[1:]]
    lines += [f"F1 of other methods: {', '.join(others)}"] if others else []
    for line in lines:
        echo(wrapped(line, indent="    ", hanging="      "))
