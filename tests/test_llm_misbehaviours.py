"""What the documentation says a user sees when an endpoint misbehaves is what a user sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fake_endpoint as fakes
import pytest
from fake_endpoint import FakeEndpoint, Misbehaviour
from model_base import model, model_base
from pipeline_help import facts

from kb.cli.main import run

DOC = Path(__file__).resolve().parent.parent / "docs" / "language-model.md"
PAGE = "# Shop\n\nShop calls Cart.\n"
ITEM = '{"subject": "Shop", "relation": "depends_on", "object": "Cart", "quote": "Shop calls Cart."}'

BEHAVIOURS: dict[str, list[Misbehaviour]] = {
    "status 429, 500, 503": [fakes.status(500, "overloaded")],
    "an HTML page with status 502": [fakes.html(502)],
    "an HTML page with status 200": [fakes.html()],
    "no answer in time, or one that drips": [fakes.hang(3), fakes.drip()],
    "a connection that is cut": [fakes.cut(), fakes.vanish()],
    "a reply without content": [fakes.content(""), fakes.content(None)],
    "a reply without choices": [fakes.choices([])],
    "bytes that are not UTF-8": [fakes.invalid_utf8()],
    "reasoning and nothing else": [fakes.reasoning_only()],
    "a reply of 10 MB": [fakes.huge()],
    "a refusal": [fakes.message(content=None, refusal="I cannot help with that.")],
    "a page too long for the model": [fakes.status(400, "maximum context length is 4096 tokens")],
    "a list that is cut off": [fakes.content(f'{{"statements": [{ITEM}, {{"subj')],
    "prose in place of JSON": [fakes.content("I could not find any facts.")],
    "the key is refused": [fakes.status(401, "Incorrect API key provided: sk-abc***def")],
    "the account is empty": [fakes.status(429, "You exceeded your current quota", error_code="insufficient_quota")],
    "there is no such model": [fakes.status(404, "The model does not exist", error_code="model_not_found")],
    "a redirect to another host": [fakes.redirect("https://elsewhere.example/v1")],
}


def documented() -> dict[str, tuple[str, int]]:
    """Row -> (message, exit code)."""
    text = DOC.read_text(encoding="utf-8").partition("## When an endpoint misbehaves")[2].partition("\n## ")[0]
    first, _, second = text.partition("This ends the build")
    found = {}
    for part, code in ((first, 1), (second, 3)):
        found.update({row[1]: (row[2], code) for row in re.finditer(r"^\| (.+?) \| `(.+)` \|$", part, re.MULTILINE)})
    return found


def test_every_row_of_the_table_is_tried() -> None:
    assert documented().keys() == BEHAVIOURS.keys()


@pytest.mark.parametrize(("row", "behaviour"), [(row, one) for row, found in BEHAVIOURS.items() for one in found])
def test_the_user_sees_what_the_table_says(
    row: str, behaviour: Misbehaviour, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted, code = documented()[row]
    answers: list[Callable[[Any], Any]] = [lambda _request: behaviour, model]
    with FakeEndpoint(answers[0]) as fake:
        base = model_base(tmp_path / "base", fake.base_url, pages={"shop": PAGE}, timeout=1.0, retries=1)
        assert run(["build", "--kb", str(base)]) == code
        said = capsys.readouterr().err
        assert wanted in said
        assert said.startswith("Error: pages/shop.md: " if code == 1 else f"Error: {fake.base_url}: ")
        assert "Traceback" not in said
        fake.answer = answers[1]
        assert run(["build", "--kb", str(base)]) == 0
        assert facts(base) == {("shop", "dependsOn", "cart")}
