"""Python sessions in the documents (blocks marked `pycon`) give what the documents show."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest
from doc_console import ROOT, Shell, example_of

SESSION = re.compile(r"(?<=^```pycon\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
DOCUMENTS = [path for path in sorted((ROOT / "docs").glob("*.md")) if SESSION.search(path.read_text(encoding="utf-8"))]


def sessions(path: Path) -> str:
    """All sessions of a document, as one, on the lines that they have there."""
    text = path.read_text(encoding="utf-8")
    kept = {
        number
        for found in SESSION.finditer(text)
        for number in range(text.count("\n", 0, found.start()), text.count("\n", 0, found.end()))
    }
    return "\n".join(line if number in kept else "" for number, line in enumerate(text.splitlines()))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_sessions_give_what_the_document_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shell(tmp_path / "examples", built=True, example=example_of(path))
    if example_of(path) != "notes":
        notes = ROOT / "examples" / "notes"
        shutil.copytree(notes, tmp_path / "examples" / "notes", ignore=shutil.ignore_patterns("kg"))
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(sessions(path), {}, path.name, str(path), 0)
    printed: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    result = runner.run(test, out=printed.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(printed)


def test_the_page_about_python_has_sessions() -> None:
    assert ROOT / "docs" / "python.md" in DOCUMENTS
