"""Markdown pages as blocks whose plain text knows its place in the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.sources.inline import flatten
from kb.sources.markdown import Document, parse_markdown


def plain(text: str) -> str:
    return flatten(text, [(0, len(text))]).text


def kinds(document: Document) -> list[str]:
    return [block.kind for block in document.blocks]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**bold** and *it* and ___all___", "bold and it and all"),
        ("snake_case and 2 * 3", "snake_case and 2 * 3"),
        ("[Auth](auth.md) and [x][ref] and [y]", "Auth and x and y"),
        ("`fx-rates` and ``a`b``", "fx-rates and a`b"),
        ("![alt text](pic.png)before", "before"),
        ("gone ~~owned by MX~~ here", "gone  here"),
        ("a <b>tag</b> and <br>line", "a tag and \nline"),
        ("a<!-- hidden -->b", "a               b"),
        ("&amp; &quot;", '& "'),
        (r"\*not bold\*", "*not bold*"),
        ("note[^1] see https://x.example/a and <https://y.example>", "note see  and "),
        ("[[Page|Shown]] and [[Page]]", "Shown and Page"),
        ('{{< tip "x" >}}text{{< /tip >}}', "text"),
    ],
)
def test_markup_goes_and_words_stay(source: str, expected: str) -> None:
    assert expected == plain(source)


def test_every_character_knows_where_it_stands() -> None:
    source = "- **A** `b` [c](d.md)\n  e"
    (block,) = parse_markdown(source).blocks
    assert block.inline is not None
    assert block.inline.text == "A b c\ne"
    assert list("Abce") == [source[block.inline.offsets[i]] for i in (0, 2, 4, 6)]


def test_a_span_takes_the_markup_that_hugs_it() -> None:
    source = "See **[Auth](auth.md)** now"
    inline = flatten(source, [(0, len(source))])
    start, end = inline.span(source, 4, 8)
    assert source[start:end] == "**[Auth](auth.md)**"


def test_front_matter_gives_values_with_their_lines() -> None:
    source = "---\ntitle: A\nowners:\n  - B\n  - C\nspec:\n  lead: D\n---\n# H\n"
    document = parse_markdown(source)
    assert [v.keys for v in document.front] == [("title",), ("owners",), ("owners",), ("spec", "lead")]
    assert [source[v.start : v.end] for v in document.front] == ["title: A", "  - B", "  - C", "  lead: D"]
    assert kinds(document) == ["heading"]


@pytest.mark.parametrize(
    "source",
    [
        "---\na: [\n---\ntext",
        "---\n- just\n- a list\n---\n",
        "---\nnot closed: x\n",
        "---\n---\n",
        "---\n&a [*a]\n---\nx",
    ],
)
def test_broken_front_matter_is_no_error(source: str) -> None:
    assert [v for v in parse_markdown(source).front if v.keys == ("not closed",)] == []


def test_yaml_that_explodes_is_cut_off() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert len(parse_markdown("---\n" + "\n".join(lines) + "\n---\n").front) <= 200


def test_toml_front_matter_is_no_text() -> None:
    assert kinds(parse_markdown('+++\ntitle = "A"\n+++\ntext\n')) == ["paragraph"]


def test_lists_nest_and_only_the_first_block_opens_an_item() -> None:
    document = parse_markdown("- a\n\n  more\n  - b\n- c\n")
    assert [(len(b.lists), b.first) for b in document.blocks] == [(1, True), (1, False), (2, True), (1, True)]


def test_tables_give_rows_with_cells() -> None:
    source = "| A | B |\n|---|---|\n| x \\| y | **z** |\n"
    head, row = parse_markdown(source).blocks
    assert (head.header, row.header) == (True, False)
    assert [cell.text for cell in row.cells] == ["x | y", "z"]
    assert source[row.start : row.end] == "| x \\| y | **z** |"


def test_code_scripts_and_comments_are_no_text() -> None:
    document = parse_markdown("```yaml\nowner: MX\n```\n\n<!-- x -->\n\n<script>\nvar a\n</script>\n\n    code\n")
    assert kinds(document) == ["code", "code"]
    assert document.blocks[0].info == "yaml"


def test_quotes_are_known_by_their_outermost() -> None:
    blocks = parse_markdown("> a\n>\n> > b\n\nc\n").blocks
    assert blocks[0].quote == blocks[1].quote != 0
    assert blocks[2].quote == 0


def test_boxes_of_other_tools_are_opened() -> None:
    document = parse_markdown(":::note\nText.\n:::\n\n> [!NOTE]\n> More.\n")
    assert [b.inline.text for b in document.blocks if b.inline is not None] == ["Text.", "More."]


PIECES = [
    *(
        "# ",
        "- ",
        "> ",
        "| a | b |\n|---|---|\n",
        "**",
        "*",
        "_",
        "`",
        "```",
        "[",
        "](",
        ")",
        "~~",
        "<",
        ">",
        "<!--",
        "-->",
    ),
    *("---\n", "a: b\n", "\n", "\n\n", "    ", "\t", "x", "Auth", "é", "&amp;", "\\", "|", "1. ", "\r", "\x00", ": "),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(st.one_of(MARKDOWN, st.text(max_size=300)))
def test_any_text_is_parsed_and_every_offset_points_into_it(text: str) -> None:
    for block in parse_markdown(text).blocks:
        assert 0 <= block.start <= block.end <= len(text)
        for inline in (*((block.inline,) if block.inline else ()), *block.cells):
            assert len(inline.text) == len(inline.offsets)
            assert all(0 <= at < len(text) for at in inline.offsets)
            assert all(text[at] == ch for ch, at in zip(inline.text, inline.offsets, strict=True) if ch.isalnum())
            start, end = inline.span(text, 0, len(inline.text))
            assert 0 <= start <= end <= len(text)


@pytest.mark.parametrize(
    "junk", ["[", "](", "**a ", "`a ", "<a", "~~a", "x <!-- ", "x <!-- --> ", "{{", "> ", "|a", "[[a "]
)
def test_a_hundred_kilobytes_of_unmatched_markup_are_parsed(junk: str) -> None:
    assert parse_markdown(junk * (100_000 // len(junk))).blocks is not None
