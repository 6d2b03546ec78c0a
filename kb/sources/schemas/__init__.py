"""Schema notes: what engineers wrote down about formats, tables and configuration blocks."""

from __future__ import annotations

from kb.sources.schemas._graph import schema_entities, schema_statements, semantic_digest
from kb.sources.schemas._source import SCHEMA_SUFFIXES, SchemaDocument, SchemaFile, SchemaSource

__all__ = [
    "SCHEMA_SUFFIXES",
    "SchemaDocument",
    "SchemaFile",
    "SchemaSource",
    "schema_entities",
    "schema_statements",
    "semantic_digest",
]
