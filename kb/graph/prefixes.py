"""The prefixes of one knowledge base: for reading queries, for writing exports, for showing IRIs in a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kb.iris import Iris
from kb.names import snake_case
from kb.namespaces import KB, PREFIXES

if TYPE_CHECKING:
    from kb.vocabulary import Vocabulary

__all__ = ["base_prefixes", "query_prefixes", "shortened", "vocabulary_prefixes"]

_MINTED = ("entity", "page", "source", "graph", "statement", "rejection", "result", "reading")
_SAYS_NOTHING = frozenset({"ontology", "ontologies", "vocabulary", "vocab", "onto", "owl", "ns", "schema", "terms"})


def base_prefixes(iris: Iris) -> dict[str, str]:
    """The prefixes of what a knowledge base mints below its own base."""
    return {name: f"{iris.base}{name}/" for name in _MINTED}


def vocabulary_prefixes(vocabulary: Vocabulary) -> dict[str, str]:
    """A prefix for each namespace of the ontology's terms that has no usual one, named after the namespace."""
    iris = [one.iri for one in vocabulary.classes.values()]
    iris.extend(one.iri for one in vocabulary.relations.values())
    iris.extend(one.iri for one in vocabulary.attributes.values())
    iris.extend(r.inverse.iri for r in vocabulary.relations.values() if r.inverse is not None)
    counted = Counter(iri[: max(iri.rfind("#"), iri.rfind("/")) + 1] for iri in iris)
    found: dict[str, str] = {}
    for space, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        if space and space not in PREFIXES.values():
            name = _prefix_name(space)
            while name in PREFIXES or name in _MINTED or name in found:
                name += "_"
            found[name] = space
    return found


def _prefix_name(space: str) -> str:
    """A short name that tells namespaces apart: the last telling word of the path, else of the host.

    >>> [_prefix_name(s) for s in ("https://museum.example/ontology#", "https://w3id.org/art/ns/2#", "urn:x:")]
    ['museum', 'art', 'x']
    """
    parts = urlsplit(space)
    words = [w for w in re.split(r"[/:#]", parts.path) if w] if parts.netloc else space.rstrip("#/:").split(":")
    host = parts.netloc.split(".")
    for word in [*reversed(words), *(host[-2:-1] if len(host) > 1 else host)]:
        name = snake_case(word)
        if re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in _SAYS_NOTHING:
            return name
    return "term"


def query_prefixes(iris: Iris, vocabulary: Vocabulary | None = None) -> dict[str, str]:
    """What a query to this knowledge base need not declare: the usual vocabularies, `:`, and `entity:` and the like."""
    own = vocabulary_prefixes(vocabulary) if vocabulary is not None else {}
    return {**PREFIXES, "": KB, **base_prefixes(iris), **own}


def shortened(iri: str, iris: Iris, prefixes: Mapping[str, str] = PREFIXES) -> str:
    """An IRI as people read it: an entity as its id, other things with a prefix, anything else in full.

    >>> iris = Iris("https://kb.example/")
    >>> [shortened(iri, iris) for iri in (iris.entity("ledger db"), iris.page("teams"), KB + "onPage", "urn:x")]
    ['ledger db', 'page:teams', 'kb:onPage', '<urn:x>']
    """
    entity = iris.entity_id(iri)
    if entity is not None:
        return entity
    page = iris.page_id(iri)
    if page is not None:
        return f"page:{page}"
    for prefix, space in {**PREFIXES, **base_prefixes(iris), **prefixes}.items():
        if prefix and iri.startswith(space) and len(iri) > len(space):
            return f"{prefix}:{iri[len(space) :]}"
    return f"<{iri}>"
