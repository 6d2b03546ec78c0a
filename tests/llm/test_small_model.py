"""A real server and a real model, end to end. What it answers is worthless; what `kb` makes of that is the test."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from pipeline_help import quads, write_page
from small_model import MODEL, Built, command, ferries, kb, move, served

from kb.generations import Generations
from kb.records import Reading, load_records

# Builds of session fixtures count as the first test's time.
pytestmark = [pytest.mark.llm, pytest.mark.timeout(900)]


def readings(folder: Path) -> list[tuple[str, Reading]]:
    """(page, reading) of all that pages state in the published generation."""
    generation = Generations(folder / "kg").current()
    assert generation is not None
    records = load_records(generation)
    return [(page, one) for (kind, page), record in records.items() if kind == "page" for one in record.readings]


def outcome(folder: Path) -> list[tuple[str, str, str, str, bool, str | None]]:
    """Every statement and its fate, without when and how it was read."""
    return sorted(
        (page, one.statement.subject, one.statement.relation, one.statement.object, one.accepted, one.reason)
        for page, one in readings(folder)
    )


def copied(base: Built, folder: Path, *, without: tuple[str, ...] = ()) -> Path:
    shutil.copytree(base.folder, folder, ignore=shutil.ignore_patterns(*without))
    return folder


def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def address_of(folder: Path) -> str:
    (line,) = (one for one in (folder / "kb.toml").read_text().splitlines() if one.startswith("base_url"))
    return str(json.loads(line.partition("=")[2]))


def kept_replies(folder: Path) -> int:
    path = folder / "kg" / "journal" / "replies.sqlite"
    with closing(sqlite3.connect(path, timeout=30)) as journal:
        if not journal.execute("SELECT 1 FROM sqlite_master WHERE name = 'reply'").fetchone():
            return 0
        return int(journal.execute("SELECT count(*) FROM reply").fetchone()[0])


def test_the_server_takes_a_schema_which_is_found_out_and_remembered(base: Built, address: str) -> None:
    known = json.loads((base.folder / "kg" / "journal" / "endpoint.json").read_text())
    assert known == {
        f"{address} {MODEL}": {"format": "json_schema", "limit": "max_tokens", "strict": True, "temperature": True}
    }
    asked = base.report["llm"]
    assert asked["modes"] == ["json_schema"]
    assert asked["requests"] >= base.report["pages"]["total"]
    assert (asked["from_journal"], asked["estimated"]) == (0, False)


def test_a_build_ends_with_0_or_with_1_and_the_pages_that_failed(base: Built) -> None:
    faults = base.report["faults"]
    assert base.code == (1 if faults else 0)
    assert base.report["pages"].get("failed", 0) == len(faults)
    assert base.stderr.splitlines() == [f"Error: {fault}" for fault in faults]
    assert all(fault.startswith("pages/") for fault in faults)
    assert base.report["warnings"] == []


def test_every_fact_stands_verbatim_on_its_page_between_things_of_the_catalogue(base: Built) -> None:
    ids = {one["id"] for one in yaml.safe_load((base.folder / "catalogue.yaml").read_text())["entities"]}
    for page, reading in readings(base.folder):
        if not reading.accepted:
            continue
        quote = reading.statement.evidence
        text = (base.folder / "pages" / f"{page}.md").read_text()
        assert quote is not None
        assert quote.quote
        assert text[quote.start : quote.end] == quote.quote
        assert reading.edge is not None
        assert {reading.edge[0], reading.edge[2]} <= ids


def test_whatever_the_model_states_is_a_fact_or_stands_among_the_rejections_with_a_reason(base: Built) -> None:
    found = readings(base.folder)
    rejections = base.report["rejections"]
    assert found, "the model stated nothing at all"
    assert all(row["code"] and row["reason"] for row in rejections)
    assert len(rejections) + sum(one.accepted for _, one in found) == len(found)
    listed = json.loads(kb(base.folder, "query", "list_rejections", "--json").stdout)["results"]["bindings"]
    assert {(row["subject"]["value"], row["relation"]["value"], row["object"]["value"]) for row in listed} == {
        (row["subject"], row["relation"], row["object"]) for row in rejections
    }

    accounted = {(page, one.statement.subject, one.statement.object) for page, one in found}
    stated = []
    for line in base.recording.read_text().splitlines()[1:]:
        reply = json.loads(line)
        if reply["finish"] == "stop":
            page = reply["label"].partition(" ")[0]
            stated += [(page, item["subject"], item["object"]) for item in json.loads(reply["text"])["statements"]]
    lost = [one for one in stated if one not in accounted]
    assert len(lost) <= base.report["llm"]["total"].get("dropped", 0), lost


def test_a_dry_run_says_within_a_seventh_what_the_server_then_counts_for_a_prompt(base: Built) -> None:
    # A reply that is cut off or unreadable is asked for again; what one prompt takes stays the same.
    expected, counted = base.dry["estimate"], base.report["llm"]
    ours, theirs = (one["prompt_tokens"] / one["requests"] for one in (expected, counted))
    assert expected["requests"] == base.report["pages"]["total"]
    assert ours == pytest.approx(theirs, rel=0.15)
    print(
        f"\n{base.folder.parent.name}: estimated {expected['requests']} requests, {expected['prompt_tokens']} in, "
        f"{expected['completion_tokens']} out; counted {counted['requests']} requests, {counted['prompt_tokens']} in, "
        f"{counted['completion_tokens']} out; {base.report['facts']} facts, {len(base.report['rejections'])} rejected"
    )


def test_a_second_build_and_one_without_the_graph_but_with_the_journal_ask_nothing(base: Built, tmp_path: Path) -> None:
    folder = copied(base, tmp_path / "base")
    move(folder, address_of(folder), nowhere())
    if base.code == 0:
        again = kb(folder, "build", "--json")
        assert (again.returncode, json.loads(again.stdout)["llm"]["requests"]) == (0, 0), again.stderr
        shutil.rmtree(folder / "kg" / "generations")
        (folder / "kg" / "CURRENT").unlink()
        anew = kb(folder, "build", "--json")
        report = json.loads(anew.stdout)
        assert (anew.returncode, report["llm"]["requests"]) == (0, 0), anew.stderr
        assert report["llm"]["from_journal"] == base.report["llm"]["requests"] - base.report["llm"]["retries"]
        assert outcome(folder) == outcome(base.folder)
    else:
        # The replies that could not be used are asked for again, and only those.
        assert kb(folder, "build").returncode == 3


def test_a_recording_gives_the_same_facts_without_the_server(base: Built, tmp_path: Path) -> None:
    folder = copied(base, tmp_path / "base", without=("kg",))
    move(folder, address_of(folder), nowhere())
    done = kb(folder, "build", "--json", "--replay", folder / base.recording.name)
    assert done.returncode == base.code, done.stderr
    assert json.loads(done.stdout)["llm"]["requests"] == 0
    assert outcome(folder) == outcome(base.folder)
    # The server names the model by the path of its file.
    rows = [json.loads(line) for line in base.recording.read_text().splitlines()]
    assert not any("/" in row["model"] for row in rows)


def test_a_server_that_is_killed_ends_the_build_with_3_and_what_was_published_stays(
    address: str, tmp_path: Path
) -> None:
    folder = ferries(tmp_path / "base", address)
    with served(tmp_path / "log.txt") as (mortal, server):
        move(folder, address, mortal)
        assert kb(folder, "build", "--reader", "phrases").returncode == 0
        published = (folder / "kg" / "CURRENT").read_bytes(), quads(folder)
        # An endpoint that answered before is given up after five pages in a row.
        later = [f"tern-{number}" for number in range(1, 6)]
        for name in later:
            write_page(folder, name, "# Tern\n\nThe tern is older than Osprey. Osprey calls at Selby Quay.\n")
        words, env = command(folder, "build", "--json")
        build = subprocess.Popen(words, env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: (folder / "kg" / "journal" / "replies.sqlite").is_file() and kept_replies(folder) > 0, build)
            server.kill()
            _, said = build.communicate(timeout=120)
        finally:
            build.kill()
    assert build.returncode == 3, said
    assert "every reply that came is kept" in said
    assert "Traceback" not in said
    assert ((folder / "kg" / "CURRENT").read_bytes(), quads(folder)) == published

    move(folder, mortal, address)
    for name in later:
        (folder / "pages" / f"{name}.md").unlink()
    rest = kb(folder, "build", "--json")
    assert rest.returncode in (0, 1), rest.stderr
    assert json.loads(rest.stdout)["llm"]["from_journal"] >= 1


def until(condition: Callable[[], bool], build: subprocess.Popen[str], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert build.poll() is None, build.communicate()
        assert time.monotonic() < end, "no reply came"
        time.sleep(0.05)
