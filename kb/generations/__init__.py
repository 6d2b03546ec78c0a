"""Generations: every build is a folder of its own, published in one step, kept while somebody reads it."""

from __future__ import annotations

from kb.generations.draft import STEPS, Draft
from kb.generations.folder import CURRENT_NAME, Generations
from kb.generations.generation import FORMAT, Generation
from kb.generations.pins import Pin

__all__ = ["CURRENT_NAME", "FORMAT", "STEPS", "Draft", "Generation", "Generations", "Pin"]
