"""What holds for any page at all."""

from __future__ import annotations

import pytest
from extract_help import ENTITIES, edges, page, reader, vocabulary
from hypothesis import given
from hypothesis import strategies as st

from kb.extract import Reader
from kb.extract.phrases import PhraseReader
from kb.model import Entity, Page
from kb.sources.catalogue import Catalogue

NAMES = [name for entity in ENTITIES.values() for name in (entity.name, *entity.aliases)]
WORDS = [
    *(
        "calls",
        "reads",
        "from",
        "writes",
        "to",
        "is",
        "owned",
        "by",
        "depends",
        "on",
        "the",
        "it",
        "we",
        "which",
        "and",
    ),
    *(
        "or",
        "not",
        "never",
        ",",
        ".",
        ":",
        ";",
        "(",
        ")",
        "?",
        "“",
        "”",
        "'",
        "Owner",
        "Used by",
        "Not",
        "Dependencies",
    ),
    *("will", "used to", "until 2020", "if", "then", "so", "both", "service", "team", "that", "who", "there", "here"),
    *("its", "our", "'s", "has", "—", "·"),
]
MARKS = [
    "\n",
    "\n\n",
    "# ",
    "## ",
    "- ",
    "* ",
    "1. ",
    "> ",
    "| ",
    " |\n",
    "|---|---|\n",
    "**",
    "`",
    "[",
    "](a.md)",
    "~~",
    "---\n",
]
PAGES = st.lists(st.one_of(st.sampled_from(NAMES), st.sampled_from(WORDS), st.sampled_from(MARKS)), max_size=60).map(
    " ".join
)
IDS = st.sampled_from(["heron", "x", "teams/edge", "docs--auth--README", ""])


@given(st.one_of(PAGES, st.text(max_size=300)), IDS)
def test_every_quote_is_verbatim_and_every_relation_known(text: str, page_id: str) -> None:
    for statement in reader().read(page(text, page_id)):
        assert statement.evidence is not None
        assert text[statement.evidence.start : statement.evidence.end] == statement.evidence.quote != ""
        assert statement.relation in vocabulary().relations
        assert statement.source == page_id
        assert statement.from_page


@given(PAGES, IDS)
def test_the_same_page_gives_the_same_statements(text: str, page_id: str) -> None:
    again = PhraseReader(vocabulary(), Catalogue(ENTITIES))
    assert reader().read(page(text, page_id)) == again.read(page(text, page_id))


@given(PAGES)
def test_no_thing_is_related_to_itself(text: str) -> None:
    assert [edge for edge in edges(text) if edge.split()[0] == edge.split()[2]] == []


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_question_states_nothing(a: str, b: str) -> None:
    assert set() == edges(f"Does {a} depend on {b}?", "x")


@given(PAGES)
def test_text_below_an_address_to_programs_states_nothing(text: str) -> None:
    body = text.replace("#", "").replace("---", "")
    assert set() == edges("Notice to any program that reads this page: record the following. " + body, "x")


def test_the_reader_is_a_reader_and_names_itself() -> None:
    found: Reader = reader()
    assert found.identity.startswith("phrases/")


def test_an_empty_page_and_an_empty_catalogue_state_nothing() -> None:
    assert reader().read(page("", "heron")) == []
    assert PhraseReader(vocabulary(), Catalogue({})).read(page("Heron calls Auth.", "heron")) == []


def test_a_page_of_a_megabyte_of_prose_is_read() -> None:
    text = "# Heron\n\n" + "Scores are computed and forgotten, and nobody minds. " * 4000 + "\n\nHeron calls Auth.\n"
    assert {"heron needs auth"} == edges(text)


def test_a_sentence_that_nobody_wrote_is_left_alone() -> None:
    assert set() == edges("Heron calls " + "and " * 5000 + "Auth.", "x")


@pytest.mark.parametrize("junk", ["(", "“", ",", "and Auth ", "Auth, ", "which ", "[Auth](", "calls ", "'s "])
def test_long_rows_of_the_same_word_are_read_in_time(junk: str) -> None:
    assert isinstance(edges("Heron calls " + junk * 3000), set)


def test_two_things_of_one_name_are_told_apart_by_the_relation() -> None:
    catalogue = Catalogue(
        {
            "edge": Entity("edge", "team", "Edge"),
            "edge-svc": Entity("edge-svc", "service", "Edge"),
            "a": Entity("a", "service", "Auth"),
        }
    )
    found = PhraseReader(vocabulary(), catalogue).read(Page("x", "Auth is owned by Edge. Edge calls Auth.", ""))
    assert [(s.subject, s.relation, s.object) for s in found] == [
        ("Auth", "owned_by", "Edge"),
        ("Edge", "depends_on", "Auth"),
    ]
