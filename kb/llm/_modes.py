"""How an endpoint wants to be asked: found out by asking, and remembered."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kb.llm._replies import whole_characters
from kb.llm.chat import Prompt
from kb.llm.settings import Settings

__all__ = ["FORMATS", "Dialect"]

FORMATS = ("json_schema", "json_object", "text")
_STRICT_KEYS = frozenset({"oneOf", "allOf", "not", "if", "then", "else", "patternProperties", "dependentRequired"})


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known. `format` is None until a request with a schema was answered."""

    format: str | None = None
    strict: bool = True
    limit: str = "max_tokens"
    temperature: bool = True


class Dialect:
    """Builds requests that one endpoint takes for one model, and learns from those that it refuses. Thread-safe.

    `path` is a JSON file for all endpoints, `{"ADDRESS MODEL": {…}}`. A file that is damaged, of another form or not
    writable costs another probe, no more.
    """

    def __init__(self, settings: Settings, address: str, path: Path | None) -> None:
        self._settings, self._path = settings, path
        self._key = f"{address} {settings.model}"
        self._lock = threading.Lock()
        self._known = _load(path, self._key)
        self._probed = self._known != _Known()
        wanted = settings.response_format
        self._lowest = FORMATS.index(wanted) if wanted in FORMATS else 0
        remembered = self._known.format
        self._format = max(self._lowest, FORMATS.index(remembered) if remembered else 0)

    def is_known(self, prompt: Prompt) -> bool:
        """Whether a request for this prompt is of a form that was answered before."""
        return self._known.format is not None if prompt.schema is not None else self._probed

    def format(self, sent: Mapping[str, Any]) -> str:
        """The response format that a request asks for."""
        return str((sent.get("response_format") or {}).get("type", "text"))

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """The request for a prompt."""
        with self._lock:
            known, mode = self._known, FORMATS[self._format]
        turns = [{"role": one.role, "content": whole_characters(one.content)} for one in prompt.messages]
        body: dict[str, Any] = {"model": self._settings.model, "messages": turns}
        body[known.limit] = prompt.max_tokens or self._settings.max_tokens
        if known.temperature and self._settings.temperature is not None:
            body["temperature"] = self._settings.temperature
        if prompt.schema is not None and mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif prompt.schema is not None and mode == "json_schema":
            shape = {"name": _name(prompt.schema), "schema": prompt.schema}
            strict = known.strict and _is_strict(prompt.schema)
            body["response_format"] = {"type": "json_schema", "json_schema": {**shape, "strict": strict}}
        return body

    def adapt(self, parameter: str, sent: Mapping[str, Any], text: str) -> bool:
        """Does without a parameter that was refused. False where there is no other way to ask."""
        with self._lock:
            known = self._known
            if parameter == "temperature":
                self._known = replace(known, temperature=False)
                return True
            if parameter == "max_tokens":
                self._known = replace(known, limit="max_completion_tokens")
                return True
            if parameter != "response_format":
                return False
            asked = FORMATS.index(self.format(sent))
            shape = (sent["response_format"] or {}).get("json_schema") or {}
            if shape.get("strict") and re.search(r"invalid schema|strict", text, re.I):
                self._known = replace(known, strict=False)
            else:
                # Another thread may have gone further down meanwhile.
                self._format = max(self._format, min(asked + 1, len(FORMATS) - 1))
                if known.format is not None:
                    self._known = replace(known, format=FORMATS[self._format])
            return True

    def answered(self, sent: Mapping[str, Any], *, with_schema: bool) -> None:
        """A request was answered: its form is remembered."""
        with self._lock:
            before = self._known if self._probed else None
            if with_schema:
                self._known = replace(self._known, format=self.format(sent))
            self._probed = True
            if self._known != before:
                self._save()

    def _save(self) -> None:
        if self._path is None:
            return
        whole = _read(self._path)
        entry = asdict(self._known)
        if self._lowest:
            # A format that kb.toml demands says nothing of better ones.
            entry["format"] = _load(self._path, self._key).format
        whole[self._key] = entry
        part = self._path.with_name(f"{self._path.name}.{threading.get_ident()}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(whole, indent=2, sort_keys=True) + "\n", encoding="utf-8")
            part.replace(self._path)
        except OSError:
            _remove(part)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return


def _read(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _load(path: Path | None, key: str) -> _Known:
    entry = _read(path).get(key)
    if not isinstance(entry, dict):
        return _Known()
    known = _Known()
    if entry.get("format") in FORMATS:
        known = replace(known, format=entry["format"])
    if entry.get("limit") in ("max_tokens", "max_completion_tokens"):
        known = replace(known, limit=entry["limit"])
    return replace(known, strict=entry.get("strict") is not False, temperature=entry.get("temperature") is not False)


def _name(schema: Mapping[str, Any]) -> str:
    title = schema.get("title")
    return re.sub(r"[^A-Za-z0-9_-]+", "_", title)[:64] if isinstance(title, str) and title else "reply"


def _is_strict(schema: Any) -> bool:
    """Whether strict mode takes a schema: closed objects that demand all of their properties."""
    if isinstance(schema, list | tuple):
        return all(_is_strict(one) for one in schema)
    if not isinstance(schema, Mapping):
        return True
    if _STRICT_KEYS & schema.keys():
        return False
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    inner = ("items", "anyOf", "prefixItems")
    named = [one for key in ("properties", "$defs", "definitions") for one in (schema.get(key) or {}).values()]
    return all(_is_strict(one) for one in [*(schema[key] for key in inner if key in schema), *named])
