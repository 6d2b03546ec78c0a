"""Headings, bold lines that serve as headings, and the lines that introduce a list: what holds below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.extract.common_words import COMMON_WORDS
from kb.extract.phrases.about import About
from kb.extract.phrases.cues import MODIFIERS
from kb.extract.phrases.labels import Label, Labels
from kb.extract.phrases.tokens import Tokens
from kb.sources.inline import Inline
from kb.sources.markdown import Block

__all__ = ["Sections"]

_PSEUDO = 7


@dataclass(frozen=True, slots=True)
class _Level:
    level: int
    label: Label
    subject: tuple[str, ...]
    light: bool


@dataclass(slots=True)
class Sections:
    """The headings above the current place."""

    tokens: Tokens
    labels: Labels
    about: About
    stack: list[_Level] = field(default_factory=list)
    named_levels: frozenset[int] = frozenset()
    topic: frozenset[str] = frozenset()

    def survey(self, blocks: Sequence[Block]) -> None:
        """See at which levels most headings are names: there "Search" is a thing, elsewhere it is a topic."""
        found: dict[int, list[bool]] = {}
        for block in blocks:
            if block.kind == "heading" and block.inline is not None:
                found.setdefault(block.level, []).append(bool(self.about.title(block.inline)))
        self.named_levels = frozenset(
            n for n, named in found.items() if sum(named) >= 2 and sum(named) * 2 > len(named)
        )

    def enter(self, inline: Inline, level: int) -> None:
        """Pass a heading."""
        while self.stack and self.stack[-1].level >= level:
            self.stack.pop()
        label = self.label(inline, heading=True)
        if level == 1 and not label.senses:
            label = Label(blocked=self.labels.blocked_title(inline.text))
        light = all(w.lower().strip(".,:()") in MODIFIERS for w in inline.text.split())
        subject = self.about.title(inline) if level > 1 and not label.senses else ()
        if level not in self.named_levels and inline.text.strip().lower() in COMMON_WORDS:
            subject = ()
        if level > 1 and not label.senses and not label.blocked and _yes_or_no(inline.text):
            label = Label(blocked=True)
        self.stack.append(_Level(level, label, subject, light))

    def label(self, inline: Inline, *, heading: bool = False) -> Label:
        """Read a heading or an introduction as a label."""
        toks = [t for s in self.tokens.sentences(inline, value=True) for t in s.toks]
        while toks and toks[-1].kind == "p" and toks[-1].text in ":.?!":
            toks.pop()
        return self.labels.read(toks, inline.text, heading=heading, topic=self.topic)

    def bold_line(self, block: Block) -> bool:
        """Whether a paragraph is one bold line that stands for a heading, and pass it if so."""
        inline = block.inline
        if inline is None or block.lists or block.quote or "\n" in inline.text.strip():
            return False
        text = inline.text.strip()
        if not inline.strong or len(text) > 80 or text.endswith("."):
            return False
        begin, end = inline.strong[0][0], inline.strong[-1][1]
        if inline.text[:begin].strip() or inline.text[end:].strip(" :?") or len(inline.strong) > 1:
            return False
        if text.endswith(":"):
            return False
        self.enter(inline, _PSEUDO)
        return True

    @property
    def blocked(self) -> bool:
        """Whether a heading above takes back what stands here."""
        return any(one.label.blocked for one in self.stack)

    @property
    def current(self) -> Label:
        """The label that holds here: the innermost heading's, or that of one above it which only details it."""
        for one in reversed(self.stack):
            if one.label.senses or one.label.pairs:
                return one.label
            if not one.light:
                break
        return Label()

    @property
    def subject(self) -> tuple[str, ...]:
        """What the innermost heading that names a thing is about."""
        return next((one.subject for one in reversed(self.stack) if one.subject), ())


def _yes_or_no(text: str) -> bool:
    """Whether a heading asks something that is answered by yes or no ("Rewrite?", "Do we need a queue?")."""
    text = text.strip().lower()
    if not text.endswith("?"):
        return False
    first = text.split()[0].strip("?*_\"'") if text.split() else ""
    return first not in ("who", "what", "which", "whose", "where", "how", "why", "when")
