"""Answers against gold: mean F1 by method and type of question.

Of the four methods only `graph` and `vector` ask; `hybrid` and `routed` choose between what the two said, so no
question is asked twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb.errors import PlanError, RefusedQuestionError, ReplyError
from kb.evaluate.gold import gold_answer, gold_plan
from kb.evaluate.result import Evaluation
from kb.evaluate.scores import answer_f1

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["METHODS", "Outcome", "judge_answers", "settled"]

METHODS = ("graph", "vector", "hybrid", "routed")
_ASKED = ("graph", "vector")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What asking gave.

    `ids` is None where there is no answer: `refusal` says why no plan fits, `error` what went wrong instead, such as a
    model's reply that is of no use.
    """

    ids: tuple[str, ...] | None
    plan: dict[str, Any] | None = None
    refusal: str | None = None
    error: str | None = None

    def f1(self, wanted: Collection[str]) -> float:
        """F1 of the answer. A refusal is an empty answer; what failed is none, and counts as 0."""
        return 0.0 if self.error is not None else answer_f1(self.ids, wanted)


def settled(method: str, graph: Outcome) -> Outcome | None:
    """What `hybrid` or `routed` answer where `graph` answers so; None for what `vector` does. See `kb.ask.methods`."""
    if graph.error is not None or graph.ids or (method == "routed" and graph.ids is not None):
        return graph
    return None


Run = Callable[[Mapping[str, Any]], dict[str, Outcome]]
"""A gold question -> what each method gave."""


def judge_answers(
    result: Evaluation,
    kb: KnowledgeBase,
    questions: Sequence[Mapping[str, Any]],
    *,
    methods: Sequence[str] = ("graph",),
    planner: str | None = None,
    plans: bool = False,
    workers: int = 1,
) -> None:
    """Fills in everything about questions; so many of them are asked at once."""
    run: Run = (lambda row: {"graph": _planned(kb, row)}) if plans else (lambda row: _asked(kb, row, methods, planner))
    asked = [row for row in questions if not plans or gold_plan(row) is not None]
    result.without_plan = sum(gold_plan(row) is None for row in questions)
    scores: dict[str, dict[str, list[float]]] = {method: defaultdict(list) for method in methods}
    refused: dict[str, int] = defaultdict(int)
    for row, outcomes in zip(asked, _run_all(run, asked, workers), strict=True):
        kind = str(row.get("type") or f"{len(row.get('path', ()))}_hop")
        wanted = gold_answer(row)
        for method in methods:
            scores[method][kind].append(outcomes[method].f1(wanted))
        if "graph" in outcomes:
            refused[kind] += outcomes["graph"].refusal is not None
        result.failed += [
            {"id": row.get("id"), "question": row.get("question"), "method": method, "error": outcome.error}
            for method, outcome in outcomes.items()
            if method in _ASKED and outcome.error is not None
        ]
        result.questions.append(_question(row, kind, wanted, {m: outcomes[m] for m in methods}))
    first = scores[methods[0]]
    result.counts = {kind: len(values) for kind, values in first.items()}
    result.refused = {kind: refused[kind] for kind in first} if "graph" in methods else None
    if first:
        result.answers = {method: _means(by_type) for method, by_type in scores.items()}


def _run_all(run: Run, rows: Sequence[Mapping[str, Any]], workers: int) -> Iterator[dict[str, Outcome]]:
    """What each question gave, in their order. The first error that stops one stops all that were not asked yet."""
    if workers == 1:
        yield from map(run, rows)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="question")
    try:
        yield from pool.map(run, rows)
    finally:
        pool.shutdown(cancel_futures=True)


def _means(by_type: Mapping[str, Sequence[float]]) -> dict[str, float]:
    everything = [score for scores in by_type.values() for score in scores]
    means = {kind: sum(scores) / len(scores) for kind, scores in by_type.items()}
    return {kind: round(mean, 4) for kind, mean in {**means, "all": sum(everything) / len(everything)}.items()}


def _question(
    row: Mapping[str, Any],
    kind: str,
    wanted: Sequence[str],
    outcomes: Mapping[str, Outcome],
) -> dict[str, Any]:
    """A question with what the first method gave, and in `methods` what each did."""
    by_method = {
        method: {
            "f1": round(outcome.f1(wanted), 4),
            "answer": sorted(outcome.ids) if outcome.ids is not None else None,
            "refusal": outcome.refusal,
            "error": outcome.error,
        }
        for method, outcome in outcomes.items()
    }
    first = next(iter(outcomes))
    return {
        "id": row.get("id"),
        "question": row.get("question"),
        "type": kind,
        "gold": sorted(wanted),
        "gold_plan": gold_plan(row),
        "plan": outcomes[first].plan,
        **by_method[first],
        "methods": by_method,
    }


def _planned(kb: KnowledgeBase, row: Mapping[str, Any]) -> Outcome:
    plan = gold_plan(row)
    assert plan is not None
    try:
        return Outcome(tuple(item.id for item in kb.run(plan, witnesses=False).answers), plan)
    except PlanError as err:
        return Outcome(None, plan, refusal=str(err))


def _asked(
    kb: KnowledgeBase, row: Mapping[str, Any], methods: Collection[str], planner: str | None
) -> dict[str, Outcome]:
    """What the methods gave; `vector` is asked only where one of them needs it."""
    question, outcomes = str(row["question"]), dict[str, Outcome]()

    def outcome(method: str) -> Outcome:
        if method not in outcomes:
            if method in _ASKED:
                outcomes[method] = _ask(kb, question, method, planner)
            else:
                outcomes[method] = settled(method, outcome("graph")) or outcome("vector")
        return outcomes[method]

    for method in methods:
        outcome(method)
    return outcomes


def _ask(kb: KnowledgeBase, question: str, method: str, planner: str | None) -> Outcome:
    """Asks by one method. What stops all questions is raised: an endpoint that is down, a budget, a recording."""
    try:
        answer = kb.ask(question, method=method, planner=planner, witnesses=False)
    except RefusedQuestionError as err:
        return Outcome(None, refusal=str(err))
    except (ReplyError, PlanError) as err:
        return Outcome(None, error=str(err))
    plan = answer.plan.to_json() if answer.plan is not None else None
    return Outcome(tuple(item.id for item in answer.answers), plan)
