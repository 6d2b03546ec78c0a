"""Damaged, half-written and unwritable store folders: a clear sentence, the command that repairs, nothing lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import generation_builds as builds
import pyoxigraph as ox
import pytest

from kb.errors import GenerationError
from kb.generations import Generation, Generations
from kb.generations._files import file_digest
from kb.generations.generation import sealed


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage") / "kg"
    builds.build(Generations(folder), 1)
    builds.build(Generations(folder), 2)
    return folder


@pytest.fixture
def kg(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "kg"))


def current(kg: Path) -> Generation:
    generation = Generations(kg).current()
    assert generation is not None
    return generation


def flip(path: Path, at: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int((len(data) - 1) * at)] ^= 0x20
    path.write_bytes(data)


def tables(generation: Generation) -> list[Path]:
    return sorted(generation.graph_path.glob("*.sst"))


def rewrite_meta(generation: Generation, change: Callable[[dict[str, object]], object]) -> None:
    meta = json.loads((generation.path / "meta.json").read_bytes())
    del meta["digest"]
    change(meta)
    (generation.path / "meta.json").write_bytes(sealed(meta))


def repaired(kg: Path) -> None:
    """`kb build --force` starts from nothing and puts everything right."""
    after = builds.build(Generations(kg), 5, force=True)
    assert current(kg) == after
    after.verify(deep=True)
    assert builds.answers(after) == builds.wanted(5)


# -- what `current()` finds --------------------------------------------------

CURRENT_DAMAGE: dict[str, Callable[[Path], object]] = {
    "CURRENT is empty": lambda kg: (kg / "CURRENT").write_bytes(b""),
    "CURRENT is garbage": lambda kg: (kg / "CURRENT").write_bytes(b"\xff\xfe\x00garbage"),
    "CURRENT leads out of the folder": lambda kg: (kg / "CURRENT").write_text("../../etc"),
    "CURRENT names a missing generation": lambda kg: (kg / "CURRENT").write_text("gen-000077-abcdef\n"),
    "CURRENT is a folder": lambda kg: ((kg / "CURRENT").unlink(), (kg / "CURRENT").mkdir()),
    "meta.json is missing": lambda kg: (current(kg).path / "meta.json").unlink(),
    "meta.json is empty": lambda kg: (current(kg).path / "meta.json").write_bytes(b""),
    "meta.json is cut": lambda kg: os.truncate(current(kg).path / "meta.json", 300),
    "meta.json is a list": lambda kg: (current(kg).path / "meta.json").write_text("[]"),
    "meta.json has a flipped bit": lambda kg: flip(current(kg).path / "meta.json", 0.7),
    "meta.json is another generation's": lambda kg: shutil.copy(
        Generations(kg).list()[0].path / "meta.json", current(kg).path / "meta.json"
    ),
    "the format is of a later version": lambda kg: rewrite_meta(current(kg), lambda meta: meta.update(format=99)),
}


@pytest.mark.parametrize("damage", CURRENT_DAMAGE.values(), ids=CURRENT_DAMAGE)
def test_what_opening_finds_is_told_and_repaired(kg: Path, damage: Callable[[Path], object]) -> None:
    damage(kg)
    with pytest.raises(GenerationError, match=r"kb build --force") as caught:
        Generations(kg).current()
    assert str(kg) in str(caught.value)
    assert "\n" not in str(caught.value)
    Generations(kg).describe()
    repaired(kg)


@pytest.mark.parametrize("damage", CURRENT_DAMAGE.values(), ids=CURRENT_DAMAGE)
def test_one_can_go_back_to_an_older_generation(kg: Path, damage: Callable[[Path], object]) -> None:
    damage(kg)
    generations = Generations(kg)
    if (kg / "CURRENT").is_dir():
        (kg / "CURRENT").rmdir()
    older = generations.list()[0]
    assert generations.rollback(older.name) == older
    assert builds.answers(current(kg)) == builds.wanted(1)


# -- what `verify()` finds ---------------------------------------------------

CONTENT_DAMAGE: dict[str, Callable[[Generation], object]] = {
    "a file is missing": lambda one: (one.path / "catalogue.json").unlink(),
    "a file has a flipped bit": lambda one: flip(one.path / "catalogue.json"),
    "a file is cut": lambda one: os.truncate(one.path / "vocabulary" / "ontology.nt", 3),
    "the graph is missing": lambda one: shutil.rmtree(one.graph_path),
    "the graph is empty": lambda one: (shutil.rmtree(one.graph_path), one.graph_path.mkdir()),
    "the graph lacks a table": lambda one: tables(one)[0].unlink(),
    "the graph lacks its manifest": lambda one: next(one.graph_path.glob("MANIFEST*")).unlink(),
    "the graph's manifest has a flipped bit": lambda one: flip(next(one.graph_path.glob("MANIFEST*"))),
    "the graph's CURRENT is garbage": lambda one: (one.graph_path / "CURRENT").write_text("garbage"),
    "the graph's tables are cut": lambda one: [os.truncate(path, 100) for path in tables(one)],
}


@pytest.mark.parametrize("damage", CONTENT_DAMAGE.values(), ids=CONTENT_DAMAGE)
def test_what_a_check_finds_is_told_and_repaired(kg: Path, damage: Callable[[Generation], object]) -> None:
    damage(current(kg))
    with pytest.raises(GenerationError, match="kb build --force") as caught:
        current(kg).verify()
    assert str(kg) in str(caught.value)
    assert current(kg).problem == str(caught.value)
    with pytest.raises(GenerationError):
        Generations(kg).rollback(current(kg).name)
    repaired(kg)


def test_a_build_upon_a_damaged_table_names_the_command_that_helps(kg: Path, tmp_path: Path) -> None:
    for number, table in enumerate(tables(current(kg))):
        copy = Path(shutil.copytree(kg, tmp_path / table.name))
        damaged = copy / table.relative_to(kg)
        flip(damaged, number / len(tables(current(kg))))
        with pytest.raises(GenerationError, match=rf"{table.name}.*kb build --force"):
            builds.build(Generations(copy), 3)
        with pytest.raises(GenerationError, match=rf"{table.name}.*kb build --force"):
            current(copy).open_store()


def test_damage_that_leaves_no_trace_in_the_times_is_found_by_a_build_and_a_copy(kg: Path, tmp_path: Path) -> None:
    table = tables(current(kg))[0]
    stat = table.stat()
    flip(table, 0.5)
    os.utime(table, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(GenerationError, match=table.name):
        current(Path(shutil.copytree(kg, tmp_path / "copy"))).open_store()


def test_a_flipped_bit_anywhere_in_the_graphs_tables_is_found_by_a_deep_check(kg: Path) -> None:
    generation = current(kg)
    assert len(tables(generation)) > 5
    for number, path in enumerate(tables(generation)):
        data = path.read_bytes()
        flip(path, number / len(tables(generation)))
        with pytest.raises(GenerationError, match=r"damaged|does not open"):
            generation.verify(deep=True)
        path.write_bytes(data)
    generation.verify(deep=True)


def test_another_program_that_opened_the_graph_for_writing_is_noticed_only_when_it_wrote(kg: Path) -> None:
    generation = current(kg)
    store = ox.Store(str(generation.graph_path))
    store.flush()
    del store
    generation.verify(deep=True)
    store = ox.Store(str(generation.graph_path))
    store.add(ox.Quad(builds.node("s"), builds.node("p"), builds.node("o")))
    store.flush()
    del store
    with pytest.raises(GenerationError, match="other quads than were published"):
        generation.verify(deep=True)


def test_a_build_upon_a_damaged_graph_fails_and_leaves_it_as_it_is(kg: Path) -> None:
    generation = current(kg)
    tables(generation)[0].unlink()
    before = {path: file_digest(path) for path in kg.rglob("*") if path.is_file() and path.name != "lock"}
    with pytest.raises(GenerationError, match="kb build --force"):
        builds.build(Generations(kg), 3)
    assert {path: file_digest(path) for path in kg.rglob("*") if path.is_file() and path.name != "lock"} == before


def large(kg: Path) -> Generation:
    """A generation whose graph RocksDB does not read whole when it opens it."""
    generations = Generations(kg)
    with generations.lock(), generations.begin(None, builds.IRIS) as draft:
        facts = [ox.Triple(builds.node(f"s{n}"), builds.node("p"), builds.node(f"o{n}")) for n in range(3000)]
        draft.writer.replace(builds.IRIS.page_graph("p"), facts)
        return draft.publish({})


def test_damage_that_shows_while_reading_is_a_clear_error(kg: Path) -> None:
    generation = large(kg)
    store = generation.open_store()
    for path in tables(generation):
        if path.stat().st_size > 20_000:
            flip(path, 0.4)
    with pytest.raises(GenerationError, match=r"damaged or removed.*kb build --force"), generation.reading():
        list(store.query("SELECT * { ?s ?p ?o }"))


def test_a_generation_that_is_removed_under_a_reader_goes_on_or_is_a_clear_error(kg: Path) -> None:
    generation = large(kg)
    store = generation.open_store()
    shutil.rmtree(generation.path)
    try:
        with generation.reading():
            assert len(list(store.query("SELECT * { ?s ?p ?o }"))) == 3000
    except GenerationError as err:
        assert "removed" in str(err)  # noqa: PT017 - either outcome is right


def test_other_errors_pass_through_reading(kg: Path) -> None:
    with pytest.raises(RecursionError), current(kg).reading():
        raise RecursionError("too deep")


# -- folders that cannot be written ------------------------------------------


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Rights of files mean nothing to the superuser."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(kg: Path) -> Iterator[Path]:
    folders = [kg, *(path for path in kg.rglob("*") if path.is_dir())]
    for folder in [*kg.parents[:4], *folders]:
        folder.chmod(0o555 if folder in folders else 0o755)
    yield kg
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_folder_can_be_read(read_only: Path, as_nobody: None) -> None:
    generation, pin = Generations(read_only).acquire()
    assert pin.path is None
    generation.verify(deep=True)
    assert builds.answers(generation) == builds.wanted(2)
    pin.close()


def test_a_read_only_folder_cannot_be_built_in(read_only: Path, as_nobody: None) -> None:
    with pytest.raises(GenerationError, match="cannot be locked: Permission denied; give yourself the right"):
        builds.build(Generations(read_only), 3)


def test_a_file_where_the_store_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "kg").write_text("not a folder")
    with pytest.raises(GenerationError, match="cannot be locked"):
        builds.build(Generations(tmp_path / "kg"), 1)
    with pytest.raises(GenerationError, match="CURRENT"):
        Generations(tmp_path / "kg").current()


# -- a full disk -------------------------------------------------------------


def unchanged(kg: Path, version: int) -> None:
    generation = current(kg)
    generation.verify(deep=True)
    assert builds.answers(generation) == builds.wanted(version)
    assert list(kg.rglob(".*")) == []


@pytest.mark.parametrize("call", range(12))
def test_a_full_disk_at_any_sync_leaves_what_was_there(kg: Path, call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.fsync, 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == call + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(GenerationError, match="No space left on device; free some space and build again"):
        builds.build(Generations(kg), 3)
    assert calls == call + 1
    unchanged(kg, 2)
    builds.build(Generations(kg), 3)
    unchanged(kg, 3)


def test_a_store_that_cannot_grow_is_a_clear_error(kg: Path) -> None:
    """RocksDB itself meets the limit: every file may have 4 KiB at most."""
    program = """
        import sys; from pathlib import Path; import generation_builds as builds; from kb.generations import Generations
        from kb.errors import GenerationError
        try: builds.build(Generations(Path(sys.argv[1])), 3)
        except GenerationError as err: print(err); sys.exit(3)
    """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in program.splitlines()), str(kg)],
        cwd=Path(builds.__file__).parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (3, "")
    assert "File too large" in done.stdout
    unchanged(kg, 2)
