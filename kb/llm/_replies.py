"""From the body of an answer to a reply, or to words for why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from kb.llm._errors import error_text, html_title, scrubbed
from kb.llm.chat import Reply

__all__ = ["UnusableError", "parsed", "same_model", "whole_characters"]

_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning|thought)>\s*", re.I)
_THOUGHT_OPEN = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.I)
_PATH = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
_VERSION = re.compile(r"([-:@](latest|preview|v\d[\d.]*|\d{3,}|\d{4}-\d{2}-\d{2}))+", re.I)
MOST_TOKENS = 100_000_000
RAISE = "raise [llm] max_tokens"


class UnusableError(Exception):
    """An answer that holds no reply.

    `again`: another attempt may bring one. `harmless`: it is about this prompt, and says nothing of the endpoint's
    health. `status` is that of an error which came in the place of a reply, 0 without one. `paid` are the tokens of
    prompt and reply, and whether they are estimated; None where none can be told.
    """

    def __init__(self, text: str, *, again: bool = True, harmless: bool = False, status: int = 0) -> None:
        self.again, self.harmless, self.status = again, harmless, status
        self.paid: tuple[int, int, bool] | None = None
        super().__init__(text)


def parsed(data: bytes, prompt_text: str, asked: str, count: Callable[[str], int], secrets: tuple[str, ...]) -> Reply:
    """The reply that a body of status 200 holds. Raises UnusableError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as err:
        raise UnusableError(f"the body is not UTF-8 (byte {err.start})") from None
    title = html_title(text)
    if title is not None:
        raise UnusableError(
            f"it sent an HTML page, {title!r}, in place of a reply: is there a proxy, or is base_url wrong?"
        )
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise UnusableError("the body is empty" if not text.strip() else "the body is not JSON") from None
    if not isinstance(body, dict):
        raise UnusableError("the body has no choices")
    choices = body.get("choices")
    if not choices and body.get("error"):
        complaint, code, _ = error_text(data)
        status = int(code) if code.isdigit() else 0
        raise UnusableError(f"it sent an error in place of a reply: {scrubbed(complaint, secrets)}", status=status)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise UnusableError("the body has no choices")
    content = _said(message.get("content"))
    finish = choice.get("finish_reason")
    prompt_tokens, completion_tokens, estimated = _used(body.get("usage"), prompt_text, content, message, count)
    try:
        said, finish = _content(content, message, finish)
    except UnusableError as err:
        err.paid = (prompt_tokens, completion_tokens, estimated)
        raise
    name = body.get("model")
    model = whole_characters(name) if isinstance(name, str) and name else asked
    # Local servers name a model by its file; where that lies is nobody's business, and would get into recordings.
    if _PATH.match(model):
        model = re.split(r"[/\\]", model)[-1] or asked
    return Reply(said, prompt_tokens, completion_tokens, finish, model, estimated)


def _content(content: str, message: dict[str, Any], finish: Any) -> tuple[str, str]:
    """What was said, thoughts taken off, and how it ended."""
    text = _without_thoughts(content)
    cut = finish == "length"
    if text.strip():
        if finish == "content_filter":
            raise UnusableError("the endpoint's content filter cut the reply", again=False, harmless=True)
        return text, "length" if cut else "stop"
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        said = " ".join(refusal.split())[:200]
        raise UnusableError(f"the model refused: {said!r}", again=False, harmless=True)
    if finish == "content_filter":
        raise UnusableError("the endpoint's content filter withheld the reply", again=False, harmless=True)
    thoughts = content.strip() or _said(message.get("reasoning_content")) or _said(message.get("reasoning"))
    if thoughts and cut:
        raise UnusableError(f"the model only reasoned until the limit of tokens was reached; {RAISE}", again=False)
    if thoughts:
        raise UnusableError(f"the model only reasoned and gave no reply; {RAISE}, or take a model that reasons less")
    if cut:
        raise UnusableError(
            f"the reply is empty: the limit of tokens was reached before it began; {RAISE}", again=False
        )
    if message.get("tool_calls"):
        raise UnusableError("the model called a tool in place of replying")
    raise UnusableError("the reply is empty")


def _said(value: Any) -> str:
    """Content as text: endpoints give a string, nothing, or a list of parts."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return "".join(_said(part.get("text")) for part in value if isinstance(part, dict))
    return ""


def _without_thoughts(text: str) -> str:
    at = 0
    while (opening := _THOUGHT_OPEN.match(text, at)) is not None:
        closing = re.compile(rf"</{opening[1]}>", re.I).search(text, opening.end())
        if closing is None:
            return ""
        at = closing.end()
    text = text[at:].lstrip() if at else text
    # Some templates open the thought in the prompt, so that only its end is in the reply. JSON may quote such a tag.
    end = None if text.lstrip().startswith(("{", "[", "```")) else _THOUGHT_END.search(text)
    return text[end.end() :] if end else text


def _used(
    usage: Any, prompt_text: str, content: str, message: dict[str, Any], count: Callable[[str], int]
) -> tuple[int, int, bool]:
    given = usage if isinstance(usage, dict) else {}
    prompt, completion = _number(given.get("prompt_tokens")), _number(given.get("completion_tokens"))
    if prompt and completion is not None and (completion or not content.strip()):
        return prompt, completion, False
    thoughts = _said(message.get("reasoning_content")) or _said(message.get("reasoning"))
    return prompt or count(prompt_text), completion or count(content + thoughts), True


def _number(value: Any) -> int | None:
    right = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return int(value) if right and value == int(value) else None


def same_model(asked: str, answered: str) -> bool:
    """Whether two names differ in no more than a folder before, and a date, a version or a file's ending after them."""
    short, long = sorted((_bare(asked), _bare(answered)), key=len)
    return short == long or (long.startswith(short) and bool(_VERSION.fullmatch(long[len(short) :])))


def _bare(name: str) -> str:
    return re.split(r"[/\\]", name.casefold())[-1].removesuffix(".gguf")


def whole_characters(text: str) -> str:
    """Text that can be written: halves of characters become the replacement character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
