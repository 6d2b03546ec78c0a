"""Sentences whose verb is one of the ontology's: active and passive, with or without a thing in between, joined by "and".

"Checkout asks FX Rates for a quote" · "the key is checked with Auth" · "the Ledger, which is read by Payouts" · "Loaded by
Conveyor" · "keeps its counters in the Session Cache".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import CONTROL, GROUP_WORDS, INCOMING, PART_NOUNS, REMARKS, STUFF, USED_PARTS
from kb.extract.phrases.grammar import Group, Line, Subject
from kb.extract.phrases.lexicon import Lexicon, Sense, Verb, preposition_after

__all__ = ["Match", "VerbReader"]

_REACH = 16
_EMBEDDED = frozenset("what whatever whoever which who whom whose how why whether if when where that because since until".split())  # noqa: SIM905
_HAND = frozenset("hand default design hand mistake mail post phone email accident then now day night month week year".split())  # noqa: SIM905
_PARTICLES = frozenset(("out", "off", "over", "back", "down", "straight", "through", "up", "along", "away", "in"))
_LATER = frozenset(("in", "on", "at", "for", "from", "with", "to", "via", "through"))


@dataclass(frozen=True, slots=True)
class Match:
    """subjects sense objects, as the tokens `first` to `last` say with the verb or noun at `verb`.

    `scope` is where the clause begins whose negation counts. `explicit` says that both ends are names and the words
    between them are the relation's alone, so that a wrong type is the page's mistake and not the reader's.
    """

    subjects: tuple[Ref, ...]
    objects: tuple[Ref, ...]
    senses: tuple[Sense, ...]
    first: int
    verb: int
    last: int
    explicit: bool = False
    past: bool = False


class VerbReader:
    """Finds the matches of one line."""

    def __init__(self, lexicon: Lexicon, *, since: bool = False, item: bool = False) -> None:
        """`since`: the sentence says "since", so a perfect is about today; `item`: the line opens a list item."""
        self.lexicon = lexicon
        self.since = since
        self.item = item

    def read(self, line: Line) -> list[Match]:
        """Read a line from left to right, with the subject of each clause kept for the verbs after it."""
        found: list[Match] = []
        # Without a name there is nothing to state; but the next sentence may refer back to this one's subject.
        named = any(tok.kind == "m" for tok in line.toks)
        for i, tok in enumerate(line.toks):
            if tok.kind == "w":
                verbs = self._verbs(line, i)
                self._note_subject(line, i, verbs)
                if not named:
                    continue
                match = next((m for verb in verbs if (m := self._attempt(line, i, verb)) is not None), None)
                if match is None and line.word(i, "in") and line.word(i - 1, "is", "are"):
                    match = self._being_in(line, i)
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

    def _verbs(self, line: Line, i: int) -> tuple[Verb, ...]:
        return self.lexicon.verbs_of(line.lowered[i])

    def _note_subject(self, line: Line, i: int, verbs: tuple[Verb, ...]) -> None:
        """Keep the subject of the clause whose first verb word is at `i`."""
        low = line.lowered[i]
        known = bool(verbs)
        before = line.lowered[i - 1] if i else ""
        after_subject = i > 0 and (line.name(i - 1) or before in ("we", "it", "they", "she", "he", "you", "who", "which"))
        auxiliary = low in ("is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "will", "would", "can", "could", "should", "must", "may", "'s", "'ll", "'d") or low.endswith("n't")
        verbal = auxiliary or known or (before in ("we", "they", "you") and line.plain(i)) or (after_subject and low.endswith(("s", "ed", "t", "e", "d", "n", "w")) and line.plain(i) and low not in PART_NOUNS)
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
        if subject.kind != "refs" and (subject.relative or line.word(subject.start, *_EMBEDDED) or line.word(subject.start - 1, *_EMBEDDED)):
            return
        if line.opening is None:
            line.opening = subject
        line.current = subject

    # -- voice --------------------------------------------------------------------

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
            if ing and group.be == "present":
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

    def _bare(self, line: Line, i: int, verb: Verb, group: Group, *, base: bool, part: bool, past: bool, ing: bool) -> Match | None:
        """Read a form without auxiliary that is no third person."""
        subject = line.subject(group.start)
        if base and (subject.plural or self._plural_name(line, subject)):
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
        """Find the subject of the main clause after "Before calling the Ledger, …", or around ", after calling it, …"."""
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
        if verb.past:
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
        if outer.negated or outer.modal or outer.did or outer.be == "past" or line.word(control, "had", "needed", "used"):
            return None
        subject = line.subject(outer.start)
        # "We need to access X" is what people do; "it needs to call X" is what the thing does.
        return None if line.word(outer.start - 1, "we", "i", "you", "they") else self._active(line, i, verb, subject)

    def _agreeing(self, subject: Subject, third: bool) -> Subject:
        """Drop names that a verb in the singular cannot have as its subject ("X calls A, and B reads C")."""
        if third and subject.kind == "refs" and len(subject.refs) > 1:
            return Subject("refs", subject.refs[-1:], subject.refs[-1].start, part=subject.part)
        return subject

    def _plural_name(self, line: Line, subject: Subject) -> bool:
        if subject.kind != "refs" or len(subject.refs) != 1:
            return False
        ref = subject.refs[0]
        text = (ref.text or "").lower()
        return text.endswith("s") and not text.endswith(("us", "is", "ss")) and not ref.weak

    def _may_reduce(self, line: Line, i: int, group: Group) -> bool:
        at = group.start
        if line.name(at - 1):
            return line.word(self._over_adverbs(line, i + 1), "by")
        return not line.word(at - 1, "we", "they", "it", "you", "he", "she", "i", "which", "that", "who", "to")

    def _reduced_subject(self, line: Line, at: int) -> Subject:
        i = at - 1
        if i < 0 or line.word(i, ":", ";", "—", "–", "·", ".", "!", "→"):
            found = line.subject(at)
            return found if found.kind == "refs" else Subject("none", start=at)
        if line.name(i) or line.word(i, "both"):
            return line.subject(at)
        if line.word(i, ",") and line.name(i - 1):
            return line.subject(i)
        if line.word(i, "and", ",", "or", "then", "also", "but"):
            carried = line.subject(at)
            return carried if carried.kind == "refs" else Subject("none", start=at, loose=True)
        return Subject("unknown", start=at, loose=True)

    def _over_adverbs(self, line: Line, i: int) -> int:
        while i < len(line.toks) and line.toks[i].kind == "w" and (line.lowered[i] in GROUP_WORDS or line.lowered[i].endswith("ly")):
            i += 1
        return i

    def _over_particles(self, line: Line, i: int, verb: Verb) -> int:
        """Skip adverbs and a particle that changes nothing ("goes out through", "passes on to")."""
        i = self._over_adverbs(line, i)
        if line.word(i, *_PARTICLES) and not line.word(i, *verb.extra) and i + 1 < len(line.toks) and line.toks[i + 1].kind == "w":
            return self._over_adverbs(line, i + 1)
        return i

    def _being_in(self, line: Line, i: int) -> Match | None:
        """Read "All state is in Y" as "All state is kept in Y", where the ontology says what keeping means."""
        keeping = [v for base in ("keep", "store", "hold") for v in self.lexicon.verbs.get(base, ()) if v.prep == "in" and not v.state]
        subject = line.subject(i - 1)
        if not keeping or subject.kind == "none" or not (subject.loose or subject.part) or subject.other:
            return None
        head = subject.head
        if head in REMARKS or head in INCOMING or not (head in STUFF or subject.plural):
            return None
        objects, last = line.objects(i + 1, "in")
        if not objects:
            return None
        holders = self._holders(line, keeping[0], subject, [], finite=True)
        return Match(holders, tuple(objects), keeping[0].senses, subject.start, i - 1, last) if holders else None

    # -- active -------------------------------------------------------------------

    def _active(self, line: Line, i: int, verb: Verb, subject: Subject) -> Match | None:
        if verb.state:
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
        explicit = direct and "have" not in verb.bases and all(r.text for r in refs) and len(refs) == 1 and refs[0].end >= i - 3
        return Match(refs, tuple(objects), verb.senses, min(subject.start, i), i, last, explicit, verb.past)

    def _subject_refs(self, line: Line, i: int, verb: Verb, subject: Subject, direct: bool) -> tuple[Ref, ...]:
        if subject.kind == "refs":
            return tuple(r for r in subject.refs if self._name_meant(line, r, i))
        context = line.context
        if subject.kind == "none":
            first = i == 0 or line.lowered[i] in verb.thirds or line.lowered[i] in verb.ings
            return (Ref(context.subject, None, i, i),) if context.subject and first else ()
        if not subject.loose or subject.other or not context.settled:
            return ()
        if subject.head in INCOMING:
            return ()
        opens_item = self.item and subject.start <= 1
        part = subject.head in PART_NOUNS
        if (verb.prep is not None and direct) or opens_item or part:
            return (Ref(context.settled, None, i, i),)
        return ()

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
        for k in range(i + 1, min(len(line.toks), i + 1 + _REACH)):
            if k > at and self._stops(line, k):
                break
            if line.word(k, "here") and line.context.subject and self._has_extra(line, verb, i, k):
                return [Ref(line.context.subject, None, k, k + 1)], k + 1, True
            length = preposition_after(verb.prep, line.lowered, k)
            if length and self._has_extra(line, verb, i, k):
                objects, last = line.objects(k + length, verb.prep)
                if not objects and k <= over:
                    objects, last = self._shared_object(line, k + length)
                if objects and verb.prep == "from" and any(line.word(m, *INCOMING) for m in range(i + 1, k)):
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
        elif line.word(which - 1, verb.prep, "from", "in", "to", "on", "at", "through") and preposition_after(verb.prep, line.lowered, which - 1):
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
        """Read "From the Ledger it gets balances": the object stands between the start of the clause and the subject."""
        if verb.prep is None or verb.extra or subject.kind != "refs":
            return []
        end = subject.start - 1 if line.word(subject.start - 1, ",") else subject.start
        for k in range(end - 1, max(-1, end - 8), -1):
            length = preposition_after(verb.prep, line.lowered, k)
            if length and (k == 0 or line.word(k - 1, ",", ";", "and", "then")):
                objects, last = line.objects(k + length, verb.prep)
                return objects if last == end else []
        return []

    # -- passive ------------------------------------------------------------------

    def _passive(self, line: Line, i: int, verb: Verb, subject: Subject, *, finite: bool) -> Match | None:
        agents, agent_end, unknown_agent = self._agents(line, i)
        first = min(subject.start, i)
        after = i + 1
        stranded = verb.prep is not None and line.word(after + len(verb.extra), verb.prep) and line.word(after + len(verb.extra) + 1, "by")
        if (verb.prep is None and not verb.state) or stranded:
            if verb.extra and line.lowered[after : after + len(verb.extra)] != list(verb.extra):
                return None
            return self._patient(line, i, verb, subject, agents, agent_end, unknown_agent, finite)
        if verb.prep is None:
            return None
        objects: list[Ref] = []
        last = i
        for k in range(i + 1, min(len(line.toks), i + 1 + _REACH)):
            if self._stops(line, k):
                break
            if agents and line.word(k, "here", "there") and line.context.subject and self._has_extra(line, verb, i, k):
                objects, last = [Ref(line.context.subject, None, k, k + 1)], k + 1
                break
            length = preposition_after(verb.prep, line.lowered, k)
            if length and self._has_extra(line, verb, i, k):
                objects, last = line.objects(k + length, verb.prep)
                if objects:
                    break
        if not objects:
            objects, last = self._moved_object(line, i, verb, Subject("none", start=subject.start))
        if not objects:
            return None
        holders = self._holders(line, verb, subject, agents, finite=finite)
        return Match(holders, tuple(objects), verb.senses, first, i, max(last, agent_end), past=verb.past) if holders else None

    def _holders(
        self, line: Line, verb: Verb, subject: Subject, agents: list[Ref], *, finite: bool
    ) -> tuple[Ref, ...]:
        """Find whose doing "is kept in Y" is: the agent's, the possessor's, or that of what the page is about."""
        context = line.context
        if verb.state:
            if subject.kind == "refs":
                return subject.refs
            return (Ref(context.subject, None),) if subject.kind == "none" and context.subject else ()
        if agents:
            return tuple(agents)
        if subject.kind == "refs":
            if subject.part:
                return subject.refs
            about = set(context.subject)
            return tuple(r for r in subject.refs if set(r.ids) & about)
        if subject.kind == "unknown" and not subject.loose:
            return ()
        if subject.head in INCOMING:
            return ()
        if not finite and line.current is not None and line.current.kind == "refs" and not line.current.relative:
            return line.current.refs
        return (Ref(context.settled, None),) if context.settled else ()

    def _patient(
        self,
        line: Line,
        i: int,
        verb: Verb,
        subject: Subject,
        agents: list[Ref],
        agent_end: int,
        unknown_agent: bool,
        finite: bool,
    ) -> Match | None:
        context = line.context
        first = min(subject.start, i)
        if subject.part and subject.head and subject.head not in USED_PARTS:
            return None  # whoever runs Heron's jobs need not run Heron
        if subject.kind == "refs":
            patients = tuple(r for r in subject.refs if self._name_meant(line, r, i) or agents)
        elif subject.kind == "none" and context.subject:
            patients = (Ref(context.subject, None),)
        elif subject.part and agents and context.settled:
            patients = (Ref(context.settled, None),)  # "Replica 2 is read by X" on the page of a database
        else:
            return None
        if agents and patients:
            explicit = finite and all(r.text for r in (*patients, *agents)) and line.word(i + 1, "by")
            return Match(tuple(agents), patients, verb.senses, first, i, agent_end, explicit, verb.past)
        if unknown_agent or not finite or not patients or subject.kind != "refs" or subject.part or verb.prep is not None:
            return None
        agent = context.settled
        this = any(line.word(r.start - 1, "this", "that", "these") for r in patients)
        if this or line.word(i + 1, "as") or not agent or subject.relative or any(set(r.ids) & set(agent) for r in patients):
            return None
        return Match((Ref(agent, None),), patients, verb.senses, first, i, i + 1, past=verb.past)

    def _agents(self, line: Line, i: int) -> tuple[list[Ref], int, bool]:
        """Find who did it: (names after "by", where they end, whether "by" names somebody that we do not know)."""
        unknown = False
        for k in range(i + 1, min(len(line.toks), i + 1 + _REACH)):
            if line.border(k) or line.word(k, "and") and not line.word(k + 1, "by"):
                break
            if line.word(k, "by") and not line.word(k + 1, "way", "means"):
                agents, last = line.objects(k + 1, "by")
                if agents:
                    return agents, last, False
                unknown = unknown or not line.word(k + 1, *_HAND)
        return [], i + 1, unknown


def iter_names(line: Line) -> Iterator[int]:
    """Give the indexes of the names of a line."""
    return (i for i, tok in enumerate(line.toks) if tok.kind == "m")

