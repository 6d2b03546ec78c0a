"""Which readers there are to compare, what they are called, and whether they read the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kb.errors import GenerationError
from kb.evaluate.result import Evaluation
from kb.generations import Generation, Generations
from kb.records import SourceRecord

__all__ = ["difference_notes", "generations_to_compare", "name_readers", "reader_label", "reader_of"]

_GIVEN = "statements"
_LONGEST = 20
_SHOWN = 3

Records = Mapping[tuple[str, str], SourceRecord]


def reader_of(generation: Generation) -> str:
    """The identity of what read the pages of a generation: name, version and, for a model, its name and prompt."""
    return str(generation.meta.get("key", {}).get("reader", "unknown"))


def generations_to_compare(generations: Generations) -> list[Generation]:
    """The current generation, and the newest retained one of every other reader, oldest first.

    Damaged ones are passed over. Empty where nothing was built.
    """
    current = generations.current()
    if current is None:
        return []
    newest: dict[str, Generation] = {}
    for generation in generations.list():
        try:
            newest[reader_of(generation)] = generation
        except GenerationError:
            continue
    newest.pop(reader_of(current), None)
    return [current, *sorted(newest.values(), key=lambda one: one.number)]


def reader_label(identity: str) -> str:
    """A short name for a reader.

    >>> reader_label("phrases/1"), reader_label("statements/1"), reader_label("llm/1:org/tiny:7b:0a1b2c")
    ('phrases', 'given', 'llm tiny:7b')
    """
    head, _, rest = identity.partition(":")
    name = head.partition("/")[0]
    if name == _GIVEN:
        return "given"
    model = (rest.rpartition(":")[0] or rest).rpartition("/")[2]
    label = f"{name} {model}" if model else name
    return label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"


def name_readers(readers: Sequence[Evaluation], generations: Sequence[Generation]) -> None:
    """Gives each evaluation a label; those of readers that look alike carry the number of their generation."""
    labels = [reader_label(one.reader) for one in readers]
    count = Counter(labels)
    for one, label, generation in zip(readers, labels, generations, strict=True):
        one.label = f"{label} #{generation.number}" if count[label] > 1 else label


def difference_notes(
    readers: Sequence[Evaluation], records: Sequence[Records], generations: Sequence[Generation]
) -> list[str]:
    """Sentences on what the first reader and each of the others did not have in common."""
    notes = []
    for number in range(1, len(readers)):
        names = f"{readers[0].label} and {readers[number].label}"
        # Of a page that statements were given for, the digest is of both.
        given = any(reader_label(one.reader) == "given" for one in (readers[0], readers[number]))
        pages = _different_pages(records[0], records[number], ids_only=given)
        if pages:
            shown = ", ".join(pages[:_SHOWN]) + (f" and {len(pages) - _SHOWN:,} more" if len(pages) > _SHOWN else "")
            many = f"{len(pages):,} pages differ" if len(pages) > 1 else "1 page differs"
            notes.append(f"{names} were not built from the same pages: {many} ({shown}).")
        keys = [generations[one].meta.get("key", {}) for one in (0, number)]
        different = [what for what in ("catalogue", "vocabulary") if keys[0].get(what) != keys[1].get(what)]
        if different:
            words = " and ".join({"vocabulary": "ontology"}.get(what, what) for what in different)
            notes.append(f"{names} were not built with the same {words}.")
    return notes


def _different_pages(first: Records, second: Records, *, ids_only: bool) -> list[str]:
    """Pages that only one of two builds had, or whose bytes differ. One that was not read to its end has no digest."""
    sides = [{name: one.digest for (kind, name), one in side.items() if kind == "page"} for side in (first, second)]
    there = sides[0].keys() & sides[1].keys()
    changed = {page for page in there if len({side[page] for side in sides} - {""}) > 1}
    return sorted(sides[0].keys() ^ sides[1].keys() | (set() if ids_only else changed))
