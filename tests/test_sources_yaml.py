"""YAML and JSON trees: text as written, lines, and files that mean harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import Fault
from kb.sources import yaml_files
from kb.sources.yaml_files import Fields, Items, Node, Scalar, parse_documents


def tree(text: str, *, as_json: bool = False) -> Node:
    roots, faults = parse_documents(text, "f.yaml", as_json=as_json)
    assert faults == ()
    assert len(roots) == 1
    return roots[0]


def only_fault(text: str, *, as_json: bool = False) -> Fault:
    _, faults = parse_documents(text, "f.yaml", as_json=as_json)
    assert len(faults) == 1, faults
    assert faults[0].file == "f.yaml"
    return faults[0]


def plain(node: Node) -> Any:
    """The tree as lists, mappings and texts."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Items):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.fields.items()}


@pytest.mark.parametrize("word", ["on", "yes", "NO", "017", "1:30", "0x1F", "1_000", "2024-01-01", "1.10", "=", "null"])
def test_a_word_that_yaml_would_turn_into_a_value_keeps_its_text(word: str) -> None:
    node = tree(f"{word}: {word}")
    assert plain(node) == {word: word}


def test_quotes_tell_a_text_from_nothing() -> None:
    assert isinstance(node := tree("[~, null, '', 'null', !!str null]"), Items)
    assert [isinstance(one, Scalar) and one.empty for one in node.items] == [True, True, False, False, False]


@pytest.mark.parametrize(
    "text",
    ["a: 1\nb:\n  - x\n\n  - {c: y}\n", "a: 1\r\nb:\r\n  - x\r\n\r\n  - {c: y}\r\n"],
    ids=["line feeds", "carriage returns too"],
)
def test_every_node_knows_its_line(text: str) -> None:
    assert isinstance(root := tree(text), Fields)
    assert root.lines == {"a": 1, "b": 2}
    assert isinstance(items := root.fields["b"], Items)
    assert [item.line for item in items.items] == [3, 5]


def test_json_knows_its_lines_too() -> None:
    assert isinstance(root := tree('{"a": 1,\n\n "b": [\n"x:,",\n\t{"c": null}]}', as_json=True), Fields)
    assert root.lines == {"a": 1, "b": 3}
    assert isinstance(items := root.fields["b"], Items)
    assert [item.line for item in items.items] == [4, 5]
    assert plain(root) == {"a": "1", "b": ["x:,", {"c": "null"}]}


def test_documents_of_one_file_are_separate_and_empty_ones_are_nothing() -> None:
    roots, faults = parse_documents("# only a comment\n---\na: 1\n---\n---\nb: 2\n...\n", "f.yaml")
    assert [plain(root) for root in roots] == [{"a": "1"}, "", {"b": "2"}]
    assert faults == ()


def test_what_stands_before_a_syntax_error_is_kept() -> None:
    roots, faults = parse_documents("a: 1\n---\nb: [\n", "f.yaml")
    assert [plain(root) for root in roots] == [{"a": "1"}]
    assert len(faults) == 1


