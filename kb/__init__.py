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
    folder: str | os.PathLike[str] = ".",
    *,
    force: bool = False,
    statements: str | os.PathLike[str] | None = None,
    reader: str | None = None,
    max_cost: float | None = None,
    record: str | os.PathLike[str] | None = None,
    replay: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> BuildReport:
    """Builds the knowledge base in `folder` and publishes it when anything changed; see `kb.pipeline.build`."""
    from pathlib import Path

    from kb.config import load_config
    from kb.pipeline import build as run

    given, to, from_ = (None if one is None else Path(one) for one in (statements, record, replay))
    return run(
        load_config(Path(folder)),
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
