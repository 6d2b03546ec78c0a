"""`kb`: an engineering wiki as a validated RDF knowledge base that answers multi-hop questions.

`kb.build(".")` builds what `kb.toml` in that folder describes. `kb.open(".")` opens what was built last:
`kb.open(".").ask("Which public services break when ledger-db is down?").answers` are its answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from kb.knowledge_base import KnowledgeBase, open  # noqa: A004 - `kb.open`
    from kb.pipeline import BuildReport

__all__ = ["KnowledgeBase", "__version__", "build", "open"]

__version__ = "0.1.0"


def build(
    folder: str | os.PathLike[str] | None = None,
    *,
    schema_dir: str | os.PathLike[str] | None = None,
    kg_dir: str | os.PathLike[str] | None = None,
    force: bool = False,
    statements: str | os.PathLike[str] | None = None,
    reader: str | None = None,
    max_cost: float | None = None,
    record: str | os.PathLike[str] | None = None,
    replay: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> BuildReport:
    """Builds the knowledge base in `folder` and publishes it when anything changed; see `kb.pipeline.build`.

    `folder` is by default the current one. `schema_dir` and `kg_dir` are other folders for schema notes and for what is
    built than its `kb.toml` says. Where they are given and no folder is, there are only the notes, and no `kb.toml` is
    needed; `kg_dir` is then by default `kg` beside them.
    """
    from pathlib import Path

    from kb.config import notes_config
    from kb.pipeline import build as run

    home = None if folder is None else Path(folder)
    if home is None and schema_dir is None and kg_dir is None:
        home = Path()
    notes, built, given, to, from_ = (
        None if one is None else Path(one) for one in (schema_dir, kg_dir, statements, record, replay)
    )
    return run(
        notes_config(home, notes, built),
        force=force,
        statements=given,
        reader=reader,
        max_cost=max_cost,
        record=to,
        replay=from_,
        progress=progress,
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # Opening costs imports that `kb --help` should not pay for.
    if name in {"KnowledgeBase", "open"}:
        from kb import knowledge_base

        return getattr(knowledge_base, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
