"""The real weights, from where they were fetched to; without them tests are skipped, or fail where they were asked for.

The ordinary tests point KB_MODELS at an empty folder. Here the folder of whoever runs them is read, and only read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.embed.minilm import MiniLmProvider
from kb.embed.models import installed, models_folder

FOLDER = models_folder()
"""Before any fixture changes where models are."""


@pytest.fixture
def real_models(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the real models, in force for this test."""
    monkeypatch.setenv("KB_MODELS", str(FOLDER))
    if installed("minilm") is None:
        why = f"the model minilm is not in {FOLDER}: make test-models fetches it"
        if os.environ.get("KB_TEST_MODELS") == "required":
            pytest.fail(why)
        pytest.skip(why)
    return FOLDER


@pytest.fixture
def provider(real_models: Path) -> MiniLmProvider:
    """The provider with the real weights, verified."""
    found = MiniLmProvider()
    found.check()
    return found
