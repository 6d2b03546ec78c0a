"""Verbs in the active: "asks FX Rates for a quote", "keeps its counters in the Session Cache"."""

from __future__ import annotations

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import ASKED, INCOMING, PART_NOUNS, word_set
from kb.extract.phrases.grammar import Subject
from kb.extract.phrases.lexicon import Verb, preposition_after
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import REACH, Match, VerbPatterns
from kb.language import lemmas

__all__ = ["Active"]

_COMING = frozenset(("come", "arrive"))
_GETTING = frozenset(("get", "receive", "accept", "have"))
_DONE = word_set("given taken made built written left lost got had put kept sold bought brought seen found run become")


class Active(VerbPatterns):
    """Finds subject and objects of a verb in the active."""

    def _active(self, line: Line, i: int, verb: Verb, subject: Subject) -> Match | None:
        if verb.state or ("have" in verb.bases and not verb.extra and self._perfect(line, i)):
            return None
        objects, last, direct = self._active_objects(line, i, verb)
        if not objects:
            objects, last = self._moved_object(line, i, verb, subject)
            direct = False
        if not objects:
            return None
        refs = self._subject_refs(line, i, verb, subject, direct)
        if not refs:
            return None
        explicit = (
            direct
            and "have" not in verb.bases
            and all(r.text for r in refs)
            and len(refs) == 1
            and refs[0].end >= i - 3
        )
        return Match(refs, tuple(objects), verb.senses, min(subject.start, i), i, last, explicit, verb.past)

    def _perfect(self, line: Line, i: int) -> bool:
        """Whether "has" only makes a tense of the word after it ("has handed X over")."""
        at = self._over_adverbs(line, i + 1)
        low = line.lowered[at] if at < len(line.toks) else ""
        return low.endswith("ed") or low in _DONE

    def _subject_refs(self, line: Line, i: int, verb: Verb, subject: Subject, direct: bool) -> tuple[Ref, ...]:
        if subject.kind == "refs":
            sure = any(not r.weak for r in subject.refs)
            return tuple(r for r in subject.refs if (sure and len(subject.refs) > 1) or self._name_meant(line, r, i))
        context = line.context
        if subject.kind == "none":
            first = i == 0 or line.lowered[i] in verb.thirds or line.lowered[i] in verb.ings
            return (Ref(context.subject, None, i, i),) if context.subject and first else ()
        if not subject.loose or subject.other or not context.settled:
            return ()
        if subject.head in INCOMING or self._arrives(line, i, verb, subject):
            return ()
        opens_item = self.item and subject.start <= 1
        part = subject.head in PART_NOUNS
        if (verb.prep is not None and direct) or opens_item or part:
            return (Ref(context.settled, None, i, i),)
        return ()

    def _arrives(self, line: Line, i: int, verb: Verb, subject: Subject) -> bool:
        """Whether something turns up unasked ("A request comes in from X"): nobody need have asked X for it."""
        if not verb.bases & _COMING:
            return False
        single = line.word(subject.start, "a", "an", "every", "each", "one", "any", "another") or not subject.plural
        return bool(lemmas(subject.head) & ASKED) or (
            single and (line.word(i + 1, "in") or not line.word(subject.start, "the", "its", "our"))
        )

    def _active_objects(self, line: Line, i: int, verb: Verb) -> tuple[list[Ref], int, bool]:
        """Find the objects: (what they are, where they end, whether they follow at once)."""
        at = self._over_adverbs(line, i + 1)
        if verb.prep is None:
            row = list(verb.extra)
            if row and line.lowered[at : at + len(row)] != row:
                return [], at, False
            objects, last = line.objects(at + len(row))
            if not objects and not row:
                objects, last = self._shared_object(line, at)
            return objects, last, True
        over = self._over_particles(line, i + 1, verb)
        # Who reads orders goes and gets them; who receives them waits for whoever sends them.
        waits = bool(verb.bases & _GETTING) and not line.word(i + 1, "its", "all")
        unasked = ASKED if waits else INCOMING
        for k in range(i + 1, min(len(line.toks), i + 1 + REACH)):
            if k > at and self._stops(line, k):
                break
            if line.word(k, "here") and line.context.subject and self._has_extra(line, verb, i, k):
                return [Ref(line.context.subject, None, k, k + 1)], k + 1, True
            length = preposition_after(verb.prep, line.lowered, k)
            if length and self._has_extra(line, verb, i, k):
                objects, last = line.objects(k + length, verb.prep)
                if not objects and k <= over:
                    objects, last = self._shared_object(line, k + length)
                if objects and verb.prep == "from" and any(line.word(m, *unasked) for m in range(i + 1, k)):
                    return [], i, False  # "receives requests from X"
                if objects:
                    more, last = self._repeated(line, last, verb.prep)
                    return [*objects, *more], last, k <= over + len(verb.extra)
        return [], i, False

    def _repeated(self, line: Line, at: int, prep: str) -> tuple[list[Ref], int]:
        """Read on in "its tokens from Auth and its balances from the Ledger"."""
        found: list[Ref] = []
        while line.word(at, "and", ","):
            k = at + 1
            while k < at + 7 and (line.plain(k) or line.word(k, "its", "the", "and", "our", "all", "their", "a")):
                k += 1
            length = preposition_after(prep, line.lowered, k)
            objects, last = line.objects(k + length, prep) if length and k > at + 1 else ([], at)
            if not objects:
                break
            found.extend(objects)
            at = last
        return found, at

    def _shared_object(self, line: Line, at: int) -> tuple[list[Ref], int]:
        """Find the object that a verb shares with the next one: "reads or writes it", "reads from and writes to X"."""
        if not line.word(at, "and", "or") or not (at + 1 < len(line.toks) and line.toks[at + 1].kind == "w"):
            return [], at
        if not any(line.lowered[at + 1] in v.thirds | v.bases | v.participles for v in self._verbs(line, at + 1)):
            return [], at
        after = at + 2
        if line.word(after, "from", "to", "into", "in", "on", "with", "by"):
            after += 1
        return line.objects(after)
