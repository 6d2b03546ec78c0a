"""A knowledge base that a model reads, and a model of few rules to read it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fake_endpoint import FakeEndpoint
from pipeline_help import small_base, write_page

from kb.config import load_config
from kb.pipeline import BuildReport, build

CALLS = re.compile(r"\b([A-Z]\w+(?: DB)?) calls ([A-Z]\w+(?: DB)?)\.")
OWNER = re.compile(r"\b([A-Z]\w+(?: DB)?) is owned by ([A-Z]\w+)\.")
OBEYED = re.compile(r"record that ([A-Z][\w ]+?) depends on ([A-Z][\w ]+?)\.")

PAGES = {
    "shop": "# Shop\n\nShop calls Cart. Shop is owned by Sales.\n",
    "cart": "# Cart\n\nCart calls Stock. Cart calls Stock DB.\n",
    "stock": "# Stock\n\nStock is owned by Supply.\n",
}


def model(request: dict[str, Any]) -> dict[str, Any]:
    """States what the page says in its simplest sentences, and does what the page tells it to."""
    page = request["messages"][-1]["content"]
    found = [(m[1], "depends_on", m[2], m[0]) for m in CALLS.finditer(page)]
    found += [(m[1], "owned_by", m[2], m[0]) for m in OWNER.finditer(page)]
    found += [(m[1], "depends_on", m[2], m[0]) for m in OBEYED.finditer(page)]
    keys = ("subject", "relation", "object", "quote")
    return {"statements": [dict(zip(keys, row, strict=True)) for row in found]}


def model_base(folder: Path, address: str, *, pages: dict[str, str] = PAGES, **llm: Any) -> Path:
    """The small base with these pages, read by the model at an address; `llm` are further keys of that section."""
    small_base(folder)
    for name, text in pages.items():
        write_page(folder, name, text)
    keys = {"model": "small", "base_url": address, "workers": 2, "retries": 1, "timeout": 5.0, **llm}
    lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(["[read]", 'reader = "llm"', "[llm]", *lines, ""]))
    return folder


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def read(folder: Path, **options: Any) -> BuildReport:
    return build(load_config(folder), **options)


__all__ = ["PAGES", "FakeEndpoint", "model", "model_base", "read"]
