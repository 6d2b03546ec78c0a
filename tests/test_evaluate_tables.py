"""How evaluations are printed: on a terminal, as Markdown, as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_help import Kb
from evaluate_help import LLM, edge, gold_folder, published_as, question, stated_base

from kb.evaluate import Comparison, Evaluation
from kb.evaluate.markdown import markdown
from kb.evaluate.scores import Scores
from kb.evaluate.tables import Table, notes, tables

TRAPS = {"taken": 1, "of": 3, "by_kind": {"negated": {"taken": 1, "of": 2}, "past": {"taken": 0, "of": 1}}}


def triples(found: int, correct: int) -> dict[str, Any]:
    scores = Scores(found, 4, correct).to_json()
    return {**scores, "lines": scores, "reversed": 1, "by_relation": {"owned_by": scores}, "traps": TRAPS}


def evaluation(label: str, **more: Any) -> Evaluation:
    said = {"read": 1200, "accepted": 1100, "rejected": 100, "rejected_by": {"bad_quote": 100}}
    said |= {"dropped": 0, "turned_round": 3}
    cover = {"answers": {"covered": 3, "of": 4, "share": 0.75}}
    return Evaluation("gen-000001-abcdef", f"{label}/1", label, statements=said, coverage=cover, **more)


def asked(label: str, **more: Any) -> Evaluation:
    means = {"one_hop": 0.5, "none": 1.0, "all": 0.6667}
    answers = dict.fromkeys(("graph", "vector", "hybrid", "routed"), means)
    counts, refused = {"one_hop": 2, "none": 1}, {"one_hop": 1, "none": 0}
    return evaluation(label, answers=answers, counts=counts, refused=refused, triples=triples(4, 3), **more)


USED = {"model": "m", "requests": 2, "prompt_tokens": 1500, "completion_tokens": 90, "estimated": False, "cost": 0.5}
LONE = Comparison([asked("phrases")])
PAIR = Comparison(
    [
        asked("llm org|tiny", usage={"reading": USED, "asking": {**USED, "estimated": True, "cost": None}}),
        asked("phrases", usage={"reading": None, "asking": None}),
    ],
    ["They differ."],
)


def test_one_reader_has_measures_as_columns_and_none_of_what_only_a_model_has() -> None:
    assert [(one.title, one.headings) for one in tables(LONE)] == [
        ("Facts", ["", "precision", "recall", "F1", "found", "gold"]),
        ("Traps taken", ["kind", "taken", "of"]),
        ("Reading", ["", ""]),
        ("Answers (mean F1)", ["type", "questions", "refused", "graph", "vector", "hybrid", "routed"]),
    ]


def test_several_readers_have_a_column_each_and_a_table_of_answers_each() -> None:
    assert [(one.title, one.headings) for one in tables(PAIR)] == [
        ("Readers", ["", "identity"]),
        ("Facts", ["", "", "llm org|tiny", "phrases"]),
        ("Traps taken", ["kind", "llm org|tiny", "phrases", "of"]),
        ("Reading", ["", "llm org|tiny", "phrases"]),
        ("Answers (mean F1): llm org|tiny", ["type", "questions", "refused", "graph", "vector", "hybrid", "routed"]),
        ("Answers (mean F1): phrases", ["type", "questions", "refused", "graph", "vector", "hybrid", "routed"]),
        ("Tokens and cost", ["", "requests", "tokens in", "tokens out", "cost"]),
    ]
    by_title = {one.title: one.rows for one in tables(PAIR)}
    assert by_title["Tokens and cost"] == [
        ["llm org|tiny: reading", "2", "1,500", "90", "0.5000"],
        ["llm org|tiny: asking", "2", "~1,500", "~90", "-"],
        ["phrases: reading", "-", "-", "-", "-"],
        ["phrases: asking", "-", "-", "-", "-"],
    ]
    assert by_title["Reading"] == [
        ["statements read", "1,200", "1,200"],
        ["statements accepted", "1,100", "1,100"],
        ["statements rejected", "100", "100"],
        ["rejected: bad quote", "100", "100"],
        ["statements turned round", "3", "3"],
        ["facts the wrong way round", "1", "1"],
        ["entity coverage, gold answers", "0.750", "0.750"],
    ]


def test_markdown_of_one_reader() -> None:
    assert markdown(LONE) == (
        """\
### Facts

|  | precision | recall | F1 | found | gold |
| --- | ---: | ---: | ---: | ---: | ---: |
| distinct edges | 0.750 | 0.750 | 0.750 | 4 | 4 |
| page lines | 0.750 | 0.750 | 0.750 | 4 | 4 |
| owned_by | 0.750 | 0.750 | 0.750 | 4 | 4 |

