"""Vectors without a model: which texts are near each other, by the words, identifiers and signs that they share."""

from __future__ import annotations

import numpy as np
import pytest

from kb.embed.hashing import HashingProvider


def near(one: str, other: str) -> float:
    first, second = HashingProvider().embed([one, other]).astype(np.float64)
    return float(first @ second)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        # An identifier is its words, in whatever style it is written.
        ("evidence_due_by", "evidenceDueBy: a deadline", "evidenced in silence: a deadline"),
        ("evidence due by", "evidenceDueBy: a deadline", "evidenced in silence: a deadline"),
        ("maxAllocatedStorage", "max_allocated_storage: a limit", "allocated_storage: a limit"),
        ("max allocated storage", "max_allocated_storage: a limit", "allocated_storage: a limit"),
        ("http request", "HTTPRequest: what came", "HTTPResponse: what came"),
        # Words that are grammar in prose tell identifiers apart.
        ("validTo", "valid_to: a day", "valid_from: a day"),
        ("for_each", "for_each: a map", "count: a map"),
        # Brands and units stay words.
        ("github token", "a token of GitHub", "a token of a hub"),
        ("ipv4 range", "a range of IPv4", "a range of IPv6"),
        # A slip in a word leaves most of its parts.
        ("privilaged", "privileged: needed for nested containers", "protected: needed for nested containers"),
    ],
)
def test_identifiers_are_near_in_any_spelling(query: str, right: str, wrong: str) -> None:
    assert near(query, right) > near(query, wrong) + 0.05


@pytest.mark.parametrize("sign", ["=>", "|>", "->>", "<<-", "??", "?.", "::", "[*]", "..", "...", "!=", "!~", ":="])
def test_a_sign_of_code_is_found_by_itself(sign: str) -> None:
    assert near(sign, f"operator: {sign}") > 0.5
    assert near(sign, "operator: (it)") < 0.2


@pytest.mark.parametrize(
    "text", ["Really?", "Well... yes.", "(see: the shop)", "one; two, three!", "a.b.c", "wait … now"]
)
def test_signs_of_prose_count_nothing(text: str) -> None:
    plain = "".join(sign if sign.isalnum() else " " for sign in text)
    assert near(text, plain) == pytest.approx(1)


def test_the_same_text_has_the_same_vector_in_any_company() -> None:
    texts = ["evidenceDueBy", "", "Events arrive late", "?.", "支払いの上限"]
    together = HashingProvider().embed(texts)
    assert all((HashingProvider().embed([text])[0] == row).all() for text, row in zip(texts, together, strict=True))
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 0, 1, 1, 1])
