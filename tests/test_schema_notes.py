"""The own format of schema notes: what is read from a file, and every fault of one with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from schemas_help import Notes, told

from kb.model import Caveat, SchemaField, SchemaNote

WHOLE = """
    concept: pool/size
    description: >
      How many connections
      there are.
    review: {status: reviewed, by: data, on: 2026-05-31, confirmed: 2, disputed: 0}
    counts: {fields: 2, caveats: 1}
    fields:
      - id: max
        name: maximum size
        type: integer
        description: At most so many.
      - id: idle
    caveats:
      - id: per_copy
        severity: high
        summary: Every copy
          has its own.
        evidence: 20 copies, 200 connections
        applies_to: [max]
"""


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path)


def faults_of(notes: Notes, text: str) -> list[tuple[int | None, str]]:
    notes.write("a.schema.yaml", text)
    document = notes.read()["a.schema.yaml"]
    assert document.notes == ()
    return told(document.faults)


def only_fault(notes: Notes, text: str) -> tuple[int | None, str]:
    found = faults_of(notes, text)
    assert len(found) == 1, found
    return found[0]


def test_a_note_is_read_with_its_lines(notes: Notes) -> None:
    notes.write("a.schema.yaml", WHOLE)
    assert notes.notes() == {
        "pool/size": SchemaNote(
            "pool/size",
            "How many connections there are.",
            (
                SchemaField("max", "maximum size", "integer", "At most so many.", 8),
                SchemaField("idle", "idle", line=12),
            ),
            (
                Caveat(
                    "per_copy",
                    "high",
                    "Every copy has its own.",
                    "20 copies, 200 connections",
                    applies_to=("max",),
                    line=14,
                ),
            ),
            {"status": "reviewed", "by": "data", "on": "2026-05-31", "confirmed": "2", "disputed": "0"},
            "schemas/a.schema.yaml",
            1,
        )
    }


def test_json_says_the_same(notes: Notes) -> None:
    data = {
        "concept": "pool/size",
        "fields": [{"id": "max", "type": "integer"}],
        "caveats": [{"id": "c", "severity": "low", "summary": "So.", "applies_to": "max"}],
    }
    notes.write("a.schema.json", json.dumps(data, indent=1))
    note = notes.notes()["pool/size"]
    assert [(one.id, one.value_type) for one in note.fields] == [("max", "integer")]
    assert note.caveats[0].applies_to == ("max",)


def test_a_file_may_hold_several_notes(notes: Notes) -> None:
    notes.write("a.yaml", "concept: a\ndescription: x\n---\n---\nconcept: b\ndescription: y\n")
    assert [(one.concept, one.line) for one in notes.notes().values()] == [("a", 1), ("b", 5)]


@pytest.mark.parametrize("word", ["on", "yes", "017", "1:30", "1e3", "=>", "'??'", "a b"])
def test_an_id_stays_the_text_that_was_written(notes: Notes, word: str) -> None:
    notes.write(
        "a.yaml",
        f"concept: c\nfields:\n- id: {word}\ncaveats:\n- {{id: x, severity: low, summary: y, applies_to: {word}}}\n",
    )
    note = notes.notes()["c"]
    word = word.strip("'")
    assert (note.fields[0].id, note.fields[0].name, note.caveats[0].applies_to) == (word, word, (word,))


def test_a_concept_stays_the_text_that_was_written(notes: Notes) -> None:
    notes.write("a.yaml", "concept: on\ndescription: x\n---\nconcept: 017\ndescription: x\n")
    assert list(notes.notes()) == ["on", "017"]


def test_the_type_may_be_called_value_type(notes: Notes) -> None:
    notes.write("a.yaml", "concept: c\nfields:\n- {id: f, value_type: integer}\n")
    assert notes.notes()["c"].fields[0].value_type == "integer"
    assert "both type and value_type" in only_fault(notes, "concept: c\nfields:\n- {id: f, value_type: a, type: b}")[1]


def test_any_short_word_may_be_a_severity(notes: Notes) -> None:
    notes.write("a.yaml", "concept: c\ncaveats:\n- {id: x, severity: blocker, summary: y}\n")
    assert notes.notes()["c"].caveats[0].severity == "blocker"


def test_a_caveat_without_severity_counts_as_info_with_a_warning(notes: Notes) -> None:
    notes.write("a.yaml", "concept: c\ncaveats:\n- {id: x, summary: y}\n")
    document = notes.read()["a.yaml"]
    assert document.notes[0].caveats[0].severity == "info"
    assert told(document.warnings) == [
        (3, "caveat 'x' has no severity and counts as info; write info, low, medium, high or critical")
    ]


def test_a_note_that_says_nothing_is_warned_of(notes: Notes) -> None:
    notes.write("a.yaml", "concept: c\n")
    assert "says nothing" in notes.read()["a.yaml"].warnings[0].message


FAULTS = {
    "an unknown key": (
        "concept: c\nfeilds: []\n",
        (2, "unknown key 'feilds' in a note; did you mean 'fields'?"),
    ),
    "a comma that ends a text": (
        "concept: c\nfields:\n- {id: slot, description: First slot, 1 to 512.}\n",
        (
            3,
            "unknown key '1 to 512.' in a field; is it the rest of a text? A comma within { } ends a text",
        ),
    ),
    "another format's key": (
        "concept: c\nfields:\n- {id: f}\n- {id: g, title: G}\n",
        (4, "unknown key 'title' in a field; did you mean 'name'?"),
    ),
    "an unknown key of a caveat": (
        "concept: c\ncaveats:\n- id: x\n  severity: low\n  summary: y\n  aplies_to: f\n",
        (6, "unknown key 'aplies_to' in a caveat; did you mean 'applies_to'?"),
    ),
    "no concept": ("description: x\nfields: []\n", (1, "concept is missing")),
    "an empty concept": ("concept:\n", (1, "concept is missing")),
    "a concept with spaces": (
        "concept: Pool size\n",
        (1, "'Pool size' must be letters, digits, _ - . and / that begin"),
    ),
    "a concept with a colon": ("concept: a:b\n", (1, "write a_b")),
    "a concept that is a list": ("concept: [a]\n", (1, "concept must be a text, not a list")),
    "a field without id": ("concept: c\nfields:\n- name: x\n", (3, "id of this field is missing; add it")),
    "a field that is a text": (
        "concept: c\nfields:\n- x\n",
        (3, "must be {id, name, type, description}, not the text 'x'"),
    ),
    "fields by id": (
        "concept: c\nfields:\n  x: {type: y}\n",
        (2, "fields must be a list of {id, name, type, description}"),
    ),
    "a caveat without summary": (
        "concept: c\ncaveats:\n- {id: x, severity: low}\n",
        (3, "summary of caveat 'x' is missing"),
    ),
    "an empty summary": (
        "concept: c\ncaveats:\n- {id: x, severity: low, summary: ' '}\n",
        (3, "summary of caveat 'x' is missing"),
    ),
    "a severity of several words": (
        "concept: c\ncaveats:\n- {id: x, severity: very bad, summary: y}\n",
        (3, "severity of caveat 'x' must be one word"),
    ),
    "two fields of one id": ("concept: c\nfields:\n- {id: f}\n- {id: f}\n", (4, "id 'f' stands on line 3 already")),
    "a field and a caveat of one id": (
        "concept: c\nfields:\n- {id: f}\ncaveats:\n- {id: f, severity: low, summary: y}\n",
        (5, "id 'f' stands on line 3 already; fields and caveats of a note share their ids"),
    ),
    "an unknown field": (
        (
            "concept: c\nfields: [{id: max}, {id: idle}]\n"
            "caveats:\n- {id: x, severity: low, summary: y, applies_to: [max, mxa]}\n"
        ),
        (4, "applies to 'mxa', which is no field of the note; did you mean 'max'? Known: 'max', 'idle'"),
    ),
    "a field of a note without fields": (
        "concept: c\ncaveats:\n- {id: x, severity: low, summary: y, applies_to: f}\n",
        (3, "applies to 'f', but the note has no fields; add them"),
    ),
    "a wrong review": ("concept: c\nreview: draft\n", (2, "review must be a mapping such as {status: reviewed}")),
    "an unknown status": ("concept: c\nreview: {status: reviewd}\n", (2, "did you mean 'reviewed'?")),
    "a day that is none": ("concept: c\nreview:\n  on: 2026-02-30\n", (3, "on must be a date such as 2026-05-31")),
    "a count that is none": (
        "concept: c\nreview: {confirmed: many}\n",
        (2, "confirmed must be a whole number such as 3"),
    ),
    "a file that was cut off": (
        "concept: c\ncounts: {fields: 3}\nfields:\n- {id: f}\n",
        (2, "counts says 3 fields, but the note holds 1: it may have been cut off; restore it, or correct the count"),
    ),
    "a count that is too low": (
        "concept: c\ncounts: {caveats: 0}\ncaveats:\n- {id: x, severity: low, summary: y}\n",
        (2, "counts says 0 caveats, but the note holds 1: correct the count"),
    ),
    "a key that stands twice": ("concept: c\nconcept: d\n", (2, "key 'concept' stands on line 1 already; keep one")),
    "a character that no graph can hold": (
        'concept: c\ndescription: "a\\0b"\n',
        (2, "description holds the character U+0000"),
    ),
    "an id of several lines": ('concept: c\nfields:\n- {id: "a\\nb"}\n', (3, "must be one line")),
    "a second note that is a list": (
        "concept: c\n---\n- a\n",
        (3, "a note must be a mapping that begins with `concept:`"),
    ),
    "one concept twice": (
        "concept: c\ndescription: x\n---\nconcept: c\n",
        (4, "concept 'c' stands on line 1 already"),
    ),
    "no YAML": ("concept: c\nfields: [\n", (2, "is not valid YAML")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_its_line_and_what_to_do(notes: Notes, name: str) -> None:
    text, (line, message) = FAULTS[name]
    found_line, found = only_fault(notes, text)
    assert (found_line, message in found) == (line, True), found


def test_all_faults_of_a_file_are_told_in_the_order_of_its_lines(notes: Notes) -> None:
    found = faults_of(
        notes,
        """
        concept: c d
        fields:
          - nme: x
          - {id: f}
          - {id: f}
        caveats:
          - {id: f, severity: low}
        """,
    )
    assert [line for line, _ in found] == [1, 3, 3, 5, 7, 7]


def test_a_bomb_of_aliases_is_refused(notes: Notes) -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9))
    found = faults_of(notes, f"concept: c\nl0: &l0 [x, x]\n{levels}\n")
    assert any("aliases" in message for _, message in found)


def test_a_note_of_another_file_is_left_alone_by_faults(notes: Notes) -> None:
    notes.write("a.schema.yaml", "concept: [\n")
    notes.write("b.schema.yaml", WHOLE)
    assert [len(one.notes) for one in notes.read().values()] == [0, 1]
