"""Sentences whose noun or fixed row of words is one of the ontology's.

"Its owner is Edge" · "Hesper Nnadi is the lead of that team" · "Anouk, lead of the Growers" · "Consumers are A and B" ·
"Edge is responsible for Auth" · "the cache is Edge's".
"""

from __future__ import annotations

import re

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import MODIFIERS, NEGATIONS
from kb.extract.phrases.denials import BLOCKED_LABEL
from kb.extract.phrases.grammar import Subject
from kb.extract.phrases.lexicon import Fixed, Lexicon, Noun
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import Match

__all__ = ["NounReader"]

_BE = frozenset(("is", "are", "'s", "'re"))
_BE_PAST = frozenset(("was", "were"))
_ARTICLES = frozenset(
    (
        "the",
        "a",
        "an",
        "one",
        "our",
        "its",
        "their",
        "also",
        "current",
        "main",
        "only",
        "primary",
        "now",
        "of",
        "his",
        "her",
        "your",
        "today",
    )
)


# Before a noun these make it another one.
_ALTERS = re.compile(rf"^(?:vice|assistant|co|second|sub|would-be)$|{BLOCKED_LABEL.pattern}", re.IGNORECASE)


class NounReader:
    """Finds the matches of one line."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def read(self, line: Line) -> list[Match]:
        """Read a line from left to right."""
        found: list[Match] = []
        if not any(tok.kind == "m" or tok.lower == "ours" for tok in line.toks):
            return found
        for i, tok in enumerate(line.toks):
            if tok.kind != "w":
                continue
            match = (
                self._noun_at(line, i)
                or self._fixed_at(line, i)
                or self._possession_at(line, i)
                or self._ours_at(line, i)
                or self._ours_too(line, i)
            )
            if match is not None:
                found.append(match)
        return found

    # -- nouns ----------------------------------------------------------------------

    def _noun_at(self, line: Line, i: int) -> Match | None:
        for noun in self.lexicon.nouns.get(line.lowered[i], ()):
            end = i + len(noun.words)
            if end <= len(line.toks) and all(line.lowered[i + k] in forms for k, forms in enumerate(noun.words)):
                match = (
                    self._is_filler(line, i, end, noun)
                    or self._has_filler(line, i, end, noun)
                    or self._filler_is(line, i, end, noun)
                    or self._apposed(line, i, end, noun)
                    or self._with_as(line, i, end, noun)
                )
                if match is not None:
                    return match
        for noun in self.lexicon.kinds.get(line.lowered[i], ()):
            if self._holder_left(line, i)[0]:
                return self._is_filler(line, i, i + 1, noun)
        return None

    def _is_filler(self, line: Line, i: int, end: int, noun: Noun) -> Match | None:
        """Read "<holder's> noun [of holder] is filler"."""
        holders, first = self._holder_left(line, i)
        at = end
        if line.word(end, "of", "for"):
            holders, at = line.objects(end + 1)
            first = self._article_start(line, i)
        if line.word(at, ","):  # "Its leader, in the sense of boss, is"
            closing = next((k for k in range(at + 1, at + 8) if line.word(k, ",")), None)
            at = closing + 1 if closing is not None and self._be(line, closing + 1, noun) else at
        if not self._be(line, at, noun):
            return None
        at += 1
        while line.word(at, "currently", "now", "mainly", "still", "only", "just", "today"):
            at += 1
        fillers, last = line.objects(at)
        if not fillers or not holders:
            return None
        return Match(tuple(holders), tuple(fillers), noun.senses, first, i, last, past=noun.past)

    def _has_filler(self, line: Line, i: int, end: int, noun: Noun) -> Match | None:
        """Read "holder has two nouns, filler and filler"."""
        has = i - 1
        while has > i - 5 and (
            line.plain(has) or line.word(has, "the", "a", "an", "only", "just", "exactly", "one", "its", "more", "than")
        ):
            if line.word(has, "has", "have", "is", "are"):
                break
            has -= 1
        if not line.word(end, ",", ":", "—", "–"):
            return None
        if line.word(has, "is", "are") and line.word(has - 1, "there") and line.context.subject:
            holders: tuple[Ref, ...] = (Ref(line.context.subject, None),)
            first = has - 1
        elif line.word(has, "has", "have"):
            group = line.group(has)
            holder = line.subject(group.start)
            if group.negated or group.modal or holder.kind != "refs" or holder.part:
                return None
            holders, first = holder.refs, holder.start
        else:
            return None
        fillers, last = line.objects(end + 1)
        return Match(holders, tuple(fillers), noun.senses, first, i, last, past=noun.past) if fillers else None

    def _article_start(self, line: Line, i: int) -> int:
        while i > 0 and line.word(i - 1, *_ARTICLES):
            i -= 1
        return i

    def _holder_left(self, line: Line, i: int) -> tuple[list[Ref], int]:
        """Find whose noun it is: "Edge's", "its", "whose"; else what the page is about, at the start of a sentence."""
        if line.word(i - 1, "'s", "'", "’") and line.name(i - 2):
            return [Ref.of(line.toks[i - 2], i - 2)], i - 2
        context = line.context
        whose = next((k for k in range(i - 1, max(-1, i - 5), -1) if not self._beside(line, k)), -1)
        if line.word(whose, "its", "our", "their"):
            ids = context.subject if line.word(whose, "our") else self._its(line)
            return ([Ref(ids, None)] if ids else []), whose
        if line.word(i - 1, "whose"):
            found = line._possessed(i - 1, plural=False)
            return list(found.refs), found.start
        start = self._article_start(line, i)
        while start > 0 and line.lowered[start - 1] in MODIFIERS:
            start -= 1
        if start == 0 or line.word(start - 1, ":", ";", "—", "–", ","):
            return ([Ref(context.subject, None)] if context.subject else []), start
        return [], i

    def _beside(self, line: Line, k: int) -> bool:
        """Whether a word may stand between "our" and the noun without changing what is said."""
        return line.lowered[k] in MODIFIERS and not line.word(k, "its", "our", "their")

    def _its(self, line: Line) -> tuple[str, ...]:
        if line.current is not None and line.current.kind == "refs":
            return line.current.refs[0].ids
        return line.context.it()

    def _filler_is(self, line: Line, i: int, end: int, noun: Noun) -> Match | None:
        """Read "filler is the noun [of holder]"."""
        be = i - 1
        while be >= 0 and (line.word(be, *_ARTICLES) or (line.plain(be) and i - be <= 3 and not line.name(be))):
            be -= 1
        possessor: list[Ref] = []
        if line.word(be, "'s", "’") and line.name(be - 1) and self._be(line, be - 2, noun):
            possessor = [Ref.of(line.toks[be - 1], be - 1)]
            be -= 2
        if not self._be(line, be, noun) or (
            be == i - 1 and line.lowered[i].endswith("s") is False and not line.word(i - 1, *_BE, *_BE_PAST)
        ):
            return None
        subject = line.subject(line.group(be).start if line.word(be - 1, "also", "now", "still", "currently") else be)
        if subject.kind != "refs" or subject.part:
            return None
        if any(line.word(k, *NEGATIONS) or _ALTERS.search(line.lowered[k]) for k in range(be + 1, i)):
            return None
        holders, last = possessor, end
        if not holders and line.word(end, "of", "for", "to", "at", "in"):
            holders, last = line.objects(end + 1)
            if not holders:
                return None
        whose = next((line.lowered[k] for k in range(be + 1, i) if line.word(k, "their", "its", "our")), "")
        if not holders and whose:
            ids = self._team_of(line) if whose == "their" else line.context.subject
            holders = [Ref(ids, None)] if ids else []
        if not holders and line.word(be + 1, "the", "a", "an", "one") and line.context.subject:
            holders = [Ref(line.context.subject, None)]
        if not holders:
            return None
        return Match(tuple(holders), subject.refs, noun.senses, subject.start, i, last, past=noun.past)

    def _team_of(self, line: Line) -> tuple[str, ...]:
        """Find what "their" means: the last name before it that is not the one it is said of."""
        names = [t.ids for t in line.toks if t.kind == "m"]
        return names[0] if len(names) > 1 else (line.context.recent[-1] if line.context.recent else ())

    def _apposed(self, line: Line, i: int, end: int, noun: Noun) -> Match | None:
        """Read "filler, [the] noun of holder" and "holder's noun[,] filler"."""
        if line.word(end, "of") and line.objects(end + 1)[0]:
            start = self._article_start(line, i)
            if start == i and line.plain(i - 1):
                if _ALTERS.search(line.lowered[i - 1]):
                    return None  # "deputy lead of Edge"
                start -= 1
            if line.word(start - 1, "as") and line.word(start - 2, ","):
                start -= 1  # "Priyanka Rowe, as the lead of Money Movement,"
            if line.word(start - 1, ",") and line.name(start - 2):
                holders, last = line.objects(end + 1)
                return Match(
                    tuple(holders[:1]), (Ref.of(line.toks[start - 2], start - 2),), noun.senses, start - 2, i, last
                )
        if line.word(i - 1, "'s", "’") and line.name(i - 2):
            at = end + 1 if line.word(end, ",", ":") else end
            if line.name(at) and not line.toks[at].weak:
                holder = Ref.of(line.toks[i - 2], i - 2)
                return Match((holder,), (Ref.of(line.toks[at], at),), noun.senses, i - 2, i, at + 1)
        return None

    def _with_as(self, line: Line, i: int, end: int, noun: Noun) -> Match | None:
        """Read "…, with filler as [the] noun": the noun's holder is the nearest thing before it that may have one."""
        at = i - 1
        while line.word(at, "the", "its", "their", "our", "a", "an"):
            at -= 1
        if not line.word(at, "as") or not line.name(at - 1) or not line.word(at - 2, "with") or line.word(end, "of"):
            return None
        if line.plain(end):
            return None
        before = dict.fromkeys(one for k in range(at - 3, -1, -1) if line.name(k) for one in line.toks[k].ids)
        ids = tuple(before) or line.context.subject
        filler = Ref.of(line.toks[at - 1], at - 1)
        return Match((Ref(ids, None),), (filler,), noun.senses, at - 2, i, end, past=noun.past) if ids else None

    def _be(self, line: Line, i: int, noun: Noun | Fixed) -> bool:
        return line.word(i, *_BE) or (noun.past and line.word(i, *_BE_PAST))

    # -- fixed rows -------------------------------------------------------------------

    def _fixed_at(self, line: Line, i: int) -> Match | None:
        for fixed in self.lexicon.fixed.get(line.lowered[i], ()):
            row = list(fixed.words)
            if line.lowered[i : i + len(row)] != row:
                continue
            subject = self._fixed_subject(line, i, fixed)
            if subject is None:
                continue
            objects, last = line.objects(i + len(row))
            if not objects:
                continue
            if subject.kind == "refs" and not subject.part:
                return Match(subject.refs, tuple(objects), fixed.senses, subject.start, i, last, past=fixed.past)
            context = line.context
            short = last <= len(row) + 3 and all(t.kind == "p" for t in line.toks[last:])
            if subject.kind == "none" and context.subject and (len(row) > 1 or short):
                return Match((Ref(context.subject, None),), tuple(objects), fixed.senses, i, i, last, past=fixed.past)
        return None

    def _fixed_subject(self, line: Line, i: int, fixed: Fixed) -> Subject | None:
        """Find the subject of "is <row>"; a row of several words may do without "is" at the start and after a name."""
        group = line.group(i)
        if group.negated or group.modal or (group.be == "past" and not fixed.past):
            return None
        if group.be or not fixed.be:
            return line.subject(group.start)
        if line.word(group.start - 1, "stays", "remains", "stay", "remain"):
            return line.subject(line.group(group.start - 1).start)
        if group.start == 0:
            return Subject("none", start=0)
        if len(fixed.words) == 1:
            return None
        if line.word(group.start - 1, ",") and line.name(group.start - 2):
            return line.subject(group.start - 1)
        return None

    def _ours_at(self, line: Line, i: int) -> Match | None:
        """Read "Our services are A and B"."""
        nouns = i + 1
        while line.plain(nouns) and nouns < i + 4:
            nouns += 1
        if (
            not self.lexicon.possession
            or not line.word(i, "our")
            or not line.word(nouns, "is", "are")
            or nouns == i + 1
        ):
            return None
        if not any(lemma in line.nouns for lemma in line.toks[nouns - 1].lemmas) or not line.context.subject:
            return None
        owned, last = line.objects(nouns + 1)
        senses = tuple(sense.reverse for sense in self.lexicon.possession)
        return Match((Ref(line.context.subject, None),), tuple(owned), senses, i, nouns, last) if owned else None

    def _ours_too(self, line: Line, i: int) -> Match | None:
        """Read "X is ours" on a team's page, "that one's ours as well"."""
        be = line.word(i, "is", "are") or (line.word(i, "'s") and not line.name(i - 1))
        after = i + 1
        while line.word(after, "also", "all", "still", "now", "both"):
            after += 1
        if not self.lexicon.possession or not be or not line.word(after, "ours") or not line.context.page:
            return None
        subject = line.subject(line.group(i).start)
        meant = subject.refs
        if subject.kind == "unknown" and line.word(i - 1, "one") and line.word(i - 2, "that", "this"):
            meant = (Ref(line.context.previous, None, i - 2, i),) if line.context.previous else ()
        if not meant or subject.part:
            return None
        return Match(meant, (Ref(line.context.page, None),), self.lexicon.possession, subject.start, i, after + 1)

    def _possession_at(self, line: Line, i: int) -> Match | None:
        """Read "X is Edge's"."""
        be = line.word(i, "is", "are") or (line.word(i, "'s") and line.word(i - 1, "it", "that", "this"))
        if not self.lexicon.possession or not be or not line.name(i + 1):
            return None
        if not line.word(i + 2, "'s", "’") or line.plain(i + 3) or line.name(i + 3):
            return None
        subject = line.subject(line.group(i).start)
        if subject.kind != "refs":
            return None
        owner = Ref.of(line.toks[i + 1], i + 1)
        return Match(subject.refs, (owner,), self.lexicon.possession, subject.start, i, i + 3)
