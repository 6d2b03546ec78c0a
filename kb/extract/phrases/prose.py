"""Running text: sentences, and what stands in their parentheses, to edges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.denials import CANCELS, SENTENCE_OUT
from kb.extract.phrases.facts import Edge, Facts
from kb.extract.phrases.labels import Labels
from kb.extract.phrases.lexicon import Lexicon
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import Match
from kb.extract.phrases.nouns import NounReader
from kb.extract.phrases.tokens import Sentence, Tok
from kb.extract.phrases.values import value_names
from kb.extract.phrases.verbs import VerbReader

__all__ = ["Found", "Prose"]

_DENIES = re.compile(
    r"\W*(?:it|they|we|he|she) (?:doesn't|does not|don't|do not) (?!so\b|any ?more\b)\w+ \w", re.IGNORECASE
)
# A sentence of more words than this was not written by a person.
_MAX_TOKENS = 250


@dataclass(frozen=True, slots=True)
class Found:
    """An edge, and the stretch of the block's text that states it."""

    edge: Edge
    start: int
    end: int


class Prose:
    """Reads sentences in their context."""

    def __init__(self, lexicon: Lexicon, facts: Facts, labels: Labels) -> None:
        self.lexicon = lexicon
        self.facts = facts
        self.labels = labels
        self.nouns = NounReader(lexicon)

    def read(self, sentences: list[Sentence], context: Context, *, item: bool = False) -> list[Found]:
        """Read the sentences of one block, and move the context on."""
        found: list[Found] = []
        last: list[Found] = []
        for number, sentence in enumerate(sentences):
            if CANCELS.match(sentence.text) and not _of_its_own(sentence, last):
                for one in last:
                    found.remove(one)
                last = []
            now = self.sentence(sentence, context, item=item and number == 0)
            found.extend(now)
            last = now or last if sentence.question else now
        return found

    def sentence(self, sentence: Sentence, context: Context, *, item: bool = False) -> list[Found]:
        """Read one sentence."""
        if len(sentence.toks) > _MAX_TOKENS:
            return []
        main, asides = _parentheses(sentence.toks)
        line = Line(main, context, self.labels.nouns)
        edges: list[Edge] = []
        if not sentence.question:
            edges.extend(self._line(line, sentence, item))
            for anchor, toks in asides:
                pair = _pair_before(line, anchor)
                edges.extend(self._aside(anchor, toks, sentence, context, pair))
        else:
            VerbReader(self.lexicon).read(line)
        _move_on(context, line, sentence)
        unique = list(dict.fromkeys(edges))
        return [Found(edge, sentence.start, sentence.end) for edge in unique]

    def _line(self, line: Line, sentence: Sentence, item: bool) -> list[Edge]:
        since = re.search(r"\bsince\b", sentence.text, re.IGNORECASE) is not None
        matches: list[Match] = VerbReader(self.lexicon, since=since, item=item).read(line)
        matches.extend(self.nouns.read(line))
        quoted = {i for i, tok in enumerate(line.toks) if any(sentence.toks[k] is tok for k in sentence.quoted)}
        edges: list[Edge] = []
        for match in matches:
            pairs = self.facts.edges(match.subjects, match.senses, match.objects, explicit=match.explicit)
            if pairs and self.facts.meant(line, match, quoted):
                edges.extend(pairs)
        return edges

    def _aside(
        self, anchor: Tok | None, toks: list[Tok], sentence: Sentence, context: Context, pair: tuple[Ref, ...]
    ) -> list[Edge]:
        """Read a parenthesis. What it leaves out is the name before it: "Edge (led by O. B.)", "Auth (owner: IDT)"."""
        if not toks or SENTENCE_OUT.search(
            sentence.text[toks[0].start - sentence.start : toks[-1].end - sentence.start]
        ):
            return []
        inner = Context(context.types, context.heads, context.page, context.section, context.item, None, context.recent)
        inner.pair, inner.outer = pair, context.outer
        if anchor is not None:
            inner.item = anchor.ids
        colon = next((i for i, t in enumerate(toks) if t.kind == "p" and t.text == ":"), None)
        if anchor is not None and colon:
            label = self.labels.read(toks[:colon], _text(toks[:colon]))
            if label.senses and not label.blocked:
                part = Sentence(toks[colon + 1 :], sentence.start, sentence.end, "")
                values = value_names([part], " " * sentence.start + sentence.text)
                return self.facts.edges([Ref.of(anchor, 0)], label.senses, values)
        if anchor is not None and not any(t.kind == "m" for t in toks):
            return self._role(anchor, toks, sentence, context)
        if anchor is not None and toks and toks[0].kind == "w":
            named = self._labelled(anchor, toks)
            if named:
                return named
        line = Line(toks, inner, self.labels.nouns)
        line.aside = True
        text = Sentence(toks, sentence.start, sentence.end, sentence.text)
        if toks[-1].text == "?":
            return []
        return self._line(line, text, False)

    def _role(self, anchor: Tok, toks: list[Tok], sentence: Sentence, context: Context) -> list[Edge]:
        """Read "Ana Ruiz (lead)": of the nearest thing named before that may have one, else of what it is all about."""
        label = self.labels.read(toks, _text(toks))
        words = [tok.lower for tok in toks]
        noun = len(words) <= 3 and any(
            len(one.words) <= len(words)
            and all(w in f for w, f in zip(words[-len(one.words) :], one.words, strict=True))
            for first in words
            for one in self.lexicon.nouns.get(first, ())
        )
        if not noun or not label.senses or label.blocked or label.subject is not None:
            return []
        before = [t.ids for t in sentence.toks if t.kind == "m" and t.end <= anchor.start]
        ids = tuple(dict.fromkeys(one for group in reversed(before) for one in group))
        ids = ids or context.outer or context.section or context.page
        return self.facts.edges([Ref(ids, None)], label.senses, [Ref.of(anchor, 0)]) if ids else []

    def _labelled(self, anchor: Tok, toks: list[Tok]) -> list[Edge]:
        """Read "(lead Marit Quell)"."""
        first = next((i for i, t in enumerate(toks) if t.kind == "m"), 0)
        if not first or first != len(toks) - 1 or toks[0].is_word("which", "who", "that", "whose", "what"):
            return []
        label = self.labels.read(toks[:first], _text(toks[:first]))
        if not label.senses or label.blocked:
            return []
        return self.facts.edges([Ref.of(anchor, 0)], label.senses, [Ref.of(toks[first], first)])


