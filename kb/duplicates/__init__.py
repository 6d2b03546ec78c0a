"""What a generation may hold twice: caveats that are alike, and entities of one type with the same name.

Both are proposals with the reason in words. Nothing is ever merged; people say what they are, see `kb.reviews`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kb.config import Config
from kb.duplicates._names import alike_names
from kb.errors import GenerationError, UnknownNameError
from kb.generations import Generation
from kb.index.chunks import CAVEAT, CONCEPT, FIELD
from kb.index.duplicates import FORMAT, text_digest
from kb.model import Entity
from kb.reviews import REVIEWS_NAME, VERDICTS, Review, Reviews, add_review, load_reviews, now
from kb.sources.backstage import parse_reference
from kb.sources.catalogue import Catalogue

__all__ = [
    "REPORT_NAME",
    "EntityPair",
    "Opened",
    "Pair",
    "duplicates",
    "entity_duplicates",
    "pair_of",
    "report_of",
    "review",
    "reviews_of",
]

REPORT_NAME = "dedup_report.json"
_SCHEMA_NODES = (CAVEAT, CONCEPT, FIELD)
_SHOWN = 3


class Opened(Protocol):
    """What is asked of a knowledge base; `kb.open` gives one."""

    config: Config
    generation: Generation

    @property
    def catalogue(self) -> Catalogue: ...


@dataclass(frozen=True, slots=True)
class Pair:
    """Two caveats of one concept that say the same, or the contrary.

    `a` and `b` are ids of nodes, `similarity` is the cosine of their vectors. `numbers` and `negations` are what the
    text of `a` has and that of `b` has not, and the reverse, in the words of the texts; where both are empty, nothing
    was found that differs. `new`: the build before had no such pair. `texts` are SHA-256 of both
    texts, summary and evidence. `review` is the verdict that counts, None as long as the pair is open.
    """

    a: str
    b: str
    concept: str
    similarity: float
    summaries: tuple[str, str]
    numbers: tuple[tuple[str, ...], tuple[str, ...]]
    negations: tuple[tuple[str, ...], tuple[str, ...]]
    new: bool
    texts: tuple[str, str]
    review: Review | None = None

    @property
    def differs(self) -> bool:
        """Whether numbers or negations were found to differ: the two may contradict each other."""
        return any((*self.numbers, *self.negations))

    def to_json(self) -> dict[str, Any]:
        """Plain values, with `negation` (whether negations differ) and `verdict` (None for an open pair)."""
        return {
            "a": self.a,
            "b": self.b,
            "concept": self.concept,
            "similarity": self.similarity,
            "summaries": list(self.summaries),
            "numbers": [list(side) for side in self.numbers],
            "negations": [list(side) for side in self.negations],
            "negation": any(self.negations),
            "new": self.new,
            "texts": list(self.texts),
            **_verdict(self.review),
        }


@dataclass(frozen=True, slots=True)
class EntityPair:
    """Two entities of one type that may be the same thing, and why; `ratio` is how much the names are alike, up to 1.

    `texts` are SHA-256 of type, name and aliases.
    """

    a: str
    b: str
    type: str
    names: tuple[str, str]
    reason: str
    ratio: float
    texts: tuple[str, str]
    review: Review | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values, with `verdict` (None for an open pair)."""
        return {
            "a": self.a,
            "b": self.b,
            "type": self.type,
            "names": list(self.names),
            "reason": self.reason,
            "ratio": self.ratio,
            "texts": list(self.texts),
            **_verdict(self.review),
        }


def _verdict(found: Review | None) -> dict[str, Any]:
    if found is None:
        return {"verdict": None}
    return {"verdict": found.verdict, "by": found.by, "on": found.on, "note": found.note}


def reviews_of(kb: Opened) -> Reviews:
    """What reviewers said, from the file beside kb.toml; `faults` are its bad lines. Raises ReviewError."""
    return load_reviews(kb.config.root / REVIEWS_NAME)


def duplicates(kb: Opened, reviews: Reviews | None = None) -> list[Pair]:
    """All pairs of caveats that are alike, most similar first, each with the verdict that counts.

    `reviews` are those of `kb` where none are given. Raises GenerationError where the build has no report or a damaged
    one, ReviewError where the reviews cannot be read.
    """
    said = reviews_of(kb) if reviews is None else reviews
    try:
        return [_pair(data, said) for data in report_of(kb)["pairs"]]
    except (KeyError, TypeError, ValueError) as err:
        raise _unreadable(kb, f"a pair is not whole ({err!r})") from err


def report_of(kb: Opened) -> dict[str, Any]:
    """The report on caveats that the build wrote, see `kb.index.duplicates`; one without pairs where it has none.

    Raises GenerationError where the report is damaged or of an unknown format.
    """
    if REPORT_NAME not in kb.generation.meta["files"]:
        return {"format": FORMAT, "concepts": {}, "left_out": {}, "pairs": []}
    try:
        found = json.loads(kb.generation.read(REPORT_NAME))
    except ValueError as err:
        raise _unreadable(kb, str(err)) from err
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        known = found.get("format") if isinstance(found, dict) else None
        raise _unreadable(kb, f"format {known!r} is unknown, this version of kb reads {FORMAT}")
    return found


