"""README and docs show what the commands really print, name what is there, and leave no command out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_console import ROOT, Shell, document_steps, example_of, normalised, shell_for, steps

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_COMMANDS = [path for path in DOCUMENTS if document_steps(path)]
COMMANDS = (
    "init",
    "build",
    "status",
    "ask",
    "prompt",
    "search",
    "get",
    "related",
    "dedup",
    "query",
    "ontology",
    "validate",
    "reason",
    "export",
    "eval",
    "diff",
    "generations",
    "models",
)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=shown)
def test_commands_print_what_the_document_says(path: Path, tmp_path: Path) -> None:
    shell = shell_for(path, tmp_path)
    for step in document_steps(path):
        assert normalised(shell.run(step.command)) == normalised(step.output), f"$ {step.command} (make docs renews it)"


def test_the_start_that_the_readme_shows_works_in_an_empty_folder(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## Start with your own wiki")[1].split("```")[1]
    commands = [line.split(" #")[0].strip() for line in section.splitlines() if line.startswith("kb ")]
    shell = Shell(tmp_path, built=False)
    shell.folder = tmp_path / "my-wiki"
    shell.folder.mkdir()
    assert [command.split()[1] for command in commands] == ["init", "build", "ask"]
    assert "1 answer" in [shell.run(command) for command in commands][-1]


def python_blocks(path: Path) -> list[str]:
    return re.findall(r"(?<=^```python\n).*?(?=^```$)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if python_blocks(path)], ids=shown)
def test_python_in_the_documents_runs(path: Path, tmp_path: Path) -> None:
    Shell(tmp_path / "examples", built=True, example=example_of(path))
    for block in python_blocks(path):
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_first_screen_of_the_readme_has_commands_with_their_output() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:60])
    assert "$ kb build" in first_screen
    assert "$ kb ask" in first_screen


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help_in_the_docs(command: str) -> None:
    found = {step.command for step in document_steps(ROOT / "docs" / "commands.md")}
    assert f"kb {command} --help" in found


def test_the_docs_name_every_command_that_there_is(tmp_path: Path) -> None:
    help_text = shell_for(ROOT / "docs" / "commands.md", tmp_path).run("kb --help")
    listed = re.search(r"Commands:\n(.*?)\n\n", help_text + "\n\n", re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"(?m)^  (\w+)", listed[1])) == set(COMMANDS)


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_files_that_are_named_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"`((?:kb|docs|tests|ontology|shapes|queries|examples|benchmarks)/[\w./*-]*)`", text)
    assert [name for name in names if not (list(ROOT.glob(name)) or (ROOT / name).exists())] == []


def test_make_targets_that_are_named_are_there() -> None:
    targets = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    texts = [path.read_text(encoding="utf-8") for path in (*DOCUMENTS, ROOT / "benchmarks" / "README.md")]
    named = {name for text in texts for name in re.findall(r"(?:`|^|\n)make ([a-z][\w-]*)", text)}
    assert named - targets == set()
    assert {"demo", "test", "lint", "bench", "clean"} <= targets


def test_the_changelog_has_the_version_of_the_package() -> None:
    import kb

    assert f"\n## {kb.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_blocks_are_read_command_by_command() -> None:
    block = "$ one\na\n\nb\n\n$ two <<'END'\n$ not a command\nEND\nc\n"
    assert [(step.command, step.output) for step in steps(block)] == [
        ("one", "a\n\nb\n"),
        ("two <<'END'\n$ not a command\nEND", "c"),
    ]


def test_files_of_the_shell_are_executable_and_fail_on_errors() -> None:
    for name in (".ci/run", "examples/demo.sh"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(r"(?m)^set -eu", text)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["sh", "-n", ROOT / "examples" / "demo.sh"], check=True)
