"""Commands and outputs in documents: read, run, compared, and written anew with `make docs`.

A fenced block marked `console` holds commands (`$ …`, with here-documents) and what they print, both streams as they
come. Each document runs in a copy of an example of its own, built beforehand unless it starts with `kb build`:
examples/larkspur, or what a comment such as `<!-- example: notes -->` names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARKSPUR = "larkspur"
NAMED = re.compile(r"<!-- example: (\w+) -->")
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
VARYING = (
    (re.compile(r"gen-\d+-[0-9a-f]+"), "gen-000001-000000"),
    (re.compile(r"\d+\.\d+ s\b"), "0.0 s"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*"), "2026-01-01T00:00:00+00:00"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


@dataclass(frozen=True)
class Step:
    """A command as it stands in the document, and what the document says it prints."""

    command: str
    output: str


def steps(block: str) -> list[Step]:
    """The commands of one block."""
    found: list[Step] = []
    lines = iter(block.splitlines())
    command, output = "", list[str]()
    for line in lines:
        if not line.startswith("$ "):
            output.append(line)
            continue
        if command:
            found.append(Step(command, "\n".join(output)))
        command, output = line.removeprefix("$ "), []
        if here := re.search(r"<<'(\w+)'", line):
            for more in lines:
                command += "\n" + more
                if more == here[1]:
                    break
    return [*found, Step(command, "\n".join(output))] if command else found


def document_steps(path: Path) -> list[Step]:
    """The commands of all blocks of a document."""
    return [step for block in BLOCK.findall(path.read_text(encoding="utf-8")) for step in steps(block)]


def normalised(output: str) -> str:
    """Without what differs from run to run."""
    for pattern, fixed in VARYING:
        output = pattern.sub(fixed, output)
    return output.strip("\n")


class Shell:
    """Runs commands as a reader of the documents would, in a copy of the example."""

    def __init__(self, folder: Path, *, built: bool, example: str = LARKSPUR) -> None:
        self.folder = folder / example
        shutil.copytree(ROOT / "examples" / example, self.folder, ignore=shutil.ignore_patterns("kg"))
        home = folder.parent / f"{folder.name}-home"
        home.mkdir()
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        self.env = {"HOME": str(home), "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "LANG": "C.UTF-8"}
        if not self.run("kb --version").startswith("kb"):
            raise RuntimeError(f"no kb beside {sys.executable}; run this with the interpreter that kb is installed for")
        if built:
            self.run("kb build")

    def run(self, command: str) -> str:
        """What a command prints on both streams."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.stdout.decode("utf-8").strip("\n")


def example_of(path: Path) -> str:
    """The example that a document is about."""
    named = NAMED.search(path.read_text(encoding="utf-8"))
    return LARKSPUR if named is None else named[1]


def shell_for(path: Path, folder: Path) -> Shell:
    """A shell in which a document's commands can run."""
    found = document_steps(path)
    return Shell(folder, built=not (found and found[0].command == "kb build"), example=example_of(path))


def rewrite(path: Path) -> bool:
    """Puts what the commands print now in the place of what the document says, where it differs."""
    with tempfile.TemporaryDirectory() as name:
        shell = shell_for(path, Path(name))

        def fresh(match: re.Match[str]) -> str:
            texts = []
            for step in steps(match[0]):
                output = shell.run(step.command)
                same = normalised(output) == normalised(step.output)
                texts.append(f"$ {step.command}\n{step.output.strip(chr(10)) if same else output}".rstrip())
            return "\n\n".join(texts) + "\n"

        text = path.read_text(encoding="utf-8")
        new = BLOCK.sub(fresh, text)
        if new != text:
            path.write_text(new, encoding="utf-8")
        return new != text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {'rewritten' if rewrite(Path(name)) else 'as it was'}")
