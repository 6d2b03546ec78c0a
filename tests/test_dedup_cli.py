"""`kb dedup`: what it lists, what it remembers, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_help import Kb
from dedup_help import publish

import kb as library
from kb.duplicates import duplicates, pair_of, review
from kb.errors import GenerationError, UnknownNameError
from kb.model import Entity

TEXTS = {
    "cache": ["The cache is shared between workers.", "The cache is never shared between workers."],
    "queue": [
        "Failed messages are retried three times and then moved to another queue that nobody reads.",
        "Failed messages are retried 5 times and then moved to another queue that nobody reads.",
        "Names may hold dots.",
    ],
}
ENTITIES = [
    Entity("component:acme/app", "service", "app"),
    Entity("component:default/app", "service", "app"),
    Entity("ledger", "service", "Ledger"),
]


@pytest.fixture
def kb(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kb:
    monkeypatch.delenv("GIT_AUTHOR_NAME", raising=False)
    return Kb(capsys)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return publish(tmp_path / "base", TEXTS, ENTITIES)


def listed(kb: Kb, base: Path, *options: str) -> Any:
    done = kb("dedup", *options, "--json", "--kb", base)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_pair_is_shown_with_both_summaries_and_what_only_one_has(kb: Kb, base: Path) -> None:
    done = kb("dedup", "--concept", "queue", "--kb", base)
    title, *rest = done.out.splitlines()
    assert title.startswith("queue, new, similarity 0.")
    assert title.endswith(": duplicate or contradiction?")
    assert rest == [
        "  caveat:queue:c0",
        "    Failed messages are retried three times and then moved to another queue that",
        "    nobody reads.",
        "    numbers only here: three times",
        "  caveat:queue:c1",
        "    Failed messages are retried 5 times and then moved to another queue that",
        "    nobody reads.",
        "    numbers only here: 5 times",
    ]
    assert "1 open near-duplicate, 1 of them new." in done.err
    assert done.code == 0


def test_what_denies_is_shown_as_the_text_has_it(kb: Kb, base: Path) -> None:
    assert "    words only here: never shared" in kb("dedup", "--kb", base).out.splitlines()


def test_nothing_that_is_shown_is_wider_than_80_columns(kb: Kb, base: Path) -> None:
    done = kb("dedup", "--all", "--kb", base)
    assert max(map(len, (done.out + done.err).splitlines())) <= 80


def test_json_holds_the_same_for_programs(kb: Kb, base: Path) -> None:
    pair = next(one for one in listed(kb, base) if one["concept"] == "cache")
    assert pair["negations"] == [[], ["never shared"]]
    assert (pair["negation"], pair["new"], pair["verdict"]) == (True, True, None)
    assert pair["similarity"] >= 0.65


def test_a_dismissed_pair_is_gone_until_all_are_asked_for_and_stays_gone_over_builds(kb: Kb, base: Path) -> None:
    done = kb("dedup", "--dismiss", "cache:c1", "caveat:cache:c0", "--note", "two modes", "--by", "Ada", "--kb", base)
    assert done.code == 0
    assert done.out == "dismissed by Ada: caveat:cache:c0 and caveat:cache:c1\n"
    assert {pair["concept"] for pair in listed(kb, base)} == {"queue"}
    shown = kb("dedup", "--all", "--concept", "cache", "--kb", base).out
    assert "  dismissed by Ada on 20" in shown
    assert shown.rstrip().endswith(": two modes")
    publish(base, {**TEXTS, "queue": ["Names may hold dots."]}, ENTITIES)
    assert listed(kb, base) == []
    assert [pair["verdict"] for pair in listed(kb, base, "--all")] == ["dismiss"]


def test_a_verdict_ends_when_a_text_changes(kb: Kb, base: Path) -> None:
    assert kb("dedup", "--accept", "cache:c0", "cache:c1", "--kb", base).code == 0
    publish(base, {**TEXTS, "cache": [TEXTS["cache"][0], "The cache isn't shared between workers."]}, ENTITIES)
    assert [pair["verdict"] for pair in listed(kb, base, "--concept", "cache")] == [None]


def test_the_last_verdict_counts(kb: Kb, base: Path) -> None:
    for option in ("--accept", "--dismiss", "--accept"):
        kb("dedup", option, "cache:c0", "cache:c1", "--kb", base)
    assert [pair["verdict"] for pair in listed(kb, base, "--all", "--concept", "cache")] == ["accept"]


def test_new_pairs_are_those_that_the_build_before_did_not_have(kb: Kb, base: Path) -> None:
    publish(base, {**TEXTS, "zone": ["Zones hold at most 100 rules.", "Zones hold at most 1000 rules."]}, ENTITIES)
    assert {pair["concept"] for pair in listed(kb, base, "--new")} == {"zone"}
    assert {pair["concept"] for pair in listed(kb, base)} == {"zone", "queue", "cache"}


def test_open_pairs_are_a_failure_where_it_is_asked_for_until_somebody_reviewed_them(kb: Kb, base: Path) -> None:
    assert kb("dedup", "--kb", base).code == 0
    assert kb("dedup", "--fail", "--kb", base).code == 1
    assert kb("dedup", "--fail", "--json", "--kb", base).code == 1
    for concept in TEXTS:
        kb("dedup", "--dismiss", f"{concept}:c0", f"{concept}:c1", "--kb", base)
    assert kb("dedup", "--fail", "--kb", base).code == 0
    assert kb("dedup", "--new", "--fail", "--kb", base).code == 0
    publish(base, TEXTS, ENTITIES)
    (base / "reviews.jsonl").unlink()
    assert kb("dedup", "--fail", "--kb", base).code == 1
    assert kb("dedup", "--new", "--fail", "--kb", base).code == 0
    assert kb("dedup", "--entities", "--fail", "--kb", base).code == 1


def test_entities_are_proposed_with_the_reason_and_can_be_dismissed(kb: Kb, base: Path) -> None:
    done = kb("dedup", "--entities", "--kb", base)
    assert done.out.splitlines() == [
        "component:acme/app",
        "component:default/app",
        "  service: both are called 'app', in the namespaces acme and default",
    ]
    [pair] = listed(kb, base, "--entities")
    assert (pair["type"], pair["ratio"], pair["names"]) == ("service", 1.0, ["app", "app"])
    kept = kb("dedup", "--dismiss", "entity:service:component:acme/app", "component:default/app", "--kb", base)
    assert kept.code == 0
    assert listed(kb, base, "--entities") == []
    assert [one["verdict"] for one in listed(kb, base, "--entities", "--all")] == ["dismiss"]


def test_a_bad_line_of_reviews_is_a_warning_and_no_failure(kb: Kb, base: Path) -> None:
    kb("dedup", "--dismiss", "cache:c0", "cache:c1", "--kb", base)
    path = base / "reviews.jsonl"
    path.write_text("<<<<<<< HEAD\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    done = kb("dedup", "--kb", base)
    assert done.code == 0
    assert "Warning: reviews.jsonl:1: a mark of a merge that was not finished" in done.err
    assert "cache:c0" not in done.out


def test_who_reviews_is_the_author_that_git_knows(kb: Kb, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Åsa Ek")
    kb("dedup", "--accept", "cache:c0", "cache:c1", "--kb", base)
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    Path.home().joinpath(".gitconfig").write_text("[user]\n  name = Bo Ek\n", encoding="utf-8")
    kb("dedup", "--accept", "queue:c0", "queue:c1", "--kb", base)
    lines = (base / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["by"] for line in lines] == ["Åsa Ek", "Bo Ek"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--accept", "cache:c0", "queue:c0"],
            "are no pair that the build found to be alike; caveat:cache:c0 is alike",
        ),
        (["--accept", "cache:c0", "cache:c9"], "caveat:cache:c0 is alike with caveat:cache:c1"),
        (["--accept", "cache:c0", "queue:c0"], "; caveat:queue:c0 is alike with caveat:queue:c1"),
        (["--accept", "x", "y"], "`kb dedup` lists caveats"),
        (["--accept", "a", "b", "--dismiss", "a", "b"], "not both"),
        (["--accept", "a", "b", "--new"], "go without them"),
        (["--note", "why"], "belong to --accept or --dismiss"),
        (["--entities", "--new"], "not about --entities"),
        (["--concept", "cahce"], "did you mean 'cache'?"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage_and_writes_nothing(
    kb: Kb, base: Path, options: list[str], told: str
) -> None:
    done = kb("dedup", *options, "--kb", base)
    assert done.code == 2
    assert told in " ".join(done.err.split())
    assert not (base / "reviews.jsonl").exists()


def test_a_knowledge_base_without_schema_notes_has_no_pairs(kb: Kb, tmp_path: Path) -> None:
    base = publish(tmp_path / "bare")
    done = kb("dedup", "--kb", base)
    assert (done.code, done.out, done.err.strip()) == (0, "", "0 open near-duplicates.")


def test_a_damaged_report_is_told_with_what_to_do(kb: Kb, base: Path) -> None:
    [path] = base.glob("kg/generations/gen-*/dedup_report.json")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"0.", b"1.", 1))
    done = kb("dedup", "--kb", base)
    assert done.code == 3
    assert "dedup_report.json: damaged" in done.err
    assert "kb build --force" in done.err


# -- from Python -------------------------------------------------------------


def test_python_gets_pairs_with_their_verdicts_and_can_review(base: Path) -> None:
    with library.open(base) as opened:
        cache = next(pair for pair in duplicates(opened) if pair.concept == "cache")
        assert cache.negations == ((), ("never shared",))
        assert (cache.differs, cache.review) == (True, None)
        kept = review(opened, cache.b, cache.a, "dismiss", by="Ada", note="two\nmodes")
        assert (kept.a, kept.note) == (cache.a, "two modes")
        assert pair_of(opened, cache.a, cache.b).review == kept
        with pytest.raises(UnknownNameError):
            review(opened, cache.a, "nothing", "dismiss", by="Ada")
        with pytest.raises(ValueError, match="accept, dismiss"):
            review(opened, cache.a, cache.b, "perhaps", by="Ada")


def test_a_report_of_another_format_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.index.duplicates.FORMAT", 99)
    base = publish(tmp_path / "later", TEXTS)
    with library.open(base) as opened, pytest.raises(GenerationError, match=r"format 99 is unknown.*kb build --force"):
        duplicates(opened)
