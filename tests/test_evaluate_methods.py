"""Answers by method: what is asked, what follows from it, and what counts when there is no answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from evaluate_help import question

from kb.ask.answer import Answer, Found
from kb.ask.methods import answer
from kb.errors import EndpointError, PlanError, RefusedQuestionError, ReplyError
from kb.evaluate.answers import METHODS, judge_answers
from kb.evaluate.result import Evaluation
from kb.knowledge_base import KnowledgeBase

Said = list[str] | Exception


@dataclass
class _Id:
    id: str


@dataclass
class _Answer:
    answers: list[_Id]
    plan: None = None


@dataclass
class Oracle:
    """Stands in for a knowledge base: says for each question what graph and vector answer, and keeps what was asked."""

    said: Mapping[str, tuple[Said, Said]]
    asked: list[tuple[str, str]] = field(default_factory=list)
    planners: set[str | None] = field(default_factory=set)
    seconds: float = 0.0

    def ask(self, text: str, *, method: str = "graph", planner: str | None = None, witnesses: bool = True) -> _Answer:
        assert not witnesses
        self.asked.append((text, method))
        self.planners.add(planner)
        said = self.said[text][("graph", "vector").index(method)]
        if isinstance(said, Exception):
            raise said
        time.sleep(self.seconds)
        return _Answer([_Id(one) for one in said])


def judged(
    oracle: Oracle, questions: list[dict[str, Any]], *methods: str, planner: str | None = None, workers: int = 1
) -> Evaluation:
    result = Evaluation()
    kb = cast("KnowledgeBase", oracle)
    judge_answers(result, kb, questions, methods=methods or METHODS, planner=planner, workers=workers)
    return result


REFUSED = RefusedQuestionError("no plan")
WORLD: dict[str, tuple[Said, Said]] = {
    "right": (["a"], ["a", "b"]),  # gold a
    "nothing": ([], ["b"]),  # gold nothing: an empty answer is right
    "empty": ([], ["b"]),  # gold b: the graph lacks the fact, the page does not
    "refused": (REFUSED, ["c"]),  # gold c
}
QUESTIONS = [
    question("right", ["a"], "easy"),
    question("nothing", [], "easy"),
    question("empty", ["b"], "hard"),
    question("refused", ["c"], "hard"),
]


def test_four_methods_by_hand() -> None:
    result = judged(Oracle(WORLD), QUESTIONS)
    # F1 of {a, b} against {a} is 2/3; of {b} against nothing 0.
    assert result.answers == {
        "graph": {"easy": 1.0, "hard": 0.0, "all": 0.5},
        "vector": {"easy": 0.3333, "hard": 1.0, "all": 0.6667},
        "hybrid": {"easy": 0.5, "hard": 1.0, "all": 0.75},
        "routed": {"easy": 1.0, "hard": 0.5, "all": 0.75},
    }
    assert result.counts == {"easy": 2, "hard": 2}
    assert result.refused == {"easy": 0, "hard": 1}


def test_no_question_is_asked_twice() -> None:
    oracle = Oracle(WORLD)
    judged(oracle, QUESTIONS)
    assert sorted(oracle.asked) == sorted((text, method) for text in WORLD for method in ("graph", "vector"))


def test_vector_is_asked_only_where_a_method_needs_it() -> None:
    oracle = Oracle(WORLD)
    judged(oracle, QUESTIONS, "graph")
    assert {method for _, method in oracle.asked} == {"graph"}
    oracle = Oracle(WORLD)
    result = judged(oracle, QUESTIONS, "routed")
    assert [text for text, method in oracle.asked if method == "vector"] == ["refused"]
    assert result.answers == {"routed": {"easy": 1.0, "hard": 0.5, "all": 0.75}}
    assert result.refused is None


def test_the_planner_is_handed_on() -> None:
    oracle = Oracle(WORLD)
    judged(oracle, QUESTIONS, planner="llm")
    assert oracle.planners == {"llm"}


def test_what_got_no_usable_reply_counts_as_nothing_right_and_is_listed() -> None:
    lost = ReplyError("no JSON in it", "lost")
    oracle = Oracle({"lost": (lost, ["a"]), "none": (lost, [])})
    # Also where nothing would have been right: no reply is no answer.
    result = judged(oracle, [question("lost", ["a"], id="q1"), question("none", [], id="q2")])
    assert result.answers["graph"] == {"one_hop": 0.0, "all": 0.0}
    assert result.answers["vector"] == {"one_hop": 1.0, "all": 1.0}
    assert [(row["id"], row["method"], row["error"]) for row in result.failed] == [
        ("q1", "graph", "no JSON in it"),
        ("q2", "graph", "no JSON in it"),
    ]
    assert result.refused == {"one_hop": 0}


def test_a_plan_that_cannot_be_run_is_no_refusal_but_a_failure() -> None:
    result = judged(Oracle({"odd": (PlanError("no such relation"), ["a"])}), [question("odd", [])])
    assert {means["all"] for means in result.answers.values()} == {0.0}
    assert (result.refused, result.questions[0]["error"]) == ({"one_hop": 0}, "no such relation")


def test_an_endpoint_that_cannot_be_used_stops_the_evaluation() -> None:
    with pytest.raises(EndpointError, match="down"):
        judged(Oracle({"any": (EndpointError("down"), [])}), [question("any", [])])


def test_many_questions_at_once_give_the_same_and_stop_at_the_first_error_that_stops_all() -> None:
    lone, many = judged(Oracle(WORLD), QUESTIONS * 5), judged(Oracle(WORLD), QUESTIONS * 5, workers=4)
    assert (many.answers, many.questions) == (lone.answers, lone.questions)
    down = EndpointError("down")
    oracle = Oracle({"any": (down, []), **{str(number): ([], []) for number in range(1000)}}, seconds=0.01)
    with pytest.raises(EndpointError, match="down"):
        judged(oracle, [question("any", []), *(question(str(number), []) for number in range(1000))], workers=2)
    assert len(oracle.asked) < 100


def test_what_each_method_answered_is_kept_for_every_question() -> None:
    row = judged(Oracle(WORLD), QUESTIONS).questions[2]
    assert (row["f1"], row["answer"]) == (0.0, [])
    assert {name: (one["f1"], one["answer"]) for name, one in row["methods"].items()} == {
        "graph": (0.0, []),
        "vector": (1.0, ["b"]),
        "hybrid": (1.0, ["b"]),
        "routed": (0.0, []),
    }


def asked_by(method: str, graph: Said, vector: Said) -> list[str] | type[Exception]:
    """What asking by the method itself gives: ids, or the class of the error."""

    def gives(said: Said) -> Callable[[], Answer]:
        def give() -> Answer:
            if isinstance(said, Exception):
                raise said
            return Answer(tuple(Found(one, one) for one in said), None, None)

        return give

    try:
        return [one.id for one in answer(method, gives(graph), gives(vector)).answers]
    except (RefusedQuestionError, PlanError, ReplyError) as err:
        return type(err)


SAYINGS: list[Said] = [["a"], ["b", "c"], [], REFUSED, ReplyError("no JSON"), PlanError("no such relation")]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("graph", SAYINGS, ids=str)
@pytest.mark.parametrize("vector", SAYINGS, ids=str)
def test_what_follows_from_graph_and_vector_is_what_asking_by_the_method_gives(
    method: str, graph: Said, vector: Said
) -> None:
    expected = asked_by(method, graph, vector)
    result = judged(Oracle({"q": (graph, vector)}), [question("q", [])])
    given = result.questions[0]["methods"][method]
    if isinstance(expected, list):
        assert given["answer"] == expected
    else:
        assert given["answer"] is None
        assert (given["refusal"] is not None) == (expected is RefusedQuestionError)
