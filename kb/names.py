"""Names: how the local name of an IRI becomes that of a term, and the form in which names of things are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import unquote

__all__ = ["humanised", "local_name", "namespace", "normalised", "snake_case"]

_SEPARATORS = re.compile(r"[\s\-_.]+")
_CACHED = 65_536


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


@lru_cache(maxsize=_CACHED)
def normalised(name: str) -> str:
    """A thing's name in the form in which names are compared.

    >>> normalised("The  Ledger_DB")
    'ledger db'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    words = [word for word in _SEPARATORS.split(folded) if word]
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words)
