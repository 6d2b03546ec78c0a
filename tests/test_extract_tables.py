"""Tables: lists of things in one cell, heads that name a type or ask, rows of the wrong type, names as handles."""

from __future__ import annotations

import pytest
from extract_help import edges, page, reader, wanted


def table(*rows: str) -> str:
    """Rows "a | b" as a table."""
    first, *rest = (f"| {row} |" for row in rows)
    return "\n".join((first, "|---" * (rows[0].count("|") + 1) + "|", *rest))


# (page, table, what it says)
TABLES = [
    (
        "x",
        table("Service | Owner", "Heron, Refunds | Edge", "Ledger | Bookkeeping"),
        "heron owner edge; refunds owner edge; ledger owner books",
    ),
    (
        "x",
        table("Services | Team", "Heron / Refunds | Edge", "Ledger | Bookkeeping"),
        "heron owner edge; refunds owner edge; ledger owner books",
    ),
    (
        "x",
        table("Thing | Needs", "Foo | Auth", "??? | Ledger", "Refunds | Auth", "Mailer | Event Bus"),
        "refunds needs auth; mailer needs bus",
    ),
    # The ontology's "backing store" says which way round a store is needed.
    (
        "x",
        table("Service | Datastore(s)", "Heron | Session Cache", "Refunds | Ledger DB, Document Store"),
        "heron needs cache; refunds needs db, docs",
    ),
    (
        "x",
        table("Service | Data store", "Heron | Session Cache", "Refunds | Ledger DB"),
        "heron needs cache; refunds needs db",
    ),
    ("x", table("Datastore | Services", "Session Cache | Heron", "Ledger DB | Refunds"), ""),
    ("x", table("Service | Service", "Heron | Auth", "Refunds | Ledger"), ""),
    ("db", "Service: Heron", ""),
    ("heron", "Store: Ledger DB", "heron needs db"),
    ("x", table("Service | Whose?", "Heron | Edge", "Refunds | Bookkeeping"), "heron owner edge; refunds owner books"),
    ("x", table("Service | Squad", "Heron | Edge", "Refunds | Bookkeeping"), "heron owner edge; refunds owner books"),
    ("x", table("Team | Person", "Edge | Ana Ruiz", "Bookkeeping | Jo Park"), ""),  # a lead, or a member?
    (
        "x",
        table("Service | Owner", "Heron | @edge", "Auth | #merchant-experience", "Ledger | `#mx`"),
        "heron owner edge; auth owner mx; ledger owner mx",
    ),
    ("heron", "Owned by @bookkeeping.", "heron owner books"),
    ("heron", "Owner: [@edge](https://x.example/edge)", "heron owner edge"),
    ("heron", "Owner: edge@example.org", ""),
    ("heron", "Owner: @edge-ops", ""),
    ("heron", table("Year | Kept in", "2021 | Document Store", "2022 | Ledger DB"), ""),
]


@pytest.mark.parametrize(("page_id", "text", "expected"), TABLES, ids=[text[:40] for _, text, _ in TABLES])
def test_a_table_says_this_and_no_more(page_id: str, text: str, expected: str) -> None:
    assert edges(text, page_id) == wanted(expected)


def test_a_row_of_the_wrong_type_is_left_to_the_gate_and_silences_no_other() -> None:
    text = table("Service | Depends on", "Heron | Auth", "Edge | Ledger", "Mailer | Event Bus")
    found = {(s.subject, s.object) for s in reader().read(page(text, "x"))}
    assert found == {("Heron", "Auth"), ("Edge", "Ledger"), ("Mailer", "Event Bus")}
