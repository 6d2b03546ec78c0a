"""`kb validate`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, wrapped

if TYPE_CHECKING:
    from kb.graph.validation import Result
    from kb.knowledge_base import KnowledgeBase

__all__ = ["command"]

_SEVERITIES = ("Violation", "Warning", "Info")


@click.command()
@click.option(
    "--severity",
    type=click.Choice([name.lower() for name in _SEVERITIES]),
    default="warning",
    show_default=True,
    help="The mildest results to print.",
)
@kb_option
@json_option
def command(severity: str, folder: Path, as_json: bool) -> int:
    """Check the graph against its shapes.

    All facts and the catalogue are checked with SHACL, against the shapes that the graph was built with. A violation
    is a broken rule, a warning a contradiction that was kept, an info a hint about what is missing.

    Exit code 1: there is a violation.
    """
    import kb
    from kb.validate import validate

    with kb.open(folder) as base:
        results = validate(base)
        rows = [_row(base, one) for one in results]
        changed = _shapes_changed(base)
    shown = _SEVERITIES[: [name.lower() for name in _SEVERITIES].index(severity) + 1]
    counts = Counter(row["severity"] for row in rows)
    printed = [row for row in rows if row["severity"] in shown]
    if as_json:
        echo_json({"conforms": not counts["Violation"], "counts": dict(counts), "results": printed})
    else:
        _show(printed, counts, shown)
    if changed:
        note(
            "Note: ontology or shapes have changed since this graph was built; kb build checks it against the new ones."
        )
    return 1 if counts["Violation"] else 0


def _row(kb: KnowledgeBase, result: Result) -> dict[str, Any]:
    data = asdict(result)
    data["path"] = None if result.path is None else kb.vocabulary.name_of(result.path) or result.path
    data["text"] = result.text
    return {key: data[key] for key in ("severity", "focus", "path", "value", "message", "text", "sources", "shape")}


def _shapes_changed(kb: KnowledgeBase) -> bool:
    from kb.errors import KbError
    from kb.vocabulary import load_vocabulary

    try:
        return load_vocabulary(kb.config.ontology, kb.config.shapes).digest != kb.vocabulary.digest
    except KbError:
        return True


def _show(rows: list[dict[str, Any]], counts: Counter[str], shown: tuple[str, ...]) -> None:
    words = {"Violation": "violation", "Warning": "warning", "Info": "hint"}
    echo(
        "The graph conforms to its shapes." if not counts["Violation"] else "The graph does not conform to its shapes."
    )
    echo(", ".join(counted(counts[name], words[name]) for name in _SEVERITIES))
    for row in rows:
        echo()
        what = " ".join(str(part) for part in (row["path"], row["value"]) if part is not None)
        echo(wrapped(f"{row['severity']}: {row['focus']}{f' · {what}' if what else ''}", hanging="  "))
        echo(wrapped(row["text"], indent="  "))
        if row["sources"]:
            echo(wrapped(f"pages: {', '.join(row['sources'])}", indent="  ", hanging="    "))
    hidden = sum(number for name, number in counts.items() if name not in shown)
    if hidden:
        echo()
        mildest = "info" if counts["Info"] else "warning"
        echo(f"… and {hidden:,} milder: --severity {mildest} prints them")
