"""A language model turns a question into a plan. What it gives is checked like any plan; it is never guessed at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.ask.plan import parse_plan
from kb.ask.plan_prompt import PLAN_KEYS, PlanPrompts
from kb.ask.planner.planner import Planned
from kb.ask.planner.reading import reading_of
from kb.errors import PlanError, RefusedQuestionError
from kb.extract.mentions import Mentions
from kb.graph.resolve import Resolver
from kb.llm import Chat
from kb.llm.json_text import json_object
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["ModelPlanner"]

_LONGEST = 4000
"""Characters of a question."""


class ModelPlanner:
    """Plans for the questions about one catalogue, by asking a chat: once, and once more where the plan is faulty."""

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogue, chat: Chat) -> None:
        self.vocabulary, self.catalogue, self.chat = vocabulary, catalogue, chat
        self.mentions = Mentions(catalogue, vocabulary)
        self.prompts = PlanPrompts(vocabulary, catalogue.entities, self.mentions)
        self._resolver = Resolver(catalogue, vocabulary)

    def plan(self, question: str) -> Planned:
        """The model's plan.

        Raises RefusedQuestionError where the model gives none, or twice one that is wrong, saying what is wrong with
        it; ReplyError, EndpointError and BudgetError as the chat does.
        """
        if not question.strip():
            raise RefusedQuestionError("the question has no words")
        if len(question) > _LONGEST:
            raise RefusedQuestionError(f"the question has more than {_LONGEST:,} characters; ask it shorter")
        prompt = self.prompts.of(question)
        reply = self.chat.ask(prompt)
        try:
            return self._planned(question, reply.text)
        except PlanError as err:
            first = str(err)
        again = prompt.and_then(reply.text, f"That is not right: {first}. Reply with the JSON again, corrected.")
        reply = self.chat.ask(again)
        try:
            return self._planned(question, reply.text)
        except PlanError as err:
            self.chat.forget(prompt)
            self.chat.forget(again)
            said = str(err) if str(err) == first else f"{first}; and then: {err}"
            raise RefusedQuestionError(f"the model's plan is not right: {said}") from err

    def _planned(self, question: str, text: str) -> Planned:
        found, complete = json_object(text, PLAN_KEYS)
        if found is None or not complete:
            raise PlanError("the reply holds no whole JSON object with a plan", text)
        if "plan" in found or "refuse" in found:
            data = found.get("plan")
            why = found.get("refuse")
            if data is None and isinstance(why, str) and why.strip():
                raise RefusedQuestionError(f"the model gives no plan: {' '.join(why.split())}")
        else:
            data = found
        if not isinstance(data, dict):
            raise PlanError('"plan" is neither a plan nor null with a reason in "refuse"', data)
        data = self._with_ids(_without_nulls(data))
        plan = parse_plan(data, self.vocabulary, self.catalogue.entities)
        self._check_names(question, data)
        return Planned(plan, 1.0, reading_of(plan.to_json(), self.vocabulary, self.catalogue.entities))

    def _check_names(self, question: str, data: Mapping[str, Any]) -> None:
        """A plan that leaves out what the question names answers another question."""
        used = set(_texts(data))
        for mention in self.mentions.find(question):
            if mention.weak or mention.kind != "exact" or used.intersection(mention.entity_ids):
                continue
            name = question[mention.start : mention.end]
            ids = " or ".join(mention.entity_ids[:3])
            raise PlanError(f"the question names {name!r} ({ids}), and the plan does not use it", name)

    def _with_ids(self, data: Any, key: str = "") -> Any:
        """The plan with ids in the place of names that mean one thing."""
        if isinstance(data, dict):
            return {name: self._with_ids(value, name) for name, value in data.items()}
        if isinstance(data, list):
            return [self._with_ids(value, key) for value in data]
        relation = self.vocabulary.relation(key.lstrip("~"))
        if isinstance(data, str) and (key == "start" or relation is not None):
            return self._resolver.resolve(data).id or data
        return data


def _without_nulls(data: Any) -> Any:
    """A plan without the keys that a model filled with nothing; null in `where` means that there is none."""
    if isinstance(data, dict):
        optional = ("where", "hops", "by", "start")
        kept = {key: value for key, value in data.items() if key not in optional or value not in (None, [], {})}
        return {key: value if key == "where" else _without_nulls(value) for key, value in kept.items()}
    return [_without_nulls(value) for value in data] if isinstance(data, list) else data


def _texts(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for value in values for text in _texts(value)]
