"""What stands before a verb: names, pronouns, "the service", "whose screen", or nothing."""

from __future__ import annotations

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import (
    CLAUSE_START,
    GROUP_WORDS,
    NEGATIONS,
    OTHER_PARTY,
    PART_NOUNS,
    PREPOSITIONS,
    STUFF,
    USED_PARTS,
    word_set,
)
from kb.extract.phrases.grammar import (
    CLOSED,
    COLLECTIVE,
    COORDINATORS,
    DETERMINERS,
    MAX_NOUNS,
    PARENTHESIS,
    POSSESSIVES,
    RELATIVE,
    SUBJECT_PRONOUNS,
    Row,
    Subject,
)

__all__ = ["Subjects"]


# What is called so is "they".
_BODIES = word_set("team group crew squad band company firm organisation organization committee department supplier")
_WHOEVER = word_set("whoever anyone anybody everyone everybody whatever those people someone somebody anything")


class Subjects(Row):
    """A row of tokens that knows how to find the subject of a verb."""

    # -- subjects ---------------------------------------------------------------

    def subject(self, at: int, *, depth: int = 0) -> Subject:
        """Find what stands before the verb group that starts at `at`."""
        i = at - 1
        if i < 0:
            return Subject("none", start=at)
        low = self.lowered[i]
        if low in ('"', "'", "”", "’", "“", "*") and i > 0:
            return self.subject(i, depth=depth)
        if low == ",":
            return self._after_comma(i, at, depth)
        if low in COORDINATORS or low in ("&", "but", "so", "also"):
            if low == "and" and self.word(i - 1, ",") and self.current is None and self._starts_bare():
                return Subject("none", start=at)
            return self._carried(at)
        if self.name(i):
            return self._names(i, singular=self._singular(at))
        if low in SUBJECT_PRONOUNS or (low == "them" and self.word(i - 1, "of")):
            return self._pronoun(i)
        if low in RELATIVE:
            return self._relative(i)
        if low in (":", ";", "—", "–", ".", "!", "→", "-"):
            return self._after_mark(i, at)
        if low == "to" or (self.word(at, "to")):
            return Subject("unknown", start=at)
        if low in PREPOSITIONS or low in CLAUSE_START:
            return (
                self._carried(at)
                if low in ("by", "after", "before", "when", "while", "so")
                else Subject("unknown", start=at)
            )
        return self._nouns_left(i)

    def _starts_bare(self) -> bool:
        return bool(self.toks) and not self.name(0) and not self.plain(0)

    def _carried(self, at: int) -> Subject:
        """Carry the subject of the clause before over to a verb joined by "and"."""
        if self.current is None:
            # "Scores, and asks Auth": the sentence has begun with a verb and left its subject out.
            bare = self.word(1, ",", "and") and self.plain(0) and self.lowered[0].endswith("s") and at <= 4
            return Subject("none" if bare else "unknown", start=at)
        kept = self.current
        return Subject(kept.kind, kept.refs, at, kept.plural, kept.part, kept.loose, other=kept.other, head=kept.head)

    def _after_comma(self, i: int, at: int, depth: int) -> Subject:
        """Look over a parenthesis between commas ("Payouts, of course, asks"), else carry the subject on."""
        if depth < 2:
            for j in range(i - 1, max(-1, i - 16), -1):
                if self.word(j, ","):
                    opens = self.word(j + 1, *PARENTHESIS) or (self.plain(j + 1) and self.word(j + 2, *PREPOSITIONS))
                    # "A, the B, C call" is a list; "A, like B, calls" and "A, led by B, owns" are not.
                    row = self.word(j + 1, "the", "a", "our") and any(
                        self.name(k) and self.word(k + 1, ",") for k in range(j + 1, i)
                    )
                    if self.name(j - 1) and opens and not row:
                        return self.subject(j, depth=depth + 1)
                    break
                if self.border(j) and not self.word(j, "which", "who"):
                    break
        if self.current is not None:
            return self._carried(at)
        if self.name(0) and self.word(1, ":", "—", "–", "-"):
            return self._names(0)  # "Refunds: owned by Edge, calls Heron"
        return Subject("none" if not any(self.name(k) for k in range(i)) else "unknown", start=at, loose=True)

    def _after_mark(self, i: int, at: int) -> Subject:
        """After "Checkout:" or "Checkout —" the name before the mark; after other marks nothing is left over."""
        if self.name(i - 1) and i - 1 <= 1:
            return self._names(i - 1)
        return Subject("none", start=at)

    def _pronoun(self, i: int) -> Subject:
        low = self.lowered[i]
        context = self.context
        if low in ("we", "i"):
            ids = context.subject
            return (
                Subject("refs", (Ref(ids, None, i, i + 1),), i, plural=True)
                if ids
                else Subject("unknown", start=i, plural=True)
            )
        if low in ("he", "she"):
            # The nearest name before it that fits; whether it is a person's only the relation can tell.
            before = tuple(dict.fromkeys(one for k in range(i - 1, -1, -1) if self.name(k) for one in self.toks[k].ids))
            ids = before or context.it()
            meant = Ref(ids, None, i, i + 1, fallback=context.it())
            return Subject("refs", (meant,), i) if ids else Subject("unknown", start=i)
        if low in ("it", "this", "that"):
            if low in ("it", "he", "she") and self.current is not None:
                kept = self.current
                if kept.kind == "refs" and len(kept.refs) == 1:
                    meant = Ref(kept.refs[0].ids, None, i, i + 1, fallback=context.it())
                    return Subject("refs", (meant,), i)
                if kept.kind == "unknown":
                    return Subject("unknown", start=i)
            ids = context.it() if low in ("it", "he", "she") else context.subject
            if not ids:
                return Subject("unknown", start=i)
            return Subject("refs", (Ref(ids, None, i, i + 1, fallback=context.subject),), i)
        if low == "they" and self.current is not None and len(self.current.refs) > 1:
            return Subject("refs", tuple(Ref(r.ids, None, i, i + 1) for r in self.current.refs), i, plural=True)
        several = self._both_before(i) if low == "them" else ()
        if several:
            return Subject("refs", several, i, plural=True)
        group = self._group() if low == "they" and (self.current is None or self.current.start == i) else ()
        if group:
            return Subject("refs", (Ref(group, None, i, i + 1),), i, plural=True)
        loose = low in ("these", "those")
        return Subject("unknown", start=i, plural=loose or low in ("they", "you", "there"), loose=loose)

    def _group(self) -> tuple[str, ...]:
        """Find what "they" at the start of a sentence means, if that is one body of people."""
        context = self.context
        bodies = frozenset().union(*(types for noun, types in self.nouns.items() if noun in _BODIES))
        if context.previous is None:
            return tuple(one for one in context.subject if context.types[one] in bodies)
        meant = tuple(one for one in context.previous if context.types[one] in bodies)
        near = {one for ids in context.recent[-3:] for one in ids if context.types[one] in bodies}
        return meant or (tuple(near) if len(near) == 1 else ())

    def _both_before(self, i: int) -> tuple[Ref, ...]:
        """Give the two things that "them both" and "both of them" mean: the only two named before, or the last pair."""
        if not (self.word(i + 1, "both") or (self.word(i - 1, "of") and self.word(i - 2, "both"))):
            return ()
        taken = {r.ids for r in self.current.refs} if self.current is not None and self.word(i + 1, "both") else set()
        nearest = next((self.toks[k].ids for k in range(i - 1, -1, -1) if self.name(k)), ())
        taken = {nearest} if nearest in taken else taken  # "A calls B, and C serves them both"
        named = dict.fromkeys(t.ids for t in self.toks[:i] if t.kind == "m" and t.ids not in taken)
        pair = tuple(named) or tuple(r.ids for r in self.context.pair)
        return tuple(Ref(ids, None, i, i + 1) for ids in pair) if len(pair) == 2 else ()

    def _relative(self, i: int) -> Subject:
        """Find what "which" stands for: the name right before it."""
        j = i - 1
        if j < 0 and self.aside and self.context.item:
            return Subject("refs", (Ref(self.context.item, None, i, i + 1),), i, relative=True)
        if self.word(j, ","):
            j -= 1
        if self.name(j):
            cleft = self.word(j - 1, "is", "'s") and self.word(j - 2, "it", "that")  # "It is X that calls Y"
            if j == i - 1 and self.lowered[i] != "who" and not cleft:
                return Subject("unknown", start=i, relative=True)  # "asks Settlement which batches are closed"
            return Subject("refs", (Ref.of(self.toks[j], j),), i, plural=self.lowered[i] == "who", relative=True)
        left = self._nouns_left(j) if j >= 0 and self.toks[j].kind == "w" else Subject("unknown")
        if left.kind == "refs" and not left.part and self.lowered[i] != "that":
            return Subject("refs", left.refs, i, left.plural, relative=True)
        be = left.start - 1
        if left.kind == "unknown" and self.word(be, "is", "are", "'s"):
            outer = self.subject(self.group(be).start)  # "X is the only program which reads it"
            if outer.kind == "refs" and not outer.part:
                return Subject("refs", outer.refs, i, left.plural or self.lowered[j].endswith("s"), relative=True)
        if left.kind == "unknown" and self._only_verb_before(left.start) and self.context.subject:
            # "Provides an interface that forwards messages to X": the unnamed subject does both.
            return Subject("refs", (Ref(self.context.subject, None, i, i + 1),), i, left.plural, relative=True)
        loose = left.kind == "unknown" and (left.loose or self.word(be, "is", "are")) and self.word(i - 1, ",")
        return Subject("unknown", start=i, relative=True, loose=loose, other=left.other, head=left.head)

    def _only_verb_before(self, start: int) -> bool:
        """Whether a sentence begins with a verb in the third person, and nothing else stands before token `start`."""
        return start == 1 and self.plain(0) and self.lowered[0].endswith("s")

    def _singular(self, at: int) -> bool:
        """Whether the verb group at `at` has one subject: of "…, and Edge is led by" only Edge."""
        low = self.lowered[at] if at < len(self.toks) else ""
        return low in ("is", "has", "does", "was", "isn't", "hasn't", "doesn't", "wasn't") and self.word(at - 2, "and")

    def _names(self, i: int, *, singular: bool = False) -> Subject:
        """Gather the name at `i` and those joined to it on the left."""
        refs = [Ref.of(self.toks[i], i)]
        first = i
        j = i - 1
        while not singular:
            k = self._skip_left(j)
            joined = False
            while k >= 0 and self.lowered[k] in (",", "and", "or", "&", "/", "as", "well", "plus"):
                k -= 1
                joined = True
            if not joined or not self.name(k):
                break
            refs.append(Ref.of(self.toks[k], k))
            first, j = k, k - 1
        start = self._skip_left(first - 1) + 1
        if self.word(first - 1, "a", "an") or (self.word(0, *_WHOEVER) and not self.word(first - 1, ",", "and")):
            return Subject("unknown", start=start)
        if self.word(start - 1, *PREPOSITIONS) and not self.word(start - 1, "like", "as", "than"):
            joined = self.word(self._skip_left(i - 1), "and")
            if len(refs) > 1 and joined and self.plain(i + 1) and self.lowered[i + 1].endswith("s"):
                return Subject("refs", tuple(refs[:1]), i)  # "It works with X, and Y asks Z"
            return self._inside_phrase(start - 1, refs, start)
        if self.word(start - 1, "neither", "no", "nobody", "none"):
            return Subject("unknown", start=start - 1)
        if self._in_relative_clause(start):
            return Subject("unknown", start=start)
        return Subject("refs", tuple(reversed(refs)), start, plural=len(refs) > 1)

    def _in_relative_clause(self, start: int) -> bool:
        """Whether the name at `start` is the object of a clause inside: "The bot that reads X belongs to Y"."""
        k = start - 1
        while k > max(0, start - 6) and (self.plain(k) or self.lowered[k] in GROUP_WORDS):
            k -= 1
        return start - 1 > k > 0 and self.word(k, "that", "which", "who") and self.plain(k - 1)

    def _skip_left(self, j: int) -> int:
        """Skip determiners and the like to the left of a name."""
        while j >= 0 and (
            self.lowered[j] in DETERMINERS
            or self.lowered[j] in ("both", "only", "just", "even", "service", "team", '"', "“", "'")
        ):
            j -= 1
        return j

    def _inside_phrase(self, prep: int, refs: list[Ref], start: int) -> Subject:
        """Judge a name after a preposition: it is no subject, unless a part of it is ("the workers of Checkout")."""
        if self.word(prep, "of"):
            if self.word(prep - 1, "both", "all", "each"):
                return Subject("refs", tuple(reversed(refs)), prep - 1, plural=not self.word(prep - 1, "each"))
            if self.plain(prep - 1) and self.lowered[prep - 1] in PART_NOUNS:
                head = self.lowered[prep - 1]
                plural = head.endswith("s") or head in COLLECTIVE
                return Subject("refs", tuple(reversed(refs)), prep - 1, plural, part=True, head=head)
        return Subject("unknown", start=start)

    def _nouns_left(self, i: int) -> Subject:
        """Judge the noun phrase that ends at `i`."""
        start = i
        while start > 0 and i - start < MAX_NOUNS and self._in_phrase(start - 1):
            start -= 1
        last = i - 1 if self.lowered[i].isdigit() and i > start else i
        while (
            self.word(start - 1, "of", "for", "in", "from", "on", "with", "to") and start > 1 and self.plain(start - 2)
        ):
            # The head stands before the preposition: "tokens of incoming calls".
            last = start - 2
            start = last
            while start > 0 and last - start < MAX_NOUNS and self._in_phrase(start - 1):
                start -= 1
        head, first = self.lowered[last], self.lowered[start]
        plural = (head.endswith("s") and not head.endswith("ss")) or head in COLLECTIVE
        possessive = next((k for k in range(start, i + 1) if self.lowered[k] in POSSESSIVES), None)
        if possessive is not None:
            return self._possessed(possessive, plural=plural, head=head)
        if self.word(start - 1, "'s", "'", "’") and self.name(start - 2):
            tok = self.toks[start - 2]
            return Subject("refs", (Ref.of(tok, start - 2),), start - 2, plural=plural, part=True, head=head)
        if self.name(start - 1) and not self.toks[start - 1].weak and (head in PART_NOUNS or head in STUFF):
            tok = self.toks[start - 1]  # "Runway secrets", "Checkout pods"
            return Subject("refs", (Ref.of(tok, start - 1),), start - 1, plural=plural, part=True, head=head)
        if first in ("the", "this", "that", "our") and i - start <= 3 and last == i:
            ids = self.context.called(head, self.nouns, self.toks[i].lemmas)
            if ids:
                return Subject(
                    "refs", (Ref(ids, None, start, i + 1),), start, plural=plural and not self._heads(ids, head)
                )
        if first == "both" and i == start and len(self.context.pair) == 2:
            return Subject("refs", tuple(Ref(r.ids, r.text, i, i + 1) for r in self.context.pair), i, plural=True)
        plural = plural or (self.word(start - 1, "and") and self.plain(start - 2))
        other = head in OTHER_PARTY or any(one in OTHER_PARTY for one in self.toks[last].lemmas)
        negative = any(self.lowered[k] in NEGATIONS for k in range(start, i + 1))
        opening = (
            start == 0
            or self.word(start - 1, ",", ":", ";", "and", "then", "—", "–", "-")
            or self.word(start - 1, *PREPOSITIONS)
        )
        # "Postillon" and "Halcyon Data" are somebody; in "the API key" the capitals are only an abbreviation's.
        unknown_name = last > 0 and self.toks[last].text[:1].isupper()
        loose = opening and not negative and not unknown_name
        part = loose and head in USED_PARTS and head not in self.nouns
        return Subject("unknown", start=start, plural=plural, loose=loose, other=other, part=part, head=head)

    def _heads(self, ids: tuple[str, ...], head: str) -> bool:
        return any(head in self.context.heads.get(one, ()) for one in ids)

    def _in_phrase(self, i: int) -> bool:
        low = self.lowered[i]
        if low == "'s" and i > 0 and self.plain(i - 1):
            return True  # "the merchant's profile"
        if self.toks[i].kind != "w":
            return low == "-" or (low in "\"“”'" and low != "")
        return low not in CLOSED or low in DETERMINERS or low in POSSESSIVES

    def _possessed(self, i: int, *, plural: bool, head: str = "") -> Subject:
        """Resolve "its queue", "our list", "whose screen": the thing that has it."""
        low = self.lowered[i]
        if low == "whose":
            found = self._relative(i)
            return Subject(found.kind, found.refs, found.start, plural, part=True, relative=True, head=head)
        if low == "our":
            ids = self.context.subject
        elif low == "its":
            kept = self.current
            known = kept is not None and kept.kind == "refs" and len(kept.refs) == 1
            ids = kept.refs[0].ids if known and kept is not None else self.context.it()
        else:
            ids = ()
        if not ids:
            return Subject("unknown", start=i, plural=plural)
        return Subject("refs", (Ref(ids, None, i, i + 1),), i, plural, part=True, head=head)
