"""A small knowledge base to build in tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox

from kb.config import load_config
from kb.generations import Generations
from kb.pipeline import BuildReport, build

CATALOGUE = """\
entities:
  - {id: shop, type: service, name: Shop, public: true}
  - {id: cart, type: service, name: Cart}
  - {id: stock, type: service, name: Stock, aliases: [Warehouse Stock]}
  - {id: stock-db, type: datastore, name: Stock DB}
  - {id: sales, type: team, name: Sales}
  - {id: supply, type: team, name: Supply}
  - {id: ana, type: person, name: Ana Ruiz}
"""


def small_base(folder: Path) -> Path:
    """A folder with `kb.toml` and a catalogue, without pages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kb.toml").write_text('[kb]\nbase = "https://kb.test.example/"\n', encoding="utf-8")
    (folder / "catalogue.yaml").write_text(CATALOGUE, encoding="utf-8")
    (folder / "pages").mkdir(exist_ok=True)
    return folder


def write_page(folder: Path, name: str, text: str) -> None:
    (folder / "pages" / f"{name}.md").write_text(text, encoding="utf-8")


def write_statements(path: Path, rows: Iterable[tuple[str | None, str, str, str]]) -> Path:
    """A statements file of (page, subject, relation, object)."""
    keys = ("page", "subject", "relation", "object")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows), encoding="utf-8")
    return path


def run_build(folder: Path, statements: Path | None = None, *, force: bool = False) -> BuildReport:
    return build(load_config(folder), statements=statements, force=force)


def quads(folder: Path) -> list[str]:
    """All quads of the published graph, sorted."""
    generation = Generations(folder / "kg").current()
    assert generation is not None
    return sorted(str(quad) for quad in generation.open_store())


def facts(folder: Path) -> set[tuple[str, str, str]]:
    """(subject id, predicate's local name, object id) of the default graph, entities on both ends."""
    generation = Generations(folder / "kg").current()
    assert generation is not None
    found = set()
    for quad in generation.open_store().quads_for_pattern(None, None, None, ox.DefaultGraph()):
        ends = [str(end).strip("<>").rpartition("/entity/") for end in (quad.subject, quad.object)]
        if all(end[1] for end in ends):
            found.add((ends[0][2], quad.predicate.value.rpartition("#")[2], ends[1][2]))
    return found
