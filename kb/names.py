"""How the local name of an IRI becomes the name that plans, catalogues and JSON use."""

from __future__ import annotations

import re
from urllib.parse import unquote

__all__ = ["humanised", "local_name", "namespace", "snake_case"]


def namespace(iri: str) -> str:
    """What stands before the local name.

    >>> namespace("https://w3id.org/wiki-kb/ontology#dependsOn"), namespace("urn:parts:fits")
    ('https://w3id.org/wiki-kb/ontology#', 'urn:parts:')
    """
    return iri[: _cut(iri)]


def local_name(iri: str) -> str:
    """What follows the last `#` or `/`, or the last `:` where there is neither.

    >>> local_name("https://w3id.org/wiki-kb/ontology#dependsOn"), local_name("urn:parts:fits")
    ('dependsOn', 'fits')
    """
    trimmed = iri.rstrip("#/")
    return unquote(trimmed[_cut(trimmed) :])


def _cut(iri: str) -> int:
    end = max(iri.rfind("#"), iri.rfind("/"))
    return (end if end >= 0 else iri.rfind(":")) + 1


def snake_case(iri_or_name: str) -> str:
    """The name of a term.

    >>> [snake_case(n) for n in ("https://example.org/o#dependsOn", "API", "providesApi", "HTTPServer", "on-display")]
    ['depends_on', 'api', 'provides_api', 'http_server', 'on_display']
    """
    name = local_name(iri_or_name)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+", "_", name).strip("_").lower()


def humanised(name: str) -> str:
    """A name as words.

    >>> humanised("provides_api")
    'provides api'
    """
    return name.replace("_", " ")
