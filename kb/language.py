"""English morphology for reading pages and questions: words, their possible base forms, the forms of a verb.

Nothing here knows any subject area. Base forms are *candidates*: a word's set always holds the right one where the
word is regular or listed, and may hold forms that do not exist ("calle" beside "call"), which match nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "NUMBER_WORDS",
    "STOPWORDS",
    "VerbForms",
    "Word",
    "lemmas",
    "plural",
    "verb_forms",
    "words",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOPWORDS: frozenset[str] = _set(
    "a an the this that these those some any each every all both other others such same own "
    "i you he she it we they me him her us them my your his its our their mine yours ours theirs "
    "who whom whose which what where when why how there here "
    "be am is are was were been being have has had having do does did doing done "
    "will would shall should can could may might must ought "
    "of in on at by for with from to into onto over under about between through during before after above below up "
    "down out off again further then once as than so too very just also only even still yet already "
    "and or but nor not no if because while until unless although though "
    "'s 're 've 'll 'd 'm"
)
"""Words that carry grammar rather than content."""

NUMBER_WORDS: dict[str, int] = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "  # noqa: SIM905
        "seventeen eighteen nineteen twenty".split()
    )
}
"""Numbers that prose spells out."""

# base: past, past participle (where it differs)
_IRREGULAR_VERBS: dict[str, tuple[str, ...]] = {
    line.split()[0]: tuple(line.split()[1:])
    for line in """
    arise arose arisen|awake awoke awoken|bear bore born borne|beat beat beaten|become became become
    begin began begun|bend bent|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred
    bring brought|build built|burn burnt|burst burst|buy bought|cast cast|catch caught|choose chose chosen
    cling clung|come came come|cost cost|creep crept|cut cut|deal dealt|dig dug|draw drew drawn|drink drank drunk
    drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled
    fling flung|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
    freeze froze frozen|get got gotten|give gave given|go went gone|grind ground|grow grew grown|hang hung|have had
    hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept|kneel knelt|know knew known|lay laid|lead led
    leap leapt|leave left|lend lent|let let|lie lay lain|light lit|lose lost|make made|mean meant|meet met
    outgrow outgrew outgrown|overcome overcame overcome|override overrode overridden|overwrite overwrote overwritten
    pay paid|put put|quit quit|read read|rebuild rebuilt|resend resent|rerun reran rerun|rewrite rewrote rewritten
    ride rode ridden|ring rang rung|rise rose risen|run ran run|say said|see saw seen|seek sought|sell sold
    send sent|set set|shake shook shaken|shed shed|shine shone|shoot shot|show showed shown|shrink shrank shrunk
    shut shut|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun
    split split|spread spread|spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung
    strike struck|strive strove striven|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken
    teach taught|tear tore torn|tell told|think thought|throw threw thrown|undergo underwent undergone
    understand understood|undertake undertook undertaken|undo undid undone|uphold upheld|wake woke woken
    wear wore worn|weave wove woven|win won|wind wound|withdraw withdrew withdrawn|write wrote written|do did done
    """.replace("\n", "|").split("|")
    if line.strip()
}

_IRREGULAR: dict[str, tuple[str, ...]] = {
    "am": ("be",), "is": ("be",), "are": ("be",), "was": ("be",), "were": ("be",), "been": ("be",), "being": ("be",),
    "'m": ("be",), "'re": ("be",), "has": ("have",), "'ve": ("have",), "does": ("do",), "goes": ("go",),
    "people": ("person", "people"), "men": ("man",), "women": ("woman",), "children": ("child",), "feet": ("foot",),
    "teeth": ("tooth",), "mice": ("mouse",), "geese": ("goose",), "indices": ("index",), "indexes": ("index",),
    "matrices": ("matrix",), "vertices": ("vertex",), "criteria": ("criterion",), "phenomena": ("phenomenon",),
    "analyses": ("analysis", "analyse"), "bases": ("base", "basis"), "crises": ("crisis",), "theses": ("thesis",),
    "schemata": ("schema",),
    "wives": ("wife",), "knives": ("knife",), "lives": ("life", "live"), "leaves": ("leaf", "leave"),
    "halves": ("half",), "shelves": ("shelf",), "wolves": ("wolf",), "selves": ("self",), "staff": ("staff",),
    "better": ("good",), "best": ("good",), "worse": ("bad",), "worst": ("bad",), "news": ("news",),
    "left": ("left", "leave"), "used": ("use",), "using": ("use",), "uses": ("use",), "lying": ("lie",),
    "dying": ("die",),
    "tying": ("tie",),
}  # fmt: skip
for _base, _forms in _IRREGULAR_VERBS.items():
    for _form in _forms:
        _IRREGULAR[_form] = tuple(dict.fromkeys((*_IRREGULAR.get(_form, ()), _base)))

_VOWELS = frozenset("aeiou")
_DOUBLING = frozenset("bdgklmnprtvz")
# Clitics are words of their own, so that "Auth's" holds the word "Auth" and "we'll" the word "'ll"; "n't" stays with
# its verb, because "can't" and "won't" have no verb left without it.
_WORD = re.compile(r"['’](?:s|re|ve|ll|d|m)(?![^\W_])|[^\W_]+n['’]t(?![^\W_])|[^\W_]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: `text[start:end]` as written, and its possible base forms in lower case."""

    text: str
    start: int
    end: int
    lemmas: frozenset[str]

    @property
    def lower(self) -> str:
        """In lower case, with a straight apostrophe."""
        return self.text.lower().replace("’", "'")