### Traps taken

| kind | taken | of |
| --- | ---: | ---: |
| negated | 1 | 2 |
| past | 0 | 1 |
| all | 1 | 3 |

### Reading

|  |  |
| --- | ---: |
| statements read | 1,200 |
| statements accepted | 1,100 |
| statements rejected | 100 |
| rejected: bad quote | 100 |
| statements turned round | 3 |
| facts the wrong way round | 1 |
| entity coverage, gold answers | 0.750 |

### Answers (mean F1)

| type | questions | refused | graph | vector | hybrid | routed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| one_hop | 2 | 1 | 0.500 | 0.500 | 0.500 | 0.500 |
| none | 1 | 0 | 1.000 | 1.000 | 1.000 | 1.000 |
| all | 3 | 1 | 0.667 | 0.667 | 0.667 | 0.667 |
"""
    )


def test_markdown_has_the_answers_of_all_readers_in_one_table_and_shows_signs_as_they_are() -> None:
    text = markdown(PAIR)
    answers = text[text.index("### Answers") :].splitlines()
    methods = ("refused", "graph", "vector", "hybrid", "routed")
    heading = " | ".join(f"{reader}: {method}" for reader in (r"llm org\|tiny", "phrases") for method in methods)
    assert answers[2] == f"| type | questions | {heading} |"
    assert r"| llm org\|tiny: asking | 2 | \~1,500 | \~90 | - |" in text
    assert text.endswith("\n\nThey differ.\n")
    assert text.count("### Answers") == 1


def test_a_table_that_is_too_wide_is_printed_in_parts() -> None:
    readers = [f"llm a-rather-long-one-{number}" for number in range(5)]
    wide = Table("Facts", ["", "", *readers], [["distinct edges", "precision", *("1.000" for _ in readers)]], names=2)
    parts = list(wide.parts(78))
    assert [heading for part in parts for heading in part.headings[2:]] == readers
    assert len(parts) == 3
    assert all(part.rows[0][:2] == ["distinct edges", "precision"] for part in parts)
    assert list(wide.parts(500)) == [wide]


def test_questions_without_a_reply_are_named_below() -> None:
    failed = [{"id": None, "question": "why?", "method": name, "error": "no JSON"} for name in ("graph", "vector")]
    assert notes(Comparison([asked("llm", failed=failed)])) == [
        "1 question failed with graph and vector and counts as 0: why?. The first: no JSON."
    ]


# -- as commands -------------------------------------------------------------


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = stated_base(tmp_path / "base")
    published_as(folder, "llm/1:org/tiny:abc", LLM)
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return gold_folder(
        tmp_path / "gold",
        triples=[edge("shop", "depends_on", "cart"), edge("shop", "owned_by", "sales", page="b")],
        questions=[question("who owns Shop?", ["sales"]), question("zibble the frobs of wug", ["cart"], "odd")],
    )


def test_two_readers_on_a_terminal_of_eighty_columns(
    command: Kb, base: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = command("eval", "--kb", base, "--gold", gold, "--readers", "--methods", "graph")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    assert ran.out == (
        """\
Readers
            identity
  llm tiny  llm/1:org/tiny:abc
  given     statements/1

Facts
                             llm tiny  given
  distinct edges  precision     0.667  0.667
                  recall        1.000  1.000
                  F1            0.800  0.800
                  found             3      3
                  gold              2      2
  page lines      precision     0.250  0.250
                  recall        0.500  0.500
                  F1            0.333  0.333
                  found             4      4
                  gold              2      2
  depends_on      F1            0.667  0.667
  owned_by        F1            1.000  1.000

Reading
                                 llm tiny  given
  statements read                       7      7
  statements accepted                   5      5
  statements rejected                   2      2
  rejected: shape                       1      1
  rejected: unknown entity              1      1
  statements turned round               0      0
  facts the wrong way round             0      0
  entity coverage, gold facts       1.000  1.000
  entity coverage, gold answers     1.000  1.000

Answers (mean F1): llm tiny
  type     questions  refused  graph
  one_hop          1        0  1.000
  odd              1        1  0.000
  all              2        1  0.500

Answers (mean F1): given
  type     questions  refused  graph
  one_hop          1        0  1.000
  odd              1        1  0.000
  all              2        1  0.500

