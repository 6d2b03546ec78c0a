"""What validation found: one `sh:ValidationResult` in the words of the knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["INFO", "VIOLATION", "WARNING", "Result", "result_order"]

VIOLATION = "Violation"
WARNING = "Warning"
INFO = "Info"
_ORDER = {VIOLATION: 0, WARNING: 1, INFO: 2}


@dataclass(frozen=True, slots=True)
class Result:
    """One validation result.

    `focus` and `value` are ids of entities, or else an IRI or a literal's text. `path` is the IRI of the property, None
    for a node shape and for a path of another form than one property. `component` and `shape` are IRIs; a shape without
    a name goes by the named one that it is part of. `severity` is the local name: Violation, Warning or Info.
    `message` is what the shape says, `detail` which statements are meant, with pages. `sources` are the pages and files
    whose statements caused it, `files` those of them that are no pages; both are empty where the catalogue's entities
    alone did. `focus_iri`, `value_iri` and `value_datatype` say which terms `focus` and `value` are; the last is None
    where the value is no literal. `rejects` is true where statements were rejected for it, false where it holds for
    what was accepted.
    """

    focus: str
    path: str | None
    value: str | None
    component: str
    severity: str
    shape: str
    message: str
    sources: tuple[str, ...] = ()
    detail: str = ""
    files: tuple[str, ...] = ()
    focus_iri: str = ""
    value_iri: str | None = None
    value_datatype: str | None = None
    rejects: bool = False

    @property
    def text(self) -> str:
        """Message and detail as one text."""
        return f"{self.message} {self.detail}".strip()


def result_order(result: Result) -> tuple[str | int, ...]:
    """Sort key: violations first, then by focus node."""
    rank = _ORDER.get(result.severity, len(_ORDER))
    rest = (result.severity, result.focus, result.path, result.value, result.component, result.shape)
    last = (result.message, result.detail, result.focus_iri, result.value_iri, result.value_datatype)
    return (rank, *(item or "" for item in (*rest, *last)), *result.sources)
