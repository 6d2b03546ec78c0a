"""Every way to say a hop, a type or an attribute, from the ontology's labels and phrases.

A phrase on a relation reads from subject to object ("depends on"), one on its inverse the other way ("is used by"), and
a noun names what stands at the far end ("owner", "caller"). English grammar gives the forms that an ontology need not
list: "owned by" also gives "owns" and "owner", "calls" gives "called by" and "caller", "part of" gives "part".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.ask.planner.morphology import agents, deeds, is_light, is_participle, is_present, is_verb
from kb.ask.planner.sequences import Steps
from kb.ask.planner.text import BE, DETERMINERS, PREPOSITIONS, word_set
from kb.language import STOPWORDS, lemmas, words
from kb.vocabulary import Attribute, Vocabulary

__all__ = ["NOUN", "PREDICATE", "VERB", "AttributePhrase", "ClassPhrase", "Forms", "Lexicon", "Pattern"]

NOUN, VERB, PREDICATE = "noun", "verb", "predicate"

Forms = tuple[frozenset[str], ...]
"""The base forms that each word of a phrase may have."""

_PARTICLES = PREPOSITIONS | word_set("up out off after as down together back away")
_AUXILIARY = frozenset({"do", "be", "have"})
_PLACES = frozenset({"in", "at", "inside", "within", "from"})
_TRAILING = frozenset({"us", "them", "it", "him", "her"})
_LONGEST_VALUE = 6

_NEED = frozenset({"need", "require", "depend", "rely", "use"})
_NEEDING = (
    *("needs", "requires", "depends on", "relies on", "uses", "rests on", "sits on", "leans on", "hinges on"),
    *("draws on", "pulls in"),
)
"""What English says of needing, whatever the ontology calls it."""
_WHOLE = frozenset({"contain", "comprise", "include", "consist"})
_PART = frozenset({"part", "inside", "within", "under", "belong", "parent"})
_BELONGING = ("belongs to", "makes up")
"""What English says of parts, whatever the ontology calls them."""
_UNDER = frozenset({"answer", "report", "under", "boss", "manager", "superior", "supervisor", "chief"})
_OVER = frozenset({"supervise", "manage", "oversee", "command"})
_GROUP = frozenset({"member", "part", "belong"})
_OWN = frozenset({"own", "owner"})

# What a form is worth that the ontology does not list itself.
_AGENT, _PREDICATE_AGENT, _DEED, _NEEDED = 0.85, 0.8, 0.8, 0.85
_HALF, _SMALL_WORDS, _LIGHT_VERB, _SAME_AGENT = 0.6, 0.3, 0.4, 0.7


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say a hop: `words` are the base forms of each of its words; the first one carries the meaning.

    For a VERB `code` leads from its subject to its object in the active voice; for a PREDICATE ("is part of") from
    subject to object whatever its form; for a NOUN from the thing it belongs to, to what it names. `light`: means
    nothing without all its words. `plural_only`: a noun in the plural only, else a verb ("works"). `placed`: only where
    a noun must stand ("the head of", for a verb is like it).
    """

    code: int
    kind: str
    words: Forms
    weight: float
    light: bool = False
    plural_only: bool = False
    placed: bool = False


@dataclass(frozen=True, slots=True)
class ClassPhrase:
    """A noun for a type."""

    name: str
    words: Forms


@dataclass(frozen=True, slots=True)
class AttributePhrase:
    """Words that say an attribute's value, or its name alone (`value` None)."""

    name: str
    value: bool | str | None
    words: Forms


