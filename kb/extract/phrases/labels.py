"""Headings, keys, table headers and the lines before a list: which relation their values stand in, if any.

"Dependencies" · "Used by" · "**Owned by:**" · "What it needs" · "Who calls us?" · "Systems we depend on" · "Ours".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Ref
from kb.extract.phrases.cues import MODIFIERS, STUFF, word_set
from kb.extract.phrases.denials import BLOCKED_LABEL, DENYING_LABEL, NOT_SO
from kb.extract.phrases.lexicon import Lexicon, Sense, Verb, preposition_after
from kb.extract.phrases.tokens import Tok

__all__ = ["Label", "Labels"]

_OURS = [
    ["ours"],
    ["what", "is", "ours"],
    ["what", "'s", "ours"],
    ["all", "ours"],
    ["these", "are", "ours"],
    ["ours", "too"],
    ["also", "ours"],
]
_MAX_WORDS = 9
_WH = frozenset(("who", "what", "which", "whose", "where"))
_ANAPHORS = frozenset(("it", "this", "us", "we", "here", "they", "them", "i"))
_GLUE = word_set("what 's the a an our its their of for and in this that these those it to we us")


@dataclass(frozen=True, slots=True)
class Label:
    """What a label says about the values below it: subject sense value.

    `blocked`: the label takes back whatever stands below it. `subject` is whom it names, if it names anybody.
    `kinds`: types that the label names ("Systems"), `one` that it names one thing of them ("Store"). `hints`: what the
    ontology's nouns for such things say ("backing store"). `pairs`: what one name below says about the next ("Who
    calls whom").
    """

    senses: tuple[Sense, ...] = ()
    subject: Ref | None = None
    blocked: bool = False
    kinds: frozenset[str] = frozenset()
    one: bool = False
    hints: tuple[Sense, ...] = ()
    pairs: tuple[Sense, ...] = ()

    @property
    def arrow(self) -> tuple[Sense, ...]:
        """What an arrow from one name to another says below it."""
        return () if self.blocked or self.subject is not None else self.pairs or self.senses


class Labels:
    """Reads labels in the words of one vocabulary."""

    def __init__(self, lexicon: Lexicon, nouns: dict[str, frozenset[str]]) -> None:
        self.lexicon = lexicon
        self.nouns = nouns
        self.all_senses = lexicon.senses
        self._hints: dict[frozenset[str], dict[Sense, None]] = defaultdict(dict)
        for rows in lexicon.nouns.values():
            for noun in rows:
                kinds = next((nouns[one] for one in sorted(noun.words[-1]) if one in nouns), None)
                if kinds is not None:
                    self._hints[kinds].update(dict.fromkeys(noun.senses))

    def read(
        self, toks: Sequence[Tok], text: str, *, heading: bool = False, topic: frozenset[str] = frozenset()
    ) -> Label:
        """Read a label, given as tokens and as text. `topic` are the words of what the page is about."""
        blocked = self.blocked(text, heading=heading)
        row = [t for t in _without_parentheses(toks) if t.kind != "p" or t.text in "?'"]
        row = [t for t in row if t.text != "?"]
        if not row or len(row) > _MAX_WORDS:
            return Label(blocked=blocked)
        if blocked:
            return Label(blocked=True)
        lowered = [t.lower if t.kind == "w" else "\x00" for t in row]
        ours = lowered[0] == "our" and len(row) <= 3 and any(one in self.nouns for one in row[-1].lemmas)
        if self.lexicon.possession and (lowered in _OURS or (ours and all(self._light(t) for t in row))):
            return Label(tuple(s.reverse for s in self.lexicon.possession))
        if self.lexicon.possession and lowered == ["whose"]:
            return Label(self.lexicon.possession)
        return (
            self._pairing(row, lowered)
            or self._question(row, lowered, topic)
            or self._noun(row, lowered)
            or self._verb(row, lowered)
            or self._by_way(row, lowered)
            or self._kind(row)
        )

    def blocked_title(self, text: str) -> bool:
        """Whether a page's title takes back the whole page: "Roadmap", "Proposal: …", but not "Why we retired …"."""
        row = re.findall(r"[\w'’-]+", text)
        return self.blocked(text if len(row) <= 3 else " ".join(row[:1]))

    def blocked(self, text: str, *, heading: bool = False) -> bool:
        """Whether a heading or another label takes back what stands below it.

        In a heading, which may be a whole sentence about something else, a negation counts among the first words only.
        """
        if BLOCKED_LABEL.search(text) is not None:
            return True
        beginning = " ".join(text.split()[:4]) if heading else text
        return DENYING_LABEL.search(beginning) is not None or NOT_SO.search(text) is not None

    # -- nouns ------------------------------------------------------------------------

    def _noun(self, row: list[Tok], lowered: list[str]) -> Label | None:
        for start in range(len(row)):
            for noun in self.lexicon.nouns.get(lowered[start], ()):
                end = start + len(noun.words)
                if not all(end <= len(row) and lowered[start + k] in forms for k, forms in enumerate(noun.words)):
                    continue
                before, after = row[:start], row[end:]
                plural = lowered[end - 1].endswith("s")
                if plural and before and before[0].text.isupper() and len(before[0].text) > 1:
                    before = before[1:]  # "SDK users"
                if not self._filling(before):
                    continue
                fine, subject = self._subject(before, after)
                if fine:
                    return Label(noun.senses, subject, kinds=self._kind(row).kinds)
        return None

    def _filling(self, toks: Sequence[Tok]) -> bool:
        """Whether words beside the noun leave its relation as it is."""
        return all(t.kind == "m" or t.lower in ("'s", "'") or self._light(t) for t in toks)

    def _light(self, tok: Tok) -> bool:
        return (
            tok.lower in MODIFIERS
            or tok.lower in _GLUE
            or tok.text.isdigit()
            or any(one in self.nouns for one in tok.lemmas)
        )

    def _subject(self, before: Sequence[Tok], after: Sequence[Tok]) -> tuple[bool, Ref | None]:
        """(whether nothing else is said, whom the label names: "Checkout's consumers", "Consumers of Checkout")."""
        names = [t for t in (*before, *after) if t.kind == "m"]
        rest = [t for t in after if t.kind != "m"]
        if len(names) > 1 or not all(self._light(t) or t.lower in ("'s", "by", "on") for t in rest):
            return False, None
        return True, Ref(names[0].ids, names[0].text if names[0].direct else None) if names else None

    # -- verbs ------------------------------------------------------------------------

    def _verb(self, row: list[Tok], lowered: list[str]) -> Label | None:
        """Read "Depends on", "Used by", "Reads from", "We use", "Checkout depends on", "Systems we depend on"."""
        start = 0
        subject: Ref | None = None
        while start < len(row) and (
            self._light(row[start])
            or row[start].kind == "m"
            or lowered[start] in STUFF
            or lowered[start] in ("also", "things", "is", "are", "gets", "get", "that", "which", "everything")
        ):
            if row[start].kind == "m":
                if subject is not None:
                    return None
                subject = Ref(row[start].ids, row[start].text if row[start].direct else None)
            start += 1
            if start < len(row) and self._verb_at(row, lowered, start) is not None:
                break
        found = self._verb_at(row, lowered, start)
        if found is None:
            return None
        senses, end, active = found
        rest = row[end:]
        if rest and len(rest) <= 4 and rest[0].lower in ("at", "on", "in", "for", "during", "every", "before", "after"):
            rest = []  # "asks at the barrier"
        if any(t.kind == "m" for t in rest) or not all(
            self._light(t) or t.lower in ("directly", "today", "by", "also", "here") for t in rest
        ):
            return None
        if active and any(t.lower in ("us", "it", "this", "here", "them") for t in rest):
            if subject is not None or any(t.lower in ("we", "it", "this") for t in row[:start]):
                return None
            return Label(tuple(s.reverse for s in senses))  # "Three services call us:"
        return Label(senses, subject)

    def _by_way(self, row: list[Tok], lowered: list[str]) -> Label | None:
        """Read "Pays out through", "Sent via": whatever the thing does, it does through the values."""
        through = (
            lowered[-1] in ("through", "via")
            and 2 <= len(row) <= 4
            and (lowered[0].endswith("s") or lowered[0] == "sent")
        )
        words = all(t.kind == "w" for t in row) and not any(t.is_word("is", "are", "was", "were", "us") for t in row)
        return Label(self.lexicon.through) if through and words and self.lexicon.through else None

    def _verb_at(self, row: list[Tok], lowered: list[str], at: int) -> tuple[tuple[Sense, ...], int, bool] | None:
        """(what the values are to the subject, where the phrase ends, whether it is active)."""
        if at >= len(row) or row[at].kind != "w":
            return None
        for fixed in self.lexicon.fixed.get(lowered[at], ()):
            end = at + len(fixed.words)
            if lowered[at:end] == list(fixed.words) and len(fixed.words) > 1:
                return fixed.senses, end, True
        for verb in self.lexicon.verbs_of(lowered[at]):
            found = self._one_verb(verb, lowered, at)
            if found is not None:
                return found
        return None

    def _one_verb(self, verb: Verb, lowered: list[str], at: int) -> tuple[tuple[Sense, ...], int, bool] | None:
        low = lowered[at]
        end = at + 1
        if verb.extra:
            if tuple(lowered[end : end + len(verb.extra)]) != verb.extra:
                return None
            end += len(verb.extra)
        length = preposition_after(verb.prep, lowered, end) if verb.prep is not None else 0
        reverse = tuple(s.reverse for s in verb.senses)
        # "Written by" is short for "written to by".
        whole = verb.prep is None or (verb.prep in ("to", "into") and not verb.extra and "write" in verb.bases)
        if low in verb.participles and lowered[end : end + 1] == ["by"] and whole and not verb.state:
            return reverse, end + 1, False
        if low in verb.participles and length and lowered[end + length : end + length + 1] == ["by"]:
            return reverse, end + length + 1, False
        if verb.prep is not None and not length:
            return None
        if verb.state:
            return (verb.senses, end + length, True) if low in verb.participles else None
        if low in verb.thirds or low in verb.bases or (verb.past and low in verb.pasts):
            return verb.senses, end + length, True
        return None

    # -- questions ----------------------------------------------------------------------

    def _pairing(self, row: list[Tok], lowered: list[str]) -> Label | None:
        """Read "Who calls whom", "What depends on what", "Which service uses which store"."""
        if lowered[0] not in ("who", "what", "which") or lowered[-1] in ("us", "it"):
            return None
        last = next((i for i in range(len(row) - 1, 1, -1) if lowered[i] in ("whom", "what", "which", "who")), 0)
        nouns = (*row[1:2], *row[last + 1 :])
        start = 2 if lowered[0] == "which" else 1
        found = self._verb_at(row, lowered, start) or self._loose_verb(lowered, start) if 0 < start < last else None
        if found is None or found[1] != last or (start == 2 and not self._light(nouns[0])):
            return None
        # "Who owns what" may list what is owned first: then only the way back fits.
        both = (*found[0], *(sense.reverse for sense in found[0]))
        return Label(pairs=both) if all(self._light(t) for t in row[last + 1 :]) else None

    def _question(self, row: list[Tok], lowered: list[str], topic: frozenset[str]) -> Label | None:
        """Read "Who calls us?", "What it needs", "Which services use it", "Services that use Checkout"."""
        asks = lowered[0] in _WH or (
            len(row) > 2
            and any(one in self.nouns for one in row[0].lemmas)
            and lowered[1] in ("that", "which", "who", "using", "we", "it")
        )
        if not asks:
            return None
        i = 1
        while (
            i < len(row)
            and row[i].kind == "w"
            and (
                any(one in self.nouns for one in row[i].lemmas)
                or lowered[i] in ("that", "which", "who", "else", "other", "all", "things")
            )
        ):
            i += 1
        if i >= len(row):
            return None
        if row[i].kind == "m" or lowered[i] in _ANAPHORS or lowered[i] in ("the", "this", "does", "do"):
            return self._asked_object(row, lowered, i)
        found = self._verb_at(row, lowered, i) or self._loose_verb(lowered, i)
        if found is None:
            return None
        senses, end, _ = found
        rest = row[end:]
        names = [t for t in rest if t.kind == "m"]
        if len(names) > 1 or not all(
            t.kind == "m"
            or t.lower in _ANAPHORS
            or self._light(t)
            or t.lower in ("from", "on", "in", "directly", "today")
            or bool(t.lemmas & topic)  # "Who reads manifests" on the page of the Cargo Manifest
            for t in rest
        ):
            return None
        subject = Ref(names[0].ids, names[0].text if names[0].direct else None) if names else None
        return Label(tuple(s.reverse for s in senses), subject)

    def _loose_verb(self, lowered: list[str], i: int) -> tuple[tuple[Sense, ...], int, bool] | None:
        """Read "Who posts?", "Who reads it" for a verb whose preposition the question leaves out."""
        for verb in self.lexicon.verbs_of(lowered[i]):
            if not verb.extra and not verb.state and (lowered[i] in verb.thirds or lowered[i] in verb.bases):
                return verb.senses, i + 1, True
        return None

    def _asked_object(self, row: list[Tok], lowered: list[str], i: int) -> Label | None:
        """Read "What it needs", "What Checkout depends on", "What does it call"."""
        subject: Ref | None = None
        if lowered[i] in ("does", "do"):
            i += 1
        while i < len(row) and (
            row[i].kind == "m"
            or lowered[i] in _ANAPHORS
            or lowered[i] in ("the", "this")
            or any(one in self.nouns for one in row[i].lemmas)
        ):
            if row[i].kind == "m":
                subject = Ref(row[i].ids, row[i].text if row[i].direct else None)
            i += 1
        found = self._verb_at(row, lowered, i)
        if (
            found is None
            or not found[2]
            or any(not self._light(t) and t.lower not in ("directly", "from", "on") for t in row[found[1] :])
        ):
            return None
        return Label(found[0], subject)

    # -- types ----------------------------------------------------------------------------

    def _kind(self, row: list[Tok]) -> Label:
        """Read "Systems", "Service name": a label that only says what sort of thing its values are."""
        if len(row) == 1 and row[0].lower in ("where", "who", "what"):
            # Any type: a table can only mean the one relation that fits.
            return Label(kinds=frozenset(one for types in self.nouns.values() for one in types))
        words = [
            t for t in row if t.kind == "w" and t.lower not in MODIFIERS and t.lower not in ("name", "names", "id")
        ]
        if not 1 <= len(words) <= 2 or any(t.kind == "m" for t in row):
            return Label()
        # "Data store" is "datastore".
        joined = "".join(t.lower for t in words)
        forms = sorted(words[0].lemmas) if len(words) == 1 else [joined, joined.removesuffix("s")]
        kinds = next((self.nouns[one] for one in forms if one in self.nouns), frozenset())
        return Label(kinds=frozenset(kinds), one=joined in self.nouns, hints=tuple(self._hints.get(kinds, ())))


def _without_parentheses(toks: Sequence[Tok]) -> list[Tok]:
    depth = 0
    kept: list[Tok] = []
    for tok in toks:
        if tok.kind == "p" and tok.text in "([":
            depth += 1
        elif tok.kind == "p" and tok.text in ")]":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(tok)
    return kept
