"""What of pages and entities is embedded, and where it stands."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.config import load_config, packaged
from kb.index.chunks import Chunk, entity_chunk, page_chunks
from kb.model import Entity, Page
from kb.sources.catalogue import load_catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"
PAGE = """\
---
title: Shop
owner: sales
tags: [web, public]
---
# Shop

Shop calls **Cart** and [Stock](stock.md),
and nothing else.

## Limits

| Name | Value |
|---|---|
| `rate` | 10 |
| burst |  |

```yaml
# not a heading
shop: {port: 80}
```

## Limits

- Again.
"""


def chunks(text: str, title: str = "Shop") -> list[Chunk]:
    return page_chunks(Page("shop", text, ""), title)


def source(text: str, one: Chunk) -> str:
    return text[one.start : one.end]


@pytest.fixture(scope="module")
def systems() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


def test_sections_have_their_headings_and_text_without_markdown() -> None:
    front, first, limits, again = chunks(PAGE)
    assert front.text == "Shop\nowner: sales\ntags: web, public"
    assert first.text == "Shop\nShop calls Cart and Stock, and nothing else."
    assert limits.text == "Shop > Limits\nName: rate; Value: 10\nName: burst\n# not a heading\nshop: {port: 80}"
    assert again.text == "Shop > Limits\nAgain."
    assert limits.label == again.label == "Shop > Limits"


def test_sections_know_their_place() -> None:
    front, first, limits, again = chunks(PAGE)
    assert source(PAGE, front) == "owner: sales\ntags: [web, public]"
    assert source(PAGE, first) == "Shop calls **Cart** and [Stock](stock.md),\nand nothing else."
    assert source(PAGE, limits).startswith("| Name | Value |")
    assert source(PAGE, limits).endswith("shop: {port: 80}\n```")
    assert source(PAGE, again) == "Again."


def test_ids_come_from_the_headings() -> None:
    names = ["-", "shop", "shop/limits", "shop/limits~2"]
    assert [one.id for one in chunks(PAGE)] == [f"section:shop:{name}" for name in names]


def test_what_changes_elsewhere_changes_no_id() -> None:
    before = {one.id: one.text for one in chunks(PAGE)}
    longer = PAGE.replace("nothing else.", "nothing else. " + "More words. " * 300 + "\n\n### Deeper\n\nNew.\n")
    after = {one.id: one.text for one in chunks(longer)}
    assert before.keys() <= after.keys()
    assert [one for one in before if before[one] != after[one]] == ["section:shop:shop"]


def test_pages_without_headings_or_text_are_no_special_case() -> None:
    assert chunks("") == []
    assert chunks("# Shop\n\n## Empty\n") == []
    (only,) = chunks("Shop calls Cart.\n", "x")
    assert (only.id, only.text) == ("section:shop:-", "x\nShop calls Cart.")


def test_headings_of_any_script_and_of_signs_only_have_ids() -> None:
    text = "# Größe\n\na\n\n## 設定\n\nb\n\n# ???\n\nc\n\n# !!!\n\nd\n"
    names = ["größe", "größe/設定", "-", "-~2"]
    assert [one.id for one in chunks(text)] == [f"section:shop:{name}" for name in names]


def test_long_sections_are_parted_between_blocks() -> None:
    text = "# Shop\n\n" + "\n\n".join(f"Sentence number {n} is here to be long." for n in range(200))
    found = chunks(text)
    assert all(len(one.text) < 1500 for one in found)
    assert "\n\n".join(source(text, one) for one in found) == text.removeprefix("# Shop\n\n")
    assert all(one.text.startswith("Shop\n") for one in found)


def test_a_short_rest_stays_with_what_is_before_it() -> None:
    paragraphs = ["word " * 220, "short."]
    (only,) = chunks("# Shop\n\n" + "\n\n".join(paragraphs))
    assert only.text.endswith("short.")


def test_rows_of_a_long_table_keep_the_names_of_their_columns() -> None:
    rows = "\n".join(f"| service number {n} | a team of some people |" for n in range(100))
    found = chunks(f"# Shop\n\n| Service | Owner |\n|---|---|\n{rows}\n")
    assert len(found) > 3
    assert all(
        line.startswith("Service: service number ") and "; Owner: a team" in line
        for one in found
        for line in one.text.split("\n")[1:]
    )


@pytest.mark.parametrize("sentence", ["Shop calls **Cart** often. ", "shop ", "shop\n"])
def test_one_long_paragraph_is_parted_without_loss(sentence: str) -> None:
    text = (sentence * 400).strip()
    found = chunks(text)
    assert len(found) > 1
    words = [word for one in found for word in one.text.split("\n", 1)[1].split()]
    assert words == text.replace("*", "").split()
    assert " ".join(source(text, one) for one in found).replace("*", "").split() == words


def test_long_code_is_parted_between_lines() -> None:
    code = "".join(f"    setting_{n}: {{value: {n}}}\n" for n in range(200))
    text = f"# Shop\n\n```yaml\n{code}```\n"
    found = chunks(text)
    assert len(found) > 3
    assert "\n".join(one.text.split("\n", 1)[1] for one in found) == code.rstrip()
    assert "\n".join(source(text, one) for one in found) == text.strip().removeprefix("# Shop\n\n")


PIECES = st.sampled_from(
    [
        *("# A\n", "## B\n", "### A\n", "text ", "\n", "\n\n", "- item\n", "> # quoted\n", "```\ncode\n```\n"),
        *("| a | b |\n|---|---|\n| c | d |\n", "---\na: b\n---\n", "long " * 300, "x" * 1500),
        *("**é** ", "&amp; ", "<br>", "<!-- c -->", "日本 "),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=150, deadline=None)
def test_places_are_inside_the_page_in_order_and_ids_are_unique(text: str) -> None:
    found = chunks(text)
    places = [(one.start, one.end) for one in found]
    assert all(start is not None and end is not None and 0 <= start < end <= len(text) for start, end in places)
    assert all(before[1] <= after[0] for before, after in pairwise(places))  # type: ignore[operator]
    assert len({one.id for one in found}) == len(found)
    assert found == chunks(text)


def test_an_entity_is_said_in_the_ontologys_words(systems: Vocabulary) -> None:
    entity = Entity("shop", "service", "Shop", ("Store",), "Sells\nthings.", {"public": False})
    found = entity_chunk(entity, systems)
    assert (found.id, found.label, found.concept) == ("entity:service:shop", "Shop", "service")
    not_public = systems.attributes["public"].phrases_false[0]
    assert found.text == f"Shop (service). also called Store. {not_public}. Sells things."


def test_entities_of_another_domain_are_said_in_its_words() -> None:
    config = load_config(MUSEUM)
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    catalogue = load_catalogue(config.catalogue, vocabulary, config)
    found = [entity_chunk(one, vocabulary) for one in catalogue.entities.values()]
    assert len({one.id for one in found}) == len(catalogue.entities)
    for one in found:
        assert one.entity is not None
        entity = catalogue.entities[one.entity]
        assert one.text.startswith(f"{entity.name} ({vocabulary.classes[entity.type].label})")
        assert not any(f"{name}: {value}" in one.text for name in entity.attributes for value in (True, False))


def test_chunks_need_no_numpy() -> None:
    code = "import kb.index.chunks, kb.ask.vector, sys; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
