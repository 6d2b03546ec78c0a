"""Names <-> IRIs. Everything the knowledge base mints stands below `base` of `kb.toml`.

An id stays readable in its IRI: letters, digits and most punctuation of RFC 3987 paths are kept, whatever else is
percent-encoded in UTF-8, so `iri -> id` is exact for every id. The type is not part of the IRI: an entity keeps its
IRI when its name or type changes.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from kb.errors import ConfigError

__all__ = ["Iris"]

_KEPT = frozenset("-._~!$&'()*+,;=:@")
_FORBIDDEN_IN_BASE = frozenset('<>"{}|^`\\ \t\r\n')


def _encode(name: str) -> str:
    """Percent-encodes what an IRI path may not hold or what clients would rewrite.

    Clients resolve segments made of dots alone (`.` and `..`), and many fold `//`, so neither stays as it is.
    """
    encoded = "/".join(map(_encode_segment, name.split("/"))).replace("//", "/%2F")
    return "%2F" + encoded[1:] if encoded.startswith("/") else encoded


def _encode_segment(segment: str) -> str:
    if segment and not segment.strip("."):
        return "%2E" * len(segment)
    return "".join(char if char in _KEPT or char.isalnum() else _percent(char) for char in segment)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


class Iris:
    """Mints and reads the IRIs below one base.

    >>> iris = Iris("https://kb.example/")
    >>> iris.entity("component:default/ledger db")
    'https://kb.example/entity/component:default/ledger%20db'
    >>> iris.entity_id("https://kb.example/entity/component:default/ledger%20db")
    'component:default/ledger db'
    """

    def __init__(self, base: str) -> None:
        if _FORBIDDEN_IN_BASE & set(base) or not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:.", base):
            raise ConfigError(f"base = {base!r} is not an absolute IRI; write one such as https://kb.example/")
        self.base = base if base.endswith(("/", "#")) else base + "/"
        self._entity = self.base + "entity/"
        self._page = self.base + "page/"
        self.catalogue_graph = self.base + "graph/catalogue"
        self.statements_graph = self.base + "graph/statements"
        self.provenance_graph = self.base + "graph/provenance"
        self.rejections_graph = self.base + "graph/rejections"
        self.report_graph = self.base + "graph/report"
        self.inferences_graph = self.base + "graph/inferences"

    def entity(self, entity_id: str) -> str:
        """The IRI of an entity of the catalogue."""
        return self._entity + _encode(entity_id)

    def entity_id(self, iri: str) -> str | None:
        """The id that `entity` made this IRI from; None for an IRI of anything else."""
        return unquote(iri[len(self._entity) :], errors="surrogatepass") if iri.startswith(self._entity) else None

    def page(self, page_id: str) -> str:
        """The IRI of a page."""
        return self._page + _encode(page_id)

    def page_id(self, iri: str) -> str | None:
        """The id of the page with this IRI; None for an IRI of anything else."""
        return unquote(iri[len(self._page) :], errors="surrogatepass") if iri.startswith(self._page) else None

    def source(self, path: str) -> str:
        """The IRI of a file that is not a page: a catalogue, a statements file."""
        return self.base + "source/" + _encode(path)

    def page_graph(self, page_id: str) -> str:
        """The named graph that holds what one page states."""
        return self.base + "graph/page/" + _encode(page_id)

    def schema_graph(self, concept: str) -> str:
        """The named graph that holds what the note on one schema concept says."""
        return self.base + "graph/schema/" + _encode(concept)

    def statement(self, digest: str) -> str:
        """The IRI of an accepted statement's record."""
        return self.base + "statement/" + digest

    def rejection(self, digest: str) -> str:
        """The IRI of a rejected statement's record."""
        return self.base + "rejection/" + digest

    def result(self, digest: str) -> str:
        """The IRI of a SHACL validation result."""
        return self.base + "result/" + digest

    def reading(self, digest: str) -> str:
        """The IRI of a way of reading (reader, model, prompt, ontology)."""
        return self.base + "reading/" + digest
