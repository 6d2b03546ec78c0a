"""What reviewers said: kept line by line, valid while both texts stay, readable after any merge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kb.errors import ReviewError
from kb.reviews import Review, add_review, load_reviews

ONE, TWO, THREE = ("1" * 64, "2" * 64, "3" * 64)


def said(verdict: str = "accept", on: str = "2026-01-31T12:00:00+00:00", **other: str) -> Review:
    return Review(
        **{
            "a": "caveat:q:x",
            "b": "caveat:q:y",
            "texts": (ONE, TWO),
            "verdict": verdict,
            "by": "Ada",
            "on": on,
            **other,
        }
    )


def test_what_was_added_is_found_again_in_either_order(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    review = said(note="the same — really")
    add_review(path, review)
    found = load_reviews(path)
    assert found.of("caveat:q:x", "caveat:q:y", (ONE, TWO)) == review
    assert found.of("caveat:q:y", "caveat:q:x", (TWO, ONE)) == review
    assert found.faults == ()


def test_a_verdict_does_not_count_once_either_text_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    add_review(path, said())
    found = load_reviews(path)
    for texts in ((ONE, THREE), (THREE, TWO), (TWO, ONE)):
        assert found.of("caveat:q:x", "caveat:q:y", texts) is None


def test_lines_are_only_added(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    add_review(path, said())
    before = path.read_bytes()
    add_review(path, said("dismiss"))
    assert path.read_bytes().startswith(before)
    assert path.read_bytes().count(b"\n") == 2


def test_the_last_word_wins_by_its_time_and_then_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    later, earlier = said("dismiss", "2026-02-01T10:00:00+02:00"), said("accept", "2026-02-01T09:00:00+02:00")
    for review in (later, earlier):  # as a merge may order them
        add_review(path, review)
    assert load_reviews(path).of("caveat:q:x", "caveat:q:y", (ONE, TWO)) == later
    add_review(path, said("accept", "2026-02-01T08:00:00+00:00"))  # the same moment, further down
    last = load_reviews(path).of("caveat:q:x", "caveat:q:y", (ONE, TWO))
    assert last is not None
    assert last.verdict == "accept"


def test_a_line_written_by_hand_may_have_just_a_date(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    path.write_text("\ufeff" + json.dumps(said(on="2026-01-31").to_json()) + "\r\n\r\n", encoding="utf-8")
    assert len(load_reviews(path)) == 1


GOOD = json.dumps(said().to_json())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"<<<<<<< HEAD", "a merge that was not finished"),
        (b"=======", "a merge that was not finished"),
        (b">>>>>>> theirs", "a merge that was not finished"),
        (GOOD[:40].encode(), "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "'a' must be text"),
        (GOOD.replace("accept", "maybe").encode(), "verdict 'maybe' is unknown: write 'accept' or 'dismiss'"),
        (GOOD.replace("2026-01-31T12", "yesterday").encode(), "'on' is no moment"),
        (GOOD.replace(ONE, "abc").encode(), "'texts' must be two SHA-256"),
        (GOOD.replace('"note": ""', '"note": 5').encode(), "'note' must be text"),
    ],
)
def test_a_bad_line_is_told_with_file_and_line_and_the_others_count(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "reviews.jsonl"
    path.write_bytes(b"\n" + line + b"\n" + GOOD.encode() + b"\n")
    found = load_reviews(path)
    [fault] = found.faults
    assert str(fault).startswith("reviews.jsonl:2: ")
    assert told in str(fault)
    assert len(str(fault)) < 250
    assert len(found) == 1


def test_a_line_that_was_cut_off_is_told_and_the_next_one_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    path.write_bytes(GOOD.encode()[:50])
    add_review(path, said())
    found = load_reviews(path)
    assert [fault.line for fault in found.faults] == [1]
    assert len(found) == 1


def test_files_that_git_merged_line_by_line_hold_what_both_said(tmp_path: Path) -> None:
    def git(*args: str) -> None:
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@a",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@a",
        }
        subprocess.run(["git", *args], cwd=tmp_path, check=True, capture_output=True, env={**os.environ, **names})

    path = tmp_path / "reviews.jsonl"
    git("init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("reviews.jsonl merge=union\n", encoding="utf-8")
    add_review(path, said())
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("checkout", "-q", "-b", "other")
    add_review(path, said(a="caveat:q:o"))
    git("commit", "-q", "-am", "two")
    git("checkout", "-q", "main")
    add_review(path, said(a="caveat:q:m"))
    git("commit", "-q", "-am", "three")
    git("merge", "-q", "other")
    found = load_reviews(path)
    assert (len(found), found.faults) == (3, ())


def test_processes_that_write_at_once_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    code = (
        "import sys; from pathlib import Path; from kb.reviews import Review, add_review\n"
        "for n in range(40): add_review(Path(sys.argv[1]), Review(f'{sys.argv[2]}{n}', 'b', ('1'*64, '2'*64),"
        " 'accept', 'Ada', '2026-01-31', 'x' * 3000))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "pq"]
    assert [process.wait() for process in running] == [0, 0]
    found = load_reviews(path)
    assert (len(found), found.faults) == (80, ())


def test_without_a_file_there_are_no_reviews(tmp_path: Path) -> None:
    assert len(load_reviews(tmp_path / "reviews.jsonl")) == 0


def test_a_file_that_cannot_be_read_or_written_is_told_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    path.mkdir()
    with pytest.raises(ReviewError, match=r"reviews\.jsonl: cannot be read"):
        load_reviews(path)
    with pytest.raises(ReviewError, match=r"reviews\.jsonl: the review cannot be kept"):
        add_review(path, said())
