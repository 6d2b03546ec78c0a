"""What a reader made of the pages, what that took, and several readers side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_help import FILES, write_wiki
from evaluate_help import LLM, edge, gold_folder, published_as, question, stated_base
from pipeline_help import run_build, small_base, write_page, write_statements

import kb
from kb.evaluate import Comparison, Evaluation, Meter, compare, evaluate
from kb.evaluate.readers import generations_to_compare, reader_label, reader_of
from kb.generations import Generations
from kb.llm import Message, Prompt, Reply
from kb.llm.settings import Prices, Settings

TRIPLES = [edge("shop", "depends_on", "cart"), edge("cart", "depends_on", "stock-db")]
QUESTIONS = [question("who owns Shop?", ["sales"]), question("what does Cart depend on?", ["stock", "supply"])]


def compared(base: Path, gold: Path, **options: Any) -> Comparison:
    generations = generations_to_compare(Generations(base / "kg"))
    bases = [kb.open(base, generation=one.name) for one in generations]
    try:
        return compare(bases, gold, **options)
    finally:
        for one in bases:
            one.close()


def judged(base: Path, gold: Path, **options: Any) -> Evaluation:
    with kb.open(base) as opened:
        return evaluate(opened, gold, **options)


# -- one reader --------------------------------------------------------------


def test_statements_count_by_their_fate(tmp_path: Path) -> None:
    result = judged(stated_base(tmp_path / "base"), gold_folder(tmp_path / "gold", triples=TRIPLES))
    assert result.statements == {
        "read": 7,
        "accepted": 5,
        "rejected": 2,
        "rejected_by": {"shape": 1, "unknown_entity": 1},
        "dropped": 0,
        "turned_round": 0,
    }


def test_coverage_is_the_share_of_gold_entities_with_a_fact(tmp_path: Path) -> None:
    gold = gold_folder(tmp_path / "gold", triples=TRIPLES, questions=QUESTIONS)
    result = judged(stated_base(tmp_path / "base"), gold)
    # Facts join shop, cart, stock, sales and ana. The gold facts name shop, cart and stock-db; the answers, sales,
    # stock and supply.
    assert result.coverage == {
        "answers": {"covered": 2, "of": 3, "share": 0.6667},
        "triples": {"covered": 2, "of": 3, "share": 0.6667},
    }


def test_gold_without_questions_or_answers_has_no_coverage_of_them(tmp_path: Path) -> None:
    base = stated_base(tmp_path / "base")
    assert set(judged(base, gold_folder(tmp_path / "1", triples=TRIPLES)).coverage) == {"triples"}
    assert judged(base, gold_folder(tmp_path / "2", questions=[question("who owns Cart?", [])])).coverage == {}


def test_reading_without_a_model_took_nothing_of_one(tmp_path: Path) -> None:
    result = judged(stated_base(tmp_path / "base"), gold_folder(tmp_path / "gold", triples=TRIPLES))
    assert result.usage == {"reading": None, "asking": None}


def test_reading_with_a_model_took_what_all_pages_as_they_are_took(tmp_path: Path) -> None:
    base = stated_base(tmp_path / "base")
    published_as(base, "llm/1:tiny:abc", LLM)
    result = judged(base, gold_folder(tmp_path / "gold", triples=TRIPLES))
    assert result.reader == "llm/1:tiny:abc"
    assert result.usage["reading"] == {
        "model": "tiny",
        "requests": 2,
        "prompt_tokens": 1500,
        "completion_tokens": 90,
        "estimated": False,
        "cost": 0.00168,
    }


class _Chat:
    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.forgotten = 0

    def ask(self, prompt: Prompt) -> Reply:
        assert prompt.messages
        return self.replies.pop(0)

    def forget(self, prompt: Prompt) -> None:
        assert prompt.messages
        self.forgotten += 1


def test_asking_is_metered_and_costs_what_it_takes_also_from_a_journal() -> None:
    chat = _Chat(Reply("{}", 100, 10), Reply("{}", 200, 20, paid=False), Reply("{}", 1, 1, estimated=True))
    meter = Meter(chat, Settings("tiny", prices=Prices(input=1.0, output=10.0)))
    prompt = Prompt((Message("user", "?"),))
    assert meter.take() is None
    meter.ask(prompt)
    meter.ask(prompt)
    meter.forget(prompt)
    assert chat.forgotten == 1
    # 300 tokens at 1 and 30 at 10 for a million.
    assert meter.take() == {
        "model": "tiny",
        "requests": 2,
        "prompt_tokens": 300,
        "completion_tokens": 30,
        "from_journal": 1,
        "estimated": False,
        "cost": 0.0006,
    }
    meter.ask(prompt)
    taken = meter.take()
    assert taken is not None
    assert (taken["requests"], taken["estimated"]) == (1, True)


# -- several -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("identity", "label"),
    [
        ("phrases/12", "phrases"),
        ("statements/1", "given"),
        ("llm/1:gpt-x:0a1b", "llm gpt-x"),
        ("llm/1:org/tiny:7b:0a1b", "llm tiny:7b"),
        ("llm/1:a-model-with-a-very-long-name:0a", "llm a-model-with-a-…"),
        ("unknown", "unknown"),
    ],
)
def test_readers_have_short_names(identity: str, label: str) -> None:
    assert reader_label(identity) == label


def test_compared_are_the_current_generation_and_the_newest_of_every_other_reader(tmp_path: Path) -> None:
    base = stated_base(tmp_path / "base")
    published_as(base, "llm/1:one:a", LLM)
    second = published_as(base, "llm/1:two:b", LLM)
    third = published_as(base, "llm/1:one:a", LLM)
    run_build(base, force=True)
    generations = Generations(base / "kg")
    found = generations_to_compare(generations)
    assert [reader_of(one).partition("/")[0] for one in found] == ["phrases", "statements", "llm", "llm"]
    assert found[2:] == [second, third]
    # After going back, the current one stands for its reader though there is a newer one.
    first = next(one for one in generations.list() if reader_of(one) == "llm/1:one:a")
    generations.rollback(first.name)
    assert generations_to_compare(generations)[0] == first
    assert third not in generations_to_compare(generations)


def test_a_damaged_generation_of_another_reader_is_passed_over(tmp_path: Path) -> None:
    base = stated_base(tmp_path / "base")
    published_as(base, "llm/1:one:a", LLM)
    (Generations(base / "kg").list()[0].path / "meta.json").write_text("{", encoding="utf-8")
    assert [reader_of(one) for one in generations_to_compare(Generations(base / "kg"))] == ["llm/1:one:a"]


def test_two_readers_of_a_wiki_are_scored_each_by_itself(tmp_path: Path) -> None:
    base = write_wiki(tmp_path / "wiki")
    run_build(base)
    rows = [("shop", "shop", "depends_on", "cart"), ("cart", "cart", "owned_by", "web")]
    run_build(base, write_statements(tmp_path / "given.jsonl", rows))
    gold = gold_folder(
        tmp_path / "gold",
        triples=[
            edge("shop", "depends_on", "cart", page="shop"),
            edge("cart", "depends_on", "cart-db", page="cart"),
            edge("shop", "owned_by", "web", page="shop"),
            edge("cart", "owned_by", "web", page="cart"),
        ],
        questions=[question("who owns Shop?", ["web"]), question("what does Cart depend on?", ["cart-db"])],
    )
    found = compared(base, gold, methods=["graph"])
    assert [one.label for one in found.readers] == ["given", "phrases"]
    given, phrases = found.readers
    assert given.triples is not None
    assert phrases.triples is not None
    assert (given.triples["precision"], given.triples["recall"]) == (1.0, 0.5)
    # All four, and the other owner of Cart, whom the page about teams names.
    assert (phrases.triples["precision"], phrases.triples["recall"]) == (0.8, 1.0)
    assert (given.answers["graph"]["all"], phrases.answers["graph"]["all"]) == (0.0, 1.0)
    assert found.notes == []
    data = found.to_json()
    assert data["triples"] == given.triples
    assert [one["generation"] for one in data["readers"]] == [given.generation, phrases.generation]


def test_readers_that_look_alike_are_told_apart_by_their_build(tmp_path: Path) -> None:
    base = stated_base(tmp_path / "base")
    published_as(base, "llm/1:tiny:abc", LLM)
    published_as(base, "llm/1:tiny:def", LLM)
    found = compared(base, gold_folder(tmp_path / "gold", triples=TRIPLES))
    assert [one.label for one in found.readers] == ["llm tiny #3", "given", "llm tiny #2"]


def test_other_pages_or_another_catalogue_are_noted(tmp_path: Path) -> None:
    base = small_base(tmp_path / "base")
    write_page(base, "one", "# Shop\n\nShop calls Cart.\n")
    write_page(base, "two", "# Cart\n\nCart depends on Stock.\n")
    run_build(base)
    published_as(base, "llm/1:tiny:abc", LLM)
    gold = gold_folder(tmp_path / "gold", triples=TRIPLES)
    assert compared(base, gold).notes == []
    write_page(base, "two", "# Cart\n\nCart does not depend on Stock.\n")
    write_page(base, "three", "# Nothing\n")
    run_build(base, force=True)
    assert compared(base, gold).notes == [
        "phrases and llm tiny were not built from the same pages: 2 pages differ (three, two)."
    ]
    published_as(base, "llm/1:tiny:abc", LLM, catalogue="another")
    assert compared(base, gold).notes == ["llm tiny and phrases were not built with the same catalogue."]


def test_statements_that_were_given_are_compared_by_the_names_of_their_pages(tmp_path: Path) -> None:
    base = write_wiki(tmp_path / "wiki")
    run_build(base)
    run_build(base, write_statements(tmp_path / "given.jsonl", [("shop", "shop", "depends_on", "cart")]))
    gold = gold_folder(tmp_path / "gold", triples=TRIPLES)
    assert compared(base, gold).notes == []
    assert "pages/shop.md" in FILES
    (base / "pages" / "shop.md").unlink()
    run_build(base)
    assert compared(base, gold).notes == [
        "phrases and given were not built from the same pages: 1 page differs (shop)."
    ]
