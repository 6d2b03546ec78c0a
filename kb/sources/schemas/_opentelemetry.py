"""OpenTelemetry's semantic conventions."""

from __future__ import annotations

from collections.abc import Iterable

from kb.model import SchemaNote
from kb.sources.schemas._reading import FileReading
from kb.sources.yaml_files import Node

__all__ = ["Conventions", "looks_like_conventions", "may_be_conventions", "read_notes"]


class Conventions:
    def __init__(self, files: Iterable[tuple[str, tuple[Node, ...]]]) -> None:
        pass


def may_be_conventions(data: bytes, suffix: str) -> bool:
    return False


def looks_like_conventions(root: Node) -> bool:
    return False


def read_notes(roots: Iterable[Node], reading: FileReading, conventions: Conventions) -> list[SchemaNote]:
    return []
