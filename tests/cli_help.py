"""A small knowledge base for the tests of commands, and a way to run `kb` as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kb.cli.main import run

ROOT = Path(__file__).resolve().parent.parent

FILES = {
    "kb.toml": '[kb]\nbase = "https://kb.test.example/"\n',
    "catalogue.yaml": """\
entities:
  - {id: shop, type: service, name: "Shop", public: true}
  - {id: cart, type: service, name: "Cart", aliases: ["Basket"], public: false}
  - {id: cart-db, type: datastore, name: "Cart DB"}
  - {id: web, type: team, name: "Web Crew"}
  - {id: ops, type: team, name: "Ops Crew"}
  - {id: ada, type: person, name: "Ada Ek"}
""",
    "pages/shop.md": "# Shop\n\nShop calls Cart.\n\nShop is owned by Web Crew.\n",
    "pages/cart.md": "# Cart\n\nCart depends on Cart DB.\n\nIt is owned by Web Crew.\n\nOps Crew depends on Cart DB.\n",
    "pages/teams.md": "# Teams\n\nWeb Crew is led by Ada Ek.\n\nCart is owned by Ops Crew.\n",
}


def write_wiki(folder: Path) -> Path:
    """The files of the small wiki: two owners of Cart contradict each other, one statement breaks a shape."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


class Kb:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *args: str | Path) -> Ran:
        self.capsys.readouterr()
        code = run([str(arg) for arg in args])
        captured = self.capsys.readouterr()
        return Ran(code, captured.out, captured.err)


def kb_process(*args: str | Path, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> Ran:
    """Runs a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", *map(str, args)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
