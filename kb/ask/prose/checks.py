"""What a model wrote, held against the facts: one sentence for each fault, nothing where it may be shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kb.ask.prose.facts import NAMED, Facts
from kb.ask.prose.prompt import LONGEST
from kb.ask.prose.text import Fact
from kb.ask.prose.wording import clean, number_word, plural_of
from kb.extract.common_words import COMMON_WORDS
from kb.extract.mentions import Mention, Mentions
from kb.language import NUMBER_WORDS, STOPWORDS, lemmas, words
from kb.names import normalised

__all__ = ["Checks", "Written"]

_MOST_CLAIMS = 40
_NUMBER = r"(?<![\w.,])(\d[\d,]*|" + "|".join(NUMBER_WORDS) + r")"
_SCHEME = re.compile(
    r"\b[a-z][a-z0-9+.-]*:(?://|\S*@)|\bwww\.|\b(?:javascript|data|mailto|tel|vbscript):", re.IGNORECASE
)
_DOMAIN = re.compile(r"[^\W_][\w-]*\.(?:[\w-]+\.)*[^\W\d_]{2,}|\b\d{1,3}(?:\.\d{1,3}){3}\b")
_MARKUP = re.compile(
    r"!\[|\]\(|\[[^\]]*\]|<[a-z/!?]|&#?\w+;|`|\*\*|__|^\s*(?:#+|[-*>|])\s|\n", re.IGNORECASE | re.MULTILINE
)


_SWEEPING = re.compile(
    r"\b(?:everything|everyone|everybody|every|nothing|nobody|no one|none|only|always|never|anything|anyone"
    r"|not|cannot|without|\w+n['’]t|no longer)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A claim as a model wrote it."""

    text: str
    cites: tuple[int, ...]


