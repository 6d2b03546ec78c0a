"""A store as an rdflib Dataset, for libraries that want one. Reading only, and nothing is copied.

Importing this imports rdflib; do it where the view is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import pyoxigraph as ox
from oxrdflib import OxigraphStore
from rdflib import Dataset, URIRef

from kb.graph.guard import check_query
from kb.namespaces import PREFIXES

__all__ = ["FactsDataset", "ReadOnlyStore", "dataset"]


class ReadOnlyStore(OxigraphStore):
    """oxrdflib's store without its ways of writing, and with lengths counted once.

    Counting is a pass over the whole store, and rdflib asks for a length wherever it asks `if graph:`.
    """

    def __init__(self, store: ox.Store) -> None:
        super().__init__(store=store)
        self._lengths: dict[str | None, int] = {}

    def __len__(self, context: Any = None) -> int:
        key = None if context is None else str(getattr(context, "identifier", context))
        if key not in self._lengths:
            self._lengths[key] = super().__len__(context)
        return self._lengths[key]

    def query(self, query: Any, initNs: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:  # noqa: N803 - rdflib's
        """Runs a query after the same checks as `kb query`: none that would fetch from the network."""
        prefixes = {**dict(self.namespaces()), **initNs}
        check_query(str(query), prefixes={prefix: str(namespace) for prefix, namespace in prefixes.items()})
        return super().query(query, initNs, *args, **kwargs)

    def add_graph(self, graph: Any) -> None:
        """Nothing: `Dataset.graph(…)` calls this also to read a graph."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("the graph is read-only; change the pages or the catalogue, then run `kb build`")

    add = addN = remove = remove_graph = update = destroy = _refuse  # noqa: N815 - addN is rdflib's name


class FactsDataset(Dataset):
    """A Dataset whose `default_graph` is that of the store: the union of all facts, each once."""

    @property
    def default_context(self) -> Any:
        """The same as `default_graph`. rdflib uses its own old name, and would warn whoever asks a query of that."""
        return self._default_context

    @default_context.setter
    def default_context(self, value: Any) -> None:
        self._default_context = value


def dataset(store: ox.Store) -> Dataset:
    """A Dataset over a store."""
    view = FactsDataset(store=ReadOnlyStore(store))
    for prefix, namespace in PREFIXES.items():
        view.bind(prefix, URIRef(namespace))
    return view
