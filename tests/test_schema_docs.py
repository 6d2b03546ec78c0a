"""docs/schemas.md shows notes that can be read, names every key, and prints the faults that there are."""

from __future__ import annotations

import re
from pathlib import Path

from schemas_help import Notes

from kb.sources.schemas import _own

DOCUMENT = (Path(__file__).resolve().parent.parent / "docs" / "schemas.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?<=^```{language}\n).*?(?=^```$)", DOCUMENT, re.DOTALL | re.MULTILINE)


def test_the_note_that_is_shown_can_be_read(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.write("price_list.schema.yaml", blocks("yaml")[0])
    assert notes.read()["price_list.schema.yaml"].warnings == ()
    assert set(notes.notes()) == {"price_list"}


def test_the_faults_that_are_shown_are_those_that_are_told(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.write("prices.schema.yaml", blocks("yaml")[1])
    (document,) = notes.read().values()
    assert blocks("text")[0].splitlines() == [str(fault).removeprefix("schemas/") for fault in document.faults]


def test_every_key_has_an_entry_and_stands_in_the_example() -> None:
    example = blocks("yaml")[0]
    for keys in (_own.DOCUMENT_KEYS, _own.REVIEW_KEYS, _own.FIELD_KEYS, _own.CAVEAT_KEYS):
        for key in keys:
            assert re.search(rf"^\|[^|]*`{key}`[^|]*\|", DOCUMENT, re.MULTILINE) or f"`{key}` is the same" in DOCUMENT
            assert key == "value_type" or re.search(rf"\b{key}:", example), key
