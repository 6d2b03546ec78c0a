"""Concepts, fields and caveats of the schema notes, as the graph holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyoxigraph as ox

from kb.index.chunks import CAVEAT, CONCEPT, FIELD
from kb.iris import Iris
from kb.lookup._rows import rows
from kb.lookup.names import Name, near_names, unknown
from kb.names import normalised

__all__ = ["SCHEMA_KINDS", "SchemaNodes"]

SCHEMA_KINDS = (CONCEPT, FIELD, CAVEAT)
Found = dict[str, Any]
# The most harmful comes first; other words go by the shapes, and come last.
_SEVERITIES = ("critical", "high", "medium", "low", "info")

_CONCEPTS = "SELECT ?concept WHERE { ?concept a kb:Concept } ORDER BY ?concept"
_CONCEPT = """SELECT ?concept ?description ?status WHERE {
  ?concept a kb:Concept .
  OPTIONAL { ?concept dcterms:description ?description }
  OPTIONAL { ?concept kb:reviewStatus ?status }
}"""
_SOURCE = """SELECT ?provenance ?graph ?source ?name WHERE {
  GRAPH ?provenance { ?graph kb:onPage ?source . OPTIONAL { ?source dcterms:identifier ?name } }
}"""
_FIELDS = """SELECT ?concept ?field ?name ?type ?description WHERE {
  ?concept kb:hasField ?field .
  OPTIONAL { ?field rdfs:label ?name }
  OPTIONAL { ?field kb:valueType ?type }
  OPTIONAL { ?field dcterms:description ?description }
} ORDER BY ?field"""
_CAVEAT = """
  OPTIONAL { ?caveat rdfs:label ?summary }
  OPTIONAL { ?caveat kb:severity ?severity }
  OPTIONAL { ?caveat kb:evidence ?evidence }
  OPTIONAL { ?caveat kb:appliesTo ?about }
} ORDER BY ?caveat ?about"""
_CAVEATS = (
    "SELECT ?concept ?caveat ?summary ?severity ?evidence ?about WHERE { ?concept kb:hasCaveat ?caveat ." + _CAVEAT
)
_APPLYING = "SELECT ?field ?caveat ?summary ?severity ?evidence ?about WHERE { ?field ^kb:appliesTo ?caveat ." + _CAVEAT


class SchemaNodes:
    """The schema notes in one store. What it gives are plain values that JSON can hold.

    Every access raises UnknownNameError, naming near ones, for a concept, field or caveat that there is not.
    """

    def __init__(self, store: ox.Store, iris: Iris) -> None:
        self.store, self.iris = store, iris

    # -- names --------------------------------------------------------------

    def concepts(self) -> list[str]:
        """The ids of all concepts, sorted."""
        found = (self._id(row["concept"]) for row in rows(self.store, _CONCEPTS))
        return sorted(one.removeprefix(f"{CONCEPT}:") for one in found)

    def has_concept(self, concept: str) -> bool:
        """Whether there is a concept of exactly this id."""
        return next(rows(self.store, _CONCEPT, concept=self._concept_iri(concept)), None) is not None

    def concept_id(self, name: str) -> str:
        """The id of the concept that is called so, give or take case, `-` and `_`."""
        if self.has_concept(name):
            return name
        known = self.concepts()
        same = [one for one in known if normalised(one) == normalised(name)]
        if len(same) == 1:
            return same[0]
        options = [Name(one, one) for one in known]
        if not known:
            raise unknown(f"there is no concept {name!r}: the knowledge base has no schema notes", name, ())
        raise unknown(f"there is no concept {name!r}", name, same or near_names(name, options))

    def part_id(self, concept: str, name: str) -> tuple[str, str]:
        """(kind, node id) of a field or caveat of a concept, by its id, else by its name or summary."""
        parts = [(FIELD, one["node_id"], one["id"], one["name"]) for one in self.fields(concept)]
        parts += [(CAVEAT, one["node_id"], one["id"], one["summary"]) for one in self.caveats(concept)]
        by_id = [one for one in parts if one[2] == name]
        by_name = [one for one in parts if one[3] == name]
        alike = [one for one in parts if normalised(name) in (normalised(one[2]), normalised(one[3]))]
        same = by_id or by_name or alike
        if len(same) == 1:
            return same[0][:2]
        if same:
            raise unknown(f"{name!r} could be several things of {concept}", name, [one[1] for one in same])
        options = [Name(text, own) for _, _, own, said in parts for text in (own, said)]
        near = near_names(name, options) or [own for _, _, own, _ in parts]
        raise unknown(f"the concept {concept} has no field or caveat {name!r}", name, near)

    # -- nodes --------------------------------------------------------------

    def get(self, concept: str, part: str | None = None) -> Found:
        """A concept, or a field or caveat of it, with everything that the graph holds about it."""
        concept_id = self.concept_id(concept)
        if part is None:
            return self.concept(concept_id)
        kind, node_id = self.part_id(concept_id, part)
        return self.field(concept_id, node_id) if kind == FIELD else self.caveat(concept_id, node_id)

    def related(self, concept: str, part: str | None = None) -> Found:
        """The caveats of a field or a concept, the fields of a caveat: `caveats` or `fields`, lists of mappings."""
        concept_id = self.concept_id(concept)
        if part is None:
            node_id, label = f"{CONCEPT}:{concept_id}", concept_id
            caveats = self.caveats(concept_id)
            return {"node_id": node_id, "kind": CONCEPT, "concept": concept_id, "label": label, "caveats": caveats}
        found = self.get(concept_id, part)
        kept = ("node_id", "kind", "concept")
        shown = {**{key: found[key] for key in kept}, "label": found.get("name") or found.get("summary")}
        key = "caveats" if found["kind"] == FIELD else "fields"
        return {**shown, key: found[key]}

    def concept(self, concept: str) -> Found:
        """`description`, `fields`, `caveats`, `review` and `source`, the file of its note, of a concept by its id."""
        said = self._first(_CONCEPT, concept=self._concept_iri(concept))
        review = {"status": said["status"]} if "status" in said else {}
        return {
            "node_id": f"{CONCEPT}:{concept}",
            "kind": CONCEPT,
            "concept": concept,
            "description": said.get("description"),
            "review": review,
            "source": self.source(concept),
            "fields": self.fields(concept),
            "caveats": self.caveats(concept),
        }

    def field(self, concept: str, node_id: str) -> Found:
        """`name`, `value_type`, `description` of a field, and the `caveats` that apply to it."""
        (found,) = [one for one in self.fields(concept) if one["node_id"] == node_id]
        caveats = self._caveats(_APPLYING, concept, field=self.iris.entity(node_id))
        return {**found, "kind": FIELD, "concept": concept, "caveats": caveats, "source": self.source(concept)}

    def caveat(self, concept: str, node_id: str) -> Found:
        """`severity`, `summary`, `evidence` of a caveat, and the `fields` that it applies to."""
        (found,) = [one for one in self.caveats(concept) if one["node_id"] == node_id]
        about = set(found.pop("applies_to"))
        fields = [one for one in self.fields(concept) if one["node_id"] in about]
        return {**found, "kind": CAVEAT, "concept": concept, "fields": fields, "source": self.source(concept)}

    def source(self, concept: str) -> str | None:
        """The file that the note on a concept stands in; None where the graph does not tell."""
        bound = {"graph": self.iris.schema_graph(concept), "provenance": self.iris.provenance_graph}
        row = self._first(_SOURCE, **bound)
        return row.get("name", row.get("source"))

    def fields(self, concept: str) -> list[Found]:
        """The fields of a concept, in the order of their ids."""
        found: dict[str, Found] = {}
        for row in rows(self.store, _FIELDS, concept=self._concept_iri(concept)):
            node_id = self._id(row["field"])
            own = _own_id(node_id, FIELD, concept)
            one = {"node_id": node_id, "id": own, "name": row.get("name", own)}
            found.setdefault(node_id, {**one, "value_type": row.get("type"), "description": row.get("description")})
        return list(found.values())

    def caveats(self, concept: str) -> list[Found]:
        """The caveats of a concept, the most severe first, then by their ids; `applies_to` are node ids of fields."""
        return self._caveats(_CAVEATS, concept, concept=self._concept_iri(concept))

    # -- helpers ------------------------------------------------------------

    def _caveats(self, query: str, of: str, **bound: str) -> list[Found]:
        found: dict[str, Found] = {}
        about: dict[str, dict[str, None]] = defaultdict(dict)
        for row in rows(self.store, query, **bound):
            node_id = self._id(row["caveat"])
            own = _own_id(node_id, CAVEAT, of)
            one = {"node_id": node_id, "id": own, "severity": row.get("severity")}
            found.setdefault(node_id, {**one, "summary": row.get("summary", own), "evidence": row.get("evidence")})
            if "about" in row:
                about[node_id][self._id(row["about"])] = None
        ordered = sorted(found.values(), key=_severity)
        return [{**one, "applies_to": list(about[one["node_id"]])} for one in ordered]

    def _first(self, query: str, **bound: str) -> Mapping[str, str]:
        return next(rows(self.store, query, **bound), {})

    def _concept_iri(self, concept: str) -> str:
        return self.iris.entity(f"{CONCEPT}:{concept}")

    def _id(self, iri: str) -> str:
        # What an ontology of the user's own put there keeps its IRI.
        return self.iris.entity_id(iri) or iri


def _severity(caveat: Found) -> int:
    said = caveat["severity"]
    return _SEVERITIES.index(said) if said in _SEVERITIES else len(_SEVERITIES)


def _own_id(node_id: str, kind: str, concept: str) -> str:
    """The id that the note gives: the node id without kind and concept."""
    return node_id.removeprefix(f"{kind}:{concept}:")
