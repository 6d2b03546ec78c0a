"""dbt's properties files as schema notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from schemas_help import Notes, told

MODELS = """
    version: 2
    models:
      - name: orders
        description: "One row an order. {{ doc('paid') }}"
        config: {materialized: table}
        columns:
          - name: id
            data_type: bigint
            description: The order's number.
            tests: [not_null, unique]
          - name: status
            data_tests:
              - accepted_values:
                  values: [open, paid, 'void']
                  config: {severity: warn}
              - not_null:
                  where: "placed_at > '2020-01-01'"
          - name: customer_id
            tests:
              - relationships:
                  to: ref('customers')
                  field: id
          - name: old_total
            meta: {deprecated: "use total instead"}
        tests:
          - dbt_utils.unique_combination_of_columns:
              combination_of_columns: [id, status]
"""
SOURCES = """
    sources:
      - name: shop
        freshness:
          warn_after: {count: 1, period: day}
          error_after: {count: 36, period: hour}
        tables:
          - name: orders
            description: As the shop writes them.
            columns:
              - {name: id, tests: [unique]}
          - name: countries
            freshness: null
            columns: [{name: code}]
"""


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path)


def summaries(notes: Notes, concept: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    return {one.id: (one.severity, one.summary, one.applies_to) for one in notes.notes()[concept].caveats}


def test_a_model_is_a_concept_and_its_columns_are_fields(notes: Notes) -> None:
    notes.write("models/shop.yml", MODELS)
    notes.write("models/docs.md", "# Docs\n{% docs paid %}\nPaid or not.\n{% enddocs %}\n")
    note = notes.notes()["orders"]
    assert (note.description, note.path, note.line) == ("One row an order. Paid or not.", "schemas/models/shop.yml", 3)
    assert [(one.id, one.value_type, one.description, one.line) for one in note.fields] == [
        ("id", "bigint", "The order's number.", 7),
        ("status", None, None, 11),
        ("customer_id", None, None, 18),
        ("old_total", None, None, 23),
    ]
    assert notes.read()["models/shop.yml"].dialect == "dbt"


def test_tests_are_caveats_in_words(notes: Notes) -> None:
    notes.write("shop.yml", MODELS)
    assert summaries(notes, "orders") == {
        "dbt_utils.unique_combination_of_columns": (
            "info",
            "`id` and `status` are unique together: no two rows share all of them.",
            ("id", "status"),
        ),
        "id.not_null": ("info", "`id` is never null.", ("id",)),
        "id.unique": ("info", "`id` is unique: no two rows share a value.", ("id",)),
        "status.accepted_values": (
            "medium",
            "`status` holds no other values than open, paid, void; rows that break this only give a warning.",
            ("status",),
        ),
        "status.not_null": ("info", "`status` is never null, where placed_at > '2020-01-01'.", ("status",)),
        "customer_id.relationships": (
            "info",
            "Every value of `customer_id` stands in `id` of `customers`.",
            ("customer_id",),
        ),
        "old_total.deprecated": ("high", "`old_total` is deprecated: use total instead.", ("old_total",)),
    }


def test_a_table_of_a_source_never_has_the_concept_of_a_model(notes: Notes) -> None:
    notes.write("shop.yml", MODELS)
    notes.write("sources.yml", SOURCES)
    found = notes.notes()
    assert set(found) == {"orders", "shop/orders", "shop/countries"}
    assert [one.id for one in found["shop/orders"].caveats] == ["freshness", "id.unique"]
    assert found["shop/orders"].caveats[0].summary == (
        "May lag behind: no new rows give a warning after 1 day and an error after 36 hours."
    )
    assert found["shop/countries"].caveats == ()


def test_seeds_and_snapshots_are_concepts_too(notes: Notes) -> None:
    notes.write("a.yml", "version: 2\nseeds:\n- {name: rates, columns: [{name: day}]}\nsnapshots:\n- {name: prices}\n")
    assert set(notes.notes()) == {"rates", "prices"}


@pytest.mark.parametrize(
    ("test", "summary"),
    [
        ("{relationships: {to: \"source('crm', 'people')\", field: id}}", "stands in `id` of `crm/people`"),
        ("{name: x, test_name: accepted_values, values: [1, 2]}", "no other values than 1, 2"),
        ("{accepted_values: {arguments: {values: [a]}}}", "no other values than a"),
        ("{accepted_values: null, values: [b]}", "no other values than b"),
        ("{dbt_utils.accepted_range: {min_value: 0}}", "passes the test dbt_utils.accepted_range (min_value: 0)"),
        ("my_test", "`c` passes the test my_test."),
    ],
)
def test_every_way_to_write_a_test_is_understood(notes: Notes, test: str, summary: str) -> None:
    notes.write("a.yml", f"version: 2\nmodels:\n- name: m\n  columns:\n  - name: c\n    tests:\n    - {test}\n")
    (caveat,) = notes.notes()["m"].caveats
    assert summary in caveat.summary


def test_constraints_and_notes_of_a_model_are_caveats(notes: Notes) -> None:
    notes.write(
        "a.yml",
        """
        models:
          - name: m
            deprecation_date: 2026-12-31
            constraints:
              - {type: primary_key, columns: [a, b]}
            config:
              meta: {caveats: [Counts test orders too., Late on Mondays.], owner: data}
            columns:
              - name: a
                constraints: [{type: foreign_key, to: ref('n'), to_columns: [x]}, {type: check, expression: a > 0}]
              - {name: b}
        """,
    )
    assert summaries(notes, "m") == {
        "constraint.primary_key": (
            "info",
            "`a` and `b` must be the primary key: unique and never null; the warehouse is told to see to it.",
            ("a", "b"),
        ),
        "deprecated": ("high", "This table is deprecated from 2026-12-31.", ()),
        "caveat": ("medium", "Counts test orders too.", ()),
        "caveat~2": ("medium", "Late on Mondays.", ()),
        "a.constraint.foreign_key": (
            "info",
            "`a` must refer to `n` (x); the warehouse is told to see to it.",
            ("a",),
        ),
        "a.constraint.check": ("info", "`a` must fulfil check: a > 0; the warehouse is told to see to it.", ("a",)),
    }


def test_a_documentation_block_that_is_nowhere_is_left_out_with_a_warning(notes: Notes) -> None:
    notes.write("a.yml", "version: 2\nmodels:\n- {name: m, description: \"{{ doc('gone') }}\"}\n")
    assert notes.notes()["m"].description is None
    ((_, message),) = told(notes.read()["a.yml"].warnings)
    assert "names a documentation block that is in no Markdown file" in message
    assert "'gone'" in message


def test_of_two_blocks_of_one_name_the_nearest_is_taken(notes: Notes) -> None:
    for name in ("one", "two"):
        notes.write(f"{name}/docs.md", f"{{% docs same %}}of {name}{{% enddocs %}}")
        notes.write(
            f"{name}/m/a.yml", f"version: 2\nmodels:\n- {{name: {name}, description: \"{{{{ doc('same') }}}}\"}}\n"
        )
    assert {one.concept: one.description for one in notes.notes().values()} == {"one": "of one", "two": "of two"}


def test_a_block_of_a_named_package_is_found(notes: Notes) -> None:
    notes.write("a.yml", "version: 2\nmodels:\n- {name: m, description: \"{{ doc('shop', 'd') }} {{ var('x') }}\"}\n")
    notes.write("a.md", "{%- docs d -%}Words.{%- enddocs -%}")
    assert notes.notes()["m"].description == "Words."


def test_what_cannot_be_used_is_left_out_with_a_warning(notes: Notes) -> None:
    notes.write(
        "a.yml",
        """
        version: 2
        models:
          - description: nameless
          - name: m
            columns: [{name: a}, {name: a}, {description: nameless}]
          - name: m
        """,
    )
    document = notes.read()["a.yml"]
    assert [(one.concept, len(one.fields)) for one in document.notes] == [("m", 1)]
    assert told(document.warnings) == [
        (3, "a model without name is left out; give it one"),
        (5, "a column without name is left out; give it one"),
        (5, "column 'a' stands twice; the second is left out"),
        (6, "'m' stands twice in this file; the second is left out"),
    ]


def test_a_caveat_never_takes_the_id_of_a_column(notes: Notes) -> None:
    notes.write("a.yml", "version: 2\nmodels:\n- name: m\n  columns: [{name: a, tests: [unique]}, {name: a.unique}]\n")
    note = notes.notes()["m"]
    assert [one.id for one in (*note.fields, *note.caveats)] == ["a", "a.unique", "a.unique~2"]
