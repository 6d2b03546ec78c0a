"""What stands after a verb or preposition: names, lists of names, pronouns, a part or a thing with a name behind it."""

from __future__ import annotations

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import AFTER_OBJECT, OTHER_PARTY, PART_NOUNS, PREPOSITIONS
from kb.extract.phrases.grammar import COORDINATORS, DETERMINERS, POSSESSIVES
from kb.extract.phrases.lexicon import preposition_after
from kb.extract.phrases.subjects import Subjects
from kb.language import NUMBER_WORDS

__all__ = ["Line"]


class Line(Subjects):
    """Tokens of a sentence without what stands in parentheses, and the context it is read in."""

    # -- objects ------------------------------------------------------------------

    def objects(self, at: int, prep: str | None = None) -> tuple[list[Ref], int]:
        """Read the names that start at `at`, joined by commas and "and"; (what they are, the index after them)."""
        both = self._both_before(at) if self.word(at, "them") else self._both_before(at + 2)
        if both and self.word(at, "them", "both"):
            return list(both), at + (2 if self.word(at, "them") else 3)
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
            if refs and not self._list_goes_on(after):
                break
            refs.append(ref)
            end = after
            i = self._next_item(after, prep)
            if i < 0:
                break
        return refs, end

    def _object(self, at: int, prep: str | None) -> tuple[Ref | None, int]:
        i = at
        while (
            i < len(self.toks)
            and (
                self.lowered[i] in DETERMINERS
                or self.lowered[i]
                in ("both", '"', "“", "'", "either", "only", "also", "just", "mainly", "the", "directly")
            )
            and not self.word(i, *POSSESSIVES)
        ):
            if self.lowered[i] in ("this", "that", "these") and not (self.name(i + 1) or self.plain(i + 1)):
                break
            i += 1
        if self.word(i, *POSSESSIVES) and self.name(i + 1):
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
        elif (tok.noun and self.plain(after)) or self.word(after, '"', "”", "'s"):
            after += 1
        return Ref.of(tok, i), after

    def _modifies(self, after: int) -> bool:
        """Whether the open-class word after a name is a noun that the name only describes."""
        low = self.lowered[after]
        return low not in AFTER_OBJECT and not low.endswith(("ing", "ed")) and not low.isdigit()

    def _marked_list(self, i: int) -> bool:
        """Whether an everyday word stands in a row of names, where it is one."""
        return (self.word(i - 1, "and", ",", "&") and self.name(i - 2) and not self.toks[i - 2].weak) or self.toks[
            i
        ].text[:1].isupper()

    def _pronoun_object(self, low: str, i: int) -> tuple[Ref | None, int]:
        context = self.context
        if low in ("us", "this", "here", "ours"):
            ids = context.subject
        elif low in ("him", "her") and self._opened_by() is not None:
            ids = self._opened_by() or ()
        elif low in ("him", "her") and context.previous:
            ids = context.previous
        elif low == "there":
            # The last place named: a name after a preposition, not the subject of "X reads it from there".
            before = [k for k in range(i) if self.name(k) and self.word(self._skip_left(k - 1), *PREPOSITIONS)]
            ids = self.toks[before[-1]].ids if before else ()
        elif (
            low == "it"
            and self.current is not None
            and any(set(r.ids[:1]) & set(context.subject) for r in self.current.refs)
        ):
            # The page's thing does it to "it", so "it" is the one other thing that the sentence has named.
            own = {one for r in self.current.refs for one in r.ids[:1]}
            others = list(dict.fromkeys(t.ids for t in self.toks[:i] if t.kind == "m" and not own & set(t.ids)))
            ids = others[0] if len(others) == 1 else ()
        else:
            ids = context.subject or context.it()
        return (Ref(ids, None, i, i + 1), i + 1) if ids else (None, i)

    def _opened_by(self) -> tuple[str, ...] | None:
        """Give the subject with which the sentence began, if another clause has another one by now."""
        opening, current = self.opening, self.current
        if opening is None or current is None or len(opening.refs) != 1 or len(current.refs) != 1:
            return None
        return opening.refs[0].ids if opening.refs[0].ids != current.refs[0].ids else None

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
            while (
                i < after + 8
                and (self.plain(i) or self.word(i, ".", "*", "/", "and", ",", "-", "_", "the"))
                and not self.name(i)
            ):
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
        if self.word(after, "of") and self.word(after + 1, "it", "this", "us") and self.context.subject:
            return Ref(self.context.subject, None, at, after + 2), after + 2  # "brews every batch of it"
        behind = self._behind_thing(after, prep)
        if behind is not None:
            return self._named(behind)
        if definite and head - i <= 2 and not self.word(after, "of"):
            ids = self.context.called(self.lowered[head], self.nouns, self.toks[head].lemmas)
            if ids:
                return Ref(ids, None, at, after), after
        return None, at

    def _list_goes_on(self, after: int) -> bool:
        """Whether the name that ends before `after` is one more object rather than the subject of a next clause."""
        if after >= len(self.toks):
            return True
        low = self.lowered[after]
        if self.toks[after].kind == "p":
            return low != "'"
        if self.name(after):
            return False
        return (
            low in PREPOSITIONS
            or low in COORDINATORS
            or low
            in (
                "which",
                "who",
                "when",
                "if",
                "because",
                "today",
                "too",
                "only",
                "but",
                "while",
                "nightly",
                "directly",
                "so",
                "where",
            )
        )

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
        if not self.word(i, "for", "on", "at", "with", "in", "when", "every", "all", "each"):
            return -1
        j = i + 1
        while j < min(len(self.toks), i + 8):
            if self.word(j, ",", "and") and (
                self.name(j + 1) or self.name(j + 2) or (self.word(j + 1, "by") and self.name(j + 3))
            ):
                return j
            if self.name(j) or self.border(j):
                return -1
            j += 1
        return -1
