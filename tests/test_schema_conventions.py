"""OpenTelemetry's semantic conventions as schema notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from schemas_help import Notes, told

from kb.sources.schemas._conventions_text import demanded, plain, split_note

REGISTRY = """
    groups:
      - id: registry.pool
        type: attribute_group
        brief: >
          Pools of connections.
        note: Names in `pool.state` SHOULD be short.
        attributes:
          - id: pool.name
            type: string
            brief: Name of the [pool](https://pool.example/(a)).
            note: |
              MUST be unique
              in a process.
            examples: [main, "spare"]
          - id: pool.state
            type:
              members:
                - {id: idle, value: "idle", brief: Not in use.}
                - {id: used, value: "in use", brief: in use}
            brief: What a connection does
          - id: pool.old
            type: int
            brief: Old.
            deprecated: {reason: renamed, renamed_to: pool.name}
          - id: pool.older
            type: int
            brief: Older.
            deprecated: Use `pool.name`.
"""
SIGNALS = """
    groups:
      - id: metric.pool.count
        type: metric
        metric_name: pool.count
        instrument: updowncounter
        unit: "{connection}"
        brief: Connections.
        extends: attributes.pool
        entity_associations: [service]
        attributes:
          - ref: pool.state
            requirement_level: {conditionally_required: If it is known.}
          - ref: pool.name
            brief: Here the name of the host.
            note: ""
            requirement_level: {recommended: when there are several}
          - ref: host.name
"""
SECOND_FORM = """
    file_format: definition/2
    attributes:
      - {key: lock.name, type: string, brief: Name of a lock.}
      - {key: pool.lock, type: string, brief: Lock of a pool.}
    attribute_groups:
      - id: lock.attributes
        visibility: internal
        attributes: [{ref: lock.name}]
    spans:
      - type: lock.wait
        kind: internal
        brief: Waiting.
        name: {note: "SHOULD be wait."}
        attributes:
          - ref_group: lock.attributes
          - {ref: pool.name, requirement_level: opt_in}
    metrics:
      - {name: lock.count, instrument: counter, unit: "1", brief: Locks.}
    events:
      - {name: lock.lost, brief: A lock was lost., attributes: [{ref: lock.name}]}
    entities:
      - {type: lock, brief: A lock., identity: [{ref: lock.name}], description: [{ref: pool.lock}]}
"""


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    found = Notes(tmp_path)
    found.write("pool/registry.yaml", REGISTRY)
    return found


def test_a_group_is_a_concept_and_its_attributes_are_fields(notes: Notes) -> None:
    note = notes.notes()["registry.pool"]
    assert (note.description, note.line) == ("Pools of connections.", 2)
    assert [(one.id, one.value_type, one.description, one.line) for one in note.fields] == [
        ("pool.name", "string", "Name of the pool. For example: main, spare.", 8),
        ("pool.state", "enum", "What a connection does. One of: idle (Not in use), in use.", 15),
        ("pool.old", "int", "Old.", 21),
        ("pool.older", "int", "Older.", 25),
    ]
    assert notes.read()["pool/registry.yaml"].dialect == "opentelemetry"


def test_notes_and_deprecations_are_caveats(notes: Notes) -> None:
    assert [(one.id, one.severity, one.summary, one.applies_to) for one in notes.notes()["registry.pool"].caveats] == [
        ("note", "medium", "Names in `pool.state` SHOULD be short.", ("pool.state",)),
        ("pool.name.note", "high", "MUST be unique in a process.", ("pool.name",)),
        ("pool.old.deprecated", "medium", "`pool.old` is deprecated: renamed to `pool.name`, use that", ("pool.old",)),
        ("pool.older.deprecated", "medium", "`pool.older` is deprecated: Use `pool.name`.", ("pool.older",)),
    ]


def test_references_get_type_and_words_from_other_files(notes: Notes) -> None:
    notes.write("a/signals.yaml", SIGNALS)
    note = notes.notes()["metric.pool.count"]
    assert note.description == (
        "Connections. Metric pool.count: updowncounter in {connection}. Has what attributes.pool has. "
        "Reported for service."
    )
    assert [(one.id, one.value_type, one.description) for one in note.fields] == [
        ("pool.state", "enum", "What a connection does. One of: idle (Not in use), in use."),
        ("pool.name", "string", "Here the name of the host. For example: main, spare."),
        ("host.name", None, None),
    ]
    assert [(one.id, one.severity, one.summary) for one in note.caveats] == [
        ("pool.state.requirement", "high", "`pool.state` is required under a condition: If it is known."),
        ("pool.name.requirement", "medium", "`pool.name` is recommended under a condition: when there are several"),
    ]


def test_an_attribute_that_is_defined_nowhere_is_warned_of(notes: Notes) -> None:
    notes.write("a/signals.yaml", SIGNALS)
    ((line, message),) = told(notes.read()["a/signals.yaml"].warnings)
    assert line == 17
    assert "refers to an attribute that no file here defines: 'host.name'; it has no type" in message


def test_reading_one_file_looks_into_the_others(notes: Notes) -> None:
    notes.write("a/signals.yaml", SIGNALS)
    files, _ = notes.source.scan()
    (document,) = notes.source.read(files[:1])
    assert document.file.shown == "schemas/a/signals.yaml"
    assert document.notes[0].fields[0].value_type == "enum"


def test_the_second_form_has_concepts_named_like_the_first(notes: Notes) -> None:
    notes.write("lock.yaml", SECOND_FORM)
    found = notes.notes()
    assert {
        concept: [one.id for one in note.fields] for concept, note in found.items() if concept != "registry.pool"
    } == {
        "registry.lock": ["lock.name"],
        "registry.pool.lock": ["pool.lock"],
        "lock.attributes": ["lock.name"],
        "span.lock.wait": ["pool.name"],
        "metric.lock.count": [],
        "event.lock.lost": ["lock.name"],
        "entity.lock": ["lock.name", "pool.lock"],
    }
    span = found["span.lock.wait"]
    assert span.description == "Waiting. Span of kind internal. Has what lock.attributes has."
    assert [(one.id, one.severity, one.summary) for one in span.caveats] == [("name.note", "medium", "SHOULD be wait.")]


def test_a_refinement_without_words_has_those_of_what_it_refines(notes: Notes) -> None:
    notes.write("lock.yaml", SECOND_FORM)
    notes.write(
        "refined.yaml",
        """
        file_format: definition/2
        span_refinements:
          - {id: span.lock.wait.file, ref: lock.wait}
          - {id: span.lock.wait.row, ref: lock.wait, brief: Waiting for a row.}
          - {id: span.gone, ref: gone}
        """,
    )
    found = notes.notes()
    assert found["span.lock.wait.file"].description == "Waiting. Has what lock.wait has."
    assert found["span.lock.wait.row"].description == "Waiting for a row. Has what lock.wait has."
    assert found["span.gone"].description == "Has what gone has."


def test_two_registries_of_one_namespace_keep_apart(notes: Notes) -> None:
    for name in ("a", "b"):
        notes.write(
            f"{name}.yaml", f"file_format: definition/2\nattributes:\n- {{key: disk.{name}, type: int, brief: x}}\n"
        )
    assert set(notes.notes()) == {"registry.pool", "registry.disk", "registry.disk.b"}


def test_what_an_event_carries_is_read_as_well(notes: Notes) -> None:
    notes.write(
        "event.yaml",
        """
        groups:
          - id: event.call
            type: event
            brief: A call.
            body:
              type: map
              fields:
                - {id: role, type: string, brief: Who speaks., requirement_level: {conditionally_required: if known}}
                - {id: tool, type: map, brief: Tool., fields: [{id: id, type: string, brief: Its id.}]}
        """,
    )
    note = notes.notes()["event.call"]
    assert [one.id for one in note.fields] == ["body.role", "body.tool", "body.tool.id"]
    assert note.caveats[0].applies_to == ("body.role",)


def test_older_files_put_a_prefix_before_ids(notes: Notes) -> None:
    notes.write(
        "old.yaml",
        "groups:\n- id: db\n  prefix: db\n  brief: x\n  attributes: [{id: system, type: string, brief: y}]\n"
        "- {id: span.db, type: span, brief: z, attributes: [{ref: db.system}]}\n",
    )
    found = notes.notes()
    assert [found[one].fields[0].id for one in ("db", "span.db")] == ["db.system", "db.system"]
    assert found["span.db"].fields[0].value_type == "string"


def test_what_cannot_be_used_is_left_out_with_a_warning(notes: Notes) -> None:
    notes.write(
        "a.yaml",
        """
        groups:
          - {id: g, brief: x, attributes: [{ref: pool.name}, {ref: pool.name}, {brief: nameless}]}
          - {id: g, brief: y}
          - {brief: nameless}
        """,
    )
    document = notes.read()["a.yaml"]
    assert [(one.concept, len(one.fields)) for one in document.notes] == [("g", 1)]
    assert [line for line, _ in told(document.warnings)] == [2, 2, 3, 4]


def test_a_definition_that_is_in_use_goes_before_a_deprecated_one(notes: Notes) -> None:
    for name, rest in (("a", ", deprecated: old"), ("b", "")):
        notes.write(
            f"{name}.yaml",
            f"groups:\n- {{id: {name}, brief: x, attributes: [{{id: k, type: string, brief: of {name}{rest}}}]}}\n",
        )
    notes.write("c.yaml", "groups:\n- {id: c, brief: x, attributes: [{ref: k}]}\n")
    assert notes.notes()["c"].fields[0].description == "of b."


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("It MAY be, SHOULD be and MUST be.", "high"),
        ("SHOULD NOT, MAY", "medium"),
        ("MAY", "low"),
        ("one must, you should, it may", "info"),
    ],
)
def test_the_strongest_demand_decides_how_severe_a_note_is(text: str, severity: str) -> None:
    assert demanded(text) == severity


def test_links_become_what_they_say() -> None:
    assert plain("See [the `a` *docs*](https://x.example/a_(b)#c), ![i](u) [x] (y)") == "See the `a` *docs*, i [x] (y)"


def test_quoted_lines_and_boxes_become_words() -> None:
    note = "Set it.\n\n> [!WARNING]\n> Others may\n>read it if a > b."
    assert plain(note) == "Set it. Warning: Others may read it if a > b."


def test_only_long_lists_in_long_notes_are_taken_apart() -> None:
    items = "\n".join(f"- case {n} {'x' * 300}\n  goes on\n\n  and on" for n in range(4))
    note = f"First words.\n\nOne of these holds:\n\n{items}\n\nLast words."
    assert split_note("Short:\n- a\n- b\n- c\n- d") == ["Short: - a - b - c - d"]
    assert len(split_note(note.replace("- case", "case"))) == 1
    pieces = split_note(note)
    assert pieces[0] == "First words."
    assert pieces[1] == f"One of these holds: case 0 {'x' * 300} goes on and on"
    assert [one[:29] for one in pieces[2:5]] == [f"One of these holds: case {n} xx" for n in (1, 2, 3)]
    assert pieces[5:] == ["Last words."]
