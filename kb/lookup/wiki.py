"""Entities of the wiki and its pages, as the graph holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import pyoxigraph as ox

from kb.index.chunks import ENTITY
from kb.iris import Iris
from kb.lookup._rows import Value, rows, value_of
from kb.names import humanised, snake_case
from kb.namespaces import DCTERMS, KB, RDF, RDFS, SKOS
from kb.vocabulary import Vocabulary

__all__ = ["PAGE", "WikiNodes"]

PAGE = "page"
Found = dict[str, Any]

_OUT = """SELECT ?near ?relation ?far ?label ?id ?type WHERE {
  ?near ?relation ?far .
  FILTER(isIRI(?far))
  OPTIONAL { ?far rdfs:label ?label }
  OPTIONAL { ?far dcterms:identifier ?id }
  OPTIONAL { ?far a ?type }
} ORDER BY ?relation ?far ?label ?type"""
_IN = _OUT.replace("?near ?relation ?far .", "?far ?relation ?near .")
# What is bound stands first: the store goes by the order of the patterns where it cannot tell how many fit.
_OUT_SOURCES = """SELECT ?provenance ?near ?relation ?far ?page ?name ?quote WHERE {
  GRAPH ?provenance {
    ?statement rdf:subject ?near .
    ?statement rdf:object ?far .
    ?statement rdf:predicate ?relation .
    ?statement kb:onPage ?page .
    OPTIONAL { ?statement kb:quote ?quote }
    OPTIONAL { ?page dcterms:identifier ?name }
  }
}"""
_IN_SOURCES = _OUT_SOURCES.replace("?statement rdf:subject ?near", "?statement rdf:object ?near", 1).replace(
    "?statement rdf:object ?far", "?statement rdf:subject ?far", 1
)
_PAGE = """SELECT ?provenance ?page ?id ?title WHERE {
  GRAPH ?provenance { ?page a kb:Page . OPTIONAL { ?page rdfs:label ?title } }
}"""
_PAGE_FACTS = """SELECT ?provenance ?page ?subject ?relation ?object ?quote ?start WHERE {
  GRAPH ?provenance {
    ?statement kb:onPage ?page ;
      rdf:subject ?subject ;
      rdf:predicate ?relation ;
      rdf:object ?object .
    OPTIONAL { ?statement kb:quote ?quote }
    OPTIONAL { ?statement kb:start ?start }
  }
} ORDER BY ?start ?subject ?relation ?object"""
_CALLED = (
    "SELECT ?node ?label ?type WHERE { ?node rdfs:label ?label . OPTIONAL { ?node a ?type } } ORDER BY ?label ?type"
)

_TYPE, _PAGE_CLASS = ox.NamedNode(RDF + "type"), ox.NamedNode(KB + "Page")
_LABEL, _OTHER_LABEL = RDFS + "label", SKOS + "altLabel"
_SAID_APART = frozenset((_LABEL, _OTHER_LABEL, DCTERMS + "identifier", DCTERMS + "description"))


class WikiNodes:
    """Entities and pages in one store. What it gives are plain values that JSON can hold."""

    def __init__(self, store: ox.Store, iris: Iris, vocabulary: Vocabulary) -> None:
        self.store, self.iris, self.vocabulary = store, iris, vocabulary
        self._relations = {one.iri: one for one in vocabulary.relations.values()}

    def type_of(self, entity_id: str) -> str | None:
        """The name of an entity's type; None where there is no entity of this id."""
        node = ox.NamedNode(self.iris.entity(entity_id))
        quads = self.store.quads_for_pattern(node, _TYPE, None, ox.DefaultGraph())
        types = [quad.object.value for quad in quads if isinstance(quad.object, ox.NamedNode)]
        return self._type(types) if types else None

    def has_page(self, page_id: str) -> bool:
        """Whether there is a page of exactly this id."""
        page, provenance = ox.NamedNode(self.iris.page(page_id)), ox.NamedNode(self.iris.provenance_graph)
        return ox.Quad(page, _TYPE, _PAGE_CLASS, provenance) in self.store

    def entity(self, entity_id: str) -> Found | None:
        """Type, names, attributes and facts of an entity; None where there is none of this id."""
        node = ox.NamedNode(self.iris.entity(entity_id))
        labels, others, types = list[str](), list[str](), list[str]()
        description: str | None = None
        attributes: dict[str, list[Value]] = defaultdict(list)
        for quad in self.store.quads_for_pattern(node, None, None, ox.DefaultGraph()):
            predicate, value = quad.predicate.value, quad.object
            if predicate == RDF + "type" and isinstance(value, ox.NamedNode):
                types.append(value.value)
            if not isinstance(value, ox.Literal):
                continue
            if predicate == _LABEL:
                labels.append(value.value)
            elif predicate == _OTHER_LABEL:
                others.append(value.value)
            elif predicate == DCTERMS + "description":
                description = min(description or value.value, value.value)
            elif predicate not in _SAID_APART:
                attributes[self._term(predicate)].append(value_of(value))
        if not types:
            return None
        type_name = self._type(types)
        known = self.vocabulary.classes.get(type_name)
        name = min(labels, default=entity_id)
        return {
            "node_id": f"{ENTITY}:{type_name}:{entity_id}",
            "kind": ENTITY,
            "id": entity_id,
            "type": type_name,
            "type_label": humanised(type_name) if known is None else known.label,
            "name": name,
            "aliases": sorted({*labels, *others} - {name}),
            "description": description,
            "attributes": {key: _one_or_all(values) for key, values in sorted(attributes.items())},
            "facts": self.facts(entity_id),
        }

    def facts(self, entity_id: str) -> list[Found]:
        """Everything that is stated between an entity and others, in both directions, each with its sources."""
        near = self.iris.entity(entity_id)
        found: list[Found] = []
        for direction, query, query_sources in (("out", _OUT, _OUT_SOURCES), ("in", _IN, _IN_SOURCES)):
            sources: dict[tuple[str, str], set[tuple[bool, bool, str, str]]] = defaultdict(set)
            for row in rows(self.store, query_sources, near=near, provenance=self.iris.provenance_graph):
                page = self.iris.page_id(row["page"])
                shown = page or row.get("name") or unquote(row["page"].rpartition("/")[2])
                # Pages with their words come before files, whose words are not kept.
                key = ("quote" not in row, page is None, shown, row.get("quote", ""))
                sources[row["relation"], row["far"]].add(key)
            seen: dict[tuple[str, str], Found] = {}
            for row in rows(self.store, query, near=near):
                relation = self._relations.get(row["relation"])
                if relation is None or (row["relation"], row["far"]) in seen:
                    continue
                back = relation.inverse if direction == "in" else None
                words = relation.label if direction == "out" else back.label if back else f"{relation.label} (of)"
                stated = sorted(sources[row["relation"], row["far"]])
                seen[row["relation"], row["far"]] = {
                    "relation": relation.name,
                    "direction": direction,
                    "words": words,
                    **self._other(row["far"], row.get("label"), row.get("type")),
                    "sources": [{"page": page, "quote": quote or None} for _, _, page, quote in stated],
                }
            found += seen.values()
        return found

    def page(self, page_id: str) -> Found | None:
        """Title and facts of a page; None where there is none of this id."""
        bound = {"page": self.iris.page(page_id), "provenance": self.iris.provenance_graph}
        row = next(rows(self.store, _PAGE, **bound), None)
        if row is None:
            return None
        title = row.get("title", page_id)
        return {
            "node_id": f"{PAGE}:{page_id}",
            "kind": PAGE,
            "page": page_id,
            "title": title,
            "facts": self.stated(page_id),
        }

    def stated(self, page_id: str) -> list[Found]:
        """The facts that a page states, in its order; `start` counts characters of the page."""
        bound = {"page": self.iris.page(page_id), "provenance": self.iris.provenance_graph}
        stated = list(rows(self.store, _PAGE_FACTS, **bound))
        others = self._others({row[end] for row in stated for end in ("subject", "object")})
        found = []
        for row in stated:
            relation = self._relations.get(row["relation"])
            found.append(
                {
                    "subject": others[row["subject"]],
                    "relation": self._term(row["relation"]),
                    "words": humanised(self._term(row["relation"])) if relation is None else relation.label,
                    "object": others[row["object"]],
                    "quote": row.get("quote"),
                    "start": int(row["start"]) if "start" in row else None,
                }
            )
        return sorted(found, key=lambda one: -1 if one["start"] is None else one["start"])

    # -- helpers ------------------------------------------------------------

    def _others(self, nodes: Iterable[str]) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for node in nodes:
            row = next(rows(self.store, _CALLED, node=node), {})
            found[node] = self._other(node, row.get("label"), row.get("type"))
        return found

    def _other(self, iri: str, label: str | None, type_iri: str | None) -> Found:
        """Another node, as it is named beside a fact."""
        entity_id = self.iris.entity_id(iri)
        if entity_id is None:
            return {"node_id": iri, "id": iri, "label": label or iri, "type": None}
        type_name = None if type_iri is None else self._term(type_iri)
        node_id = f"{ENTITY}:{type_name}:{entity_id}"
        return {"node_id": node_id, "id": entity_id, "label": label or entity_id, "type": type_name}

    def _type(self, iris: list[str]) -> str:
        """The type to show; one that the ontology declares before any other."""
        names = sorted((self.vocabulary.name_of(iri) is None, self._term(iri)) for iri in iris)
        return names[0][1]

    def _term(self, iri: str) -> str:
        return self.vocabulary.name_of(iri) or snake_case(iri)


def _one_or_all(values: list[Value]) -> Value | list[Value]:
    return values[0] if len(values) == 1 else sorted(values, key=str)
