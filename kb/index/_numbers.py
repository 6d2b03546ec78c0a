"""The numbers in a text, with what they count, and those that one text has and another has not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.language import NUMBER_WORDS, STOPWORDS, lemmas

__all__ = ["Number", "numbers_in", "numbers_that_differ"]

_TOKEN = re.compile(
    r"""
    (?P<fixed> \d{4}-\d\d-\d\d(?!\d) | 0x[0-9a-f]+ | v?\d+(?:\.\d+){2,} | \d+:\d\d(?::\d\d)?(?!\d) | \d+xx\b )
  | (?P<number> (?<![\w.)\]])[-−]?\d+(?:[,_’'\u00a0\u2009\u202f]\d{3}(?!\d))*(?:\.\d+)?(?:e[-+]?\d+\b)?
              | \d+(?:[,_’'\u00a0\u2009\u202f]\d{3}(?!\d))*(?:\.\d+)?(?:e[-+]?\d+\b)? )
    (?P<suffix> %|[^\W\d_]+(?![\w]) )?
  | (?P<word> [^\W\d_][\w]*(?:['’][^\W\d_]+)? )
  | (?P<sign> [^\s\w] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GROUPING = re.compile("[,_’'\u00a0\u2009\u202f]")

_UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _factor, _names in (
    ("time", 1e-9, "ns nanosecond nanoseconds"),
    ("time", 1e-6, "us µs μs microsecond microseconds"),
    ("time", 1e-3, "ms msec msecs millisecond milliseconds millis"),
    ("time", 1, "s sec secs second seconds"),
    ("time", 60, "m min mins minute minutes"),
    ("time", 3600, "h hr hrs hour hours"),
    ("time", 86400, "d day days"),
    ("time", 604800, "w week weeks"),
    ("months", 1, "month months"),
    ("months", 12, "year years"),
    ("bytes", 1, "b byte bytes"),
    ("bits", 1, "bit bits"),
    ("bytes", 1e3, "kb kilobyte kilobytes"),
    ("bytes", 1e6, "mb megabyte megabytes"),
    ("bytes", 1e9, "gb gigabyte gigabytes"),
    ("bytes", 1e12, "tb terabyte terabytes"),
    ("bytes", 2**10, "ki kib kibibyte kibibytes"),
    ("bytes", 2**20, "mi mib mebibyte mebibytes"),
    ("bytes", 2**30, "gi gib gibibyte gibibytes"),
    ("bytes", 2**40, "ti tib tebibyte tebibytes"),
    ("percent", 1, "% percent pct"),
):
    _UNITS.update(dict.fromkeys(_names.split(), (_dimension, _factor)))
_ONLY_GLUED = frozenset("mdwb")
"""Units that stand for themselves only right behind the digits."""
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6}
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))  # noqa: SIM905
_SMALL = {**NUMBER_WORDS, **_TENS}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_ALONE = {"twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "half": 0.5, "dozen": 12.0, "once": 1.0,
          "single": 1.0,
          "doubles": 2.0, "doubled": 2.0, "halves": 0.5, "halved": 0.5}  # fmt: skip
_ORDINALS = {
    word: float(number)
    for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)  # noqa: SIM905
}
_WEAK = frozenset({"one", *_ALONE} - {"dozen"})
"""Words that say a number only where another one stands in its place: "once it has started", "the first one"."""
_NOT_COUNTED = frozenset({"per", "and", "means", "mean", "counts", "gives", "makes", "says", "instead", "unless"})
_LINKS = frozenset({"is", "are", "be", "of", "to", "at", "=", ":", "was", "by", "`", '"', "'", "("})


@dataclass(frozen=True, slots=True)
class Number:
    """One number. `kind` is "number", "ordinal" or "name" (`IPv4`, `2024-01-31`); `value` is in the unit's base.

    `unit` is a dimension ("time" in seconds, "bytes"), `label` the word that says what is counted or set. A `weak`
    one may be no number at all. `shown` is how the text has it.
    """

    kind: str
    value: float | str
    unit: str | None
    label: str
    shown: str
    weak: bool = False


def numbers_in(text: str) -> list[Number]:
    """All numbers, in digits and in words, in the order of the text."""
    tokens = list(_TOKEN.finditer(text))
    found: list[Number] = []
    at = 0
    while at < len(tokens):
        read = _read(text, tokens, at)
        if read is None:
            at += 1
            continue
        number, at = read
        found.append(number)
    return found


def _read(text: str, tokens: Sequence[re.Match[str]], at: int) -> tuple[Number, int] | None:
    """The number that begins at a token, and the token after it."""
    token = tokens[at]
    if token["fixed"] is not None:
        return Number("name", token["fixed"].lower().lstrip("v"), None, "", token["fixed"]), at + 1
    if token["number"] is not None:
        return _digits(text, tokens, at)
    word = token["word"]
    if word is None:
        return None
    lower = word.lower()
    if any(char.isdigit() for char in word):
        return Number("name", lower, None, "", word), at + 1
    if lower in _ORDINALS:
        if lower == "second" and (not at or tokens[at - 1].group().lower() != "the"):
            return None
        return Number("ordinal", _ORDINALS[lower], None, "", word, weak=True), at + 1
    behind = [one.group().lower() for one in tokens[at + 1 : at + 3]]
    if lower in ("half", "a", "an") and behind:
        # "Half a minute", "half second", "an hour".
        place = at + 1 + (lower == "half" and behind[0] in ("a", "an"))
        if len(behind) > place - at - 1 and (unit := behind[place - at - 1]) in _UNITS and len(unit) > 1:
            dimension, factor = _UNITS[unit]
            value = factor * (0.5 if lower == "half" else 1)
            shown = " ".join(text[token.start() : tokens[place].end()].split())
            return Number("number", _rounded(value), dimension, "", shown, weak=lower != "half"), place + 1
    if lower in _ALONE:
        return Number("number", _ALONE[lower], None, "", word, weak=lower in _WEAK), at + 1
    return _spelt(text, tokens, at)


def _digits(text: str, tokens: Sequence[re.Match[str]], at: int) -> tuple[Number, int] | None:
    token = tokens[at]
    value = float(_GROUPING.sub("", token["number"]).replace("−", "-"))
    suffix = token["suffix"] or ""
    if suffix.lower() in ("st", "nd", "rd", "th"):
        return Number("ordinal", value, None, "", token.group(), weak=True), at + 1
    if suffix in _TIMES:
        return _counted(text, tokens, at, at + 1, value * _TIMES[suffix])
    if suffix.lower() in _UNITS:
        dimension, factor = _UNITS[suffix.lower()]
        label = _label_before(tokens, at, linked=True)
        return Number("number", _rounded(value * factor), dimension, label, token.group()), at + 1
    if suffix and suffix.lower() != "x":
        return Number("name", token.group().lower(), None, "", token.group()), at + 1
    return _counted(text, tokens, at, at + 1, value)


def _spelt(text: str, tokens: Sequence[re.Match[str]], at: int) -> tuple[Number, int] | None:
    """Number words that stand together: "one hundred and twenty-five"."""
    total = part = 0.0
    end = at
    for place in range(at, len(tokens)):
        lower = tokens[place].group().lower()
        if lower in _SMALL:
            part += _SMALL[lower]
        elif lower in _LARGE:
            large = _LARGE[lower]
            part = max(part, 1) * large
            if large > 100:
                total, part = total + part, 0.0
        elif end > at and lower in ("and", "-") and place + 1 < len(tokens):
            follows = tokens[place + 1].group().lower()
            joined = tokens[place - 1].group().lower()
            # "three and five" are two numbers, "hundred and five" and "twenty-five" are one.
            if (lower == "and" and joined in _LARGE and follows in _SMALL) or (
                lower == "-" and joined in _TENS and follows in NUMBER_WORDS
            ):
                continue
            break
        else:
            break
        end = place + 1
    if end == at:
        return None
    weak = end == at + 1 and tokens[at].group().lower() in _WEAK
    if weak and (end == len(tokens) or tokens[end].group().lower() in STOPWORDS):
        return None
    return _counted(text, tokens, at, end, total + part, weak=weak)


def _counted(
    text: str, tokens: Sequence[re.Match[str]], at: int, end: int, value: float, *, weak: bool = False
) -> tuple[Number, int]:
    """A number with the unit or the noun behind it, else with the word before it."""
    follower = end + (end < len(tokens) and tokens[end].group() == "-")
    behind = tokens[follower] if follower < len(tokens) else None
    start, stop = tokens[at].start(), tokens[end - 1].end()
    word = "" if behind is None else behind.group().lower()
    if word in _UNITS and word not in _ONLY_GLUED:
        assert behind is not None
        dimension, factor = _UNITS[word]
        shown = " ".join(text[start : behind.end()].split())
        label = _label_before(tokens, at, linked=True)
        return Number("number", _rounded(value * factor), dimension, label, shown), follower + 1
    if behind is not None and behind["word"] is not None and word not in STOPWORDS and word not in _NOT_COUNTED:
        shown = " ".join(text[start : behind.end()].split())
        return Number("number", value, None, _base(word), shown, weak), end
    return Number("number", value, None, _label_before(tokens, at), text[start:stop], weak), end


def _label_before(tokens: Sequence[re.Match[str]], at: int, *, linked: bool = False) -> str:
    """The word that a number is the value of: "port 8080"; where `linked`, "wait is 5 s" but not "waits 5 s"."""
    for place, token in enumerate(reversed(tokens[max(0, at - 4) : at])):
        word = token.group().lower()
        if word in _LINKS:
            continue
        if linked and not place:
            return ""
        return "" if token["word"] is None or word in STOPWORDS else _base(word)
    return ""


def _base(word: str) -> str:
    return min(lemmas(word), key=lambda one: (len(one), one))


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")


# -- what differs ------------------------------------------------------------


def numbers_that_differ(ours: Sequence[Number], theirs: Sequence[Number]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbers of each side, as its text has them, that the other has not; once each."""
    left = list(_unmatched(ours, theirs)), list(_unmatched(theirs, ours))
    kept: list[tuple[str, ...]] = []
    for mine, other in (left, left[::-1]):
        shown = [one.shown for one in mine if not _needs_opponent(one) or any(_opposed(one, two) for two in other)]
        kept.append(tuple(dict.fromkeys(shown)))
    return kept[0], kept[1]


def _unmatched(ours: Sequence[Number], theirs: Sequence[Number]) -> Iterator[Number]:
    exact = {(one.kind, one.value, one.unit, one.label) for one in theirs}
    said: dict[tuple[str | None, str], set[float | str]] = {}
    for one in theirs:
        said.setdefault((one.unit, one.label), set()).add(one.value)
    for one in ours:
        if (one.kind, one.value, one.unit, one.label) in exact:
            continue
        # "3 retries and 5 workers" is not "5 retries and 3 workers", though both have 3 and 5.
        elsewhere = one.label and one.value not in said.get((one.unit, one.label), {one.value})
        same = any(one.kind == two.kind and one.value == two.value and _comparable(one, two) for two in theirs)
        if not same or elsewhere:
            yield one


def _comparable(one: Number, two: Number) -> bool:
    """A number without a unit may have the other's; "3 retries" are not "3 seconds"."""
    return one.unit == two.unit or not (one.label if one.unit is None else two.label)


def _needs_opponent(number: Number) -> bool:
    return number.weak or number.kind != "number"


def _opposed(one: Number, two: Number) -> bool:
    return one.kind == two.kind and one.value != two.value
