"""Schema notes of any number for `benchmarks/index.py`, and a provider that makes their vectors, the same at every run.

Words are identifiers and operators of the standard library's own source, as frequent as they are there. Vectors depend
on the text alone: texts of the same words in another order are near to each other, others stand in clusters.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

PER_CONCEPT = 51
"""The concept, 25 fields and 25 caveats."""
VERSION = 1
"""Rises when the same parameters give other data."""
_HALF = (PER_CONCEPT - 1) // 2
_TOKEN = re.compile(r"[^\W\d]\w*|[^\w\s\"'`.,;:#()\[\]{}\\]{2,}|:=")
_SHORTEST, _LONGEST = 20, 60
_SUMMARY = 12
_TYPES = ("string", "integer", "boolean", "mapping", "list")
_SEVERITIES = ("info", "medium", "critical")
_SOURCE = 20_000_000
"""Characters of source that are read at most."""
_CLUSTERS = 400

Floats = npt.NDArray[np.float32]
Note = dict[str, Any]


# -- words -----------------------------------------------------------------------------------------------------------


class Words:
    """Tokens of the standard library, drawn as often as they occur in it."""

    def __init__(self) -> None:
        counts: Counter[str] = Counter()
        left = _SOURCE
        for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
            source = path.read_text(encoding="utf-8", errors="replace")[:left]
            left -= len(source)
            counts.update(token for token in _TOKEN.findall(source) if len(token) < 40)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        self.words = [word for word, _ in ordered]
        shares = np.array([count for _, count in ordered], dtype=np.float64)
        self._sums = np.cumsum(shares / shares.sum())

    def draw(self, rng: np.random.Generator, number: int) -> list[str]:
        at = np.minimum(np.searchsorted(self._sums, rng.random(number)), len(self.words) - 1)
        return [self.words[one] for one in at.tolist()]


@cache
def words_of_library() -> Words:
    return Words()


def notes(number: int, seed: int = 1) -> Iterator[Note]:
    """Schema notes. One caveat in 50 has the words of the one before it in another order."""
    rng, words = np.random.default_rng(seed), words_of_library()
    for at in range(number):
        yield _note(f"schema_{at:05d}", _HALF, rng, words)


def crowded(caveats: int, seed: int = 2) -> Note:
    """One schema note with many caveats."""
    return _note("crowded", caveats, np.random.default_rng(seed), words_of_library())


def _note(concept: str, caveats: int, rng: np.random.Generator, words: Words) -> Note:
    sizes = rng.integers(_SHORTEST, _LONGEST + 1, size=_HALF + caveats).tolist()
    drawn = iter(words.draw(rng, sum(sizes)))
    fields = []
    for number, size in enumerate(sizes[:_HALF]):
        said = [next(drawn) for _ in range(size)]
        fields.append(
            {
                "id": f"f{number:02d}",
                "name": f"field_{number:02d}",
                "value_type": _TYPES[number % len(_TYPES)],
                "description": " ".join(said),
            }
        )
    found: list[Note] = []
    before: list[str] = []
    for number, size in enumerate(sizes[_HALF:]):
        said = [next(drawn) for _ in range(size)]
        if before and rng.random() < 1 / 50:
            said = [before[one] for one in rng.permutation(len(before)).tolist()]
        before = said
        found.append(
            {
                "id": f"c{number:02d}",
                # As on the one before it, so that nothing but the order of words tells the two apart.
                "severity": _SEVERITIES[number // 5 % len(_SEVERITIES)],
                "summary": " ".join(said[:_SUMMARY]) + ".",
                "evidence": " ".join(said[_SUMMARY:]),
                "applies_to": [f"f{number % _HALF:02d}"],
            }
        )
    return {
        "concept": concept,
        "fields": fields,
        "caveats": found,
        "review": {"status": "draft", "by": "bench"},
    }


def yaml_of(note: Note) -> str:
    """A `.schema.yaml` in block style, strings quoted where the words are no plain scalar."""
    lines = [f"concept: {note['concept']}", "fields:"]
    for field in note["fields"]:
        lines += _item(field)
    lines.append("caveats:")
    for caveat in note["caveats"]:
        lines += _item(caveat)
    lines += ["review:", *(f"  {key}: {value}" for key, value in note["review"].items())]
    return "\n".join(lines) + "\n"


def _item(values: Note) -> Iterator[str]:
    mark = "- "
    for key, value in values.items():
        plain = isinstance(value, str) and re.fullmatch(r"\w+", value)
        yield f"  {mark}{key}: {value if plain else json.dumps(value)}"
        mark = "  "


# -- vectors ---------------------------------------------------------------------------------------------------------


class BenchProvider:
    """Unit vectors by text, `dimension` numbers each; keeps the seconds that it took.

    A vector is the centre of a cluster, the direction of the words that a text has, and a little of its own.
    """

    family: str | None = None
    lexical_weight = 0.3
    duplicate_threshold = 0.9
    costly = False

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.identity = f"bench:{VERSION}:{dimension}"
        self.seconds = 0.0
        self.texts = 0
        rng = np.random.default_rng(dimension)
        # Windows into one pool of random numbers are as good as numbers of their own, and take no time.
        self._pool = rng.standard_normal(1 << 19, dtype=np.float32)
        self._centres = rng.standard_normal((_CLUSTERS, dimension), dtype=np.float32) * np.float32(1.5)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002
        begun = time.perf_counter()
        found = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            found[row] = self._vector(text)
        self.seconds += time.perf_counter() - begun
        self.texts += len(texts)
        return found

    def _vector(self, text: str) -> Floats:
        bag = _numbers(" ".join(sorted(text.replace(".", " ").split())))
        own = _numbers(text)
        found = self._centres[bag[0] % _CLUSTERS] + self._window(bag[1]) + self._window(bag[2])
        found += np.float32(0.3) * self._window(own[1])
        return found / np.float32(np.sqrt(found @ found))

    def _window(self, number: int) -> Floats:
        start = number % (len(self._pool) - self.dimension)
        return self._pool[start : start + self.dimension]


def _numbers(text: str) -> tuple[int, int, int]:
    digest = hashlib.blake2b(text.encode("utf-8"), digest_size=24).digest()
    return (
        int.from_bytes(digest[:8], "little"),
        int.from_bytes(digest[8:16], "little"),
        int.from_bytes(digest[16:], "little"),
    )


class Remembered:
    """A provider that has been asked before: gives what it gave then."""

    family, costly = None, False

    def __init__(self, provider: BenchProvider, queries: Sequence[str]) -> None:
        self.identity, self.dimension = provider.identity, provider.dimension
        self.lexical_weight, self.duplicate_threshold = provider.lexical_weight, provider.duplicate_threshold
        self.vectors = dict(zip(queries, provider.embed(queries, query=True), strict=True))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002
        return np.stack([self.vectors[text] for text in texts])


# -- queries ---------------------------------------------------------------------------------------------------------


def queries(number: int, terms: int, seed: int) -> list[str]:
    """Questions with so many significant terms, for the peer and for `kb.index` alike; none comes twice.

    With no term they are numbers of two digits and single letters, too short for one.
    """
    from index_peer import significant_terms as terms_of_peer

    from kb.index.search import significant_terms

    rng, words = np.random.default_rng([seed, terms]), words_of_library()
    if not terms:
        return [f"{at // 26 + 10} {chr(ord('a') + at % 26)}" for at in range(number)]

    def is_term(word: str) -> bool:
        return significant_terms(word) == terms_of_peer(word) == [word.lower()]

    found: dict[str, None] = {}
    while len(found) < number:
        chosen = dict.fromkeys(word for word in words.draw(rng, terms * 3) if is_term(word))
        query = " ".join(list(chosen)[:terms])
        if len(significant_terms(query)) == len(terms_of_peer(query)) == terms:
            found[query] = None
    return list(found)


# -- on the disk -----------------------------------------------------------------------------------------------------


def schema_folder(concepts: int, seed: int = 1) -> Path:
    """A folder of so many `.schema.yaml` files below the system's temporary folder, written once. Do not change it."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}.{sys.version_info[2]}"
    root = Path(tempfile.gettempdir()) / f"kb-benchmarks-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    root.mkdir(mode=0o700, exist_ok=True)
    folder = root / f"schemas-{VERSION}-{python}-{concepts}-{seed}"
    if folder.is_dir():
        return folder
    draft = Path(tempfile.mkdtemp(dir=root))
    for note in notes(concepts, seed):
        (draft / f"{note['concept']}.schema.yaml").write_text(yaml_of(note), encoding="utf-8")
    try:
        draft.rename(folder)
    except OSError:  # another run was faster
        shutil.rmtree(draft)
    return folder
