"""What an embeddings endpoint answers: vectors, or an error and what to do about it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kb.embed.provider import Vectors
from kb.llm._answer import Answer, refusal
from kb.llm._errors import error_text, html_title, scrubbed

__all__ = ["Fault", "UnusableError", "Vectorised", "fault", "parsed"]

_AGAIN = frozenset({408, 409, 425, 429})
_TOO_LONG = re.compile(
    r"context[ _-]?(length|size|window)|maximum (input|context|sequence)|too (many|large|long)|exceed|batch size"
    r"|max(imum)?[ _-]?(allowed )?tokens",
    re.I,
)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,80}?(not found|does not exist|not a valid|not exist|unknown|not supported)", re.I | re.S
)
_DIMENSIONS = re.compile(r"dimension", re.I)


@dataclass(frozen=True, slots=True)
class Fault:
    """What to do about an error, and what happened, in words that are safe to show.

    `again`: the same may work later. `long`: fewer or shorter texts may work. `fatal`: nothing does.
    """

    kind: Literal["again", "long", "fatal"]
    text: str


@dataclass(frozen=True, slots=True)
class Vectorised:
    """`rows` of length 1, or of zeros where the endpoint gave zeros. `tokens` is None where it did not count."""

    rows: Vectors
    tokens: int | None


class UnusableError(Exception):
    """A reply without the vectors that were asked for. `again`: another one may have them."""

    def __init__(self, text: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(text)


def fault(answer: Answer, model: str, key_env: str, secrets: tuple[str, ...]) -> Fault:
    """What an answer other than 200 means."""
    message, code, _ = error_text(answer.data)
    message = scrubbed(message, secrets)
    status = answer.status
    said = f"status {status}" + (f": {message}" if message else "")
    if (why := refusal(status, code, said, key_env)) is not None:
        return Fault("fatal", f"{why}; set [embed] base_url right" if 300 <= status < 400 else why)
    if code == "model_not_found" or (400 <= status < 500 and _NO_MODEL.search(message)):
        return Fault("fatal", f"it has no model {model!r} ({said}); check [embed] model")
    if status in (404, 405):
        return Fault(
            "fatal",
            f"{said}; check [embed] model, and that base_url is what stands before /embeddings, often ending in /v1",
        )
    if status in (400, 413, 422, 500) and (status == 413 or _TOO_LONG.search(message)):
        return Fault("long", said)
    if status in _AGAIN or status >= 500:
        return Fault("again", said)
    if _DIMENSIONS.search(message):
        return Fault("fatal", f"{said}; remove or change [embed] dimensions")
    return Fault("fatal", said)


def parsed(data: bytes, texts: int) -> Vectorised:
    """The vectors in a reply to so many texts, in the order of the texts. Raises UnusableError."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        title = html_title(data[:20_000].decode("utf-8", "replace"))
        what = "no JSON" if title is None else f"an HTML page, {title!r}"
        raise UnusableError(f"it answers with {what}; is [embed] base_url right?", again=True) from None
    items = said.get("data") if isinstance(said, dict) else None
    if not isinstance(items, list) or not all(isinstance(one, dict) and "embedding" in one for one in items):
        raise UnusableError("its reply has no list of vectors; is [embed] base_url an embeddings endpoint?")
    if len(items) != texts:
        raise UnusableError(f"it gave {len(items)} vectors for {texts} texts")
    rows = [_row(one["embedding"]) for one in _ordered(items)]
    sizes = sorted({len(row) for row in rows})
    if len(sizes) != 1 or not sizes[0]:
        raise UnusableError(f"its vectors have {' and '.join(map(str, sizes))} numbers")
    found = np.stack(rows)
    if not np.isfinite(found).all():
        raise UnusableError("a vector has numbers that are none (NaN or infinite)")
    # Near 1 first, by powers of two, which changes no digit: squares of very large and very small numbers are none.
    found = np.ldexp(found, -np.frexp(np.abs(found).max(axis=1, keepdims=True))[1])
    lengths = np.sqrt(np.square(found).sum(axis=1, keepdims=True))
    found /= np.where(lengths > 0, lengths, 1)
    return Vectorised(found.astype(np.float32), _tokens(said.get("usage")))


def _ordered(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places = [one.get("index") for one in items]
    if all(place is None for place in places):
        return items
    at = {place: one for place, one in zip(places, items, strict=True) if type(place) is int}
    try:
        return [at[place] for place in range(len(items))]
    except KeyError as err:
        raise UnusableError(f"its reply has no vector with index {err}") from None


def _row(given: Any) -> Any:
    """Numbers as float64, from a list or from float32 bytes in base64."""
    try:
        if isinstance(given, str):
            return np.frombuffer(base64.b64decode(given, validate=True), dtype="<f4").astype(np.float64)
        row = np.array(given, dtype=np.float64)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        raise UnusableError("a vector is no list of numbers") from None
    if row.ndim != 1:
        raise UnusableError("a vector is no list of numbers")
    return row


def _tokens(usage: Any) -> int | None:
    if not isinstance(usage, dict):
        return None
    for key in ("total_tokens", "prompt_tokens"):
        number = usage.get(key)
        if type(number) is int and 0 <= number < 2**40:
            return number
    return None
