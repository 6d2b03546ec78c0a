"""Every error that `kb` raises on purpose.

Each carries the offending value as an attribute, and its message names the file, line or IRI and the next step. Only
`kb/cli` turns them into terminal output and exit codes: `exit_code` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BudgetError",
    "BuildLockedError",
    "CatalogueError",
    "ConfigError",
    "EmbeddingError",
    "EndpointError",
    "ExportError",
    "Fault",
    "GenerationError",
    "KbError",
    "LlmError",
    "NoKnowledgeBaseError",
    "OntologyError",
    "PageError",
    "PlanError",
    "QueryError",
    "QueryTimeoutError",
    "RefusedQuestionError",
    "ReplayError",
    "ReplyError",
    "ReviewError",
    "SourceError",
    "StatementsError",
    "UnknownNameError",
]


class KbError(Exception):
    """Base of all errors that a user can cause or repair."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in an input file. `line` counts from 1; None where no line is to blame."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class ConfigError(KbError):
    """`kb.toml` is missing a key, has an unknown one, or points at something that is not there."""


class NoKnowledgeBaseError(KbError):
    """The folder holds no `kb.toml`, or nothing has been built yet."""


class OntologyError(KbError):
    """An ontology or shapes file does not parse, or the two do not fit together."""


class SourceError(KbError):
    """Input files with faults; `faults` lists every one of them."""

    exit_code = 1

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join([message, *(f"  {fault}" for fault in self.faults)]))


class CatalogueError(SourceError):
    """The catalogue has duplicate ids, unknown types, missing names or does not parse."""


class StatementsError(SourceError):
    """A statements file has malformed lines."""


class PageError(SourceError):
    """Pages that could not be read."""


class PlanError(KbError):
    """A plan names something the ontology or the catalogue does not have, or has the wrong form."""

    exit_code = 2

    def __init__(self, message: str, value: object = None) -> None:
        self.value = value
        super().__init__(message)


class RefusedQuestionError(KbError):
    """No plan fits the question."""

    exit_code = 1


class UnknownNameError(KbError):
    """Nothing is called so, or several things are; `near` are what may be meant, as one would write it."""

    exit_code = 2

    def __init__(self, message: str, value: str = "", near: Sequence[str] = ()) -> None:
        self.value, self.near = value, tuple(near)
        super().__init__(message)


class QueryError(KbError):
    """A SPARQL query does not parse, is refused, or lacks a parameter."""

    exit_code = 2


class QueryTimeoutError(KbError):
    """A SPARQL query ran longer than it was allowed to."""


class ExportError(KbError):
    """A graph cannot be written in the format that was asked for."""


class ReviewError(KbError):
    """What reviewers said cannot be read or kept."""


class GenerationError(KbError):
    """A generation is missing files or its files do not match their digests."""


class IndexDamagedError(GenerationError):
    """A file of an index is missing, or its bytes are not those that were written."""


class EmbeddingError(KbError):
    """No vectors for some texts: the provider cannot be reached, lacks its key or its weights, or answers nonsense."""


class BuildLockedError(KbError):
    """Another build holds the lock."""


class LlmError(KbError):
    """A language model gave no usable reply."""


class EndpointError(LlmError):
    """No request to the endpoint can succeed: it is down, refuses the key, or does not have the model."""


class ReplyError(LlmError):
    """One request got no usable reply; others may. `label` says what it was about: a page id, a question."""

    exit_code = 1

    def __init__(self, message: str, label: str = "") -> None:
        self.label = label
        super().__init__(message)


class BudgetError(LlmError):
    """Going on would cost more than was allowed."""


class ReplayError(LlmError):
    """A recording is damaged, or lacks a reply that is needed."""
