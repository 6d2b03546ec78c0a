"""Questions beyond what a plan can say are refused, whatever their other words would fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.ask.planner import Planner
from kb.config import load_config
from kb.errors import RefusedQuestionError
from kb.sources.catalogue import load_catalogue
from kb.vocabulary import load_vocabulary

LARKSPUR = Path(__file__).parent.parent / "examples" / "larkspur"


@pytest.fixture(scope="module")
def planner() -> Planner:
    config = load_config(LARKSPUR)
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    return Planner(vocabulary, load_catalogue(config.catalogue, vocabulary, config))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Why does Checkout depend on FX Rates?", "reasons"),
        ("When did Bookkeeping stop owning Invoicing?", "times"),
        ("How does Refunds call Card Acquiring?", "ways"),
        ("How long are sessions kept in the Session Cache?", "ways"),
        ("Who owned Invoicing before Merchant Experience?", "another time"),
        ("who used to own Heron?", "another time"),
        ("What language is Checkout written in?", "'language'"),
        ("Which tier does the Ledger belong to?", "'tier'"),
        ("What version of Kotlin does Checkout run on?", "'version'"),
        ("Who is the boss of the team that runs Abacus?", "'boss'"),
        ("Which services depend only on Auth?", "'only'"),
        ("What connects Checkout to the Ledger DB?", "names '"),
    ],
)
def test_what_no_plan_can_say_is_refused_with_the_word_that_says_so(
    planner: Planner, question: str, reason: str
) -> None:
    with pytest.raises(RefusedQuestionError, match=reason):
        planner.plan(question)


@pytest.mark.parametrize(
    "question",
    [
        "When Auth is down, which services notice?",
        "What breaks when Auth is down?",
        "How many services does Edge own?",
        "Which programs does Checkout call?",
        "What is the blast radius of the Rates Cache?",
        "Who is the lead of Edge?",
        "Which services use Auth but not the Event Bus?",
        "What still reads from batchdb?",
        "Before the freeze: who owns the Ledger?",
        "What depends on the Ledger, directly or not? I want the last lot only.",
    ],
)
def test_what_only_looks_like_it_is_answered(planner: Planner, question: str) -> None:
    assert planner.plan(question).plan is not None
