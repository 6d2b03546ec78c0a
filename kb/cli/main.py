"""The group of commands, and the one place where errors become messages and exit codes.

A command's module is imported when the command runs, so `kb --help` costs next to nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from kb import __version__
from kb.errors import KbError

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS: dict[str, str] = {
    "init": "Make a folder a knowledge base, with something to start from.",
    "build": "Read pages, notes and catalogue; publish graph and index.",
    "status": "Show what the graph holds, and what has changed since.",
    "ask": "Answer a question, with the pages and quotes behind it.",
    "prompt": "Print what a model is asked about a page or a question.",
    "search": "Find the texts that fit a query best, by meaning and by words.",
    "get": "Show everything that is known about one thing.",
    "related": "Show what is linked to a field, concept, caveat, entity or page.",
    "dedup": "List what may be there twice, and remember what you say of it.",
    "query": "Run SPARQL: a named query, a file or standard input.",
    "ontology": "Show what kb understands of the ontology, or what it lacks.",
    "validate": "Check the graph against its shapes.",
    "reason": "Show what follows from the facts by the ontology, and why.",
    "export": "Write the graph for other tools: RDF, lists, pictures.",
    "eval": "Compare facts and answers with a gold set.",
    "diff": "Show what a build changed: facts with page and quote, and more.",
    "generations": "List, verify, prune and roll back the builds that are kept.",
    "models": "List and fetch the models that run on this machine.",
}
"""Command -> its help in one line. A test compares these lines with what the commands say themselves."""

INTERRUPTED = 130
EXIT_CODES = """\
Exit codes: 0 done; 1 the data do not conform, or an item failed; 2 wrong usage;
3 could not run (input missing, index damaged, build locked)."""


class _LazyGroup(click.Group):
    """A group that knows its commands by name, and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"kb.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(COMMANDS)}"
            raise click.UsageError(f"There is no command {args[0]!r}; {meant}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"\b\n{EXIT_CODES}",
)
@click.version_option(__version__, prog_name="kb")
def cli() -> None:
    """Turn an engineering wiki into a validated RDF graph, and ask it questions.

    Every command works on the knowledge base in the current folder or the nearest one above it that has a kb.toml,
    or on the one that --kb names.
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Runs `kb` and exits."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter shows another one in its place; that is no reason to fail.
            stream.reconfigure(errors="replace")
    code = run(args)
    if code == INTERRUPTED and threading.active_count() > 1:
        # Somebody pressed Ctrl-C again while replies on their way were waited for.
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Runs `kb`; returns its exit code. Everything that goes wrong becomes one message on standard error."""
    try:
        result: Any = cli.main(args=None if args is None else list(args), prog_name="kb", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.NoSuchOption as err:
        err.show()
        if err.ctx is not None and any(isinstance(one, click.Argument) for one in err.ctx.command.params):
            click.echo("What begins with - and is no option goes at the end, behind -- and in quotes.", err=True)
        return err.exit_code
    except click.ClickException as err:
        err.show()
        return err.exit_code
    except KbError as err:
        return _failed(str(err), err.exit_code)
    except (click.Abort, KeyboardInterrupt) as err:
        # click puts an error of its own around the one that knows what was kept.
        notes = [note for one in (err, err.__cause__) for note in getattr(one, "__notes__", ())]
        click.echo(" ".join(["Stopped.", *notes]), err=True)
        return INTERRUPTED
    except BrokenPipeError:
        return _broken_pipe()
    except MemoryError:
        return _failed("out of memory", 3)
    except OSError as err:
        where = f"{err.filename}: " if err.filename is not None else ""
        return _failed(f"{where}{err.strerror or err}", 3)
    except Exception as err:
        if os.environ.get("KB_DEBUG"):
            raise
        return _failed(
            f"unexpected {type(err).__name__}: {err}\n"
            "This is a fault of kb, not yours. KB_DEBUG=1 shows where it comes from; please report it.",
            3,
        )


def _failed(message: str, code: int) -> int:
    click.echo(f"Error: {message}", err=True)
    return code


def _broken_pipe() -> int:
    """Whoever read our output has seen enough: not an error, and nothing more may be written at exit."""
    with contextlib.suppress(OSError):
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    return 141