@dataclass(frozen=True, slots=True)
class VerbForms:
    """Every form of one verb, in lower case. `participles` are the past participles ("written")."""

    base: str
    third: str
    pasts: frozenset[str]
    participles: frozenset[str]
    ing: frozenset[str]

    @property
    def present(self) -> frozenset[str]:
        """The forms of a plain statement about now."""
        return frozenset((self.base, self.third))


def words(text: str) -> list[Word]:
    """Split a text into its words, in order. Hyphens, underscores and dots separate; clitics ("'s", "'ll") are words.

    >>> [w.text for w in words("Auth's ledger-db isn't read by fx_rates; we'll see")]
    ['Auth', "'s", 'ledger', 'db', "isn't", 'read', 'by', 'fx', 'rates', 'we', "'ll", 'see']
    """
    return [
        Word(m.group(), m.start(), m.end(), lemmas(m.group().lower().replace("’", "'"))) for m in _WORD.finditer(text)
    ]


@lru_cache(maxsize=65536)
def lemmas(word: str) -> frozenset[str]:
    """Possible base forms of a lower-case word, itself among them.

    >>> sorted(lemmas("reads")), sorted(lemmas("used")), sorted(lemmas("people"))
    (['read', 'reads'], ['use', 'used'], ['people', 'person'])
    """
    found = {word}
    if word.endswith("n't"):
        stem = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "be"}.get(word, word[:-3])
        return frozenset((word, "not", *lemmas(stem)))
    irregular = _IRREGULAR.get(word)
    if irregular is not None:
        found.update(irregular)
        # A listed form may also be the base of its own verb ("found", "saw") or noun, and is in the set as itself.
        return frozenset(found)
    if not word.isalpha() or len(word) < 4:
        return frozenset(found)
    if word.endswith("ies") and len(word) > 4:
        found.update((word[:-3] + "y", word[:-1]))
    elif word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh", "o")):
        found.update((word[:-2], word[:-1]))
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(word[:-1])
    elif word.endswith("ied"):
        found.update((word[:-3] + "y", word[:-1]))
    elif word.endswith("ed"):
        found.update(_stems(word[:-2]))
    elif word.endswith("ing"):
        found.update(_stems(word[:-3]))
    return frozenset(one for one in found if len(one) > 2 or one == word)


def _stems(stem: str) -> set[str]:
    """Guess what "-ed" or "-ing" was added to."""
    if len(stem) < 2 or not (_VOWELS | {"y"}) & set(stem):
        return set()
    found = {stem, stem + "e"}
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in _DOUBLING:
        found.add(stem[:-1])
    return found


@lru_cache(maxsize=8192)
def verb_forms(base: str) -> VerbForms:
    """List the forms of the verb `base` (lower case, one word).

    >>> f = verb_forms("write"); f.third, sorted(f.participles), sorted(f.ing)
    ('writes', ['written'], ['writing'])
    >>> sorted(verb_forms("copy").participles), sorted(verb_forms("run").ing)
    (['copied'], ['running'])
    """
    if base == "be":
        return VerbForms("be", "is", frozenset(("was", "were")), frozenset(("been",)), frozenset(("being",)))
    consonant_y = base.endswith("y") and base[-2:-1] not in _VOWELS
    if base == "have":
        third = "has"
    elif consonant_y:
        third = base[:-1] + "ies"
    elif base.endswith(("s", "x", "z", "ch", "sh", "o")):
        third = base + "es"
    else:
        third = base + "s"
    irregular = _IRREGULAR_VERBS.get(base)
    if irregular is not None:
        pasts, participles = frozenset(irregular[:1]), frozenset(irregular[1:] or irregular[:1])
    else:
        pasts = participles = _regular(base, "ed")
    return VerbForms(base, third, pasts, participles, _regular(base, "ing"))


def _regular(base: str, ending: str) -> frozenset[str]:
    if ending == "ed" and base.endswith("y") and base[-2:-1] not in _VOWELS:
        return frozenset((base[:-1] + "ied",))
    if base.endswith("ie") and ending == "ing":
        return frozenset((base[:-2] + "ying",))
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return frozenset((base[:-1] + ending,))
    if ending == "ed" and base.endswith("e"):
        return frozenset((base + "d",))
    found = {base + ending}
    if len(base) > 2 and base[-1] in _DOUBLING and base[-2] in _VOWELS and base[-3] not in _VOWELS:
        # Doubling hangs on the stress, which spelling does not show: "mapped" but "opened".
        syllables = len(re.findall(r"[aeiouy]+", base))
        found = {base + base[-1] + ending} if syllables == 1 else {base + ending, base + base[-1] + ending}
    return frozenset(found)


@lru_cache(maxsize=8192)
def plural(noun: str) -> str:
    """Form the plural of a lower-case noun.

    >>> [plural(n) for n in ("service", "dependency", "person", "index")]
    ['services', 'dependencies', 'people', 'indexes']
    """
    for form in ("people", "men", "women", "children", "criteria"):
        if noun in _IRREGULAR[form][:1]:
            return form
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")
