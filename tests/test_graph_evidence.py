"""What a quote has to be, and to name, before a statement is a candidate."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.config import packaged
from kb.extract.mentions import Mentions
from kb.graph._folding import Words, plain, spaced
from kb.graph.candidates import Candidate, Rejected, candidates
from kb.graph.evidence import LONGEST_QUOTE, PageEvidence
from kb.graph.resolve import Resolver
from kb.model import Entity, Evidence, Page, Statement
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

ENTITIES = (
    Entity("heron", "service", "Heron"),
    Entity("auth", "service", "Auth"),
    Entity("card-vault", "service", "Card Vault", ("CV",)),
    Entity("larder-db", "datastore", "Larder Database", ("larder",)),
    Entity("platform", "team", "Platform"),
    Entity("ana-ruiz", "person", "Ana Ruiz"),
)
CATALOGUE = Catalogue({one.id: one for one in ENTITIES})


@pytest.fixture(scope="module")
def systems() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


Judge = Callable[..., Candidate | Rejected]


@pytest.fixture(scope="module")
def judge(systems: Vocabulary) -> Judge:
    """What becomes of a statement that quotes a page."""
    resolver, mentions = Resolver(CATALOGUE, systems), Mentions(CATALOGUE, systems)

    def judged(
        text: str,
        quote: str,
        said: tuple[str, str, str] = ("Heron", "depends_on", "Auth"),
        page: str = "notes/2026",
        start: int = -1,
    ) -> Candidate | Rejected:
        end = start + len(quote) if start >= 0 else -1
        rows = [Statement(*said, page, Evidence(quote, start, end))]
        accepted, rejected = candidates(rows, resolver, systems, {page: Page(page, text, "")}, find=mentions.find)
        return [*accepted, *rejected][0]

    return judged


# -- quotes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote", "verbatim"),
    [
        ("So **Heron** calls `Auth` now.", "Heron calls Auth", "**Heron** calls `Auth`"),
        ("So _Heron_ calls __Auth__ now.", "Heron calls Auth", "_Heron_ calls __Auth__"),
        ("[Heron](heron.md) calls [Auth][1].", "Heron calls Auth", "[Heron](heron.md) calls [Auth][1]"),
        ("Heron calls [Auth](a.md) at night.", "Heron calls Auth at night", "Heron calls [Auth](a.md) at night"),
        ("[Heron](a_(b).md) calls Auth.", "Heron calls Auth.", "[Heron](a_(b).md) calls Auth."),
        ("Heron calls [[auth|Auth]] daily.", "Heron calls Auth daily", "Heron calls [[auth|Auth]] daily"),
        ("Heron calls Auth[^1] daily.", "Heron calls Auth daily", "Heron calls Auth[^1] daily"),
        ("Heron calls\n   Auth.", "Heron calls Auth", "Heron calls\n   Auth"),
        ("> Heron calls\n> Auth.", "Heron calls Auth", "Heron calls\n> Auth"),
        ("Heron\u00a0calls\u202fAuth.", "Heron calls Auth", "Heron\u00a0calls\u202fAuth"),
        ("Heron calls Auth.", "Heron\u00a0calls Auth", "Heron calls Auth"),
        ("Heron’s “calls” to Auth", 'Heron\'s "calls" to Auth', "Heron’s “calls” to Auth"),
        ('Heron\'s "calls" to Auth', "Heron’s «calls» to Auth", 'Heron\'s "calls" to Auth'),
        ("Heron — a gateway – calls Auth", "Heron -- a gateway - calls Auth", "Heron — a gateway – calls Auth"),
        ("Heron, night-time, calls Auth", "Heron, night‑time, calls Auth", "Heron, night-time, calls Auth"),
        ("Heron waits … then calls Auth", "Heron waits ... then calls Auth", "Heron waits … then calls Auth"),
        ("Heron &amp; co call Auth", "Heron & co call Auth", "Heron &amp; co call Auth"),
        ("Heron\\_1 or Heron calls Auth", "Heron_1 or Heron calls Auth", "Heron\\_1 or Heron calls Auth"),
        ("| Heron<br>calls | <b>Auth</b> |", "Heron calls | Auth", "Heron<br>calls | <b>Auth"),
        ("Heron calls Auth", "- Heron calls Auth", "Heron calls Auth"),
        ("Heron calls Auth", "  3. **Heron** calls Auth", "Heron calls Auth"),
        ("Heron calls Auth twice", "Heron calls Auth…", "Heron calls Auth"),
        ("Heron calls Auth twice", "* Heron calls Auth ...", "Heron calls Auth"),
        ("Wen Hai 的 Heron 调用 Auth 服务。", "调用 Auth 服", "调用 Auth 服"),
    ],
)
def test_a_quote_may_differ_in_marks_and_comes_out_verbatim(judge: Judge, text: str, quote: str, verbatim: str) -> None:
    text = f"# Notes\n\n{text}\n"
    found = judge(text, quote)
    assert isinstance(found, Candidate)
    evidence = found.statement.evidence
    assert evidence == Evidence(verbatim, text.index(verbatim), text.index(verbatim) + len(verbatim))


@pytest.mark.parametrize(
    "quote",
    [
        "Heron called Auth daily",  # a changed word
        "heron calls auth daily",  # another case
        "Heron calls Auth, daily",  # a mark that is not there
        "Heron calls daily",  # a word left out
        "Heron calls ... daily",  # words left out within
        "Heron calls Auth da",  # a word cut off
        "eron calls Auth",
        "Heron calls Auth daily. Really",
    ],
)
def test_a_quote_with_other_words_is_no_quote(judge: Judge, quote: str) -> None:
    found = judge("# Heron\n\n**Heron** calls Auth daily.\n", quote)
    assert isinstance(found, Rejected)
    assert (found.code, found.reason) == (
        "evidence",
        f"the quote does not occur on page 'notes/2026': \"{quote}\"",
    )


def test_a_quote_with_its_own_offsets_is_taken_as_it_stands(judge: Judge) -> None:
    text = "Heron calls Auth, and HeronApi calls Auth too.\n"
    at = text.index("Api calls Auth") - 5
    found = judge(text, text[at : at + 5], start=at)
    assert found.statement.evidence == Evidence("Heron", at, at + 5)


def test_a_page_quoted_whole_points_at_nothing(judge: Judge) -> None:
    sentence = "Heron calls Auth. "
    text = sentence * 100
    assert isinstance(judge(text, sentence * (LONGEST_QUOTE // len(sentence))), Candidate)
    found = judge(text, text)
    reason = "the quote is longer than 1,000 characters, and points at nothing"
    assert (found.code, found.reason) == ("evidence", reason)


# -- names ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Q",  # the title of the front matter below
        "# Heron\n\nQ",
        "# Notes\n\n## What Heron does\n\n### Nightly\n\nQ",
        "# Notes\n\nHeron is our gateway. Q",
        "# Notes\n\nThis is about Heron:\n\n- it is new\n- Q",
        "# Notes\n\n- Heron is our gateway\n- Q",
        "# Notes\n\n- Heron is our gateway\n  - and so on\n  - Q",
        "# Notes\n\n| Heron | what |\n|---|---|\n| daily | Q |",
        "# Notes\n\n| name | what |\n|---|---|\n| Heron | Q |",
        "# Notes\n\nHeron in short:\n\n| when | what |\n|---|---|\n| daily | Q |",
        "# Notes\n\nHeron in short:\n\n```\nQ\n```",
    ],
)
def test_a_quote_without_names_has_a_heading_or_subject_that_names_one(judge: Judge, text: str) -> None:
    page = text.replace("Q", "It calls that one nightly.") + "\n\nFar from it: Auth.\n"
    if text == "Q":
        page = f"---\ntitle: 'The Heron'\n---\n{page}"
    assert isinstance(judge(page, "It calls that one nightly."), Candidate)


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\nQ\n\nHeron and Auth.",
        "# Notes\n\nHeron and Auth.\n\nQ",
        "# Notes\n\nQ That is what Heron and Auth are for.",
        "# Notes\n\n## Heron and Auth\n\nYes.\n\n## Others\n\nQ",
        "# Notes\n\n- Heron and Auth\n\nMore:\n\n- Q",
        "# Notes\n\n| name | what |\n|---|---|\n| Heron | Auth |\n| daily | Q |",
        "# Notes\n\n- Q\n- Heron and Auth",
    ],
)
def test_what_stands_elsewhere_on_the_page_is_no_subject_of_a_quote(judge: Judge, text: str) -> None:
    found = judge(text.replace("Q", "It calls that one nightly."), "It calls that one nightly.")
    assert isinstance(found, Rejected)
    assert found.code == "evidence"
    assert found.reason == (
        "the quote names neither 'Heron' nor 'Auth', and no heading, title or sentence around it does"
    )


@pytest.mark.parametrize("page", ["heron", "services/heron", "services/heron/notes", "the-heron_notes"])
def test_the_name_of_a_page_s_file_names_what_it_is_about(judge: Judge, page: str) -> None:
    text = "# Overview\n\nIt calls that one.\n\nAuth.\n"
    assert isinstance(judge(text, "It calls that one.", page=page), Candidate)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Card Vault", "card-vault"),
        ("the CV", "Card Vault"),
        ("card_vault", "Card Vault"),
        ("CardVault", "CV"),
        ("Larder Databsae", "larder-db"),
        ("**Card** Vault", "the Card Vault"),
        ("the larder", "larder-db"),
        ("Card-Vaults service", "Card Vaults service"),  # the very words that the statement gives
    ],
)
def test_a_thing_is_named_by_all_its_names_and_by_the_words_of_the_statement(
    judge: Judge, written: str, name: str
) -> None:
    text = f"# Notes\n\nHeron calls it daily. {written} is old.\n"
    assert isinstance(judge(text, "Heron calls it daily.", ("Heron", "depends_on", name)), Candidate)


def test_an_end_that_the_page_nowhere_names_is_made_up(judge: Judge) -> None:
    text = "# Heron\n\nHeron calls Auth daily.\n"
    found = judge(text, "Heron calls Auth daily.", ("Heron", "depends_on", "Card Vault"))
    assert (found.code, found.reason) == ("evidence", "the page nowhere names 'Card Vault'")
    found = judge(text, "Heron calls Auth daily.", ("Platform", "owns", "Heron"))
    assert (found.code, found.reason) == ("evidence", "the page nowhere names 'Platform'")


def test_an_unknown_name_is_told_before_what_its_quote_lacks(judge: Judge) -> None:
    found = judge("# Notes\n\nIt calls that one.\n", "It calls that one.", ("Heron", "depends_on", "Nix"))
    assert found.code == "unknown_entity"


def test_of_equal_lines_the_one_below_its_own_heading_is_cited(judge: Judge) -> None:
    sections = [f"## {name}\n\nOwner: Platform\n" for name in ("Auth", "Card Vault", "Heron")]
    text = "# Owners\n\n" + "\n".join(sections)
    for name in ("Auth", "Card Vault", "Heron"):
        evidence = judge(text, "Owner: Platform", (name, "owned_by", "Platform")).statement.evidence
        assert text.rfind("## ", 0, evidence.start) == text.index(f"## {name}")


def test_without_a_finder_of_names_a_quote_has_to_stand_on_the_page_and_no_more(systems: Vocabulary) -> None:
    page = Page("notes", "It calls that one.\n", "")
    row = Statement("Heron", "depends_on", "Auth", "notes", Evidence("It calls that one.", -1, -1))
    accepted, _ = candidates([row], Resolver(CATALOGUE, systems), systems, {"notes": page})
    assert accepted[0].statement.evidence == Evidence("It calls that one.", 0, 18)


def test_names_are_looked_for_once_a_page_however_many_statements_it_has(systems: Vocabulary) -> None:
    mentions, looked = Mentions(CATALOGUE, systems), []

    def find(text: str) -> list:
        looked.append(text)
        return mentions.find(text)

    lines = [f"Line {number}: it calls that one." for number in range(50)]
    page = Page("notes", "# Notes on Heron\n\nAuth.\n\n" + "\n\n".join(lines), "")
    rows = [Statement("Heron", "depends_on", "Auth", "notes", Evidence(line, -1, -1)) for line in lines]
    accepted, _ = candidates(rows, Resolver(CATALOGUE, systems), systems, {"notes": page}, find=find)
    assert len(accepted) == 50
    assert looked == [page.text]


# -- the parts ------------------------------------------------------------------


@given(st.text("ab *_`[]()!|<>\\&;#x1\n\u00a0“—…-.", max_size=60))
def test_what_is_folded_leads_back_to_where_it_stands(text: str) -> None:
    for folded in (plain(text), spaced(text)):
        for at, character in enumerate(folded.text):
            start, end = folded.span(at, at + 1)
            assert 0 <= start < end <= len(text)
            if character.isalnum() and "&" not in text:
                assert text[start:end] == character
        if folded.text:
            whole = folded.span(0, len(folded.text))
            assert text[slice(*whole)].strip("".join(set(text) - set("ab1x"))) in text


@given(st.text("ab -.", max_size=40), st.text("ab", min_size=1, max_size=3), st.integers(0, 40), st.integers(0, 40))
def test_words_stand_in_a_stretch_when_they_stand_in_it_whole(text: str, name: str, start: int, end: int) -> None:
    start, end = min(start, end), max(start, end)
    cut_left = 0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum()
    cut_right = 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    if not cut_left and not cut_right:
        assert Words(text).say(name, start, end) == Words(text[start:end]).say(name)


HOSTILE: dict[str, Callable[[int], str]] = {
    "one word": lambda n: "x" * n,
    "stars": lambda n: "*" * n,
    "stars and letters": lambda n: "a*" * (n // 2),
    "underscores within a word": lambda n: "a" + "_" * n + "b",
    "brackets": lambda n: "[" * n,
    "links that never end": lambda n: "](" * (n // 2),
    "tags that never end": lambda n: "<a " * (n // 3),
    "blanks": lambda n: "a" + " " * n + "b",
    "lines": lambda n: "a" + " \n" * (n // 2) + "b",
    "block quotes": lambda n: ">" * n,
    "the quote over and over": lambda n: "it calls it " * (n // 12),
    "items": lambda n: "- it calls it\n" * (n // 14),
    "headings": lambda n: "# it\n" * (n // 5),
    "entities": lambda n: "&amp;" * (n // 5),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_eight_times_the_page_costs_no_more_than_some_eight_times_as_much(name: str, systems: Vocabulary) -> None:
    mentions = Mentions(CATALOGUE, systems)
    quotes = ["it calls it", "aaa…", "x" * 999, "*" * 999, "a " * 499, "." * 999, "_" * 999, "[" * 999, "- " * 499]

    def cost(length: int) -> float:
        page = Page("p", f"# Notes\n\n{HOSTILE[name](length)}\n\nHeron, Auth\n", "")
        begun = time.process_time()
        evidence = PageEvidence(page, mentions.find)
        for quote in quotes:
            places = evidence.places(Evidence(quote, -1, -1))
            if places:
                evidence.naming(places, (("heron", "Heron"), ("auth", "Auth")))
        return time.process_time() - begun

    cost(2_000)  # what is computed once is not counted
    small, large = cost(8_000), cost(64_000)
    # A square would cost 64 times as much.
    assert large < 24 * max(small, 0.02)


def test_many_statements_on_a_long_page_share_the_work(systems: Vocabulary, tmp_path: Path) -> None:
    mentions, resolver = Mentions(CATALOGUE, systems), Resolver(CATALOGUE, systems)

    def cost(count: int) -> float:
        text = "# Heron\n\nAuth:\n\n" + "".join(f"- {number}: it calls that\n" for number in range(count))
        rows = [
            Statement("Heron", "depends_on", "Auth", "p", Evidence(f"{number}: it calls that", -1, -1))
            for number in range(0, count, 4)
        ]
        begun = time.process_time()
        accepted, _ = candidates(rows, resolver, systems, {"p": Page("p", text, "")}, find=mentions.find)
        assert len(accepted) == len(rows)
        return time.process_time() - begun

    cost(40)
    # The best of several, since other work disturbs; eight times the lines would cost 64 times as much, each by itself.
    small, large = (min(cost(count) for _ in range(3)) for count in (400, 3_200))
    assert large < 32 * max(small, 0.02)