def test_shared_values_and_merge_keys_are_understood() -> None:
    text = "- &base {team: x, tags: &t [p, q]}\n- {<<: *base, team: y}\n- {<<: [{a: 1}, {a: 2, b: 2}], tags: *t}\n"
    assert plain(tree(text)) == [
        {"team": "x", "tags": ["p", "q"]},
        {"team": "y", "tags": ["p", "q"]},
        {"tags": ["p", "q"], "a": "1", "b": "2"},
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: c: d\n", 2, "mapping values are not allowed"),
        ("a: 1\nb: 'x\n", 2, "unexpected end of stream"),
        ("a:\n\t- b\n", 2, "indent with spaces, not with tabs"),
        ("a: @b\n", 1, "put quotes around texts"),
        ("a: 1\nb: \x01", 2, "U+0001"),
        ("a: 1\nb: 2\na: 3\n", 3, "key 'a' stands on line 1 already"),
        ("? [a]\n: b\n", 1, "a key is a list or mapping"),
        ("a: *nobody\n", 1, "no anchor &nobody"),
        ("a: &a\n  - *a\n", 2, "inside what it stands for"),
    ],
)
def test_yaml_that_is_wrong_is_a_fault_with_its_line(text: str, line: int, said: str) -> None:
    fault = only_fault(text)
    assert fault.line == line
    assert said in fault.message


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"a": 1,\n "b" 2}', 2, "Expecting ':' delimiter"),
        ('{"a": 1,\n "a": 2}', 2, "key 'a' stands on line 1 already"),
        ("[NaN]", 1, "NaN"),
        ("", 1, "Expecting value"),
        (f"[{'9' * 5000}]", 1, "not valid JSON"),
    ],
)
def test_json_that_is_wrong_is_a_fault_with_its_line(text: str, line: int, said: str) -> None:
    fault = only_fault(text, as_json=True)
    assert fault.line == line
    assert said in fault.message


@pytest.mark.parametrize("depth", [101, 500, 100_000])
@pytest.mark.parametrize("as_json", [False, True])
def test_nesting_without_end_is_refused(depth: int, as_json: bool) -> None:
    text = "[" * depth + "]" * depth
    assert "nest" in only_fault(text, as_json=as_json).message


@pytest.mark.parametrize("levels", [6, 9, 40])
def test_aliases_that_explode_are_refused_without_being_expanded(levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    real = yaml_files.Builder.put

    def count(self: yaml_files.Builder, node: Node) -> None:
        nonlocal made
        made += 1
        real(self, node)

    monkeypatch.setattr(yaml_files.Builder, "put", count)
    lines = ["a0: &a0 [" + ", ".join("x" * 9) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, levels)]
    assert "aliases" in only_fault("\n".join(lines)).message
    assert made < 12 * levels


def test_merge_keys_that_explode_are_refused() -> None:
    lines = ["a0: &a0 {k: [" + ", ".join("x" * 99) + "]}"]
    lines += [f"a{n}: &a{n} {{k{n}: [*a{n - 1}, *a{n - 1}], <<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 30)]
    assert "aliases" in only_fault("\n".join(lines)).message


def test_defaults_that_five_thousand_records_share_are_no_bomb() -> None:
    lines = ["defaults: &d {team: x, tags: [a, b, c, d, e], more: {f: g, h: i}}", "records:"]
    lines += [f"  - {{<<: *d, id: r{n}}}" for n in range(5000)]
    assert isinstance(tree("\n".join(lines)), Fields)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def as_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_texts(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)


@given(value=_VALUES, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_json_trees_hold_what_was_written(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert plain(tree(text, as_json=True)) == as_texts(value)


_PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["Cc", "Cs", "Zl", "Zp"]))


@given(value=st.dictionaries(_PRINTABLE, st.lists(_PRINTABLE) | _PRINTABLE, min_size=1))
def test_yaml_trees_hold_what_was_written(value: dict[str, Any]) -> None:
    assert plain(tree(yaml.safe_dump(value, allow_unicode=True))) == value


@given(
    text=st.text(st.sampled_from("ab:-[]{}&*!|>'\"%@#?,\n\t 0~<\\\x00\x85\u2028\ufeff"), max_size=40),
    as_json=st.booleans(),
)
def test_any_text_is_trees_and_faults_and_never_an_exception(text: str, as_json: bool) -> None:
    roots, faults = parse_documents(text, "f.yaml", as_json=as_json)
    assert all(fault.message for fault in faults)
    assert isinstance(roots, tuple)


def test_the_slower_parser_gives_the_same_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x [1, 'two', {three: ~}]\nb: *x\nc: {<<: {d: on}}\n"
    with_libyaml = parse_documents(text, "f.yaml")
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert parse_documents(text, "f.yaml") == with_libyaml
    assert parse_documents("a: 1\nb: \x01", "f.yaml")[1][0].line == 2
