"""all-MiniLM-L6-v2 with its real weights: what it finds near, and how fast it is here."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from kb.config import load_config
from kb.embed.cache import VectorCache
from kb.embed.minilm import MiniLmProvider
from kb.embed.models import verify
from kb.embed.opening import default_note, open_provider, provider_of
from kb.embed.provider import embedded

pytestmark = pytest.mark.models

TEXTS = [
    "Amounts of currencies without minor units are sent as whole numbers.",
    "The settings of a deployment cannot be changed after it has been rolled out.",
    "Retries are limited to three, with a pause that doubles each time.",
    "The operator returns its left side unless that is null.",
    "Backups are kept for thirty days and then removed.",
    "A job that takes longer than an hour is stopped.",
    "Names of topics are in lower case, with hyphens between words.",
    "Only the owner of a project may invite others to it.",
]
QUESTIONS = {
    "zero decimal currencies": 0,
    "make config immutable": 1,
    "how often is a failed call repeated?": 2,
    "null coalescing": 3,
    "how long can I restore old data?": 4,
    "timeout of tasks": 5,
    "naming convention for queues": 6,
    "who can add members?": 7,
}


def test_the_files_are_the_known_ones(real_models: Path) -> None:
    assert (verify("minilm", again=True) / "NOTICE").read_text().count("Apache License") == 1


def test_similarities_are_those_that_the_makers_of_the_model_publish(provider: MiniLmProvider) -> None:
    """The three sentences of the quickstart on sbert.net, with its printed similarities."""
    rows = provider.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.abs(rows @ rows.T - expected).max() < 1e-4


def test_questions_find_texts_that_say_it_in_other_words(provider: MiniLmProvider) -> None:
    texts, questions = provider.embed(TEXTS), provider.embed(list(QUESTIONS), query=True)
    best = (questions @ texts.T).argmax(axis=1).tolist()
    assert best == list(QUESTIONS.values())


def test_texts_are_cut_after_256_pieces(provider: MiniLmProvider) -> None:
    rows = provider.embed(["page " * 254, "page " * 254 + "currency", "page " * 253 + "currency", "page " * 5000])
    assert np.array_equal(rows[0], rows[1])
    assert np.abs(rows[0] - rows[3]).max() < 1e-6
    assert np.abs(rows[0] - rows[2]).max() > 1e-4


def test_the_company_of_a_text_does_not_change_its_vector(provider: MiniLmProvider) -> None:
    texts = [f"{text} {'Number ' * (n % 9)}{n}" for n, text in enumerate(TEXTS * 8)]
    together = embedded(provider, texts)
    alone = np.concatenate([provider.embed([text]) for text in texts[::5]])
    single = MiniLmProvider(threads=1).embed(texts[::-1])[::-1]
    assert np.abs(together[::5] - alone).max() < 1e-6
    assert np.abs(together - single).max() < 1e-6


def test_the_model_is_the_default_once_it_is_there(real_models: Path, tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text('[kb]\nbase = "https://wiki.example.org/"\n')
    config = load_config(tmp_path)
    found = open_provider(config)
    assert (found.identity, default_note(config)) == ("minilm:53aa51172d14:256:mean", None)
    assert isinstance(provider_of(found.identity), MiniLmProvider)


def test_kept_vectors_are_the_same_to_the_bit(provider: MiniLmProvider, tmp_path: Path) -> None:
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        first = embedded(provider, TEXTS, cache=cache)
        assert embedded(provider, TEXTS, cache=cache).tobytes() == first.tobytes()
        assert (cache.kept, cache.hits) == (len(TEXTS), len(TEXTS))


def test_how_fast_it_is_here(provider: MiniLmProvider) -> None:
    words = " ".join(TEXTS).split()
    texts = [" ".join(words[(7 * n + at) % len(words)] for at in range(30)) for n in range(150)]
    start = time.perf_counter()
    provider.embed(texts[:1])
    first = time.perf_counter() - start
    print(f"\nminilm: first text {first:.2f} s")
    for threads in (1, 2):
        used = MiniLmProvider(threads=threads)
        used.embed(texts[:1])
        start = time.perf_counter()
        used.embed(texts)
        print(f"minilm: {len(texts) / (time.perf_counter() - start):.0f} texts of 30 words a second, {threads} threads")
