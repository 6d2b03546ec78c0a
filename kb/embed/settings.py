"""`[embed]` of kb.toml, checked."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, fields
from typing import Any

from kb.config import CONFIG_NAME, Config
from kb.errors import ConfigError

__all__ = ["HOSTED", "PROVIDERS", "PROVIDER_VARIABLE", "EmbedSettings", "embed_settings", "hosted_settings"]

PROVIDERS = ("minilm", "hashing", "openai", "voyage")
HOSTED = ("openai", "voyage")
PROVIDER_VARIABLE = "KB_EMBED_PROVIDER"
"""The environment variable that goes before `provider` of kb.toml."""

_DEFAULTS: dict[str, dict[str, Any]] = {
    "openai": {"model": "text-embedding-3-small", "api_key_env": "OPENAI_API_KEY", "text_tokens": 8191},
    "voyage": {"model": "voyage-4-lite", "api_key_env": "VOYAGE_API_KEY", "text_tokens": 32_000},
}


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Which provider makes vectors, and how it is asked. Most of it is for hosted ones.

    `provider` is None where nothing names one. `base_url` is the address that ends before `/embeddings`, None for the
    provider's own. `api_key_env` names the environment variable that holds the key. `dimensions` asks for shorter
    vectors than the model's own. `timeout` is in seconds, for one request from beginning to end; `retries` come on top
    of the first attempt. `workers` are requests, or threads that compute, at once. A request has at most `batch_texts`
    texts of together `batch_tokens` tokens; of a text, `text_tokens` at most are sent. `duplicate_threshold` is the
    cosine from which two caveats may say the same, None for the provider's own. `provider`, `workers` and
    `duplicate_threshold` are for all providers.
    """

    provider: str | None = None
    model: str = ""
    base_url: str | None = None
    api_key_env: str = ""
    dimensions: int | None = None
    timeout: float = 60.0
    retries: int = 5
    workers: int = 2
    requests_per_minute: int | None = None
    batch_texts: int = 128
    batch_tokens: int = 50_000
    text_tokens: int = 0
    duplicate_threshold: float | None = None


_KEYS = tuple(one.name for one in fields(EmbedSettings))
_OF_ALL = ("provider", "workers", "duplicate_threshold")
_TEXT = ("provider", "model", "base_url", "api_key_env")
_WHOLE = {
    "dimensions": 1,
    "retries": 0,
    "workers": 1,
    "requests_per_minute": 1,
    "batch_texts": 1,
    "batch_tokens": 100,
    "text_tokens": 16,
}
_MOST_WORKERS = 64
_LONGEST = 86_400
_HOSTED_WORKERS = 4


def embed_settings(config: Config | None) -> EmbedSettings:
    """The `[embed]` section of a knowledge base, or what holds without one.

    Where KB_EMBED_PROVIDER names another provider than kb.toml does, what kb.toml says of its own does not apply.
    Raises ConfigError naming the key, or the variable, that is wrong.
    """
    given = {} if config is None else dict(config.embed)
    where = "[embed]" if config is None else f"{config.root / CONFIG_NAME}: [embed]"
    for key, value in given.items():
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(_KEYS))}"
            raise ConfigError(f"{where} has an unknown key {key!r}; {hint}")
        _check(where, key, value)
    provider = given.get("provider")
    if provider is not None:
        _check_provider(f"{where} provider =", provider)
    foreign = [key for key in given if key not in _OF_ALL]
    if foreign and provider not in HOSTED:
        what = f"provider = {provider!r}" if provider else "no provider"
        raise ConfigError(f"{where} {foreign[0]} is for the providers {' and '.join(HOSTED)}, and there is {what}")
    named = os.environ.get(PROVIDER_VARIABLE, "").strip()
    if named and named != provider:
        _check_provider(f"the environment variable {PROVIDER_VARIABLE} is", named)
        provider, given = named, {}
    if provider in HOSTED:
        return hosted_settings(provider, **{key: value for key, value in given.items() if key != "provider"})
    return EmbedSettings(**{**given, "provider": provider})


def hosted_settings(provider: str, **given: Any) -> EmbedSettings:
    """Settings of a hosted provider: what is given, and else its defaults."""
    return EmbedSettings(**{"workers": _HOSTED_WORKERS, **_DEFAULTS[provider], **given, "provider": provider})


def _check_provider(where: str, name: str) -> None:
    if name not in PROVIDERS:
        close = difflib.get_close_matches(name, PROVIDERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(PROVIDERS)}"
        raise ConfigError(f"{where} {name!r}, which is no provider; {hint}")


def _check(where: str, key: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in _TEXT and not (isinstance(value, str) and value.strip() and value.isprintable()):
        raise ConfigError(f"{where} {key} must be text, not {value!r}")
    if key == "api_key_env" and not re.fullmatch(r"[A-Za-z_]\w*", value):
        raise ConfigError(
            f"{where} api_key_env is the name of an environment variable; the key itself must not be here"
        )
    if key == "base_url" and not value.startswith(("http://", "https://")):
        raise ConfigError(f"{where} base_url must start with http:// or https://, not {value!r}")
    if key in _WHOLE and not (number and isinstance(value, int) and value >= _WHOLE[key]):
        raise ConfigError(f"{where} {key} must be a whole number of at least {_WHOLE[key]}, not {value!r}")
    if key == "workers" and value > _MOST_WORKERS:
        raise ConfigError(f"{where} workers must be at most {_MOST_WORKERS}, not {value!r}")
    if key == "duplicate_threshold" and not (number and 0 < value <= 1):
        raise ConfigError(f"{where} duplicate_threshold must be a number above 0 and up to 1, not {value!r}")
    if key == "timeout" and not (number and 0 < value <= _LONGEST):
        raise ConfigError(f"{where} timeout must be a number of seconds above 0 and up to {_LONGEST:,}, not {value!r}")
