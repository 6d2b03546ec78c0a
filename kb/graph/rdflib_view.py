"""A store as an rdflib Dataset, for libraries that want one. Reading only, and nothing is copied.

Importing this imports rdflib; do it where the view is used.
"""

from __future__ import annotations

from typing import Any, NoReturn

import pyoxigraph as ox
from oxrdflib import OxigraphStore
from rdflib import Dataset, URIRef

from kb.namespaces import PREFIXES

__all__ = ["ReadOnlyStore", "dataset"]


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

    def query(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        """Runs a query after the same checks as `kb query`: none that would fetch from the network."""
        from kb.graph.guard import check_query

        check_query(str(query))
        return super().query(query, *args, **kwargs)

    def add_graph(self, graph: Any) -> None:
        """Nothing: `Dataset.graph(…)` calls this also to read a graph."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("the graph is read-only; change the pages or the catalogue, then run `kb build`")

    add = addN = remove = remove_graph = update = destroy = _refuse  # noqa: N815 - addN is rdflib's name


def dataset(store: ox.Store) -> Dataset:
    """A Dataset over a store. Its default graph is the store's default graph: the union of all facts, each once."""
    view = Dataset(store=ReadOnlyStore(store))
    for prefix, namespace in PREFIXES.items():
        view.bind(prefix, URIRef(namespace))
    return view
