"""Arrows between names, keys before a dash, and lists in lists: read where the page says what they mean."""

from __future__ import annotations

import pytest
from extract_help import edges, wanted

# (page, text, what it says)
FORMS = [
    ("heron", "**Owner** - Edge\n\n**Depends on** - Auth, Ledger", "heron owner edge; heron needs auth, ledger"),
    ("heron", "**Owner** – Edge", "heron owner edge"),
    ("heron", "Owner - Edge\nNeeds - Auth and the Ledger", "heron owner edge; heron needs auth, ledger"),
    (
        "heron",
        "- **Owner** — Edge\n- **Depends on** – Auth, the Ledger (for balances)",
        "heron owner edge; heron needs auth, ledger",
    ),
    ("heron", "- Owner = Edge", "heron owner edge"),
    ("heron", "Needs - as everything does - the Ledger", ""),
    ("heron", "Former owner - Edge", ""),
    ("heron", "Owner - not Edge", ""),
    ("heron", "Runbook - Ledger is slow", ""),
    (
        "x",
        "## Dependencies\n\n- Heron -> Auth, Ledger\n- Refunds → Heron",
        "heron needs auth, ledger; refunds needs heron",
    ),
    (
        "x",
        "Who calls whom:\n\n- Heron -> Auth\n- Refunds => Heron => Mailer",
        "heron needs auth, mailer; refunds needs heron",
    ),
    ("x", '`->` stands for "depends on".\n\n- Heron -> Auth', "heron needs auth"),
    ("x", 'Read the arrow as "is called by":\n\n- Heron -> Refunds', "refunds needs heron"),
    ("x", "## Who owns what\n\n- Heron -> Edge\n- Refunds -> Bookkeeping", "heron owner edge; refunds owner books"),
    ("x", "## Used by\n\n- Ledger -> Heron, Refunds", "heron needs ledger; refunds needs ledger"),
    (
        "x",
        "## Dependencies\n\n```\nheron -> auth\nrefunds -> heron, mailer\n```",
        "heron needs auth; refunds needs heron, mailer",
    ),
    ("x", "Who calls whom:\n\n```mermaid\ngraph LR\n  heron --> auth\n```", "heron needs auth"),
    ("x", "- Heron -> Auth", ""),
    ("x", "```\nheron -> auth\n```", ""),
    ("x", "## Dependencies\n\n```python\nheron -> auth\n```", ""),
    ("x", "## Dependencies\n\n- Heron -> something else\n- Auth <- Ledger\n- Heron <-> Auth", ""),
    ("x", "## Dependencies (planned)\n\n- Heron -> Auth", ""),
    ("x", "## Dependencies\n\n- Heron -> Auth (until May)\n- Refunds -> Auth (planned)", ""),
    ("x", "Data flows along the arrows.\n\n- Heron -> Auth", ""),
    ("heron", "- needs\n  - Auth\n  - the Ledger\n- whose: Edge", "heron needs auth, ledger; heron owner edge"),
    (
        "x",
        "- Heron\n  - needs\n    - Auth\n    - Ledger\n  - whose: Edge\n- Refunds\n  - depends on:\n    - Heron",
        "heron needs auth, ledger; heron owner edge; refunds needs heron",
    ),
]


@pytest.mark.parametrize(("page", "text", "expected"), FORMS, ids=[text[:40] for _, text, _ in FORMS])
def test_a_form_says_this_and_no_more(page: str, text: str, expected: str) -> None:
    assert edges(text, page) == wanted(expected)
