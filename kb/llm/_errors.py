"""What an endpoint's error means: whether to send again, to send otherwise, or to stop."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from kb.llm._answer import UNPAID, Answer, refusal

__all__ = ["Fault", "error_text", "fault", "html_title", "scrubbed"]

SHOWN = 300
_AGAIN = frozenset({408, 409, 425, 429})
_PARAMETERS = ("max_tokens", "max_completion_tokens", "temperature", "response_format")
_FORMAT_WORDS = re.compile(r"response_format|json_schema|json schema|json_object|grammar|structured output", re.I)
_TOO_LONG = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|exceed\w* (the )?(available )?context|input is too long|string too long",
    re.I,
)
_TOO_MANY_ASKED = re.compile(r"(max_tokens|max_completion_tokens)\W+(is|are) too (large|high|big)", re.I)
_NO_MODEL = re.compile(r"\bmodel\b.{0,80}?(not found|does not exist|not a valid model|not exist|unknown)", re.I | re.S)
_REFUSED = re.compile(
    r"unsupported|not supported|(does|do|did) not support|doesn't support|unknown|unrecogni[sz]ed|unexpected"
    r"|not permitted|not allowed|invalid|must be|should be|must contain|not implemented|unavailable|fail(s|ed)?\b",
    re.I,
)
_FILTERED = re.compile(r"content[_ ](filter|policy)|content management policy|responsible.?ai", re.I)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|hf|xai|nvapi)[-_][\w*.-]{6,}|\S*\*{3,}\S*|Bearer\s+\S+", re.I)


@dataclass(frozen=True, slots=True)
class Fault:
    """What to do about an error, and what happened, in words that are safe to show.

    `again`: the same may work later. `otherwise`: it may work without `parameter`. `prompt`: this prompt never does,
    others may; `harmless` where that says nothing of the endpoint's health. `model`: the address or the model is not
    there. `fatal`: no prompt does.
    """

    kind: Literal["again", "otherwise", "prompt", "model", "fatal"]
    text: str
    parameter: str = ""
    harmless: bool = False


def fault(answer: Answer, sent: dict[str, Any], key_env: str, secrets: tuple[str, ...]) -> Fault:
    """What an answer other than 200 means for the request that was sent."""
    message, code, named = error_text(answer.data)
    message = scrubbed(message, secrets)
    status = answer.status
    said = f"status {status}" + (f": {message}" if message else "")
    if (why := refusal(status, code, said, key_env)) is not None:
        return Fault("fatal", why)
    if status in (404, 405) or code == "model_not_found" or (400 <= status < 500 and _NO_MODEL.search(message)):
        return Fault("model", said)
    refused = _refused(status, message, named, sent)
    if refused:
        return Fault("otherwise", said, refused)
    if status in _AGAIN or status >= 500:
        return Fault("again", said)
    step = _next_step(status, message, code)
    return Fault("prompt", said + step, harmless=bool(step))


def _refused(status: int, message: str, named: str, sent: dict[str, Any]) -> str:
    """The parameter of the request that the endpoint does not take; empty where that is not what it says."""
    if status not in (400, 415, 422, 500, 501) or _too_long(message, "") or _TOO_MANY_ASKED.search(message):
        return ""
    shaped = "response_format" in sent
    if status >= 500:
        return "response_format" if shaped and _FORMAT_WORDS.search(message) else ""
    top = named.split(".")[0].split("[")[0]
    if top in _PARAMETERS:
        return top if top in sent else ""
    if not _REFUSED.search(message):
        return ""
    if shaped and _FORMAT_WORDS.search(message):
        return "response_format"
    found = [(at, name) for name in _PARAMETERS if name in sent and (at := _place(name, message)) >= 0]
    return min(found)[1] if found else ""


def _place(name: str, message: str) -> int:
    found = re.search(rf"(?<!\w){name}(?!\w)", message)
    return found.start() if found else -1


def _too_long(message: str, code: str) -> bool:
    return code == "context_length_exceeded" or bool(_TOO_LONG.search(message))


def _next_step(status: int, message: str, code: str) -> str:
    if _TOO_MANY_ASKED.search(message):
        return "; lower [llm] max_tokens"
    if status == 413 or _too_long(message, code):
        return "; lower [llm] page_tokens or max_tokens, or serve the model with a larger context"
    if _FILTERED.search(f"{message} {code}"):
        return "; its content filter refuses this text"
    return ""


def error_text(data: bytes) -> tuple[str, str, str]:
    """(message, code, parameter) of an error's body, in whatever form endpoints give it; empty where absent."""
    text = data.decode("utf-8", "replace").strip()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        title = html_title(text)
        return (_short(text) if title is None else f"an HTML page, {title!r}", "", "")
    error = said.get("error", said) if isinstance(said, dict) else said
    if not isinstance(error, dict):
        return _short(str(error)), "", ""
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    if isinstance(message, list):
        # FastAPI repeats what was sent under `input`: a page's words are no complaint of the endpoint's.
        message = "; ".join(_detail(one) for one in message)
    code = str(error.get("code") or error.get("type") or "")
    if error.get("type") in UNPAID:
        code = error["type"]
    return _short(str(message)), code, str(error.get("param") or "")


def _detail(one: Any) -> str:
    if not isinstance(one, dict):
        return str(one)
    place = one.get("loc")
    where = ".".join(str(part) for part in place if part != "body") if isinstance(place, list) else ""
    return f"{where}: {one.get('msg', '')}" if where else str(one.get("msg", ""))


def html_title(text: str) -> str | None:
    """The title of an HTML page; empty where it has none, None where the text is no HTML page."""
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    if not start.startswith(("<!doctype html", "<html", "<head", "<body")):
        return None
    found = _TITLE.search(text[:20_000])
    return _short(" ".join(found[1].split())) if found else ""


def _short(text: str) -> str:
    flat = " ".join("".join(mark if mark.isprintable() else " " for mark in text[: 4 * SHOWN]).split())
    return flat if len(flat) <= SHOWN else flat[: SHOWN - 1] + "…"


def scrubbed(text: str, secrets: tuple[str, ...]) -> str:
    """Without keys: endpoints repeat them in their errors, whole or with asterisks."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return _KEY_LIKE.sub("[key]", text)