def _of_its_own(sentence: Sentence, last: list[Found]) -> bool:
    """Whether "They don't sell Y" denies something else than the sentence before has said of X."""
    if not _DENIES.match(sentence.text):
        return False
    named = {one for tok in sentence.toks if tok.kind == "m" for one in tok.ids}
    return bool(named) and not any({found.edge.subject, found.edge.object} & named for found in last)


def _text(toks: list[Tok]) -> str:
    return " ".join(t.text for t in toks)


def _parentheses(toks: list[Tok]) -> tuple[list[Tok], list[tuple[Tok | None, list[Tok]]]]:
    """Take the parentheses out of a sentence: (what is left, [(the name right before it, its tokens)])."""
    main: list[Tok] = []
    asides: list[tuple[Tok | None, list[Tok]]] = []
    inside: list[Tok] | None = None
    depth = 0
    for tok in toks:
        if tok.kind == "p" and tok.text in "([":
            depth += 1
            if depth == 1:
                anchor = main[-1] if main and main[-1].kind == "m" else None
                inside = []
                asides.append((anchor, inside))
                continue
        elif tok.kind == "p" and tok.text in ")]" and depth:
            depth -= 1
            if depth == 0:
                inside = None
                continue
        (main if inside is None else inside).append(tok)
    return main, asides


def _move_on(context: Context, line: Line, sentence: Sentence) -> None:
    """Note what the next sentence may refer back to."""
    opening = line.opening
    if sentence.question:
        # "Is the Lantern Room in the North Wing? No, it belongs …"
        context.previous = next((t.ids for t in line.toks if t.kind == "m"), context.previous)
    elif opening is not None:
        known = opening.kind == "refs" and len(opening.refs) == 1
        context.previous = opening.refs[0].ids if known else ()
    elif line.toks and line.toks[0].kind == "m" and len([t for t in line.toks if t.kind == "m"]) > 1:
        context.previous = ()
    context.remember([t.ids for t in sentence.toks if t.kind == "m"])
    for i in range(len(line.toks) - 1, 0, -1):
        pair = _pair_before(line, line.toks[i]) if line.name(i) else ()
        if pair:
            context.pair = pair
            break


def _pair_before(line: Line, tok: Tok | None) -> tuple[Ref, ...]:
    """Give the two names that "A and B" joins, where B is `tok`: what "both" means after them."""
    i = next((k for k, one in enumerate(line.toks) if one is tok), -1)
    k = i - 1
    while line.word(k, "the", "our", "also"):
        k -= 1
    if i > 0 and line.word(k, "and", "&") and line.name(k - 1):
        return Ref.of(line.toks[k - 1], k - 1), Ref.of(line.toks[i], i)
    return ()
