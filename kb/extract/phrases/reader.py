"""The embedded reader: no model, only the ontology's phrases and the catalogue's names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from kb.extract.mentions import Catalogued, Mentions
from kb.extract.phrases.about import About
from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.denials import DEAD_PAGE, SENTENCE_OUT, addressed
from kb.extract.phrases.diagrams import DiagramReader
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.labels import Label, Labels
from kb.extract.phrases.lexicon import Lexicon, Sense
from kb.extract.phrases.prose import Prose
from kb.extract.phrases.sections import Sections
from kb.extract.phrases.tables import TableReader
from kb.extract.phrases.tokens import Sentence, Text, Tokens
from kb.extract.phrases.values import head_names, value_names
from kb.language import plural
from kb.model import Evidence, Page, Statement
from kb.names import humanised, snake_case
from kb.sources.inline import Inline, flatten
from kb.sources.markdown import Block, Document, parse_markdown
from kb.vocabulary import Vocabulary

__all__ = ["PhraseReader"]

IDENTITY = "phrases/1"
_ARROWS = re.compile(r"\b(?:arrows?|lines?|edges?)\b", re.IGNORECASE)


class PhraseReader:
    """Reads statements off pages. Made once for a vocabulary and a catalogue; has no state between pages."""

    identity = IDENTITY

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogued) -> None:
        entities = dict(catalogue.entities)
        types = {one.id: one.type for one in entities.values()}
        nouns = _type_nouns(vocabulary)
        lexicon = Lexicon(vocabulary)
        self.tokens = Tokens(Mentions(catalogue, vocabulary), types, nouns)
        self.facts = Facts(vocabulary, entities)
        self.labels = Labels(lexicon, nouns)
        self.prose = Prose(lexicon, self.facts, self.labels)
        self.about = About(self.tokens, nouns)
        self.diagrams = DiagramReader(self.tokens, self.labels, self.facts, lexicon)
        self.types = types
        self.heads = {one.id: _heads((one.name, *one.aliases)) for one in entities.values()}

    def read(self, page: Page) -> list[Statement]:
        """Read a page. Each edge is stated once, by its first evidence."""
        return _PageReader(self, page).read()


def _type_nouns(vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Noun of a class ("service") -> the types of things that may be called that."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in vocabulary.classes.values():
        for phrase in one.phrases:
            noun = phrase.lower()
            if noun.isalpha():
                found[noun] |= vocabulary.descendants(one.name)
    return {noun: frozenset(types) for noun, types in found.items()}


def _heads(names: Sequence[str]) -> frozenset[str]:
    """The last words of names of several words: "the archive" may be the Audit Archive on its own page."""
    found = set()
    for name in names:
        words = re.findall(r"[^\W_]+", name)
        if len(words) > 1 and len(words[-1]) > 2 and not words[-1].isdigit():
            found.add(words[-1].lower())
    return frozenset(found)


class _PageReader:
    def __init__(self, reader: PhraseReader, page: Page) -> None:
        self.reader = reader
        self.page = page
        self.edges: dict[tuple[str, str, str], Statement] = {}
        self.context = Context(reader.types, reader.heads)
        self.sections = Sections(reader.tokens, reader.labels, reader.about)
        self.tables = TableReader(reader.tokens, reader.labels, reader.facts)
        self.lists: dict[int, Label] = {}
        self.items: dict[int, tuple[tuple[str, ...], Label]] = {}
        self.intro: Label | None = None
        self.blocks: list[Block] = []
        self.legend: tuple[Sense, ...] | None = None

    def read(self) -> list[Statement]:
        document = parse_markdown(self.page.text)
        if _dead(document):
            return []
        self.context.page = self.reader.about.page(self.page, document)
        self._front(document)
        poisoned = _poisoned(document, self.page.text)
        self.blocks = [block for index, block in enumerate(document.blocks) if index not in poisoned]
        self.sections.survey(self.blocks)
        for table, group in groupby(self.blocks, key=lambda block: block.table):
            if table:
                self._place()
                self._table(list(group), self._taken_intro())
            else:
                for block in group:
                    self._block(block)
        return list(self.edges.values())

    # -- keeping ----------------------------------------------------------------------

    def _keep(self, edge: Edge, start: int, end: int) -> None:
        key = (edge.subject, edge.relation, edge.object)
        if key not in self.edges and start < end:
            quote = self.page.text[start:end]
            evidence = Evidence(quote, start, end)
            self.edges[key] = Statement(edge.subject_name, edge.relation, edge.object_name, self.page.id, evidence)

    def _keep_in(self, inline: Inline, edges: Sequence[Edge], start: int, end: int) -> None:
        left, right = inline.span(self.page.text, start, end)
        for edge in edges:
            self._keep(edge, left, right)

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
        elif block.kind == "paragraph" and block.inline is not None:
            if self.sections.bold_line(block):
                return
            label = self._list_label(block, intro)
            if block.lists and block.first:
                self._item(block, block.inline, label)
            else:
                if block.item in self.items:
                    self.context.item = self.items[block.item][0]
                self._paragraph(block.inline, label if block.lists else self._section_label())

    def _place(self) -> None:
        """Put the context at the start of a block."""
        self.context.previous = None
        self.context.section = self.sections.subject
        self.context.item = ()

    def _taken_intro(self) -> Label | None:
        intro, self.intro = self.intro, None
        return intro

    def _section_label(self) -> Label:
        label = self.sections.current
        return Label(blocked=True) if self.sections.blocked else label

    def _table(self, rows: Sequence[Block], intro: Label | None) -> None:
        for row, edges in self.tables.read(rows, self.context, self._inherited(intro)):
            for edge in edges:
                self._keep(edge, row.start, row.end)

    def _diagram(self, block: Block, intro: Label | None) -> None:
        if self.legend is None:
            said = [b.inline for b in self.blocks if b.inline is not None and b.kind == "paragraph"]
            spoken = [s for inline in said if _ARROWS.search(inline.text) for s in self.reader.tokens.sentences(inline)]
            self.legend = self.reader.diagrams.legend(spoken)
        found = self.reader.diagrams.read(self.page.text, block, self.legend, self._inherited(intro))
        for edge, start, end in found:
            self._keep(edge, start, end)

    def _inherited(self, intro: Label | None) -> Label:
        """The label of the line right before, else of the section; blocked if either is."""
        section = self._section_label()
        if section.blocked or intro is None:
            return section
        return intro if intro.senses or intro.blocked or intro.subject else section

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
                self.lists[innermost] = outer[1]
        return self.lists[innermost]

    # -- list items -------------------------------------------------------------------------

    def _item(self, block: Block, inline: Inline, label: Label) -> None:
        text = self.reader.tokens.text(inline)
        sentences = text.valued
        own = self._key_label(inline, sentences[0]) if sentences else None
        parent = self.items.get(block.items[-2], ((), Label()))[0] if len(block.items) > 1 else ()
        self.context.item = parent
        nested = own[0] if own is not None else (Label(blocked=True) if label.blocked or self.reader.labels.blocked(inline.text) else Label())
        self.items[block.item] = (parent, nested)
        if label.blocked:
            return
        first = sentences[0] if sentences else None
        if first is not None and own is None:
            refs, end = head_names(first.toks, inline.text)
            named = bool(refs) and self._head_stands_alone(first, end)
            if named and label.senses:
                counted = value_names([first], inline.text)
                if counted:
                    edges = self.reader.facts.edges([self._label_subject(label)], label.senses, counted)
                    self._keep_in(inline, edges, first.start, first.end)
            if named and len(refs) == 1 and (end == len(first.toks) or first.toks[end].text in ":.–—(-"):
                self.context.item = refs[0].ids
                self.items[block.item] = (refs[0].ids, nested)
        self._paragraph(inline, Label(), item=True, text=text)

    def _head_stands_alone(self, sentence: Sentence, end: int) -> bool:
        """Whether the names at the head of an item are its value rather than the subject of a sentence."""
        if end >= len(sentence.toks):
            return True
        tok = sentence.toks[end]
        return tok.kind == "p" and tok.text not in "'’" or tok.is_word("for", "via", "as", "with", "when", "if", "on", "in", "which", "who", "to", "at", "because", "only", "by")

    def _label_subject(self, label: Label) -> Ref:
        return label.subject or Ref(self.context.section or self.context.page, None)

    # -- paragraphs --------------------------------------------------------------------------

    def _key_label(self, inline: Inline, sentence: Sentence) -> tuple[Label, int] | None:
        """(the label before the first colon of a sentence, the index of the token after it), if it is one."""
        toks = sentence.toks
        colon = next((i for i, t in enumerate(toks[:12]) if t.kind == "p" and t.text == ":"), None)
        if not colon:
            return None
        text = inline.text[sentence.start : toks[colon].start]
        label = self.reader.labels.read(toks[:colon], text)
        return (label, colon + 1) if label.senses or label.one or (label.blocked and colon <= 6) else None

    def _paragraph(self, inline: Inline, label: Label, *, item: bool = False, text: Text | None = None) -> None:
        if label.blocked:
            self.intro = Label(blocked=True) if inline.text.rstrip().endswith(":") else None
            return
        text = text or self.reader.tokens.text(inline)
        # Without keys, labels and questions no value can stand here, and the second way of reading is not needed.
        valuable = label.senses or any(mark in inline.text for mark in ":?·•|")
        valued = text.valued if valuable else text.plain
        prose: list[Sentence] = []
        blocked = self._run_in_blocks(inline)
        answer: Label | None = None
        for sentence, value in zip(text.plain, valued, strict=True):
            if blocked:
                break
            if self._key_line(inline, value):
                self._prose(inline, prose, item)
                prose = []
                item = False
                continue
            if sentence.question:
                asked = self.sections.label(flatten(sentence.text.strip(), [(0, len(sentence.text.strip()))]))
                answer = asked if asked.senses and not asked.blocked else None
            elif (answer or label).senses and self._names_only(inline, value, answer or label):
                continue
            prose.append(sentence)
        self._prose(inline, prose, item)
        self._note_intro(inline, valued, blocked)

    def _prose(self, inline: Inline, sentences: list[Sentence], item: bool) -> None:
        for found in self.reader.prose.read(sentences, self.context, item=item):
            self._keep_in(inline, [found.edge], found.start, found.end)

    def _run_in_blocks(self, inline: Inline) -> bool:
        """Whether bold words that open a paragraph take back the rest ("**Not (yet).** …")."""
        if not inline.strong or inline.text[: inline.strong[0][0]].strip():
            return False
        head = inline.text[inline.strong[0][0] : inline.strong[0][1]]
        after = inline.text[inline.strong[0][1] :][:1]
        return (head.rstrip()[-1:] in ".:?" or after in ":.") and len(head) < 80 and self.reader.labels.blocked(head)

    def _key_line(self, inline: Inline, sentence: Sentence) -> bool:
        """Read "Owner: Edge", "owning team Fraud & Risk"; whether the sentence was such a line."""
        own = self._key_label(inline, sentence)
        if own is None:
            return self._bare_key(inline, sentence)
        label, at = own
        rest = sentence.toks[at:]
        if not rest:
            self.intro = label
            return True
        if label.blocked:
            return True
        part = Sentence(rest, sentence.start, sentence.end, sentence.text)
        refs = value_names([part], inline.text)
        subject = label.subject or (Ref(self.context.subject, None) if self.context.subject else None)
        if subject is not None and refs:
            self._keep_in(inline, self.tables.valued(subject, label, refs), sentence.start, sentence.end)
        # A value may go on as a sentence, or hold a parenthesis: "Edge (led by O. B.)".
        last = Sentence(rest, rest[0].start, sentence.end, inline.text[rest[0].start : sentence.end])
        for found in self.reader.prose.read([last], self.context):
            self._keep_in(inline, [found.edge], found.start, found.end)
        return True

    def _bare_key(self, inline: Inline, sentence: Sentence) -> bool:
        """Read a whole segment of the form noun, name."""
        toks = sentence.toks
        names = [i for i, t in enumerate(toks) if t.kind == "m"]
        if not names or not 0 < names[0] <= 4 or names[0] != len(toks) - 1 or not self.context.subject:
            return False
        label = self.reader.labels.read(toks[: names[0]], inline.text[sentence.start : toks[names[0]].start])
        if not label.senses or label.blocked or label.subject is not None or toks[names[0] - 1].lemmas & {"by"}:
            return False
        refs = [Ref.of(toks[names[0]], names[0])]
        edges = self.reader.facts.edges([Ref(self.context.subject, None)], label.senses, refs)
        self._keep_in(inline, edges, sentence.start, sentence.end)
        return bool(edges)

    def _names_only(self, inline: Inline, sentence: Sentence, label: Label) -> bool:
        """Read a sentence that is nothing but names, or ends in a colon and names, below a label."""
        toks = sentence.toks
        colon = next((i for i in range(len(toks) - 1, 0, -1) if toks[i].text == ":"), None)
        if SENTENCE_OUT.search(sentence.text):
            return False
        rest = toks[colon + 1 :] if colon is not None else toks
        refs, end = head_names(rest, inline.text)
        if not refs or not self._only_marks(rest[end:]):
            return False
        edges = self.reader.facts.edges([self._label_subject(label)], label.senses, refs)
        self._keep_in(inline, edges, sentence.start, sentence.end)
        return colon is None

    def _only_marks(self, toks: Sequence[object]) -> bool:
        """Whether a list of names is over: a stop, or a comma and a few words without a verb."""
        rest = [t for t in toks if getattr(t, "kind", "") == "w"]
        return len(rest) <= 4 and (not toks or getattr(toks[0], "kind", "") == "p")

    def _note_intro(self, inline: Inline, valued: Sequence[Sentence], blocked: bool) -> None:
        """Note what a paragraph that ends with a colon says about the list or table after it."""
        if self.intro is not None or not inline.text.rstrip().endswith(":") or not valued:
            return
        last = valued[-1]
        toks = [t for t in last.toks]
        while toks and toks[-1].kind == "p":
            toks.pop()
        label = self.reader.labels.read(toks, last.text, heading=True)
        if blocked or SENTENCE_OUT.search(last.text) or self.reader.labels.blocked(last.text, heading=True):
            label = Label(blocked=True)
        self.intro = label


def _dead(document: Document) -> bool:
    """Whether the page says of itself that it is rejected, superseded or only proposed."""
    for value in document.front:
        if value.keys[-1].lower() in ("status", "state") and DEAD_PAGE.search(value.value):
            return True
    for block in document.blocks[:8]:
        if block.inline is not None and block.kind == "paragraph":
            match = re.search(r"(?:^|\n|·\s*)\W*status\W*:\W*([^\n]{1,40})", block.inline.text, re.IGNORECASE)
            if match is not None and DEAD_PAGE.search(match.group(1)):
                return True
    return False


def _poisoned(document: Document, page: str) -> set[int]:
    """Indexes of blocks that address whoever reads the page for facts, and of all that may go with them.

    That is the rest of the section, and the whole of a block quote, list or table.
    """
    found: set[int] = set()
    quotes: set[int] = set()
    lists: set[int] = set()
    tables: set[int] = set()
    rest = False
    for index, block in enumerate(document.blocks):
        texts = [cell.text for cell in block.cells] or ([block.inline.text] if block.inline is not None else [])
        # Tags are gone from the plain text, and may be what gives it away.
        hit = any(addressed(text) for text in texts) or (bool(texts) and addressed(page[block.start : block.end]))
        if block.kind == "heading":
            rest = hit
        elif hit:
            rest = True
            quotes.update((block.quote,) if block.quote else ())
            lists.update(block.lists[:1])
            tables.update((block.table,) if block.table else ())
        if rest:
            found.add(index)
    for index, block in enumerate(document.blocks):
        if block.quote in quotes or block.table in tables or (block.lists and block.lists[0] in lists):
            found.add(index)
    return found


_ = plural
