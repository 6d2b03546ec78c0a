"""The group of commands: help at once, errors as one message with the right exit code."""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_help import ROOT, Kb, Ran, kb_process, write_wiki

import kb
from kb import __version__
from kb.cli.main import COMMANDS, cli, run
from kb.errors import KbError, SourceError

SLOW = {"rdflib", "numpy", "openai", "pyoxigraph", "rich", "pyshacl", "owlrl", "yaml", "httpx", "kb.vocabulary"}


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand with its full name."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield f"kb {name}", command
        if isinstance(command, click.Group):
            for sub in command.list_commands(context):
                inner = command.get_command(context, sub)
                assert inner is not None
                yield f"kb {name} {sub}", inner


# -- help ------------------------------------------------------------------------


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["--version"], ["build", "--help"], ["query", "--help"], []])
def test_help_imports_nothing_that_is_slow(args: list[str]) -> None:
    code = (
        "import sys\nfrom kb.cli.main import run\n"
        f"run({args!r})\n"
        f"slow = {SLOW!r} & set(sys.modules)\n"
        "assert not slow, slow"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_group_imports_only_the_command_that_runs() -> None:
    code = (
        "import sys\nfrom kb.cli.main import run\nrun(['status', '--help'])\n"
        "print(sorted(m for m in sys.modules if m.startswith('kb.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    loaded = done.stdout.decode().splitlines()[-1]
    assert loaded == "['kb.cli._options', 'kb.cli._output', 'kb.cli._table', 'kb.cli.main', 'kb.cli.status']"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_one_line_in_the_list_is_the_first_line_of_the_commands_help(name: str) -> None:
    command = importlib.import_module(f"kb.cli.{name}").command
    assert COMMANDS[name] == (command.help or "").splitlines()[0]
    assert len(f"  {'generations':<11}  {COMMANDS[name]}") <= 80, "the list fits a terminal, a line for each"


@pytest.mark.parametrize(("name", "command"), list(all_commands()))
def test_every_command_and_every_option_says_what_it_does(name: str, command: click.Command) -> None:
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"
            assert re.search(r"\.$|\[default: [^\]]+\]$", parameter.help), f"{name} {parameter.opts}: {parameter.help}"


@pytest.mark.parametrize(("name", "command"), list(all_commands()))
def test_every_command_prints_json_or_has_a_format(name: str, command: click.Command) -> None:
    options = {text for parameter in command.params for text in parameter.opts}
    assert "--json" in options or "--format" in options
    assert "--kb" in options or name.startswith(("kb init", "kb models"))  # these work without one


def test_the_list_of_commands_holds_them_all(cmd: Kb) -> None:
    ran = cmd("--help")
    assert ran.code == 0
    assert [
        line.split()[0] for line in ran.out.splitlines() if line[:2] == "  " and line[2:].split(" ")[0] in COMMANDS
    ] == (list(COMMANDS))
    assert "Exit codes: 0 done; 1" in ran.out


def test_the_version_is_the_packages(cmd: Kb) -> None:
    assert cmd("--version").out == f"kb, version {__version__}\n"


# -- errors ------------------------------------------------------------------------


def test_an_unknown_command_is_wrong_usage_and_a_similar_one_is_named(cmd: Kb) -> None:
    ran = cmd("bild")
    assert (ran.code, ran.out) == (2, "")
    assert "There is no command 'bild'; did you mean 'build'?" in ran.err


def test_an_unknown_option_is_wrong_usage(cmd: Kb) -> None:
    ran = cmd("build", "--forse")
    assert (ran.code, ran.out) == (2, "")
    assert "--forse" in ran.err


@pytest.mark.parametrize("name", ["build", "status", "validate", "export", "generations"])
def test_a_folder_without_kb_toml_could_not_run(cmd: Kb, tmp_path: Path, name: str) -> None:
    ran = cmd(name, "--kb", tmp_path)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == f"Error: {tmp_path}: no kb.toml here; run `kb init` to make one, or name the folder with --kb\n"


@pytest.mark.parametrize("args", [["status"], ["ask", "who owns cart"], ["query", "-"], ["export"], ["validate"]])
def test_before_the_first_build_there_is_nothing_to_ask(
    cmd: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"ASK {}")))
    ran = cmd(*args, "--kb", write_wiki(tmp_path))
    assert (ran.code, ran.out) == (3, "")
    assert "run `kb build`" in ran.err


