"""What the tests of catalogues share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kb.config import Config, packaged
from kb.errors import CatalogueError, Fault
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

__all__ = ["Folder", "config_for", "systems"]


@cache
def systems() -> Vocabulary:
    """The vocabulary that is shipped."""
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


def config_for(root: Path) -> Config:
    """A configuration whose messages name files below `root`."""
    return Config(root, "https://x.example/", (), (), root / "kg", None, ())


class Folder:
    """A folder to put catalogue files in and load them from."""

    def __init__(self, root: Path, vocabulary: Callable[[], Vocabulary] = systems) -> None:
        self.root, self.vocabulary = root, vocabulary

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def load(self, *names: str) -> Catalogue:
        """The catalogue of these files and folders; of the whole folder when none is named."""
        paths = [self.root / name for name in names] or [self.root]
        return load_catalogue(paths, self.vocabulary(), config_for(self.root))

    def faults(self, *names: str) -> list[Fault]:
        with pytest.raises(CatalogueError) as caught:
            self.load(*names)
        for fault in caught.value.faults:
            assert str(fault) in str(caught.value)
        return list(caught.value.faults)

    def triples(self, *names: str) -> set[tuple[str, str, str]]:
        return {(s.subject, s.relation, s.object) for s in self.load(*names).statements}
