"""A change of facts as SPARQL 1.1 Update (https://www.w3.org/TR/sparql11-update/), which every store takes."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

__all__ = ["write_update"]


def write_update(gone: Iterable[ox.Triple], come: Iterable[ox.Triple]) -> bytes:
    """`DELETE DATA` and `INSERT DATA` on the default graph, in order; nothing at all where there is no change.

    There must be no blank nodes in `gone`: DELETE DATA cannot name them.
    """
    operations = []
    for verb, triples in (("DELETE", gone), ("INSERT", come)):
        lines = sorted(f"  {triple} .\n" for triple in triples)
        if lines:
            operations.append(f"{verb} DATA {{\n{''.join(lines)}}}\n")
    return ";\n".join(operations).encode()
