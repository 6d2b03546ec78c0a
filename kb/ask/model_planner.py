"""A question in any words becomes a plan by asking a language model; what it replies is checked like any other plan."""

from __future__ import annotations

from typing import Any

from kb.ask.near import Near, Neighbourhood
from kb.ask.plan import Plan, parse_plan
from kb.ask.plan_prompt import PlanPrompts
from kb.ask.plan_reply import Names, plan_data, read_reply
from kb.ask.planner.planner import HasEntities, Planned
from kb.ask.planner.reading import reading_of
from kb.errors import PlanError, RefusedQuestionError
from kb.llm import Chat, Prompt, Reply
from kb.llm.tokens import count_prompt
from kb.vocabulary import Vocabulary

__all__ = ["ModelPlanner"]

_LONGEST = 4000
"""Characters of a question."""
_QUOTED = 4000
"""Characters of a reply that are sent back with an objection."""


class ModelPlanner:
    """Plans for the questions about one catalogue, by a model.

    Construction takes time in proportion to the number of names. Safe to use from several threads.
    """

    def __init__(self, vocabulary: Vocabulary, catalogue: HasEntities, chat: Chat) -> None:
        self.vocabulary, self.entities, self.chat = vocabulary, catalogue.entities, chat
        self._neighbourhood = Neighbourhood(vocabulary, catalogue)
        self._prompts = PlanPrompts(vocabulary, self.entities)
        self._names = Names(self.entities)

    def plan(self, question: str) -> Planned:
        """The plan that the model gives. A plan that is wrong is asked for once more, with what is wrong.

        Raises RefusedQuestionError with the model's words where it refuses, and with both faults where the second plan
        is wrong too; ReplyError where it gives no reply; EndpointError, BudgetError and ReplayError.
        """
        if not question.strip():
            raise RefusedQuestionError("the question has no words")
        if len(question) > _LONGEST:
            raise RefusedQuestionError(
                f"the question has {len(question):,} characters; ask it in {_LONGEST:,} or fewer"
            )
        near = self._neighbourhood.near(question)
        prompt = self._prompts.of(question, near)
        reply = self.chat.ask(prompt)
        try:
            return self._planned(reply, prompt, near)
        except PlanError as err:
            first = err
        self.chat.forget(prompt)
        again = prompt.and_then(_quoted(reply.text), _objection(first))
        reply = self.chat.ask(again)
        try:
            return self._planned(reply, prompt, near, first)
        except PlanError as err:
            self.chat.forget(again)
            raise RefusedQuestionError(
                f"the model gave no plan that can be used. First: {first}. Then, told so: {err}"
            ) from err

    def _planned(self, reply: Reply, prompt: Prompt, near: Near, fault: PlanError | None = None) -> Planned:
        data, refusal = read_reply(reply)
        if data is None:
            raise RefusedQuestionError(f"the model refuses the question: {refusal}")
        plan = parse_plan(plan_data(data, self.vocabulary, self._names), self.vocabulary, self.entities)
        self._check_names(plan, near)
        explanation = [f"Planned by a model; {count_prompt(prompt):,} tokens of prompt, {len(near.entities)} names"]
        if fault is not None:
            explanation.append(f"Its first reply was refused: {fault}")
        reading = reading_of(plan.to_json(), self.vocabulary, self.entities)
        return Planned(plan, 1.0, reading, tuple(explanation))

    def _check_names(self, plan: Plan, near: Near) -> None:
        """Raises PlanError for a name that the question says and the plan leaves out."""
        used = set(_texts(plan.to_json()))
        folded = {one.casefold() for one in used}
        for one in near.named:
            if used.isdisjoint(one.ids) and one.words.casefold() not in folded:
                ids = " or ".join(map(repr, one.ids[:3]))
                raise PlanError(
                    f"plan: the question names {one.words!r} ({ids}), but the plan does not use it. If it has nothing "
                    "to do with what is asked, refuse the question",
                    one.words,
                )


def _objection(fault: PlanError) -> str:
    return (
        f"That cannot be used: {fault}\n"
        "Reply with the whole JSON again, corrected. If no plan can say what the question asks, refuse it."
    )


def _quoted(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]} …"


def _texts(data: Any) -> list[str]:
    """All texts among the values of a plan."""
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for one in inner for text in _texts(one)]
