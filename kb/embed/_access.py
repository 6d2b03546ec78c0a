"""Where a hosted provider is, and the key that it wants."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from kb.embed.settings import EmbedSettings
from kb.errors import EmbeddingError

__all__ = ["ADDRESSES", "access", "base_url"]

ADDRESSES = {"openai": "https://api.openai.com/v1", "voyage": "https://api.voyageai.com/v1"}
_VARIABLES = {"openai": "OPENAI_BASE_URL"}


def base_url(settings: EmbedSettings) -> str:
    """The address that ends before `/embeddings`: of kb.toml, of the environment, or the provider's own."""
    kind = settings.provider or ""
    named = settings.base_url or os.environ.get(_VARIABLES.get(kind, ""), "").strip()
    return (named or ADDRESSES[kind]).rstrip("/")


def access(settings: EmbedSettings) -> tuple[str, str]:
    """(address, key); the key is empty for a server of your own that wants none. Raises EmbeddingError."""
    address, variable = base_url(settings), settings.api_key_env
    try:
        parts = urlsplit(address)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right:
        raise EmbeddingError("[embed] base_url is no address of a server; give it as http://HOST:PORT/v1")
    key = os.environ.get(variable, "").strip()
    if not key and address == ADDRESSES[settings.provider or ""]:
        raise EmbeddingError(
            f"the environment variable {variable} holds no key for {settings.provider}:{settings.model}; set it, or "
            "choose another provider ([embed] in kb.toml)"
        )
    if not (key.isascii() and (key.isprintable() or not key)):
        raise EmbeddingError(f"the environment variable {variable} holds characters that no key has")
    return address, key
