"""From matches to statements: is it meant as a fact, which relation fits, which entity is which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Ref
from kb.extract.phrases.denials import DATED, HYPOTHETICAL, NOT_FACT, SENTENCE_OUT
from kb.extract.phrases.lexicon import Sense
from kb.extract.phrases.line import Line
from kb.extract.phrases.matches import Match
from kb.model import Entity
from kb.vocabulary import Vocabulary

__all__ = ["Edge", "Facts"]

# What follows one of these says something else about the world, and leaves the clause before it as true as it was.
_CLAUSE_BORDERS = frozenset(
    (*",;:—–", "but", "so", "because", "while", "although", "though", "when", "where", "why", "how")
)
_AFTERTHOUGHT = ("so", "but", "because", "since", "although", "though", "while", "whereas", "as", "whose", "where")


@dataclass(frozen=True, slots=True)
class Edge:
    """subject relation object as ids in the stored direction, and the names that a statement should use."""

    subject: str
    relation: str
    object: str
    subject_name: str
    object_name: str


class Facts:
    """Decides what a match says."""

    def __init__(self, vocabulary: Vocabulary, entities: dict[str, Entity]) -> None:
        self.vocabulary = vocabulary
        self.entities = entities
        self.types = {one.id: one.type for one in entities.values()}

    # -- relations and types ----------------------------------------------------

    def edges(
        self, subjects: Sequence[Ref], senses: Sequence[Sense], objects: Sequence[Ref], *, explicit: bool = False
    ) -> list[Edge]:
        """Pair subjects with objects by the first sense whose types fit; by the only one if the page is explicit."""
        found: list[Edge] = []
        for subject in subjects:
            for object_ in objects:
                edge = self._pair(subject, senses, object_, explicit)
                if edge is not None and edge not in found:
                    found.append(edge)
        return found

    def _pair(self, subject: Ref, senses: Sequence[Sense], object_: Ref, explicit: bool) -> Edge | None:
        tries = [(subject.ids, object_.ids), (subject.fallback, object_.ids), (subject.ids, object_.fallback)]
        for subject_ids, object_ids in tries:
            if set(subject_ids) & set(object_ids):
                continue
            for sense in senses:
                for s in subject_ids:
                    for o in object_ids:
                        if self.fits(sense, s, o):
                            return self._edge(sense, s, o, subject, object_)
        apart = not set(subject.ids) & set(object_.ids)
        if explicit and apart and subject.ids and object_.ids and len({sense.relation for sense in senses}) == 1:
            return self._edge(senses[0], subject.ids[0], object_.ids[0], subject, object_)
        return None

    def of_kind(
        self, subjects: Sequence[Ref], senses: Sequence[Sense], objects: Sequence[Ref], hints: Sequence[Sense] = ()
    ) -> list[Edge]:
        """Relate a thing to what a key in the singular gives as its "store" or "room".

        By the one of `hints` that fits; else by the one relation that reads from it to things of that type, of several
        the one whose types are the narrowest, unless it may read the other way round as well.
        """
        found: list[Edge] = []
        for subject in subjects:
            for object_ in objects:
                fitting = [
                    (s, self._width(s))
                    for s in senses
                    if any(self.fits(s, a, b) for a in subject.ids for b in object_.ids)
                ]
                forward = [one for one in fitting if not one[0].flipped] or fitting
                narrowest = min((width for _, width in forward), default=0)
                best = [sense for sense, width in forward if width == narrowest]
                told = [sense for sense, _ in fitting if sense in hints]
                either = {sense for sense, _ in fitting}
                best = told if len(told) == 1 else [sense for sense in best if sense.reverse not in either]
                if len(best) == 1:
                    found.extend(self.edges([subject], best, [object_]))
        return found

    def _width(self, sense: Sense) -> int:
        everything = len(self.vocabulary.classes)
        pairs = self.vocabulary.relations[sense.relation].signatures
        return sum(
            (len(self.vocabulary.descendants(s)) if s else everything)
            * (len(self.vocabulary.descendants(o)) if o else everything)
            for s, o in pairs
        )

    def fits(self, sense: Sense, subject: str, object_: str) -> bool:
        """Whether the shapes could accept the relation between things of these types."""
        if sense.flipped:
            subject, object_ = object_, subject
        relation = self.vocabulary.relations[sense.relation]
        return self.vocabulary.fits(relation, self.types[subject], self.types[object_])

    def _edge(self, sense: Sense, subject: str, object_: str, subject_ref: Ref, object_ref: Ref) -> Edge:
        ends = [
            (subject, subject_ref.text or self.entities[subject].name),
            (object_, object_ref.text or self.entities[object_].name),
        ]
        if sense.flipped:
            ends.reverse()
        return Edge(ends[0][0], sense.relation, ends[1][0], ends[0][1], ends[1][1])

    # -- is it a fact -------------------------------------------------------------

    def meant(self, line: Line, match: Match, quoted: Iterable[int]) -> bool:
        """Whether the clause of a match states something as true now."""
        if match.verb in set(quoted):
            return False
        segment, clause = self._segment(line, match), self._clause(line, match)
        said = _slice(line, *segment)
        if SENTENCE_OUT.search(said) or (match.reduced and not match.past and DATED.search(said)):
            return False
        before = _slice(line, segment[0], match.verb)
        opened = None
        for found in HYPOTHETICAL.finditer(before):
            opened = found
        if opened is not None and not _main_clause(line, match, before[opened.end() :]):
            return False
        negated = _slice(line, clause, _last_object(match))
        return NOT_FACT.search(_harmless(negated)) is None

    def _segment(self, line: Line, match: Match) -> tuple[int, int]:
        """Bound the part between semicolons, colons and dashes, with a few words that introduce it before a colon."""
        start, end = match.first, match.last
        while start > 0 and line.lowered[start - 1] not in (";", ":", "—", "–"):
            start -= 1
        if start > 0 and line.lowered[start - 1] == ":" and start <= 5:
            start = 0
        while end < len(line.toks) and line.lowered[end] not in (";", ":", "—", "–"):
            only = line.word(end + 1, "but", "though") and line.word(end + 2, "only", "just", "so")
            if line.lowered[end] == "," and line.word(end + 1, *_AFTERTHOUGHT) and not only:
                break
            end += 1
        for k in range(match.first - 1, start, -1):
            if line.word(k, "so", "but") and line.word(k - 1, ","):
                return k, end
        return start, end

    def _clause(self, line: Line, match: Match) -> int:
        start = min(match.first, match.verb)
        while start > 0:
            low = line.lowered[start - 1]
            if low in _CLAUSE_BORDERS:
                break
            if low in ("and", "then") and start == match.first:
                break
            start -= 1
        return start


def _main_clause(line: Line, match: Match, between: str) -> bool:
    """Whether a comma or "then" ends the "if" clause before the subject."""
    return "," in between and line.word(match.first - 1, ",", "then", "so")


def _last_object(match: Match) -> int:
    ends = [r.start for r in (*match.objects, *match.subjects) if r.start >= 0]
    return max([match.verb + 1, *ends])


def _slice(line: Line, start: int, end: int) -> str:
    """Cut the words of the tokens `start`..`end` out of the sentence."""
    if start >= end or start >= len(line.toks):
        return ""
    end = min(end, len(line.toks))
    parts: list[str] = []
    previous = None
    for tok in line.toks[start:end]:
        glue = "" if previous is not None and previous == tok.start else " "
        parts.append(glue + ("NAME" if tok.kind == "m" else tok.lower))
        previous = tok.end
    return "".join(parts).strip()


def _harmless(text: str) -> str:
    """Take out negative words that deny nothing ("not only", "no doubt", "nothing but")."""
    for row in (
        "not only",
        "not just",
        "no doubt",
        "nothing but",
        "no less",
        "whether or not",
        "no matter",
        "none other than",
        "n't just",
        "n't only",
    ):
        text = text.replace(row, " ")
    return text
