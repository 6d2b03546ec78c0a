"""The reader that asks a model, over a chat in memory: what it asks, how much at once, and how it ends."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from kb.config import packaged
from kb.errors import EndpointError, ReplyError
from kb.extract import PageReading
from kb.extract.llm.reader import LlmReader
from kb.llm import Prompt, Reply
from kb.llm.settings import Settings
from kb.model import Page
from kb.vocabulary import Vocabulary, load_vocabulary

Answer = Callable[[Prompt], str | Reply]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


class Memory:
    """A chat that answers from a function."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked, self.forgotten = answer, list[Prompt](), list[Prompt]()
        self.lock = threading.Lock()
        self.running = self.most = 0
        self.stopped = False

    def ask(self, prompt: Prompt) -> Reply:
        with self.lock:
            self.asked.append(prompt)
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            said = self.answer(prompt)
        finally:
            with self.lock:
                self.running -= 1
        return said if isinstance(said, Reply) else Reply(said, 100, 10)

    def forget(self, prompt: Prompt) -> None:
        self.forgotten.append(prompt)

    def stop(self) -> None:
        self.stopped = True


def item(object_: str = "Cart", quote: str = "It calls Cart.") -> dict[str, str]:
    return {"subject": "Shop", "relation": "depends_on", "object": object_, "quote": quote}


def said(*objects: str) -> str:
    return json.dumps({"statements": [item(one) for one in objects]})


def shown(prompt: Prompt) -> str:
    """The text of the page that a prompt shows."""
    return prompt.messages[1].content.split(">\n", 1)[1].rsplit("\n</page", 1)[0]


def page(number: int, text: str = "# Shop\n\nIt calls Cart.\n") -> Page:
    return Page(f"p{number}", text.replace("Cart", f"Cart {number}"), "")


def reader(vocabulary: Vocabulary, chat: Memory, **changes: object) -> LlmReader:
    return LlmReader(vocabulary, chat, Settings(**{"model": "m", "workers": 3, **changes}))  # type: ignore[arg-type]


def one(
    vocabulary: Vocabulary, chat: Memory, text: str = "# Shop\n\nIt calls Cart.\n", **changes: object
) -> PageReading:
    (found,) = reader(vocabulary, chat, **changes).read_all([Page("p", text, "")])
    return found


def objects(found: PageReading) -> list[str]:
    return [statement.object for statement in found.statements]


# -- pages ---------------------------------------------------------------------------


def test_each_page_comes_back_once_with_what_was_said_about_it(vocabulary: Vocabulary) -> None:
    chat = Memory(lambda prompt: said(shown(prompt).split("calls ")[1].rstrip(".\n")))
    found = {one.page.id: objects(one) for one in reader(vocabulary, chat).read_all(page(n) for n in range(20))}
    assert found == {f"p{n}": [f"Cart {n}"] for n in range(20)}
    assert len(chat.asked) == 20


def test_no_more_pages_are_drawn_than_two_for_each_worker(vocabulary: Vocabulary) -> None:
    drawn, given = [], []

    def pages() -> Iterator[Page]:
        for n in range(60):
            drawn.append(n)
            yield page(n)

    chat = Memory(lambda _: said("Cart"))
    for found in reader(vocabulary, chat).read_all(pages()):
        given.append(found)
        assert len(drawn) - len(given) <= 2 * 3
    assert chat.most <= 3


def test_pages_without_a_letter_are_not_asked_about(vocabulary: Vocabulary) -> None:
    chat = Memory(lambda _: said("Cart"))
    found = list(reader(vocabulary, chat).read_all([Page("a", "", ""), Page("b", " \n--- 12\n", "")]))
    assert [(one.page.id, one.statements, one.error) for one in found] == [("a", (), None), ("b", (), None)]
    assert chat.asked == []


LONG = "# Shop\n\n" + "".join(f"## Part {n}\n\n{'Words about it. ' * 30}It calls Cart {n}.\n\n" for n in range(6))


def test_the_parts_of_a_long_page_are_read_at_once_and_given_in_the_pages_order(vocabulary: Vocabulary) -> None:
    barrier = threading.Barrier(3, timeout=10)

    def answer(prompt: Prompt) -> str:
        number = int(shown(prompt).split("calls Cart ")[1].split(".")[0])
        barrier.wait()
        time.sleep(0.01 * (6 - number))
        return said(f"Cart {number}", "Cart")

    chat = Memory(answer)
    found = one(vocabulary, chat, LONG, page_tokens=200)
    assert len(chat.asked) == 6
    assert objects(found) == ["Cart 0", "Cart", "Cart 1", "Cart 2", "Cart 3", "Cart 4", "Cart 5"]
    assert found.counts["requests"] == 6


def test_a_part_that_gets_no_reply_leaves_the_others_and_is_told(vocabulary: Vocabulary) -> None:
    def answer(prompt: Prompt) -> str:
        if "Part 2" in shown(prompt):
            raise ReplyError(f"{prompt.label}: no usable reply", prompt.label)
        return said(shown(prompt).split("calls ")[1].split(".")[0])

    found = one(vocabulary, Memory(answer), LONG, page_tokens=200)
    assert objects(found) == ["Cart 0", "Cart 1", "Cart 3", "Cart 4", "Cart 5"]
    assert isinstance(found.error, ReplyError)
    assert "part 3 of 6" in str(found.error)


# -- replies of no use ----------------------------------------------------------------


