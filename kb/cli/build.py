"""`kb build`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import amount, counted, echo, echo_json, first_advice, note, progress, table, wrapped

if TYPE_CHECKING:
    from kb.pipeline import BuildReport

__all__ = ["command"]


def _rows(_ctx: click.Context, _param: click.Parameter, value: str) -> int:
    if value == "all":
        return sys.maxsize
    if value.isdecimal():
        return int(value)
    raise click.BadParameter(f"{value!r} is neither a number nor 'all'.")


@click.command()
@click.option("--force", is_flag=True, help="Start from nothing, whatever is published.")
@click.option(
    "--statements",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.jsonl",
    help="Take statements as given in this file instead of reading pages.",
)
@click.option(
    "--rejections",
    "most",
    metavar="N|all",
    callback=_rows,
    default="10",
    show_default=True,
    help="Rejected statements to print.",
)
@click.option(
    "--unread", is_flag=True, help="List lines and pages that name two or more entities and gave no statement."
)
@click.option(
    "--reader", type=click.Choice(["phrases", "llm"]), help="What reads the pages; without this, what kb.toml says."
)
@click.option("--dry-run", is_flag=True, help="Say what would be read, and what that would cost; ask nobody.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="AMOUNT",
    help="Stop before the model's replies cost more, by the prices in kb.toml.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Read all pages, and write the model's replies to this file.",
)
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Read all pages with the replies of this file, without a model.",
)
@click.option(
    "--schemas",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of the schema notes, instead of what kb.toml says.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder to publish into, instead of what kb.toml says.",
)
@kb_option
@json_option
def command(
    force: bool,
    statements: Path | None,
    most: int,
    unread: bool,
    reader: str | None,
    dry_run: bool,
    max_cost: float | None,
    record: Path | None,
    replay: Path | None,
    schemas: Path | None,
    out: Path | None,
    folder: Path,
    as_json: bool,
) -> int:
    """Read pages, notes and catalogue; publish graph and index.

    Only what changed since the last build is read. The old graph stays in use until the new one is complete, and when
    the build fails or is killed. Every reply of a language model is kept when it comes: a build that was stopped goes
    on where it was, and nothing is paid for twice.

    --schemas and --out build an index of schema notes in a folder without kb.toml, too.

    Exit code 1: a page or a note could not be read, or given data break a shape; the rest is published all the same.
    3: nothing was published, since the endpoint cannot be used, the recording lacks a reply, or --max-cost was reached.
    """
    import kb

    if statements is not None and (reader or dry_run or max_cost or record or replay):
        raise click.UsageError("--statements takes the place of reading; no reader can be chosen beside it.")
    if dry_run and (record or replay):
        raise click.UsageError("--dry-run asks nobody: there is nothing to record or to replay.")
    if dry_run:
        return _dry_run(folder, force=force, reader=reader, as_json=as_json)
    with progress() as step:
        report = kb.build(
            folder,
            schema_dir=schemas,
            kg_dir=out,
            force=force,
            statements=statements,
            reader=reader,
            max_cost=max_cost,
            record=record,
            replay=replay,
            progress=step,
        )
    if as_json:
        echo_json(report.to_json())
    else:
        # What stands in another folder than kb.toml is opened by its own.
        _show(report, most, "" if out is None else f" --kb {shlex.quote(str(out))}")
        _unread(report, listed=unread)
    for fault in report.faults:
        note(f"Error: {fault}")
    return report.exit_code


def _dry_run(folder: Path, *, force: bool, reader: str | None, as_json: bool) -> int:
    from kb.config import load_config
    from kb.pipeline.dry_run import dry_run

    result = dry_run(load_config(folder), force=force, reader=reader)
    for fault in result.faults:
        note(f"Error: {fault}")
    if as_json:
        echo_json(result.to_json())
        return result.exit_code
    echo(f"{counted(result.to_read, 'page')} of {result.total:,} would be read")
    found = result.estimate
    if found is None:
        return result.exit_code
    echo()
    rows = [
        ["requests", f"{found.requests - found.from_journal:,}", _journal(found.from_journal)],
        ["tokens in", f"{found.prompt_tokens:,}", "estimated"],
        ["tokens out", f"{found.completion_tokens:,}", "estimated, from what the phrase reader finds"],
        ["cost", "-", "no prices in kb.toml"] if found.cost is None else ["cost", amount(found.cost), "estimated"],
    ]
    table(["", "", ""], rows, right=[1])
    return result.exit_code


def _journal(replies: int) -> str:
    return f"and {counted(replies, 'reply', 'replies')} kept from before" if replies else ""


def _llm(report: BuildReport) -> list[list[str]]:
    """What the model was asked, as rows of the first table."""
    if report.llm is None:
        return []
    asked = report.llm
    kept = counted(asked["from_journal"], "reply", "replies")
    origin = "from the recording" if asked.get("replayed") else "kept from before"
    detail = [f"{kept} {origin}"] if asked["from_journal"] else []
    detail += [counted(asked["retries"], "retry", "retries")] if asked["retries"] else []
    tokens = f"{asked['prompt_tokens']:,} in, {asked['completion_tokens']:,} out"
    tokens += ", estimated" if asked.get("estimated") else ""
    rows = [
        ["requests", f"{asked['requests']:,}", ", ".join(detail)],
        ["tokens", f"{asked['prompt_tokens'] + asked['completion_tokens']:,}", tokens],
    ]
    if asked["cost"] is not None:
        rows.append(["cost", amount(asked["cost"]), f"{amount(asked['total']['cost'])} for all pages as they are"])
    return rows


def _show(report: BuildReport, most: int, where: str) -> None:
    same = "stays in use: nothing that could be read" if report.faults else "is still right: nothing"
    did = "published" if report.changed else f"{same} has changed"
    echo(f"{report.generation} {did} ({report.seconds:.1f} s)")
    echo()
    pages, said = report.pages, report.statements
    counts = ("read", "kept", "removed", "failed")
    detail = ", ".join(f"{pages[name]:,} {name}" for name in counts if pages.get(name))
    rows = [["pages", f"{pages.get('total', 0):,}", detail], ["entities", f"{report.entities:,}", ""]]
    rows += [
        ["statements", f"{said.get('read', 0):,}", _said(said)],
        ["facts", f"{report.facts:,}", "distinct statements that were accepted"],
    ]
    # Whoever has schema notes alone need not look at a table of zeros.
    rows = rows if pages.get("total") or report.entities or said.get("read") or not report.schemas else []
    rows += [*_schemas(report, where), *_index(report), *_llm(report)]
    table(["", "", ""], rows, right=[1])
    _rejections(report, most)
    turned = [f"{row['page']}: {row['subject']} {row['relation']} {row['object']}" for row in report.repaired]
    _lines("Turned round, since the two fit the relation only the other way", turned)
    _contradictions(report.contradictions)
    _lines("Broken rules in what the catalogue says", [_violation(one) for one in report.violations])
    _lines("Warnings", report.warnings)
    _lines("Advice", first_advice(report.advice))
    if report.work.get("texts_embedded") and report.embedding.get("note"):
        echo()
        echo(wrapped(report.embedding["note"]))
    if report.hints:
        echo()
        echo(f"{counted(report.hints, 'hint')} about what is missing: kb validate --severity info")


def _schemas(report: BuildReport, where: str) -> list[list[str]]:
    """What schema notes there are, and how many of them have new rows."""
    if not report.schemas:
        return []
    found = report.schemas
    parts = [counted(found["fields"], "field"), counted(found["caveats"], "caveat"), counted(found["facts"], "fact")]
    done = [f"{len(one):,} {name}" for name, one in (("rebuilt", report.rebuilt), ("skipped", report.skipped)) if one]
    done += [f"{counted(found['failed'], 'file')} failed"] if found.get("failed") else []
    rows = [["notes", f"{found['concepts']:,}", ", ".join(done)], ["", "", ", ".join(parts)]]
    if report.dedup_candidates:
        new = f", {report.new_dedup_candidates:,} of them new" if report.new_dedup_candidates else ""
        pairs = "pair" if report.dedup_candidates == 1 else "pairs"
        rows.append(["alike", f"{report.dedup_candidates:,}", f"{pairs} of caveats{new}: kb dedup{where}"])
    return rows


def _index(report: BuildReport) -> list[list[str]]:
    """The rows of the index, and what their vectors took."""
    if not report.embedding:
        return []
    work = report.work
    done = [f"{work['texts_embedded']:,} embedded"] if work.get("texts_embedded") else []
    done += [f"{work['vectors_from_cache']:,} from the cache"] if work.get("vectors_from_cache") else []
    return [["index", f"{report.nodes:,}", ", ".join([f"rows by {report.embedding['identity']}", *done])]]


def _said(said: Mapping[str, int]) -> str:
    return f"{said.get('accepted', 0):,} accepted, {said.get('rejected', 0):,} rejected"


def _rejections(report: BuildReport, most: int) -> None:
    if not report.rejections:
        return
    why = ", ".join(f"{number:,} {code.replace('_', ' ')}" for code, number in report.rejected_by.items())
    _title(f"Rejected statements: {why}")
    for row in report.rejections[:most]:
        said = f"{row['page']}: {row['subject']} {row['relation']} {row['object']}"
        echo(wrapped(said, indent="  ", hanging="    "))
        echo(wrapped(row["reason"], indent="    "))
    if len(report.rejections) > most:
        left = len(report.rejections) - most
        echo(f"  … and {left:,} more: --rejections all, or kb query list_rejections")


def _contradictions(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    _title(f"Contradictions: {len(rows):,}")
    for row in rows:
        echo(wrapped(f"{row['focus']}: {row['message']}", indent="  ", hanging="    "))
        for value, pages in row["values"].items():
            echo(wrapped(f"{row['relation']} {value}: {', '.join(pages)}", indent="    ", hanging="      "))
        if not row["values"] and row["pages"]:
            echo(wrapped(f"pages: {', '.join(row['pages'])}", indent="    ", hanging="      "))


def _unread(report: BuildReport, *, listed: bool) -> None:
    """What names two or more entities and gave no statement: how much of it there is, or all of it."""
    lines, pages = report.unread_lines, report.quiet_pages
    if not lines and not pages:
        if listed:
            echo()
            echo("Every line that names two or more entities gave a statement.")
        return
    found = [counted(len(lines), "line")] if lines else []
    found += [counted(len(pages), "whole page")] if pages else []
    verb = "names" if len(lines) + len(pages) == 1 else "name"
    said = f"{' and '.join(found)} {verb} two or more entities and gave no statement"
    if not listed:
        echo()
        echo(wrapped(f"{said}: kb build --unread"))
        return
    _title(said)
    for row in lines:
        echo(wrapped(f"{row['path']}:{row['line']}: {row['text']}", indent="  ", hanging="    "))
        echo(wrapped(f"names {', '.join(row['names'])}", indent="    "))
    if pages:
        _title("Pages that gave no statement")
        for row in pages:
            echo(wrapped(f"{row['path']}: names {', '.join(row['names'])}", indent="  ", hanging="    "))


def _violation(row: Mapping[str, Any]) -> str:
    where = f" ({', '.join(row['sources'])})" if row["sources"] else ""
    return f"{row['focus']}: {row['message']}{where}"


def _lines(title: str, lines: list[str]) -> None:
    if lines:
        _title(f"{title}: {len(lines):,}")
        for line in lines:
            echo(wrapped(line, indent="  ", hanging="    "))


def _title(text: str) -> None:
    echo()
    echo(text)
