"""What a sentence was found to say, before it is decided whether it means it; and what all readers of verbs share."""

from __future__ import annotations

from dataclasses import dataclass

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import GROUP_WORDS
from kb.extract.phrases.grammar import Subject
from kb.extract.phrases.lexicon import Lexicon, Sense, Verb, preposition_after
from kb.extract.phrases.line import Line

__all__ = ["REACH", "Match", "VerbPatterns"]

REACH = 16
"""How many words after a verb its object may stand."""

_PARTICLES = frozenset(("out", "off", "over", "back", "down", "straight", "through", "up", "along", "away", "in"))
_LATER = frozenset(("in", "on", "at", "for", "from", "with", "to", "via", "through"))


@dataclass(frozen=True, slots=True)
class Match:
    """subjects sense objects, as the tokens `first` to `last` say with the verb or noun at `verb`.

    `scope` is where the clause begins whose negation counts. `explicit` says that both ends are names and the words
    between them are the relation's alone, so that a wrong type is the page's mistake and not the reader's. `past` says
    that the ontology tells the relation in the past; `reduced` that the verb is a participle without "is".
    """

    subjects: tuple[Ref, ...]
    objects: tuple[Ref, ...]
    senses: tuple[Sense, ...]
    first: int
    verb: int
    last: int
    explicit: bool = False
    past: bool = False
    reduced: bool = False


class VerbPatterns:
    """Looks for the pieces of a verb's pattern around it."""

    def __init__(self, lexicon: Lexicon, *, since: bool = False, item: bool = False) -> None:
        """`since`: the sentence says "since", so a perfect is about today; `item`: the line opens a list item."""
        self.lexicon = lexicon
        self.since = since
        self.item = item

    def _verbs(self, line: Line, i: int) -> tuple[Verb, ...]:
        return self.lexicon.verbs_of(line.lowered[i])

    def _over_adverbs(self, line: Line, i: int) -> int:
        while (
            i < len(line.toks)
            and line.toks[i].kind == "w"
            and (line.lowered[i] in GROUP_WORDS or line.lowered[i].endswith("ly"))
        ):
            i += 1
        return i

    def _over_particles(self, line: Line, i: int, verb: Verb) -> int:
        """Skip adverbs and a particle that changes nothing ("goes out through", "passes on to")."""
        i = self._over_adverbs(line, i)
        if (
            line.word(i, *_PARTICLES)
            and not line.word(i, *verb.extra)
            and i + 1 < len(line.toks)
            and line.toks[i + 1].kind == "w"
        ):
            return self._over_adverbs(line, i + 1)
        return i

    def _has_extra(self, line: Line, verb: Verb, i: int, k: int) -> bool:
        if not verb.extra:
            return True
        row, count = list(verb.extra), len(verb.extra)
        return line.lowered[k - count : k] == row or line.lowered[i + 1 : i + 1 + count] == row

    def _stops(self, line: Line, k: int) -> bool:
        """Whether a search for the object to the right may not go past token `k`."""
        if line.border(k) and not line.word(k, "than"):
            return True
        if line.word(k, "is", "are", "was", "were", "has", "have", "does", "do", "will", "can"):
            return True
        finite = line.toks[k].kind == "w" and any(line.lowered[k] in v.thirds for v in self._verbs(line, k))
        return finite and (line.name(k - 1) or line.word(k - 1, "and", "it", ",", "then"))

    def _name_meant(self, line: Line, ref: Ref, verb: int) -> bool:
        """Whether an everyday word before the verb is the name after all."""
        if not ref.weak or ref.text is None:
            return True
        tok = line.toks[ref.start]
        plural = tok.lower.endswith("s") and not tok.lower.endswith("ss")
        singular_verb = line.lowered[verb].endswith("s") and line.toks[verb].kind == "w"
        auxiliary = any(line.word(k, "is", "has", "does", "must") for k in range(ref.end, verb))
        if tok.definite or (plural and (singular_verb or auxiliary)):
            return True
        return tok.text[:1].isupper() and not plural

    def _moved_object(self, line: Line, i: int, verb: Verb, subject: Subject) -> tuple[list[Ref], int]:
        """Find an object that "which" has moved to the front: "from which it takes", "which it caches in"."""
        fronted = self._fronted(line, verb, subject)
        if fronted:
            return fronted, i + 1
        which = subject.start - 1
        if not line.word(which, "which", "whom", "that", "where"):
            return [], i
        at = self._over_adverbs(line, i + 1)
        antecedent = which - 1
        if verb.prep is None:
            if not (at >= len(line.toks) or line.toks[at].kind == "p" or line.border(at) or line.word(at, *_LATER)):
                return [], i
        elif line.word(which - 1, verb.prep, "from", "in", "to", "on", "at", "through") and preposition_after(
            verb.prep, line.lowered, which - 1
        ):
            antecedent = which - 2
        else:
            length = preposition_after(verb.prep, line.lowered, at)
            stop = at + length
            if not length or not (stop >= len(line.toks) or line.toks[stop].kind == "p" or line.border(stop)):
                return [], i
            at = stop
        if line.word(antecedent, ","):
            antecedent -= 1
        if line.name(antecedent):
            return [Ref.of(line.toks[antecedent], antecedent)], max(at, i + 1)
        if line.word(which, "where") and antecedent > 0:
            names = [k for k in range(antecedent) if line.name(k)]
            if names:
                return [Ref.of(line.toks[names[-1]], names[-1])], i + 1
        return [], i

    def _fronted(self, line: Line, verb: Verb, subject: Subject) -> list[Ref]:
        """Read "From the Ledger it gets balances": the object stands before the subject."""
        if verb.prep is None or verb.extra or subject.kind != "refs":
            return []
        end = subject.start - 1 if line.word(subject.start - 1, ",") else subject.start
        for k in range(end - 1, max(-1, end - 8), -1):
            length = preposition_after(verb.prep, line.lowered, k)
            if length and (k == 0 or line.word(k - 1, ",", ";", "and", "then")):
                objects, last = line.objects(k + length, verb.prep)
                return objects if last == end else []
        return []
