"""Paragraphs and list items of one page: keys and values, names below a label, and prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.extract.phrases.arrows import ArrowReader
from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.cues import PREPOSITIONS
from kb.extract.phrases.denials import SENTENCE_OUT
from kb.extract.phrases.diagrams import LEGEND
from kb.extract.phrases.facts import Edge
from kb.extract.phrases.labels import Label
from kb.extract.phrases.lexicon import Sense
from kb.extract.phrases.sections import Sections
from kb.extract.phrases.tables import TableReader
from kb.extract.phrases.tokens import Sentence, Text, Tok
from kb.extract.phrases.values import head_names, value_names
from kb.model import Evidence, Page, Statement
from kb.sources.inline import Inline, flatten
from kb.sources.markdown import Block

if TYPE_CHECKING:
    from kb.extract.phrases.reader import PhraseReader

__all__ = ["Paragraphs"]

_DASHES = ("-", "–", "—", "=")


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: what its blocks are about, its first block, the label of its list, and the key it begins with."""

    subject: tuple[str, ...]
    text: Text
    label: Label
    key: Label | None = None


class Paragraphs:
    """The state of reading one page, and the reading of its running text."""

    def __init__(self, reader: PhraseReader, page: Page) -> None:
        self.reader = reader
        self.page = page
        self.edges: dict[tuple[str, str, str], Statement] = {}
        self.context = Context(reader.types, reader.heads)
        self.sections = Sections(reader.tokens, reader.labels, reader.about)
        self.tables = TableReader(reader.tokens, reader.labels, reader.facts)
        self.lists: dict[int, Label] = {}
        self.items: dict[int, Item] = {}
        self.intro: Label | None = None
        self.blocks: list[Block] = []
        self.legend: tuple[Sense, ...] | None = None
        self.arrows = ArrowReader(reader.tokens, reader.facts)

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

    # -- arrows -----------------------------------------------------------------------------

    def _legend(self) -> tuple[Sense, ...]:
        """Find what the page says that its arrows mean."""
        if self.legend is None:
            said = [b.inline for b in self.blocks if b.inline is not None and b.kind == "paragraph"]
            spoken = [s for inline in said if LEGEND.search(inline.text) for s in self.reader.tokens.sentences(inline)]
            self.legend = self.reader.diagrams.legend(spoken)
        return self.legend

    def _arrow_senses(self, label: Label) -> tuple[Sense, ...]:
        return () if label.blocked else label.arrow or self._legend()

    def _arrowed(self, inline: Inline, label: Label) -> bool:
        """Read "Heron -> Auth" where something near says what that means; whether it was such a line."""
        if label.blocked or not self.arrows.present(inline.text):
            return False
        at = 0
        found = False
        for line in inline.text.split("\n"):
            edges = self.arrows.read(line, self._arrow_senses(label))
            self._keep_in(inline, edges, at, at + len(line))
            found = found or bool(edges)
            at += len(line) + 1
        return found

    # -- list items -------------------------------------------------------------------------

    def _item(self, block: Block, inline: Inline, label: Label) -> None:
        text = self.reader.tokens.text(inline)
        sentences = text.valued
        own = self._key_label(inline, sentences[0]) if sentences else None
        outer = self.items.get(block.items[-2]) if len(block.items) > 1 else None
        self.context.item = self.context.outer = outer.subject if outer is not None else ()
        self.items[block.item] = Item(self.context.item, text, label, own[0] if own is not None else None)
        if label.blocked or self._arrowed(inline, label):
            return
        first = sentences[0] if sentences else None
        if first is not None and own is None:
            refs, end = head_names(first.toks)
            named = bool(refs) and self._head_stands_alone(first, end)
            if named and label.senses:
                counted = value_names([first], inline.text)
                if counted:
                    whose = self._label_subject(label)
                    if label.subject is None and outer is not None and outer.subject:
                        whose = Ref(outer.subject, None)
                    edges = self.reader.facts.edges([whose], label.senses, counted)
                    self._keep_in(inline, edges, first.start, first.end)
            if named and len(refs) == 1 and (end == len(first.toks) or first.toks[end].text in ":.–—(-"):
                self.context.item = refs[0].ids
                self.items[block.item] = Item(refs[0].ids, text, label)
        self._paragraph(inline, Label(), item=True, text=text)

    def _nested_label(self, item: Item) -> Label:
        """Find what an item says about the list inside it."""
        if item.key is not None:
            return item.key
        text = item.text.inline.text
        if item.label.blocked or self.reader.labels.blocked(text):
            return Label(blocked=True)
        if len(item.text.valued) != 1:
            return Label()
        label = self.reader.labels.read([t for t in item.text.valued[0].toks if t.kind != "p"], text)
        # "inside the fence" only groups what it holds.
        grouping = not label.senses and not label.blocked and not item.text.named and text.count(" ") <= 4
        return item.label if grouping else label

    def _head_stands_alone(self, sentence: Sentence, end: int) -> bool:
        """Whether the names at the head of an item are its value rather than the subject of a sentence."""
        if end >= len(sentence.toks):
            return True
        tok = sentence.toks[end]
        if tok.kind == "p":
            return tok.text not in "'’"
        return tok.lower in PREPOSITIONS or tok.is_word("when", "if", "which", "who", "because", "only")

    def _label_subject(self, label: Label) -> Ref:
        return label.subject or Ref(self.context.section or self.context.page, None)

    # -- paragraphs --------------------------------------------------------------------------

    def _key_label(self, inline: Inline, sentence: Sentence) -> tuple[Label, int] | None:
        """(the label before the first colon of a sentence, the index of the token after it), if it is one."""
        toks = sentence.toks
        colon = next((i for i, t in enumerate(toks[:12]) if t.kind == "p" and t.text == ":"), None)
        if not colon:
            return self._dashed_label(inline, sentence)
        text = inline.text[sentence.start : toks[colon].start]
        label = self.reader.labels.read(toks[:colon], text)
        return (label, colon + 1) if label.senses or label.one or (label.blocked and colon <= 6) else None

    def _dashed_label(self, inline: Inline, sentence: Sentence) -> tuple[Label, int] | None:
        """As `_key_label`, for "Owner - Edge" and "Owner — Edge", where nothing but names stands behind the dash."""
        toks = sentence.toks
        dash = next((i for i, t in enumerate(toks[:6]) if t.kind == "p" and t.text in _DASHES), None)
        if not dash or inline.text[toks[dash].start - 1 : toks[dash].end + 1].strip() != toks[dash].text:
            return None
        part = Sentence(toks[dash + 1 :], sentence.start, sentence.end, sentence.text)
        refs, end = head_names(part.toks)
        label = self.reader.labels.read(toks[:dash], inline.text[sentence.start : toks[dash].start])
        if not refs or not label.senses or label.blocked or not value_names([part], inline.text):
            return None
        after = part.toks[end] if end < len(part.toks) else None
        return (label, dash + 1) if after is None or after.text in ("(", ".", ",", ";", "/") else None

    def _paragraph(self, inline: Inline, label: Label, *, item: bool = False, text: Text | None = None) -> None:
        if label.blocked:
            self.intro = Label(blocked=True) if inline.text.rstrip().endswith(":") else None
            return
        if not item and self._arrowed(inline, label):
            return
        text = text or self.reader.tokens.text(inline)
        if not item:
            self.context.item = self._run_in_subject(inline) or self.context.item
        # Without keys, labels and questions no value can stand here, and the second way of reading is not needed.
        valuable = label.senses or any(mark in inline.text for mark in ":?·•|–—=") or " - " in inline.text
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

    def _run_in_subject(self, inline: Inline) -> tuple[str, ...]:
        """Find what a paragraph is about that opens with a name in bold: "**Dark Grist (number four).** …"."""
        if not inline.strong or inline.text[: inline.strong[0][0]].strip():
            return ()
        start, end = inline.strong[0]
        if inline.text[start:end].rstrip()[-1:] not in ".:" and inline.text[end : end + 1] not in (".", ":"):
            return ()
        head = inline.text[start:end].strip(" .:")
        return self.reader.about.text(head) if head and len(head) < 60 else ()

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
            return self._bare_key(inline, sentence) or self._got_from(inline, sentence)
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

    def _got_from(self, inline: Inline, sentence: Sentence) -> bool:
        """Read "the boxes: from Cargo Manifest", which leaves out that they come from there."""
        toks = sentence.toks
        colon = next((i for i, t in enumerate(toks[:8]) if t.kind == "p" and t.text == ":"), None)
        if not colon or colon + 1 >= len(toks) or not toks[colon + 1].is_word("from") or not self.context.subject:
            return False
        if SENTENCE_OUT.search(sentence.text) or self.reader.labels.blocked(sentence.text):
            return False
        refs = value_names([Sentence(toks[colon + 2 :], sentence.start, sentence.end, sentence.text)], inline.text)
        senses = self.reader.prose.lexicon.getting
        edges = self.reader.facts.edges([Ref(self.context.subject, None)], senses, refs)
        self._keep_in(inline, edges, sentence.start, sentence.end)
        return bool(edges)

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
        refs, end = head_names(rest)
        if not refs or not self._only_marks(rest[end:]):
            return False
        edges = self.reader.facts.edges([self._label_subject(label)], label.senses, refs)
        self._keep_in(inline, edges, sentence.start, sentence.end)
        return colon is None

    def _only_marks(self, toks: Sequence[Tok]) -> bool:
        """Whether a list of names is over: a stop, or a comma and a few words without a verb."""
        if toks and toks[0].is_word("does", "do"):
            toks = toks[1:]  # "Edge does."
        rest = [t for t in toks if t.kind == "w"]
        return len(rest) <= 4 and (not toks or toks[0].kind == "p")

    def _note_intro(self, inline: Inline, valued: Sequence[Sentence], blocked: bool) -> None:
        """Note what a paragraph that ends with a colon says about the list or table after it."""
        if self.intro is not None or not inline.text.rstrip().endswith(":") or not valued:
            return
        last = valued[-1]
        toks = list(last.toks)
        while toks and toks[-1].kind == "p":
            toks.pop()
        label = self.reader.labels.read(toks, last.text, heading=True)
        if blocked or SENTENCE_OUT.search(last.text) or self.reader.labels.blocked(last.text, heading=True):
            label = Label(blocked=True)
        self.intro = label
