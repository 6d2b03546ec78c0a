"""`kb eval`."""

from __future__ import annotations

from pathlib import Path

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, table

__all__ = ["command"]


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
    """
    import kb
    from kb.evaluate import evaluate

    with kb.open(folder) as base:
        result = evaluate(base, gold, plans=plans)
    if as_json:
        echo_json(result.to_json(details=details))
        return
    for number, (title, headings, rows) in enumerate(result.tables()):
        if number:
            echo()
        echo(title)
        table(headings, rows, right=range(1, len(headings)), indent=2)
    if result.without_plan:
        echo()
        verb = "is" if result.without_plan == 1 else "are"
        left = "left out" if plans else "counted too"
        echo(f"{counted(result.without_plan, 'question')} without a gold plan {verb} {left}.")
    if details:
        _details(result.wrong_edges, result.missed_edges, result.questions)


def _details(
    wrong: list[dict[str, object]], missed: list[dict[str, object]], questions: list[dict[str, object]]
) -> None:
    def cells(row: dict[str, object], *keys: str) -> list[str]:
        return [" ".join(str(row.get(key) or "").split()) for key in keys]

    ends = ("subject", "relation", "object")
    failed = [row for row in questions if row["f1"] != 1.0]
    for title, headings, rows in (
        ("Wrong facts", [*ends, "page", "quote"], [cells(row, *ends, "page", "quote") for row in wrong]),
        ("Missed facts", [*ends], [cells(row, *ends) for row in missed]),
        (
            "Questions",
            ["id", "F1", "question", "refusal"],
            [cells(r, "id", "f1", "question", "refusal") for r in failed],
        ),
    ):
        if rows:
            echo()
            echo(f"{title}: {len(rows):,}")
            table(headings, rows, indent=2)
