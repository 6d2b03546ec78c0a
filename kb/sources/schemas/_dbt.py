"""dbt's properties files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kb.model import SchemaNote
from kb.sources.schemas._dbt_docs import DocsBlocks
from kb.sources.schemas._reading import FileReading
from kb.sources.yaml_files import Node

__all__ = ["looks_like_properties", "read_notes"]


def looks_like_properties(root: Node) -> bool:
    return False


def read_notes(roots: Iterable[Node], reading: FileReading, docs: DocsBlocks, path: Path) -> list[SchemaNote]:
    return []
