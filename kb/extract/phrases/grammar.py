"""Shallow grammar of one row of tokens: noun phrases to the left and right, verb groups, clause borders.

There is no tagger. What a word is follows from closed lists (prepositions, auxiliaries, pronouns), from the catalogue
(names) and from the ontology (its verbs and nouns); everything else is taken for a noun or an adjective.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.cues import (
    AFTER_OBJECT,
    CLAUSE_START,
    CONTROL,
    GROUP_WORDS,
    MODALS_OK,
    MODALS_OUT,
    NEGATIONS,
    OTHER_PARTY,
    PART_NOUNS,
    PREPOSITIONS,
    STUFF,
    USED_PARTS,
)
from kb.extract.phrases.lexicon import preposition_after
from kb.extract.phrases.tokens import Tok
from kb.language import NUMBER_WORDS

__all__ = ["BE_PRESENT", "Group", "Line", "Subject"]

BE_PRESENT = frozenset(("is", "are", "am", "'s", "'re", "'m", "be", "being", "isn't", "aren't", "gets", "get"))
_BE_PAST = frozenset(("was", "were", "wasn't", "weren't", "got"))
_HAVE = frozenset(("has", "have", "had", "'ve", "having", "hasn't", "haven't", "hadn't"))
_DID = frozenset(("did", "didn't"))
_AUX = BE_PRESENT | _BE_PAST | _HAVE | _DID | MODALS_OUT | MODALS_OK | {"been", "to"}
_DETERMINERS = frozenset("the a an this that these those our its their his her your my each every all both any some".split())  # noqa: SIM905
_SUBJECT_PRONOUNS = frozenset("it we they he she this these those i you there".split())  # noqa: SIM905
_POSSESSIVES = frozenset(("its", "our", "their", "whose", "his", "her"))
_RELATIVE = frozenset(("which", "that", "who"))
_COORDINATORS = frozenset(("and", "or", "then", "plus"))
_CLOSED = (
    PREPOSITIONS
    | CLAUSE_START
    | _AUX
    | GROUP_WORDS
    | _DETERMINERS
    | _SUBJECT_PRONOUNS
    | {"and", "or", "nor", "plus", "us", "them", "him", "here", "there", "today", "now", "how", "what", "why", "not", "too", "etc", "first"}
)
_PARENTHESIS = frozenset("which who of like for in as at on with by too our the a an via also being or once formerly after before when while since".split())  # noqa: SIM905
_COLLECTIVE = frozenset(("staff", "people", "data", "police", "media"))
_MAX_NOUNS = 7


@dataclass(slots=True)
class Group:
    """The auxiliaries and adverbs before a verb. `start` is the index of the first of them."""

    start: int
    be: str = ""
    have: bool = False
    did: bool = False
    does: bool = False
    to: bool = False
    modal: bool = False
    must: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What stands before a verb group. `kind`: refs, unknown, or none (the sentence has left it out).

    `start` is where the phrase begins, `plural` whether its verb would be a plural. `part` says that a part of the
    named thing was meant ("Auth's tokens", "our list"); `loose` that it is a plain noun phrase at the start ("Events"),
    `other` that this means somebody else ("users"); `head` is its noun.
    """

    kind: str
    refs: tuple[Ref, ...] = ()
    start: int = 0
    plural: bool = False
    part: bool = False
    loose: bool = False
    relative: bool = False
    other: bool = False
    head: str = ""


