"""Tables: a column of things with columns of relations, or keys and values about what the page is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.denials import ROW_OUT
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.labels import Label, Labels
from kb.extract.phrases.lexicon import Sense
from kb.extract.phrases.tokens import Tokens
from kb.extract.phrases.values import value_names
from kb.sources.inline import Inline
from kb.sources.markdown import Block

__all__ = ["RowReading", "TableReader"]

_DATE = re.compile(r"\W*(?:(?:19|20)\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b")


@dataclass(frozen=True, slots=True)
class RowReading:
    """What one row says by its place in the table; and, of `subject`, the cells that may say more in sentences."""

    row: Block
    edges: list[Edge]
    subject: tuple[str, ...] = ()
    told: tuple[Inline, ...] = ()


class TableReader:
    """Reads whole tables."""

    def __init__(self, tokens: Tokens, labels: Labels, facts: Facts) -> None:
        self.tokens = tokens
        self.labels = labels
        self.facts = facts
        self.glossary: dict[str, Label] = {}

    def read(self, rows: Sequence[Block], context: Context, heading: Label) -> list[RowReading]:
        """Read a table. `heading` is the label of the section or of the line before the table."""
        if heading.blocked or not rows:
            return []
        head = rows[0] if rows[0].header else None
        labels = [self._label(cell) for cell in head.cells] if head is not None else []
        body = [row for row in rows if not row.header]
        if head is not None and self._keyed(head, labels, heading):
            return [RowReading(row, self._key_row(row, context)) for row in rows]
        if head is not None and self._turned(head, labels, body):
            return [RowReading(row, self._turned_row(row, head)) for row in body]
        names = [[self._names(cell) for cell in row.cells] for row in body]
        column = self._subject_column(labels, names, head, context)
        if column is None and sum(_DATE.match(row.cells[0].text) is not None for row in body if row.cells) > 1:
            return [RowReading(row, []) for row in body]  # a history of the page's thing
        columns = [
            self._column_senses(label, i, column, names) if not label.senses else label.senses
            for i, label in enumerate(labels)
        ]
        return [
            self._row(row, cells, labels, columns, column, context, heading)
            for row, cells in zip(body, names, strict=True)
        ]

    def _names(self, cell: Inline) -> list[Ref]:
        return value_names(self.tokens.sentences(cell, value=True), cell.text)

    def _label(self, cell: Inline) -> Label:
        own = self.glossary.get(cell.text.strip(" :").lower())
        if own is not None:
            return own
        toks = [t for s in self.tokens.sentences(cell, value=True) for t in s.toks]
        while toks and toks[-1].kind == "p" and toks[-1].text in ":.":
            toks.pop()
        return self.labels.read(toks, cell.text)

    # -- keys and values ------------------------------------------------------------

    def _keyed(self, head: Block, labels: Sequence[Label], heading: Label) -> bool:
        """Whether two columns are keys and values: no heads ("Key", "Value"), or a head that is itself such a row."""
        if len(head.cells) != 2:
            return False
        valued = bool(self._names(head.cells[1])) or not head.cells[1].text.strip()
        if valued and (labels[0].senses or labels[0].one):
            return True
        if any(label.senses or label.kinds for label in labels):
            return False
        return not heading.senses

    def _key_row(self, row: Block, context: Context) -> list[Edge]:
        if len(row.cells) < 2 or not context.subject:
            return []
        label = self._label(row.cells[0])
        return self.valued(label.subject or Ref(context.subject, None), label, self._names(row.cells[1]))

    def valued(self, subject: Ref, label: Label, refs: Sequence[Ref]) -> list[Edge]:
        """Relate a thing to the values of a key: by the relation that the key names, or else by the type it names."""
        if label.blocked:
            return []
        if label.senses:
            return self.facts.edges([subject], label.senses, refs)
        types = self.facts.types
        if label.one and not any(types[one] in label.kinds for one in subject.ids):
            named = [r for r in refs if any(types[one] in label.kinds for one in r.ids)]
            return self.facts.of_kind([subject], self.labels.all_senses, named, label.hints)
        return []

    # -- things across, relations down -------------------------------------------------

    def _turned(self, head: Block, labels: Sequence[Label], body: Sequence[Block]) -> bool:
        """Whether the things stand in the head row and the relations in the first column."""
        if len(head.cells) < 2 or any(label.senses for label in labels):
            return False
        things = [len(self._names(cell)) == 1 for cell in head.cells[1:]]
        return all(things) and any(self._label(row.cells[0]).senses for row in body if row.cells)

    def _turned_row(self, row: Block, head: Block) -> list[Edge]:
        label = self._label(row.cells[0]) if row.cells else Label()
        edges: list[Edge] = []
        for thing, cell in zip(head.cells[1:], row.cells[1:], strict=False):
            edges.extend(self.valued(self._names(thing)[0], label, self._names(cell)))
        return edges

    # -- columns --------------------------------------------------------------------

    def _subject_column(
        self, labels: Sequence[Label], names: Sequence[Sequence[list[Ref]]], head: Block | None, context: Context
    ) -> int | None:
        """Find the column of the things that the rows are about: its head names their type, or it is full of names.

        On the page of a thing a head that says something else ("Tab", "Path") keeps the rows about the page's thing.
        """
        for i, label in enumerate(labels):
            said = head.cells[i].text.strip().lower() if head is not None else ""
            if label.kinds and not (label.senses and i) and said not in ("where", "who", "what", "which"):
                return i
            if label.senses:
                return None
            filled = [row[i] for row in names if i < len(row)]
            if context.subject and said not in ("", "name", "id", "title", "item", "what", "who", "entry"):
                continue
            if sum(bool(refs) for refs in filled) * 2 > len(filled) and not label.blocked:
                return i
        return None

    def _row(
        self,
        row: Block,
        names: Sequence[list[Ref]],
        labels: Sequence[Label],
        columns: Sequence[Sequence[Sense]],
        column: int | None,
        context: Context,
        heading: Label,
    ) -> RowReading:
        plain = [i for i in range(len(row.cells)) if not names[i] and not (i < len(labels) and labels[i].senses)]
        if any(self._status(row.cells[i]) for i in plain):
            return RowReading(row, [])
        edges: list[Edge] = []
        for i, label in enumerate(labels[: len(names)]):
            if i == column or label.blocked or not names[i]:
                continue
            if column is None or column >= len(names):
                subjects = [label.subject] if label.subject else [Ref(context.subject, None)] if context.subject else []
            else:
                subjects = names[column]
            # Below a head that names the relation a wrong type is the page's mistake, and for the gate to judge.
            clear = bool(label.senses) and not label.kinds and column is not None and len(subjects) == 1
            edges.extend(self.facts.edges(subjects, columns[i], names[i], explicit=clear))
        if not edges and heading.senses:
            edges.extend(self._under_heading(names, context, heading))
        subject = names[column][0].ids if column is not None and column < len(names) and len(names[column]) == 1 else ()
        told = tuple(row.cells[i] for i in plain if i != column and not (i < len(labels) and labels[i].blocked))
        return RowReading(row, edges, subject or context.subject, told)

    def _status(self, cell: Inline) -> bool:
        """Whether a cell says that the row does not count ("planned", "removed in March", "dead, please delete me")."""
        text = cell.text.strip()
        return 0 < len(text) <= 60 and ROW_OUT.match(text) is not None

    def _column_senses(
        self, label: Label, i: int, column: int | None, names: Sequence[Sequence[list[Ref]]]
    ) -> tuple[Sense, ...]:
        """Find what a head says that only names a type ("Team") or asks ("Whose"): the one relation that fits the rows.

        Of several that fit, the one whose nouns name that type, as "backing store" does of "Store".
        """
        if not label.kinds or column is None or i == column:
            return ()
        rows = [(row[column], row[i]) for row in names if max(i, column) < len(row) and row[column] and row[i]]
        fitting = [
            sense
            for sense in self.labels.all_senses
            if sum(self._fit(sense, *row) for row in rows) >= max(min(2, len(rows)), len(rows) // 2)
        ]
        told = [sense for sense in fitting if sense in label.hints]
        best = fitting if len(fitting) == 1 else told if len(told) == 1 else []
        return tuple(best) if rows else ()

    def _fit(self, sense: Sense, subjects: Sequence[Ref], objects: Sequence[Ref]) -> bool:
        pairs = [(s, o) for ref in subjects for s in ref.ids for r in objects for o in r.ids]
        return any(s != o and self.facts.fits(sense, s, o) for s, o in pairs)

    def _under_heading(self, names: Sequence[list[Ref]], context: Context, heading: Label) -> list[Edge]:
        """Read the first name of a row under a heading such as "Consumers"."""
        subject = heading.subject or (Ref(context.subject, None) if context.subject else None)
        refs = next((refs for refs in names if refs), [])
        return self.facts.edges([subject], heading.senses, refs) if subject is not None else []
