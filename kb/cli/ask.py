"""`kb ask`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._input import read_text
from kb.cli._options import json_option, kb_option
from kb.cli._output import amount, counted, echo, echo_json, note, table, wrapped
from kb.cli._why import source_line, why_lines

if TYPE_CHECKING:
    from kb.ask.ambiguity import SharedName
    from kb.ask.answer import Answer, Edge, Found
    from kb.ask.planner import Planned
    from kb.ask.prose import Prose
    from kb.knowledge_base import KnowledgeBase
    from kb.llm.session import ChatSession

__all__ = ["command"]


@click.command()
@click.argument("question", nargs=-1)
@click.option("--plan", "plan_text", metavar="JSON|FILE", help="Run this plan instead of a question; - reads it.")
@click.option(
    "--method",
    type=click.Choice(["graph", "vector", "hybrid", "routed"]),
    help="Answer from the graph, from the texts of pages, or from these where the graph has no answer (hybrid) or no "
    "plan fits (routed).  [default: kb.toml, else graph]",
)
@click.option(
    "--planner",
    type=click.Choice(["search", "llm"]),
    help="What understands questions: built-in rules, or a language model.  [default: kb.toml, else search]",
)
@click.option("--prose", is_flag=True, help="Answer in sentences, each with its sources.")
@click.option("--explain", is_flag=True, help="Also print how the question was understood, the plan and the SPARQL.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Answers to print; 0: all."
)
@click.option("--inferred", is_flag=True, help="Count inferred facts too, and say why they hold; see kb reason.")
@click.option("--no-witness", is_flag=True, help="Print the answers without the facts, pages and quotes behind them.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the model's replies to this file.",
)
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Take the replies from this file, without a model.",
)
@kb_option
@json_option
def command(
    question: tuple[str, ...],
    plan_text: str | None,
    method: str | None,
    planner: str | None,
    prose: bool,
    explain: bool,
    limit: int,
    inferred: bool,
    no_witness: bool,
    record: Path | None,
    replay: Path | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Answer a question, with the pages and quotes behind it.

    \b
    kb ask "ledger-db is down: which public services break, and who leads the teams that own them?"
    kb ask --plan '{"start": "ledger-db", "hops": ["~depends_on*"], "where": {"public": true}}'

    A question that cannot be understood is refused, never guessed at (exit code 1). The methods vector, hybrid and
    routed may answer from the texts of pages instead, with page and quote but without facts; each answer says so.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    words = " ".join(question).strip()
    if bool(words) == bool(plan_text):
        raise click.UsageError("Give a question, or a plan with --plan.")
    if plan_text and (method or planner or record or replay):
        raise click.UsageError("--plan is run as it is: neither method nor planner can be chosen beside it.")
    if record is not None and replay is not None:
        raise click.UsageError("--record and --replay exclude each other.")
    if inferred and method == "vector":
        raise click.UsageError("--inferred is about facts: the method vector reads none.")
    if inferred and prose:
        # Sentences have one source each, and an inferred fact several.
        raise click.UsageError("--prose tells stated facts only; leave it out to see why inferred ones hold.")
    given = _read_plan(plan_text) if plan_text else {}
    import kb

    with kb.open(folder) as base, _session(base, words, planner, record, replay) as session:
        if words:
            answer = _ask(base, words, method, planner, witnesses=prose or not no_witness, inferred=inferred)
        else:
            answer = base.run(given, witnesses=prose or not no_witness, inferred=inferred)
        shared = _shared(base, words, answer.plan.to_json()) if words and answer.plan is not None else []
        written = _write(base, words, answer, session) if prose else None
    for name in shared:
        note(f"Note: {name}.")
    for text in () if session is None else session.usage.warnings:
        note(f"Warning: {text}")
    if as_json:
        echo_json(_data(answer, shared, written, session, explain=explain, asked=bool(words)))
        return
    if written is not None:
        _show_prose(written)
    else:
        _show(answer, limit=limit)
    if answer.note:
        echo()
        echo(wrapped(f"Read off pages: {answer.note}" if answer.asked != answer.method else answer.note, hanging="  "))
    if answer.planned is not None:
        echo()
        echo(wrapped(f"Understood as: {answer.planned.reading}", hanging="  "))
    if explain:
        _explain(answer, session)


@contextmanager
def _session(
    base: KnowledgeBase, words: str, planner: str | None, record: Path | None, replay: Path | None
) -> Iterator[ChatSession | None]:
    """The model's chat where one is to be asked, given to the knowledge base."""
    if not words or (planner or base.config.ask.get("planner")) != "llm":
        if record is not None or replay is not None:
            raise click.UsageError("--record and --replay are for what a model is asked: --planner llm.")
        yield None
        return
    from kb.errors import RefusedQuestionError

    with base.open_chat(record=record, replay=replay) as session:
        base.use_chat(session)
        try:
            yield session
        except RefusedQuestionError:
            # It is what came of the replies, and is repeated from a recording of them.
            session.close()
            raise


