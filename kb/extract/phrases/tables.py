"""Tables: a column of things with columns of relations, or keys and values about what the page is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.cues import VALUE_OUT
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.labels import Label, Labels
from kb.extract.phrases.tokens import Sentence, Tokens
from kb.extract.phrases.values import value_names
from kb.sources.inline import Inline
from kb.sources.markdown import Block

__all__ = ["TableReader"]


@dataclass(slots=True)
class _Table:
    number: int = 0
    labels: list[Label] = field(default_factory=list)
    subject_column: int | None = None
    keyed: bool = False
    heading: Label = field(default_factory=Label)
    blocked: bool = False


class TableReader:
    """Reads the rows of tables, one after another."""

    def __init__(self, tokens: Tokens, labels: Labels, facts: Facts) -> None:
        self.tokens = tokens
        self.labels = labels
        self.facts = facts
        self.table = _Table()

    def read(self, row: Block, context: Context, heading: Label) -> list[Edge]:
        """Read one row. `heading` is the label of the section or of the line before the table."""
        if row.table != self.table.number:
            self._begin(row, heading, context)
            if row.header:
                return self._key_row(row, context) if self.table.keyed else []
        if self.table.blocked:
            return []
        if self.table.keyed:
            return self._key_row(row, context)
        return self._entity_row(row, context)

    def _sentences(self, cell: Inline) -> list[Sentence]:
        return self.tokens.sentences(cell, value=True)

    def _names(self, cell: Inline) -> list[Ref]:
        return value_names(self._sentences(cell), cell.text)

    def _label(self, cell: Inline) -> Label:
        toks = [t for s in self._sentences(cell) for t in s.toks]
        while toks and toks[-1].kind == "p" and toks[-1].text in ":.":
            toks.pop()
        return self.labels.read(toks, cell.text)

    def _begin(self, row: Block, heading: Label, context: Context) -> None:
        labels = [self._label(cell) for cell in row.cells]
        table = self.table = _Table(row.table, labels, heading=heading, blocked=heading.blocked)
        if not row.header:
            return
        generic = not any(label.senses for label in labels)
        if len(row.cells) == 2 and (generic or (labels[0].senses and self._names(row.cells[1]))):
            # Two columns without a relation in their heads are keys and values, unless the first holds things.
            table.keyed = not (labels[0].kinds or labels[1].kinds) or bool(labels[0].senses and not labels[1].senses)
            if generic and heading.senses:
                table.keyed = False
        elif len(row.cells) == 2 and labels[0].senses and not row.cells[1].text.strip():
            table.keyed = True
        if not table.keyed:
            table.subject_column = next((i for i, label in enumerate(labels) if label.kinds), None)

    def _key_row(self, row: Block, context: Context) -> list[Edge]:
        if len(row.cells) < 2 or not context.subject:
            return []
        label = self._label(row.cells[0])
        if label.blocked or not label.senses:
            return []
        subject = label.subject or Ref(context.subject, None)
        return self.facts.edges([subject], label.senses, self._names(row.cells[1]))

    def _entity_row(self, row: Block, context: Context) -> list[Edge]:
        table = self.table
        cells = row.cells
        names = [self._names(cell) for cell in cells]
        column = self._subject_column(names)
        if any(self._status(cell) for i, cell in enumerate(cells) if not names[i]):
            return []
        edges: list[Edge] = []
        for i, label in enumerate(table.labels[: len(cells)]):
            if i == column or label.blocked or not names[i]:
                continue
            if label.senses:
                subjects = names[column] if column is not None else self._page_subject(context, label)
                edges.extend(self.facts.edges(subjects[:1], label.senses, names[i]))
            elif column is not None and label.kinds and len(names[column]) == 1:
                edges.extend(self._only_relation(names[column][0], names[i], label))
        if not edges and table.heading.senses and not any(label.senses for label in table.labels):
            edges.extend(self._under_heading(names, context))
        return edges

    def _page_subject(self, context: Context, label: Label) -> list[Ref]:
        if label.subject is not None:
            return [label.subject]
        return [Ref(context.subject, None)] if context.subject else []

    def _subject_column(self, names: Sequence[list[Ref]]) -> int | None:
        """Find the column of the row's thing: the one whose head says so, else the first that is a name without a relation."""
        table = self.table
        if table.subject_column is not None and table.subject_column < len(names):
            return table.subject_column if names[table.subject_column] else None
        for i, refs in enumerate(names[: len(table.labels)]):
            if table.labels[i].senses:
                return None
            if len(refs) == 1 and not table.labels[i].blocked:
                return i
        return None

    def _status(self, cell: Inline) -> bool:
        """Whether a cell says that the row does not count ("planned", "removed in March", "dead, please delete me")."""
        text = cell.text.strip()
        return 0 < len(text) <= 60 and VALUE_OUT.match(text) is not None

    def _only_relation(self, subject: Ref, objects: list[Ref], label: Label) -> list[Edge]:
        """Relate things under a head that only names their type, if one relation alone fits both types."""
        fitting = [
            sense
            for sense in self.labels.all_senses
            if any(self.facts.fits(sense, s, o) for s in subject.ids for ref in objects for o in ref.ids if o != s)
        ]
        if len({sense.relation for sense in fitting}) != 1 or len(fitting) != 1:
            return []
        return self.facts.edges([subject], fitting, objects)

    def _under_heading(self, names: Sequence[list[Ref]], context: Context) -> list[Edge]:
        """Read the first name of a row under a heading such as "Consumers"."""
        heading = self.table.heading
        subject = heading.subject or (Ref(context.subject, None) if context.subject else None)
        refs = next((refs for refs in names if refs), [])
        return self.facts.edges([subject], heading.senses, refs) if subject is not None else []
