"""Schema notes as things and statements of the graph, and what makes two of them the same."""

from __future__ import annotations

import hashlib
import json

from kb.model import Entity, SchemaNote, Statement

__all__ = ["schema_entities", "schema_statements", "semantic_digest"]

CONCEPT, FIELD, CAVEAT = "concept", "field", "caveat"
HAS_FIELD, HAS_CAVEAT, APPLIES_TO = "has_field", "has_caveat", "applies_to"


def schema_entities(note: SchemaNote) -> list[Entity]:
    """The concept, its fields and its caveats, in this order. Their ids are those of their rows in the index."""
    concept, source = note.concept, note.path
    status = note.review.get("status")
    found = [
        Entity(
            f"{CONCEPT}:{concept}",
            CONCEPT,
            concept,
            description=note.description,
            attributes={"review_status": status} if status else {},
            source=source,
        )
    ]
    for field in note.fields:
        attributes = {"value_type": field.value_type} if field.value_type else {}
        found.append(
            Entity(f"{FIELD}:{concept}:{field.id}", FIELD, field.name, (), field.description, attributes, source)
        )
    for caveat in note.caveats:
        told = {"severity": caveat.severity}
        if caveat.evidence:
            told["evidence"] = caveat.evidence
        found.append(Entity(f"{CAVEAT}:{concept}:{caveat.id}", CAVEAT, caveat.summary, (), None, told, source))
    return found


def schema_statements(note: SchemaNote) -> list[Statement]:
    """What the note states, by the ids that `schema_entities` gives, in the order of the note."""
    concept, source = note.concept, note.path
    subject = f"{CONCEPT}:{concept}"
    found = [Statement(subject, HAS_FIELD, f"{FIELD}:{concept}:{one.id}", source, None, False) for one in note.fields]
    for caveat in note.caveats:
        warning = f"{CAVEAT}:{concept}:{caveat.id}"
        found.append(Statement(subject, HAS_CAVEAT, warning, source, None, False))
        found += [
            Statement(warning, APPLIES_TO, f"{FIELD}:{concept}:{field}", source, None, False)
            for field in caveat.applies_to
        ]
    return found


def semantic_digest(note: SchemaNote) -> str:
    """SHA-256, in hexadecimal, of all that a note says: of everything but its review, its path and its lines."""
    said = [
        note.concept,
        note.description,
        [[one.id, one.name, one.value_type, one.description] for one in note.fields],
        [[one.id, one.severity, one.summary, one.evidence, list(one.applies_to)] for one in note.caveats],
    ]
    return hashlib.sha256(json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode("ascii")).hexdigest()
