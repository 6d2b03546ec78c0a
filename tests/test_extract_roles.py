"""Roles beside a name, nouns of classes as relations, tenses of "have", and what somebody hands in unasked."""

from __future__ import annotations

import pytest
from extract_help import edges, wanted

# (page, text, what it says)
TEXTS = [
    ("edge", "- Ana Ruiz (lead)\n- Jo Park (deputy lead)", "edge lead ana"),
    ("edge", "- Ana Ruiz (former lead)\n- Jo Park (acting lead)", ""),
    ("edge", "- Bookkeeping\n  - Teodor Ilves (lead)", "books lead teo"),
    ("edge", "Bookkeeping is Teodor Ilves (lead) and others.", "books lead teo"),
    ("heron", "Refunds (consumer) is slow.", "refunds needs heron"),
    ("heron", "Refunds (new) is slow.", ""),
    ("heron", "Talk to Edge (owner).", "heron owner edge"),
    # The ontology's "backing store" says what a database is to its service; no noun says so of "service".
    ("heron", "Its databases are the Ledger DB and the Session Cache.", "heron needs db, cache"),
    ("heron", "Its datastore was the Ledger DB.", ""),
    ("heron", "Its service is Refunds.", ""),
    ("edge", "Edge has handed Heron over to Bookkeeping.", ""),
    ("edge", "Edge has automated Heron.", ""),
    ("edge", "Edge has Heron and Refunds.", "heron owner edge; refunds owner edge"),
    ("edge", "Ana has been leading the team since March.", "edge lead ana"),
    ("heron", "Heron receives orders from the Portal.", ""),
    ("heron", "Heron gets a ping from the Portal each night.", ""),
    ("heron", "Heron reads orders from the Ledger DB.", "heron needs db"),
    ("heron", "Heron takes its jobs from the Event Bus.", "heron needs bus"),
    ("heron", "Refunds calls Heron, but only in tests.", ""),
    ("heron", "Heron, unlike Refunds, calls Auth.", "heron needs auth"),
    ("edge", "What we run:\n\n- Heron\n- Refunds - going away in June", "heron owner edge"),
    ("heron", "Heron publishes its scores on the Event Bus.", "heron needs bus"),
    ("edge", "We run Heron. We don't run the Ledger.", "heron owner edge"),
    ("heron", "Heron calls Auth. It doesn't call Auth any more.", ""),
    ("heron", "Heron calls Auth. It doesn't any more.", ""),
    ("heron", "| Key | Value |\n|---|---|\n| Pays out through | API Gateway |", "heron needs gate"),
    ("heron", "Reached through: API Gateway", ""),
    ("heron", "The bot that reads the Ledger DB belongs to Bookkeeping.", ""),
    ("heron", "A job that nightly loads the Ledger DB calls Auth.", ""),
    ("heron", "The people who run Heron also run the Ledger.", ""),
    ("heron", "It is Refunds that calls Heron.", "refunds needs heron"),
    ("heron", "It isn't Refunds that calls Heron.", ""),
    ("heron", "Refunds, which reads the Ledger DB, calls Auth.", "refunds needs db, auth"),
    ("x", "| Person | Team |\n|---|---|\n| Ana Ruiz | Edge |\n| Jo Park | Bookkeeping |", ""),
    ("x", "| Datastore | Written by |\n|---|---|\n| Ledger DB | Ledger |", "ledger needs db"),
    ("heron", "Written by: Ana Ruiz", ""),
]


@pytest.mark.parametrize(("page", "text", "expected"), TEXTS, ids=[text[:50] for _, text, _ in TEXTS])
def test_a_text_says_this_and_no_more(page: str, text: str, expected: str) -> None:
    assert edges(text, page) == wanted(expected)
