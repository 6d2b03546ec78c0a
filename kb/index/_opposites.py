"""Words that contradict each other where one stands in the place of the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

__all__ = ["opposite_pairs", "opposites_of"]

_PAIRS = """
before after|first last|minimum maximum|min max|least most|enable disable|true false|on off|allow deny|allow forbid
allow block|accept reject|accept refuse|include exclude|inclusive exclusive|require optional|mandatory optional
always never|ascend descend|ascending descending|asc desc|increase decrease|upper lower|uppercase lowercase|start end
start stop|begin end|open close|public private|read write|sync async|synchronous asynchronous|local remote|local global
inbound outbound|inside outside|keep drop|keep discard|keep remove|keep delete|add remove|create delete|old new
oldest newest|older newer|more less|more fewer|greater less|long short|longer shorter|longest shortest|high low
higher lower|highest lowest|large small|larger smaller|largest smallest|fast slow|faster slower|left right|up down
push pull|succeed fail|success failure|pass fail|present absent|present missing|encrypt plain|static dynamic
strict lenient|eager lazy|same different|same other|prefix suffix|lead trail|leading trailing|permanent temporary
early late|earlier later|input output|source target|parent child|forward backward|hard soft|full empty|full partial
client server|manual automatic|manually automatically|explicit implicit|relative absolute|merge replace|append replace
append overwrite|append prepend|with without|above below|buffer flush|case-sensitive case-insensitive|internal external
sequential parallel|serial parallel|online offline|even odd|horizontal vertical|persist lose|warn fail|signed unsigned
continue abort|continue stop|apply ignore|use ignore|honour ignore|honor ignore|respect ignore
positive negative|row column|shared exclusive|recursive flat|anonymous authenticated|encode decode|compress decompress
"""
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.replace("\n", "|").split("|"):
    if _pair:
        _one, _other = _pair.split()
        _OPPOSITES.setdefault(_one, set()).add(_other)
        _OPPOSITES.setdefault(_other, set()).add(_one)

_PREFIXES = ("un", "non", "dis", "de")
_BEFORE_ADJECTIVES = ("in", "im", "ir", "il", "a")
_ADJECTIVES = ("able", "ible", "ent", "ant", "ive", "al", "ar", "id", "ed", "ly", "ct", "ete", "ite", "ate", "ous")
_SHORTEST = 4


@lru_cache(maxsize=65_536)
def opposites_of(word: str) -> frozenset[str]:
    """What may contradict a lower-case base form; most of it is no word at all, and meets none.

    >>> [two in opposites_of(one) for one, two in (("before", "after"), ("mutable", "immutable"))]
    [True, True]
    """
    found = set(_OPPOSITES.get(word, ()))
    if len(word) >= _SHORTEST:
        found |= {f"{prefix}{word}" for prefix in _PREFIXES if prefix != "de" or word.endswith(("e", "ed", "t"))}
        if word.endswith(_ADJECTIVES):
            found |= {f"{prefix}{word}" for prefix in _BEFORE_ADJECTIVES}
    if word.endswith("less") and len(word) > 6:
        found.add(f"{word[:-4]}ful")
    return frozenset(found)


def opposite_pairs(ours: frozenset[str], theirs: frozenset[str]) -> Iterator[tuple[str, str]]:
    """(word of ours, word of theirs) that contradict each other; words that both have are in neither's place."""
    mine, other = ours - theirs, theirs - ours
    found = {(one, two) for one in mine for two in opposites_of(one) & other}
    found |= {(one, two) for two in other for one in opposites_of(two) & mine}
    # "Kept for a week and then deleted" is no opposite of "removed after a week".
    both = {(one, two) for one, two in found if ours & opposites_of(one) or theirs & opposites_of(two)}
    yield from sorted(found - both)
