"""Which provider embeds: the one that kb.toml names, or the one that made an index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb.config import Config
from kb.embed.identities import HASHING, MINILM, hosted_identity
from kb.embed.models import installed, verify
from kb.embed.settings import HOSTED, EmbedSettings, embed_settings, hosted_settings

if TYPE_CHECKING:
    # NumPy comes with it: only who embeds pays for that.
    from kb.embed.provider import Provider

__all__ = ["check_ready", "default_note", "identity_of", "open_provider", "provider_of"]

DEFAULT_MODEL = "minilm"


def open_provider(config: Config | None) -> Provider:
    """The provider that kb.toml or KB_EMBED_PROVIDER names; else minilm where its weights are, else hashing.

    Nothing is loaded or asked before something is embedded; `check_ready` tells before. Raises ConfigError for
    settings that are wrong, EmbeddingError where minilm is named and its weights are missing.
    """
    settings = embed_settings(config)
    found = _provider(settings)
    if settings.provider == DEFAULT_MODEL:
        check_ready(found)
    return found


def identity_of(config: Config | None) -> str:
    """The identity of what `open_provider` gives, without loading it. Raises the same errors."""
    settings = embed_settings(config)
    if settings.provider in HOSTED:
        return hosted_identity(settings)
    if settings.provider == DEFAULT_MODEL:
        verify(DEFAULT_MODEL)
    return MINILM if _is_minilm(settings) else HASHING


def default_note(config: Config | None) -> str | None:
    """What the user is to know where nothing names a provider and the default's weights are missing; else None."""
    if embed_settings(config).provider is not None or installed(DEFAULT_MODEL) is not None:
        return None
    return (
        "Search goes by words and their parts, since no embedding model is installed: `kb models fetch` gets one, "
        'provider = "hashing" below [embed] in kb.toml makes do without'
    )


def check_ready(provider: Provider) -> None:
    """Raises EmbeddingError where a provider can embed nothing: its weights or its key are missing."""
    check = getattr(provider, "check", None)
    if check is not None:
        check()


def provider_of(identity: str, config: Config | None = None) -> Provider | None:
    """The provider whose vectors are comparable with those of an identity; None where this version has none.

    The provider of kb.toml goes first, if it is that one or one of its family. Without its weights or its key, a
    provider raises EmbeddingError when it embeds.
    """
    settings = EmbedSettings() if config is None else embed_settings(config)
    if config is not None:
        chosen = _provider(settings)
        if chosen.identity == identity or _comparable(chosen, identity):
            return chosen
    kind, _, rest = identity.partition(":")
    if kind in HOSTED and rest:
        return _hosted_of(kind, rest, settings)
    name = {HASHING: "hashing", MINILM: "minilm"}.get(identity)
    return None if name is None else _provider(EmbedSettings(provider=name))


def _provider(settings: EmbedSettings) -> Provider:
    if settings.provider in HOSTED:
        from kb.embed.hosted import HostedProvider

        return HostedProvider(settings)
    if _is_minilm(settings):
        from kb.embed.minilm import MiniLmProvider

        return MiniLmProvider(threads=settings.workers)
    from kb.embed.hashing import HashingProvider

    return HashingProvider()


def _is_minilm(settings: EmbedSettings) -> bool:
    return settings.provider == "minilm" or (settings.provider is None and installed(DEFAULT_MODEL) is not None)


def _hosted_of(kind: str, rest: str, settings: EmbedSettings) -> Provider | None:
    from kb.embed.hosted import HostedProvider

    model, _, digits = rest.rpartition("/")
    dimensions = int(digits) if model and digits.isascii() and digits.isdigit() else None
    model = rest if dimensions is None else model
    # Another model of the same provider is asked at the address, and with the key, that kb.toml names.
    base = settings if settings.provider == kind else hosted_settings(kind)
    found = HostedProvider(replace(base, model=model, dimensions=dimensions))
    return found if found.identity == f"{kind}:{rest}" else None


def _comparable(provider: Provider, identity: str) -> bool:
    kind, _, rest = identity.partition(":")
    if provider.family is None or kind not in HOSTED:
        return False
    other = _hosted_of(kind, rest, EmbedSettings())
    # Shortened vectors are comparable with such of the same length only.
    return other is not None and (other.family, other.dimension) == (provider.family, provider.dimension)
