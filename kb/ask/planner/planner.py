"""A question in English becomes a plan, without a model: search over type-correct readings, scored by their wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kb.ask.plan import Plan, parse_plan
from kb.ask.planner.background import Background
from kb.ask.planner.build import plan_of
from kb.ask.planner.cues import Cues
from kb.ask.planner.general import general_plan
from kb.ask.planner.limits import beyond
from kb.ask.planner.mentions import Mention
from kb.ask.planner.reading import reading_of
from kb.ask.planner.readings import Candidate, read_scene
from kb.ask.planner.scene import DOUBTFUL, Scene, choices
from kb.ask.planner.slots import GENITIVE
from kb.ask.planner.text import Question, read_question
from kb.errors import RefusedQuestionError
from kb.model import Entity
from kb.vocabulary import Vocabulary

__all__ = ["Planned", "Planner"]

_LONGEST = 200
"""Words of a question."""
_ALTERNATIVES = 4
_NEAR = 1.0
"""How far behind the best an alternative may be."""


def _with_ties(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates, best first, where those that differ in what a bare possessive means are one.

    "Ada's team" may be the one that she leads or the one that she is in.
    """
    kept: list[Candidate] = []
    for candidate in found:
        chain = candidate.branch.chain
        tied = [
            one
            for one in kept
            if one.score == candidate.score
            and one.branch.ids == candidate.branch.ids
            and not (chain.parts or one.branch.chain.parts)
            and any(said.meaning.kind == GENITIVE for said in chain.said)
            and [said.slot.place for said in one.branch.chain.said] == [said.slot.place for said in chain.said]
        ]
        if tied:
            tied[0].ties.append(candidate.branch)
        else:
            kept.append(candidate)
    return kept


class HasEntities(Protocol):
    """Whatever holds entities by id, such as a catalogue."""

    @property
    def entities(self) -> Mapping[str, Entity]:
        """Entities by id."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How a question was understood.

    `score` is 0 to 1: how much of the question's wording the plan accounts for. `reading` says it in one line for
    people, `explanation` which words say which hop or condition. `alternatives` are the next best, best first.
    """

    plan: Plan
    score: float
    reading: str
    explanation: tuple[str, ...] = ()
    alternatives: tuple[Planned, ...] = ()


class Planner:
    """Plans for the questions about one catalogue.

    Construction takes time in proportion to the number of names. `plan` changes nothing that another call could see,
    and gives the same plan for the same question always.
    """

    def __init__(self, vocabulary: Vocabulary, catalogue: HasEntities) -> None:
        self.vocabulary, self.entities = vocabulary, catalogue.entities
        self._background = Background(vocabulary, self.entities)

    def plan(self, question: str) -> Planned:
        """The plan that fits the question best.

        Raises RefusedQuestionError saying what was understood and what is missing.
        """
        asked = read_question(question)
        if not asked.tokens:
            raise RefusedQuestionError("the question has no words")
        if len(asked.tokens) > _LONGEST:
            raise RefusedQuestionError(f"the question has {len(asked.tokens)} words; ask it in {_LONGEST} or fewer")
        background = self._background
        mentions = background.names.find(asked, background.known, background.lexicon.verbs)
        stranger = Scene(asked, mentions, background).stranger()
        if stranger is not None:
            raise RefusedQuestionError(f"{stranger!r} is not in the catalogue{self._meant(asked)}")
        planned = self._from_entities(asked, mentions)
        if not planned or all(mention.confidence < DOUBTFUL for mention in mentions):
            general = general_plan(Scene(asked, (), background))
            if general is not None:
                planned.insert(0, self._planned(general.plan, 1.0, general.evidence))
        if not planned:
            raise RefusedQuestionError(self._refusal(asked, mentions))
        reason = beyond(Scene(asked, mentions, background), planned[0].plan.to_json())
        if reason is not None:
            raise RefusedQuestionError(f"the question goes beyond what can be answered: {reason}")
        return replace(planned[0], alternatives=tuple(planned[1:]))

    def _from_entities(self, question: Question, mentions: list[Mention]) -> list[Planned]:
        found = [
            candidate
            for choice in choices(mentions)
            for candidate in read_scene(Scene(question, choice, self._background))
        ]
        found.sort(key=lambda one: -one.score)
        found = _with_ties(found)
        cues = Cues(question, frozenset())
        counted = bool(cues.count and not cues.most)
        planned: dict[str, Planned] = {}
        for candidate in found:
            if candidate.score < found[0].score - _NEAR or len(planned) == _ALTERNATIVES:
                break
            plans = [plan_of(branch, self._background.steps) for branch in (candidate.branch, *candidate.ties)]
            data = plans[0] if len(plans) == 1 else {"any": plans}
            one = self._planned({"count": data} if counted else data, candidate.share, candidate.evidence)
            planned.setdefault(str(one.plan), one)
        return list(planned.values())

    def _planned(self, data: dict[str, Any], share: float, evidence: Sequence[str]) -> Planned:
        plan = parse_plan(data, self.vocabulary, self.entities)
        return Planned(plan, round(share, 3), reading_of(data, self.vocabulary, self.entities), tuple(evidence))

    def _meant(self, question: Question) -> str:
        close = self._background.names.suggestions(question, self._background.known)
        return f"; did you mean {' or '.join(close)}?" if close else ""

    def _refusal(self, question: Question, mentions: Sequence[Mention]) -> str:
        steps = self._background.steps
        if not mentions:
            return f"no entity of the catalogue is named in the question{self._meant(question)}"
        named = ", ".join(dict.fromkeys(self.entities[mention.ids[0]].name for mention in mentions))
        usable = [one for one in steps.relations if steps.usable(steps.code(one.name, backwards=False))]
        relations = ", ".join(relation.label for relation in usable)
        return (
            f"the question names {named}, but nothing in it says which relation is meant; "
            f"it can ask for: {relations or 'nothing, for the ontology relates no type of the catalogue'}"
        )