class _OddError(KbError):
    exit_code = 1


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KbError("what failed; what to do"), 3, "Error: what failed; what to do\n"),
        (_OddError("not as it should be"), 1, "Error: not as it should be\n"),
        (SourceError("two faults"), 1, "Error: two faults\n"),
        (PermissionError(13, "Permission denied", "pages/a.md"), 3, "Error: pages/a.md: Permission denied\n"),
        (OSError("disk full"), 3, "Error: disk full\n"),
        (MemoryError(), 3, "Error: out of memory\n"),
        (KeyboardInterrupt(), 130, "\nStopped.\n"),
    ],
)
def test_every_error_is_one_message_with_its_exit_code(
    cmd: Kb, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, says: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(kb, "build", fail)
    assert cmd("build", "--json") == Ran(code, "", says)


@pytest.mark.parametrize("args", [["query", "-"], ["ask", "--plan", "-"]])
def test_input_that_is_no_text_is_wrong_usage(tmp_path: Path, args: list[str]) -> None:
    ran = kb_process(*args, "--kb", tmp_path, stdin=b"ab\xff")
    assert (ran.code, ran.out) == (2, "")
    assert "Standard input is not UTF-8 text: byte 2 is 0xff." in ran.err


def test_a_terminal_that_lacks_letters_is_no_reason_to_fail(tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    assert kb_process("build", "--kb", folder).code == 0
    ran = kb_process("ask", "who owns shop", "--kb", folder, PYTHONIOENCODING="iso8859-1")
    assert (ran.code, ran.err) == (0, "")
    assert "shop: ?Shop is owned by Web Crew.?" in ran.out


def test_a_fault_of_kb_is_told_as_one_and_shown_only_on_demand(cmd: Kb, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(kb, "build", fail)
    ran = cmd("build")
    assert ran.code == 3
    assert ran.err.startswith("Error: unexpected ZeroDivisionError: by zero\n")
    assert "Traceback" not in ran.err
    monkeypatch.setenv("KB_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(["build"])


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    code = (
        "from kb.cli.main import COMMANDS, main; "
        "COMMANDS.update({str(n): 'x' * 70 for n in range(9999)}); main(['--help'])"
    )
    command = f'{sys.executable} -c "{code}" | head -c 10'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stdout == b"Usage: kb "
    assert done.stderr == b""


def test_an_interrupt_stops_a_query_at_once_and_leaves_no_process(tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    assert kb_process("build", "--kb", folder).code == 0
    endless = folder / "endless.rq"
    endless.write_text(
        "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s }", encoding="utf-8"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "kb.cli", "query", str(endless), "--kb", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # Whoever runs the tests in the background has this signal ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not (children := _children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"\nStopped.\n")
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except FileNotFoundError:
        pytest.skip("the system does not tell the children of a process")
    return [int(child) for child in text.split()]


def test_a_query_that_runs_forever_ends_with_exit_code_3_and_nothing_on_stdout(cmd: Kb, tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    assert cmd("build", "--kb", folder).code == 0
    (folder / "endless.rq").write_text(
        "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?l ?i ?f ?c", encoding="utf-8"
    )
    ran = cmd("query", folder / "endless.rq", "--timeout", "1", "--kb", folder)
    assert (ran.code, ran.out) == (3, "")
    assert "stopped after 1 seconds" in ran.err
    assert "--timeout" in ran.err


def test_json_is_one_document_on_stdout_whatever_goes_to_stderr(cmd: Kb, tmp_path: Path) -> None:
    ran = cmd("build", "--json", "--kb", write_wiki(tmp_path))
    assert json.loads(ran.out)["changed"] is True
    assert ran.err == ""


def test_a_bar_shows_progress_on_a_terminal_and_nothing_shows_in_a_pipe(tmp_path: Path) -> None:
    folder = write_wiki(tmp_path)
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "kb.cli", "build", "--json", "--kb", str(folder)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    assert b"pages" in shown
    assert b"3/3" in shown
    assert json.loads(out)["changed"] is True
    assert kb_process("build", "--force", "--json", "--kb", folder).err == ""