Tokens and cost
                     requests  tokens in  tokens out    cost
  llm tiny: reading         2      1,500          90  0.0017
  llm tiny: asking          -          -           -       -
  given: reading            -          -           -       -
  given: asking             -          -           -       -

2 questions without a gold plan are counted too.
"""
    )


def test_json_has_the_current_generation_at_the_top_and_all_readers_below(command: Kb, base: Path, gold: Path) -> None:
    ran = command("eval", "--kb", base, "--gold", gold, "--readers", "--methods", "graph", "--json")
    data = json.loads(ran.out)
    assert re.fullmatch(r"gen-000002-[0-9a-f]{6}", data["generation"])
    assert {key: data[key] for key in ("reader", "answers", "questions", "coverage")} == {
        "reader": "llm/1:org/tiny:abc",
        "answers": {"graph": {"one_hop": 1.0, "odd": 0.0, "all": 0.5}},
        "questions": {
            "by_type": {"one_hop": 1, "odd": 1},
            "without_plan": 2,
            "refused": {"one_hop": 0, "odd": 1},
            "failed": [],
        },
        "coverage": {
            "answers": {"covered": 2, "of": 2, "share": 1.0},
            "triples": {"covered": 3, "of": 3, "share": 1.0},
        },
    }
    assert data["usage"]["reading"]["cost"] == 0.00168
    assert data["usage"]["asking"] is None
    assert set(data["triples"]) >= {"precision", "recall", "f1", "reversed", "by_relation", "traps", "lines"}
    assert [one["reader"] for one in data["readers"]] == ["llm/1:org/tiny:abc", "statements/1"]
    assert {key: value for key, value in data.items() if key not in {"readers", "notes"}} == data["readers"][0]
    assert data == json.loads(
        command(*["eval", "--readers", "--methods", "graph", "--format", "json", "--kb"], base, "--gold", gold).out
    )


def test_markdown_is_the_same_for_another_build_of_the_same(
    command: Kb, base: Path, gold: Path, tmp_path: Path
) -> None:
    again = stated_base(tmp_path / "again")
    published_as(again, "llm/1:org/tiny:abc", LLM)
    printed = [
        command("eval", "--kb", one, "--gold", gold, "--readers", "--format", "markdown").out for one in (base, again)
    ]
    assert printed[0] == printed[1]
    assert printed[0].startswith("### Readers\n\n|  | identity |\n| --- | --- |\n| llm tiny | llm/1:org/tiny:abc |\n")


def test_an_older_build_can_be_judged_by_name(command: Kb, base: Path, gold: Path) -> None:
    name = json.loads(command("generations", "--kb", base, "--json").out)[0]["name"]
    data = json.loads(command("eval", "--kb", base, "--gold", gold, "--generation", name, "--json").out)
    assert (data["generation"], data["reader"], len(data["readers"])) == (name, "statements/1", 1)
    ran = command("eval", "--kb", base, "--gold", gold, "--generation", "gen-9")
    assert (ran.code, "no such generation" in ran.err) == (3, True)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--methods", "graph,guess"], "guess: choose from graph, vector, hybrid, routed and all."),
        (["--plans", "--methods", "all"], "neither method nor planner"),
        (["--plans", "--planner", "llm"], "neither method nor planner"),
        (["--planner", "search", "--max-cost", "1"], "--planner llm"),
        (["--readers", "--generation", "gen-1"], "--readers chooses the builds itself"),
        (["--details", "--format", "markdown"], "--details goes with tables and JSON"),
    ],
)
def test_options_that_exclude_each_other_are_wrong_usage(
    command: Kb, base: Path, gold: Path, args: list[str], said: str
) -> None:
    ran = command("eval", "--kb", base, "--gold", gold, *args)
    assert (ran.code, said in ran.err) == (2, True)


def test_without_an_index_only_the_graph_is_asked(command: Kb, base: Path, gold: Path) -> None:
    data = json.loads(command("eval", "--kb", base, "--gold", gold, "--json").out)
    assert list(data["answers"]) == ["graph", "vector", "hybrid", "routed"]
    published_as(base, "phrases/1", index=False)
    data = json.loads(command("eval", "--kb", base, "--gold", gold, "--json").out)
    assert list(data["answers"]) == ["graph"]
    data = json.loads(command("eval", "--kb", base, "--gold", gold, "--readers", "--json").out)
    assert [list(one["answers"]) for one in data["readers"]] == [["graph"]] * 3
    ran = command("eval", "--kb", base, "--gold", gold, "--methods", "all")
    assert ran.code == 3
    assert "no index, which vector, hybrid, routed would search; run `kb build --force`" in ran.err
