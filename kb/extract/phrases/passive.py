"""Verbs in the passive: "is read by Payouts", "the key is checked with Auth", "Loaded by Conveyor"."""

from __future__ import annotations

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import INCOMING, REMARKS, STUFF, USED_PARTS, word_set
from kb.extract.phrases.grammar import Group, Subject
from kb.extract.phrases.lexicon import Verb, preposition_after
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import REACH, Match, VerbPatterns

__all__ = ["Passive"]

# After "by" these say how or when, not who.
_HOW = frozenset(
    ("hand", "default", "design", "mistake", "mail", "post", "phone", "accident", "then", "now", "day", "night")
)
# What is done through something to whatever it leads to, rather than by it.
_USED = word_set(
    "reached accessed called exposed served found opened used entered deployed installed released configured managed "
    "viewed monitored offered operated controlled shown seen tested built updated administered maintained"
)
_IRREGULAR = word_set("sent paid sold told taken given drawn written bought brought put kept fed made done")
_SUPPLIED = word_set("access deployment release configuration setting dashboard interface api endpoint page")


class Passive(VerbPatterns):
    """Finds who does what to whom in the passive."""

    def _passive(self, line: Line, i: int, verb: Verb, subject: Subject, *, finite: bool) -> Match | None:
        agents, agent_end, unknown_agent = self._agents(line, i)
        first = min(subject.start, i)
        after = i + 1
        stranded = (
            verb.prep is not None
            and line.word(after + len(verb.extra), verb.prep)
            and line.word(after + len(verb.extra) + 1, "by")
        )
        if (verb.prep is None and not verb.state) or stranded:
            if verb.extra and line.lowered[after : after + len(verb.extra)] != list(verb.extra):
                return None
            return self._patient(line, i, verb, subject, agents, agent_end, unknown_agent, finite)
        if verb.prep is None:
            return None
        objects: list[Ref] = []
        last = i
        for k in range(i + 1, min(len(line.toks), i + 1 + REACH)):
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
        return (
            Match(
                holders,
                tuple(objects),
                verb.senses,
                first,
                i,
                max(last, agent_end),
                past=verb.past,
                reduced=not finite,
            )
            if holders
            else None
        )

    def _holders(self, line: Line, verb: Verb, subject: Subject, agents: list[Ref], *, finite: bool) -> tuple[Ref, ...]:
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
            return Match(tuple(agents), patients, verb.senses, first, i, agent_end, explicit, verb.past, not finite)
        if (
            unknown_agent
            or not finite
            or not patients
            or subject.kind != "refs"
            or subject.part
            or verb.prep is not None
        ):
            return None
        agent = context.settled
        this = any(line.word(r.start - 1, "this", "that", "these") for r in patients)
        if (
            this
            or line.word(i + 1, "as")
            or not agent
            or subject.relative
            or any(set(r.ids) & set(agent) for r in patients)
        ):
            return None
        return Match((Ref(agent, None),), patients, verb.senses, first, i, i + 1, past=verb.past)

    def _agents(self, line: Line, i: int) -> tuple[list[Ref], int, bool]:
        """Find who did it: (names after "by", where they end, whether "by" names somebody that we do not know)."""
        unknown = False
        for k in range(i + 1, min(len(line.toks), i + 1 + REACH)):
            if line.border(k) or (line.word(k, "and") and not line.word(k + 1, "by")):
                break
            if line.word(k, "by") and not line.word(k + 1, "way", "means"):
                agents, last = line.objects(k + 1, "by")
                if agents:
                    return agents, last, False
                unknown = unknown or not line.word(k + 1, *_HOW)
        return [], i + 1, unknown

    def _being_in(self, line: Line, i: int) -> Match | None:
        """Read "All state is in Y" as "All state is kept in Y", where the ontology says what keeping means."""
        keeping = [
            v
            for base in ("keep", "store", "hold")
            for v in self.lexicon.verbs.get(base, ())
            if v.prep == "in" and not v.state
        ]
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

    def _through(self, line: Line, i: int) -> Match | None:
        """Read "The card is charged through Y" as what the page's thing does by means of Y."""
        low = line.lowered[i]
        if not self.lexicon.through or low in _USED or not (low.endswith("ed") or low in _IRREGULAR):
            return None
        group = line.group(i)
        if group.be != "present" or group.negated or group.modal or group.have:
            return None
        length = preposition_after("through", line.lowered, i + 1)
        objects, last = line.objects(i + 1 + length, "through") if length else ([], i)
        subject = line.subject(group.start)
        if not objects or subject.kind == "refs" or subject.relative or not subject.loose or line.word(last, "by"):
            return None
        stem = subject.head.removesuffix("s")
        if subject.head in INCOMING or stem + "s" in INCOMING or subject.head in REMARKS or stem in _SUPPLIED:
            return None
        if not line.context.settled:
            return None
        return Match((Ref(line.context.settled, None),), tuple(objects), self.lexicon.through, subject.start, i, last)

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
