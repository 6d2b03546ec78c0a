"""A dry run's estimate beside what is then used, with endpoints that count otherwise than we do."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import FakeEndpoint

from kb.config import load_config
from kb.extract.llm.estimate import Estimate, estimate
from kb.extract.llm.reader import LlmReader
from kb.extract.phrases import PhraseReader
from kb.llm import Message, Prompt, Reply
from kb.llm.chat import request_digest
from kb.llm.endpoint import Endpoint
from kb.llm.journal import Journal, Journaled
from kb.llm.settings import Prices, Settings
from kb.model import Evidence, Page, Statement
from kb.sources.catalogue import load_catalogue
from kb.sources.pages import read_page, scan_pages
from kb.vocabulary import load_vocabulary

TESTS = Path(__file__).parent
WIKIS = {"larkspur": TESTS.parent / "examples" / "larkspur", "museum": TESTS / "domains" / "museum"}
SAID = Statement("Cart", "depends_on", "Stock", "cart", Evidence("Cart calls Stock.", 0, 17))


class NoChat:
    def ask(self, prompt: Prompt) -> Reply:
        raise AssertionError(prompt.label)

    def forget(self, prompt: Prompt) -> None:
        raise AssertionError(prompt.label)


@dataclass(frozen=True)
class Wiki:
    """Pages, their prompts, what the embedded reader expects of them, and what a careful model would reply."""

    asked: Sequence[tuple[Page, Sequence[Prompt]]]
    expected: dict[str, tuple[Statement, ...]]
    replies: dict[str, Any]

    def answer(self, request: dict[str, Any]) -> Any:
        match = re.match(r"Page: (.+)", request["messages"][-1]["content"])
        assert match is not None
        return self.replies[match[1]]


@pytest.fixture(scope="module", params=sorted(WIKIS))
def wiki(request: pytest.FixtureRequest) -> Wiki:
    folder = WIKIS[request.param]
    config = load_config(folder)
    assert config.pages is not None
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    phrases = PhraseReader(vocabulary, load_catalogue(config.catalogue, vocabulary, config))
    reader = LlmReader(vocabulary, NoChat(), Settings("small"))
    pages = [read_page(file) for file in scan_pages(config.pages, config).files]
    gold: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in (folder / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        gold[row["page"]].append({key: row[key] for key in ("subject", "relation", "object", "quote")})
    return Wiki(
        [(page, reader.prompts(page)) for page in pages],
        {reading.page.id: reading.statements for reading in phrases.read_all(pages)},
        {page.id: {"statements": gold[page.id]} for page in pages},
    )


def by_letters(text: str) -> int:
    return len(text) // 4


def by_word_pieces(text: str) -> int:
    """Words in pieces of at most six letters, each mark by itself."""
    return sum(-(-len(word) // 6) for word in re.findall(r"\w+|[^\w\s]", text))


def by_bytes(text: str) -> int:
    """Twice as many as anybody would guess."""
    return len(text.encode()) // 2


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "j.sqlite") as journal:
        yield journal


def used(wiki: Wiki, journal: Journal, counter: Callable[[str], int], asked: Sequence[Prompt]) -> int:
    """Tokens that an endpoint with this tokenizer reports for these prompts."""
    with FakeEndpoint(wiki.answer, prompt_counter=counter) as fake:
        with Endpoint(Settings("small", base_url=fake.base_url)) as endpoint:
            chat = Journaled(endpoint, journal, "small", endpoint.usage)
            for prompt in asked:
                chat.ask(prompt)
        return endpoint.usage.prompt_tokens + endpoint.usage.completion_tokens


def guessed(wiki: Wiki, journal: Journal | None) -> Estimate:
    return estimate(iter(wiki.asked), journal, Settings("small"), lambda page: wiki.expected[page.id])


@pytest.mark.parametrize("counter", [by_letters, by_word_pieces])
def test_the_estimate_is_within_fifteen_percent_of_what_is_used(
    counter: Callable[[str], int], wiki: Wiki, journal: Journal
) -> None:
    found = guessed(wiki, journal)
    prompts = [one for _, some in wiki.asked for one in some]
    assert (found.pages, found.requests, found.from_journal) == (len(wiki.asked), len(prompts), 0)
    assert found.prompt_tokens + found.completion_tokens == pytest.approx(
        used(wiki, journal, counter, prompts), rel=0.15
    )


def test_once_some_replies_are_there_the_estimate_holds_for_any_tokenizer(wiki: Wiki, journal: Journal) -> None:
    prompts = [one for _, some in wiki.asked for one in some]
    before = guessed(wiki, None)
    first = used(wiki, journal, by_bytes, prompts[:5])
    found = guessed(wiki, journal)
    rest = used(wiki, journal, by_bytes, prompts[5:])
    assert before.prompt_tokens + before.completion_tokens < 0.7 * (first + rest)
    assert found.prompt_tokens + found.completion_tokens == pytest.approx(rest, rel=0.15)
    assert found.from_journal == 5
    after = guessed(wiki, journal)
    assert (after.prompt_tokens, after.completion_tokens, after.from_journal) == (0, 0, len(prompts))


# -- by hand -----------------------------------------------------------------------


def page(name: str) -> Page:
    return Page(name, "Cart calls Stock.", "")


def prompts(name: str, number: int = 1) -> list[Prompt]:
    return [Prompt((Message("user", f"{name} {part}"),), label=name) for part in range(number)]


def test_four_replies_are_too_few_to_scale_by(journal: Journal) -> None:
    asked = [(page("a"), prompts("a"))]
    plain = estimate(asked, journal, Settings("small"), lambda _page: [SAID])
    for number in range(5):
        one = prompts(f"other {number}")[0]
        journal.put(request_digest(one, "small"), one, Reply("x", 1000, 1000), "small")
        found = estimate(asked, journal, Settings("small"), lambda _page: [SAID])
        assert (found.prompt_tokens > plain.prompt_tokens) == (number == 4)


def test_of_a_page_in_parts_only_the_parts_that_the_journal_lacks_are_counted(journal: Journal) -> None:
    parts = prompts("a", 2)
    whole = estimate([(page("a"), parts)], None, Settings("small"), lambda _page: [SAID] * 10)
    journal.put(request_digest(parts[0], "small"), parts[0], Reply("x", 1, 1), "small")
    half = estimate([(page("a"), parts)], journal, Settings("small"), lambda _page: [SAID] * 10)
    assert (half.pages, half.requests, half.from_journal) == (1, 2, 1)
    assert half.prompt_tokens == whole.prompt_tokens / 2
    assert half.completion_tokens == pytest.approx(whole.completion_tokens / 2, abs=1)


def test_pages_that_nothing_is_asked_about_cost_nothing() -> None:
    found = estimate([(page("a"), [])], None, Settings("small", prices=Prices(1, 1)), lambda _page: [SAID])
    assert found == Estimate(pages=1, cost=0.0)


def test_cost_and_time_come_from_prices_and_the_limit_per_minute() -> None:
    settings = Settings("small", prices=Prices(1000, 2000), requests_per_minute=30)
    found = estimate([(page("a"), prompts("a", 3))], None, settings, lambda _page: [SAID])
    assert found.cost == pytest.approx(found.prompt_tokens / 1000 + found.completion_tokens / 500)
    assert found.seconds == 6.0
    assert estimate([], None, Settings("small"), lambda _page: []).cost is None
    assert set(found.to_json()) == {
        "pages", "requests", "from_journal", "prompt_tokens", "completion_tokens", "cost", "seconds"
    }  # fmt: skip
