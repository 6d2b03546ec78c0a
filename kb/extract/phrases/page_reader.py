"""One page from front matter to last block: what is read how, and what the page has said so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kb.extract.phrases.context import Ref
from kb.extract.phrases.labels import Label
from kb.extract.phrases.paragraphs import Paragraphs
from kb.extract.phrases.screening import dead, poisoned
from kb.extract.phrases.values import value_names
from kb.model import Statement
from kb.names import humanised, snake_case
from kb.sources.inline import flatten
from kb.sources.markdown import Block, Document, parse_markdown

__all__ = ["PageReader"]

# A cell of fewer spaces holds a word or a name, not a sentence.
_SENTENCE = 3


class PageReader(Paragraphs):
    """Reads one page, once."""

    def read(self) -> list[Statement]:
        document = parse_markdown(self.page.text)
        if dead(document):
            return []
        self.context.page = self.reader.about.page(self.page, document)
        self._front(document)
        skipped = poisoned(document, self.page.text)
        self.blocks = [block for index, block in enumerate(document.blocks) if index not in skipped]
        self.sections.survey(self.blocks)
        self.sections.topic = frozenset(w for one in self.context.page for w in self.reader.words[one])
        if any(block.table for block in self.blocks):
            said = [b.inline for b in self.blocks if b.inline is not None and b.kind == "paragraph"]
            self.tables.glossary = self.reader.glossary.terms(said)
        for table, group in groupby(self.blocks, key=lambda block: block.table):
            if table:
                self._place()
                self._table(list(group), self._taken_intro())
            else:
                for block in group:
                    self._block(block)
        return list(self.edges.values())

    # -- front matter -------------------------------------------------------------------

    def _front(self, document: Document) -> None:
        if not self.context.page:
            return
        for value in document.front:
            for key in reversed(value.keys):
                label = self._words_label(humanised(snake_case(key)))
                if label.senses:
                    break
            if label.blocked or not label.senses:
                continue
            inline = flatten(value.value, [(0, len(value.value))])
            refs = value_names(self.reader.tokens.sentences(inline, value=True), inline.text)
            for edge in self.reader.facts.edges([Ref(self.context.page, None)], label.senses, refs):
                self._keep(edge, value.start, value.end)

    def _words_label(self, text: str) -> Label:
        return self.sections.label(flatten(text, [(0, len(text))]))

    # -- blocks ---------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        intro = self._taken_intro()
        self._place()
        if block.kind == "heading" and block.inline is not None:
            self.sections.enter(block.inline, block.level)
        elif block.kind == "code" and block.info == "mermaid":
            self._diagram(block, intro)
        elif block.kind == "code":
            label = self._inherited(intro)
            for edge, start, end in self.arrows.block(self.page.text, block, self._arrow_senses(label)):
                self._keep(edge, start, end)
        elif block.kind == "paragraph" and block.inline is not None:
            if self.sections.bold_line(block):
                return
            label = self._list_label(block, intro)
            if block.lists and block.first:
                self._item(block, block.inline, label)
            else:
                if block.item in self.items:
                    self.context.item = self.items[block.item].subject
                self._paragraph(block.inline, label if block.lists else self._section_label())

    def _place(self) -> None:
        """Put the context at the start of a block."""
        self.context.previous = None
        self.context.section = self.sections.subject
        self.context.item = self.context.outer = ()

    def _taken_intro(self) -> Label | None:
        intro, self.intro = self.intro, None
        return intro

    def _section_label(self) -> Label:
        label = self.sections.current
        return Label(blocked=True) if self.sections.blocked else label

    def _table(self, rows: Sequence[Block], intro: Label | None) -> None:
        for reading in self.tables.read(rows, self.context, self._inherited(intro)):
            edges = list(reading.edges)
            for cell in reading.told:
                if cell.text.count(" ") >= _SENTENCE:
                    self._place()
                    self.context.item = reading.subject
                    sentences = self.reader.tokens.sentences(cell)
                    edges.extend(found.edge for found in self.reader.prose.read(sentences, self.context, item=True))
            for edge in edges:
                self._keep(edge, reading.row.start, reading.row.end)

    def _diagram(self, block: Block, intro: Label | None) -> None:
        found = self.reader.diagrams.read(self.page.text, block, self._legend(), self._inherited(intro))
        for edge, start, end in found:
            self._keep(edge, start, end)

    def _inherited(self, intro: Label | None) -> Label:
        """The label of the line right before, else of the section; blocked if either is."""
        section = self._section_label()
        if section.blocked or intro is None:
            return section
        return intro if intro.senses or intro.blocked or intro.subject or intro.pairs else section

    def _list_label(self, block: Block, intro: Label | None) -> Label:
        """The label of the innermost list around a block."""
        if not block.lists:
            return Label()
        innermost = block.lists[-1]
        if innermost not in self.lists:
            outer = self.items.get(block.items[-2]) if len(block.items) > 1 else None
            if outer is None:
                self.lists[innermost] = self._inherited(intro)
            else:
                self.lists[innermost] = self._nested_label(outer)
        return self.lists[innermost]
