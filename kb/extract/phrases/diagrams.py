"""Mermaid flowcharts: arrows that the page gives a meaning to.

An arrow means a relation where it bears the relation's words (`a -->|reads from| b`), where the page says what arrows
mean ("an arrow goes from the one who calls to the one who is called"), or below a heading such as "Dependencies".
Dotted lines and lines without a head mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Ref
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.labels import Label, Labels
from kb.extract.phrases.lexicon import Lexicon, Sense
from kb.extract.phrases.tokens import Sentence, Tokens
from kb.extract.phrases.values import value_names
from kb.sources.inline import Inline, flatten
from kb.sources.markdown import Block

__all__ = ["LEGEND", "DiagramReader"]

_SHAPE = r"\[\(.*?\)\]|\(\[.*?\]\)|\(\(.*?\)\)|\[\[.*?\]\]|\[.*?\]|\(.*?\)|\{\{.*?\}\}|\{.*?\}|>.*?\]"
_NODE = rf"[\w.-]+?(?:\s*(?:{_SHAPE}))?(?:::\w+)?"
_SIDE = re.compile(rf"\s*({_NODE}(?:\s*&\s*{_NODE})*)\s*(?=$|;|[-=<.ox]{{2}}|-\.)")
_ARROW = re.compile(
    r"\s*(?P<arrow>(?:--|==)\s+(?P<text>[^-=|>]{1,60}?)\s+(?:-->|==>)|-->|--->|==>|-\.->|-\.\s*[^.|>]{1,60}?\s*\.->|<-->|---|--x|--o|<--)"
    r"(?:\s*\|(?P<label>[^|\n]{1,60})\|)?"
)
_LABELLED = re.compile(r"([\w.-]+)\s*(?:\[\(|\(\[|\(\(|\[\[|\{\{|[\[({>])\"?(.*?)\"?[\])}]+(?:::\w+)?$")
LEGEND = re.compile(r"\b(?:arrows?|lines?|edges?)\b|->|=>|→", re.IGNORECASE)
"""A sentence that may say what an arrow means."""
_MEANS = re.compile(
    r"\b(?:means?|stands? for|reads?|as|is|says?|like)\b\W*[\"“'`*_]+([^\"”'`*_\n]{3,40})[\"”'`*_]", re.IGNORECASE
)
_BACKWARDS = re.compile(
    r"\bfrom\b.{0,40}\b(?:called|read|used|needed|owned|written|dependenc(?:y|ies))\b.{0,40}\bto\b", re.IGNORECASE
)
_FLOW = re.compile(
    r"\b(?:data|traffic|money|information) (?:flows?|goes|moves)\b|\bflow of\b|\breversed?\b", re.IGNORECASE
)
_MAX_LINES = 2000


@dataclass(frozen=True, slots=True)
class _Arrow:
    source: str
    target: str
    text: str
    start: int
    end: int


class DiagramReader:
    """Reads fenced flowcharts."""

    def __init__(self, tokens: Tokens, labels: Labels, facts: Facts, lexicon: Lexicon) -> None:
        self.tokens = tokens
        self.labels = labels
        self.facts = facts
        self.lexicon = lexicon

    def legend(self, sentences: Sequence[Sentence]) -> tuple[Sense, ...]:
        """Find what the page says that an arrow means; () if it does not say."""
        for sentence in sentences:
            text = sentence.text
            if not LEGEND.search(text) or _FLOW.search(text) or sentence.question:
                continue
            told = _MEANS.search(text)
            worded = self._worded(told.group(1)) if told is not None else ()
            if worded:
                return worded
            for tok in sentence.toks:
                if tok.kind != "w":
                    continue
                for lemma in sorted(tok.lemmas):
                    for verb in self.lexicon.verbs.get(lemma, ()):
                        if (
                            (tok.lower in verb.thirds or tok.lower in verb.bases)
                            and not verb.extra
                            and tok.lower not in ("goes", "go", "runs", "points")
                        ):
                            return tuple(s.reverse for s in verb.senses) if _BACKWARDS.search(text) else verb.senses
        return ()

    def read(
        self, page: str, block: Block, meaning: Sequence[Sense], heading: Label
    ) -> Iterator[tuple[Edge, int, int]]:
        """Read a diagram: (edge, start, end of its line in the page)."""
        if heading.blocked or not re.match(r"\s*(?:%%.*\n\s*)*(?:graph|flowchart)\b", block.literal):
            return
        names: dict[str, list[Ref]] = {}
        arrows = list(self._arrows(page, block, names))
        for arrow in arrows:
            senses = self._worded(arrow.text) if arrow.text else tuple(meaning) or heading.arrow
            if senses:
                for edge in self.facts.edges(names.get(arrow.source, []), senses, names.get(arrow.target, [])):
                    yield edge, arrow.start, arrow.end

    def _worded(self, text: str) -> tuple[Sense, ...]:
        inline = flatten(text, [(0, len(text))])
        toks = [t for s in self.tokens.sentences(inline) for t in s.toks]
        label = self.labels.read(toks, text)
        return () if label.blocked or label.subject is not None else label.senses

    def _arrows(self, page: str, block: Block, names: dict[str, list[Ref]]) -> Iterator[_Arrow]:
        at = page.find("\n", block.start, block.end) + 1
        for count, line in enumerate(page[at : block.end].split("\n")):
            start, at = at, at + len(line) + 1
            if count > _MAX_LINES or len(line) > 500:
                continue
            body = line.strip().rstrip(";")
            left = start + len(line) - len(line.lstrip())
            yield from self._line(body, names, left, left + len(body))

    def _line(self, body: str, names: dict[str, list[Ref]], start: int, end: int) -> Iterator[_Arrow]:
        side = _SIDE.match(body)
        if side is None:
            return
        sources = self._nodes(side.group(1), names)
        position = side.end()
        while position < len(body):
            arrow = _ARROW.match(body, position)
            if arrow is None:
                return
            side = _SIDE.match(body, arrow.end())
            if side is None:
                return
            targets = self._nodes(side.group(1), names)
            position = side.end()
            kind = arrow.group("arrow")
            if kind.endswith(("-->", "==>")) and not kind.startswith("<"):
                text = (arrow.group("label") or arrow.group("text") or "").strip().strip('"')
                for source in sources:
                    for target in targets:
                        yield _Arrow(source, target, text, start, end)
            sources = targets

    def _nodes(self, text: str, names: dict[str, list[Ref]]) -> list[str]:
        """Note the names of nodes such as `gw[API Gateway]`; give their ids."""
        ids: list[str] = []
        for part in re.split(r"\s&\s", text):
            part = re.sub(r":::\w+$", "", part.strip())
            labelled = _LABELLED.match(part)
            node, shown = (labelled.group(1), labelled.group(2)) if labelled else (part, part)
            if labelled or node not in names:
                names[node] = self._named(flatten(shown, [(0, len(shown))]))
            ids.append(node)
        return ids

    def _named(self, inline: Inline) -> list[Ref]:
        refs = value_names(self.tokens.sentences(inline, value=True), inline.text)
        return refs if len(refs) == 1 else []
