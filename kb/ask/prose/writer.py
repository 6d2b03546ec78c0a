"""An answer in words: by a model where one is given and what it writes holds, by a template otherwise."""

from __future__ import annotations

from kb.ask.answer import Answer
from kb.ask.prose.checks import Checks, Written
from kb.ask.prose.facts import Facts
from kb.ask.prose.prompt import prose_prompt
from kb.ask.prose.replies import claims_of
from kb.ask.prose.template import template
from kb.ask.prose.text import Draft, Fact, Prose, composed
from kb.errors import EndpointError, ReplyError
from kb.extract.mentions import Mentions
from kb.llm import Chat, Reply
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["write_prose"]

_SHOWN = 5
"""Faults that a model is told of at once."""


def write_prose(
    question: str, answer: Answer, vocabulary: Vocabulary, catalogue: Catalogue, chat: Chat | None = None
) -> Prose:
    """The answer in sentences, each with the facts that it rests on.

    Without `chat`, and where there is no answer, a template writes it. A model's text is checked claim by claim against
    the facts, and may be mended once; a text that does not hold, or no text at all (ReplyError, EndpointError), gives
    the template's, with the reason as `note`. Raises BudgetError and ReplayError.
    """
    facts = Facts(answer, vocabulary, catalogue.entities)
    note = ""
    if chat is not None and answer.answers:
        numbered = facts.all()
        checks = Checks(question, facts, numbered, Mentions(catalogue, vocabulary))
        try:
            claims, note = _asked(question, facts, numbered, checks, chat)
        except (ReplyError, EndpointError) as err:
            claims, note = [], f"the model gave no usable reply: {str(err).rstrip('.')}"
        if not note:
            return composed([_draft(claim, numbered) for claim in claims], "model")
    return composed(template(facts), "template", note)


def _asked(question: str, facts: Facts, numbered: list[Fact], checks: Checks, chat: Chat) -> tuple[list[Written], str]:
    """The claims of the model, and what is wrong with them still, or ""."""
    prompt = prose_prompt(question, facts, numbered)
    reply = chat.ask(prompt)
    claims, faults = _read(reply, checks)
    if faults:
        chat.forget(prompt)
        objection = "That cannot be used:\n" + "\n".join(f"- {fault}" for fault in faults[:_SHOWN])
        again = prompt.and_then(reply.text, f"{objection}\nReply with the whole JSON again, corrected.")
        claims, faults = _read(chat.ask(again), checks)
        if faults:
            chat.forget(again)
    return claims, f"the model's text was not taken: {'; '.join(faults[:_SHOWN])}" if faults else ""


def _read(reply: Reply, checks: Checks) -> tuple[list[Written], list[str]]:
    claims, fault = claims_of(reply.text)
    if fault:
        cut = " (the limit of tokens cut it)" if reply.finish == "length" else ""
        return claims, [f"the reply cannot be read: {fault}{cut}"]
    return claims, checks.faults(claims)


def _draft(claim: Written, numbered: list[Fact]) -> Draft:
    """A claim with its marks before the stop that ends it."""
    text = " ".join(claim.text.split())
    stop = text[-1] if text[-1] in ".!?" else "."
    return [text.removesuffix(stop), *(numbered[number - 1] for number in claim.cites), stop]
