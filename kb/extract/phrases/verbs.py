"""Sentences whose verb is one of the ontology's: which voice and tense, and whose subject."""

from __future__ import annotations

from kb.extract.phrases.active import Active
from kb.extract.phrases.cues import CONTROL, PART_NOUNS, word_set
from kb.extract.phrases.grammar import Group, Subject
from kb.extract.phrases.lexicon import Verb
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import Match
from kb.extract.phrases.passive import Passive

__all__ = ["VerbReader"]

_EMBEDDED = word_set(
    "what whatever whoever which who whom whose how why whether if when where that because since until"
)


# Before a name and a bare verb: somebody lets, makes or sees the name do it.
_LETTING = word_set("let lets letting make makes making made have having has had help helps helping see sees saw watch")


class VerbReader(Active, Passive):
    """Finds the matches of one line."""

    def read(self, line: Line) -> list[Match]:
        """Read a line from left to right, with the subject of each clause kept for the verbs after it."""
        found: list[Match] = []
        # Without a name there is nothing to state; but the next sentence may refer back to this one's subject.
        named = any(tok.kind == "m" for tok in line.toks)
        for i, tok in enumerate(line.toks):
            if tok.kind == "w":
                verbs = self._verbs(line, i)
                self._note_subject(line, i, verbs)
                if not named and line.opening is not None:
                    break
                if not named:
                    continue
                match = next((m for verb in verbs if (m := self._attempt(line, i, verb)) is not None), None)
                if match is None and line.word(i, "in") and line.word(i - 1, "is", "are"):
                    match = self._being_in(line, i)
                if match is None:
                    match = self._through(line, i)
                if match is None and found:
                    match = self._likewise(line, i, found[-1])
                if match is not None:
                    found.append(match)
        return found

    def _likewise(self, line: Line, i: int, last: Match) -> Match | None:
        """Read "…, and so does the Portal", "…, as do Refunds and the Portal"."""
        if not (line.word(i, "so", "as") and line.word(i + 1, "does", "do", "is", "are")):
            return None
        subjects, end = line.objects(i + 2)
        return Match(tuple(subjects), last.objects, last.senses, i, i + 1, end, past=last.past) if subjects else None

    def _note_subject(self, line: Line, i: int, verbs: tuple[Verb, ...]) -> None:
        """Keep the subject of the clause whose first verb word is at `i`."""
        low = line.lowered[i]
        known = bool(verbs)
        before = line.lowered[i - 1] if i else ""
        after_subject = i > 0 and (
            line.name(i - 1) or before in ("we", "it", "they", "she", "he", "you", "who", "which")
        )
        auxiliary = low in (
            "is",
            "are",
            "was",
            "were",
            "has",
            "have",
            "had",
            "does",
            "do",
            "did",
            "will",
            "would",
            "can",
            "could",
            "should",
            "must",
            "may",
            "'s",
            "'ll",
            "'d",
        ) or low.endswith("n't")
        verbal = (
            auxiliary
            or known
            or (before in ("we", "they", "you") and line.plain(i))
            or (
                after_subject
                and low.endswith(("s", "ed", "t", "e", "d", "n", "w"))
                and line.plain(i)
                and low not in PART_NOUNS
            )
        )
        if not verbal or (low == "'s" and line.name(i - 1)):
            return
        # A noun may look like a verb of the ontology ("counts requests"), so it must not unseat a subject.
        third = line.current is None and any(low in v.thirds for v in verbs)
        if not after_subject and not auxiliary and not third:
            return
        group = line.group(i)
        subject = line.subject(group.start)
        if subject.kind == "none":
            return
        if third and subject.part and line.name(subject.start) and not line.word(subject.start + 1, "'s", "’"):
            return  # "Kubernetes container logs": a noun that looks like a verb of the ontology
        if subject.kind != "refs" and (
            subject.relative or line.word(subject.start, *_EMBEDDED) or line.word(subject.start - 1, *_EMBEDDED)
        ):
            return
        if line.opening is None:
            line.opening = subject
        line.current = subject

    def _attempt(self, line: Line, i: int, verb: Verb) -> Match | None:
        low = line.lowered[i]
        third, base = low in verb.thirds, low in verb.bases
        part, past, ing = low in verb.participles, low in verb.pasts, low in verb.ings
        if not (third or base or part or past or ing):
            return None
        group = line.group(i)
        if group.negated or group.modal:
            return None
        if group.be:
            if part and self._tense(group, verb):
                return self._passive(line, i, verb, line.subject(self._start(line, group)), finite=True)
            if ing and (group.be == "present" or (group.be == "been" and group.have and self.since)):
                return self._active(line, i, verb, line.subject(group.start))
            return None
        if group.have or group.did:
            if verb.past and (part or base):
                return self._active(line, i, verb, line.subject(group.start))
            return None
        if group.to:
            return self._infinitive(line, i, verb, group) if base else None
        if third or (base and (group.must or group.does)):
            return self._active(line, i, verb, self._agreeing(line.subject(group.start), third))
        return self._bare(line, i, verb, group, base=base, part=part, past=past, ing=ing)

    def _bare(
        self, line: Line, i: int, verb: Verb, group: Group, *, base: bool, part: bool, past: bool, ing: bool
    ) -> Match | None:
        """Read a form without auxiliary that is no third person."""
        subject = line.subject(group.start)
        let = line.word(subject.start - 1, *_LETTING)
        if base and not let and (subject.plural or self._plural_name(subject)):
            match = self._active(line, i, verb, subject)
            if match is not None:
                return match
        if part and not (base and "come" in verb.bases) and self._may_reduce(line, i, group):
            match = self._passive(line, i, verb, self._reduced_subject(line, group.start), finite=False)
            if match is not None:
                return match
        if past and verb.past and subject.kind == "refs":
            return self._active(line, i, verb, subject)
        if ing and self._keeps_on(line, group.start):
            outer = line.group(self._keeps_on(line, group.start) - 1)
            if outer.negated or outer.modal:
                return None
            return self._active(line, i, verb, line.subject(outer.start))
        if ing and line.word(group.start - 1, "by", "after", "before", "while", "when", ","):
            doer = line.current or self._later_subject(line, i)
            return self._active(line, i, verb, doer) if doer is not None else None
        return None

    def _later_subject(self, line: Line, i: int) -> Subject | None:
        """Find the subject of the main clause around "before calling the Ledger"."""
        comma = next((k for k in range(i, len(line.toks)) if line.word(k, ",")), None)
        if comma is None:
            return None
        if line.name(comma + 1) or line.word(comma + 1, "it", "we"):
            return line.subject(comma + 2)
        before = i - 2
        if line.word(before, ",") and line.name(before - 1):
            return line.subject(before)
        return None

    def _keeps_on(self, line: Line, at: int) -> int:
        """Give 1 + the index of "goes" in "goes on keeping", of "keeps" in "keeps asking"; 0 if there is none."""
        i = at - 2 if line.word(at - 1, "on") else at - 1
        if line.word(i, "keeps", "keep", "continues", "continue") or (i == at - 2 and line.word(i, "goes", "go")):
            return i + 1
        return 0

    def _tense(self, group: Group, verb: Verb) -> bool:
        # "studied under" licenses the past of the active; of the passive only "was taught by" does.
        if verb.past and (verb.prep is None or verb.state):
            return True
        if group.be == "been":
            return group.have and self.since
        if group.be == "be":
            return group.must or group.to
        return group.be == "present" and not group.have

    def _start(self, line: Line, group: Group) -> int:
        """Find the start of the group, over "needs to" and "has to" where "to" ends it."""
        if not group.to:
            return group.start
        control = group.start - 1
        return line.group(control).start if line.word(control, *CONTROL) else group.start + 1

    def _infinitive(self, line: Line, i: int, verb: Verb, group: Group) -> Match | None:
        control = group.start - 1
        if not line.word(control, *CONTROL):
            return None
        outer = line.group(control)
        if (
            outer.negated
            or outer.modal
            or outer.did
            or outer.be == "past"
            or line.word(control, "had", "needed", "used")
        ):
            return None
        subject = line.subject(outer.start)
        # "We need to access X" is what people do; "it needs to call X" is what the thing does.
        return None if line.word(outer.start - 1, "we", "i", "you", "they") else self._active(line, i, verb, subject)

    def _agreeing(self, subject: Subject, third: bool) -> Subject:
        """Drop names that a verb in the singular cannot have as its subject ("X calls A, and B reads C")."""
        if third and subject.kind == "refs" and len(subject.refs) > 1:
            return Subject("refs", subject.refs[-1:], subject.refs[-1].start, part=subject.part)
        return subject

    def _plural_name(self, subject: Subject) -> bool:
        if subject.kind != "refs" or len(subject.refs) != 1:
            return False
        ref = subject.refs[0]
        text = (ref.text or "").lower()
        return text.endswith("s") and not text.endswith(("us", "is", "ss")) and not ref.weak