class Line:
    """Tokens of a sentence without what stands in parentheses, and the context it is read in."""

    def __init__(self, toks: Sequence[Tok], context: Context, nouns: dict[str, frozenset[str]]) -> None:
        self.toks = toks
        self.context = context
        self.nouns = nouns
        self.lowered = [t.lower if t.kind == "w" else ("\x00" if t.kind == "m" else t.text) for t in toks]
        self.current: Subject | None = None
        self.opening: Subject | None = None

    # -- small questions ------------------------------------------------------

    def word(self, i: int, *candidates: str) -> bool:
        """Whether token `i` is one of these words or marks."""
        return 0 <= i < len(self.toks) and self.lowered[i] in candidates

    def name(self, i: int) -> bool:
        """Whether token `i` is a name."""
        return 0 <= i < len(self.toks) and self.toks[i].kind == "m"

    def plain(self, i: int) -> bool:
        """Whether token `i` is an open-class word: a noun, adjective or unknown verb."""
        return 0 <= i < len(self.toks) and self.toks[i].kind == "w" and self.lowered[i] not in _CLOSED and not _adverb(self.lowered[i])

    def border(self, i: int) -> bool:
        """Whether a clause ends at token `i`."""
        if not 0 <= i < len(self.toks):
            return True
        return self.lowered[i] in CLAUSE_START or self.lowered[i] in (";", ":", "—", "–", ".", "!", "?", "→")

    # -- verb groups ----------------------------------------------------------

    def group(self, verb: int) -> Group:
        """Read the auxiliaries and adverbs to the left of the verb at `verb`."""
        found = Group(verb)
        i = verb - 1
        while i >= 0:
            low = self.lowered[i]
            if low == "'s" and self.name(i - 1) and not (found.start < verb or self._participle_like(verb)):
                break
            if low == "turn":
                opens = i - 2 if self.word(i - 1, "its", "their", "his", "her", "our") else i - 1
                if self.word(opens, "in"):
                    found.start, i = opens, opens - 1
                    continue
            if low in _AUX:
                self._auxiliary(found, low, softened=self.word(i + 1, "only", "just", "merely"))
            elif low in NEGATIONS or low in ("never", "not"):
                if low in ("nothing", "nobody", "none", "without", "no", "neither", "nor", "except", "unlike"):
                    break
                found.negated = found.negated or not self.word(i + 1, "only", "just", "merely")
            elif low in GROUP_WORDS or _adverb(low):
                if low in ("both", "all", "each") and not (self.name(i - 1) or self.word(i - 1, "they", "we")):
                    break
            else:
                break
            found.start = i
            if low == "to":
                break
            i -= 1
        return found

    def _participle_like(self, verb: int) -> bool:
        return self.lowered[verb].endswith(("ed", "en", "pt", "nt", "ld")) and self.word(verb + 1, "by", "in", "from", "to", "with")

    def _auxiliary(self, group: Group, low: str, *, softened: bool) -> None:
        if low.endswith("n't") and not softened:  # "doesn't just call Auth"
            group.negated = True
        if low in BE_PRESENT and not group.be:
            group.be = "present" if low != "be" else "be"
        elif low in _BE_PAST:
            group.be = "past"
        elif low == "been":
            group.be = "been"
        elif low in _HAVE:
            group.have = True
        elif low in _DID:
            group.did = True
        elif low == "to":
            group.to = True
        elif low in MODALS_OUT:
            group.modal = True
        elif low == "must":
            group.must = True
        elif low in MODALS_OK:
            group.does = True

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
        if low in _COORDINATORS or low in ("&", "but", "so", "also"):
            if low == "and" and self.word(i - 1, ",") and self.current is None and self._starts_bare():
                return Subject("none", start=at)
            return self._carried(at)
        if self.name(i):
            return self._names(i, singular=self._singular(at))
        if low in _SUBJECT_PRONOUNS:
            return self._pronoun(i)
        if low in _RELATIVE:
            return self._relative(i, at)
        if low in (":", ";", "—", "–", ".", "!", "→", "-"):
            return self._after_mark(i, at)
        if low == "to" or (self.word(at, "to")):
            return Subject("unknown", start=at)
        if low in PREPOSITIONS or low in CLAUSE_START:
            return self._carried(at) if low in ("by", "after", "before", "when", "while", "so") else Subject("unknown", start=at)
        return self._nouns_left(i)

    def _starts_bare(self) -> bool:
        return bool(self.toks) and not self.name(0) and not self.plain(0)

    def _carried(self, at: int) -> Subject:
        """Carry the subject of the clause before over to a verb joined by "and"."""
        if self.current is None:
            return Subject("unknown", start=at)
        kept = self.current
        return Subject(kept.kind, kept.refs, at, kept.plural, kept.part, kept.loose, other=kept.other, head=kept.head)

    def _after_comma(self, i: int, at: int, depth: int) -> Subject:
        """Look over a parenthesis between commas ("Payouts, of course, asks"), else carry the subject on."""
        if depth < 2:
            for j in range(i - 1, max(-1, i - 16), -1):
                if self.word(j, ","):
                    opens = self.word(j + 1, *_PARENTHESIS) or (self.plain(j + 1) and self.word(j + 2, *PREPOSITIONS))
                    # "A, the B, C call" is a list; "A, like B, calls" and "A, led by B, owns" are not.
                    row = self.word(j + 1, "the", "a", "our") and any(self.name(k) and self.word(k + 1, ",") for k in range(j + 1, i))
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
            return Subject("refs", (Ref(ids, None, i, i + 1),), i, plural=True) if ids else Subject("unknown", start=i, plural=True)
        if low in ("it", "this", "that", "he", "she"):
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
        loose = low in ("these", "those")
        return Subject("unknown", start=i, plural=loose or low in ("they", "you", "there"), loose=loose)

    def _relative(self, i: int, at: int) -> Subject:
        """Find what "which" stands for: the name right before it."""
        j = i - 1
        if self.word(j, ","):
            j -= 1
        if self.name(j):
            if j == i - 1 and self.lowered[i] != "who":
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
        loose = left.kind == "unknown" and (left.loose or self.word(be, "is", "are")) and self.word(i - 1, ",")
        return Subject("unknown", start=i, relative=True, loose=loose, other=left.other, head=left.head)

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
        if self.word(first - 1, "a", "an"):
            return Subject("unknown", start=start)
        if self.word(start - 1, *PREPOSITIONS) and not self.word(start - 1, "like", "as", "than"):
            return self._inside_phrase(start - 1, refs, start)
        if self.word(start - 1, "neither", "no", "nobody", "none"):
            return Subject("unknown", start=start - 1)
        return Subject("refs", tuple(reversed(refs)), start, plural=len(refs) > 1)

    def _skip_left(self, j: int) -> int:
        """Skip determiners and the like to the left of a name."""
        while j >= 0 and (self.lowered[j] in _DETERMINERS or self.lowered[j] in ("both", "only", "just", "even", "service", "team", '"', "“", "'")):
            j -= 1
        return j

    def _inside_phrase(self, prep: int, refs: list[Ref], start: int) -> Subject:
        """Judge a name after a preposition: it is no subject, unless a part of it is ("the workers of Checkout")."""
        if self.word(prep, "of"):
            if self.word(prep - 1, "both", "all", "each"):
                return Subject("refs", tuple(reversed(refs)), prep - 1, plural=not self.word(prep - 1, "each"))
            if self.plain(prep - 1) and self.lowered[prep - 1] in PART_NOUNS:
                head = self.lowered[prep - 1]
                plural = head.endswith("s") or head in _COLLECTIVE
                return Subject("refs", tuple(reversed(refs)), prep - 1, plural, part=True, head=head)
        return Subject("unknown", start=start)

    def _nouns_left(self, i: int) -> Subject:
        """Judge the noun phrase that ends at `i`."""
        start = i
        while start > 0 and i - start < _MAX_NOUNS and self._in_phrase(start - 1):
            start -= 1
        last = i - 1 if self.lowered[i].isdigit() and i > start else i
        while self.word(start - 1, "of", "for", "in", "from", "on", "with", "to") and start > 1 and self.plain(start - 2):
            # The head stands before the preposition: "tokens of incoming calls".
            last = start - 2
            start = last
            while start > 0 and last - start < _MAX_NOUNS and self._in_phrase(start - 1):
                start -= 1
        head, first = self.lowered[last], self.lowered[start]
        plural = (head.endswith("s") and not head.endswith("ss")) or head in _COLLECTIVE
        possessive = next((k for k in range(start, i + 1) if self.lowered[k] in _POSSESSIVES), None)
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
                return Subject("refs", (Ref(ids, None, start, i + 1),), start, plural=plural and not self._heads(ids, head))
        if first == "both" and i == start and len(self.context.pair) == 2:
            return Subject("refs", tuple(Ref(r.ids, r.text, i, i + 1) for r in self.context.pair), i, plural=True)
        plural = plural or (self.word(start - 1, "and") and self.plain(start - 2))
        other = head in OTHER_PARTY or any(one in OTHER_PARTY for one in self.toks[last].lemmas)
        negative = any(self.lowered[k] in NEGATIONS for k in range(start, i + 1))
        opening = start == 0 or self.word(start - 1, ",", ":", ";", "and", "then", "—", "–", "-") or self.word(start - 1, *PREPOSITIONS)
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
        return low not in _CLOSED or low in _DETERMINERS or low in _POSSESSIVES

    def _possessed(self, i: int, *, plural: bool, head: str = "") -> Subject:
        """Resolve "its queue", "our list", "whose screen": the thing that has it."""
        low = self.lowered[i]
        if low == "whose":
            found = self._relative(i, i + 1)
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

    # -- objects ------------------------------------------------------------------

    def objects(self, at: int, prep: str | None = None) -> tuple[list[Ref], int]:
        """Read the names that start at `at`, joined by commas and "and"; (what they are, the index after them)."""
        refs: list[Ref] = []
        i = at
        end = at
        while True:
            ref, after = self._object(i, prep)
            if ref is None and not refs:
                skipped = self._over_unknown(i)
                if skipped > i:
                    i = skipped
                    ref, after = self._object(i, prep)
            if ref is None:
                break
            if refs and not self._list_goes_on(after, refs):
                break
            refs.append(ref)
            end = after
            i = self._next_item(after, prep)
            if i < 0:
                break
        return refs, end

    def _object(self, at: int, prep: str | None) -> tuple[Ref | None, int]:
        i = at
        while i < len(self.toks) and (self.lowered[i] in _DETERMINERS or self.lowered[i] in ("both", '"', "“", "'", "either", "only", "also", "just", "mainly", "the", "directly")) and not self.word(i, *_POSSESSIVES):
            if self.lowered[i] in ("this", "that", "these") and not (self.name(i + 1) or self.plain(i + 1)):
                break
            i += 1
        if self.word(i, "nothing", "nobody") and self.word(i + 1, "but"):
            return self._object(i + 2, prep)
        if i >= len(self.toks):
            return None, at
        if self.name(i):
            return self._named(i)
        low = self.lowered[i]
        if low == "it" and self.word(i + 1, "'s"):
            return None, at
        if low in ("it", "us", "this", "here", "ours", "there", "her", "him") and not self.plain(i + 1):
            return self._pronoun_object(low, i)
        if low in ("its", "our") and self.plain(i + 1):
            return self._possessed_object(i)
        if self.plain(i):
            return self._noun_object(at, i, prep)
        return None, at

    def _named(self, i: int) -> tuple[Ref | None, int]:
        tok = self.toks[i]
        after = i + 1
        if tok.weak and not tok.definite and not self._marked_list(i):
            return None, i
        if self.plain(after) and not tok.noun and self._modifies(after):
            return None, i  # "Prometheus metrics", "the archive mirror"
        if self.word(after, "'s", "'", "’") and self.plain(after + 1):
            after += 2
            while self.plain(after) and after < i + 6:
                after += 1
            if self.lowered[after - 1] in OTHER_PARTY:
                return None, i  # "Odd Halvard's brother"
        elif tok.noun and self.plain(after):
            after += 1
        elif self.word(after, '"', "”", "'s"):
            after += 1
        return Ref.of(tok, i), after

    def _modifies(self, after: int) -> bool:
        """Whether the open-class word after a name is a noun that the name only describes."""
        low = self.lowered[after]
        return low not in AFTER_OBJECT and not low.endswith(("ing", "ed")) and not low.isdigit()

    def _marked_list(self, i: int) -> bool:
        """Whether an everyday word stands in a row of names, where it is one."""
        return (self.word(i - 1, "and", ",", "&") and self.name(i - 2) and not self.toks[i - 2].weak) or self.toks[i].text[:1].isupper()

    def _pronoun_object(self, low: str, i: int) -> tuple[Ref | None, int]:
        context = self.context
        if low in ("us", "this", "here", "ours"):
            ids = context.subject
        elif low in ("him", "her") and context.previous:
            ids = context.previous
        elif low == "there":
            # The last place named: a name after a preposition, not the subject of "X reads it from there".
            before = [k for k in range(i) if self.name(k) and self.word(self._skip_left(k - 1), *PREPOSITIONS)]
            ids = self.toks[before[-1]].ids if before else ()
        elif low == "it" and self.current is not None and any(set(r.ids) & set(context.subject) for r in self.current.refs):
            # The page's thing does it to "it", so "it" is the one other thing that the sentence has named.
            own = {one for r in self.current.refs for one in r.ids}
            others = list(dict.fromkeys(t.ids for t in self.toks[:i] if t.kind == "m" and not own & set(t.ids)))
            ids = others[0] if len(others) == 1 else ()
        else:
            ids = context.subject or context.it()
        return (Ref(ids, None, i, i + 1), i + 1) if ids else (None, i)

    def _possessed_object(self, i: int) -> tuple[Ref | None, int]:
        ids = self.context.subject if self.lowered[i] == "our" else ()
        after = i + 1
        while self.plain(after) and after < i + 5:
            after += 1
        return (Ref(ids, None, i, after), after) if ids else (None, i)

    def _over_unknown(self, at: int) -> int:
        """Skip things at the head of a list that are not in the catalogue: "the DB, Redis and Gitaly"."""
        i = at
        while self.word(i, "the", "our", "a", "an"):
            i += 1
        first = i
        while self.plain(i) and i < first + 3:
            i += 1
        if i == first or not self.word(i, ",", "and"):
            return at
        i += 1
        after = i
        while self.word(after, "the", "our"):
            after += 1
        return i if self.name(after) and self.word(i - 1, ",") else at

    def _behind_thing(self, after: int, prep: str | None) -> int | None:
        """Find the name behind a thing that was got from it or lies on it: "a list from Y", "to topics on Y"."""
        i = after
        if prep is not None:
            while i < after + 8 and (self.plain(i) or self.word(i, ".", "*", "/", "and", ",", "-", "_", "the")) and not self.name(i):
                i += 1
        if not self.word(i, *(("from",) if prep is None else ("on", "in", "from"))):
            return None
        i += 1
        while self.word(i, "the", "our"):
            i += 1
        return i if self.name(i) and not self.toks[i].weak else None

    def _noun_object(self, at: int, i: int, prep: str | None) -> tuple[Ref | None, int]:
        """Judge "the service", "the <adjectives> Name" and "the <part> of Name"."""
        after = i
        while self.plain(after) and after < i + 5:
            after += 1
        head = after - 1
        definite = self.lowered[at] in ("the", "this", "that", "our")
        if self.name(after) and not self.toks[after].weak:
            return self._named(after)
        if self.word(after, ",", ":", "—", "–") and self.lowered[i] in NUMBER_WORDS:
            inner = after + 1
            while self.word(inner, "the", "our", "both"):
                inner += 1
            if self.name(inner):  # "two things, Auth and the Session Cache"
                return self._named(inner)
        if self.word(after, "of", "in", "on", "at", "from") and self.lowered[head] in PART_NOUNS:
            inner = after + 1
            while self.word(inner, "the", "our"):
                inner += 1
            if self.name(inner):
                return self._named(inner)
        behind = self._behind_thing(after, prep)
        if behind is not None:
            return self._named(behind)
        if definite and head - i <= 2 and not self.word(after, "of"):
            ids = self.context.called(self.lowered[head], self.nouns, self.toks[head].lemmas)
            if ids:
                return Ref(ids, None, at, after), after
        return None, at

    def _list_goes_on(self, after: int, refs: list[Ref]) -> bool:
        """Whether the name that ends before `after` is one more object rather than the subject of a next clause."""
        if after >= len(self.toks):
            return True
        low = self.lowered[after]
        if self.toks[after].kind == "p":
            return low != "'"
        if self.name(after):
            return False
        return low in PREPOSITIONS or low in _COORDINATORS or low in ("which", "who", "when", "if", "because", "today", "too", "only", "but", "while", "nightly", "directly", "so", "where")

    def _next_item(self, after: int, prep: str | None) -> int:
        """Find where the next object of a list may start; -1 if the list ends."""
        i = after
        joined = False
        while self.word(i, ",", "and", "or", "&", "/", "plus", "as", "well", "+", "also", "then"):
            if self.word(i, "as") and not self.word(i + 1, "well"):
                break
            joined = True
            i += 1
        if not joined:
            skipped = self._over_detail(i)
            return -1 if skipped < 0 else self._next_item(skipped, prep) if skipped > i else -1
        if self.word(i, "not", "never", "but"):
            return -1
        if prep is not None:
            i += preposition_after(prep, self.lowered, i)
        return i

    def _over_detail(self, i: int) -> int:
        """Skip "for quotes" after a name when a comma or "and" and another name follow it."""
        if not self.word(i, "for", "on", "at", "with", "in", "when"):
            return -1
        j = i + 1
        while j < min(len(self.toks), i + 8):
            if self.word(j, ",", "and") and (self.name(j + 1) or self.name(j + 2)):
                return j
            if self.name(j) or self.border(j):
                return -1
            j += 1
        return -1


def _adverb(low: str) -> bool:
    return len(low) > 4 and low.endswith("ly") and low not in ("reply", "supply", "apply", "family", "assembly", "rely", "comply", "multiply", "anomaly")


_ = (re, CONTROL)
