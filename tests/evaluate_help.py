"""Gold folders, and generations of other readers, for the tests of evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline_help import run_build, small_base, write_statements

from kb.generations import Generation, Generations
from kb.iris import Iris
from kb.pipeline import REPORT_NAME

STATED = [
    ("a", "shop", "depends_on", "cart"),
    ("b", "shop", "depends_on", "cart"),
    ("a", "cart", "depends_on", "stock"),
    ("a", "shop", "owned_by", "sales"),
    ("a", "ana", "member_of", "sales"),
    ("a", "cart", "owned_by", "nobody at all"),
    ("b", "sales", "depends_on", "cart"),
]
"""Four facts, one of them on two pages; a name that nobody knows, and a team that depends on something."""
INDEX_FILES = {"index.json", "nodes.jsonl", "partitions.json", "vectors.npy"}
LLM = {
    "model": "tiny",
    "requests": 1,
    "from_journal": 1,
    "prompt_tokens": 700,
    "completion_tokens": 50,
    "estimated": False,
    "cost": 0.0008,
    "total": {"requests": 2, "prompt_tokens": 1500, "completion_tokens": 90, "cost": 0.00168},
}


def gold_folder(folder: Path, **files: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    for name, rows in files.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def edge(subject: str, relation: str, object_: str, page: str | None = "a", **more: Any) -> dict[str, Any]:
    return {"page": page, "subject": subject, "relation": relation, "object": object_, **more}


def question(text: str, answer: list[str], kind: str = "one_hop", **more: Any) -> dict[str, Any]:
    return {"question": text, "type": kind, "answer": answer, **more}


def stated_base(folder: Path) -> Path:
    """A knowledge base built from `STATED`."""
    base = small_base(folder)
    run_build(base, write_statements(folder / "stated.jsonl", STATED))
    return base


def published_as(
    base: Path, reader: str, llm: Mapping[str, Any] | None = None, *, index: bool = True, **key: str
) -> Generation:
    """Publishes the current generation again, as if another reader had made it; or as one without an index."""
    generations = Generations(base / "kg")
    current = generations.current()
    assert current is not None
    with generations.lock(), generations.begin(current, Iris("https://kb.test.example/")) as draft:
        for name in current.meta["files"]:
            if not index and name in INDEX_FILES:
                continue
            data = current.read(name)
            if name == REPORT_NAME:
                data = json.dumps({**json.loads(data), "llm": llm}).encode()
            draft.write(name, data)
        return draft.publish({"key": {**current.meta["key"], "reader": reader, **key}, "kb": current.meta["kb"]})
