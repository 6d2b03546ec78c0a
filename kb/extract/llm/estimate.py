"""What reading with a model will take, before anybody is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kb.llm import Prompt
from kb.llm.chat import request_digest
from kb.llm.journal import Journal
from kb.llm.settings import Settings
from kb.llm.tokens import count, count_prompt
from kb.model import Page, Statement

__all__ = ["Estimate", "estimate"]

_EMPTY_REPLY = 8
# How many statements a model makes for one that the phrase reader finds; it also finds what is said in other words.
_MORE = 1.15
_ENOUGH_REPLIES = 5


@dataclass
class Estimate:
    """`requests` include those that the journal answers, `from_journal`; tokens and cost do not.

    `cost` is None without prices. `seconds` is the least time that the limit of requests per minute leaves.
    """

    pages: int = 0
    requests: int = 0
    from_journal: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


def estimate(
    asked: Iterable[tuple[Page, Sequence[Prompt]]],
    journal: Journal | None,
    settings: Settings,
    expected: Callable[[Page], Iterable[Statement]],
) -> Estimate:
    """Adds up prompts and what replies will be.

    `expected` gives the statements that a page is thought to make; a reply is as long as they are in JSON. Both sums
    are scaled by what the endpoint counted for the replies in the journal, once there are some.
    """
    found = Estimate()
    for page, prompts in asked:
        found.pages += 1
        found.requests += len(prompts)
        unpaid = [one for one in prompts if journal is None or request_digest(one, settings.model) not in journal]
        found.from_journal += len(prompts) - len(unpaid)
        if unpaid:
            found.prompt_tokens += sum(map(count_prompt, unpaid))
            statements = sum(map(_reply_tokens, expected(page))) * _MORE * len(unpaid) / len(prompts)
            found.completion_tokens += round(statements) + _EMPTY_REPLY * len(unpaid)
    calibration = None if journal is None else journal.calibration(settings.model, "read")
    if calibration is not None and calibration.replies >= _ENOUGH_REPLIES:
        found.prompt_tokens = round(found.prompt_tokens * calibration.prompt)
        found.completion_tokens = round(found.completion_tokens * calibration.completion)
    found.cost = settings.cost(found.prompt_tokens, found.completion_tokens)
    if settings.requests_per_minute is not None:
        found.seconds = (found.requests - found.from_journal) * 60 / settings.requests_per_minute
    return found


def _reply_tokens(said: Statement) -> int:
    quote = "" if said.evidence is None else said.evidence.quote
    item = {"subject": said.subject, "relation": said.relation, "object": said.object, "quote": quote}
    return count(json.dumps(item, ensure_ascii=False)) + 1
