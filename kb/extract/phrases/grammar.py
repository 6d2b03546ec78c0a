"""Shallow grammar of one row of tokens: noun phrases to the left and right, verb groups, clause borders.

There is no tagger. What a word is follows from closed lists (prepositions, auxiliaries, pronouns), from the catalogue
(names) and from the ontology (its verbs and nouns); everything else is taken for a noun or an adjective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.extract.phrases.context import Context, Ref
from kb.extract.phrases.cues import (
    CLAUSE_START,
    GROUP_WORDS,
    MODALS_OK,
    MODALS_OUT,
    NEGATIONS,
    PREPOSITIONS,
    word_set,
)
from kb.extract.phrases.tokens import Tok

__all__ = [
    "BE_PRESENT",
    "CLOSED",
    "COLLECTIVE",
    "COORDINATORS",
    "DETERMINERS",
    "MAX_NOUNS",
    "PARENTHESIS",
    "POSSESSIVES",
    "RELATIVE",
    "SUBJECT_PRONOUNS",
    "Group",
    "Row",
    "Subject",
    "is_adverb",
]

BE_PRESENT = frozenset(("is", "are", "am", "'s", "'re", "'m", "be", "being", "isn't", "aren't", "gets", "get"))
_BE_PAST = frozenset(("was", "were", "wasn't", "weren't", "got"))
_HAVE = frozenset(("has", "have", "had", "'ve", "having", "hasn't", "haven't", "hadn't"))
_DID = frozenset(("did", "didn't"))
AUX = BE_PRESENT | _BE_PAST | _HAVE | _DID | MODALS_OUT | MODALS_OK | {"been", "to"}
DETERMINERS = word_set("the a an this that these those our its their his her your my each every all both any some")
SUBJECT_PRONOUNS = word_set("it we they he she this these those i you there")
POSSESSIVES = frozenset(("its", "our", "their", "whose", "his", "her"))
RELATIVE = frozenset(("which", "that", "who"))
COORDINATORS = frozenset(("and", "or", "then", "plus"))
CLOSED = (
    PREPOSITIONS
    | CLAUSE_START
    | AUX
    | GROUP_WORDS
    | DETERMINERS
    | SUBJECT_PRONOUNS
    | {
        "whether",
        "and",
        "or",
        "nor",
        "plus",
        "us",
        "them",
        "him",
        "here",
        "there",
        "today",
        "now",
        "how",
        "what",
        "why",
        "not",
        "too",
        "etc",
        "first",
    }
)
PARENTHESIS = word_set(
    "which who of like unlike for in as at on with by too our the a an via also being or once formerly after before "
    "when while since"
)
COLLECTIVE = frozenset(("staff", "people", "data", "police", "media"))
MAX_NOUNS = 7


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


class Row:
    """Tokens of a sentence without what stands in parentheses, and the context it is read in."""

    def __init__(self, toks: Sequence[Tok], context: Context, nouns: dict[str, frozenset[str]]) -> None:
        self.toks = toks
        self.context = context
        self.nouns = nouns
        self.lowered = [t.lower if t.kind == "w" else ("\x00" if t.kind == "m" else t.text) for t in toks]
        self.aside = False
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
        return (
            0 <= i < len(self.toks)
            and self.toks[i].kind == "w"
            and self.lowered[i] not in CLOSED
            and not is_adverb(self.lowered[i])
        )

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
            if low in AUX:
                self._auxiliary(found, low, softened=self.word(i + 1, "only", "just", "merely"))
            elif low in NEGATIONS or low in ("never", "not"):
                if low in ("nothing", "nobody", "none", "without", "no", "neither", "nor", "except", "unlike"):
                    break
                found.negated = found.negated or not self.word(i + 1, "only", "just", "merely")
            elif low in GROUP_WORDS or is_adverb(low):
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
        return self.lowered[verb].endswith(("ed", "en", "pt", "nt", "ld")) and self.word(
            verb + 1, "by", "in", "from", "to", "with"
        )

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


def is_adverb(low: str) -> bool:
    """Whether a lower-case word looks like an adverb."""
    return (
        len(low) > 4
        and low.endswith("ly")
        and low not in ("reply", "supply", "apply", "family", "assembly", "rely", "comply", "multiply", "anomaly")
    )
