"""`kb ask`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._input import read_text
from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, table, width, wrapped

if TYPE_CHECKING:
    from kb.ask.ambiguity import SharedName
    from kb.ask.answer import Answer, Edge, Found
    from kb.ask.planner import Planned
    from kb.knowledge_base import KnowledgeBase

__all__ = ["command"]

_QUOTE_LINES = 4


@click.command()
@click.argument("question", nargs=-1)
@click.option("--plan", "plan_text", metavar="JSON|FILE", help="Run this plan instead of a question; - reads it.")
@click.option("--explain", is_flag=True, help="Also print how the question was understood, the plan and the SPARQL.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Answers to print; 0: all."
)
@click.option("--no-witness", is_flag=True, help="Print the answers without the facts, pages and quotes behind them.")
@kb_option
@json_option
def command(
    question: tuple[str, ...],
    plan_text: str | None,
    explain: bool,
    limit: int,
    no_witness: bool,
    folder: Path,
    as_json: bool,
) -> None:
    """Answer a question, with the pages and quotes behind it.

    \b
    kb ask "ledger-db is down: which public services break, and who leads the teams that own them?"
    kb ask --plan '{"start": "ledger-db", "hops": ["~depends_on*"], "where": {"public": true}}'

    A question that cannot be understood is refused, never guessed at (exit code 1).
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    words = " ".join(question).strip()
    if bool(words) == bool(plan_text):
        raise click.UsageError("Give a question, or a plan with --plan.")
    given = _read_plan(plan_text) if plan_text else {}
    import kb

    with kb.open(folder) as base:
        planned = _plan(base, words) if words else None
        plan = planned.plan.to_json() if planned is not None else given
        answer = base.run(plan, witnesses=not no_witness)
        shared = _shared(base, words, plan) if words else []
    for name in shared:
        note(f"Note: {name}.")
    if as_json:
        data = answer.to_json()
        if planned is not None:
            data["reading"] = planned.reading
            data["ambiguous"] = [asdict(name) for name in shared]
            if explain:
                data["explanation"] = list(planned.explanation)
                data["alternatives"] = [{"reading": p.reading, "plan": p.plan.to_json()} for p in planned.alternatives]
        echo_json(data)
        return
    _show(answer, limit=limit)
    if planned is not None:
        echo()
        echo(wrapped(f"Understood as: {planned.reading}", hanging="  "))
    if explain:
        _explain(answer, planned)


def _plan(base: KnowledgeBase, words: str) -> Planned:
    from kb.errors import RefusedQuestionError

    try:
        return base.planner.plan(words)
    except RefusedQuestionError:
        for name in _shared(base, words, None):
            note(f"Note: {name}.")
        raise


def _shared(base: KnowledgeBase, words: str, plan: Mapping[str, Any] | None) -> list[SharedName]:
    from kb.ask.ambiguity import shared_names

    return shared_names(words, base.catalogue.entities, plan)


def _read_plan(text: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        text = read_text(text)
    try:
        plan = json.loads(text)
    except json.JSONDecodeError as err:
        raise click.UsageError(f"The plan is no JSON: line {err.lineno}, column {err.colno}: {err.msg}") from err
    except RecursionError as err:
        raise click.UsageError("The plan is nested deeper than any plan can be; see docs/plans.md.") from err
    if not isinstance(plan, dict):
        raise click.UsageError('The plan must be a JSON object, such as {"start": "…", "hops": ["…"]}.')
    return plan


def _show(answer: Answer, *, limit: int) -> None:
    answers = answer.answers[: limit or None]
    if answer.groups is not None:
        echo(counted(len(answer.groups), "group"))
        echo()
        table(
            ["count", "id", "name"],
            [[f"{g.count:,}", g.id, g.label] for g in answer.groups[: limit or None]],
            right=[0],
        )
    elif not answer.answers:
        echo("0" if answer.count is not None else "No answer: nothing in the graph fits.")
        return
    else:
        echo(f"{answer.count:,}" if answer.count is not None else counted(len(answer.answers), "answer"))
        echo()
        if any(one.witness or one.because for one in answers):
            _show_witnesses(answers)
        else:
            table(["id", "name", "type"], [[one.id, one.label, one.type or ""] for one in answers])
    left = len(answer.answers) - len(answers)
    if left:
        echo()
        echo(f"… and {left:,} more; --limit 0 prints all")


def _show_witnesses(answers: tuple[Found, ...]) -> None:
    for number, one in enumerate(answers):
        if number:
            echo()
        echo(wrapped(f"{one.label} ({one.id})" if one.label != one.id else one.id))
        for edge in (*one.witness, *one.because):
            echo(wrapped(edge.words, indent="  ", hanging="    "))
            for line in _source(edge):
                echo(line)


def _source(edge: Edge) -> list[str]:
    """The first source of a fact, with its quote; and how many more sources there are."""
    if not edge.sources:
        return []
    pages = list(dict.fromkeys(source.page for source in edge.sources))
    more = f" (also on {counted(len(pages) - 1, 'other page')})" if len(pages) > 1 else ""
    if not edge.quote:
        return [wrapped(f"{edge.page}{more}", indent="      ")]
    quote = " ".join(edge.quote.split())
    most = _QUOTE_LINES * (width() - 8) - len(edge.page or "") - len(more)
    if len(quote) > most:
        quote = quote[:most].rsplit(" ", 1)[0] + " …"
    return [wrapped(f"{edge.page}: “{quote}”{more}", indent="      ")]


def _explain(answer: Answer, planned: Planned | None) -> None:
    if planned is not None:
        for line in planned.explanation:
            echo(wrapped(line, indent="  ", hanging="    "))
        for other in planned.alternatives:
            echo(wrapped(f"Could also mean: {other.reading}", hanging="  "))
    echo()
    echo("Plan")
    echo(f"  {json.dumps(answer.plan.to_json(), ensure_ascii=False)}")
    echo()
    echo("SPARQL")
    for line in answer.sparql.splitlines():
        echo(f"  {line}".rstrip())
