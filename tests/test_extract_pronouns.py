"""What "they", "them both" and "ours" mean, what is done through something, and who is named "as lead"."""

from __future__ import annotations

import pytest
from extract_help import edges, wanted

# (page, text, what it says)
TEXTS = [
    (
        "x",
        "Edge has six people. They are responsible for Heron, Refunds and the Ledger.",
        "heron owner edge; refunds owner edge; ledger owner edge",
    ),
    ("x", "The Edge team sits in Oslo. They look after Heron.", "heron owner edge"),
    ("x", "Refunds is owned by Bookkeeping. They also run the Ledger.", "refunds owner books; ledger owner books"),
    ("x", "Heron scores cards. They look after it.", ""),
    ("x", "Heron and Refunds are small. They use Auth.", ""),
    ("x", "Edge and Bookkeeping met. They run Heron.", ""),
    ("edge", "They are responsible for Heron.", "heron owner edge"),
    ("x", "Heron calls Refunds, and Auth serves them both.", "heron needs refunds, auth; refunds needs auth"),
    ("x", "Heron calls Refunds, and both of them need Auth.", "heron needs refunds, auth; refunds needs auth"),
    ("x", "Heron is with Edge, with Ana Ruiz as lead.", "heron owner edge; edge lead ana"),
    ("edge", "We are six people, with Ana Ruiz as our lead.", "edge lead ana"),
    ("edge", "We are six people, with Jo Park as acting lead.", ""),
    ("edge", "Heron is the scorer. That one's ours as well.", "heron owner edge"),
    ("edge", "Heron is the scorer. That one isn't ours.", ""),
    ("edge", "Our services: Heron, Refunds.", "heron owner edge; refunds owner edge"),
    ("edge", "We run Heron. Ours too: Refunds.", "heron owner edge; refunds owner edge"),
    ("heron", "The card is charged through the API Gateway.", "heron needs gate"),
    ("heron", "Customers are told by way of the Mailer.", "heron needs mailer"),
    ("edge", "The card is charged through the API Gateway.", ""),
    ("heron", "The card was charged through the API Gateway.", ""),
    ("heron", "Heron is reached through the API Gateway.", ""),
    ("heron", "Calls are routed through the API Gateway.", ""),
    ("heron", "The dashboard is shown through the Portal.", ""),
    ("heron", "Scores end up in the Document Store.", "heron needs docs"),
    ("x", "Heron is handled by Edge.", "heron owner edge"),
    ("x", "It works with the Portal, and Heron asks the Ledger.", "heron needs ledger"),
]


@pytest.mark.parametrize(("page", "text", "expected"), TEXTS, ids=[text[:50] for _, text, _ in TEXTS])
def test_a_text_says_this_and_no_more(page: str, text: str, expected: str) -> None:
    assert edges(text, page) == wanted(expected)
