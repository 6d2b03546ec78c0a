"""Runs every benchmark of this folder, one after the other: `make bench`, or `python -m benchmarks [NAME ...]`."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NEEDS_DATA = ("metaqa",)  # run by name, with the folder of a data set that is not ours to ship


def is_benchmark(path: Path) -> bool:
    """Helpers have no main."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


def main() -> int:
    files = (path for path in sorted(HERE.glob("[!_]*.py")) if path.stem not in NEEDS_DATA)
    known = {path.stem: path for path in files if is_benchmark(path)}
    unknown = [name for name in sys.argv[1:] if name not in known]
    if unknown or not known:
        print(f"no benchmark called {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in sys.argv[1:] or known:
        print(f"\n== {name} ==\n", flush=True)
        environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
        if subprocess.run([sys.executable, str(known[name])], check=False, env=environment).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
