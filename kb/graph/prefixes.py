"""The prefixes of one knowledge base: for reading queries, for writing exports, for showing IRIs in a terminal."""

from __future__ import annotations

from kb.iris import Iris
from kb.namespaces import KB, PREFIXES

__all__ = ["base_prefixes", "query_prefixes", "shortened"]


def base_prefixes(iris: Iris) -> dict[str, str]:
    """The prefixes of what a knowledge base mints below its own base."""
    return {name: f"{iris.base}{name}/" for name in ("entity", "page", "graph", "statement", "rejection", "result")}


def query_prefixes(iris: Iris) -> dict[str, str]:
    """What a query to this knowledge base need not declare: the usual vocabularies, `:`, and `entity:` and the like."""
    return {**PREFIXES, "": KB, **base_prefixes(iris)}


def shortened(iri: str, iris: Iris) -> str:
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
    for prefix, space in {**PREFIXES, **base_prefixes(iris)}.items():
        if iri.startswith(space) and len(iri) > len(space):
            return f"{prefix}:{iri[len(space) :]}"
    return f"<{iri}>"
