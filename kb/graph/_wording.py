"""Validation results in words: which shape, which statements, on which pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kb.graph._blame import Finding
from kb.graph._edges import Edge
from kb.graph._shape_model import ShapeModel
from kb.graph.candidates import Candidate
from kb.graph.validation import Result
from kb.model import Statement
from kb.names import local_name
from kb.namespaces import SH
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["Wording"]

_SHOWN = 6

_DEFAULTS = {
    "Class": "It is of another type than it must be.",
    "Datatype": "Its value is of another datatype than it must be.",
    "NodeKind": "It is another kind of term than it must be.",
    "MinCount": "Something that must be stated is missing.",
    "MaxCount": "More is stated than may be.",
    "Closed": "This may not be stated here.",
    "Pattern": "Its text has another form than it must have.",
    "In": "It is none of the values that are allowed.",
}


class Wording:
    """Makes results for people out of what the validator found."""

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogue, model: ShapeModel) -> None:
        self._entities, self._model = catalogue.entities, model
        self._labels = {relation.iri: relation.label for relation in vocabulary.relations.values()}

    def result(self, finding: Finding, blamed: Mapping[Edge, Sequence[Candidate]], *, rejects: bool) -> Result:
        """A finding as a result. `blamed` are the statements that caused it, by edge."""
        said = [candidate.statement for group in blamed.values() for candidate in group]
        literal = finding.literal
        return Result(
            focus=finding.focus_iri if finding.focus is None else finding.focus,
            path=finding.path,
            value=literal[0] if literal else (finding.value_iri if finding.value is None else finding.value),
            component=finding.component,
            severity=finding.severity,
            shape=self._model.graph.shown(finding.shape),
            message=self._message(finding),
            sources=tuple(sorted({one.source for one in said})),
            detail=self._detail(finding, blamed),
            files=tuple(sorted({one.source for one in said if not one.from_page})),
            focus_iri=finding.focus_iri,
            value_iri=finding.value_iri,
            value_datatype=literal[1] if literal else None,
            rejects=rejects,
        )

    def reason(self, edge: Edge, because: Sequence[tuple[Result, bool]]) -> str:
        """Why a statement was rejected: all messages, and the statement, or those that are too many together.

        `because` are results, each with whether the statement is wrong by itself.
        """
        subject, relation, object_ = edge
        stated = f"Stated: {self._shown(subject)} {self._labels.get(relation, relation)} {self._shown(object_)}."
        details = [stated if exact else result.detail for result, exact in because]
        return " ".join(dict.fromkeys([*(result.message for result, _ in because), *details]))

    def _message(self, finding: Finding) -> str:
        own = self._model.message(finding.shape)
        if own is not None:
            return own
        name = finding.component.removeprefix(SH).removesuffix("ConstraintComponent")
        if finding.component.startswith(SH) and name != "SPARQL":
            # The engine's own sentences show blank nodes, which differ from run to run.
            default = _DEFAULTS.get(name, f"It does not fulfil sh:{name[:1].lower()}{name[1:]}.")
            return f"{default} (Shape {local_name(self._model.graph.shown(finding.shape))}.)"
        return finding.messages[0] if finding.messages else f"It does not fulfil {local_name(finding.component)}."

    def _detail(self, finding: Finding, blamed: Mapping[Edge, Sequence[Candidate]]) -> str:
        if not blamed:
            value = f", value '{finding.literal[0]}'" if finding.literal else ""
            return f"About {self._shown(finding.focus, finding.focus_iri)}{value}."
        groups: dict[tuple[str, str], list[Edge]] = {}
        for edge in blamed:
            groups.setdefault((edge[0], edge[1]), []).append(edge)
        rows = []
        for (subject, relation), edges in groups.items():
            ends = [f"{self._shown(edge[2])} {_places(one.statement for one in blamed[edge])}" for edge in edges]
            rows.append(f"{self._shown(subject)} {self._labels.get(relation, relation)} {_listed(ends)}")
        return f"Stated: {_listed(rows, '; ')}."

    def _shown(self, entity_id: str | None, iri: str = "") -> str:
        entity = None if entity_id is None else self._entities.get(entity_id)
        if entity is None:
            return f"<{iri}>" if entity_id is None else f"'{entity_id}'"
        return f"'{entity.name}' ({entity.type.replace('_', ' ')})"


def _places(said: Iterable[Statement]) -> str:
    """Where statements stand: "on pages a, b and in catalogue.yaml"."""
    found = list(said)
    pages = sorted({one.source for one in found if one.from_page})
    files = sorted({one.source for one in found if not one.from_page})
    parts = []
    if pages:
        parts.append(f"on page{'s' if len(pages) > 1 else ''} {_listed(pages)}")
    if files:
        parts.append(f"in {_listed(files)}")
    return " and ".join(parts)


def _listed(items: Sequence[str], separator: str = ", ") -> str:
    if len(items) > _SHOWN:
        items = [*items[:_SHOWN], f"{len(items) - _SHOWN} more"]
    return separator.join(items)
