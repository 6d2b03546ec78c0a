"""What is recorded of vectors: who made them. Vectors of different identities are not comparable."""

from __future__ import annotations

from kb.embed.models import MODELS
from kb.embed.settings import EmbedSettings

__all__ = ["HASHING", "MINILM", "MINILM_TOKENS", "hosted_identity"]

HASHING = "hashing/2"
MINILM_TOKENS = 256
"""Word pieces of a text that all-MiniLM-L6-v2 was tuned for; begin and end count, and what is beyond is cut off."""
# Everything that makes a difference: the weights, how much of a text is read, and how its vectors become one.
MINILM = f"minilm:{MODELS['minilm'].files['model.safetensors'][1][:12]}:{MINILM_TOKENS}:mean"


def hosted_identity(settings: EmbedSettings) -> str:
    """Provider and model, and the dimensions where kb.toml asks for some."""
    shortened = "" if settings.dimensions is None else f"/{settings.dimensions}"
    return f"{settings.provider}:{settings.model}{shortened}"
