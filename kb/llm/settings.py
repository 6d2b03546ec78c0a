"""`[llm]` of kb.toml, checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kb.config import CONFIG_NAME, Config
from kb.errors import ConfigError

__all__ = ["DEFAULT_PAGE_TOKENS", "Prices", "Settings", "settings"]

DEFAULT_PAGE_TOKENS = 3000
RESPONSE_FORMATS = ("auto", "json_schema", "json_object", "text")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in the currency of your bill."""

    input: float
    output: float

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The price of so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How an endpoint is used.

    `base_url` is the address that ends before `/chat/completions`; None for the `openai` package's own. `api_key_env`
    names the environment variable that holds the key. `timeout` is in seconds, for one request from beginning to end.
    `retries` come on top of the first attempt. `workers` are requests in flight at once. `max_tokens` bounds a
    reply, and `page_tokens` the part of a page that is asked about at once. `max_cost` bounds what one command spends.
    """

    model: str
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = 120.0
    retries: int = 5
    workers: int = 8
    requests_per_minute: int | None = None
    max_tokens: int = 4096
    page_tokens: int = DEFAULT_PAGE_TOKENS
    temperature: float | None = 0.0
    response_format: str = "auto"
    prices: Prices | None = None
    max_cost: float | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """The price of so many tokens; None where kb.toml gives no prices."""
        return None if self.prices is None else self.prices.cost(prompt_tokens, completion_tokens)


_TEXT = ("model", "base_url", "api_key_env", "response_format")
_WHOLE = {"retries": 0, "workers": 1, "requests_per_minute": 1, "max_tokens": 16, "page_tokens": 200}
_POSITIVE = ("timeout", "max_cost")
_LONGEST = 86_400


def settings(config: Config) -> Settings:
    """The `[llm]` section of a knowledge base. Raises ConfigError naming the key that is missing or wrong."""
    where, given = f"{config.root / CONFIG_NAME}: [llm]", dict(config.llm)
    known = [one.name for one in fields(Settings)]
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"
            raise ConfigError(f"{where} has an unknown key {key!r}; {hint}")
    for key, value in given.items():
        _check(where, key, value)
    if "model" not in given:
        raise ConfigError(f'{where} needs model = "…", the name that the endpoint knows the model by')
    if "prices" in given:
        given["prices"] = _prices(where, given["prices"])
    if given.get("max_cost") is not None and given.get("prices") is None:
        raise ConfigError(f"{where} max_cost needs prices = {{ input = …, output = … }}, per million tokens")
    return Settings(**given)


def _check(where: str, key: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in _TEXT and not (isinstance(value, str) and value.strip()):
        raise ConfigError(f"{where} {key} must be text, not {value!r}")
    if key == "api_key_env" and not re.fullmatch(r"[A-Za-z_]\w*", value):
        raise ConfigError(
            f"{where} api_key_env is the name of an environment variable; the key itself must not be here"
        )
    if key == "base_url" and not (value.startswith(("http://", "https://")) and value.isprintable()):
        raise ConfigError(f"{where} base_url must start with http:// or https://, not {value!r}")
    if key == "response_format" and value not in RESPONSE_FORMATS:
        raise ConfigError(f"{where} response_format must be one of {', '.join(RESPONSE_FORMATS)}, not {value!r}")
    if key in _WHOLE and not (number and isinstance(value, int) and value >= _WHOLE[key]):
        raise ConfigError(f"{where} {key} must be a whole number of at least {_WHOLE[key]}, not {value!r}")
    if key == "timeout" and number and value > _LONGEST:
        raise ConfigError(f"{where} timeout must be at most {_LONGEST:,} seconds, not {value!r}")
    if key in _POSITIVE and not (number and 0 < value < float("inf")):
        raise ConfigError(f"{where} {key} must be a number above 0, not {value!r}")
    if key == "temperature" and not (number and 0 <= value <= 2):
        raise ConfigError(f"{where} temperature must be between 0 and 2, not {value!r}")


def _prices(where: str, value: Any) -> Prices:
    right = isinstance(value, Mapping) and set(value) == {"input", "output"}
    if not right or not all(
        isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v < float("inf") for v in value.values()
    ):
        raise ConfigError(f"{where} prices must be {{ input = …, output = … }}, per million tokens, not {value!r}")
    return Prices(float(value["input"]), float(value["output"]))
