"""Schema notes as things, statements and digests; the notes that ship as examples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kb.config import load_config
from kb.embed.hashing import HashingProvider
from kb.embed.provider import embedded
from kb.index.chunks import schema_chunks
from kb.model import Caveat, Entity, SchemaField, SchemaNote, Statement
from kb.sources.schemas import SchemaSource, schema_entities, schema_statements, semantic_digest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "notes"
NOTE = SchemaNote(
    "pool",
    "Connections.",
    (SchemaField("max", "maximum", "integer", "At most.", 4), SchemaField("idle", "idle")),
    (Caveat("c", "high", "Every copy has one.", "Seen.", ("max", "idle"), 9), Caveat("d", "low", "So.")),
    {"status": "reviewed", "by": "data"},
    "schemas/pool.schema.yaml",
    1,
)


def test_a_note_is_a_concept_with_fields_and_caveats() -> None:
    path = NOTE.path
    assert schema_entities(NOTE) == [
        Entity("concept:pool", "concept", "pool", (), "Connections.", {"review_status": "reviewed"}, path),
        Entity("field:pool:max", "field", "maximum", (), "At most.", {"value_type": "integer"}, path),
        Entity("field:pool:idle", "field", "idle", (), None, {}, path),
        Entity(
            "caveat:pool:c", "caveat", "Every copy has one.", (), None, {"severity": "high", "evidence": "Seen."}, path
        ),
        Entity("caveat:pool:d", "caveat", "So.", (), None, {"severity": "low"}, path),
    ]


def test_statements_link_the_ids_of_the_things() -> None:
    assert schema_statements(NOTE) == [
        Statement(subject, relation, object_, NOTE.path, None, from_page=False)
        for subject, relation, object_ in (
            ("concept:pool", "has_field", "field:pool:max"),
            ("concept:pool", "has_field", "field:pool:idle"),
            ("concept:pool", "has_caveat", "caveat:pool:c"),
            ("caveat:pool:c", "applies_to", "field:pool:max"),
            ("caveat:pool:c", "applies_to", "field:pool:idle"),
            ("concept:pool", "has_caveat", "caveat:pool:d"),
        )
    ]


def test_ids_are_those_of_the_rows_in_the_index() -> None:
    assert [one.id for one in schema_entities(NOTE)] == [one.id for one in schema_chunks(NOTE)]
    ends = {one.subject for one in schema_statements(NOTE)} | {one.object for one in schema_statements(NOTE)}
    assert ends == {one.id for one in schema_entities(NOTE)}


def test_review_path_and_lines_are_no_part_of_what_a_note_says() -> None:
    moved = replace(
        NOTE,
        review={},
        path="elsewhere.yaml",
        line=7,
        fields=tuple(replace(one, line=70) for one in NOTE.fields),
        caveats=tuple(replace(one, line=71) for one in NOTE.caveats),
    )
    assert semantic_digest(moved) == semantic_digest(NOTE)


@pytest.mark.parametrize(
    "change",
    [
        {"concept": "pools"},
        {"description": None},
        {"fields": NOTE.fields[::-1]},
        {"fields": (replace(NOTE.fields[0], name="max"), NOTE.fields[1])},
        {"fields": (replace(NOTE.fields[0], value_type=None), NOTE.fields[1])},
        {"fields": (replace(NOTE.fields[0], description=""), NOTE.fields[1])},
        {"caveats": NOTE.caveats[:1]},
        {"caveats": (replace(NOTE.caveats[0], severity="low"), NOTE.caveats[1])},
        {"caveats": (replace(NOTE.caveats[0], evidence=None), NOTE.caveats[1])},
        {"caveats": (replace(NOTE.caveats[0], applies_to=("max",)), NOTE.caveats[1])},
    ],
    ids=str,
)
def test_everything_else_is(change: dict[str, object]) -> None:
    assert semantic_digest(replace(NOTE, **change)) != semantic_digest(NOTE)


def example_notes() -> list[SchemaNote]:
    source = SchemaSource(load_config(EXAMPLES))
    files, faults = source.scan()
    documents = list(source.read(files))
    assert (faults, [fault for one in documents for fault in (*one.faults, *one.warnings)]) == ([], [])
    assert all(one.dialect == "kb" for one in documents)
    return [note for one in documents for note in one.notes]


def test_the_examples_are_whole_notes() -> None:
    found = example_notes()
    assert len(found) == 12
    assert [one.concept for one in found if not (5 <= len(one.fields) <= 9 and 3 <= len(one.caveats) <= 6)] == []
    assert [one.concept for one in found if not one.description or "status" not in one.review] == []
    named = {(one.concept, field) for one in found for caveat in one.caveats for field in caveat.applies_to}
    assert len(named) > 40


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("make config immutable", "field:deployment_config:immutable"),
        ("zero decimal currencies", "caveat:currency_codes:zero_decimal"),
    ],
)
def test_the_examples_answer_what_people_look_up(question: str, answer: str) -> None:
    chunks = [chunk for note in example_notes() for chunk in schema_chunks(note)]
    provider = HashingProvider()
    rows = embedded(provider, [chunk.text for chunk in chunks])
    scores = rows @ embedded(provider, [question], query=True)[0]
    assert chunks[int(scores.argmax())].id == answer


def test_the_examples_have_caveats_that_say_the_same_and_two_that_contradict() -> None:
    caveats = {(note.concept, one.id): one.summary for note in example_notes() for one in note.caveats}
    same = [("query_operators", "pipe_first_argument", "pipe_passes_first"), ("rate_limits", "per_key", "per_address")]
    for concept, one, other in same:
        provider = HashingProvider()
        rows = embedded(
            provider, [caveats[concept, one], caveats[concept, other], caveats["tls_settings", "reload_needed"]]
        )
        assert float(rows[0] @ rows[1]) > 2 * float(rows[0] @ rows[2])
