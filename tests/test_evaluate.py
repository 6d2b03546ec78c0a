"""Scores against gold: what counts as found, missed, reversed, trapped and answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evaluate_help import edge, gold_folder
from hypothesis import given
from hypothesis import strategies as st
from pipeline_help import run_build, small_base, write_statements

import kb
from kb.errors import KbError, SourceError
from kb.evaluate import Evaluation, answer_f1, evaluate, score_edges

FOUND = [
    ("a", "shop", "depends_on", "cart"),
    ("b", "shop", "depends_on", "cart"),
    ("a", "cart", "depends_on", "stock"),
    ("a", "shop", "owned_by", "sales"),
    ("a", "ana", "member_of", "sales"),
]


def judged(tmp_path: Path, *, plans: bool = False, **files: list[dict[str, Any]]) -> Evaluation:
    base = small_base(tmp_path / "base")
    run_build(base, write_statements(tmp_path / "s.jsonl", FOUND))
    with kb.open(base) as opened:
        return evaluate(opened, gold_folder(tmp_path / "gold", **files), plans=plans)


def test_f1_of_answers_counts_a_refusal_as_empty_and_two_empties_as_right() -> None:
    assert answer_f1(None, []) == 1.0
    assert answer_f1([], ["a"]) == 0.0
    assert answer_f1(["a"], []) == 0.0
    assert answer_f1(["a", "b"], ["b", "c"]) == 0.5


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(found: set[int], gold: set[int]) -> None:
    scores = score_edges(found, gold)
    if scores.precision and scores.recall:
        assert scores.f1 == pytest.approx(2 / (1 / scores.precision + 1 / scores.recall))
    elif found or gold:
        assert scores.f1 == 0


def test_edges_count_once_and_lines_once_a_page(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        triples=[
            edge("shop", "depends_on", "cart"),
            edge("stock", "depends_on", "cart"),
            edge("shop", "owned_by", "sales"),
        ],
    )
    assert result.triples is not None
    assert {key: result.triples[key] for key in ("found", "gold", "correct")} == {"found": 3, "gold": 3, "correct": 2}
    assert (result.triples["precision"], result.triples["recall"]) == (0.6667, 0.6667)
    assert {key: result.triples["lines"][key] for key in ("found", "gold", "correct")} == {
        "found": 4,
        "gold": 3,
        "correct": 2,
    }
    assert result.triples["by_relation"]["owned_by"]["f1"] == 1.0
    assert result.wrong_edges == [
        {"subject": "cart", "relation": "depends_on", "object": "stock", "page": "a", "quote": None}
    ]
    missed = {"subject": "stock", "relation": "depends_on", "object": "cart", "page": "a", "quote": None}
    assert result.missed_edges == [missed]


def test_relations_that_the_gold_does_not_know_are_not_judged(tmp_path: Path) -> None:
    result = judged(tmp_path, triples=[edge("shop", "owned_by", "sales")])
    assert result.triples is not None
    assert (result.triples["precision"], result.triples["unjudged"]) == (1.0, 4)


def test_an_edge_whose_ends_are_swapped_is_reversed_unless_both_directions_hold(tmp_path: Path) -> None:
    result = judged(tmp_path, triples=[edge("cart", "depends_on", "shop"), edge("cart", "depends_on", "stock")])
    assert result.triples is not None
    assert result.triples["reversed"] == 1


def test_traps_count_by_kind_and_only_on_their_page(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        triples=[edge("shop", "owned_by", "sales")],
        traps=[
            edge("cart", "depends_on", "stock", why="negated"),
            edge("shop", "depends_on", "cart", page="z", why="negated"),
            edge("shop", "owned_by", "sales", why="past"),
            edge("cart", "owned_by", "sales", why="planned"),
        ],
    )
    assert result.triples is not None
    # The third is a fact of the same page elsewhere; relations without gold triples are still traps when stated.
    assert result.triples["traps"] == {
        "taken": 1,
        "of": 4,
        "by_kind": {"negated": {"taken": 1, "of": 2}, "past": {"taken": 0, "of": 1}, "planned": {"taken": 0, "of": 1}},
    }


def test_gold_without_pages_has_no_lines_and_recall_of_stated_edges_apart(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        triples=[
            edge("shop", "depends_on", "cart", page=None, n_sentence=2),
            edge("stock", "depends_on", "cart", page=None, n_sentence=0),
        ],
    )
    assert result.triples is not None
    assert result.triples["lines"] is None
    assert result.triples["stated"]["recall"] == 1.0
    assert result.triples["recall"] == 0.5


def test_statements_of_the_catalogue_count_only_where_the_gold_names_no_pages(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    with (base / "catalogue.yaml").open("a", encoding="utf-8") as catalogue:
        catalogue.write("  - {id: till, type: service, name: Till, owned_by: sales}\n")
    run_build(base)
    found = {}
    for number, page in enumerate([None, "a"]):
        gold = gold_folder(tmp_path / f"gold{number}", triples=[edge("till", "owned_by", "sales", page=page)])
        with kb.open(base) as opened:
            triples = evaluate(opened, gold).triples
            assert triples is not None
            found[page] = triples["found"]
    assert found == {None: 1, "a": 0}


def test_plans_of_the_gold_are_run_and_questions_without_one_left_out(tmp_path: Path) -> None:
    plan = {"start": "shop", "hops": ["depends_on*"], "where": {}}
    result = judged(
        tmp_path,
        plans=True,
        questions=[
            {"id": "1", "question": "?", "type": "transitive", "answer": ["cart", "stock"], "plan": plan},
            {"id": "2", "question": "?", "type": "transitive", "answer": ["cart"], "plan": plan},
            {"id": "3", "question": "?", "type": "descriptive", "answer": ["cart"], "plan": None},
            {"question": "?", "start": "shop", "path": ["depends_on+", "^owned_by"], "answers": []},
        ],
    )
    assert result.answers == {"graph": {"transitive": 0.8333, "2_hop": 1.0, "all": 0.8889}}
    assert (result.counts, result.without_plan) == ({"transitive": 2, "2_hop": 1}, 1)


def test_a_plan_that_does_not_fit_counts_as_no_answer_and_says_why(tmp_path: Path) -> None:
    plan = {"start": "shop", "hops": ["flies_to"], "where": {}}
    result = judged(tmp_path, plans=True, questions=[{"question": "?", "type": "t", "answer": ["cart"], "plan": plan}])
    assert result.answers["graph"]["all"] == 0.0
    assert "flies_to" in result.questions[0]["refusal"]


def test_malformed_gold_lines_are_all_named(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    run_build(base, write_statements(tmp_path / "s.jsonl", FOUND))
    gold = gold_folder(tmp_path / "gold")
    (gold / "triples.jsonl").write_text('[1]\n{"a": 1}\n{oops\n', encoding="utf-8")
    with kb.open(base) as opened, pytest.raises(SourceError, match=r"(?s)triples.jsonl:1: .*triples.jsonl:3: "):
        evaluate(opened, gold)


def test_a_folder_without_gold_is_an_error_that_names_the_files(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    run_build(base, write_statements(tmp_path / "s.jsonl", FOUND))
    with kb.open(base) as opened, pytest.raises(KbError, match=r"none of triples.jsonl"):
        evaluate(opened, tmp_path)


def test_gold_lines_that_name_what_is_not_there_are_warned_of_with_their_line(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        triples=[
            edge("shop", "depends_on", "cart"),
            edge("shoop", "owns", "nobody", page="zz"),
            {"page": "a", "subject": "shop", "relation": "flies_to"},
        ],
        traps=[edge("shop", "depends_on", "nobody"), edge("shopp", "depends_on", "cart")],
        questions=[
            {
                "question": "who owns shop",
                "answer": ["sales", "salez"],
                "plan": {"start": "shop", "hops": ["owned_by"]},
            },
            {"question": "?", "answer": [], "plan": {"start": "shop", "hops": ["flies_to"]}},
        ],
    )
    told = [str(fault).replace(f"{tmp_path / 'gold'}/", "") for fault in result.warnings]
    assert told[:4] == [
        "triples.jsonl:2: no entity 'shoop' in the catalogue; did you mean 'shop'?",
        "triples.jsonl:2: no entity 'nobody' in the catalogue",
        "triples.jsonl:2: 'owns' is the way back of 'owned_by', by which facts are stored; turn the line around",
        "triples.jsonl:2: no page 'zz' in this build",
    ]
    assert told[4] == "triples.jsonl:3: lacks object"
    # A trap may be about something that nobody knows; only what looks mistyped is told.
    assert told[5] == "traps.jsonl:2: no entity 'shopp' in the catalogue; did you mean 'shop'?"
    assert told[6] == "questions.jsonl:1: answer: no entity 'salez' in the catalogue; did you mean 'sales'?"
    assert told[7].startswith("questions.jsonl:2: ")
    assert "flies_to" in told[7]
    assert len(told) == 8
    assert [str(fault) for fault in result.warnings] == result.to_json()["warnings"]


def test_gold_that_fits_gives_no_warnings_and_says_how_many_pages_it_names(tmp_path: Path) -> None:
    result = judged(tmp_path, triples=[edge("shop", "depends_on", "cart")])
    assert (result.warnings, result.pages) == ([], {"named": 1, "of": 2})


def test_wrong_and_missed_page_lines_come_with_page_and_quote(tmp_path: Path) -> None:
    result = judged(
        tmp_path, triples=[edge("shop", "depends_on", "cart", page="b"), edge("cart", "depends_on", "stock", quote="q")]
    )
    assert [(row["page"], row["subject"]) for row in result.wrong_lines] == [("a", "shop")]
    result = judged(tmp_path / "2", triples=[edge("stock", "depends_on", "shop", page="b", quote="Stock uses Shop")])
    assert result.missed_lines == result.missed_edges
    assert result.missed_lines[0]["quote"] == "Stock uses Shop"
    details = result.to_json(details=True)["details"]
    assert (details["wrong_lines"], details["missed_lines"]) == (result.wrong_lines, result.missed_lines)