def _ask(
    base: KnowledgeBase, words: str, method: str | None, planner: str | None, *, witnesses: bool, inferred: bool
) -> Answer:
    from kb.errors import RefusedQuestionError

    try:
        return base.ask(words, method=method, planner=planner, witnesses=witnesses, inferred=inferred)
    except RefusedQuestionError:
        for name in _shared(base, words, None):
            note(f"Note: {name}.")
        raise


def _write(base: KnowledgeBase, words: str, answer: Answer, session: ChatSession | None) -> Prose:
    from kb.ask.prose import write_prose

    return write_prose(words, answer, base.vocabulary, base.catalogue, session)


def _data(
    answer: Answer,
    shared: list[SharedName],
    written: Prose | None,
    session: ChatSession | None,
    *,
    explain: bool,
    asked: bool,
) -> dict[str, Any]:
    data, planned = answer.to_json(), answer.planned
    if planned is not None:
        data["reading"] = planned.reading
    if asked:
        data["ambiguous"] = [asdict(name) for name in shared]
    if planned is not None and explain:
        data["explanation"] = list(planned.explanation)
        data["alternatives"] = [{"reading": p.reading, "plan": p.plan.to_json()} for p in planned.alternatives]
    if written is not None:
        data["prose"] = written.to_json()
    if session is not None:
        data["usage"] = {**session.usage.to_json(), "cost": session.usage.cost(session.settings)}
    return data


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
        if answer.plan is None:
            echo("No answer: no page that was found names one.")
        else:
            echo("0" if answer.count is not None else "No answer: nothing in the graph fits.")
        return
    else:
        read = ", read off pages" if answer.method == "vector" else ""
        echo(f"{answer.count:,}" if answer.count is not None else counted(len(answer.answers), "answer") + read)
        echo()
        if any(one.witness or one.because or one.passages for one in answers):
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
            for line in _source(edge) if edge.why is None else why_lines(edge.why, indent=6):
                echo(line)
        for passage in one.passages:
            echo(wrapped(f"{passage.page}: “{' '.join((passage.quote or '').split())}”", indent="  ", hanging="    "))


def _show_prose(prose: Prose) -> None:
    echo(wrapped(prose.text))
    for one in prose.sources:
        if one.number == 1:
            echo()
        quote = f": “{' '.join(one.quote.split())}”" if one.quote else f": {one.fact}"
        echo(wrapped(f"[{one.number}] {one.page or 'no page'}{quote}", hanging="    "))
    if prose.note:
        note(f"Note: {prose.note}.")


def _source(edge: Edge) -> list[str]:
    """The first source of a fact, with its quote; and how many more sources there are."""
    if not edge.sources:
        return []
    return [source_line(edge.sources, indent=6)]


def _explain(answer: Answer, session: ChatSession | None) -> None:
    if answer.planned is not None:
        _explain_reading(answer.planned)
    if session is not None:
        echo()
        echo(wrapped(f"Model: {_used(session)}", hanging="  "))
    echo()
    echo(f"Method: {answer.method}" + (f" ({answer.asked} was asked for)" if answer.asked != answer.method else ""))
    if answer.plan is not None and answer.sparql is not None:
        echo()
        echo("Plan")
        echo(f"  {json.dumps(answer.plan.to_json(), ensure_ascii=False)}")
        echo()
        echo("SPARQL")
        for line in answer.sparql.splitlines():
            echo(f"  {line}".rstrip())


def _used(session: ChatSession) -> str:
    """What the replies took: tokens, and their cost where kb.toml has prices."""
    used = session.usage
    estimated = " (estimated)" if used.estimated else ""
    parts = [f"{session.settings.model}, {counted(used.requests, 'request')}"]
    if used.from_journal:
        parts.append(f"{counted(used.from_journal, 'reply', 'replies')} kept from before")
    parts.append(f"{used.prompt_tokens:,} tokens in, {used.completion_tokens:,} out{estimated}")
    cost = used.cost(session.settings)
    if cost is not None:
        parts.append(f"cost {amount(cost)}")
    return ", ".join(parts)


def _explain_reading(planned: Planned) -> None:
    for line in planned.explanation:
        echo(wrapped(line, indent="  ", hanging="    "))
    for other in planned.alternatives:
        echo(wrapped(f"Could also mean: {other.reading}", hanging="  "))
