"""The documentation of an ontology as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kb.namespaces import PREFIXES

__all__ = ["also_said", "datatype", "joins", "pairs", "to_markdown"]


def to_markdown(data: Mapping[str, Any], *, note: str = "") -> str:
    """A page from what `kb.describe.describe` gives; `note` stands below its title, in Markdown."""
    titles = [one["title"] for one in data["ontologies"] if "title" in one]
    lines = [f"# {_text(' · '.join(titles) or 'Ontology')}", ""]
    lines += [note, ""] if note else []
    for one in data["ontologies"]:
        about = f": {_text(one['abstract'])}" if "abstract" in one else ""
        lines.append(f"- `{one['iri']}`{about}")
    lines += [""] if data["ontologies"] else []
    lines += ["## Overview", "", *_overview(data)]
    for heading, key in (("Classes", "classes"), ("Relations", "relations"), ("Attributes", "attributes")):
        lines += [f"## {heading}", ""]
        for term in data[key]:
            lines += [f"### {term['name']}", "", *_definition(term), *_rows(key, term), ""]
    lines += ["## Rules", ""]
    lines += ["| shape | severity | says |", "|---|---|---|"] if data["rules"] else ["None."]
    lines += [f"| `{one['name']}` | {one['severity']} | {_text(one['message'])} |" for one in data["rules"]]
    if data["advice"]:
        lines += ["", "## What is missing", "", *(f"- {_text(line)}" for line in data["advice"])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines).rstrip()) + "\n"


def _overview(data: Mapping[str, Any]) -> list[str]:
    lines = ["| relation | joins | back | pages and questions also say |", "|---|---|---|---|"]
    for term in data["relations"]:
        back = f"`{term['inverse']['name']}`" if term["inverse"] else ""
        said = also_said(term)
        lines.append(f"| [`{term['name']}`](#{term['name']}) | {_text(joins(term))} | {back} | {_text(said)} |")
    return [*lines, ""]


def _definition(term: Mapping[str, Any]) -> list[str]:
    lines = [_text(term["definition"]), ""] if term["definition"] else []
    return [*lines, f"> {_text(term['example'])}", ""] if term["example"] else lines


def _rows(kind: str, term: Mapping[str, Any]) -> list[str]:
    shown = [(name, f"`{value}`" if name == "IRI" else _text(value)) for name, value in pairs(kind, term) if value]
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in shown)]


def pairs(kind: str, term: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is told of a term, as (name, text); empty texts for what it does not have."""
    rows = [("IRI", term["iri"]), ("words", ", ".join(term["phrases"]))]
    if kind == "classes":
        rows += [
            ("is a", ", ".join(term["parents"])),
            ("kinds", ", ".join(term["children"])),
            ("attributes", ", ".join(term["attributes"])),
            ("relations", ", ".join(term["relations"])),
        ]
    elif kind == "relations":
        inverse = term["inverse"]
        rows += [
            ("joins", joins(term)),
            ("the way back", f"{inverse['name']}: {', '.join(inverse['phrases'])}" if inverse else ""),
            ("transitive", "yes" if term["transitive"] else ""),
            ("symmetric", "yes" if term["symmetric"] else ""),
        ]
    else:
        rows += [
            ("of", ", ".join(term["domains"]) or "anything"),
            ("values", datatype(term["datatype"])),
            ("words for false", ", ".join(term["phrases_false"])),
        ]
    return [*rows, ("rules", ", ".join(dict.fromkeys(term["rules"])))]


def joins(term: Mapping[str, Any]) -> str:
    """The types that a relation joins: `system → team`."""
    return "; ".join(f"{one or 'anything'} → {other or 'anything'}" for one, other in term["signatures"])


def also_said(term: Mapping[str, Any], most: int = 6) -> str:
    """The first few words for a relation beside its label."""
    said = [phrase for phrase in term["phrases"] if phrase != term["label"]]
    return ", ".join(said[:most]) + (", …" if len(said) > most else "")


def datatype(iri: str) -> str:
    """A datatype with its usual prefix."""
    found: Sequence[str] = [
        f"{prefix}:{iri[len(space) :]}" for prefix, space in PREFIXES.items() if iri.startswith(space)
    ]
    return found[0] if found else iri


def _text(text: str) -> str:
    """Text of a user's in a Markdown page: no tags, no emphasis, no links of its own."""
    escaped = re.sub(r"([\\`*\[\]<>|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<!\w)_|_(?!\w)|^#", r"\\\g<0>", escaped)  # in the middle of a name it is itself
