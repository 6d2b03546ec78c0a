"""Gold files: read with their line numbers, and compared with what the knowledge base knows at all."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import Fault, PlanError, SourceError

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["Edge", "GoldRow", "check_questions", "check_triples", "gold_answer", "gold_edge", "gold_plan", "read_gold"]

Edge = tuple[str, str, str]
"""(subject id, relation name, object id)"""
_FIELDS = (("subject", "s"), ("relation", "p"), ("object", "o"))
_HINTS = 50
# A hint compares a name with every id; past so many, the gold set is another catalogue's.


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One line of a gold file. `line` counts from 1."""

    file: str
    line: int
    data: Mapping[str, Any]

    def fault(self, message: str) -> Fault:
        """What is wrong with it."""
        return Fault(self.file, self.line, message)


def read_gold(path: Path) -> list[GoldRow]:
    """The rows of a JSON-lines file. Raises SourceError with every line that is no JSON object."""
    rows: list[GoldRow] = []
    faults: list[Fault] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as err:
            faults.append(Fault(str(path), number, f"not JSON: {err.msg}"))
            continue
        if isinstance(row, dict):
            rows.append(GoldRow(str(path), number, row))
        else:
            faults.append(Fault(str(path), number, "not a JSON object"))
    if faults:
        raise SourceError(f"{path}: malformed lines; each must be one JSON object", faults)
    return rows


def gold_edge(row: Mapping[str, Any]) -> Edge:
    """The statement of a row; catalogue data sets write s, p, o."""
    subject, relation, object_ = (str(row.get(name, row.get(short))) for name, short in _FIELDS)
    return subject, relation, object_


def gold_answer(row: Mapping[str, Any]) -> list[str]:
    """The ids that answer a question."""
    answers = row.get("answer", row.get("answers", []))
    return [str(one) for one in (answers if isinstance(answers, list) else [answers])]


def gold_plan(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The plan of a question; property-path notation (`^owned_by`, `depends_on+`) is read as hops."""
    if row.get("plan") is not None:
        return dict(row["plan"])
    if "path" in row and "start" in row:
        return {"start": row["start"], "hops": [_hop(step) for step in row["path"]], "where": {}}
    return None


def _hop(step: str) -> str:
    backwards, repeated = step.startswith("^"), step.endswith(("+", "*"))
    return ("~" if backwards else "") + step.strip("^+*") + ("*" if repeated else "")


# -- against the knowledge base ------------------------------------------------


class _Known:
    """Which ids and relations there are, with hints for those that there are not."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.entities, self.vocabulary = kb.catalogue.entities, kb.vocabulary
        self.hints: dict[str, str] = {}

    def entity(self, entity_id: str) -> str | None:
        """What is wrong with an id."""
        if entity_id in self.entities:
            return None
        return f"no entity {entity_id!r} in the catalogue{self._hint(entity_id, self.entities)}"

    def relation(self, name: str) -> str | None:
        """What is wrong with a relation's name."""
        found = self.vocabulary.relation(name)
        if found is None:
            return f"no relation {name!r} in the ontology{self._hint(name, self.vocabulary.relations)}"
        if found[1]:
            return f"{name!r} is the way back of {found[0].name!r}, by which facts are stored; turn the line around"
        return None

    def _hint(self, word: str, known: Collection[str]) -> str:
        if word not in self.hints:
            close = difflib.get_close_matches(word, known, n=1) if len(self.hints) < _HINTS else []
            self.hints[word] = f"; did you mean {close[0]!r}?" if close else ""
        return self.hints[word]


def check_triples(
    kb: KnowledgeBase, rows: Collection[GoldRow], pages: Collection[str], *, traps: bool = False
) -> list[Fault]:
    """Lines that no fact of this knowledge base can meet; `pages` are its sources.

    `traps` may name what the catalogue does not have, unless that looks like a mistyped id.
    """
    known = _Known(kb)
    return [row.fault(message) for row in rows for message in _triple_faults(row.data, known, pages, traps=traps)]


def _triple_faults(row: Mapping[str, Any], known: _Known, pages: Collection[str], *, traps: bool) -> Iterator[str]:
    missing = [name for name, short in _FIELDS if not isinstance(row.get(name, row.get(short)), str)]
    if missing:
        yield f"lacks {' and '.join(missing)}"
        return
    subject, relation, object_ = gold_edge(row)
    for message in (known.entity(subject), known.entity(object_)):
        if message is not None and ("did you mean" in message or not traps):
            yield message
    if (message := known.relation(relation)) is not None:
        yield message
    page = row.get("page")
    if page is not None and str(page) not in pages:
        yield f"no page {page!r} in this build"


def check_questions(kb: KnowledgeBase, rows: Collection[GoldRow]) -> list[Fault]:
    """Questions whose answers or plans name what this knowledge base does not have."""
    from kb.ask.plan import parse_plan

    known, faults = _Known(kb), list[Fault]()
    for row in rows:
        if not isinstance(row.data.get("question"), str):
            faults.append(row.fault("lacks question"))
        for message in map(known.entity, gold_answer(row.data)):
            if message is not None:
                faults.append(row.fault(f"answer: {message}"))
        plan = gold_plan(row.data)
        if plan is not None:
            try:
                parse_plan(plan, kb.vocabulary, kb.catalogue.entities)
            except PlanError as err:
                faults.append(row.fault(str(err)))
    return faults
