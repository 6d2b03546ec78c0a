"""`[reason]` of kb.toml: which engine compiles the ontology's axioms, and which of them are left out."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb.errors import ConfigError
from kb.reason.axioms import FAMILIES

__all__ = ["DEFAULT", "ENGINES", "Settings", "settings_of"]

ENGINES = ("owlrl", "reasonable", "none")


@dataclass(frozen=True, slots=True)
class Settings:
    """The engine, one of `ENGINES` but "none", and the families of axioms (`axioms.FAMILIES`) that do not count."""

    engine: str = "owlrl"
    skip: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As `meta.json` keeps them."""
        return {"engine": self.engine, "skip": list(self.skip)}


DEFAULT = Settings()


def settings_of(section: Mapping[str, Any]) -> Settings | None:
    """What `[reason]` says; None where nothing is to be inferred. Raises ConfigError for what it cannot mean."""
    if not section:
        return None
    engine = section.get("engine", ENGINES[0])
    if engine not in ENGINES:
        raise ConfigError(f"kb.toml: [reason] engine = {engine!r} is unknown; known: {', '.join(ENGINES)}")
    given = section.get("skip", ())
    skip = (given,) if isinstance(given, str) else tuple(given)
    for one in skip:
        if one not in FAMILIES:
            close = difflib.get_close_matches(one, FAMILIES, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(FAMILIES)}"
            raise ConfigError(f"kb.toml: [reason] skip names {one!r}, which is no kind of axiom; {meant}")
    return None if engine == "none" else Settings(engine, tuple(sorted(set(skip))))
