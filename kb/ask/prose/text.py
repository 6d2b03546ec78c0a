"""What an answer in prose is made of: claims, the facts that they cite, and how these are numbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Citation", "Claim", "Draft", "Fact", "Prose", "composed"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a claim may cite: in words, where it is stated, and the ids of the entities that it is about.

    `page` is None where nothing records who stated it; `quote` where that is a file, whose words are not kept.
    """

    words: str
    page: str | None
    quote: str | None
    ends: frozenset[str] = field(default=frozenset(), compare=False)


Draft = Sequence["str | Fact"]
"""A claim before its facts have numbers: text, with each fact behind the words that rest on it."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered source: `fact` in words, the page that states it, and the page's own words.

    `quote` is None where a file states it, `page` too where nothing records who did.
    """

    number: int
    page: str | None
    quote: str | None
    fact: str

    def to_json(self) -> dict[str, Any]:
        """The source as JSON."""
        return {"number": self.number, "page": self.page, "quote": self.quote, "fact": self.fact}


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of the text, marks such as `[2]` included, and the numbers of the sources that it rests on.

    Only what says that there is no answer rests on none.
    """

    text: str
    citations: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON."""
        return {"text": self.text, "citations": list(self.citations)}


@dataclass(frozen=True, slots=True)
class Prose:
    """An answer in words.

    `text` is the claims in their order; `sources` are numbered from 1 in the order in which the text cites them. `by`
    says whether a model wrote it or a template; `note` why a model's text was not taken, or "".
    """

    text: str
    claims: tuple[Claim, ...]
    sources: tuple[Citation, ...]
    by: Literal["model", "template"] = "template"
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Text, claims and sources as JSON; `note` only where there is one."""
        data: dict[str, Any] = {
            "text": self.text,
            "by": self.by,
            "claims": [one.to_json() for one in self.claims],
            "sources": [one.to_json() for one in self.sources],
        }
        return {**data, "note": self.note} if self.note else data


def composed(drafts: Iterable[Draft], by: Literal["model", "template"] = "template", note: str = "") -> Prose:
    """Numbers the facts of all drafts in their order."""
    numbers: dict[Fact, int] = {}
    claims = []
    for draft in drafts:
        text, cited, marked = "", [], False
        for part in draft:
            if isinstance(part, Fact):
                number = numbers.setdefault(part, len(numbers) + 1)
                if number in cited and marked:
                    continue
                text += f"[{number}]" if marked else f" [{number}]"
                cited.append(number)
                marked = True
            elif part:
                text, marked = text + part, False
        claims.append(Claim(text, tuple(dict.fromkeys(cited))))
    sources = tuple(Citation(number, fact.page, fact.quote, fact.words) for fact, number in numbers.items())
    return Prose(" ".join(claim.text for claim in claims), tuple(claims), sources, by, note)