class Checks:
    """Checks claims about one answer. `mentions` finds the names of the whole catalogue."""

    def __init__(self, question: str, facts: Facts, numbered: Sequence[Fact], mentions: Mentions) -> None:
        self.facts, self.numbered, self.mentions = facts, numbered, mentions
        self.asked = {one for mention in mentions.find(question) for one in mention.entity_ids}
        self.allowed = facts.ids | self.asked
        self.question = question
        labels = [label for one in facts.vocabulary.classes.values() for label in (one.label, *one.phrases)]
        self._nouns: dict[str, set[str]] = {}
        for name, one in facts.vocabulary.classes.items():
            for label in (one.label, *one.phrases):
                for form in (label.lower(), plural_of(label.lower())):
                    self._nouns.setdefault(form, set()).update(facts.vocabulary.descendants(name))
        relations = [
            phrase
            for one in facts.vocabulary.relations.values()
            for way in (one, one.inverse)
            if way is not None
            for phrase in (way.label, *way.phrases)
        ]
        self._everyday = {form for label in (*labels, *relations) for word in words(label) for form in word.lemmas}
        forms = "|".join(map(re.escape, sorted(self._nouns, key=len, reverse=True)))
        self._counts = re.compile(rf"{_NUMBER}[ \u00a0]+({forms})(?!\w)", re.IGNORECASE)

    def faults(self, claims: Sequence[Written]) -> list[str]:
        """What is wrong, one sentence each; each names the claim and what to do."""
        if not claims:
            return ["the reply has no claims"]
        if len(claims) > _MOST_CLAIMS:
            return [f"there are {len(claims)} claims; write at most {_MOST_CLAIMS}"]
        found = [
            f"claim {number} {fault}" for number, claim in enumerate(claims, start=1) for fault in self._claim(claim)
        ]
        return found or list(self._whole(claims))

    # -- one claim --------------------------------------------------------------

    def _claim(self, claim: Written) -> Iterator[str]:
        if not claim.text.strip():
            yield "has no text"
            return
        if len(claim.text) > LONGEST:
            yield f"has {len(claim.text)} characters; write at most {LONGEST}"
            return
        checks: tuple[Callable[[Written], Iterator[str]], ...] = (self._plain, self._cited, self._named, self._counted)
        for check in checks:
            yield from check(claim)

    def _plain(self, claim: Written) -> Iterator[str]:
        hidden = [
            char for char in claim.text if unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
        ]
        if hidden:
            yield f"has a character that does not show ({hidden[0]!a})"
        bare = self._without_names(unicodedata.normalize("NFKC", claim.text))
        if _SCHEME.search(bare) or _DOMAIN.search(bare):
            yield "has a web address or a file name; write plain words"
        elif _MARKUP.search(bare):
            yield "has Markdown, HTML or brackets; write plain words"

    def _without_names(self, text: str) -> str:
        """The text without those names of the answer that look like addresses or markup themselves."""
        names = {unicodedata.normalize("NFKC", self.facts.name(one)) for one in self.facts.ids}
        odd = [name for name in names if any(one.search(name) for one in (_SCHEME, _DOMAIN, _MARKUP))]
        for name in sorted(odd, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "x", text)
        return text

    def _cited(self, claim: Written) -> Iterator[str]:
        if not claim.cites:
            yield "cites no fact"
        wrong = [number for number in claim.cites if not 1 <= number <= len(self.numbered)]
        if wrong:
            yield f"cites {wrong[0]}, but the facts are numbered 1 to {len(self.numbered)}"

    def _named(self, claim: Written) -> Iterator[str]:
        text = unicodedata.normalize("NFKC", claim.text)
        cited = [self.numbered[number - 1] for number in claim.cites if 1 <= number <= len(self.numbered)]
        reachable = {end for fact in cited for end in fact.ends} | self.asked
        for fact in cited:
            reachable.update(one for mention in self.mentions.find(fact.quote or "") for one in mention.entity_ids)
        names = [mention for mention in self.mentions.find(text) if self._means(text, mention)]
        for mention in names:
            shown, ids = text[mention.start : mention.end], set(mention.entity_ids)
            if ids.isdisjoint(self.allowed):
                yield f"names “{shown}”, which is not in the answer"
            elif ids.isdisjoint(reachable):
                yield f"names “{shown}”, which none of the facts that it cites is about"
        if not names and not self._named_ids(text) and not self._numbers(text):
            yield "names nothing of the answer and gives no count"
        yield from self._sweeping(text, cited)
        yield from self._strangers(text, cited)

    def _sweeping(self, text: str, cited: Sequence[Fact]) -> Iterator[str]:
        """Words that say something of all things or of none: a fact is about two."""
        given = " ".join([self.question, *(f"{fact.words} {fact.quote or ''}" for fact in cited)]).lower()
        for match in _SWEEPING.finditer(text):
            if match.group().lower() not in given:
                yield f"says “{match.group()}”, which none of the facts that it cites does"
                return

    def _means(self, text: str, mention: Mention) -> bool:
        """Whether a mention is a name here, and not an everyday word, or one of the ontology's, spelled like one.

        "The search" is one all the same.
        """
        if not mention.weak:
            return True
        shown = text[mention.start : mention.end]
        if shown != shown.lower():
            return True
        definite = text[: mention.start].lower().endswith("the ")
        everyday = shown in STOPWORDS or (shown in COMMON_WORDS and not definite)
        return not everyday and lemmas(shown).isdisjoint(self._everyday)

    def _strangers(self, text: str, cited: Sequence[Fact]) -> Iterator[str]:
        """Capitalised words inside a sentence that neither the cited facts nor the question have."""
        given = [self.question, *(f"{fact.words} {fact.quote or ''} {fact.page or ''}" for fact in cited)]
        given += [self.facts.name(one) for one in self.facts.ids]
        known = {word.lower for source in given for word in words(unicodedata.normalize("NFKC", source))}
        for word in words(text):
            before = text[: word.start].rstrip(" \"'“‘(")
            inside = before and before[-1] not in ".!?:;…"
            if (
                inside
                and word.text[0].isupper()
                and word.lower not in known
                and lemmas(word.lower).isdisjoint(self._everyday)
            ):
                yield f"names “{word.text}”, which none of the facts that it cites has"
                return

    # -- counts -----------------------------------------------------------------

    def _numbers(self, text: str) -> list[tuple[int, str]]:
        """Numbers that stand directly before the noun of a type."""
        return [(_number(match[1]), match[2].lower()) for match in self._counts.finditer(text)]

    def _counted(self, claim: Written) -> Iterator[str]:
        cited = [self.numbered[number - 1] for number in claim.cites if 1 <= number <= len(self.numbered)]
        given = " ".join([self.question, *(fact.quote or "" for fact in cited)])
        said = set(self._numbers(given))
        for number, noun in self._numbers(claim.text):
            right = self._right(noun)
            if number not in right and (number, noun) not in said:
                known = " or ".join(str(one) for one in sorted(right)[-1:])
                yield f"says {number} {noun}; there are {known or 'none'}"

    def _right(self, noun: str) -> set[int]:
        """How many things of a kind there are: answers; where no answer is of it, those in the facts; group counts."""
        types = self._nouns[noun]
        answers = [one for one in self.facts.answer.answers if one.type in types]
        counts = {group.count for group in self.facts.answer.groups or ()}
        if answers:
            return {len(answers), *counts}
        ends = {end for edge in self.facts.edges() for end in (edge.subject, edge.object)}
        return {len([one for one in ends if self.facts.type(one) in types]), *counts}

    # -- the whole --------------------------------------------------------------

    def _named_ids(self, text: str) -> set[str]:
        found = {one for mention in self.mentions.find(text) for one in mention.entity_ids}
        flat = f" {normalised(text)} "
        found.update(one.id for one in self.facts.named if f" {normalised(one.label)}" in flat)
        return found

    def _whole(self, claims: Sequence[Written]) -> Iterator[str]:
        text = "\n".join(claim.text for claim in claims)
        named = self._named_ids(unicodedata.normalize("NFKC", text))
        missing = [self.facts.name(one.id) for one in self.facts.named if one.id not in named]
        if missing:
            yield (
                f"the answers {', '.join(f'“{name}”' for name in missing)} are not named"
                if len(missing) > 1
                else f"the answer “{missing[0]}” is not named"
            )
        total = len(self.facts.answer.answers)
        if total > NAMED:
            numbers = {_number(match) for match in re.findall(rf"{_NUMBER}\b", clean(text), re.IGNORECASE)}
            if not numbers & {total, total - NAMED, total - len(self.facts.named)}:
                yield f"nothing says that there are {number_word(total)} answers"


def _number(text: str) -> int:
    lowered = text.lower()
    return NUMBER_WORDS[lowered] if lowered in NUMBER_WORDS else int(lowered.replace(",", ""))
