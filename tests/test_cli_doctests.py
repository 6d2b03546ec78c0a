"""The examples in the docstrings of queries, exports and commands are true."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["kb.graph.parameters", "kb.graph.prefixes", "kb.cli._output"])
def test_examples_in_docstrings(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted
    assert not results.failed