def _unreadable(kb: Opened, why: str) -> GenerationError:
    path = kb.generation.path / REPORT_NAME
    return GenerationError(f"{path}: the report on duplicates cannot be read: {why}; run `kb build --force`")


def _pair(data: Mapping[str, Any], reviews: Reviews) -> Pair:
    texts = _two(data["texts"])
    a, b = data["a"], data["b"]
    numbers, negations = ((tuple(one), tuple(two)) for one, two in (data["numbers"], data["negations"]))
    return Pair(
        a,
        b,
        data["concept"],
        data["similarity"],
        _two(data["summaries"]),
        numbers,
        negations,
        data["new"],
        texts,
        reviews.of(a, b, texts),
    )


def _two(values: Any) -> tuple[str, str]:
    one, two = values
    return one, two


# -- entities ----------------------------------------------------------------


def entity_duplicates(kb: Opened, reviews: Reviews | None = None) -> list[EntityPair]:
    """Entities of the catalogue that may be the same thing: one type, and the same or nearly the same name.

    Names are compared as they are when pages are read. Names whose digits differ are never alike. Those with equal
    names come first. Raises ReviewError where the reviews cannot be read.
    """
    said = reviews_of(kb) if reviews is None else reviews
    # Schema notes are compared by what they say: fields of the same name are the rule there.
    entities = {key: one for key, one in kb.catalogue.entities.items() if not _is_schema_node(one)}
    found = []
    for a, b, why, ratio in alike_names(entities.values()):
        one, two = entities[a], entities[b]
        texts = (_entity_digest(one), _entity_digest(two))
        reason = why + _namespaces(a, b)
        found.append(EntityPair(a, b, one.type, (one.name, two.name), reason, ratio, texts, said.of(a, b, texts)))
    return sorted(found, key=lambda pair: (-pair.ratio, pair.type, pair.names, pair.a, pair.b))


def _is_schema_node(entity: Entity) -> bool:
    return entity.type in _SCHEMA_NODES and entity.id.startswith(f"{entity.type}:")


def _namespaces(a: str, b: str) -> str:
    """Says so where two ids are those of one name in two namespaces."""
    one, two = parse_reference(a), parse_reference(b)
    if one is None or two is None or one.namespace is None or two.namespace is None:
        return ""
    if one.namespace == two.namespace or one.kind != two.kind:
        return ""
    return f", in the namespaces {one.namespace} and {two.namespace}"


def _entity_digest(entity: Entity) -> str:
    return text_digest(json.dumps([entity.type, entity.name, sorted(entity.aliases)], ensure_ascii=False))


# -- verdicts ----------------------------------------------------------------


def pair_of(kb: Opened, a: str, b: str) -> Pair | EntityPair:
    """The pair of two ids, in whatever order; `caveat:` or `entity:TYPE:` in front may be left out.

    Raises UnknownNameError where the generation proposes no such pair, naming those that it has of either.
    """
    said = reviews_of(kb)
    pairs: list[Pair | EntityPair] = [*duplicates(kb, said), *entity_duplicates(kb, said)]
    ids = {one for pair in pairs for one in (pair.a, pair.b)}
    first, second = _id_of(a, ids), _id_of(b, ids)
    for pair in pairs:
        if {pair.a, pair.b} == {first, second}:
            return pair
    others = [other for pair in pairs if (other := _other(pair, first, second)) is not None]
    near = "".join(f"; {one} is alike with {other}" for one, other in others[:_SHOWN])
    raise UnknownNameError(
        f"{a} and {b} are no pair that the build found to be alike{near}; `kb dedup` lists caveats, "
        "`kb dedup --entities` entities",
        a,
        [one for _, one in others[:_SHOWN]],
    )


def _id_of(name: str, ids: set[str]) -> str:
    return next((one for one in (name, f"caveat:{name}", name.split(":", 2)[-1]) if one in ids), name)


def _other(pair: Pair | EntityPair, *named: str) -> tuple[str, str] | None:
    for one, two in ((pair.a, pair.b), (pair.b, pair.a)):
        if one in named:
            return one, two
    return None


def review(kb: Opened, a: str, b: str, verdict: str, *, by: str, note: str = "") -> Review:
    """Keeps a verdict on a pair, "accept" or "dismiss", in the file beside kb.toml; it counts from now on.

    Raises UnknownNameError where the generation proposes no such pair, ReviewError where the verdict cannot be kept,
    ValueError for another verdict.
    """
    if verdict not in VERDICTS:
        raise ValueError(f"a verdict is one of {', '.join(VERDICTS)}, not {verdict!r}")
    pair = pair_of(kb, a, b)
    said = Review(pair.a, pair.b, pair.texts, verdict, " ".join(by.split()) or "?", now(), " ".join(note.split()))
    add_review(kb.config.root / REVIEWS_NAME, said)
    return said
