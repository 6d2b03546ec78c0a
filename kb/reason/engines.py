"""OWL 2 RL engines as one function: triples in, everything that follows out."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.errors import ConfigError
from kb.reason.axioms import HIDDEN
from kb.reason.model import Fact, Value

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["WITHOUT_CHAINS", "closure", "installed"]

WITHOUT_CHAINS = frozenset({"reasonable"})
"""Engines that do not know owl:propertyChainAxiom (rule prp-spo2)."""


def installed(engine: str) -> bool:
    """Whether an engine can be used here."""
    return importlib.util.find_spec(engine) is not None


def closure(engine: str, facts: Collection[Fact]) -> set[Fact]:
    """What `engine` makes of the facts, those included; what it says about literals and blank nodes is left out.

    Literals stand as names while it runs: engines differ in what they make of datatypes, and nothing about entities
    follows from them. Raises ConfigError where the engine is not installed.
    """
    from rdflib import Graph, URIRef

    names: dict[ox.Literal, str] = {}
    graph = Graph()
    for subject, predicate, value in facts:
        if isinstance(value, ox.Literal):
            value = names.setdefault(value, f"{HIDDEN}literal:{len(names)}")
        graph.add((URIRef(subject), URIRef(predicate), URIRef(value)))
    literals: dict[str, Value] = {name: literal for literal, name in names.items()}
    found: set[Fact] = set()
    for s, p, o in _ENGINES[engine](graph):
        if isinstance(s, URIRef) and isinstance(p, URIRef) and isinstance(o, URIRef) and str(s) not in literals:
            found.add((str(s), str(p), literals.get(str(o), str(o))))
    return found


def _owlrl(graph: Graph) -> Any:
    import owlrl

    semantics = owlrl.OWLRL_Semantics
    closing = owlrl.DeductiveClosure(semantics, rdfs_closure=False, axiomatic_triples=False, datatype_axioms=False)
    closing.expand(graph)
    return graph


def _reasonable(graph: Graph) -> Any:
    try:
        reasonable = importlib.import_module("reasonable")  # an extra, without types
    except ImportError as err:
        raise ConfigError(
            'kb.toml: [reason] engine = "reasonable" is not installed; '
            'run: pip install "wiki-kb[reasonable]", or choose "owlrl"'
        ) from err
    reasoner = reasonable.PyReasoner()
    reasoner.from_graph(graph)
    return [*graph, *reasoner.reason()]


_ENGINES = {"owlrl": _owlrl, "reasonable": _reasonable}
