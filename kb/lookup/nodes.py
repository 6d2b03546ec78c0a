"""Which node is meant, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.errors import UnknownNameError
from kb.graph.terms import text_literal
from kb.index.chunks import CAVEAT, CONCEPT, ENTITY, FIELD, KINDS, SECTION
from kb.iris import Iris
from kb.lookup._rows import rows
from kb.lookup.names import Name, near_names, unknown
from kb.lookup.schema import SCHEMA_KINDS, SchemaNodes
from kb.lookup.wiki import PAGE, WikiNodes
from kb.names import normalised
from kb.namespaces import DCTERMS, RDFS, SKOS
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.index.vectors import IndexFiles

__all__ = ["Nodes"]

Found = dict[str, Any]
_LABELS = tuple(ox.NamedNode(one) for one in (RDFS + "label", SKOS + "altLabel"))
_IDENTIFIER = ox.NamedNode(DCTERMS + "identifier")
_TITLES = """SELECT ?provenance ?page ?title WHERE {
  GRAPH ?provenance { ?page a kb:Page . OPTIONAL { ?page rdfs:label ?title } }
}"""


class Nodes:
    """The nodes of one generation.

    `vocabulary` and `index` are functions, since not every node needs them; `index` gives None where there is none.
    """

    def __init__(
        self,
        store: ox.Store,
        iris: Iris,
        vocabulary: Callable[[], Vocabulary],
        index: Callable[[], IndexFiles | None],
    ) -> None:
        self.store, self.iris = store, iris
        self.schema = SchemaNodes(store, iris)
        self._vocabulary, self._index = vocabulary, index

    @cached_property
    def wiki(self) -> WikiNodes:
        """The entities and pages."""
        return WikiNodes(self.store, self.iris, self._vocabulary())

    @cached_property
    def files(self) -> IndexFiles | None:
        """The index; None where the build has none."""
        return self._index()

    # -- what is asked ------------------------------------------------------

    def get(self, node: str, part: str | None = None) -> Found:
        """Everything that is known about a node.

        `node` is a node id, the id or a name of an entity or page, or a concept; `part` then the id or name of a field
        or caveat of it. Raises UnknownNameError, with near names, where nothing or more than one thing is called so.
        """
        return self._shown(*self._meant(node, part))

    def related(self, node: str, part: str | None = None, *, similar: int = 5) -> Found:
        """What facts link to a node, and apart from it, as `similar`, the texts of the index that are most like it.

        `caveats` of a field or concept, `fields` of a caveat, `facts` of an entity, page or section. Arguments and
        errors are those of `get`.
        """
        kind, name = self._meant(node, part)
        if kind in SCHEMA_KINDS:
            found = self.schema.related(*_schema_parts(kind, name, self.schema))
            linked = {one["node_id"] for key in ("caveats", "fields") for one in found.get(key, ())}
        else:
            shown = self._shown(kind, name)
            label = shown.get("name") or shown.get("title") or shown.get("label")
            found = {"node_id": shown["node_id"], "kind": kind, "label": label, "facts": shown["facts"]}
            ends = [end for fact in found["facts"] for end in (fact, fact.get("subject"), fact.get("object")) if end]
            linked = {end["node_id"] for end in ends if "node_id" in end}
        return {**found, "similar": self._similar(kind, found["node_id"], linked, similar)}

    # -- which one is meant -------------------------------------------------

    def _meant(self, node: str, part: str | None) -> tuple[str, str]:
        """(kind, name) of a node: of an entity its id, of a page its id, of others their node id."""
        if part is not None:
            concept = self.schema.concept_id(node.removeprefix(f"{CONCEPT}:"))
            kind, node_id = self.schema.part_id(concept, part)
            return kind, node_id
        kind, colon, rest = node.partition(":")
        if colon and rest and kind in (*KINDS, PAGE):
            found = self._by_node_id(kind, rest)
            if found is not None:
                return found
        exact = list(self._exactly(node))
        if len(exact) == 1:
            return exact[0]
        if exact:
            raise unknown(f"{node!r} could be several things", node, [self._written(*one) for one in exact])
        if colon and rest and kind in (*KINDS, PAGE):
            raise self._no_such(kind, rest)
        return self._by_name(node)

    def _by_node_id(self, kind: str, rest: str) -> tuple[str, str] | None:
        if kind == CONCEPT:
            return (kind, f"{kind}:{rest}") if self.schema.has_concept(rest) else None
        if kind in (FIELD, CAVEAT):
            node_id = f"{kind}:{rest}"
            for concept, _ in _splits(rest):
                if not self.schema.has_concept(concept):
                    continue
                parts = self.schema.fields(concept) if kind == FIELD else self.schema.caveats(concept)
                if any(one["node_id"] == node_id for one in parts):
                    return kind, node_id
            return None
        if kind == PAGE:
            return (kind, rest) if self.wiki.has_page(rest) else None
        if kind == SECTION:
            return (kind, f"{kind}:{rest}") if self._row(f"{kind}:{rest}") is not None else None
        for type_name, entity_id in _splits(rest):
            if self.wiki.type_of(entity_id) == type_name:
                return kind, entity_id
        return None

    def _exactly(self, name: str) -> Iterator[tuple[str, str]]:
        """All that has this very id. A page yields to the thing that it is about."""
        things = []
        if self.schema.has_concept(name):
            things.append((CONCEPT, f"{CONCEPT}:{name}"))
        if self.wiki.type_of(name) is not None:
            things.append((ENTITY, name))
        for sign in (":", "."):
            for concept, part in _splits(name, sign):
                if self.schema.has_concept(concept):
                    things += self._part(concept, part)
        yield from things
        if not things and self.wiki.has_page(name):
            yield PAGE, name

    def _part(self, concept: str, part: str) -> Iterator[tuple[str, str]]:
        for kind, parts in ((FIELD, self.schema.fields(concept)), (CAVEAT, self.schema.caveats(concept))):
            yield from ((kind, one["node_id"]) for one in parts if part in (one["id"], one.get("name")))

    def _by_name(self, name: str) -> tuple[str, str]:
        same = dict.fromkeys(self._labelled(name))
        names: list[Name] = []
        if not same:
            names = list(self._names())
            same = dict.fromkeys(one.node_id for one in names if normalised(one.text) == normalised(name))
        things = [one for one in same if not one.startswith(f"{PAGE}:")] or list(same)
        if len(things) == 1:
            kind, _, rest = things[0].partition(":")
            return (kind, rest if kind == PAGE else things[0]) if kind in (*SCHEMA_KINDS, PAGE) else (ENTITY, things[0])
        if things:
            raise unknown(f"{name!r} could be several things", name, things)
        raise unknown(f"nothing is called {name!r}", name, near_names(name, names))

    def _no_such(self, kind: str, rest: str) -> UnknownNameError:
        if kind in (FIELD, CAVEAT):
            concept, _, part = rest.partition(":")
            self.schema.part_id(self.schema.concept_id(concept), part)  # says what is wrong with the two
        options = [one for one in self._names() if one.node_id.startswith(f"{kind}:")]
        if kind == SECTION and self.files is not None:
            page = next((page for page, _ in _splits(rest) if page in self.files.partitions), None)
            chunks = map(self.files.chunk, self.files.rows_of(page, SECTION) if page is not None else ())
            options = [Name(one.id.removeprefix(f"{SECTION}:"), one.id) for one in chunks]
        near = near_names(rest, options) or near_names(rest.rpartition(":")[2], options)
        return unknown(f"there is no {kind} {rest!r}", rest, near)

    def _labelled(self, name: str) -> Iterator[str]:
        """The ids of all that has exactly this name; that takes no look at all names."""
        for predicate in _LABELS:
            for quad in self.store.quads_for_pattern(None, predicate, text_literal(name), ox.DefaultGraph()):
                entity_id = self._entity_id(quad.subject)
                if entity_id is not None:
                    yield entity_id

    def _names(self) -> Iterator[Name]:
        """Every name of everything that the graph holds, with what to write for it."""
        for predicate in (_IDENTIFIER, *_LABELS):
            for quad in self.store.quads_for_pattern(None, predicate, None, ox.DefaultGraph()):
                entity_id = self._entity_id(quad.subject)
                if entity_id is None or not isinstance(quad.object, ox.Literal):
                    continue
                kind, _, rest = entity_id.partition(":")
                # Of a node id of the schema notes, people leave out the kind.
                written = rest if predicate == _IDENTIFIER and kind in SCHEMA_KINDS else quad.object.value
                yield Name(written, entity_id)
        for row in rows(self.store, _TITLES, provenance=self.iris.provenance_graph):
            page_id = self.iris.page_id(row["page"])
            if page_id is not None:
                yield from (Name(text, f"{PAGE}:{page_id}") for text in (page_id, row.get("title", page_id)))

    def _entity_id(self, node: object) -> str | None:
        return self.iris.entity_id(node.value) if isinstance(node, ox.NamedNode) else None

    # -- what there is to say -----------------------------------------------

    def _written(self, kind: str, name: str) -> str:
        return f"{ENTITY}:{self.wiki.type_of(name)}:{name}" if kind == ENTITY else name

    def _shown(self, kind: str, name: str) -> Found:
        if kind in SCHEMA_KINDS:
            return self.schema.get(*_schema_parts(kind, name, self.schema))
        if kind == ENTITY:
            found = self.wiki.entity(name)
            assert found is not None
            return found
        if kind == PAGE:
            found = self.wiki.page(name)
            assert found is not None
            return {**found, "sections": self._sections(name)}
        return self._section(name)

    def _sections(self, page_id: str) -> list[Found]:
        if self.files is None:
            return []
        chunks = map(self.files.chunk, self.files.rows_of(page_id, SECTION))
        found = [{"node_id": one.id, "label": one.label, "start": one.start, "end": one.end} for one in chunks]
        return sorted(found, key=lambda one: one["start"] or 0)

    def _section(self, node_id: str) -> Found:
        row = self._row(node_id)
        assert row is not None
        assert self.files is not None
        chunk = self.files.chunk(row)
        page = chunk.page or chunk.concept
        start, end = chunk.start or 0, chunk.end or 0
        facts = [one for one in self.wiki.stated(page) if one["start"] is not None and start <= one["start"] < end]
        shown = {"label": chunk.label, "text": chunk.text, "start": chunk.start, "end": chunk.end}
        return {"node_id": node_id, "kind": SECTION, "page": page, **shown, "facts": facts}

    def _row(self, node_id: str) -> int | None:
        return None if self.files is None else self.files.find(node_id)

    def _similar(self, kind: str, node_id: str, linked: set[str], top_k: int) -> list[Found]:
        if self.files is None or top_k < 1:
            return []
        if kind == PAGE:
            own = list(self.files.rows_of(node_id.removeprefix(f"{PAGE}:"), SECTION))
        else:
            row = self._row(node_id)
            own = [] if row is None else [row]
        from kb.lookup.similar import similar

        return similar(self.files, own, top_k, linked)


def _schema_parts(kind: str, node_id: str, schema: SchemaNodes) -> tuple[str, str | None]:
    """(concept, id of its part or None) of a node id of the schema notes."""
    rest = node_id.removeprefix(f"{kind}:")
    if kind == CONCEPT:
        return rest, None
    return next((concept, part) for concept, part in _splits(rest) if schema.has_concept(concept))


def _splits(text: str, sign: str = ":") -> Iterator[tuple[str, str]]:
    """Every way to part a text in two at a sign, the shortest beginning first."""
    at = text.find(sign)
    while at >= 0:
        if text[:at] and text[at + 1 :]:
            yield text[:at], text[at + 1 :]
        at = text.find(sign, at + 1)
