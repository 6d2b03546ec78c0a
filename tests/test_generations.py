"""Builds are published in one step, kept while somebody reads them, and made by one builder at a time."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import generation_builds as builds
import pyoxigraph as ox
import pytest

from kb.errors import BuildLockedError, GenerationError, NoKnowledgeBaseError
from kb.generations import Generation, Generations
from kb.generations._process import Process
from kb.graph.store import content_digest


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    return tmp_path / "kg"


def names(generations: Generations) -> list[str]:
    return [generation.name for generation in generations.list()]


class Other:
    """Another process that runs some code with `generations` at hand, says so, and waits to be ended."""

    def __init__(self, kg: Path, code: str) -> None:
        program = f"""
            import sys, time
            from pathlib import Path
            from kb.generations import Generation, Generations
            generations = Generations(Path({str(kg)!r}))
            {code}
            print("ready", flush=True)
            sys.stdin.read()
        """
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self) -> Other:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


# -- publishing ------------------------------------------------------------


def test_before_the_first_build_there_is_nothing(kg: Path) -> None:
    generations = Generations(kg)
    assert generations.current() is None
    assert generations.list() == []
    assert generations.describe() == []
    with pytest.raises(NoKnowledgeBaseError, match="run `kb build`"):
        generations.acquire()
    assert not kg.exists()


def test_a_build_is_published_whole(kg: Path) -> None:
    generations = Generations(kg)
    generation = builds.build(generations, 1)
    assert generations.current() == generation
    assert builds.answers(generation) == builds.wanted(1)
    assert generation.read("catalogue.json") == b'{"version": 1}\n'
    assert set(generation.meta["files"]) == {"catalogue.json", "vocabulary/ontology.nt"}
    assert generation.meta["version"] == 1
    assert generation.meta["parent"] is None
    generation.verify(deep=True)


def test_a_later_build_shares_what_did_not_change_and_leaves_its_parent_alone(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    files = {path.name: path.read_bytes() for path in first.graph_path.iterdir()}
    second = builds.build(generations, 2)
    assert second.meta["parent"] == first.name
    assert (builds.answers(first), builds.answers(second)) == (builds.wanted(1), builds.wanted(2))
    assert {path.name: path.read_bytes() for path in first.graph_path.iterdir()} == files
    inodes = {path.stat().st_ino for path in first.graph_path.iterdir()}
    assert inodes & {path.stat().st_ino for path in second.graph_path.iterdir()}
    for generation in (first, second):
        generation.verify(deep=True)


def test_many_builds_upon_another_equal_one_from_nothing(kg: Path) -> None:
    generations = Generations(kg)
    for version in range(1, 9):
        last = builds.build(generations, version)
    fresh = builds.build(Generations(kg.with_name("other")), 8)
    for key in ("quads", "digest"):
        assert last.meta["graph"][key] == fresh.meta["graph"][key]
    assert content_digest(last.open_store()) == (last.meta["graph"]["quads"], int(last.meta["graph"]["digest"], 16))
    assert len(names(generations)) == 2


def test_what_was_copied_is_all_there_also_in_a_copy_of_the_copy(kg: Path) -> None:
    """A backup from a read-only handle leaves out what was not flushed; what is published is flushed."""
    generation = builds.build(Generations(kg), 1)
    generation.open_store().backup(str(kg / "copy"))
    assert content_digest(ox.Store.read_only(str(kg / "copy")))[0] == generation.meta["graph"]["quads"]


def test_a_draft_that_is_not_published_leaves_nothing(kg: Path) -> None:
    generations = Generations(kg)
    with generations.lock(), generations.begin(None, builds.IRIS) as draft:
        draft.writer.replace(builds.IRIS.page_graph("p"), builds.facts(0, 0))
        draft.write("a/b.txt", "text")
    assert generations.current() is None
    assert list(generations.folder.iterdir()) == []
    with pytest.raises(GenerationError, match="already published or abandoned"):
        draft.publish({})


def test_a_draft_whose_graph_is_not_touched_keeps_its_parents(kg: Path) -> None:
    generations = Generations(kg)
    builds.build(generations, 1)
    with generations.lock(), generations.begin(generations.current(), builds.IRIS) as draft:
        generation = draft.publish({"note": "only the meta changed"})
    assert builds.answers(generation) == builds.wanted(1)
    generation.verify(deep=True)


def test_a_handle_left_open_on_the_draft_cannot_write_to_what_was_published(kg: Path) -> None:
    generations = Generations(kg)
    with generations.lock(), generations.begin(None, builds.IRIS) as draft:
        store = draft.store
        draft.writer.replace(builds.IRIS.page_graph("p"), builds.facts(0, 0))
        generation = draft.publish({})
    files = sorted(path.name for path in generation.graph_path.iterdir())
    store.add(ox.Quad(builds.node("late"), builds.node("p"), builds.node("o")))
    assert sorted(path.name for path in generation.graph_path.iterdir()) == files
    generation.verify(deep=True)


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x", "graph/x", "meta.json"])
def test_files_of_a_draft_stay_inside_it(kg: Path, name: str) -> None:
    generations = Generations(kg)
    refused = pytest.raises(ValueError, match="not a name")
    with generations.lock(), generations.begin(None, builds.IRIS) as draft, refused:
        draft.write(name, "x")


def test_the_layouts_own_keys_are_not_the_builders(kg: Path) -> None:
    generations = Generations(kg)
    with generations.lock(), generations.begin(None, builds.IRIS) as draft, pytest.raises(ValueError, match="format"):
        draft.publish({"format": 7})


def test_beginning_needs_the_lock(kg: Path) -> None:
    with pytest.raises(RuntimeError, match="lock"):
        Generations(kg).begin(None, builds.IRIS)


# -- readers ---------------------------------------------------------------


def test_a_reader_keeps_what_it_opened(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    opened, pin = generations.acquire()
    store = opened.open_store()
    for version in range(2, 6):
        builds.build(generations, version)
    generations.prune(keep=1)
    assert opened == first
    assert names(generations) == [first.name, generations.list()[-1].name]
    assert builds.facts_in(store) == builds.wanted(1)
    pin.close()
    assert generations.prune(keep=1) == [first.name]


def test_a_generation_that_another_process_reads_is_not_pruned_until_it_dies(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    with Other(kg, "held = generations.acquire()") as other:
        builds.build(generations, 2)
        assert generations.prune(keep=1) == []
        assert generations.pins() == {first.name: [other.process.pid]}
        other.kill()
        assert generations.prune(keep=1) == [first.name]
        assert list((kg / "pins").iterdir()) == []


def test_a_recycled_process_number_does_not_count(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    pins = kg / "pins"
    pins.mkdir(exist_ok=True)
    me = Process.current().to_json()
    for number, change in enumerate(({}, {"start": 1}, {"boot": "another"}, {"pid": 2**22 + 1})):
        record = {**me, **change, "unlocked": True}
        (pins / f"{first.name}.{record['pid']}-{number}").write_text(json.dumps(record))
    (pins / f"{first.name}.{os.getpid()}-locked").write_text(json.dumps(me))  # its lock is gone
    (pins / f"{first.name}.1-half").write_text('{"pid": ')
    assert generations.pins() == {first.name: [os.getpid()]}
    assert len(list(pins.iterdir())) == 1


def test_a_pin_survives_the_end_of_a_forked_child(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    pin = generations.pin(first)
    child = multiprocessing.get_context("fork").Process(target=pin.close)
    child.start()
    child.join()
    assert generations.pins() == {first.name: [os.getpid()]}
    pin.close()
    assert generations.pins() == {}


def test_a_reader_that_pins_while_its_generation_is_pruned_gets_it_back_or_is_told(kg: Path, monkeypatch: Any) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    builds.build(generations, 2)
    real, pins = Path.rename, []

    def rename(path: Path, target: Path) -> Path:
        if path == first.path and not pins:
            pins.append(generations.pin(first))
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    assert generations.prune(keep=1) == []
    assert builds.answers(first) == builds.wanted(1)
    pins[0].close()
    assert generations.prune(keep=1) == [first.name]
    with pytest.raises(GenerationError, match="no such generation"):
        generations.acquire(first.name)


def test_a_reader_that_looked_before_a_publication_and_opens_after_it_gets_the_new_one(kg: Path) -> None:
    class Slow(Generations):
        def get(self, name: str) -> Generation:
            if name == first.name and not removed:
                builds.build(Generations(kg), 2)
                removed.extend(Generations(kg).prune(keep=1))
            return super().get(name)

    first, removed = builds.build(Generations(kg), 1), list[str]()
    generation, pin = Slow(kg).acquire()
    assert removed == [first.name]
    assert builds.answers(generation) == builds.wanted(2)
    pin.close()


def test_where_no_pin_can_be_written_reading_goes_on(kg: Path) -> None:
    generations = Generations(kg)
    builds.build(generations, 1)
    (kg / "pins").write_text("a file where the folder should be")
    generation, pin = generations.acquire()
    assert pin.path is None
    assert builds.answers(generation) == builds.wanted(1)
    pin.close()


def test_readers_come_and_go_while_generations_are_published_and_pruned(kg: Path) -> None:
    """Every reader finds one version, whole, whatever is published and removed around it."""
    generations = Generations(kg)
    builds.build(generations, 0)
    code = textwrap.indent(
        textwrap.dedent(f"""
            sys.path.insert(0, {str(Path(builds.__file__).parent)!r})
            import generation_builds as builds
            print("ready", flush=True)
            seen = set()
            while not (Path({str(kg)!r}) / "stop").exists():
                generation, pin = generations.acquire()
                for _ in range(2):
                    assert builds.answers(generation) == builds.wanted(generation.meta["version"])
                seen.add(generation.name)
                pin.close()
            print(len(seen), flush=True)
        """),
        " " * 12,
    )
    with Other(kg, code.lstrip()) as one, Other(kg, code.lstrip()) as two:
        for version in range(1, 13):
            builds.build(generations, version)
            generations.prune(keep=1)
        (kg / "stop").touch()
        for reader in (one, two):
            assert reader.process.stdout is not None
            assert int(reader.process.stdout.readline()) > 1
    assert generations.pins() == {}
    generations.prune(keep=1)
    assert len(names(generations)) == 1


# -- one builder -----------------------------------------------------------


def test_a_second_builder_is_told_who_holds_the_lock_and_since_when(kg: Path) -> None:
    generations = Generations(kg)
    with Other(kg, "held = generations.lock(); held.__enter__()") as other:
        with pytest.raises(BuildLockedError, match=rf"process {other.process.pid} .* since 20\d\d-") as caught:
            builds.build(generations, 1)
        assert caught.value.exit_code == 3
        with pytest.raises(BuildLockedError):
            generations.prune()
        other.kill()
        builds.build(generations, 1)


def test_the_lock_is_not_taken_twice_in_one_process(kg: Path) -> None:
    with Generations(kg).lock(), pytest.raises(BuildLockedError, match=f"process {os.getpid()}"):
        builds.build(Generations(kg), 1)


def test_a_worker_that_outlives_its_killed_builder_does_not_keep_the_lock(kg: Path) -> None:
    code = (
        "import os; held = generations.lock(); held.__enter__(); forked, tell = os.pipe(); "
        "os.fork() or (os.write(tell, b'.'), sys.stdin.read(), os._exit(0)); os.read(forked, 1)"
    )
    with Other(kg, code) as other:
        other.process.kill()
        other.process.wait()
        builds.build(Generations(kg), 1)


def test_leftovers_of_killed_builds_go_when_the_next_build_starts(kg: Path) -> None:
    generations = Generations(kg)
    builds.build(generations, 1)
    for name in (".draft-gen-000002-abcdef", ".work-gen-000002-abcdef", ".trash-gen-000000-abcdef"):
        (generations.folder / name / "graph").mkdir(parents=True)
    (kg / ".CURRENT-abcd").write_text("gen-")
    with generations.lock():
        assert names(generations) == [path.name for path in generations.folder.iterdir()]
        assert not list(kg.glob(".*"))


# -- going back, pruning ---------------------------------------------------


def test_rollback_makes_an_older_generation_current_and_the_next_build_starts_there(kg: Path) -> None:
    generations = Generations(kg)
    first, second = builds.build(generations, 1), builds.build(generations, 2)
    assert generations.rollback(first.name) == first
    assert generations.current() == first
    third = builds.build(generations, 3)
    assert third.meta["parent"] == first.name
    assert third.number > second.number
    with pytest.raises(GenerationError, match=f"there are: {second.name}, {third.name}"):
        generations.rollback("gen-000099-abcdef")


def test_prune_keeps_the_newest_the_current_and_no_wreck(kg: Path) -> None:
    generations = Generations(kg)
    first = builds.build(generations, 1)
    second = builds.build(generations, 2)
    generations.rollback(first.name)
    (generations.folder / "gen-000009-abcdef").mkdir()
    assert generations.prune(keep=1) == ["gen-000009-abcdef"]
    assert names(generations) == [first.name, second.name]
    with pytest.raises(ValueError, match="at least one"):
        generations.prune(keep=0)


def test_describe_tells_what_a_person_wants_to_know(kg: Path) -> None:
    generations = Generations(kg)
    first, second = builds.build(generations, 1), builds.build(generations, 2)
    (first.path / "catalogue.json").write_text("{}")
    with generations.pin(first):
        rows = generations.describe()
    assert [(row["name"], row["current"], row["pinned"]) for row in rows] == [
        (first.name, False, [os.getpid()]),
        (second.name, True, []),
    ]
    assert "catalogue.json" in rows[0]["problem"]
    assert rows[1]["problem"] is None
    assert rows[1]["quads"] == len(second.open_store())
    json.dumps(rows)