def test_an_unreadable_reply_is_objected_to_once_and_only_so_much_of_it_is_sent_back(vocabulary: Vocabulary) -> None:
    replies = iter(["Sorry! " * 10_000, said("Cart")])
    chat = Memory(lambda _: next(replies))
    found = one(vocabulary, chat)
    assert (objects(found), found.error) == (["Cart"], None)
    assert [len(prompt.messages) for prompt in chat.asked] == [2, 4]
    assert len(chat.asked[1].messages[2].content) < 5_000
    assert found.counts["repair_rounds"] == 1


def test_two_unreadable_replies_fail_the_page_and_neither_is_kept(vocabulary: Vocabulary) -> None:
    chat = Memory(lambda _: "Sorry.")
    found = one(vocabulary, chat)
    assert "no JSON list of statements" in str(found.error)
    assert chat.forgotten == chat.asked
    assert len(chat.asked) == 2


def test_a_reply_that_is_cut_off_is_asked_for_in_halves(vocabulary: Vocabulary) -> None:
    def answer(prompt: Prompt) -> str | Reply:
        carts = [line.split(".")[0] for line in shown(prompt).split("calls ")[1:]]
        text = said(*carts)
        return Reply(text[: len(text) // 2], finish="length") if len(carts) > 3 else text

    chat = Memory(answer)
    found = one(vocabulary, chat, LONG)
    assert (objects(found), found.error) == ([f"Cart {n}" for n in range(6)], None)
    assert len(chat.asked) == 3


def test_what_is_whole_is_kept_where_every_reply_is_cut_off_and_the_fault_says_what_to_change(
    vocabulary: Vocabulary,
) -> None:
    cut = Reply(said("Cart", "Stock")[:-20], finish="length")
    found = one(vocabulary, Memory(lambda _: cut), LONG)
    assert objects(found) == ["Cart"]
    assert "raise [llm] max_tokens or lower page_tokens" in str(found.error)


def test_both_halves_are_read_where_the_first_is_of_no_use(vocabulary: Vocabulary) -> None:
    def answer(prompt: Prompt) -> str | Reply:
        text = shown(prompt)
        if "Cart 0" in text and "Cart 5" in text:
            return Reply(said("Cart")[:-30], finish="length")
        return "Sorry." if "Cart 0" in text else said("Cart 5")

    found = one(vocabulary, Memory(answer), LONG)
    assert objects(found) == ["Cart 5"]
    assert found.error is not None


def test_a_model_that_repeats_itself_is_not_asked_for_ever_smaller_parts(vocabulary: Vocabulary) -> None:
    loop = Reply(said(*["Cart"] * 50)[:-5], finish="length")
    chat = Memory(lambda _: loop)
    found = one(vocabulary, chat, LONG)
    assert objects(found) == ["Cart"]
    assert "repeats itself" in str(found.error)
    assert len(chat.asked) == 3


def test_an_item_that_is_malformed_is_dropped_and_counted(vocabulary: Vocabulary) -> None:
    bad = [{**item(), "relation": "likes"}, {"subject": "Shop"}, "x"]
    found = one(vocabulary, Memory(lambda _: json.dumps({"statements": [item(), *bad]})))
    assert (objects(found), found.error) == (["Cart"], None)
    assert found.counts["dropped"] == 3


# -- the end -----------------------------------------------------------------------------


def test_an_error_of_every_page_is_raised_after_those_in_flight_and_nothing_more_is_asked(
    vocabulary: Vocabulary,
) -> None:
    finished = []

    def answer(prompt: Prompt) -> str:
        if prompt.label == "p1":
            raise EndpointError("the endpoint is down")
        time.sleep(0.1)
        finished.append(prompt.label)
        return said("Cart")

    chat = Memory(answer)
    with pytest.raises(EndpointError, match="is down"):
        list(reader(vocabulary, chat).read_all(page(n) for n in range(50)))
    assert chat.stopped
    assert chat.running == 0
    assert len(chat.asked) <= 6
    assert len(finished) == len(chat.asked) - 1


def test_a_reader_that_is_closed_waits_for_what_is_in_flight_and_asks_no_more(vocabulary: Vocabulary) -> None:
    begun = threading.Event()

    def answer(prompt: Prompt) -> str:
        if prompt.label != "p0":
            begun.set()
            time.sleep(0.1)
        return "Sorry."  # would be objected to

    chat = Memory(answer)
    readings = reader(vocabulary, chat).read_all(page(n) for n in range(50))
    next(readings)
    assert begun.wait(10)
    readings.close()
    asked = len(chat.asked)
    assert (chat.running, chat.stopped) == (0, True)
    time.sleep(0.05)
    assert len(chat.asked) == asked
    assert asked <= 10
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("kb-read")]


def test_ctrl_c_among_the_pages_ends_reading(vocabulary: Vocabulary) -> None:
    def pages() -> Iterator[Page]:
        yield from (page(n) for n in range(4))
        raise KeyboardInterrupt

    chat = Memory(lambda _: said("Cart"))
    with pytest.raises(KeyboardInterrupt):
        list(reader(vocabulary, chat).read_all(pages()))
    assert chat.running == 0


def test_another_model_or_ontology_is_another_identity(vocabulary: Vocabulary) -> None:
    chat = Memory(lambda _: "")
    mine = reader(vocabulary, chat)
    assert mine.identity == f"llm/1:m:{mine.prompt_digest[:12]}"
    assert reader(vocabulary, chat, model="other").identity != mine.identity
    less = load_vocabulary([packaged("ontology") / "systems.ttl"], [])
    assert reader(less, chat, page_tokens=999).prompt_digest == reader(less, chat).prompt_digest
