"""Everything that follows from facts by an ontology's axioms, and that nobody states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from kb.errors import ConfigError
from kb.names import local_name
from kb.namespaces import OWL, RDFS
from kb.reason.axioms import BUILTIN, HIDDEN, Axioms
from kb.reason.engines import WITHOUT_CHAINS, closure
from kb.reason.model import TYPE, Fact
from kb.reason.patterns import Table, compile_table, pattern_of

__all__ = ["MOST", "NOTHING", "infer", "shown", "telling"]

NOTHING = OWL + "Nothing"
MOST = 2_000_000
"""Facts that transitive properties may give in one round: some 600 MB."""
_SAID = frozenset({TYPE, RDFS + "label", RDFS + "comment", RDFS + "seeAlso", RDFS + "isDefinedBy"})
"""Terms of RDF's own that say something of an entity; the others are about the schema."""


def infer(engine: str, axioms: Axioms, facts: Iterable[Fact]) -> set[Fact]:
    """What follows from the facts by OWL 2 RL and is none of them, but for what only says what RDF and OWL are.

    Exact for every ontology: facts that a rule could join with another go to the engine together, with all that is
    known of them, unless transitive properties are the only such rule. Class expressions without a name are among the
    types that are found; see `shown`. Nothing is made the same by owl:sameAs. Raises ConfigError where transitive
    properties give more than `MOST` facts.
    """
    stated = {*facts, *axioms.individuals}
    if not axioms:
        return set()
    patterns = {pattern_of(fact) for fact in stated} | {(name, False) for name in axioms.transitive}
    table = compile_table(engine, axioms, patterns)
    found = set(filter(telling, table.apply(stated))) - stated
    if axioms.only_transitive:
        _close(axioms, table, stated, found)
    else:
        joining = [fact for fact in stated if pattern_of(fact) in table.joining]
        if joining:
            able = "owlrl" if axioms.chains and engine in WITHOUT_CHAINS else engine
            found.update(filter(telling, closure(able, [*axioms.triples, *joining])))
    return found - stated - axioms.triples


def _close(axioms: Axioms, table: Table, stated: set[Fact], found: set[Fact]) -> None:
    """Adds what transitive properties give, and what follows from that, until nothing does."""
    while axioms.transitive:
        edges: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for subject, predicate, value in (fact for facts in (stated, found) for fact in facts):
            if predicate in axioms.transitive and isinstance(value, str):
                edges[predicate][subject].add(value)
        new: set[Fact] = set()
        for name, steps in edges.items():
            for fact in _paths(name, steps):
                if fact not in stated and fact not in found:
                    new.add(fact)
                    if len(new) > MOST:
                        raise ConfigError(
                            f"{local_name(name)} is transitive, which gives more than {MOST:,} facts; questions follow "
                            f'paths without them (hop*), so add skip = ["transitive"] to [reason] in kb.toml'
                        )
        if not new:
            return
        found |= new
        found.update(fact for fact in table.apply(new) if telling(fact) and fact not in stated)


def _paths(name: str, steps: dict[str, set[str]]) -> Iterator[Fact]:
    for start in steps:
        seen: set[str] = set()
        todo = list(steps[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(steps.get(node, ()))
        yield from ((start, name, node) for node in seen)


def telling(fact: Fact) -> bool:
    """Whether a fact says anything: not that something is a thing, or the same as itself."""
    _, predicate, value = fact
    if predicate.startswith(BUILTIN) and predicate not in _SAID:
        return False
    return predicate != TYPE or value == NOTHING or (isinstance(value, str) and not value.startswith(BUILTIN))


def shown(found: Iterable[Fact], about: Callable[[str], bool]) -> set[Fact]:
    """What of the facts is worth keeping: about an entity, and without names that only this module has."""
    return {
        fact
        for fact in found
        if about(fact[0])
        and not fact[1].startswith(HIDDEN)
        and fact[2] != NOTHING
        and not (isinstance(fact[2], str) and fact[2].startswith(HIDDEN))
    }
