"""Where RDF/XML and JSON-LD go wrong: Oxigraph names no line in the one, and drops bad IRIs of the other unsaid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

__all__ = ["unusable_iris", "xml_line"]

_NO_IRI = re.compile(r"[\x00-\x20<>\"{}|\\^`]")
"""What no IRI may hold: https://www.rfc-editor.org/rfc/rfc3987#section-2.2."""


def xml_line(text: str, message: str) -> int | None:
    """The line that does not parse as XML, or else the first with what the message quotes."""
    parser = expat.ParserCreate()
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as err:
        return err.lineno
    for quoted in re.findall(r"'([^']+)'", message):
        at = text.find(quoted)
        if at >= 0:
            return text.count("\n", 0, at) + 1
    return None


def unusable_iris(text: str) -> Iterator[tuple[int, str]]:
    """(line, IRI) of the identifiers, types and terms of a JSON-LD document that are no IRIs.

    A processor drops the statements they stand in: https://www.w3.org/TR/json-ld11-api/#deserialize-json-ld-to-rdf-algorithm.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    contexts = list(_contexts(document))
    terms = {name: _target(value) for context in contexts for name, value in context.items()}
    names = {"@id": {"@id"}, "@type": {"@type"}}
    for name, target in terms.items():
        if target in names:
            names[target].add(name)
    links = {
        name
        for context in contexts
        for name, value in context.items()
        if isinstance(value, dict) and value.get("@type") in ("@id", "@vocab")
    }
    found = [target for target in terms.values() if isinstance(target, str)]
    found += _named(document, names["@id"] | names["@type"] | links)
    for iri in dict.fromkeys(found):
        if _NO_IRI.search(iri) and iri not in terms:
            at = max(text.find(json.dumps(iri)), text.find(json.dumps(iri, ensure_ascii=False)), 0)
            yield text.count("\n", 0, at) + 1, iri


def _target(value: Any) -> Any:
    """What a term of a context stands for."""
    return value.get("@id") if isinstance(value, dict) else value


def _contexts(node: Any) -> Iterator[dict[str, Any]]:
    todo = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            here = one.get("@context")
            yield from (part for part in (here if isinstance(here, list) else [here]) if isinstance(part, dict))
            todo.extend(one.values())
        elif isinstance(one, list):
            todo.extend(one)


def _named(document: Any, keys: set[str]) -> Iterator[str]:
    """The texts at `keys`, contexts left out."""
    todo = [document]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo.extend(one)
        elif isinstance(one, dict):
            for key, value in one.items():
                values = value if isinstance(value, list) else [value]
                if key in keys:
                    yield from (part for part in values if isinstance(part, str))
                if key not in ("@context", "@value") and isinstance(value, dict | list):
                    todo.append(value)
