"""The planner against the gold questions and facts that ship with the tests. The numbers are floors, not targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planner_worlds import LARKSPUR, MUSEUM, Sets, f1, lines, planned

from kb.errors import RefusedQuestionError


def answers(folder: Path, question: str, sets: Sets) -> set[str] | None:
    """None where the question is refused."""
    try:
        return sets.answers(planned(folder, question).plan.to_json())
    except RefusedQuestionError:
        return None


def scores(folder: Path) -> dict[str, list[float]]:
    """F1 of the answers by question type."""
    sets, by_type = Sets(folder), dict[str, list[float]]()
    for row in lines(folder / "gold" / "questions.jsonl"):
        got = answers(folder, row["question"], sets)
        by_type.setdefault(row["type"], []).append(0.0 if got is None else f1(got, set(row["answer"])))
    return by_type


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_larkspur_questions_get_the_right_answers() -> None:
    by_type = scores(LARKSPUR)
    everything = [score for found in by_type.values() for score in found]
    assert len(everything) == 90
    assert mean(everything) >= 0.88
    planned_types = {name: mean(found) for name, found in by_type.items() if name != "descriptive"}
    assert min(planned_types.values()) >= 0.9, planned_types


def test_museum_questions_get_the_right_answers() -> None:
    by_type = scores(MUSEUM)
    assert {name: mean(found) for name, found in by_type.items()} == pytest.approx(dict.fromkeys(by_type, 1.0))


DESCRIPTIVE = [row for row in lines(LARKSPUR / "gold" / "questions.jsonl") if row["type"] == "descriptive"]


@pytest.mark.parametrize("row", DESCRIPTIVE, ids=[row["id"] for row in DESCRIPTIVE])
def test_a_question_that_only_describes_what_it_means_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(RefusedQuestionError, match=r"no entity of the catalogue is named|nothing in it says"):
        planned(LARKSPUR, row["question"])