class Lexicon:
    """The patterns of one ontology, by the base forms of their first word.

    `necessity` and `containment` count, for each hop, the phrases which say that its subject needs its object or is
    inside it, and `ranks` those which say that it is beneath it among people; `affiliation` are hops to a group,
    `owners` and `keepers` hops to what owns it or it belongs to. `known` are all words of the ontology, `verbs` those
    that open a verb.
    """

    def __init__(self, vocabulary: Vocabulary, steps: Steps) -> None:
        self.steps = steps
        self.patterns: dict[str, list[Pattern]] = defaultdict(list)
        self.classes: dict[str, list[ClassPhrase]] = defaultdict(list)
        self.attributes: dict[str, list[AttributePhrase]] = defaultdict(list)
        self.necessity: dict[int, int] = defaultdict(int)
        self.containment: dict[int, int] = defaultdict(int)
        self.ranks: dict[int, int] = defaultdict(int)
        self._parts: dict[int, int] = defaultdict(int)
        self.affiliation: set[int] = set()
        self.owners: set[int] = set()
        self.keepers: set[int] = set()
        self._known: set[str] = set()
        self._best: dict[tuple[int, str, Forms], float] = {}
        for relation in vocabulary.relations.values():
            code = steps.code(relation.name, backwards=False)
            if not steps.usable(code):
                continue
            back = relation.inverse.phrases if relation.inverse is not None else ()
            self._direction(code, relation.label, relation.phrases, back)
            if relation.inverse is not None:
                self._direction(code ^ 1, relation.inverse.label, back, relation.phrases)
        self._add_needing()
        self._add_belonging()
        for class_ in vocabulary.classes.values():
            if steps.below(class_.name) & steps.populated:
                for phrase in class_.phrases:
                    self._class(class_.name, phrase)
        for attribute in vocabulary.attributes.values():
            self._attribute(attribute)
        self.known = frozenset(self._known)
        self.verbs = frozenset(
            form for form, patterns in self.patterns.items() if any(pattern.kind != NOUN for pattern in patterns)
        )

    def patterns_of(self, forms: Iterable[str]) -> list[Pattern]:
        """All patterns whose first word can have one of these base forms."""
        seen: dict[int, Pattern] = {}
        for form in sorted(forms):
            for pattern in self.patterns.get(form, ()):
                seen.setdefault(id(pattern), pattern)
        return list(seen.values())

    def add_values(self, name: str, values: Iterable[str]) -> None:
        """Adds texts that an attribute of the catalogue has, so that a question may say them."""
        for value in values:
            forms = _forms(value)
            if forms and len(forms) <= _LONGEST_VALUE:
                for word in forms[0]:
                    self.attributes[word].append(AttributePhrase(name, value, forms))

    # -- relations --------------------------------------------------------

    def _direction(self, code: int, label: str, phrases: Sequence[str], other: Sequence[str]) -> None:
        mine = {phrase.lower() for phrase in phrases}
        both = mine | {phrase.lower() for phrase in other}
        for phrase in phrases:
            self._phrase(code, phrase.lower(), mine, both, label=phrase == label)
        done = frozenset().union(*(lemmas(phrase.split()[0]) for phrase in both if phrase.endswith(" by")))
        for verb in sorted(mine):
            # Beside "headed by", the heads may also be those who head; where both ends can be the same, it is a guess.
            if code not in self.steps.repeatable and is_present(verb) and lemmas(verb) & done and not is_light(verb):
                self._add(code ^ 1, NOUN, [verb[:-1]], _SAME_AGENT, placed=True)

    def _add_needing(self) -> None:
        needs = {code: count for code, count in self.necessity.items() if code in self.steps.repeatable}
        if needs:
            code = max(needs, key=lambda one: (needs[one], -one))
            for phrase in _NEEDING:
                self._phrase(code, phrase, set(), set(), label=False, weight=_NEEDED)

    def _add_belonging(self) -> None:
        inside = {code: count for code, count in self._parts.items() if count and code in self.steps.repeatable}
        if inside:
            code = max(inside, key=lambda one: (inside[one], -one))
            for phrase in _BELONGING:
                self._phrase(code, phrase, set(), set(), label=False, weight=_NEEDED)

    def _phrase(
        self, code: int, phrase: str, mine: set[str], both: set[str], *, label: bool, weight: float = 1.0
    ) -> None:
        """Adds what one phrase of a direction says; `mine` are all phrases of this direction, `both` of both."""
        parts = [word.lower for word in words(phrase)]
        copular, had = bool(parts) and parts[0] in BE, False
        if copular:
            parts = parts[1:]
        elif parts[:1] in (["has"], ["have"]) and len(parts) > 1:
            parts, had = parts[1:], True
        while parts and parts[0] in DETERMINERS:
            parts, had = parts[1:], False
        while len(parts) > 1 and parts[-1] in _TRAILING:
            parts = parts[:-1]
        if not parts:
            return
        if had and all(part in STOPWORDS for part in parts):
            # "has in it": what it has is in it.
            self._predicate(code ^ 1, parts, copular=True)
            self._add(code, PREDICATE, ["has", *parts], _NEEDED, light=True)
            return
        self._hint(code ^ int(had), parts)
        several = len(parts) > 1
        if several and lemmas(parts[0]) & _AUXILIARY:
            self._add(code, PREDICATE, parts, 0.9)
        elif several and parts[-1] == "by":
            self._passive(code, parts)
        elif several and parts[-1] == "of":
            self._add(code, PREDICATE, parts, 1.0)
            if not is_participle(parts[0]):  # "made up of" names nothing.
                self._add(code ^ 1, NOUN, parts[:-1], 0.95)
        elif copular or (several and parts[-1] in PREPOSITIONS and not is_present(parts[0])):
            self._predicate(code, parts, copular=copular)
        elif had and not is_participle(parts[0]):
            self._add(code, NOUN, parts, 0.95)
        elif is_verb(parts[0]) and not _is_plural_of(parts, mine):
            self._verb(code, parts, weight)
            if not several and parts[0].endswith("s") and not _is_plural_of(parts, both):
                self._add(code, NOUN, parts, 0.8, plural_only=True)
        elif several and parts[0] in PREPOSITIONS:
            self._add(code, PREDICATE, parts, 1.0)
            self._add(code, NOUN, parts[1:], 0.9)
        else:
            self._noun(code, parts, label=label)

    def _hint(self, code: int, parts: Sequence[str]) -> None:
        """Notes what kind of relation this is, by words of general English."""
        base = frozenset().union(*(lemmas(part) for part in parts))
        passive = int(parts[-1] == "by" or is_participle(parts[0]))
        if base & _NEED:
            self.necessity[code ^ passive] += 1
        if base & _OWN:
            self.owners.add(code ^ int("own" in base and not passive))
        if "belong" in base:
            self.keepers.add(code)
        if base & _UNDER | base & _OVER:
            self.ranks[code ^ int(bool(base & _OVER) and not passive)] += 1
        if base & _GROUP:
            self.affiliation.add(code)
        if base & _PART | base & _WHOLE:
            upwards = code ^ int(bool(base & _WHOLE) != bool(passive))
            self.containment[upwards] += 1
            self._parts[upwards] += int(bool(base & (_WHOLE | {"part"})))

    def _passive(self, code: int, parts: Sequence[str]) -> None:
        particle = len(parts) < 3 or parts[-2] in _PARTICLES
        self._verb(code ^ 1, parts[:-1] if particle else [parts[-2]], 1.0)
        if not particle:
            # "api provided by": the noun in front only names what the subject is.
            self._add(code, PREDICATE, parts, 1.0)

    def _predicate(self, code: int, parts: Sequence[str], *, copular: bool) -> None:
        content = any(part not in STOPWORDS for part in parts)
        self._add(code, PREDICATE, parts, 1.0 if content else _SMALL_WORDS * min(len(parts), 2), light=not content)
        if not content:
            return
        if copular and parts[-1] in _PLACES and code not in self.steps.repeatable:
            # "is kept in" leaves "is in" to be understood.
            self._add(code, PREDICATE, parts[-1:], _SMALL_WORDS, light=True)
        if is_verb(parts[0]):
            self._add(code, PREDICATE, parts[:1], _HALF, light=is_light(parts[0]))
            if not is_light(parts[0]):
                for agent in agents(parts[0]):
                    self._add(code ^ 1, NOUN, [agent], _PREDICATE_AGENT)

    def _verb(self, code: int, parts: Sequence[str], weight: float) -> None:
        alone = len(parts) == 1
        light = is_light(parts[0]) and (not alone or parts[0] in {"has", "have"})
        self._add(code, VERB, parts, _LIGHT_VERB if light and alone else weight, light=light)
        if light and parts[1:] == ["from"] and code not in self.steps.repeatable:
            self._add(code, PREDICATE, ["from"], _SMALL_WORDS, light=True)  # "comes from"
        if not light and (alone or (len(parts) == 2 and parts[1] in PREPOSITIONS)):
            for agent in agents(parts[0]):
                self._add(code ^ 1, NOUN, [agent], _AGENT)

    def _noun(self, code: int, parts: Sequence[str], *, label: bool) -> None:
        self._add(code, NOUN, parts, 0.5 if all(part in STOPWORDS for part in parts) else 1.0)
        if len(parts) == 2 and parts[0] == "direct":
            self._add(code, NOUN, parts[1:], 0.9)  # "direct" says how far, also where the ontology says it.
        if len(parts) > 2 and parts[1] == "of":
            self._add(code, NOUN, parts[:1], _HALF)
        if len(parts) == 1:
            for verb in deeds(parts[0]):
                self._add(code ^ 1, VERB, [verb], _DEED)
        elif label:
            # A bare label such as "starred actors" or "release year" is all that some ontologies say.
            for part in parts:
                if part not in STOPWORDS:
                    self._add(code, NOUN, [part], 0.75 if part == parts[-1] else 0.5)
                    if part != parts[-1] and is_verb(part):
                        self._add(code ^ 1, VERB, [part], 0.7)

    def _add(
        self,
        code: int,
        kind: str,
        parts: Sequence[str],
        weight: float,
        *,
        light: bool = False,
        plural_only: bool = False,
        placed: bool = False,
    ) -> None:
        forms = tuple(lemmas(part) for part in parts)
        if kind == NOUN:
            forms = (*forms[:-1], _noun_forms(parts[-1]))
        key = (code, kind, forms)
        before = self._best.get(key, 0.0)
        if before >= weight:
            return
        if before:
            for word in forms[0]:
                self.patterns[word] = [one for one in self.patterns[word] if (one.code, one.kind, one.words) != key]
        self._best[key] = weight
        self._know(forms)
        pattern = Pattern(code, kind, forms, weight, light, plural_only, placed)
        for word in forms[0]:
            self.patterns[word].append(pattern)

    # -- classes and attributes -------------------------------------------

    def _class(self, name: str, phrase: str) -> None:
        forms = _forms(phrase)
        if forms:
            forms = (*forms[:-1], _noun_forms(words(phrase.lower())[-1].lower))
            self._know(forms)
            for word in forms[0]:
                self.classes[word].append(ClassPhrase(name, forms))

    def _attribute(self, attribute: Attribute) -> None:
        positive = True if attribute.boolean else None
        said = [(phrase, positive) for phrase in attribute.phrases]
        said += [(phrase, False) for phrase in attribute.phrases_false]
        for phrase, value in said:
            forms = _forms(phrase)
            if forms and "be" in forms[0]:
                forms = forms[1:]
            if forms:
                self._know(forms)
                for word in forms[0]:
                    self.attributes[word].append(AttributePhrase(attribute.name, value, forms))

    def _know(self, forms: Forms) -> None:
        for one in forms:
            self._known |= one


def _forms(phrase: str) -> Forms:
    return tuple(lemmas(word.lower) for word in words(phrase.lower()))


def _noun_forms(word: str) -> frozenset[str]:
    """The base forms of a noun, without those of a verb that looks like its base: "paint" is no "painting"."""
    return frozenset((word,)) if word.endswith(("ing", "ed")) else lemmas(word)


def _is_plural_of(parts: Sequence[str], phrases: set[str]) -> bool:
    """Whether a phrase is the plural of another: "pupils" beside "pupil", "leads" beside "lead"."""
    return len(parts) == 1 and parts[0].endswith("s") and parts[0][:-1] in phrases
