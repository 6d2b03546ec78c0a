"""Text that nobody wrote as prose costs time and memory in proportion to its length, not to its square."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from kb.config import packaged
from kb.extract.phrases import PhraseReader
from kb.model import Entity, Page
from kb.sources.catalogue import Catalogue
from kb.vocabulary import load_vocabulary

CASES: dict[str, Callable[[int], str]] = {
    "one word": lambda n: "x" * n,
    "data in a link": lambda n: "![](data:image/png;base64," + "Ab9+" * (n // 4) + ")",
    "spaces": lambda n: "a" + " " * n + "b",
    "dots": lambda n: "." * n,
    "exclamation marks and brackets": lambda n: "![" * (n // 2),
    "a path": lambda n: "https://a.example/" + "c/" * (n // 2),
    "mixed case": lambda n: "aB" * (n // 2),
    "emphasis": lambda n: "a*" * (n // 2),
    "pipes": lambda n: "|" * n,
}


@pytest.fixture(scope="module")
def reader() -> PhraseReader:
    vocabulary = load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])
    entities = {one: Entity(one, "service", one.title()) for one in ("ledger", "auth", "checkout")}
    return PhraseReader(vocabulary, Catalogue(entities, (), (), ""))


@pytest.mark.parametrize("name", CASES)
def test_eight_times_the_text_costs_no_more_than_some_eight_times_as_much(reader: PhraseReader, name: str) -> None:
    def cost(length: int) -> tuple[float, int]:
        page = Page("p", f"# Ledger\n\n{CASES[name](length)}\n", "")
        tracemalloc.start()
        begun = time.process_time()
        reader.read(page)
        seconds = time.process_time() - begun
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return seconds, memory

    cost(4_000)  # what is computed once is not counted
    small, large = cost(8_000), cost(64_000)
    # A square would cost 64 times as much.
    assert large[0] < 24 * max(small[0], 0.05)
    assert large[1] < 24 * max(small[1], 1_000_000)
