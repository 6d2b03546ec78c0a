"""Answers against gold: mean F1 by type of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb.errors import PlanError, RefusedQuestionError
from kb.evaluate.gold import gold_plan
from kb.evaluate.result import Evaluation
from kb.evaluate.scores import answer_f1

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["judge_answers"]


def judge_answers(
    result: Evaluation, kb: KnowledgeBase, questions: Sequence[Mapping[str, Any]], *, plans: bool
) -> None:
    """Fills in `answers`, `counts` and `questions`."""
    by_type: dict[str, list[float]] = defaultdict(list)
    run = _run_plan(kb) if plans else _ask(kb)
    for row in questions:
        wanted_plan = gold_plan(row)
        if wanted_plan is None:
            result.without_plan += 1
            if plans:
                continue
        kind = str(row.get("type") or f"{len(row.get('path', ()))}_hop")
        wanted = row.get("answer", row.get("answers", []))
        answer, plan, refusal = run(row, wanted_plan)
        score = answer_f1(answer, wanted)
        by_type[kind].append(score)
        result.questions.append(
            {
                "id": row.get("id"),
                "question": row.get("question"),
                "type": kind,
                "f1": round(score, 4),
                "answer": sorted(answer) if answer is not None else None,
                "gold": sorted(wanted),
                "plan": plan,
                "gold_plan": wanted_plan,
                "refusal": refusal,
            }
        )
    result.counts = {kind: len(scores) for kind, scores in by_type.items()}
    if by_type:
        everything = [score for scores in by_type.values() for score in scores]
        result.answers["graph"] = {
            **{kind: round(sum(scores) / len(scores), 4) for kind, scores in by_type.items()},
            "all": round(sum(everything) / len(everything), 4),
        }


_Run = Callable[
    [Mapping[str, Any], dict[str, Any] | None], tuple[Collection[str] | None, dict[str, Any] | None, str | None]
]


def _run_plan(kb: KnowledgeBase) -> _Run:
    def run(
        _row: Mapping[str, Any], plan: dict[str, Any] | None
    ) -> tuple[Collection[str] | None, dict[str, Any] | None, str | None]:
        assert plan is not None
        try:
            return [item.id for item in kb.run(plan, witnesses=False).answers], plan, None
        except PlanError as err:
            return None, plan, str(err)

    return run


def _ask(kb: KnowledgeBase) -> _Run:
    def run(
        row: Mapping[str, Any], _plan: dict[str, Any] | None
    ) -> tuple[Collection[str] | None, dict[str, Any] | None, str | None]:
        try:
            answer = kb.ask(str(row["question"]), witnesses=False)
        except (RefusedQuestionError, PlanError) as err:
            return None, None, str(err)
        return [item.id for item in answer.answers], answer.plan.to_json(), None

    return run
