"""Small pieces of English: lists, counts, articles, the nouns of types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kb.language import NUMBER_WORDS, plural
from kb.vocabulary import Vocabulary

__all__ = ["article", "capital", "clean", "counted", "counted_types", "listed", "number_word", "person", "plural_of"]

_WORDS = {number: word for word, number in NUMBER_WORDS.items() if number <= 10}
_PEOPLE = frozenset(("person", "people", "human", "human being"))
_MOST_TYPES = 3


def clean(text: str) -> str:
    """One line, without characters that do not show."""
    return " ".join("".join(char if char.isprintable() or char.isspace() else " " for char in text).split())


def capital(text: str) -> str:
    """With a capital first letter, other letters as they are."""
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Joined as a sentence lists things.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def number_word(number: int) -> str:
    """A number as prose writes it: as a word up to ten.

    >>> number_word(3), number_word(1200)
    ('three', '1,200')
    """
    return _WORDS.get(number, f"{number:,}") if number else "no"


def plural_of(label: str) -> str:
    """The plural of a label of one or more words; only its last one changes.

    >>> plural_of("vote level"), plural_of("API")
    ('vote levels', 'APIs')
    """
    head, _, last = label.rpartition(" ")
    return f"{head} {last}".strip()[: -len(last)] + (plural(last) if last == last.lower() else f"{last}s")


def article(noun: str) -> str:
    """A noun with "a" or "an", by its first letter.

    >>> article("owner"), article("part"), article("unit"), article("user")
    ('an owner', 'a part', 'a unit', 'a user')
    """
    lowered = noun.lower()
    vowel = lowered[:1] in "aeiou" and not lowered.startswith(("uni", "use", "usa", "eu", "one"))
    return f"{'an' if vowel or lowered.startswith(('hour', 'heir', 'honest')) else 'a'} {noun}"


def counted(number: int, label: str) -> str:
    """A number with its noun.

    >>> counted(1, "team"), counted(3, "team")
    ('one team', 'three teams')
    """
    return f"{number_word(number)} {label if number == 1 else plural_of(label)}"


def counted_types(types: Iterable[str | None], vocabulary: Vocabulary) -> str:
    """How many there are of each type, largest first; of things, where there are many types or one is not known."""
    numbers = Counter(types)
    if None in numbers or not all(name in vocabulary.classes for name in numbers) or len(numbers) > _MOST_TYPES:
        return counted(numbers.total(), "thing")
    rows = sorted(numbers.items(), key=lambda row: (-row[1], str(row[0])))
    return listed([counted(number, vocabulary.classes[str(name)].label) for name, number in rows])


def person(type_name: str | None, vocabulary: Vocabulary) -> bool:
    """Whether things of a type are people, by the words that the ontology has for it."""
    if type_name is None:
        return False
    above = (vocabulary.classes[name] for name in vocabulary.ancestors(type_name))
    return any(word.lower() in _PEOPLE for one in above for word in (one.label, *one.phrases))
