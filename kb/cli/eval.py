"""`kb eval`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, table, wrapped

if TYPE_CHECKING:
    from kb.evaluate import Evaluation

__all__ = ["command"]

_WARNINGS = 20


@click.command()
@click.option(
    "--gold",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder with any of triples.jsonl, traps.jsonl and questions.jsonl.",
)
@click.option(
    "--plans", is_flag=True, help="Run the plans of the gold questions instead of understanding the questions."
)
@click.option("--details", is_flag=True, help="Also list wrong and missed facts, and questions that went wrong.")
@kb_option
@json_option
def command(gold: Path, plans: bool, details: bool, folder: Path, as_json: bool) -> None:
    """Compare facts and answers with a gold set.

    Facts: precision, recall and F1 over distinct edges and over the lines of each page, edges the wrong way round, and
    traps (statements that must not become facts) that were taken. Answers: mean F1 for each type of question.

    Gold lines that name an entity, relation or page which the knowledge base does not have are warned of.
    """
    import kb
    from kb.evaluate import evaluate
    from kb.evaluate.tables import tables

    with kb.open(folder) as base:
        result = evaluate(base, gold, plans=plans)
    for fault in result.warnings[:_WARNINGS]:
        note(f"Warning: {fault}")
    if len(result.warnings) > _WARNINGS:
        note(f"Warning: … and {len(result.warnings) - _WARNINGS:,} more lines of the gold; --json lists all")
    if as_json:
        echo_json(result.to_json(details=details))
        return
    for number, (title, headings, rows) in enumerate(tables(result)):
        if number:
            echo()
        echo(title)
        table(headings, rows, right=range(1, len(headings)), indent=2)
    if result.without_plan:
        echo()
        verb = "is" if result.without_plan == 1 else "are"
        left = "left out" if plans else "counted too"
        echo(f"{counted(result.without_plan, 'question')} without a gold plan {verb} {left}.")
    if result.pages is not None and result.pages["named"] < result.pages["of"]:
        echo()
        echo(
            wrapped(
                f"The gold names {result.pages['named']:,} of {counted(result.pages['of'], 'page')}. A page that it "
                "does not name counts as one that states nothing, so what was found only there counts as wrong."
            )
        )
    if details:
        _details(result)


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
    given = "refused" if row["answer"] is None else ", ".join(row["answer"]) or "nothing"
    lines = [f"expected: {', '.join(row['gold']) or 'nothing'}", f"given: {given}"]
    lines += [f"plan: {json.dumps(row['plan'], ensure_ascii=False)}"] if row["plan"] is not None else []
    lines += [f"refusal: {_cell(row['refusal'])}"] if row["refusal"] is not None else []
    for line in lines:
        echo(wrapped(line, indent="    ", hanging="      "))
