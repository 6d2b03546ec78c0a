"""What graphs must not hold before an engine sees them.

Shapes inside themselves, queries that reach out, and blank nodes that an engine would describe without an end.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import pyoxigraph as ox

from kb._rdf import Triples
from kb.errors import OntologyError
from kb.graph._tokens import tokens
from kb.namespaces import RDF, SH

__all__ = ["check_data", "check_shapes"]

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_HOLDS = ("property", "node", "not", "qualifiedValueShape")
_LISTS = ("and", "or", "xone")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")


def check_shapes(triples: Sequence[ox.Triple]) -> None:
    """Raises OntologyError for a shape that holds itself, and for a query with SERVICE or FROM.

    What recursive shapes mean is left open (https://www.w3.org/TR/shacl/#shapes-recursion), and an engine that follows
    them may not come back.
    """
    graph = Triples(triples)
    holds: dict[Term, list[Term]] = defaultdict(list)
    for name in _HOLDS:
        for shape in graph.subjects(SH + name):
            holds[shape] += graph.objects(shape, SH + name)
    for name in _LISTS:
        for shape in graph.subjects(SH + name):
            holds[shape] += [one for head in graph.objects(shape, SH + name) for one in graph.members(head)]
    circle = _circle(holds)
    if circle:
        named = [f"<{one.value}>" for one in circle if isinstance(one, ox.NamedNode)] or ["a shape without a name"]
        raise OntologyError(
            f"the shapes cannot be used: {' > '.join([*named, named[0]])}: this shape holds itself, and what that "
            "means SHACL leaves open; take one of the references away, or write the walk as a sh:zeroOrMorePath"
        )
    for triple in triples:
        if triple.predicate.value.startswith(SH) and isinstance(triple.object, ox.Literal):
            name = triple.predicate.value.removeprefix(SH)
            if name in ("select", "ask", "construct"):
                _check_query(triple, triple.object.value)


def check_data(triples: Sequence[ox.Triple]) -> None:
    """Raises OntologyError for RDF 1.2 triple terms, and for blank nodes that would take for ever to describe.

    pySHACL writes a blank node's surroundings into its report, ten steps deep and along every way there is. A dozen
    nodes that all point at each other make billions of them.
    """
    ahead: dict[ox.BlankNode, list[ox.BlankNode]] = defaultdict(list)
    for triple in triples:
        if isinstance(triple.object, ox.Triple):
            raise OntologyError(
                f"the data have a triple in a triple, at {triple.subject} {triple.predicate}: SHACL is for RDF 1.1"
            )
        subject, value = triple.subject, triple.object
        sideways = triple.predicate.value == RDF + "rest"  # along a list it goes no deeper
        if isinstance(subject, ox.BlankNode) and isinstance(value, ox.BlankNode) and not sideways:
            ahead[subject].append(value)
    ways = dict.fromkeys(ahead, 1)
    for _ in range(10):
        ways = {node: 1 + sum(ways.get(one, 1) for one in ahead[node]) for node in ahead}
        worst = max(ways, key=lambda node: ways[node], default=None)
        if worst is not None and ways[worst] > _MOST_WAYS:
            raise OntologyError(
                f"the data have blank nodes that point at each other in more than {_MOST_WAYS:,} ways, at {worst}; a "
                "report would have to describe them all, so give these nodes IRIs"
            )


_MOST_WAYS = 200_000


def _circle(holds: dict[Term, list[Term]]) -> list[Term]:
    """Shapes each of which holds the next, and the last the first; empty where there are none."""
    done: set[Term] = set()
    for start in sorted(holds, key=str):
        path, inside, stack = list[Term](), set[Term](), [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                path.pop()
                inside.discard(node)
                done.add(node)
            elif node in inside:
                return path[path.index(node) :]
            elif node not in done:
                path.append(node)
                inside.add(node)
                stack.append((node, True))
                stack.extend((one, False) for one in holds.get(node, ()))
    return []


def _check_query(triple: ox.Triple, text: str) -> None:
    # An engine replaces such codes before it looks for words.
    plain = _ESCAPE.sub(lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)), text)
    for token in tokens(plain):
        if token.kind == "word" and token.text.lower() in ("service", "from", "load"):
            raise OntologyError(
                f"the shapes cannot be used: the query of {triple.subject} says {token.text.upper()}, which reaches "
                "for other data; nothing is fetched here, so take it out"
            )
