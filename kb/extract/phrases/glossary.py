"""Words that a page gives a meaning of its own: "*Skipper* is our word for the person who leads a team"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.extract.phrases.labels import Label
from kb.extract.phrases.lexicon import Lexicon, Sense
from kb.extract.phrases.tokens import Sentence, Tokens
from kb.sources.inline import Inline

__all__ = ["Glossary"]

_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,40})[\"”]")
_MEANS = ("is", "are", "means", "names", "stands", "lists", "marks")
_REACH = 24
# How far behind "is" a noun of the ontology is what the term means, rather than part of a longer story.
_NAMED = 2


class Glossary:
    """Finds what a page says that its own words mean."""

    def __init__(self, tokens: Tokens, lexicon: Lexicon) -> None:
        self.tokens = tokens
        self.lexicon = lexicon

    def terms(self, inlines: Iterable[Inline]) -> dict[str, Label]:
        """Map lower-case terms to what they say as labels."""
        found: dict[str, Label] = {}
        for inline in inlines:
            spans = [m.span(1) for m in _QUOTED.finditer(inline.text)]
            spans += [*inline.emphasis, *inline.strong]
            if not spans:
                continue
            for sentence in self.tokens.sentences(inline):
                for start, end in spans:
                    if sentence.start <= start < end <= sentence.end:
                        senses = self._meaning(sentence, end)
                        if senses:
                            found[inline.text[start:end].strip(" .:,").lower()] = Label(senses)
        return found

    def _meaning(self, sentence: Sentence, end: int) -> tuple[Sense, ...]:
        """Read what follows the term: "is the team that owns it", "names the one that it calls"."""
        toks = [t for t in sentence.toks if t.start >= end and not (t.kind == "p" and t.text in "\"”*'")]
        if not toks or not toks[0].is_word(*_MEANS):
            return ()
        for i, tok in enumerate(toks[1:_REACH], 1):
            if tok.kind == "p" and tok.text in ".;:":
                break
            if tok.is_word("not", "no", "never", "without") or tok.lower.endswith("n't"):
                return ()
            if i <= _NAMED and tok.kind == "w":
                nouns = self.lexicon.nouns.get(tok.lower, ())
                single = next((noun for noun in nouns if len(noun.words) == 1), None)
                if single is not None:
                    return single.senses
            if not tok.is_word("who", "that", "which", "whoever"):
                continue
            after = toks[i + 1] if i + 1 < len(toks) else None
            if after is None or after.kind != "w":
                continue
            for verb in self.lexicon.verbs_of(after.lower):
                if after.lower in verb.thirds | verb.bases and not verb.extra and not verb.state:
                    return tuple(sense.reverse for sense in verb.senses)
        return ()
